#!/bin/bash
# record_kernel.sh timer|hrtimer OUT COMMAND [ARGUMENT...] - what the kernel's timers do while COMMAND runs.
#
# OUT gets the text of tracefs, for `twbench import ktimer` or `khrtimer`; of hrtimers OUT.clocks as well, by
# which deadlines on CLOCK_REALTIME are told from others.  Needs root.  BUFFER_KB (default 200000) is memory per
# processor: at 100 bytes an event, 2 million events.  RAW=1 prints addresses as they are (options/hash-ptr 0).
# Fails, and leaves OUT, when a processor's buffer was too small.
set -euo pipefail

[ $# -ge 3 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kind=$1 out=$2
shift 2
case $kind in
timer) events=(timer_start timer_cancel timer_expire_entry) ;;
hrtimer) events=(hrtimer_start hrtimer_cancel hrtimer_expire_entry) ;;
*) echo "$kind: expected timer or hrtimer" >&2; exit 2 ;;
esac

tracefs=/sys/kernel/tracing
[ -e $tracefs/trace ] || mount -t tracefs tracefs $tracefs
instance=$tracefs/instances/twbench.$$
mkdir "$instance"
remove_instance() {
    echo 0 >"$instance/tracing_on"
    for event in "${events[@]}"; do echo 0 >"$instance/events/timer/$event/enable"; done
    rmdir "$instance"
}
trap remove_instance EXIT

# One clock for all processors; a full buffer loses what comes last, not what came first.
echo mono >"$instance/trace_clock"
echo 0 >"$instance/options/overwrite"
if [ -e "$instance/options/hash-ptr" ] && [ "${RAW:-0}" = 1 ]; then echo 0 >"$instance/options/hash-ptr"; fi
echo "${BUFFER_KB:-200000}" >"$instance/buffer_size_kb"

if [ "$kind" = hrtimer ]; then
    python3 -c 'import time
now = lambda clock: time.clock_gettime_ns(clock)
for name, clock in ("realtime", time.CLOCK_REALTIME), ("boottime", time.CLOCK_BOOTTIME):
    before, there, after = now(time.CLOCK_MONOTONIC), now(clock), now(time.CLOCK_MONOTONIC)
    print(name + "-monotonic", there - (before + after) // 2)' >"$out.clocks"
fi

for event in "${events[@]}"; do echo 1 >"$instance/events/timer/$event/enable"; done
"$@" || echo "$1: exit status $?" >&2
echo 0 >"$instance/tracing_on"
cat "$instance/trace" >"$out"

lost=0
for stats in "$instance"/per_cpu/cpu*/stats; do
    awk -v cpu="${stats//[!0-9]/ }" '
        /^entries:/ { entries = $2 }
        /^(overrun|commit overrun|dropped events):/ { lost += $NF }
        END { n = split(cpu, words, " "); print "cpu" words[n] ": " entries " events, " lost " lost"; exit lost > 0 }
    ' "$stats" >&2 || lost=1
done
if [ $lost -ne 0 ]; then
    echo "events were lost, and from then on a processor is missing: set BUFFER_KB higher" >&2
    exit 1
fi
