#!/usr/bin/env bats
# documents.bats - report shows every kind of document in every format: the terminal's text, Markdown, CSV, HTML.
load support

reference=$BATS_TEST_DIRNAME/../../results/reference

# value FILE PATH - what stands at a path such as cells[3].phases[0].tasks
value() {
    json "$1" "d$(sed -E 's/(^|\.)([A-Za-z_][A-Za-z0-9_]*)/["\2"]/g' <<<"$2")"
}

# shows FILE TEXT PATH CSVPATH - the text and Markdown have TEXT, the page the number at PATH, with its path, and the
# CSV that at CSVPATH.
shows() {
    local file=$1 text=$2 path=$3 csv=${4:-$3}
    "$twbench" report "$file" --style=plain >shown.txt
    "$twbench" report "$file" --export-markdown=shown.md --export-csv=shown.csv -o shown.html --force >silent.txt
    [ ! -s silent.txt ]
    echo "text: $text"
    tr -s '\n ' '  ' <shown.txt | grep -qF -- "$text"
    tr -s '\n ' '  ' <shown.md | sed 's/[*`]//g' | grep -qF -- "$text"
    echo "page: $path"
    python3 - "$path" "$(value "$file" "$path")" shown.html <<'PYTHON'
import html, re, sys
path, value, page = sys.argv[1], float(sys.argv[2]), open(sys.argv[3]).read()
found = {html.unescape(p): float(v) for p, v in re.findall(r'data-path="([^"]*)" data-value="([^"]*)"', page)}
sys.exit(abs(found[path] - value) > 1e-14 * abs(value))
PYTHON
    echo "CSV: $csv"
    python3 - "$(value "$file" "$csv")" shown.csv <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[2])))
assert len({len(row) for row in rows}) == 1, "rows differ in length"
sys.exit(f"{float(sys.argv[1]):.15g}" not in {cell for row in rows for cell in row})
PYTHON
}

@test "a run" {
    shows "$reference/nginx.json" heap 'cells[0].phases[0].ns_per_op.median'
}

@test "claims: the verdicts above the cells they rest on" {
    shows "$reference/claims.json" 'holds: Add is O(N). [work / start of list: 262, 513, 1022' \
        'claims[0].figures.add.list.points[0].value' 'cells[0].phases[0].operations.start'
    grep -q '^T1 holds$' shown.txt
    grep -q '^T8  .* does-not-hold  counts$' shown.txt
    grep -q '^| T8 | A, B | \*\*does-not-hold\*\* | counts |' shown.md
}

@test "an advice: the recommendation above everything" {
    "$twbench" advise idle --impl=heap,list --budget=1s --progress=never --no-system-check --json=a.json >/dev/null
    shows a.json "Take $(json a.json 'd["advice"]["recommendation"]["candidate"]') -" \
        'advice.candidates[0].figures.cost_ns_per_op.median' 'cells[0].phases[0].operations.start'
    [ "$(grep -n 'Take <span class="strong"' shown.html | cut -d: -f1)" -lt "$(grep -n '<h2' shown.html | head -n 1 | cut -d: -f1)" ]
}

@test "limits" {
    shows "$reference/limits.json" 'A mispredicted branch costs' 'points[0].ns.median'
}

@test "a selftest" {
    "$twbench" selftest --impl=heap --workload=hold --tasks=100 --pairs=14 --max-pairs=14 --samples=1 \
        --min-time=100us --budget=1ms --progress=never --json=s.json >first.txt
    shows s.json ' comparisons of a cell with itself' 'timer_overhead_ns' 'detection_trials["5"]'
    diff first.txt shown.txt
}
