#!/bin/bash
# takes: 15 s
# fresh.sh FILE - labs/teach/docs/LESSONS.md: other timers in each pass, and the same.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

for same in "" --same-pass; do
    measure "$file" run --impl=heap,fast,linux26,hashed --workload=P1 --tasks="$(sizes 1e3,1e4)" --runs=7 ${same:+"$same"}
done
