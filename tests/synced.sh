#!/bin/sh
# Shows by strace that no answer leaves before its log is on the disk: 10,000 callbacks over four
# connections, durability `power`. For each one the writer (the thread that syncs the log most often)
# must begin a sync of the log after the request was read and end it before the answer is written.
# Needs strace, curl and a built drover:
#     tests/synced.sh [target/release/drover]
set -eu
for tool in strace curl; do
    command -v "$tool" >/dev/null || { echo "$tool is missing" >&2; exit 1; }
done
drover=${1:-target/release/drover}
data=$(mktemp -d)
"$drover" serve --listen 127.0.0.1:0 --api-listen 127.0.0.1:0 --data "$data" >"$data/out" 2>"$data/log" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; wait; rm -rf "$data"' EXIT
for _ in $(seq 100); do
    grep -q '^listening ' "$data/out" && break
    sleep 0.1
done
grep -q '^listening ' "$data/out" || { cat "$data/log" >&2; exit 1; }
address=$(sed -n 's/^listening callbacks=\([^ ]*\).*/\1/p' "$data/out")

strace -f -y -s 16 -o "$data/trace" -p "$daemon" \
    -e trace=recvfrom,read,readv,write,writev,sendto,fsync,fdatasync 2>"$data/strace" &
for _ in $(seq 100); do
    grep -q attached "$data/strace" && break
    sleep 0.1
done
grep -q attached "$data/strace" || { cat "$data/strace" >&2; exit 1; }

clients=""
for market in 1 2 3 4; do
    curl -sf --no-progress-meter -o /dev/null \
        "http://$address/koehandel/face?market=$market&id=[1-2500]&type=information&message=begin" &
    clients="$clients $!"
done
for client in $clients; do wait "$client"; done
kill "$daemon"
wait

awk '
    NR == FNR {
        if (/ (fsync|fdatasync)\(.*-wal>/) { pid = $1; if (++count[pid] > count[writer]) writer = pid }
        next
    }
    # Calls that others interrupt are shown in two parts; the first names the descriptor.
    { pid = $1; call = $0; sub(/^[0-9]+ +/, "", call) }
    call ~ /^(recvfrom|read|readv|write|writev|sendto|fsync|fdatasync)\(/ {
        file = call; sub(/^[a-z]+\(/, "", file); sub(/[,) ].*/, "", file)
        began[pid] = NR; at[pid] = file; syncing[pid] = call ~ /^(fsync|fdatasync)\(.*-wal>/
        if (call ~ /HTTP\/1.1 200/) {
            answers++
            if (!(file in asked) || synced <= asked[file]) early++
            delete asked[file]
        }
    }
    call ~ /GET \/koehandel/ { requests++; asked[at[pid]] = NR }
    pid == writer && syncing[pid] && call ~ /= 0$/ { syncs++; synced = began[pid]; syncing[pid] = 0 }
    END {
        printf "%d requests, %d answers, %d syncs, %d answers before their sync\n", requests, answers, syncs, early
        exit !(requests == 10000 && answers == 10000 && early == 0)
    }
' "$data/trace" "$data/trace"
