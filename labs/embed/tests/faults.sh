#!/bin/bash
# faults.sh [NAME...] - proves that test_twt.c sees the faults planted in the layer: those that are named, all of them
# (DEPTH=all), or three.  Prints TAP.
#
# faults.list has the faults in twt.c; each becomes a patch (tests/faults/planting.bash).  The test is linked with it, and
# has to fail in one of the tests that the fault names.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
# shellcheck source=tests/faults/planting.bash
. tests/faults/planting.bash

faults=$PWD/build/faults/embed.patches rooms=(labs/embed) work=$PWD/build/faults/embed
quick=(twt-equals-last-to-first twt-moves-all-at-once twt-break-is-ignored)
objects=build/release

# copy DIRECTORY - the sources, as they are.
copy() {
    rm -rf "${1:?}" && mkdir -p "$1/labs/embed" && cp labs/embed/twt.[ch] "$1/labs/embed"
}

# What is not planted comes from the tests' own build.
build() {
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O1 -Isrc "$2/labs/embed/twt.c" "$objects/labs/embed/tests/test_twt.o" \
        "$objects/labs/embed.a" "$objects/libtwbench.a" -ljemalloc -lcjson -llzma -lz -lm -lcmocka -o "$2/test"
}

# Of processor time: a machine that is busy otherwise must not look like a fault.
prove() {
    (ulimit -t 60 && CMOCKA_MESSAGE_OUTPUT=STDOUT exec "$1/test") >"$1/said" 2>&1
    local status=$? rule
    rule=$(sed -n 's/^\[  FAILED  \] \(test_[a-z_]*\).*/\1/p' "$1/said" | sed 1q)
    { echo "rule: ${rule:-crash}" && tail -n 20 "$1/said"; } >"$1/found"
    return $((status != 0))
}

[ -e "$objects/labs/embed/tests/test_twt" ] || { echo "Bail out! there is no test_twt: 'make tests' builds it"; exit 1; }
patches_of labs/embed/tests/faults.list labs/embed
named=("${@/#/$faults/}")
judge "${named[@]/%/.patch}"
