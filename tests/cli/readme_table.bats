#!/usr/bin/env bats
# readme_table.bats - each row of README's "which timer" table is a command, and what it says holds by counts.
load support

# row N: runs the Nth command of the table; its result is row.json
row() {
    local line
    line=$(grep '^[.]/twbench run .*--counts-only' "$BATS_TEST_DIRNAME/../../README.md" | sed -n "$1p" | sed 's/ *#.*//; s/^\S* //')
    echo "$line"
    # shellcheck disable=SC2086
    "$twbench" $line --progress=never --no-system-check --json=row.json --force >/dev/null
}

# holds EXPRESSION over w(design) and most(design): all work of a design's phases, and its longest advance
holds() {
    [ "$(json row.json "(lambda w, most: $1)(
        lambda i: sum(v for c in d['cells'] if c['impl'] == i for p in c['phases'] for v in p['work'].values()),
        lambda i: max(p['advance_work']['max'] for c in d['cells'] if c['impl'] == i for p in c['phases']))")" = True ]
}

@test "each row of the table does less work, or less in its longest call, than what it is compared with" {
    row 1
    holds 'w("heap") > 1.5 * w("hashed")'
    row 2
    holds 'w("hier") > 1.5 * w("fast") and w("heap") > 3 * w("fast")'
    row 3
    holds 'w("heap") > 1.5 * w("hier")'
    row 4
    holds 'most("hier") > 100 * most("hashed")'
    row 5
    holds 'w("hashed") > 2 * w("heap")'
}

@test "README and DESIGNS.md name as many designs as there are" {
    root="$BATS_TEST_DIRNAME/../.."
    designs=$(sed -n 's/^TW_DESIGN(\(.*\))$/\1/p' "$root/src/impls/registry.def" | tr _ -)
    grep -q "runs $(($(wc -w <<<"$designs") - 1)) designs and " "$root/README.md" # null is none
    for design in $designs; do
        grep -q "^| \`$design\` |" "$root/docs/DESIGNS.md" || { echo "DESIGNS.md lacks $design"; false; }
    done
}
