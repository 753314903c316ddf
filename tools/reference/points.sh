#!/bin/bash
# takes: 95 s
# points.sh FILE - docs/PERFORMANCE.md: `fast` and its nearest rivals on five points.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

measure "$file" run --impl=fast,callwheel,linux26 --workload=P1,P2,P3,P4,P5 --tasks="$(sizes 1e3,1e4,1e5,1e6)" --runs=6 --patience=500ms
