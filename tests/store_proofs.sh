#!/bin/bash
# store_proofs.sh - each store killed a thousand times under each policy, in every state of a disk: hours.  Prints TAP.
#
# `make prove-stores` runs it.  STORES="sqlite lmdb" names some; without it, all that this build has.
# shellcheck disable=SC2317  # functions that check calls
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

twbench=${TWBENCH:-$PWD/twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A server that is not installed is no failure of its store.
prove() {
    nice "$twbench" conform --store="$1" --thorough --directory="$work" 2>&1 | tee "$work/said"
    [ "${PIPESTATUS[0]}" -eq 0 ] || grep -q ABSENT "$work/said"
}

[ -n "${STORES:-}" ] || STORES=$("$twbench" list --json=- | jq -r '.stores[] | select(.built) | .name')
for store in $STORES; do
    check "$store keeps its contract through all of it" prove "$store"
    echo "# ${said//$'\n'/$'\n# '}"
done
echo "1..$number"
exit "$failed"
