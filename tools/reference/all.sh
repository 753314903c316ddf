#!/bin/bash
# takes: 100 s
# all.sh FILE - docs/PERFORMANCE.md: all designs on the five points at 1e5 timers.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# What does not end within its budget is a recorded timeout.
designs=all
[ "${REFERENCE:-full}" = full ] || designs=heap,hashed
measure "$file" run --impl=$designs --workload=P1,P2,P3,P4,P5 --tasks="$(sizes 1e5)" --runs=3 --budget=2s
