#!/bin/bash
# takes: 340 s
# traces.sh FILE - docs/DESIGNS.md, docs/PERFORMANCE.md: all exact designs and the libraries on the recorded traces, at three ticks.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# The traces at their own ticks, at ticks ten times as long, and at ticks a tenth as long: for these each time is
# multiplied by ten in a copy of the trace.  A nanosecond has no tenth.  Wheels run with a bitmap of used slots, too.
# At other ticks those run that were within ten times the best at the trace's own.
names=nginx,libuv-bind,linux-timer,libevent-unbound,linux-hrtimer
coarse='nginx:10ms libuv-bind:10ms linux-timer:40ms libevent-unbound:10us linux-hrtimer:10ns'
fine='nginx libuv-bind linux-timer libevent-unbound'
[ "${REFERENCE:-full}" = full ] || names=libuv-bind coarse=libuv-bind:10ms fine=libuv-bind
traces() {
    local loop
    loop=$(loopless "$1")
    measure "$file" run --impl="$1,null" --bitmap=0,1 ${loop:+"$loop"} --min-time=2ms --runs=5 --budget=2s "${@:2}"
}
nearby() { both hashed "$(near "$file" 10 "$1")"; }
traces "$(exact)" --workload=$names
for tick in $coarse; do
    traces "$(nearby "${tick%:*}")" --workload="${tick%:*}" --tick="${tick#*:}"
done
mkdir -p build/traces
for name in $fine; do
    xz -dc "workloads/traces/$name.tt.xz" | awk 'BEGIN { CONVFMT = OFMT = "%.0f" } /^# unit_ns:/ { $3 /= 10 } /^# end:/ { $3 *= 10 } !/^#/ { $1 *= 10; if (NF > 3) $4 *= 10 } { print }' \
        >"build/traces/$name-fine.tt"
    traces "$(nearby "$name")" --workload="build/traces/$name-fine.tt"
done
