#!/bin/sh
# Everything that must hold: formatting, lints, licences, tests, a run of the README's command, and the container.
#     ./test.sh [--long]    with --long also what takes long: the end-to-end tests named so, and 1,000 seeds of the simulator
set -eu
case "$*" in
    "" | --long) long=$* ;;
    *) echo "usage: $0 [--long]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")"

# What was skipped and how long each step took is printed at the end. The scripts called here add to what was skipped.
notes=$(mktemp -d)
installing=""
end() {
    # What was begun and not awaited, with what it runs.
    for pid in $(cat "$notes"/*.pid 2>/dev/null); do
        # shellcheck disable=SC2046
        kill "$pid" $(cat "/proc/$pid/task/"*/children 2>/dev/null) 2>/dev/null || true
        wait "$pid" || true
    done
    # Not ended half way: it installs packages.
    [ -z "$installing" ] || wait "$installing" || true
    rm -rf "$notes"
}
trap end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
export SKIPPED="$notes/skipped"
: >"$SKIPPED"
name=""
step() {
    now=$(date +%s)
    [ -z "$name" ] || printf '%6d s  %s\n' "$((now - since))" "$name" >>"$notes/took"
    since=$now
    name=$*
    printf '\n== %s\n' "$*"
}
# begin NAME COMMAND…: runs it next to what follows, giving way to it by $niceness. In the same session, as a kernel that
# groups tasks by sessions would otherwise give it half.
niceness=10
begin() {
    log="$notes/$1"
    shift
    nice -n "$niceness" "$@" >"$log" 2>&1 </dev/null &
    echo "$!" >"$log.pid"
}
# await NAME: waits for what was begun, prints what it printed, and gives its code.
await() {
    code=0
    wait "$(cat "$notes/$1.pid")" || code=$?
    rm "$notes/$1.pid"
    cat "$notes/$1"
    return "$code"
}
# Installs Debian packages, if that can be done here.
packages() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null &&
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q "$@"; } >/dev/null 2>&1
}
. .ci/skip

step "what this machine needs"
command -v cc >/dev/null || { echo "a C compiler is missing (Debian: apt-get install build-essential)" >&2; exit 1; }
command -v cargo >/dev/null || { echo "Rust is missing: https://rustup.rs" >&2; exit 1; }
if command -v rustup >/dev/null; then
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
fi
# Fetched while packages are installed.
cargo fetch --locked --quiet &
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
# Half of the tests' time is waiting for programs and clocks.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((2 * $(nproc)))}"
# A version manager's shim looks for the interpreter at every start, and the tests start hundreds.
python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null) || python=""
[ -z "$python" ] || [ "$python" = "$(dirname "$(command -v python3)")" ] || PATH="$python:$PATH"
target="${CARGO_TARGET_DIR:-$PWD/target}"
# One build for lints, tests, smoke run and container, as static as the executable which is shipped; it is not that one:
# what clippy-driver compiles lacks the optimisations of MIR.
built="$target/debug"
static=""
musl="$(uname -m)-unknown-linux-musl"
if rustup target add "$musl" >/dev/null 2>&1 && { command -v musl-gcc >/dev/null || packages musl-tools; }; then
    export CARGO_BUILD_TARGET="$musl" "CC_$(printf %s "$musl" | tr - _)=musl-gcc"
    built="$target/$musl/debug"
    static="$built/drover"
else
    skip "the static executable: the musl target or musl-gcc could not be installed"
fi

# The linker that Rust brings is faster than the system's, where the C compiler can call it. At a fixed address nothing is
# relocated at each of thousands of starts.
lld="$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin/gcc-ld"
if [ -n "$static" ]; then
    # Less of games and other optimised code is copied into its callers, which compiles a fifth faster and runs little slower.
    flags="-Crelocation-model=static -Cllvm-args=-inline-threshold=40"
    if echo 'int main(void) { return 0; }' | cc -fuse-ld=lld -B"$lld" -x c - -o "$notes/probe" 2>/dev/null; then
        flags="$flags -Clink-arg=-fuse-ld=lld -Clink-arg=-B$lld"
    fi
    target_name="CARGO_TARGET_$(printf %s "$musl" | tr 'a-z-' 'A-Z_')"
    # The examples in the documentation are linked with what was compiled so.
    export "${target_name}_RUSTFLAGS=$flags" "${target_name}_RUSTDOCFLAGS=$flags"
