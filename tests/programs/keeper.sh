#!/bin/sh
# A player of Lighthouses that passes, and does one thing wrong on its way: the first argument.
fault=$1
say() { printf '%s\n' "$1"; }
pass='{"command": "pass"}'
[ "$fault" = dead ] && exit 7
[ "$fault" = tardy ] && sleep 2
read -r line
[ "$fault" = tardy ] && sleep 2
if [ "$fault" = nameless ]; then say '{"title": "x"}'; else say '{"name": "keeper"}'; fi
turn=0
while read -r line; do
    turn=$((turn + 1))
    case $fault$turn in
    junk5) say 'hello' ;;
    empty5) say '' ;;
    silent5) sleep 30 ;;
    exit5) exit 3 ;;
    closed5) exec >&-; sleep 30 ;;
    endless5) while :; do printf '0123456789012345678901234567890123456789'; done ;;
    late5 | late10 | late15 | late20) sleep 0.15; say "$pass" ;;
    asleep5) sleep 0.4; say "$pass" ;;
    twice5) say "$pass"; say "$pass" ;;
    wrong*) say '{"command": "move", "x": 9, "y": 0}' ;;
    *) say "$pass" ;;
    esac
    read -r _ || exit 0
done
