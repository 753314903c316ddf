#!/bin/bash
# runners.sh [NAME...] - proves that conform sees the faults planted in runners: those that are named, all of them
# (DEPTH=all), or seven.  Prints TAP.
#
# Each fault RUNNER-WHAT of runners.list is planted in labs/live/runners (planting.bash).  The runner is compiled
# with it into a shared object (plugin.c) and given to conform, which must exit with 1 and one of the patch's rules.  A
# fault that shows in a race alone has several seeds, the later ones with ten times the operations.
set -uo pipefail
cd "$(dirname "$0")/../../../.." || exit 2
. tests/faults/planting.bash

faults=$PWD/build/faults/runners.patches rooms=(labs/live/runners) work=$PWD/build/faults/runners
quick=(locked-earlier-head-does-not-wake tick_queue-both-stop-and-fire-win tick_queue-drift-adds-up
    tick_queue-transfer-loses-the-rest locked-cap-is-off-by-one
    locked-pending-is-halved locked-dues-of-32-bits)
twbench=${TWBENCH:-$PWD/twbench}

# By another name, because that of a runner of twbench is refused.
build() {
    sed -i 's/^    \.name = "/&planted-/' "$2/src/runners/$1.c"
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$2/src" -Isrc -DRUNNER="$1" "-DSOURCE=\"runners/$1.c\"" \
        labs/live/tests/faults/plugin.c -o "$2/runner.so" -lpthread
}

# conform DIRECTORY DESIGNS SEED OPERATIONS - what it says of the runner there, over two designs or those of its settings.
conform() {
    (ulimit -t 120 &&
        exec "$twbench" conform --plugin="$1/runner.so" --impl="${2:-heap,hier}" --patience=5s --seed="$3" --operations="$4") >"$1/found" 2>&1
}

prove() {
    local seed designs
    [ $# -gt 1 ] || { conform "$1" "" 1 1e5; return; }
    designs=$(field "$2" Set)
    for seed in 1 2 3 4 5 6 7 8; do
        conform "$1" "$designs" "$seed" $((seed <= 3 ? 100000 : 1000000)) || return
    done
}

patches_of labs/live/tests/faults/runners.list labs/live/runners
sed -i 's|^\([-+]\{3\} .\)/labs/live/|\1/src/|' "$faults"/*.patch
named=("${@/#/$faults/}")
judge "${named[@]/%/.patch}"
