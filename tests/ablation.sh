#!/bin/bash
# ablation.sh - `fast` without each of its ideas (-DFAST_NO_...) still compiles and keeps to the oracle.  Prints TAP.
#
# Each is made a plugin and run once, without taking times.  With DEPTH=all `conform` tests each as well.
# shellcheck disable=SC2154,SC2317
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash
twbench=${TWBENCH:-./twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hold_oracle() { "$twbench" run --plugin="$work/$1.so" --workload=P5 --tasks=300,2000 --counts-only --progress=never --no-system-check; }
hold_contract() { "$twbench" conform --plugin="$work/$1.so"; }

ideas=$(grep -c '^#ifndef FAST_NO_' src/impls/fast.c)
output=$(CFLAGS=-O0 tools/ablation.sh "$work" 2>&1) && [ "$(wc -l <<<"$output")" -eq $((ideas + 1)) ] && [ "$ideas" -gt 0 ]
tell $? "each flag FAST_NO_... gives a plugin" "$output"
for plugin in "$work"/*.so; do
    name=$(basename "$plugin" .so)
    output=$(hold_oracle "$name" 2>&1)
    tell $? "$name fires what the oracle says" "$output"
    [ "${DEPTH:-}" = all ] || continue
    output=$(hold_contract "$name" 2>&1)
    tell $? "$name holds the contract" "$output"
done
echo "1..$number"
exit $failed
