#!/bin/bash
# takes: 420 s
# between.sh FILE - docs/PERFORMANCE.md, README.md: a timer started and stopped, back to back, chained, and behind other work.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

between() { measure "$file" run --impl="$1" --workload=P1 --between=none,chain,32KiB,1MiB --huge-pages=off --runs=11 --counters=off "${@:2}"; }
few=list,heap,hashed,round,hier,fast
[ "${REFERENCE:-full}" = full ] || few=heap,fast
# The list's starts take their budget from 1e5 on: it is tried no further.
between "$few" --tasks="$(sizes 1e3,1e4)" --budget=4s
[ "${REFERENCE:-full}" = full ] || exit 0
between "${few#list,}" --tasks=1e5,1e6 --min-time=2ms --budget=10s
