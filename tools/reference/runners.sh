#!/bin/bash
# takes: 380 s
# runners.sh FILE - labs/live/docs/RUNNERS.md: all runners over a heap, on the real clock, under each load.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# The wheel of hier is what a server would take; round is Netty's.  A partial run has short loads of few timers.
runs=6 lasts=500ms tick=()
[ "${REFERENCE:-full}" = full ] || { runs=1 lasts=20ms tick=(--tick=2ms); }
load() { measure "$file" run --runner=all --impl=heap --runs=$runs "${tick[@]}" "$@"; }

load --load=storm --tasks="$(sizes 1e6)" --threads=2
load --load=closed --tasks="$(sizes 1e5)" --threads=1,2,4 --duration=$lasts
load --load=idle --tasks="$(sizes 10)" --duration=$lasts
load --workload=fill-expire --set="delay=uniform(1,2000)" --tasks="$(sizes 2e4)" --threads=2
load --workload=periodic --set=period=10ms --set=duration=1s --set=slow_every=1000s --tasks="$(sizes 100)" --threads=2
load --load=burst --tasks="$(sizes 1e6)" --threads=2
