#!/usr/bin/env bats
# readme_table.bats - the commands of QUESTIONS.md run; README and DESIGNS.md name all designs.  tests/pages.sh has the tables.
load support

@test "the commands of QUESTIONS.md run" {
    sed -n '/--runner=/d; s/ --counts-only//; s/--tasks=[^ ]*/--tasks=50/; s/^[.].twbench //p' "$BATS_TEST_DIRNAME/../../docs/QUESTIONS.md" >lines
    [ "$(wc -l <lines)" -eq 5 ]
    while read -r line; do
        # shellcheck disable=SC2086
        "$twbench" $line --counts-only --progress=never --no-system-check >/dev/null
    done <lines
}

@test "README and DESIGNS.md name as many designs as there are" {
    root="$BATS_TEST_DIRNAME/../.."
    designs=$(sed -n 's/^TW_DESIGN(\(.*\))$/\1/p' "$root/src/impls/registry.def" | tr _ -)
    grep -q "runs $(($(wc -w <<<"$designs") - 1)) designs and " "$root/README.md" # null is none
    for design in $designs; do
        grep -q "^| \`$design\` |" "$root/docs/DESIGNS.md" || { echo "DESIGNS.md lacks $design"; false; }
    done
}
