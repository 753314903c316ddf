#!/bin/bash
# faults.sh [NAME...] - proves that conform --store sees the faults planted in stores: those that are named, all of
# them (DEPTH=all), or four.  Prints TAP.
#
# faults.list has the faults in the folder stores; each becomes a patch (tests/faults/planting.bash).  The store is compiled
# with the fault into a shared object and given to conform, which must exit with 1 and one of the fault's rules.  What needs a
# moment has several seeds.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
# shellcheck source=tests/faults/planting.bash
. tests/faults/planting.bash

faults=$PWD/build/faults/stores.patches rooms=(labs/durable/stores) work=$PWD/build/faults/stores
quick=(memory-cancel-keeps-the-message memory-poll-is-a-minute-early sqlite-done-is-not-written sqlite-commit-is-not-synced)
twbench=${TWBENCH:-$PWD/twbench}

# copy DIRECTORY - the sources, as they are.
copy() {
    rm -rf "${1:?}" && mkdir -p "$1/labs/durable" && cp -r labs/durable/stores "$1/labs/durable"
}

# sources STORE DIRECTORY - its files, as the Makefile has them.
sources() {
    local parts part
    case $1 in
    memory) echo "$2/labs/durable/stores/memory_store.c" ;;
    wheel_log) echo "$2"/labs/durable/stores/wheel_log*.c "$2/labs/durable/stores/store_company.c" ;;
    *)
        parts=$(sed -n "s/^PARTS_$1 *:= *//p" labs/durable/lab.mk)
        # One list may be another one.
        # shellcheck disable=SC2016  # text of make
        [[ $parts != '$('* ]] || parts=$(sed -n "s/^${parts:2:-1} *:= *//p" labs/durable/lab.mk)
        for part in $1 $parts; do echo "$2/labs/durable/stores/$part.c"; done
        ;;
    esac
}

build() {
    local library
    library=$(sed -n "s/^LINK_$1 *:= *//p" labs/durable/lab.mk)
    # shellcheck disable=SC2046,SC2086  # lists of files and libraries
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$2" -Isrc -isystem /usr/include/postgresql -DTW_MODULE="$1" \
        "$2/labs/durable/stores/store_module.c" $(sources "$1" "$2") -o "$2/store.so" $library -lpthread
}

# conform DIRECTORY SEED PARTS [NAME=VALUE...] - what it says of the store there.
conform() {
    (ulimit -t 300 && exec "$twbench" conform --store="$1/store.so" --part="$3" --seed="$2" --directory="$1" "${@:4}") >"$1/found" 2>&1
}

prove() {
    local seed set part
    # lmdb trusts its pages, which have no checksums.
    [ $# -gt 1 ] || { conform "$1" 1 "even,kills,power,errors$([[ $1 == */lmdb ]] || echo ,flips)"; return; }
    read -ra set <<<"$(field "$2" Set)"
    read -ra part <<<"$(field "$2" Part)"
    for seed in 1 2 3 4 5 6; do
        conform "$1" "$seed" "${part[@]}" "${set[@]/#/--store-set=}" || return
    done
}

patches_of labs/durable/tests/faults.list labs/durable/stores
named=("${@/#/$faults/}")
judge "${named[@]/%/.patch}"
