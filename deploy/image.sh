#!/bin/sh
# Builds the image drover:local without a registry: the last stage of the Dockerfile around the static
# executable of deploy/static.sh, or the one given, of whatever architecture. With ARCHIVE, it is written there, too, for
# `podman load` and `docker load`, as drover:VERSION:
#     deploy/image.sh [EXECUTABLE [ARCHIVE]]
# Needs buildah (Debian: apt-get install buildah).
set -eu
executable=${1:+$(realpath "$1")}
archive=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."

say() { printf 'image: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

command -v buildah >/dev/null || fail "buildah is missing (Debian: apt-get install buildah)"
if [ -z "$executable" ]; then
    deploy/static.sh
    executable="${CARGO_TARGET_DIR:-target}/$(uname -m)-unknown-linux-musl/release/drover"
fi
case "$(ldd "$executable" 2>&1 || true)" in
    *"statically linked"* | *"not a dynamic executable"*) ;;
    *) fail "$executable is not static: build one with deploy/static.sh" ;;
esac
# The machine in the head of an ELF file.
case "$(od -An -tx1 -j18 -N1 "$executable")" in
    " 3e") architecture=amd64 ;;
    " b7") architecture=arm64 ;;
    *) fail "$executable is neither for x86-64 nor for arm64" ;;
esac

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
install -D "$executable" "$context/out/image/drover"
deploy/licenses.sh "$context/out/image/licenses"
install -d -m 1777 "$context/out/image/tmp"
install -d "$context/out/data"
{
    printf 'FROM scratch AS build\nCOPY out /out\n'
    sed -n '/^FROM scratch/,$p' Dockerfile
} >"$context/Dockerfile"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
commit=$(git log -1 --format=%H 2>/dev/null || true)
buildah --storage-driver vfs bud --isolation chroot --format docker --arch "$architecture" --tag drover:local \
    --label "org.opencontainers.image.version=$version" \
    ${commit:+--label "org.opencontainers.image.revision=$commit" --timestamp "$(git log -1 --format=%ct)"} "$context"
say "done: drover:local"
[ -n "$archive" ] || exit 0

layout="$context/layout"
buildah --storage-driver vfs push drover:local "oci:$layout:drover:$version"
# What `docker load` before version 25 reads: the image's own manifest names its configuration, then its layers.
digest=$(grep -o 'sha256:[0-9a-f]*' "$layout/index.json" | head -n 1)
grep -o 'sha256:[0-9a-f]*' "$layout/blobs/sha256/${digest#sha256:}" | sed 's,:,/,; s,.*,"blobs/&",' >"$context/blobs"
printf '[{"Config":%s,"RepoTags":["drover:%s"],"Layers":[%s]}]\n' "$(head -n 1 "$context/blobs")" "$version" \
    "$(sed 1d "$context/blobs" | paste -s -d ,)" >"$layout/manifest.json"
tar --directory "$layout" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --create --file "$archive" .
say "done: $archive ($(du -h "$archive" | cut -f1))"
