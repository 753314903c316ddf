#!/bin/bash
# store_proofs.sh - each store killed a thousand times under each policy, in every state of a disk: a quarter of an hour.  Prints TAP.
#
# `make prove-stores` runs it.  STORES="sqlite lmdb" names some; without it, all that this build has.
# shellcheck disable=SC2317  # functions that check calls
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

twbench=${TWBENCH:-$PWD/twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# prove STORE [FLAG...]
prove() {
    nice "$twbench" conform --store="$1" --thorough --directory="$work" "${@:2}"
}

[ -n "${STORES:-}" ] || STORES=$("$twbench" list --json=- | jq -r '.stores[] | select(.built) | .name')
for store in $STORES; do
    said=$(prove "$store" 2>&1) && status=0 || status=$?
    # A server that is not installed is no failure of its store, and no success.
    if [ "$status" -ne 0 ] && has_said ABSENT; then
        tell 0 "$store keeps its contract # SKIP not installed"
    else
        tell "$status" "$store keeps its contract through all of it" "$said"
    fi
    echo "# ${said//$'\n'/$'\n# '}"
done
echo "1..$number"
exit "$failed"
