#!/bin/bash
# runners.sh [PATCH...] - proves that conform sees the faults planted in runners: those that are named, all of them
# (DEPTH=all), or five; and that all of them can still be planted.  Prints TAP.
#
# Each tests/faults/runners/RUNNER-WHAT.patch plants one fault in src/runners.  Its first line is "Rule: ..." and
# names what conform has to find; several rules that are as good stand between "|".  The runner is compiled with the
# fault into a shared object (plugin.c) and given to conform, which must exit with 1 and one of those rules.  A fault
# that shows in a race alone has several seeds, the later ones with ten times the operations.  A patch that no longer
# applies is a failure: bring it up to date.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
cc=${CC:-gcc}
twbench=${TWBENCH:-$PWD/twbench}
work=build/faults/runners
seeds=(1 2 3 4 5 6 7 8)
quick=(locked-earlier-head-does-not-wake tick_queue-both-stop-and-fire-win tick_queue-drift-adds-up
    tick_queue-transfer-loses-the-rest locked-cap-is-off-by-one)

explain() {
    sed 's/^/#   /'
}

# build RUNNER DIRECTORY: compiles the runner found under DIRECTORY/src.
build() {
    "$cc" -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$2/src" -Isrc -DRUNNER="$1" "-DSOURCE=\"runners/$1.c\"" tests/faults/runners/plugin.c \
        -o "$2/runner.so" -lpthread
}

# prove DIRECTORY SEED OPERATIONS: what conform says of the runner there.
prove() {
    ulimit -t 120
    nice "$twbench" conform --plugin="$1/runner.so" --impl=heap,hier --patience=5s --seed="$2" --operations="$3"
}

judge_sound() {
    local runner=$1
    mkdir -p "$work/$runner" && build "$runner" "$work/$runner" || return 1
    prove "$work/$runner" 1 1e5 >"$work/$runner/found" 2>&1 && return
    cat "$work/$runner/found"
    return 1
}

judge_fault() {
    local patch=$1 name rule seed status found
    name=$(basename "$patch" .patch)
    rule=$(sed -n '1s/^Rule: //p' "$patch")
    rm -rf "${work:?}/$name" && mkdir -p "$work/$name/src" && cp -r src/runners "$work/$name/src"
    if ! patch --directory="$work/$name" --strip=1 --fuzz=0 --silent --force <"$patch"; then
        echo "the patch no longer applies to src/runners: bring it up to date with the runner"
        return 1
    fi
    if ! build "${name%%-*}" "$work/$name"; then
        echo "the runner does not compile with the fault in it"
        return 1
    fi
    for seed in "${seeds[@]}"; do
        prove "$work/$name" "$seed" $((seed <= 3 ? 100000 : 1000000)) >"$work/$name/found" 2>&1
        status=$?
        [ $status -eq 0 ] || break
    done
    found=$(sed -n '1s/^.*: BROKEN: //p' "$work/$name/found")
    if [ $status -eq 1 ] && [ -n "$found" ] && [[ "|$rule|" == *"|$found|"* ]]; then
        return 0
    fi
    echo "exit status $status (0: not caught, 1: caught) at seed $seed"
    echo "expected: $rule"
    cat "$work/$name/found"
    return 1
}

. tests/tap.bash

patches=("$@")
runners=
if [ $# -eq 0 ] && [ "${DEPTH:-}" = all ]; then
    patches=(tests/faults/runners/*.patch)
    runners=$(printf '%s\n' "${patches[@]##*/}" | sed 's/-.*//' | sort -u)
elif [ $# -eq 0 ]; then
    patches=("${quick[@]/#/tests/faults/runners/}")
    patches=("${patches[@]/%/.patch}")
fi
# apply - every patch fits the runners as they are, those too that are not tried now.
apply() {
    local patch status=0
    rm -rf "$work/all"
    mkdir -p "$work/all/src" && cp -r src/runners "$work/all/src" || return 1
    for patch in tests/faults/runners/*.patch; do
        patch --directory="$work/all" --strip=1 --fuzz=0 --silent --force --dry-run <"$patch" >/dev/null 2>&1 ||
            { echo "$patch no longer applies to src/runners: bring it up to date"; status=1; }
    done
    return $status
}
mkdir -p "$work"
echo "1..$((1 + $(wc -w <<<"$runners") + ${#patches[@]}))"
output=$(apply 2>&1)
tell $? "every fault can still be planted"
[ -z "$output" ] || explain <<<"$output"
for runner in $runners; do
    output=$(judge_sound "$runner" 2>&1)
    tell $? "$runner holds its contract without a fault"
    [ -z "$output" ] || explain <<<"$output"
done
for patch in "${patches[@]}"; do
    output=$(judge_fault "$patch" 2>&1)
    tell $? "$(basename "$patch" .patch) is caught: $(sed -n '1s/^Rule: //p' "$patch")"
    [ -z "$output" ] || explain <<<"$output"
done
exit $failed
