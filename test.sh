#!/bin/sh
# Everything that must hold: formatting, lints, licences, tests, a run of the README's command, and the container.
set -eu
cd "$(dirname "$0")"

# What was skipped and how long each step took is printed at the end. The scripts called here add to what was skipped.
notes=$(mktemp -d)
installing=""
end() {
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
# Installs Debian packages, if that can be done here.
packages() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null &&
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q "$@"; } >/dev/null 2>&1
}
skip() {
    printf '*** NOT TESTED: %s ***\n' "$*"
    printf '  %s\n' "$*" >>"$SKIPPED"
}

step "what this machine needs"
command -v cc >/dev/null || { echo "a C compiler is missing (Debian: apt-get install build-essential)" >&2; exit 1; }
command -v cargo >/dev/null || { echo "Rust is missing: https://rustup.rs" >&2; exit 1; }
if command -v rustup >/dev/null; then
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
fi
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

# The linker that Rust brings is faster than the system's, where the C compiler can call it.
lld="$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin/gcc-ld"
if [ -n "$static" ] && echo 'int main(void) { return 0; }' | cc -fuse-ld=lld -B"$lld" -x c - -o "$notes/probe" 2>/dev/null; then
    flags="CARGO_TARGET_$(printf %s "$musl" | tr 'a-z-' 'A-Z_')_RUSTFLAGS"
    export "$flags=-Clink-arg=-fuse-ld=lld -Clink-arg=-B$lld"
fi

step "formatting"
cargo fmt --all --check

# What the tests run next to Drover is installed while it is built; without it they say so.
{
    command -v chromedriver || packages chromium chromium-driver || true
    [ -n "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] || packages postgresql || true
    command -v podman || packages podman buildah runc || true
} >/dev/null 2>&1 &
installing=$!
# Clippy compiles what is built anyhow: to check everything apart first took a third of all the time.
if command -v clippy-driver >/dev/null; then
    export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS="-Dwarnings__CLIPPY_HACKERY__"
    step "lints and the build"
else
    step "lints"
    cargo clippy --workspace --all-targets --locked -- -D warnings
    step "the build"
fi
cargo test --workspace --all-targets --locked --no-run
wait "$installing" || true
installing=""

step "licences and bans"
PATH="$PATH:$target/tools/bin"
if ! cargo deny --version >/dev/null 2>&1; then
    # Built without optimisation: it runs for seconds.
    env -u CARGO_BUILD_TARGET cargo install cargo-deny --locked --quiet --debug --root "$target/tools" || true
fi
if cargo deny --version >/dev/null 2>&1; then
    # It reads the crates of every platform; a build fetches only those of this one.
    cargo fetch --locked --quiet
    cargo deny --offline check licenses bans sources
    if cargo deny fetch db >/dev/null 2>&1; then
        cargo deny check advisories
    else
        skip "cargo deny check advisories: the database could not be fetched"
    fi
else
    skip "cargo deny: it could not be installed"
fi

step "tests"
axe=$(.ci/axe) && export DROVER_AXE="$axe" || skip "axe-core on the pages: it could not be fetched"
cargo test --workspace --locked

step "the store on PostgreSQL"
code=0
.ci/postgres sh -c 'cargo test -p drover --lib --locked -- store:: history:: server:: of_a_server --skip file:: --include-ignored &&
    cargo test -p drover --test it --locked -- workers_of_a_server --include-ignored' || code=$?
case "$code" in
    0) ;;
    77) skip "the store on PostgreSQL: it could not be installed" ;;
    *) exit "$code" ;;
esac

# Built for the tests: another build would have other features, and so build most of it again.
step "the README's command, for a short while"
.ci/smoke "$built/drover"

step "the container, run as it is deployed"
code=0
# Without that executable it builds one, or says why it cannot: a release, which no lints slow down.
env -u RUSTC_WORKSPACE_WRAPPER -u CLIPPY_ARGS .ci/container ${static:+"$static"} || code=$?
case "$code" in
    0 | 77) ;;
    *) exit "$code" ;;
esac

step "what deploy/ holds for haproxy and Kubernetes"
code=0
.ci/deploy || code=$?
case "$code" in
    0 | 77) ;;
    *) exit "$code" ;;
esac

step "how long it took"
cat "$notes/took"
if [ -s "$SKIPPED" ]; then
    step "all is well, but for what was not tested:"
    cat "$SKIPPED"
else
    step "all is well"
fi
