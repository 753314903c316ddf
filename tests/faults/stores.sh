#!/bin/bash
# stores.sh [PATCH...] - proves that conform --store sees the faults planted in stores: those that are named, all of
# them (DEPTH=all), or four.  Prints TAP.
#
# Each tests/faults/stores/STORE-WHAT.patch plants one fault in src/stores.  Its first line is "Rule: ..." and names
# what conform has to find, several that are as good between "|"; the second, "Part: ...", names the part of the proof
# that is run.  The store is compiled with the fault into a shared object and given to conform, which must exit with 1
# and one of those rules.  What needs a moment has several seeds.  A patch that no longer applies is a failure: bring it up
# to date.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
cc=${CC:-gcc}
twbench=${TWBENCH:-$PWD/twbench}
work=$PWD/build/faults/stores
seeds=(1 2 3 4 5 6)
quick=(memory-cancel-keeps-the-message memory-poll-is-a-minute-early sqlite-done-is-not-written sqlite-commit-is-not-synced)

explain() {
    sed 's/^/#   /'
}

# sources STORE DIRECTORY: its files, as the Makefile has them.
sources() {
    local parts part
    case $1 in
    memory) echo "$2/src/stores/memory_store.c" ;;
    wheel_log) echo "$2"/src/stores/wheel_log*.c ;;
    *)
        parts=$(sed -n "s/^PARTS_$1 *:= *//p" Makefile)
        for part in $1 $parts; do echo "$2/src/stores/$part.c"; done
        ;;
    esac
}

# build STORE DIRECTORY: compiles the store found under DIRECTORY/src.
build() {
    local library
    library=$(sed -n "s/^LINK_$1 *:= *//p" Makefile)
    # shellcheck disable=SC2046,SC2086  # lists of files and libraries
    "$cc" -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$2/src" -Isrc -DTW_MODULE="$1" \
        "$2/src/stores/store_module.c" $(sources "$1" "$2") -o "$2/store.so" $library -lpthread
}

# prove DIRECTORY SEED PART: what conform says of the store there.
prove() {
    ulimit -t 300
    nice "$twbench" conform --store="$1/store.so" --part="$3" --seed="$2" --directory="$1"
}

copy() {
    rm -rf "${work:?}/$1" && mkdir -p "$work/$1/src" && cp -r src/stores src/impls "$work/$1/src"
}

judge_sound() {
    local store=$1
    copy "$store" && build "$store" "$work/$store" || return 1
    prove "$work/$store" 1 even,kills,power,errors,flips >"$work/$store/found" 2>&1 && return
    cat "$work/$store/found"
    return 1
}

judge_fault() {
    local patch=$1 name rule part seed status found
    name=$(basename "$patch" .patch)
    rule=$(sed -n '1s/^Rule: //p' "$patch")
    part=$(sed -n '2s/^Part: //p' "$patch")
    copy "$name"
    if ! patch --directory="$work/$name" --strip=1 --fuzz=0 --silent --force <"$patch"; then
        echo "the patch no longer applies to src/stores: bring it up to date with the store"
        return 1
    fi
    if ! build "${name%%-*}" "$work/$name"; then
        echo "the store does not compile with the fault in it"
        return 1
    fi
    for seed in "${seeds[@]}"; do
        prove "$work/$name" "$seed" "$part" >"$work/$name/found" 2>&1
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
stores=
if [ $# -eq 0 ] && [ "${DEPTH:-}" = all ]; then
    patches=(tests/faults/stores/*.patch)
    stores=$(printf '%s\n' "${patches[@]##*/}" | sed 's/-.*//' | sort -u)
elif [ $# -eq 0 ]; then
    patches=("${quick[@]/#/tests/faults/stores/}")
    patches=("${patches[@]/%/.patch}")
fi
mkdir -p "$work"
echo "1..$(($(wc -w <<<"$stores") + ${#patches[@]}))"
for store in $stores; do
    output=$(judge_sound "$store" 2>&1)
    tell $? "$store holds its contract without a fault"
    [ -z "$output" ] || explain <<<"$output"
done
for patch in "${patches[@]}"; do
    output=$(judge_fault "$patch" 2>&1)
    tell $? "$(basename "$patch" .patch) is caught: $(sed -n '1s/^Rule: //p' "$patch")"
    [ -z "$output" ] || explain <<<"$output"
done
exit $failed
