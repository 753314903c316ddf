#!/bin/bash
# cross.sh - proves the runners without locks on aarch64 under qemu, every runner with DEPTH=all: words, alignment and atomics of
# another processor.  Prints TAP.
#
# qemu translates for the processor that it runs on, whose stores and loads come in a stronger order: this does not show
# reordering.  What is not here is skipped by name.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tests/tap.bash
arch=aarch64
[ "${DEPTH:-}" = all ] && runners=all || runners=tick-queue,mpsc-heap
what="$runners: the contract holds on $arch, under qemu, which does not show reordering"

echo "1..1"
if ! command -v $arch-linux-gnu-gcc >/dev/null || ! command -v qemu-$arch >/dev/null; then
    tell 0 "$what # SKIP no $arch-linux-gnu-gcc or qemu-$arch here (tools/deps.sh cross)"
    exit
fi
said=$(tools/cross.sh $arch build/cross/$arch/twbench-live 2>&1)
status=$?
if [ $status -eq 3 ]; then
    tell 0 "$what # SKIP $(tail -n 1 <<<"$said")"
    exit
fi
[ $status -ne 0 ] || said=$(qemu-$arch -L /usr/$arch-linux-gnu build/cross/$arch/twbench-live \
    conform --runner="$runners" --impl=heap --operations="${OPERATIONS:-2e4}" --patience=100s 2>&1)
tell $? "$what" "$(tail -n 20 <<<"$said")"
exit "$failed"
