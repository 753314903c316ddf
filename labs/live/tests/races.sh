#!/bin/bash
# races.sh TWBENCH - a short proof of every runner by a twbench built with the thread sanitizer.  Prints TAP.
#
# The sanitizer ends the process at the first data race, which conform reports as a crash; what it says of the race
# is printed too.
set -uo pipefail

cd "$(dirname "$0")/../../.." || exit 2
twbench=${1:-build/tsan/twbench}
log=$(mktemp -d) || exit 2
trap 'rm -rf "$log"' EXIT

echo "1..1"
output=$(TSAN_OPTIONS="halt_on_error=1 exitcode=66 log_path=$log/race" \
    "$twbench" conform --runner=all --impl=heap,hier,fast --operations="${OPERATIONS:-5e4}" --patience=100s 2>&1)
status=$?
sed 's/^/# /' <<EOF
$output
EOF
if [ $status -eq 0 ] && [ -z "$(ls -A "$log")" ]; then
    echo "ok 1 - no runner has a data race under the thread sanitizer"
else
    cat "$log"/* 2>/dev/null | head -60 | sed 's/^/# /'
    echo "not ok 1 - no runner has a data race under the thread sanitizer: exit status $status"
    exit 1
fi
