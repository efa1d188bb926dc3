#!/bin/sh
# Schemathesis (https://schemathesis.io) against a daemon that has matches of all games: no 5xx, no answer that
# /openapi.json does not describe, no wrong input accepted. Needs python3 with venv, or `st` on the path.
# Usage: tests/schemathesis.sh [DROVER [more options of `st run`]]
set -eu
drover=$(realpath "${1:-target/release/drover}")
tests=$(dirname "$(realpath "$0")")
[ $# -gt 0 ] && shift
folder=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill -KILL "$daemon" 2> gone || true; rm -rf "$folder"' EXIT

if ! st=$(command -v st); then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" --quiet install schemathesis
    st=$folder/venv/bin/st
fi

cd "$folder"
sed -e 's/^rounds = .*/rounds = 2/' -e '/^random_rounds/d' -e 's/"A"/"alice"/' "$tests/it/cup.toml" > cup.toml
"$drover" tournament run cup.toml --store drover.db > played
play() { "$drover" play "$@" --games 1 --budget 40n --store drover.db > played; }
play koehandel --seat builtin:champion --seat builtin:guide --seat builtin:trader
play smartdog --seat builtin:herder --seat builtin:shipped --option map=drawn
play planowanie --seat builtin:rules --seat builtin:greedy --seat builtin:random
play lighthouses --seat builtin:ring --seat builtin:harvester --option rounds=50
play planetwars --seat builtin:rage --seat builtin:bully --option rounds=50

# The demo plays Koehandel meanwhile: some matches have ended, one runs.
: > said
export DROVER__API__TOKEN=0123456789abcdef0123456789abcdef
"$drover" serve --demo --listen 127.0.0.1:0 --api-listen 127.0.0.1:0 --data "$folder" > said 2> log &
daemon=$!
for _ in $(seq 100); do
    api=$(sed -n 's/.* api=\([^ ]*\).*/\1/p' said)
    [ -n "$api" ] && break
    sleep 0.1
done
sleep 5

# What never ends is no case: lists are not followed here.
cat > schemathesis.toml <<'TOML'
[parameters]
"query.follow" = "false"
TOML

# Not checked: that every method is refused with 405 (OPTIONS is answered on every path), and that what one request
# makes another finds (a token is removed by the next case).
check() {
    "$st" run "http://$api/openapi.json" --header "Authorization: Bearer $DROVER__API__TOKEN" \
        --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection,ignored_auth \
        --request-timeout 40 "$@"
}
check --exclude-path /api/v1/drain "$@"
# Last, because it ends the daemon.
curl --fail --silent --show-error -X POST -H "Authorization: Bearer $DROVER__API__TOKEN" "http://$api/api/v1/drain" |
    grep -q draining
