#!/bin/sh
# Builds the image drover:local without a registry: the last stage of the Dockerfile around the static
# executable of deploy/static.sh, or the one given:
#     deploy/image.sh [EXECUTABLE]
# Needs buildah (Debian: apt-get install buildah).
set -eu
executable=${1:+$(realpath "$1")}
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
buildah --storage-driver vfs bud --isolation chroot --format docker --tag drover:local "$context"
say "done: drover:local"
