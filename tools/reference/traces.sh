#!/bin/bash
# takes: 60 s
# traces.sh FILE - docs/DESIGNS.md: wheels with and without a bitmap of used slots, on the recorded traces.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

traces=nginx,libuv-bind,linux-timer,libevent-unbound,linux-hrtimer
[ "${REFERENCE:-full}" = full ] || traces=libuv-bind
measure "$file" run --workload=$traces --impl=hashed,round,callwheel --bitmap=0,1 --runs=3 --budget=60s
measure "$file" run --workload=$traces --impl=hier-bitmap,cffs,lawn,todo,null --runs=3 --budget=60s
