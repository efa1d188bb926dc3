#!/bin/sh
# A player of Planet Wars that orders nothing, and does one thing wrong on its way: the first argument.
fault=$1
say() { printf '%s\n' "$1"; }
[ "$fault" = dead ] && exit 7
# Sends the same whatever it receives, and reads nothing of it.
if [ "$fault" = deaf ]; then yes . | head -n 3; exec sleep 30; fi
if [ "$fault" = blind ]; then while :; do say . || exit 0; sleep 0.02; done; fi
turn=0
own=
while read -r tag id _ _ _ owner ships; do
    case $tag in
    P) planets="$planets $id $owner $ships" ;;
    Y) you=$id ;;
    .)
        turn=$((turn + 1))
        # The first planet of one's own, one of somebody else's, and the ships on the first.
        set -- $planets
        own= other= many=0
        while [ $# -ge 3 ]; do
            if [ "$2" = "$you" ] && [ -z "$own" ]; then own=$1 many=$3; fi
            if [ "$2" != "$you" ] && [ "$2" != 0 ] && [ -z "$other" ]; then other=$1; fi
            shift 3
        done
        planets=
        case $fault$turn in
        order5) say "F $own 9999 1" ;;
        foreign5) say "F $other $own 1" ;;
        many5) say "F $own $other $((many + 1))" ;;
        silent5) sleep 30 ;;
        crash5) exit 3 ;;
        garbage5) say 'hello there' ;;
        # Only the player with the lowest number.
        garbage1of25) [ "$you" = 1 ] && say 'hello there' ;;
        letters5) say "F $own $other x" ;;
        endless5) while :; do printf '0123456789012345678901234567890123456789'; done ;;
        nodot5) say "F $own $other 1"; read -r _ ;;
        word5) say 'M 4294967296' ;;
        wide5) printf '\342\202\254%.0s' $(seq 400); say '' ;;
        stubborn5) trap '' TERM; say 'hello'; while :; do sleep 1; done ;;
        slow*) sleep 0.03 ;;
        drowsy*) sleep 0.3 ;;
        esac
        say .
        ;;
    esac
done
