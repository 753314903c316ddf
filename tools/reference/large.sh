#!/bin/bash
# takes: 200 s
# large.sh FILE - docs/PERFORMANCE.md: the same points among ten million timers, one process of one pass each.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# Without a warm-up the starts include the first touch of their pages.  P4 and P5 run one turn, P3 4,000 ticks.
once=(--runs=1 --warmup=0 --min-time=0ns --patience=1s --budget=100s)
large() { measure "$file" run --impl=fast,callwheel,linux26 --workload="$1" --tasks="$(sizes 1e7)" "${once[@]}" "${@:2}"; }
large P1
large P2
large P3 --set=duration=4000
large P4,P5 --set=turns=1
