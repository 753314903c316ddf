#!/bin/bash
# takes: 330 s
# fast.sh FILE - docs/PERFORMANCE.md: `fast` beside the exact designs on recorded traces, at ten times their ticks, and on the five points.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

rivals=fast,callwheel,hashed,round,hier-bitmap,linux26,heap,cffs,lawn,todo
traces=nginx,libuv-bind,linux-timer,libevent-unbound,linux-hrtimer
[ "${REFERENCE:-full}" = full ] || traces=libuv-bind
measure "$file" run --workload=$traces --impl=$rivals,null --bitmap=0,1 --runs=5 --budget=20s
for tick in nginx:10ms libuv-bind:10ms linux-timer:40ms libevent-unbound:10us linux-hrtimer:10ns; do
    [[ ,$traces, == *",${tick%:*},"* ]] || continue
    measure "$file" run --workload="${tick%:*}" --tick="${tick#*:}" --impl=fast,callwheel,hier-bitmap,heap --runs=3 --budget=20s
done
measure "$file" run --workload=P1,P2,P3,P4,P5 --tasks="$(sizes 1e3,1e4,1e5,1e6)" --impl=fast,callwheel,linux26,hier-bitmap,cffs --runs=5 --budget=60s
