#!/bin/sh
# Everything that must hold: formatting, lints, licences, tests, a run of the README's command, and the container.
set -eu
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }
skipped=""
skip() { printf '*** NOT TESTED: %s ***\n' "$*"; skipped="$skipped
  $*"; }

step "what this machine needs"
command -v cc >/dev/null || { echo "a C compiler is missing (Debian: apt-get install build-essential)" >&2; exit 1; }
command -v cargo >/dev/null || { echo "Rust is missing: https://rustup.rs" >&2; exit 1; }
if command -v rustup >/dev/null; then
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
fi
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "licences and bans"
tools="${CARGO_TARGET_DIR:-$PWD/target}/tools"
PATH="$PATH:$tools/bin"
if ! cargo deny --version >/dev/null 2>&1; then
    cargo install cargo-deny --locked --quiet --root "$tools" || true
fi
if cargo deny --version >/dev/null 2>&1; then
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
cargo test --workspace --locked

step "the README's command, for a short while"
.ci/smoke

step "the container, run as it is deployed"
code=0
.ci/container || code=$?
case "$code" in
    0) ;;
    77) skip "the container" ;;
    *) exit "$code" ;;
esac

step "all is well${skipped:+, but for what was not tested:$skipped}"
