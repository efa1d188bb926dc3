#!/bin/sh
# Makes everything that a release consists of, from a clean checkout, in dist/ of the target folder:
#     deploy/release.sh
# executables, Debian packages and images for x86-64 and arm64, the source, a bill of materials, checksums and, with a
# key, their signature. Tools that are missing are installed into the target folder. What cannot be made here is named.
#
# DROVER_SIGN_KEY: a secret key of minisign without a password, as text (`rsign generate -W`). Without it nothing is
# signed. At a tag, CHANGELOG.md must have a dated heading for the version, and nothing under "Unreleased".
set -eu
cd "$(dirname "$0")/.."

say() { printf 'release: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
skipped=""
skip() { say "*** NOT MADE: $* ***"; skipped="$skipped$*; "; }

[ -z "$(git status --porcelain)" ] || fail "the checkout has changes: commit them, or clone it again"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
tag=$(git tag --points-at HEAD | grep '^v' | head -n 1 || true)
if [ -n "$tag" ]; then
    [ "$tag" = "v$version" ] || fail "the tag is $tag, but Cargo.toml says $version"
    grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || fail "CHANGELOG.md has no line '## $version (DATE)'"
    [ -z "$(sed -n '/^## Unreleased/,/^## [0-9]/{/^#/d; /./p}' CHANGELOG.md)" ] ||
        fail "CHANGELOG.md has changes under 'Unreleased': move them to $version"
fi
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
tools="$CARGO_TARGET_DIR/tools"
PATH="$PATH:$tools/bin"
dist="$CARGO_TARGET_DIR/dist"
rm -rf "$dist"
mkdir -p "$dist" "$tools"

# A command of a crate, built without optimisation: it runs for seconds.
tool() {
    command -v "$1" >/dev/null && return 0
    say "installing $2"
    cargo install "$2" --locked --quiet --debug --root "$tools"
}
# An archive whose bytes follow from what is in it.
pack() {
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --create "$@" | gzip --no-name -9
}

say "the executable for x86-64"
[ "$(uname -m)" = x86_64 ] || fail "it is made on x86-64"
deploy/static.sh
own="$CARGO_TARGET_DIR/x86_64-unknown-linux-musl/release"
triples=x86_64-unknown-linux-musl

say "the executable for arm64"
# zig is a C compiler and linker for every target.
zig="$tools/zig"
if [ ! -x "$zig/bin/cargo-zigbuild" ]; then
    { python3 -m venv "$zig" && "$zig/bin/pip" install --quiet cargo-zigbuild==0.24.1 ziglang==0.17.1; } >&2 || rm -rf "$zig"
fi
if [ -x "$zig/bin/cargo-zigbuild" ] && rustup target add aarch64-unknown-linux-musl; then
    PATH="$zig/bin:$PATH" cargo zigbuild --release --bin drover --locked --target aarch64-unknown-linux-musl
    triples="$triples aarch64-unknown-linux-musl"
else
    skip "arm64: zig or the target could not be installed"
fi

say "manual, completions and licences"
package="$own/package"
rm -rf "$package"
mkdir -p "$package/completions"
"$own/drover" manual "$package/man"
gzip --no-name -9 "$package"/man/*.1
"$own/drover" completions bash >"$package/completions/drover.bash"
"$own/drover" completions zsh >"$package/completions/_drover"
"$own/drover" completions fish >"$package/completions/drover.fish"
deploy/licenses.sh "$package/licenses"
printf 'drover (%s-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^maintainer = "\(.*\)"/\1/p' Cargo.toml)" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" \
    | gzip --no-name -9 >"$package/changelog.Debian.gz"

tool cargo-deb cargo-deb@3.8.0
for triple in $triples; do
    machine=${triple%%-*}
    built="$CARGO_TARGET_DIR/$triple/release"
    say "archive, Debian package and image for $machine"
    [ "$built" = "$own" ] || { rm -rf "$built/package" && cp -r "$package" "$built/package"; }
    name="drover-$version-$machine-linux"
    tree="$CARGO_TARGET_DIR/tree/$name"
    rm -rf "${tree%/*}"
    mkdir -p "$tree"
    cp -r "$built/drover" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT config "$package/man" "$package/completions" \
        "$package/licenses" "$tree"
    install -D -m 644 -t "$tree/systemd" deploy/drover.service deploy/drover.socket deploy/bots.conf deploy/shims.conf
    pack --directory "${tree%/*}" "$name" >"$dist/$name.tar.gz"
    cargo deb --package drover --no-build --no-strip --target "$triple" --deb-revision 1 --output "$dist/" >&2
    if command -v buildah >/dev/null; then
        deploy/image.sh "$built/drover" "$dist/drover-$version-$machine.oci.tar"
    else
        skip "the image for $machine: buildah is missing (Debian: apt-get install buildah)"
    fi
done

say "the source and its bill of materials"
git archive --format tar --prefix "drover-$version/" HEAD | gzip --no-name -9 >"$dist/drover-$version-source.tar.gz"
tool cargo-cyclonedx cargo-cyclonedx@0.5.9
# It writes a file next to each package's manifest.
copy="$CARGO_TARGET_DIR/tree/bom"
mkdir -p "$copy"
git archive HEAD | tar --extract --directory "$copy"
cargo cyclonedx --manifest-path "$copy/Cargo.toml" --format json --spec-version 1.5 --target x86_64-unknown-linux-musl >&2
sed "s,file://$copy,file://,g" "$copy/drover.cdx.json" >"$dist/drover-$version.cdx.json"

say "checksums"
cd "$dist"
sha256sum -- * >../SHA256SUMS
mv ../SHA256SUMS .
if [ -n "${DROVER_SIGN_KEY:-}" ]; then
    tool rsign rsign2@0.6.7
    key=$(mktemp)
    trap 'rm -f "$key"' EXIT
    printf '%s\n' "$DROVER_SIGN_KEY" >"$key"
    rsign sign -W -s "$key" -x SHA256SUMS.minisig -t "drover $version" SHA256SUMS >&2
else
    skip "the signature: DROVER_SIGN_KEY is not set"
fi
ls -l "$dist" >&2
say "done: $dist${skipped:+, but for: $skipped}"
