#!/bin/sh
# Copies the licences of Drover and of every crate linked into it to the folder OUT:
#     deploy/licenses.sh OUT
set -eu
out=$1
cd "$(dirname "$0")/.."
mkdir -p "$out"
cp LICENSE-APACHE LICENSE-MIT "$out/"
cargo fetch --locked --quiet
crates=${CARGO_HOME:-$HOME/.cargo}/registry/src
cargo tree --locked --edges normal --prefix none --format '{p} {l}' | sed 's/ (\*)$//' | sort -u |
while read -r name version license; do
    for folder in "$crates"/*/"$name-${version#v}"; do
        [ -d "$folder" ] || continue
        printf '%s %s: %s\n' "$name" "${version#v}" "$license"
        for file in "$folder"/LICENSE* "$folder"/LICENCE* "$folder"/COPYING* "$folder"/NOTICE* "$folder"/UNLICENSE*; do
            [ -f "$file" ] || continue
            mkdir -p "$out/$name-${version#v}"
            cp "$file" "$out/$name-${version#v}/"
        done
        break
    done
done >"$out/crates.txt"
[ -s "$out/crates.txt" ]
