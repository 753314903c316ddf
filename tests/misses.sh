#!/bin/bash
# misses.sh - holds the simulated misses (tools/misses.sh) against cases with a known answer.  Prints TAP.
# shellcheck disable=SC2317  # functions that check calls
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

. tests/tap.bash

# column DESIGN TASKS PHASE COLUMN - a figure of the table
column() {
    awk -F'\t' -v design="$1" -v tasks="$2" -v phase="$3" -v name="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $3 == design && $2 == tasks && $4 == phase { print $at }' <<<"$table"
}

# between LOW VALUE HIGH
between() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(value != "" && value >= low && value <= high) }'
}

check "a circle of as many lines as there is room for is never missed, of more always" tools/misses.sh --check
check "the table is made" tools/misses.sh fill-cancel 1e3,2e5 null,hier
table=$said
check "a design that does nothing touches nothing" between 0 "$(column null 200000 stop accesses)" 0
check "a thousand timers stay in the cache" between 0 "$(column hier 1000 stop L2)" 0
# The two halves of hier's links are 1.6 MB: more than any first-level cache, and than its pages in the first TLB.
check "to take a random timer out of a list is two to three and a half lines" between 2 "$(column hier 200000 stop L1)" 3.5
check "its pages of 2 MiB fit" between 0 "$(column hier 200000 stop dTLB-2M)" 0.01
refused "an unknown design is an error" "nobody: no such design" tools/misses.sh fill-cancel 1e3 nobody
refused "an unknown workload is an error" "workload 'nothing': not in workloads" tools/misses.sh nothing 1e3 null
echo "1..$number"
exit "$failed"
