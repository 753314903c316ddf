#!/bin/bash
# misses.sh WORKLOAD TASKS,... DESIGN,... [NAME=VALUE...] - simulated cache and TLB misses per operation
# misses.sh --check                                       - the simulation against cases with a known answer
#
#     tools/misses.sh P1 1e3,1e5,1e7 hashed,heap,hier >misses.tsv
#
# Prints a table with tabs between its columns: of each phase the loads and stores of the design per operation,
# and how many of them miss each cache and TLB (with pages of 4 KiB, and of 2 MiB).  tools/misses.c has what is
# simulated and what is not.  Wants gcc, and the objects of `make`.
set -euo pipefail

cd "$(dirname "$0")/.."
build=build/misses
program=$build/misses

build_it() {
    local source object design=()
    [ -x build/release/twbench ] || make -s build/release/twbench
    mkdir -p "$build"
    for source in src/impls/*.c; do
        object=$build/$(basename "$source" .c).timed.o
        [ "$source" != src/impls/registry.c ] || continue
        design+=("$object")
        if [ ! -e "$object" ] || [ -n "$(find "$source" src/impls/*.h -newer "$object")" ]; then
            gcc -std=c11 -D_GNU_SOURCE -Isrc -O2 -g -fsanitize=thread -c "$source" -o "$object"
        fi
    done
    # The harness from an archive, so that what counters.c defines is taken from misses.c.
    rm -f "$build/harness.a"
    ar rcs "$build/harness.a" build/release/harness/*/*.o build/release/harness/*/*/*.o
    gcc -std=c11 -D_GNU_SOURCE -DTWB_JEMALLOC=1 -Isrc -Ibuild/release -O2 -g tools/misses.c "${design[@]}" \
        build/release/impls/*.counted.o build/release/impls/registry.o "$build/harness.a" \
        -ljemalloc -lcjson -llzma -lz -lm -o "$program"
}

build_it >&2
if [ "${1:-}" = --check ]; then
    exec "$program" --check
fi
if [ $# -lt 3 ]; then
    echo "usage: tools/misses.sh WORKLOAD TASKS,... DESIGN,... [NAME=VALUE...]" >&2
    exit 2
fi
workload=$1 tasks=$2 designs=$3
shift 3
"$program" --check >/dev/null || { echo "misses: the simulation is wrong; see --check" >&2; exit 1; }
"$program" --header
for count in ${tasks//,/ }; do
    "$program" "$workload" "$count" "$designs" "$@"
done
