#!/bin/bash
# run.sh [PATCH...] - proves that the conformance tests see what they are there to see: with the planted faults that
# are named, with all of them (DEPTH=all), or with the first of each design.  Prints TAP.
#
# Each tests/faults/DESIGN-WHAT.patch plants one fault in the design.  Its first line is "Rule: ..."
# and names the rule that has to catch it.  The patch is applied to a copy of src/impls under
# build/faults, the design is compiled there and put to the proof (probe.c), which must fail with
# exactly that rule; a second line "Case: ..." names the one written case that shows it, at its full size, which
# is not run for every design here.  A crash and a call that does not return break one as well.  A patch that no longer
# applies is a failure, too: bring it up to date.  So is a proof that fails without any fault, because
# then nothing is shown by failing.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
cc=${CC:-gcc}
work=build/faults
# Of processor time: a machine that is busy otherwise must not look like a fault.
limit_seconds=90

compile() {
    "$cc" -std=c11 -D_GNU_SOURCE -O1 -Isrc "$@"
}

# The harness's part of the probe is the library that the tests link.
library=build/release/libtwbench.a
libraries=(-ljemalloc -lcjson -llzma -lz -lm)

# build_probe DESIGN IMPLS_DIRECTORY OUT: compiles the design found there.
build_probe() {
    compile -DDESIGN="$1" tests/faults/probe.c "$2/$1.c" "$library" "${libraries[@]}" -o "$3"
}

explain() {
    sed 's/^/#   /'
}

run_probe() {
    (ulimit -t "$limit_seconds" && exec "$@")
}

# Without a fault the design has to hold.
judge_sound() {
    local design=$1
    build_probe "$design" src/impls "$work/$design" || return 1
    run_probe "$work/$design" sound
    local status=$?
    [ $status -eq 0 ] || echo "exit status $status (over 128: by a signal, as after $limit_seconds s)"
    return $status
}

judge_fault() {
    local patch=$1 name rule found case
    local -a only=()
    name=$(basename "$patch" .patch)
    rule=$(sed -n '1s/^Rule: //p' "$patch")
    case=$(sed -n '2s/^Case: //p' "$patch")
    [ -z "$case" ] || only=(case "$case")
    rm -rf "${work:?}/$name" && mkdir -p "$work/$name/src" && cp -r src/impls "$work/$name/src"
    if ! patch --directory="$work/$name" --strip=1 --fuzz=0 --silent --force <"$patch"; then
        echo "the patch no longer applies to src/impls: bring it up to date with the design"
        return 1
    fi
    if ! build_probe "${name%%-*}" "$work/$name/src/impls" "$work/$name/probe"; then
        echo "the design does not compile with the fault in it"
        return 1
    fi
    run_probe "$work/$name/probe" "${only[@]}" >"$work/$name/found"
    local status=$?
    found=$(sed -n '1s/^rule: //p' "$work/$name/found")
    if [ $status -eq 1 ] && [ "$found" = "$rule" ] && [ -n "$rule" ]; then
        return 0
    fi
    echo "exit status $status (0: not caught, 1: caught, over 128: by a signal, as after $limit_seconds s)"
    echo "expected: $rule"
    cat "$work/$name/found"
    return 1
}

. tests/tap.bash

patches=("$@")
[ $# -gt 0 ] || patches=(tests/faults/*.patch)
if [ $# -eq 0 ] && [ "${DEPTH:-}" != all ]; then
    mapfile -t patches < <(printf '%s\n' "${patches[@]}" | awk -F'[-/]' '!seen[$3]++')
fi
designs=$(printf '%s\n' "${patches[@]##*/}" | sed 's/-.*//' | sort -u)
mkdir -p "$work"
if [ ! -e "$library" ]; then
    echo "Bail out! there is no $library: 'make tests' builds it"
    exit 1
fi
# make test leaves it to test_conformance that designs hold without a fault.
[ $# -gt 0 ] || [ "${DEPTH:-}" = all ] || designs=
echo "1..$(($(wc -w <<<"$designs") + ${#patches[@]}))"
for design in $designs; do
    output=$(judge_sound "$design" 2>&1)
    tell $? "$design holds the contract without a fault"
    [ -z "$output" ] || explain <<<"$output"
done
for patch in "${patches[@]}"; do
    output=$(judge_fault "$patch" 2>&1)
    tell $? "$(basename "$patch" .patch) is caught: $(sed -n '1s/^Rule: //p' "$patch")"
    [ -z "$output" ] || explain <<<"$output"
done
exit $failed
