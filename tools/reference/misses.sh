#!/bin/bash
# takes: 120 s
# quiet: no
# misses.sh FILE - docs/PERFORMANCE.md: simulated misses of caches and TLBs (tools/misses.sh), as JSON.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

table=$(mktemp)
trap 'rm -f "$table"' EXIT
if [ "${REFERENCE:-full}" = full ]; then
    {
        tools/misses.sh P1 1e3,1e5,1e6 fast,callwheel,linux26,hashed,hier,linux,heap4,heap
        tools/misses.sh P1 1e7 fast,callwheel,linux26,hashed,hier
        tools/misses.sh P3 1e5,1e6 fast,hashed,hier,heap
        tools/misses.sh P4 1e5,1e6 fast,hashed,hier,heap
    } >"$table"
else
    printf '%s\tP1\t20\tfast\tstop\t20\t1\t0\t0\t0\t0\t0\t0\t0\n' '' | cut -f2- >"$table"
fi
"$TWBENCH" run --impl=null --workload=hold --tasks=10 --runs=1 --warmup=0 --min-time=0ns --no-system-check \
    --progress=never --json="$file.tool" --force >/dev/null
jq -n --rawfile table "$table" --slurpfile document "$file.tool" '
    {schema_version: 1, kind: "misses", tool: $document[0].tool, machine: $document[0].machine, complete: true,
     rows: [$table | split("\n")[] | select(length > 0) | split("\t") | select(.[1] != "tasks") |
            {workload: .[0], tasks: (.[1] | tonumber), design: .[2], phase: .[3], operations: (.[4] | tonumber),
             accesses: (.[5] | tonumber), L1: (.[6] | tonumber), L2: (.[7] | tonumber), L3: (.[8] | tonumber),
             dTLB: (.[9] | tonumber), STLB: (.[10] | tonumber), "dTLB-2M": (.[11] | tonumber), "STLB-2M": (.[12] | tonumber)}]}' \
    >"$file"
rm -f "$file.tool"
