#!/bin/sh
# Schemathesis (https://schemathesis.io) against a daemon that has some matches: no 5xx, and no answer that
# /openapi.json does not describe. Needs python3 with venv, or `st` on the path.
# Usage: tests/schemathesis.sh [DROVER [more options of `st run`]]
set -eu
drover=$(realpath "${1:-target/release/drover}")
[ $# -gt 0 ] && shift
folder=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill -KILL "$daemon"; rm -rf "$folder"' EXIT

if ! st=$(command -v st); then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" --quiet install schemathesis
    st=$folder/venv/bin/st
fi

cd "$folder"
cat > cup.toml <<'CUP'
name = "Cup"
games = ["planowanie"]
seed = 5
budget = "40n"
seats = 3
[schedule]
format = "groups"
rounds = 2
random_rounds = 1
[[entrant]]
name = "alice"
player = "builtin:rules"
[[entrant]]
name = "B"
player = "builtin:greedy"
[[entrant]]
name = "C"
player = "builtin:random"
CUP
"$drover" tournament run cup.toml --database drover.db > /dev/null

# The demo plays Koehandel meanwhile: some matches have ended, one runs.
export DROVER__API__TOKEN=0123456789abcdef0123456789abcdef
"$drover" serve --demo --listen 127.0.0.1:0 --api-listen 127.0.0.1:0 --data "$folder" > said 2> log &
daemon=$!
for _ in $(seq 100); do
    api=$(sed -n 's/.* api=\([^ ]*\).*/\1/p' said)
    [ -n "$api" ] && break
    sleep 0.1
done
sleep 5

# A drain ends the daemon, and a revoked token might be the one that is used here.
"$st" run "http://$api/openapi.json" --header "Authorization: Bearer $DROVER__API__TOKEN" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --exclude-path /api/v1/drain --exclude-method DELETE --request-timeout 30 "$@"
