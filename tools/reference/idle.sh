#!/bin/bash
# takes: 10 s
# idle.sh FILE - docs/PERFORMANCE.md: what a tick costs on which nothing is due.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

measure "$file" run --impl=fast,callwheel,linux26 --workload=idle --tasks="$(sizes 10,1e3,1e6)" --runs=6
