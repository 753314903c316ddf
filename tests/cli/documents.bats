#!/usr/bin/env bats
# documents.bats - report shows every kind of document in every format: the terminal's text, Markdown, CSV, HTML.
load support

# Documents of older builds, as they were written (tests/results has the commit of each within).
old=$BATS_TEST_DIRNAME/../results
# Small documents that were made once: what is in them does not depend on how fast this machine is.
samples=$BATS_TEST_DIRNAME/../fuzz/corpus/fuzz_document

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
    xzcat "$old/nginx.json.xz" >nginx.json
    shows nginx.json heap 'cells[0].phases[0].ns_per_op.median'
}

@test "pictures of a run in which the harness has no figure of a phase" {
    "$twbench" run --impl=heap,null --workload=hold --tasks=50,100 --runs=3 --warmup=0 --min-time=0ns --progress=never \
        --json=r.json >/dev/null
    "$twbench" plot r.json --plots=pictures
    [ -s pictures/cost-hold.svg ]
}

@test "a selftest" {
    cp "$samples/selftest" s.json
    shows s.json ' comparisons of a cell with itself' 'timer_overhead_ns' 'detection_trials["5"]'
}

@test "a comparison: the verdict first, what changed and why" {
    "$twbench" run --impl=heap,hashed --workload=hold --tasks=50 --runs=3 --warmup=0 --min-time=0ns --progress=never \
        --json=old.json >/dev/null
    python3 - <<'PYTHON'
import json
document = json.load(open("old.json"))
for phase in document["cells"][0]["phases"]:
    phase["work"]["comparisons"] = round(phase["work"]["comparisons"] * 1.1)
json.dump(document, open("new.json", "w"))
PYTHON
    "$twbench" compare old.json new.json --json=c.json --style=plain --export-csv=first.csv --export-markdown=first.md \
        --export-junit=first.xml -o first.html >first.txt || [ $? -eq 3 ]
    shows c.json 'heap/hold/50: regressed: comparisons +10.0 % (limit 1 %)' 'cells[0].work[0].change' 'cells[1].ns_per_op.new'
    "$twbench" report c.json --export-junit=shown.xml >/dev/null
    for format in txt csv md xml html; do
        cmp "first.$format" "shown.$format"
    done
    [ "$(tail -n 3 shown.txt | head -n 1)" = "twbench: regressed" ]
    [ "$(head -n 1 shown.md)" = "## twbench: **regressed**" ]
    # What changed stands open in Markdown, the rest in a fold.
    [ "$(grep -n '^| heap |' shown.md | cut -d: -f1)" -lt "$(grep -n '^<details>' shown.md | head -n 1 | cut -d: -f1)" ]
    [ "$(grep -n '^| hashed |' shown.md | cut -d: -f1)" -gt "$(grep -n '^<details>' shown.md | head -n 1 | cut -d: -f1)" ]
}

@test "every document of an older build is still shown" {
    for file in "$old"/*.json.xz; do
        name=$(basename "$file" .json.xz)
        echo "$name"
        xzcat "$file" >"$name.json"
        "$twbench" report "$name.json" --style=plain --export-markdown="$name.md" >"$name.txt"
        [ "$(wc -l <"$name.txt")" -gt 5 ]
        [ "$(grep -c '^|' "$name.md")" -gt 5 ]
    done
}

@test "every command that leaves a document has the same flags for its page" {
    for command in run replay report compare selftest; do
        for flag in html export-markdown export-csv; do
            echo "$command --$flag"
            "$twbench" "$command" --help=all | grep -q -- "^  --$flag=FILE"
        done
    done
}

@test "what a kind has not is refused by name, and what is no document" {
    cp "$samples/selftest" s.json
    refuses "--export-gbench: a selftest document is not a result" report s.json --export-gbench=x
    refuses "--assert: a selftest document has no cells" report s.json --assert='heap.start<=O(n)'
    refuses "--plots: a selftest document has no pictures" plot s.json --plots=x
    sed 's/"schema_version":[^,]*/"schema_version": 2/' s.json >later.json
    refuses "later.json: schema_version: another version" report later.json
    echo '{"schema_version": 1, "kind": "soup"}' >soup.json
    refuses "soup.json: kind: \"soup\"; no lab" report soup.json
    python3 -c 'import json, lzma, sys
document = json.load(lzma.open(sys.argv[1]))
document["kind"] = "soup"
json.dump(document, open("soup.json", "w"))' "$old/nginx.json.xz"
    refuses 'soup.json: kind: "soup"' report soup.json
    for text in '{}' '[1, 2]' '{"schema_version": 1, "tool": {}}' '{"dependencies": {"x": "1.0"}}'; do
        echo "$text" >other.json
        refuses "other.json: has neither a kind nor cells; expected a document" report other.json
    done
    echo '{"kind": "selftest"' >cut.json
    refuses "cut.json:2:1: " report cut.json
    # Any other JSON is shown as far as it goes, and never more than that.
    for kind in selftest comparison; do
        echo "{\"schema_version\": 1, \"kind\": \"$kind\", \"detection\": [7], \"cells\": [1, {\"tasks\": -1e300, \"work\": [3], \"phases\": [[], {\"work\": [1]}]}], \"reasons\": [7]}" >odd.json
        "$twbench" report odd.json --export-csv=odd.csv --export-markdown=odd.md --force >odd.txt
    done
}

@test "schema explains every key of a document, and names the kinds" {
    "$twbench" schema >kinds
    for kind in result comparison selftest probe project; do
        grep -q "^$kind " kinds
        "$twbench" schema "$kind" >keys.md
        grep -q '^| key | type | meaning |$' keys.md
        # every key has a type and a meaning
        run ! grep -E '^\| `[^`]*` \|  ?\|| \|  ?\|$' keys.md
    done
    xzcat "$old/nginx.json.xz" >r.json
    "$twbench" schema result | sed -n 's/^| `\([^`]*\)` .*/\1/p' >known
    jq -r 'paths(scalars) | map(if type == "number" then "[]" else "." + . end) | add | ltrimstr(".") | gsub("(\\[\\])+"; "[]")' r.json | sort -u >there
    [ "$(wc -l <there)" -gt 80 ]
    # what stands in an array that has no keys of its own is explained with the array
    sed 's/\[\]$//' there | sort -u | grep -vE '\.(params|requested|spec|counters)\.' | grep -vxF -f known | tee unknown
    [ ! -s unknown ]
    refuses "no kind 'soup'" schema soup
    refuses "2 kinds given" schema result probe
}
