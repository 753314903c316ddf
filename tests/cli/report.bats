#!/usr/bin/env bats
# report.bats - the report as a page: what is asked of it without a browser (make test-report has one).
load support

# r.json, a result.
make_result() {
    "$twbench" run --impl=heap,hashed --workload=standard --tasks=100,1000 --counts-only --json=r.json \
        --no-system-check >/dev/null
}

# Every data-value of the page, by its path, is in the document; "N values" or the first that is not.
look_up() {
    python3 - "$1" "$2" <<'PYTHON'
import html, json, re, sys
document = json.load(open(sys.argv[1]))
page = open(sys.argv[2]).read()
found = re.findall(r'data-path="([^"]*)" data-value="([^"]*)"', page)
for path, exact in found:
    at = document
    for key, index, quoted in re.findall(r'([A-Za-z]\w*)|\[(\d+)\]|\["([^"]*)"\]', html.unescape(path)):
        at = at[key] if key else at[int(index)] if index else at[quoted]
    if float(f"{at:.15g}") != float(exact):
        sys.exit(f"{path}: {exact}, not {at}")
print("values" if len(found) > 100 else f"only {len(found)} values")
PYTHON
}

@test "-o writes one page that loads nothing, and no table" {
    make_result
    run -0 --separate-stderr "$twbench" report r.json -o page.html
    [ "$output" = "" ]
    [[ $(head -n 1 page.html) == "<!DOCTYPE html>" ]]
    [ "$(tail -n 1 page.html)" = "</html>" ]
    run ! grep -qE '(src|href)="[^#d]|@import|url\((https?:)?/' page.html
    "$twbench" report r.json -o - | cmp - page.html
    "$twbench" report r.json --html=- | cmp - page.html
}

@test "every number of the page is what the document has at its path" {
    make_result
    "$twbench" report r.json -o r.html
    [ "$(look_up r.json r.html)" = values ]
}

@test "names full of markup are text in the page and in Markdown" {
    make_result
    python3 - <<'PYTHON'
import json
document = json.load(open("r.json"))
for cell in document["cells"]:
    cell["workload"] = cell["impl"] = """<i>&"'</script>"""
document["command"] = ["<i>", "a'b"]
json.dump(document, open("odd.json", "w"))
PYTHON
    "$twbench" report odd.json -o odd.html --export-markdown=odd.md
    run ! grep -q '<i>' odd.html
    [ "$(grep -o '</script>' odd.html | wc -l)" -eq 1 ]
    grep -qF '&lt;i&gt;&amp;&quot;&apos;&lt;/script&gt;' odd.html
    # The command stands in a code block, where nothing is markup.
    run ! grep -q '<i>' <(sed '/^```$/,/^```$/d' odd.md)
}

@test "a page is not overwritten unasked; mistakes are told apart" {
    make_result
    touch page.html
    refuses "page.html: is there already" report r.json -o page.html
    "$twbench" report r.json -o page.html --force
    grep -q '</html>' page.html
    refuses "-o: a value is missing" report r.json -o
    refuses "flags begin with two dashes" conform -o page.html
    refuses "only one of them can go to x" report r.json -o x --export-csv=x
}

@test "Markdown has cells, warnings, command line and machine" {
    make_result
    "$twbench" report r.json --export-markdown=c.md >/dev/null
    grep -q '^| design |' c.md
    grep -q '^[^|]*twbench run --impl=heap,hashed --workload=standard' c.md
    grep -q '^| machine | architecture | ' c.md
}

@test "which design is the fastest stands below the table, on top of each report, and in the result" {
    "$twbench" run --workload=hold --tasks=2000 --impl=list,fast --runs=6 --min-time=100us --progress=never \
        --no-system-check --style=plain --json=r.json --html=r.html --export-markdown=r.md >r.txt
    cat r.txt
    grep -q ' is fastest' r.txt
    [ "$(json r.json 'len(d["standing"]), d["standing"][0]["phases"][0]["fastest"]')" = "(1, 'fast')" ]
    [ "$(grep -c '^fast is fastest' r.md)" -eq "$(grep -c '^- hold: .*: .* is fastest' r.md)" ]
    grep -q ' is fastest' r.html
    # a result of before works it out
    python3 -c 'import json; d = json.load(open("r.json")); del d["standing"]; json.dump(d, open("old.json", "w"))'
    diff <("$twbench" report old.json --style=plain) <("$twbench" report r.json --style=plain)
}

@test "factors stand beside those net of the harness, with null among the designs and without" {
    # Starts of a list among 2000 take many times those of fast, on any machine.
    for designs in list,fast,null list,fast; do
        "$twbench" run --workload=hold --tasks=2000 --impl=$designs --runs=6 --min-time=100us --progress=never \
            --no-system-check --style=plain --json=net.json --force >net.txt
        cat net.txt
        [ "$(json net.json 'all(p["harness_share"] > 0 and "ratio_net" in b for p in d["standing"][0]["phases"]
            for b in p["behind"])')" = True ]
        grep -q 'without the harness\|too large to subtract' net.txt
        [ "$(grep -c 'null was not timed' net.txt)" -eq 0 ]
    done
    python3 -c 'import json; d = json.load(open("net.json")); del d["standing"]
for c in d["cells"]: c["harness_ns_per_op"] = None
json.dump(d, open("unknown.json", "w"))'
    "$twbench" report unknown.json --style=plain | grep -q "^these factors include the harness's overhead: null was not timed"
}
