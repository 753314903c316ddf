#!/bin/bash
# labs_deletable.sh - does the rest build without a lab?  For each lab, or for LAB=NAME alone: in a copy of the tracked files
# without its folder the core and all other labs are made, the program answers, says nothing of the lab, and keeps its
# floors.  With TESTS=1 all tests run there too.  Prints TAP.
# shellcheck disable=SC2317  # functions that check calls
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash
copy=$(mktemp -d) && chmod 755 "$copy"
trap 'rm -rf "$copy"' EXIT
labs=${LAB:-$(ls labs)}
unset TWBENCH LAB

# What was built goes along, with its dates, so that only what the lab changes is made again.
copy_without() {
    rm -rf "$copy/tree" && mkdir -p "$copy/tree/build" &&
        git ls-files -z | grep -zv "^labs/$1/" | xargs -0 cp -a --parents -t "$copy/tree" &&
        { [ ! -d build/release ] || cp -a build/release "$copy/tree/build"; } &&
        rm -rf "$copy/tree/build/release/twbench-$1" "$copy/tree/build/release/labs/$1" "$copy/tree/build/release/completions" &&
        cd "$copy/tree" && git init --quiet && git add -A
}

is_unknown() {
    ! ./twbench --help | grep -q "make $1" && ! grep -q "\"$1\"" build/release/labs.def
}

for lab in $labs; do
    cd "$root" || exit 2
    check "without $lab: the copy" copy_without "$lab"
    cd "$copy/tree" || exit 2
    check "without $lab: the core is made" make core
    check "without $lab: the other labs are made" make -k all
    check "without $lab: twbench --help" ./twbench --help
    check "without $lab: nothing is said of it" is_unknown "$lab"
    check "without $lab: the floors" tests/floors.sh
    [ -z "${TESTS:-}" ] || check "without $lab: every test" make test
done
# The last copy shows that this can fail.
echo "#include \"labs/$lab/lab.h\"" >>src/main.c
check "an include of $lab in the core is caught" eval '! make core'
echo "1..$number"
exit "$failed"
