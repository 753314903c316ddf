#!/bin/bash
# takes: 5 s
# open.sh FILE - docs/PERFORMANCE.md: how long opening an empty instance takes (tools/open_time.c), as JSON.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -Isrc/impls tools/open_time.c src/impls/fast.c src/impls/callwheel.c -ljemalloc -o "$work/open_time"
"$work/open_time" >"$work/table"
"$TWBENCH" run --impl=null --workload=hold --tasks=10 --runs=1 --warmup=0 --min-time=0ns --no-system-check \
    --progress=never --json="$work/tool" >/dev/null
jq -n --rawfile table "$work/table" --slurpfile document "$work/tool" '
    {schema_version: 1, kind: "open", tool: $document[0].tool, machine: $document[0].machine, complete: true,
     rows: [$table | split("\n")[] | select(length > 0) | split("\t") |
            {design: .[0], capacity: (.[1] | tonumber), horizon: (.[2] | tonumber),
             median_ns: (.[3] | tonumber), longest_ns: (.[4] | tonumber), first_ns: (.[5] | tonumber)}]}' >"$file"
