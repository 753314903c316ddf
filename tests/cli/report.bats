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

@test "rows of one design differ by name; what the title says is no setting; a column without any figure is left out" {
    [ "$("$twbench" report "$root/results/reference/fresh.json" | grep -Ec '^heap passes=(same|other) ')" -eq 4 ]
    run ! grep -E '^settings.*(between|huge_pages)=' <("$twbench" report "$root/results/reference/between.json")
    [[ $("$twbench" report "$root/results/reference/stores_disk.json" --html=-) != *dispatch* ]]
}

@test "names full of markup are text in the page and in Markdown" {
    make_result
    python3 - <<'PYTHON'
import json
document = json.load(open("r.json"))
for cell in document["cells"]:
    cell["workload"] = cell["impl"] = odd = """<i>&"'</script>"""; cell["identity"] = odd + cell["identity"]
document["command"] = ["<i>", "a'b"]
json.dump(document, open("odd.json", "w"))
PYTHON
    "$twbench" report odd.json -o odd.html --export-markdown=odd.md
    run ! grep -q '<i>' odd.html
    [ "$(grep -o '</script>' odd.html | wc -l)" -eq 1 ]
    grep -qF '&lt;i&gt;&amp;&quot;&apos;&lt;/script&gt;' odd.html
    run ! grep -q '<i>' <(sed '/^```$/,/^```$/d' odd.md)
}

@test "a page is not overwritten unasked; mistakes are told apart" {
    make_result
    touch page.html; refuses "page.html: is there already" report r.json -o page.html
    "$twbench" report r.json -o page.html --force
    grep -q '</html>' page.html
    refuses "-o: a value is missing" report r.json -o
    refuses "flags begin with two dashes" conform -o page.html
    refuses "only one of them can go to x" report r.json -o x --export-csv=x
}

@test "Markdown has cells, warnings, command line and machine" {
    make_result
    "$twbench" report r.json --export-markdown=c.md >/dev/null
    for line in '| design |' '[^|]*twbench run --impl=heap,hashed --workload=standard' '| machine | architecture | '; do grep -q "^$line" c.md; done
}

# planted DESIGNS FILE - a run of hold in which each sample of fast took 10 ns, of list 100 and of null 1; what was concluded
# from the times that were measured is left out.
planted() {
    "$twbench" run --workload=hold --tasks=50 --impl="$1" --runs=6 --warmup=0 --min-time=0ns --progress=never \
        --no-system-check --style=plain --json=run.json --force >run.txt
    python3 -IS -c 'import json, sys
d = json.load(open("run.json"))
del d["standing"]
for cell in d["cells"]:
    ns = {"fast": 10, "list": 100, "null": 1}[cell["impl"]]
    cell["harness_ns_per_op"] = 1
    for phase in cell["phases"]:
        if phase["cpu_ns_per_op"]: phase["cpu_ns_per_op"] = ns + 2.5 / 64
        for key in "ns_per_op", "cpu_ns_per_op_interval":
            if phase[key]:
                samples = [ns + i / 64 for i in range(6)]
                phase[key].update(median=ns + 2.5 / 64, low=ns, high=ns + 5 / 64, samples=samples)
json.dump(d, open(sys.argv[1], "w"))' "$2"
}

@test "which design is the fastest stands below the table, and on top of each report" {
    planted list,fast r.json
    "$twbench" report r.json --style=plain | tee r.txt
    "$twbench" report r.json --html=r.html --export-markdown=r.md
    grep -q '^fast is fastest' r.txt
    [ "$(grep -c '^fast is fastest' r.md)" -eq "$(grep -c '^- fast is fastest' r.md)" ]
    grep -q 'fast is fastest' r.html
    # A run has it in its result, and one of before works it out, whatever it is.
    [ "$(json run.json 'len(d["standing"]), len(d["standing"][0]["phases"]) > 0')" = "(1, True)" ]
    python3 -c 'import json; d = json.load(open("run.json")); del d["standing"]; json.dump(d, open("old.json", "w"))'
    diff <("$twbench" report old.json --style=plain) <("$twbench" report run.json --style=plain)
}

@test "factors stand beside those net of the harness, with null among the designs and without" {
    for designs in list,fast,null list,fast; do
        planted $designs net.json
        "$twbench" report net.json --style=plain | tee net.txt
        grep -q 'without the harness\|too large to subtract' net.txt
        [ "$(grep -c 'null was not timed' net.txt)" -eq 0 ]
    done
    python3 -c 'import json; d = json.load(open("net.json"))
for c in d["cells"]: c["harness_ns_per_op"] = None
json.dump(d, open("unknown.json", "w"))'
    "$twbench" report unknown.json --style=plain | grep -q "^these factors include the harness's overhead: null was not timed"
}
