#!/bin/bash
# faults.sh [PATCH...] - proves that the tests of the contract see what they are there to see in a library as well: with
# the planted faults that are named, or with all of them.  Prints TAP.
#
# The library's module is built with the fault in a copy of the sources (tests/faults/planting.bash), and `twbench conform`
# must name the patch's rule.  A second line "Settings: ..." brings the fault out.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tests/faults/planting.bash

faults=labs/libraries/tests/faults rooms=(labs/libraries) work=$PWD/build/faults/libraries
twbench=${TWBENCH:-$PWD/twbench}

# What is compiled already need not be again.
copy() {
    rm -rf "${1:?}" && mkdir -p "$1/labs" "$1/build/release/labs" &&
        cp -a src tools Makefile VERSION LICENSE "$twbench" "$1" && cp -a labs/libraries "$1/labs" &&
        cp -a build/release/flags "$1/build/release" && cp -a build/release/labs/libraries "$1/build/release/labs"
}

build() {
    make -C "$2" WERROR= CC="${CC:-gcc}" "build/release/libraries/$1.so" >"$2/make.log" 2>&1 || { tail -5 "$2/make.log"; return 1; }
}

prove() {
    local name settings=()
    name=$(basename "${2:-$1}")
    name=${name%%-*}
    [ $# -lt 2 ] || read -ra settings < <(field "$2" Settings; echo)
    [[ ${settings[*]} == *--operations=* ]] || settings+=(--operations=1e4)
    # Of processor time: a machine that is busy otherwise must not look like a fault.
    (ulimit -t 120 && exec "$1/twbench" conform --impl="${name//_/-}" "${settings[@]}") >"$1/found" 2>&1
}

if [ $# -eq 0 ]; then
    for patch in "$faults"/*.patch; do
        name=$(names "$patch")
        [ ! -e "build/release/libraries/$name.so" ] || set -- "$@" "$patch"
    done
fi
judge "$@"
