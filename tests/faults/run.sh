#!/bin/bash
# run.sh [NAME...] - proves that the conformance tests see what they are there to see: with the planted faults that
# are named, with all of them (DEPTH=all), or with the first of each second design.  Prints TAP.
#
# Each fault DESIGN-WHAT of faults.list is planted in the design (planting.bash), which is compiled with it and put to the
# proof (probe.c): that must fail with the fault's rule.  Its part is the one written case that shows it, at its full size,
# which is not run for every design here.  A crash and a call that does not return break a rule as well.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tests/faults/planting.bash

faults=$PWD/build/faults/designs.patches rooms=(src/impls) work=$PWD/build/faults/designs
mapfile -t quick < <(sed -n 's/^= \([^ ]*\).*/\1/p' tests/faults/faults.list | awk -F- '!seen[$1]++ && ++count % 2')
# The harness's part of the probe is the library that the tests link.
library=build/release/libtwbench.a

build() {
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O1 -Isrc -DDESIGN="$1" tests/faults/probe.c "$2/src/impls/$1.c" "$library" \
        -ljemalloc -lcjson -llzma -lz -lm -o "$2/probe"
}

prove() {
    local what=(sound) case
    if [ $# -gt 1 ]; then
        case=$(field "$2" Part)
        what=(${case:+case "$case"})
    fi
    # Of processor time: a machine that is busy otherwise must not look like a fault.
    (ulimit -t 90 && exec "$1/probe" "${what[@]}") >"$1/found"
}

if [ ! -e "$library" ]; then
    echo "Bail out! there is no $library: 'make tests' builds it"
    exit 1
fi
patches_of tests/faults/faults.list src/impls
named=("${@/#/$faults/}")
judge "${named[@]/%/.patch}"
