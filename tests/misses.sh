#!/bin/bash
# misses.sh - holds the simulated misses (tools/misses.sh) against cases with a known answer.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
tests=0

# report NAME STATUS
report() {
    tests=$((tests + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $tests - $1"
    else
        echo "not ok $tests - $1"
        sed 's/^/# /' "$work/said"
    fi
}

# column DESIGN TASKS PHASE COLUMN - a figure of the table
column() {
    awk -F'\t' -v design="$1" -v tasks="$2" -v phase="$3" -v name="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $3 == design && $2 == tasks && $4 == phase { print $at }' "$work/said"
}

# between LOW VALUE HIGH
between() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(value != "" && value >= low && value <= high) }'
}

tools/misses.sh --check >"$work/said" 2>&1
report "a circle of as many lines as there is room for is never missed, of more always" $?

tools/misses.sh fill-cancel 1e3,2e5 null,hier >"$work/said" 2>&1
report "the table is made" $?
between 0 "$(column null 200000 stop accesses)" 0
report "a design that does nothing touches nothing" $?
between 0 "$(column hier 1000 stop L2)" 0
report "a thousand timers stay in the cache" $?
# The two halves of hier's links are 1.6 MB: more than any first-level cache, and than its pages in the first TLB.
between 2 "$(column hier 200000 stop L1)" 3.5
report "to take a random timer out of a list is two to three and a half lines" $?
between 0 "$(column hier 200000 stop dTLB-2M)" 0.01
report "its pages of 2 MiB fit" $?
tools/misses.sh fill-cancel 1e3 nobody >"$work/said" 2>&1
[ $? -eq 1 ] && grep -q "nobody: no such design" "$work/said"
report "an unknown design is an error" $?
tools/misses.sh nothing 1e3 null >"$work/said" 2>&1
[ $? -eq 2 ]
report "an unknown workload is an error" $?
echo "1..$tests"
