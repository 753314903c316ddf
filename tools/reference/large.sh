#!/bin/bash
# takes: 1750 s
# after: points
# large.sh FILE - docs/PERFORMANCE.md: the same points among ten million timers.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# A process is one pass.  Without a warm-up the starts include the first touch of their pages.  P4 and P5 run one turn,
# P3 4,000 ticks.  A few run always, and those that were within 5 times the best among a million in some phase.
look=$(dirname "$file")/points.json
once=(--warmup=0 --min-time=0ns --budget=60s)
few=fast,callwheel,linux26
[ "${REFERENCE:-full}" = full ] || few=heap
large() {
    local pages=$1 point=$2 designs=$few loop
    [ "$pages" = on ] || designs=$(both "$few" "$(near "$look" 5 "$point" "$(sizes 1000000)")")
    loop=$(loopless "$designs")
    measure "$file" run --impl="$designs" ${loop:+"$loop"} --workload="$point" --tasks="$(sizes 1e7)" --huge-pages="$pages" "${once[@]}" "${@:3}"
}
large off P1 --runs=3
large off P2 --runs=3
large off P3 --runs=3 --set=duration=4000
large off P4 --runs=3 --set=turns=1
large off P5 --runs=3 --set=turns=1
large on P1 --runs=1
large on P4 --runs=1 --set=turns=1
