#!/bin/bash
# workload_language.sh - docs/WORKLOADS.md names every key and every form that workload files have, and no other.
# Prints TAP.
# shellcheck disable=SC2016,SC2317  # backquotes are meant; functions are called by name
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
spec=$(find src/harness -name spec.c) dist=$(find src/harness -name dist.c) page=docs/WORKLOADS.md

# Words in backquotes of the first cells of the tables below a heading.
named() {
    awk -v heading="## $1" '$0 == heading { on = 1; next } /^## / { on = 0 } on && /^\| `/' "$page" |
        cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`' | sed 's/(.*//' | sort -u
}

keys() {
    awk '/^static const struct field fields/ { on = 1 } on && /^};/ { exit } on' "$spec" |
        sed -n 's/^    {"\([a-z_]*\)", .*/\1/p' | sort -u
}

forms() {
    awk '/^static const struct form forms/ { on = 1 } on && /^};/ { exit } on' "$dist" |
        sed -n 's/^    {"\([a-z]*\)", .*/\1/p' | sort -u
}

echo "1..2"
failed=0 number=0
compare() {
    local found
    number=$((number + 1))
    found=$(diff <("$2") <(named "$3"))
    if [ -n "$("$2")" ] && [ -z "$found" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# ${found//$'\n'/$'\n# '}"
        failed=1
    fi
}
compare "the page explains every key of a phase and no other" keys Phases
compare "the page explains every distribution and no other" forms Distributions
exit $failed
