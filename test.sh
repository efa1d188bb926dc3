#!/bin/sh
# Everything that must hold: formatting, lints, licences, tests, and a run of the README's command.
set -eu
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

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
if cargo deny --version >/dev/null 2>&1; then
    cargo deny --offline check licenses bans sources
else
    echo "cargo-deny is not installed: skipped (cargo install cargo-deny)"
fi

step "tests"
cargo test --workspace --locked

step "the README's command, for a short while"
.ci/smoke

step "all is well"
