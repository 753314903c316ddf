#!/bin/bash
# takes: 370 s
# between.sh FILE - docs/PERFORMANCE.md, README.md: a timer started and stopped, back to back, chained, and behind other work.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

between() { measure "$file" run --impl="$1" --workload=P1 --between=none,chain,32KiB,1MiB --huge-pages=off --min-time=2ms --counters=off "${@:2}"; }
few=list,heap,hashed,round,hier,fast
[ "${REFERENCE:-full}" = full ] || few=heap,fast
# Behind other work the overhead is ten times the call: what tells them apart is many samples.  A small sample has a hundred
# passes and needs no warm-up; the list's starts take their budget from 1e5 on: it is tried no further.
between "$few" --tasks="$(sizes 1e3,1e4)" --runs=41 --warmup=0 --budget=10s
[ "${REFERENCE:-full}" = full ] || exit 0
between "${few#list,}" --tasks=1e5 --runs=31 --budget=10s
between "${few#list,}" --tasks=1e6 --runs=11 --budget=20s
