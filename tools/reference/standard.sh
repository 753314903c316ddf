#!/bin/bash
# takes: 100 s
# standard.sh FILE - README.md: the picture of cost from a thousand to a million timers.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# What takes longer than its budget is a recorded timeout: list, from 1e5 on.
measure "$file" run --impl=list,heap,hashed,round,hier --workload=standard --tasks="$(sizes 1e3..1e6)" --runs=6 --budget=12s
