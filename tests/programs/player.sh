#!/bin/sh
# A player of Planowanie that declares nothing and plays its first legal card. Its argument is the
# fault that it shows: see tests/it/arbiter.rs.
fault=$1 tag=$2
hand= led= laid=0 asked=0

yes() { printf '= %s\n\n' "$1"; }

legal() {
    for card in $hand; do
        [ "${card#?}" = "$led" ] && { echo "$card"; return; }
    done
    echo "${hand%% *}"
}

# A card that must not be played now: of another suit though one of the led suit is there.
revoked() {
    follows=
    for card in $hand; do [ "${card#?}" = "$led" ] && follows=1; done
    [ -n "$follows" ] || return 1
    for card in $hand; do
        [ "${card#?}" = "$led" ] || { echo "$card"; return 0; }
    done
    return 1
}

without() {
    rest=
    for card in $hand; do [ "$card" = "$1" ] || rest="$rest$card "; done
    hand=${rest% }
}

case $fault in
    dies_at_start) exit 3 ;;
    grandchild) setsid sleep 987 & sleep 986 & ;;
    floods_stderr) head -c 100000000 /dev/zero | tr '\0' 'x' >&2 ;;
    orphans) setsid sleep "985.$TAG" & env -i setsid sleep "984.$TAG" & ;;
    stays) trap '' TERM ;;
    banner) echo welcome ;;
    lingers) trap '' TERM HUP; setsid sleep 983 & while :; do sleep 1; done ;;
esac

while IFS= read -r line; do
    set -- $line
    case $1 in
        '') continue ;;
        set_players) players=$2 me=$3; yes ;;
        set_cards) shift 2; hand="$*" led= laid=0; yes ;;
        gen_declare)
            asked=$((asked + 1))
            case $fault in
                wrong_number) yes 99 ;;
                no_number) yes some ;;
                refuses_declare) printf '? I will not\n\n' ;;
                silent) sleep 100 ;;
                late) sleep "$LATE"; yes 0 ;;
                exits | orphans) exit 0 ;;
                wants_memory) hoard=$(head -c 1000000000 /dev/zero | tr '\0' 'x'); yes 0 ;;
                junk) printf 'thinking\n= 0\n\n' ;;
                trailing) yes '0 ok' ;;
                endless_line) head -c 5000 /dev/zero | tr '\0' 'x'; sleep 100 ;;
                endless_reply) echo '= 0'; while echo more; do :; done ;;
                kills)
                    # Every other process that runs this file.
                    for process in /proc/[0-9]*; do
                        line=$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")
                        case $line in "/bin/sh $0 none $tag "*) kill -9 "${process#/proc/}" ;; esac
                    done
                    sleep 0.3
                    yes 0 ;;
                twice) printf '= 0\n\n= 0\n\n' ;;
                deaf) exec <&-; yes 0; sleep 100 ;;
                half) printf '= 0\n'; sleep 100 ;;
                closes) exec >&-; sleep 100 ;;
                *) yes 0 ;;
            esac ;;
        gen_move)
            card=$(legal)
            case $fault in
                foreign_card) card=9Z ;;
                anothers_card) card=2C; [ "${hand#*2C}" = "$hand" ] || card=3C ;;
                revoke) card=$(revoked) || card=$(legal) ;;
                refuses_move) printf '? I will not\n\n'; continue ;;
                three_ends) printf '= %s\n\n\n' "$card"; continue ;;
                carriage_returns) printf '= %s\r\n\r\n' "$card"; continue ;;
                no_blank) printf '=%s\n\n' "$card"; continue ;;
            esac
            yes "$card" ;;
        play)
            [ "$laid" = 0 ] && led=${3#?}
            laid=$(((laid + 1) % players))
            [ "$laid" = 0 ] && led=
            [ "$2" = "$me" ] && without "$3"
            yes ;;
        quit)
            yes
            [ "$fault" = stays ] && while :; do sleep 1; done
            exit 0 ;;
        *) yes ;;
    esac
done
