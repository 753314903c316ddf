#!/bin/bash
# container.sh - the image of Containerfile: built, and run (make test-container).  Prints TAP.
#
# Needs root, podman, buildah, mmdebstrap and Debian's mirror.  The base image comes from mmdebstrap, not from a registry,
# and everything is kept in a folder that is removed.  Where the kernel or the rights do not let podman start a container,
# buildah runs the program in the image by chroot; the test says which it was.  CONTAINER_STORE names a folder that stays, and its name with .run another.
# shellcheck disable=SC2317  # leave is called by the trap
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

echo 1..4
for command in podman buildah mmdebstrap; do
    if [ "$(id -u)" != 0 ] || ! command -v $command >/dev/null; then
        for i in 1 2 3 4; do echo "ok $i - skipped # SKIP needs root and $command"; done
        exit 0
    fi
done

work=$(mktemp -d)
store=${CONTAINER_STORE:-$work/store}
where=(--root "$store" --runroot "$store.run" --storage-driver overlay)
leave() {
    [ -n "${CONTAINER_STORE:-}" ] || podman "${where[@]}" rmi --all --force >/dev/null 2>&1
    rm -rf "$work"
}
trap leave EXIT

base=docker.io/library/debian:bookworm-slim
said=
if ! podman "${where[@]}" image exists $base 2>/dev/null; then
    said=$(mmdebstrap --variant=minbase bookworm "$work/base.tar" 2>&1 &&
        podman "${where[@]}" import -q "$work/base.tar" $base 2>&1)
fi
podman "${where[@]}" image exists $base 2>/dev/null
tell $? "a base image is made from Debian's mirror" "$(tail -n 5 <<<"$said")"

said=$(podman "${where[@]}" build --isolation chroot --network host --pull=never \
    --build-arg COMMIT="$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" -t twbench . 2>&1)
tell $? "podman builds the image" "$(tail -n 20 <<<"$said")"

# run WORD... - the program in a container: by podman, or by buildah without a container of the kernel.
run() {
    podman "${where[@]}" run --rm --network none twbench "$@" 2>"$work/podman.said" && return
    local container
    container=$(buildah "${where[@]}" from --pull-never localhost/twbench) || return
    buildah "${where[@]}" run --isolation chroot "$container" -- twbench "$@"
    local status=$?
    how="by buildah and chroot, because podman says: $(tail -n 1 "$work/podman.said")"
    buildah "${where[@]}" rm "$container" >/dev/null
    return $status
}

how="by podman"
run run --workload=hold --tasks=50 --impl=heap,hashed --counts-only --progress=never >"$work/table" 2>&1
status=$?
echo "# run $how"
[ $status -eq 0 ] && grep -q '^hashed' "$work/table"
tell $? "the program runs in it" "$(cat "$work/table")"

run --version >"$work/version" 2>&1
grep -qF "$(cat VERSION)" "$work/version"
tell $? "it is this version" "$(cat "$work/version")"
exit "$failed"