fi

step "formatting"
cargo fmt --all --check

# What the tests run next to Drover is installed while it is built; without it they say so.
{
    command -v chromedriver || packages chromium chromium-driver || true
    [ -n "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] || packages postgresql || true
    command -v podman || packages podman buildah runc || true
    .ci/fetched axe || true
    .ci/fetched promtool || true
} >/dev/null 2>&1 &
installing=$!
begin deny .ci/deny
begin deploy .ci/deploy
# Clippy compiles what is built anyhow: to check everything apart first took a third of all the time.
if command -v clippy-driver >/dev/null; then
    export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS="-Dwarnings__CLIPPY_HACKERY__"
    step "lints and the build"
else
    step "lints"
    cargo clippy --workspace --all-targets --locked -- -D warnings
    step "the build"
fi
# Games need little of all there is: their tests run while the daemon is built, which leaves half a core free.
games="--workspace --exclude drover --exclude drover-bench --locked"
# shellcheck disable=SC2086
cargo test $games --no-run
# shellcheck disable=SC2086
begin games env CARGO_TERM_COLOR=never CARGO_TERM_QUIET=false cargo test $games
# Until it runs, only one of the two may build.
while kill -0 "$!" 2>/dev/null && ! grep -qs ' Running ' "$notes/games"; do sleep 0.2; done
cargo test --workspace --all-targets --locked --no-run
wait "$installing" || true
installing=""

step "what deploy/ holds for haproxy and Kubernetes"
# 77: nothing could be checked.
await deploy || [ $? -eq 77 ]

step "the daemon's tests"
begin simulator cargo test -p drover --test sim --locked
cargo test -p drover -p drover-bench --lib --bins --locked

step "tests of games and ratings"
await games

step "licences and bans"
await deny

step "end-to-end tests"
axe=$(.ci/fetched axe) && export DROVER_AXE="$axe" || skip "axe-core on the pages: it could not be fetched"
begin examples cargo test -p drover --doc --locked
# What has limits of its own gives way to nobody.
niceness=0
# One browser serves all of its tests: next to the others, these would hold threads that wait for it.
begin browser cargo test -p drover --test it --locked -- browser:: --test-threads 1
# Built for the tests: another build would have other features, and so build most of it again.
begin smoke .ci/smoke "$built/drover"
# Without that executable it builds one, or says why it cannot: a release, which no lints slow down.
begin container env -u RUSTC_WORKSPACE_WRAPPER -u CLIPPY_ARGS .ci/container ${static:+"$static"}
cargo test -p drover --test it --locked -- --skip browser::

step "pages in a browser"
await browser

step "the README's command, for a short while, and the container, run as it is deployed"
await smoke
await container || [ $? -eq 77 ]

step "the examples in the documentation"
await examples

step "the store on PostgreSQL"
# Next to the simulator alone, which gives way: leases do not wait for a busy machine. What measures them is last.
code=0
{ .ci/postgres cargo test -p drover --lib --locked -- store:: history:: server:: of_a_server --skip file:: \
    --skip goes_on_when_that_is_gone --include-ignored &&
    .ci/postgres cargo test -p drover --lib --test it --locked -- goes_on_when_that_is_gone workers_of_a_server \
        --include-ignored; } || code=$?
case "$code" in
    0) ;;
    77) skip "the store on PostgreSQL: it could not be installed" ;;
    *) exit "$code" ;;
esac

step "the simulator"
await simulator

if [ -n "$long" ]; then
    step "what takes long"
    cargo test -p drover --test it --locked -- --ignored long::
    SIM_SEEDS=1000 cargo test -p drover --test sim --locked
fi

step "how long it took"
cat "$notes/took"
if [ -s "$SKIPPED" ]; then
    step "all is well, but for what was not tested:"
    cat "$SKIPPED"
else
    step "all is well"
fi
