#!/bin/bash
# takes: 850 s
# points.sh FILE - docs/PERFORMANCE.md: all exact designs and the libraries on five points, up to 1e6 timers.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# Pages of 4 KiB for all.  At 1e6 fast and callwheel run, and those that were within 5 times the best at 1e5 in some phase (tables.py, NEAR); some of them on
# pages of 2 MiB, too.  The libraries are measured without the system calls of their loops.
points() {
    local loop
    loop=$(loopless "$1")
    measure "$file" run --impl="$1" --min-time=2ms ${loop:+"$loop"} "${@:2}"
}
all=$(exact)
points "$all" --workload=P1,P2,P3,P4,P5 --tasks="$(sizes 1e3,1e4,1e5)" --huge-pages=off --runs=5 --budget=1500ms
always=fast,callwheel
[ "${REFERENCE:-full}" = full ] || always=fast
for point in P1 P2 P3 P4 P5; do
    designs=$(both "$always" "$(near "$file" 5 $point "$(sizes 100000)")")
    points "$designs" --workload=$point --tasks="$(sizes 1e6)" --huge-pages=off --runs=5 --budget=6s
done
few=fast,callwheel,linux26,hier-bitmap,hashed,hier
[ "${REFERENCE:-full}" = full ] || few=heap
points $few --workload=P1,P3,P4 --tasks="$(sizes 1e6)" --huge-pages=on --runs=3 --budget=10s
