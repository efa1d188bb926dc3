#!/bin/sh
# Builds one static executable for this machine's architecture and checks it: `ldd` finds no
# library, and `drover health` of the static binary finds a running static daemon well.
# Installs the musl target and a C compiler for it where they are missing.
#     deploy/static.sh
set -eu
cd "$(dirname "$0")/.."

say() { printf 'static: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

target="$(uname -m)-unknown-linux-musl"
command -v cargo >/dev/null || fail "cargo is not there; see https://rustup.rs"

if ! rustc --print target-libdir --target "$target" 2>/dev/null | xargs -r test -d; then
    command -v rustup >/dev/null || fail "the Rust target $target is missing and there is no rustup to add it"
    say "adding the Rust target $target"
    rustup target add "$target" || fail "rustup could not add $target: is the network reachable?"
fi

if ! command -v musl-gcc >/dev/null; then
    command -v apt-get >/dev/null || fail "musl-gcc is missing; install your system's musl development package"
    say "installing musl-tools"
    if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
    $as_root apt-get update -q || fail "apt-get update failed: is the network reachable?"
    $as_root apt-get install -y -q musl-tools || fail "apt-get could not install musl-tools"
fi

say "building"
CC="musl-gcc" cargo build --release --bin drover --locked --target "$target"
binary="${CARGO_TARGET_DIR:-target}/$target/release/drover"

libraries=$(ldd "$binary" 2>&1 || true)
case "$libraries" in
    *"statically linked"* | *"not a dynamic executable"*) say "no shared libraries" ;;
    *) fail "the binary is not static: $libraries" ;;
esac

data=$(mktemp -d)
"$binary" serve --listen 127.0.0.1:0 --api-listen 127.0.0.1:0 --data "$data" >"$data/out" 2>"$data/log" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; rm -rf "$data"' EXIT
for _ in $(seq 100); do
    grep -q '^listening ' "$data/out" && break
    kill -0 "$daemon" 2>/dev/null || { cat "$data/log" >&2; fail "the static daemon ended"; }
    sleep 0.1
done
api=$(sed -n 's/^listening .*api=\([^ ]*\).*/\1/p' "$data/out")
[ -n "$api" ] || fail "the static daemon did not say where it listens"
"$binary" health --url "http://$api" || fail "the static daemon is not well"
say "done: $binary ($(du -h "$binary" | cut -f1))"
