#!/bin/bash
# takes: 190 s
# scale.sh FILE - docs/SCALE.md: cost from a thousand to a million timers, on pages of 4 KiB and of 2 MiB.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

few=fast,hashed,hier
designs=$few,callwheel,linux26,hier-bitmap,linux,heap4,heap
measure "$file" run --impl=$designs --workload=P1,P3,P4 --tasks="$(sizes 1e3..1e6)" --huge-pages=off --runs=3
measure "$file" run --impl=$few --workload=P1,P3,P4 --tasks="$(sizes 1e3..1e6)" --huge-pages=on --runs=3
once=(--runs=1 --warmup=0 --min-time=0ns --budget=60s)
measure "$file" run --impl=$few,linux26,heap --workload=P1 --tasks="$(sizes 1e7)" --huge-pages=off "${once[@]}"
measure "$file" run --impl=$few --workload=P1 --tasks="$(sizes 1e7)" --huge-pages=on "${once[@]}"
