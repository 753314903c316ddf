# outputs.bats - what a run leaves: table, JSON, CSV, Markdown, pictures; and what it never does.

load support

# on_terminal COMMAND - its output as a terminal of 120 columns gets it.
on_terminal() {
    script -qec "stty cols 120; $1" /dev/null </dev/null
}

@test "the table is on stdout, plain and without escapes when it is no terminal" {
    run --separate-stderr quick --impl=heap,hashed
    [ "$status" -eq 0 ]
    [[ $output == *heap* && $output == *hashed* ]]
    [[ $output != *$'\e'* ]]
    [ -z "$stderr" ]
}

@test "run is the default command" {
    quick --impl=heap --json=a.json >/dev/null
    "$twbench" run --workload=fill-cancel --tasks=50 --counts-only --impl=heap --json=b.json >/dev/null
    [ "$(json a.json 'd["cells"][0]["digest"]')" = "$(json b.json 'd["cells"][0]["digest"]')" ]
}

@test "colour is for terminals, and NO_COLOR and TERM=dumb are honoured" {
    command="$twbench --impl=heap --workload=fill-cancel --tasks=50 --runs=1 --min-time=0ns --progress=never"
    [[ $(TERM=xterm on_terminal "$command") == *$'\e['* ]]
    [[ $(TERM=xterm NO_COLOR=1 on_terminal "$command") != *$'\e['* ]]
    [[ $(TERM=dumb on_terminal "$command") != *$'\e['* ]]
    [[ $(TERM=xterm on_terminal "$command --style=plain") != *$'\e['* ]]
    [[ $(quick --impl=heap --style=color) == *$'\e['* ]]
}

@test "progress is on stderr only" {
    run --separate-stderr quick --impl=heap --progress=lines --json=-
    [ "$status" -eq 0 ]
    [[ $stderr == *cells* ]]
    python3 -m json.tool <<<"$output" >/dev/null
}

@test "--json=- is a JSON document and nothing else" {
    quick --impl=heap,hashed --json=- >out.json
    [ "$(json out.json 'd["schema_version"], len(d["cells"])')" = "(1, 2)" ]
    run grep -cE 'NaN|Infinity' out.json
    [ "$output" = 0 ]
}

@test "--json=FILE has the same keys, and the table is still shown" {
    quick --impl=heap --json=out.json >table
    grep -q heap table
    [ "$(json out.json '[c["impl"] + c["status"] for c in d["cells"]]')" = "['heapok']" ]
}

@test "a seed repeats the run, another one does not" {
    for run in a=1 b=1 c=2; do
        quick --impl=heap --workload=standard --counts-only --seed="${run#*=}" --json="${run%=*}.json" >/dev/null
    done
    [ "$(json a.json 'd["cells"][0]["digest"]')" = "$(json b.json 'd["cells"][0]["digest"]')" ]
    [ "$(json a.json 'd["cells"][0]["digest"]')" != "$(json c.json 'd["cells"][0]["digest"]')" ]
}

@test "lists and ranges make the matrix" {
    quick --impl=hashed,heap --tasks=10..1e3 --slots=64,100 --counts-only --json=out.json >/dev/null
    [ "$(json out.json 'sorted((c["impl"], c["tasks"], c["params"].get("slots")) for c in d["cells"])')" = \
        "[('hashed', 10, 64), ('hashed', 10, 128), ('hashed', 100, 64), ('hashed', 100, 128), ('hashed', 1000, 64), ('hashed', 1000, 128), ('heap', 10, None), ('heap', 100, None), ('heap', 1000, None)]" ]
}

