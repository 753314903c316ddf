#!/bin/bash
# figure.sh - a figure more is a row of the catalogue and the place that measures it, and then it is everywhere.
#
# In a copy of the tree a trial figure is added in two files and the program made; with DEPTH=all also a trial counter
# of work, which makes every design again.  Then the figure is looked for in the table, CSV, Markdown, HTML, JSON, the
# schema and the format page, which `make figures` writes.  Prints TAP.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
unset TWBENCH # the copy is asked, not the tree
. tests/tap.bash

# What was built goes along, with its dates, so that only what the figure changes is compiled.
cp -a Makefile VERSION LICENSE src docs tools tests workloads schema report plots "$copy" &&
    mkdir "$copy/build" && cp -a build/release "$copy/build" && cd "$copy" || exit 1

# add FILE BEFORE LINE - puts the line before the first that contains the text BEFORE.
add() {
    BEFORE=$2 LINE=$3 awk 'index($0, ENVIRON["BEFORE"]) && !done { print ENVIRON["LINE"]; done = 1 } { print }' \
        "$1" >added && cat added >"$1" && rm added
}

changed() {
    diff -rq "$root/src" src | wc -l
}

# shown FIGURE COLUMN TITLE FLAGS... - looks for the figure wherever it belongs.
shown() {
    local figure=$1 column=$2 title=$3
    shift 3
    check "$column: the program is made" make all
    ./twbench run --impl=heap,list --tasks=100 --progress=never --no-system-check "$@" --json=f.json --export-csv=f.csv \
        --export-markdown=f.md --html=f.html --force >f.table 2>f.errors
    check "$column: the table" grep -q "$title" f.table
    check "$column: CSV" grep -qE "(^|,)$column(,|$)" <(head -n 1 f.csv)
    check "$column: Markdown" grep -q "| $title" f.md
    check "$column: HTML" grep -q "data-path=\"cells\[0\].*$figure\"" f.html
    check "$column: JSON" grep -q "\"${figure##*.}\":" f.json
    check "$column: make figures" make figures
    check "$column: the schema" grep -q "\"${figure##*.}\": {" schema/result-1.json
    check "$column: what it means" grep -q '"description": "A trial\.' schema/result-1.json
}

add src/harness/tell/result/figures.def 'FIGURE(CELL, "memory.pages", OBJECT' \
    'FIGURE(CELL, "memory.trial_bytes", INTEGER, LATER, .sheet = FIGURE_MEMORY, .keep = 8, .csv = "trial_bytes", .measure = "trial", .meaning = "A trial.")'
add src/harness/tell/result/cell.c '    if (memory->pages.told)' \
    '    json_add_integer(object, "trial_bytes", memory->fixed_bytes + 1);'
check "a figure touches two files" test "$(changed)" -eq 2
shown memory.trial_bytes trial_bytes "trial bytes" --runs=1 --min-time=0ns

if [ "${DEPTH:-}" = all ]; then
    # shellcheck disable=SC1003  # the line ends with a backslash
    add src/impls/backend.h '    X(comparisons, ALWAYS,' '    X(trial_steps, LATER, "A trial.") \'
    add src/impls/heap.c 'TW_COUNT(' '    TW_COUNT(timers, trial_steps, 1);'
    check "a counter touches two files more" test "$(changed)" -eq 4
    shown work.trial_steps trial_steps "trial steps" --counts-only
fi

echo "1..$number"
exit $failed
