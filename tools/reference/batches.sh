#!/bin/bash
# takes: 100 s
# batches.sh FILE - docs/DESIGNS.md, docs/PERFORMANCE.md: what batches of starts save among ten million timers.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# A process is one pass: P3 over 2,000 ticks.
few=callwheel,hier-bitmap
[ "${REFERENCE:-full}" = full ] || few=callwheel
measure "$file" run --impl="$few" --workload=P3 --set=duration=2000 --tasks="$(sizes 1e7)" --batch=1,64,1024 --huge-pages=off --runs=3 \
    --warmup=0 --min-time=0ns --budget=60s