@test "CSV has a header and rows of as many fields" {
    quick --impl=heap,hashed --export-csv=out.csv >/dev/null
    [ "$(python3 -c '
import csv
rows = list(csv.reader(open("out.csv")))
print(len({len(r) for r in rows}), len(set(rows[0])) == len(rows[0]), len(rows) > 2)')" = "1 True True" ]
}

@test "CSV and Markdown go to stdout, alone" {
    quick --impl=heap --export-csv=- >out.csv
    [ "$(python3 -c 'import csv; print(len({len(r) for r in csv.reader(open("out.csv"))}))')" = 1 ]
    quick --impl=heap --export-markdown=- >out.md
    grep -q '^|.*heap' out.md
    run grep -c $'\e' out.md
    [ "$output" = 0 ]
}

@test "every export goes to a file, or alone to stdout" {
    quick --impl=heap --json=out.json >/dev/null
    for flag in $("$twbench" run --help=all | grep -oE 'export-[a-z]+'); do
        "$twbench" report out.json "--$flag=-" >"$flag.stdout"
        "$twbench" report out.json "--$flag=$flag.file" >/dev/null
        diff "$flag.stdout" "$flag.file"
        grep -q heap "$flag.file"
    done
    for flag in gbench bencher; do
        python3 -m json.tool "export-$flag.stdout" >/dev/null
    done
    python3 -c 'import xml.etree.ElementTree as t; t.parse("export-junit.stdout")'
}

@test "report shows an old result as the run did" {
    quick --impl=heap,hashed --json=out.json >ran
    "$twbench" report out.json >reported
    diff ran reported
}

@test "an error of the disk is no success" {
    few=(--impl=heap --workload=fill-cancel --tasks=50 --counts-only)
    run "$twbench" "${few[@]}" --json=/nowhere/out.json
    [ "$status" -ne 0 ]
    [[ $output == */nowhere/out.json* ]]
    run bash -c "'$twbench' ${few[*]} --json=- >/dev/full"
    [ "$status" -eq 1 ]
    run bash -c "'$twbench' ${few[*]} >/dev/full"
    [ "$status" -eq 1 ]
}

@test "what does not get to standard output is no success, whatever printed it" {
    for command in --help --version "run --help" list "report $root/results/reference/nginx.json" "report r.json" "plot r.json --plot-format=dumb" \
        "compare r.json r.json" "conform --help"; do
        [ -e r.json ] || quick --impl=heap --workload=hold --json=r.json >/dev/null
        for out in /dev/full closed; do
            status=0
            # shellcheck disable=SC2086
            if [ $out = closed ]; then
                "$twbench" $command >&- 2>err || status=$?
            else
                "$twbench" $command >$out 2>err || status=$?
            fi
            echo "$command >$out: $status, $(cat err)"
            [ $status -ne 0 ]
            grep -q "standard output: cannot be written: ." err
        done
    done
    # A file that is opened while standard output is closed must not become it.
    status=0
    quick --impl=heap --json=c.json >&- 2>err || status=$?
    [ $status -eq 1 ]
    [ "$(json c.json 'len(d["cells"])')" = 1 ]
}

@test "a file that may not grow is an error that names it, and leaves nothing" {
    mkdir folder && cd folder
    run --separate-stderr bash -c "ulimit -f 1; '$twbench' --impl=heap --workload=hold --tasks=50 --runs=1 --json=f.json --progress=never"
    [ "$status" -eq 1 ]
    [[ $stderr == *"f.json: cannot be written: File too large"* ]]
    [ -z "$(ls)" ]
}

@test "a link that leads nowhere is not replaced unless told so" {
    ln -s nowhere link.json
    refuses "link.json: is a link to a file that is not there" --impl=heap --tasks=50 --json=link.json
    refuses "link.json: is a link to a file that is not there" --impl=heap --tasks=50 --export-csv=link.json
    [ -L link.json ]
    quick --impl=heap --json=link.json --force >/dev/null
    [ "$(json link.json 'len(d["cells"])')" = 1 ]
}

@test "nothing is overwritten unless told so" {
    exports=$("$twbench" run --help=all | grep -oE 'export-[a-z]+')
    [ "$(wc -w <<<"$exports")" -ge 5 ]
    for flag in json $exports; do
        echo precious >file
        refuses file --impl=heap --tasks=50 "--$flag=file"
        [ "$(cat file)" = precious ]
    done
    quick --impl=heap --json=file --force >/dev/null
    [ "$(json file 'len(d["cells"])')" = 1 ]
}

@test "a hopeless cell is recorded, and the rest goes on" {
    run quick --impl=heap,list --workload=standard --tasks=1e5 --budget=2s --json=out.json
    [ "$status" -eq 0 ]
    [ "$(json out.json 'sorted((c["impl"], bool(c["reason"])) for c in d["cells"] if c["status"] == "timeout")[-1:]')" = "[('list', True)]" ]
    [ "$(json out.json 'len(d["cells"])')" = 2 ]
}

@test "a cell beyond its memory is recorded" {
    run quick --impl=heap --tasks=5e5 --memory-limit=8Mi --counts-only --json=out.json
    [ "$status" -eq 0 ]
    [ "$(json out.json 'd["cells"][0]["status"]')" = out-of-memory ]
}

@test "recorded traces fire what their sources fired" {
    while read -r trace fired; do
        "$twbench" replay "$traces/$trace.tt.xz" --impl=heap --counts-only --progress=never --json=- >out.json
        [ "$(json out.json '[(c["workload"], c["fired"], c["early"], c["status"]) for c in d["cells"]]')" = \
            "[('$trace', $fired, 0, 'ok')]" ]
    done <<'END'
nginx 48167
linux-timer 205733
linux-hrtimer 34770
libuv-bind 18388
libevent-unbound 185783
END
}

@test "pictures are drawn into a folder" {
    quick --impl=heap,hashed --workload=standard --tasks=10,100 --plots=pictures >/dev/null
    ls pictures/*.svg
    for picture in pictures/*.svg; do
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$picture"
    done
}

@test "list names every design, parameter, workload and trace" {
    run "$twbench" list
    [ "$status" -eq 0 ]
    while read -r design; do
        [[ $output == *"$design"* ]]
    done < <(sed -n 's/^TW_DESIGN(\(.*\))$/\1/p' "$root/src/impls/registry.def" | tr _ -)
    for file in "$root"/workloads/*.json "$traces"/*.tt.xz; do
        name=$(basename "$file")
        [[ $output == *"${name%%.*}"* ]]
    done
}

@test "conform finds nothing wrong, and says how much it looked" {
    # What it finds is proved by test_conformance, tests/faults and plugins.bats.
    deep
    run "$twbench" conform --impl=all --operations=1e3
    [ "$status" -eq 0 ]
    [[ $output == *operations* ]]
}

@test "the man page is what the table of flags says, and knows each flag of each command" {
    "$root/tools/manual.sh" "$twbench" >page
    diff -u "$root/docs/man/twbench.1" page
    manual=$(sed 's/\\-/-/g; s/\\f[BIR]//g' "$root/docs/man/twbench.1")
    commands=$("$twbench" list --flags | awk -F'\t' '$1 == "lab" { exit } $1 == "command" { print $2 }')
    [ "$(wc -w <<<"$commands")" -ge 5 ]
    for command in $commands; do
        grep -q "^twbench $command " <<<"$manual"
    done
    for flag in $("$twbench" list --flags | awk -F'\t' '$1 == "lab" { exit } $1 == "flag" { print $3 }'); do
        echo "$flag"
        grep -qF -- "--$flag" <<<"$manual"
    done
    [ "$(grep -A3 -e '^--operations=' <<<"$manual" | grep -c 'default 1e6')" -eq 1 ]
    [ "$(grep -A3 -e '^--operations-file=' <<<"$manual" | grep -c 'default 1e6')" -eq 0 ]
}

@test "the man page cites no page that is not installed, and man reads it without a warning" {
    run grep -nE 'docs/|\.md' "$root/docs/man/twbench.1"
    [ -z "$output" ]
    if command -v groff >/dev/null; then
        run groff -man -Tutf8 -ww -z "$root/docs/man/twbench.1"
        [ -z "$output" ]
    fi
}

@test "a row of the page without a flag, and a flag without a row, are errors" {
    sed 's/^\.\\" row seed$/.\\" row sead/' "$root/docs/man/twbench.1.in" >page.in
    run "$root/tools/manual.sh" "$twbench" page.in
    [ "$status" -ne 0 ]
    [[ $output == *"there is no flag --sead"* && $output == *"no row --seed"* ]]
}

@test "--reference shows the times of the others over it, again from the document, and has to run itself" {
    "$twbench" run --impl=heap,hashed --workload=hold --tasks=50 --runs=6 --min-time=1us --no-system-check \
        --reference=heap --json=r.json --style=plain >r.txt
    cat r.txt
    [ "$(grep -c '^hashed .*[0-9] ([0-9.]* - [0-9.]*)' r.txt)" -ge 1 ]
    [ "$(grep -c '^heap .*[0-9] ([0-9.]* - [0-9.]*)' r.txt)" -eq 0 ]
    "$twbench" report r.json --style=plain | diff r.txt -
    refuses "--reference=list: expected a design of this run" run --impl=heap --reference=list
}

# of FILE: samples and why there are no more, of the first cell
sampled() {
    json "$1" '[(c["sampling"]["samples"], c["sampling"]["ended_by"]) for c in d["cells"]][0]'
}

@test "samples end when their time is up, and the table and the result say so" {
    quick=(run --workload=hold --tasks=100 --impl=heap --min-time=100us --progress=never --no-system-check --style=plain)
    "$twbench" "${quick[@]}" --time=1ns --json=time.json >time.txt
    [ "$(sampled time.json)" = "(3, 'time')" ]
    grep -q '^samples *3 of 7: the time for samples was up (--time)' time.txt
    "$twbench" "${quick[@]}" --runs=4 --json=runs.json >runs.txt
    [ "$(sampled runs.json)" = "(4, 'runs')" ]
    ! grep -q '^samples' runs.txt
    "$twbench" "${quick[@]}" --runs=5 --time=1ns --json=both.json >/dev/null
    [ "$(sampled both.json)" = "(3, 'time')" ]
    refuses "--time" "${quick[@]}" --time=soon
}
