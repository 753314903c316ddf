# compare_results.bats - two stored results held against each other: what is refused, what decides, and
# what times are worth.
# shellcheck disable=SC2154  # stderr is set by run --separate-stderr

load support

# One run for all tests; each edits a copy of it.
setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    "${TWBENCH:-$root/twbench}" run --impl=heap,hashed --workload=hold --tasks=50,100 --runs=7 --warmup=0 \
        --min-time=0ns --progress=never --json="$BATS_FILE_TMPDIR/old.json" >/dev/null
}

# edit FILE STATEMENTS - a copy of the run after the Python statements over the document d; c is its
# first cell.
edit() {
    python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1]))
c = d["cells"][0]
exec(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))' "$BATS_FILE_TMPDIR/old.json" "$@"
}

# compares STATUS ARGUMENT... - compare the run with new.json; the exit status is as expected.
compares() {
    local expected=$1
    shift
    run --separate-stderr timeout 300 "$twbench" compare "$BATS_FILE_TMPDIR/old.json" new.json "$@" \
        </dev/null
    echo "status $status, stdout '$output', stderr '$stderr'"
    [ "$status" -eq "$expected" ]
}

# Every number of every phase of the first cell in which it is counted.
ten_percent='
for p in c["phases"]: p["work"]["comparisons"] = round(p["work"]["comparisons"] * 1.1)'
twice_the_time='
for cell in d["cells"]:
    for p in cell["phases"]:
        for interval in filter(None, (p["ns_per_op"], p["cpu_ns_per_op_interval"])):
            for k in ("median", "low", "high"): interval[k] *= 2
            interval["samples"] = [2 * s for s in interval["samples"]]
        if p["ns_per_op"]: p["cpu_ns_per_op"] *= 2'

# ---- What is refused: status 2, and one line that names the file. ----------------------------------

@test "a file that is not there, on either side" {
    refuses missing.json compare missing.json "$BATS_FILE_TMPDIR/old.json"
    refuses missing.json compare "$BATS_FILE_TMPDIR/old.json" missing.json
}
@test "a folder" { mkdir folder.json; refuses folder.json compare "$BATS_FILE_TMPDIR/old.json" folder.json; }
@test "an empty file" { : >empty.json; refuses empty.json compare "$BATS_FILE_TMPDIR/old.json" empty.json; }
@test "no JSON at all" { echo hello >new.json; refuses new.json:1 compare "$BATS_FILE_TMPDIR/old.json" new.json; }
@test "some other JSON" { echo '{"a": 1}' >new.json; refuses new.json compare "$BATS_FILE_TMPDIR/old.json" new.json; }
@test "a file of zero bytes" { head -c 5000 /dev/zero >new.json; refuses new.json compare "$BATS_FILE_TMPDIR/old.json" new.json; }
@test "one file alone" { refuses compare compare "$BATS_FILE_TMPDIR/old.json"; }

@test "a result cut short, wherever" {
    local size part
    size=$(stat -c %s "$BATS_FILE_TMPDIR/old.json")
    for part in 1 20 1000 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 200)) $((size - 3)); do
        echo "cut after $part of $size bytes"
        head -c "$part" "$BATS_FILE_TMPDIR/old.json" >cut.json
        refuses cut.json compare "$BATS_FILE_TMPDIR/old.json" cut.json
        refuses cut.json compare cut.json "$BATS_FILE_TMPDIR/old.json"
    done
}
@test "another version of the schema" {
    edit later.json 'd["schema_version"] = 2'
    refuses later.json compare "$BATS_FILE_TMPDIR/old.json" later.json
    refuses schema_version compare later.json "$BATS_FILE_TMPDIR/old.json"
}
@test "a key that is missing, and one of the wrong type" {
    edit new.json 'del c["phases"][0]["work"]["visits"]'
    refuses 'new.json: cells[0].phases[0].work.visits' compare "$BATS_FILE_TMPDIR/old.json" new.json
    edit new.json 'c["seed"] = "one"'
    refuses 'new.json: cells[0].seed' compare "$BATS_FILE_TMPDIR/old.json" new.json
}

# A run of its own, as somebody would come by it.
run_with() {
    "$twbench" run --impl=heap,hashed --counts-only --progress=never --json=new.json "$@" >/dev/null
}
@test "another seed" {
    run_with --workload=hold --tasks=50,100 --seed=2
    refuses 'new.json: heap/hold/50: seed: 1 and 2' compare "$BATS_FILE_TMPDIR/old.json" new.json
}
@test "another tick" {
    run_with --workload=hold --tasks=50,100 --tick=2ms
    refuses 'tick_ns: 1000000 and 2000000' compare "$BATS_FILE_TMPDIR/old.json" new.json
}
@test "other tasks" {
    run_with --workload=hold --tasks=60
    refuses 'new.json: cells: none is in both; the first has heap/hold/50' \
        compare "$BATS_FILE_TMPDIR/old.json" new.json
    [[ $stderr == *'heap/hold/60'* ]]
}
@test "another workload" {
    run_with --workload=fill-cancel --tasks=50,100
    refuses 'the second heap/fill-cancel/50' compare "$BATS_FILE_TMPDIR/old.json" new.json
}
@test "a cap on pending timers on one side" {
    run_with --workload=hold --tasks=50,100 --max-pending=20
    refuses 'limits.max_pending: none and 20' compare "$BATS_FILE_TMPDIR/old.json" new.json
}
@test "other operations by the same name" {
    edit new.json 'c["stream"]["hash"] = "0" * 16'
    refuses 'heap/hold/50: stream.hash' compare "$BATS_FILE_TMPDIR/old.json" new.json
}
@test "a cell that is there twice" {
    edit new.json 'd["cells"].append(dict(c, identity=c["identity"] + " again"))'
    refuses 'new.json: cells: heap/hold/50 is there twice' compare "$BATS_FILE_TMPDIR/old.json" new.json
}

# ---- What decides. ---------------------------------------------------------------------------------

@test "a result and itself are the same" {
    edit new.json ''
    compares 0 --json=out.json
    [[ $output == *same* ]]
    judged 'd["verdict"]' same
    judged 'd["mode"]' results
    judged 'd["exit_status"]' 0
    judged '[c["verdict"] for c in d["cells"]]' "['same', 'same', 'same', 'same']"
    judged '[c["work_changed"] for c in d["cells"]]' "[False, False, False, False]"
}
@test "a tenth more comparisons: regressed, status 3" {
    edit new.json "$ten_percent"
    compares 3 --json=out.json
    [[ $output == *regressed* && $output == *comparisons* ]]
    judged 'd["verdict"]' regressed
    judged 'c["work_changed"]' True
    judged '(c["impl"], c["workload"], c["tasks"])' "('heap', 'hold', 50)"
    judged '[(w["metric"], w["verdict"], round(w["change"], 2)) for w in c["work"]]' \
        "[('comparisons', 'regressed', 0.1)]"
    judged '[c["verdict"] for c in d["cells"]]' "['regressed', 'same', 'same', 'same']"
    [[ $(cat out.json) == *'heap/hold/50: regressed: comparisons +10'* ]]
}
@test "a tenth less: improved, status 0" {
    edit new.json "${ten_percent/1.1/0.9}"
    compares 0 --json=out.json
    judged 'd["verdict"]' improved
}
@test "each counter that a result holds is gated" {
    local counter counters
    counters=$(json "$BATS_FILE_TMPDIR/old.json" '" ".join(d["cells"][0]["phases"][0]["work"])')
    [[ $counters == *pointer_moves*system_calls* ]]
    for counter in $counters; do
        edit new.json "c['phases'][0]['work']['$counter'] = 3 * c['phases'][0]['work']['$counter'] + 1000000"
        compares 3 --json=out.json --force
        judged 'c["reason"].split()[0], c["work"][0]["metric"], len(d["cells"][1]["work"])' \
            "('$counter', '$counter', 0)"
        compares 0 --limit "$counter=off"
    done
}
@test "one more comparison: shown, the same" {
    edit new.json 'c["phases"][1]["work"]["comparisons"] += 1'
    compares 0 --json=out.json
    judged '(d["verdict"], c["work_changed"], len(c["work"]))' "('same', True, 1)"
}
@test "--limit lets it pass, or does not" {
    edit new.json "$ten_percent"
    compares 0 --limit comparisons=50% --json=out.json
    judged 'd["limits"]["comparisons"]' 0.5
    judged 'c["work_changed"]' True
    compares 0 --limit work=50%
    compares 3 --limit visits=50%
    compares 0 --limit comparisons=off
    compares 0 --limit work=off --json=out.json --force
    judged 'd["verdict"], c["gates"]["work"], c["decided_by"]' "('inconclusive', 'inconclusive', [])"
    [[ $output == *"Nothing decides"* ]]
    edit new.json 'c["phases"][1]["work"]["comparisons"] += 1'
    compares 3 --limit comparisons=0%
}
@test "more memory: regressed from 10 % on" {
    edit new.json 'c["memory"]["peak_bytes"] *= 1.5; c["memory"]["peak_bytes_per_task"] *= 1.5'
    compares 3 --json=out.json
    judged 'c["memory"]["change"]' 0.5
    compares 0 --limit memory=50%
    compares 0 --limit memory=off
}
@test "a longer advance by its counts, refused starts, another reach and other settings are not the same" {
    edit new.json 'c["phases"][1]["advance_work"]["max"] = 1e9'
    compares 3 --fail-on=work --json=out.json
    judged 'c["work"][0]["metric"], c["gates"]["work"]' "('advance_work', 'regressed')"
    [[ $output == *"advance_work +"* ]]
    compares 0 --limit=advance_work=off
    edit new.json 'c["span_ticks"] = 77'
    compares 4 --fail-on=inconclusive
    [[ $output == *"longest delay, ticks: "*", 77 in NEW"* ]]
    edit new.json 'c["phases"][0]["operations"]["refused"] = 5'
    compares 4 --fail-on=inconclusive
    [[ $output == *"starts refused: 0 in OLD, 5 in NEW"* ]]
}
@test "twice the time: advisory, status 0, and not the same" {
    local narrow='
for cell in d["cells"]:
    for p in cell["phases"]:
        if p["ns_per_op"]:
            m = p["ns_per_op"]["median"]
            p["ns_per_op"].update(low=m, high=m, samples=[m] * len(p["ns_per_op"]["samples"]))'
    edit narrow.json "$narrow"
    edit new.json "$twice_the_time$narrow"
    run --separate-stderr "$twbench" compare narrow.json new.json --json=out.json
    [ "$status" -eq 0 ]
    [[ $output == *advisory* && $output == *'100.0 .. 100.0 % slower'*'side by side'* ]]
    judged 'd["verdict"]' inconclusive
    judged 'c["time_decides"], c["gates"]["time"]' "(False, None)"
    judged 'c["ratio"]["median"]' 2
    judged 'c["timing"]["pairs"]' 0
    judged 'round(c["ns_per_op"]["new"] / c["ns_per_op"]["old"], 4)' 2.0
}
@test "--fail-on" {
    edit new.json "$ten_percent"
    compares 3 --fail-on=work
    compares 3 --fail-on=regressed
    compares 3 --fail-on=inconclusive
    edit new.json 'del d["cells"][0]'
    compares 0 --fail-on=work
    compares 0 --fail-on=regressed
    compares 4 --fail-on=inconclusive
}
@test "a cell of one side only is listed and makes it inconclusive" {
    edit new.json 'del d["cells"][0]'
    compares 0 --json=out.json
    judged '(d["verdict"], c["verdict"], c["reason"])' "('inconclusive', 'inconclusive', 'NEW has no such cell')"
    run --separate-stderr "$twbench" compare new.json "$BATS_FILE_TMPDIR/old.json" --force --json=out.json
    [ "$status" -eq 0 ]
    judged '(d["verdict"], len(d["cells"]), d["missing_ignored"])' "('inconclusive', 3, False)"
    judged '[(c["side"], c["impl"], c["workload"], c["tasks"]) for c in d["one_side"]]' "[('new', 'heap', 'hold', 50)]"
    [[ $output == *"only OLD has: 0, only NEW: 1 (--ignore-missing"*"Cells of one side only"* && $(grep -Ec 'heap.hold.50|heap +hold +50' <<<"$output") -eq 1 ]]
    run --separate-stderr "$twbench" compare new.json "$BATS_FILE_TMPDIR/old.json" --force --json=out.json \
        --ignore-missing --fail-on=inconclusive
    [ "$status" -eq 0 ]
    judged '(d["verdict"], len(d["one_side"]), d["missing_ignored"])' "('same', 1, True)"
    "$twbench" report out.json --force -o page.html
    grep -q 'Cells of one side only' page.html
    compares 0 --ignore-missing --fail-on=inconclusive --force --json=out.json
    judged '(d["verdict"], len(d["cells"]), d["one_side"][0]["side"])' "('same', 3, 'old')"
    refuses "--ignore-missing: expected two results" compare "$twbench" "$twbench" --ignore-missing
}
@test "a design that came to fail is regressed, whatever fails" {
    edit new.json 'c["status"] = "mismatch"; c["reason"] = "a timer was lost"; c["phases"] = []'
    compares 3 --fail-on=work --json=out.json
    judged '(c["failed"], c["reason"])' "(True, 'NEW: mismatch: a timer was lost')"
    edit new.json 'c["digest"] = c["expected_digest"] = "0" * 16'
    compares 3 --fail-on=work
}
@test "a result of another machine: work decides all the same" {
    edit new.json "d['machine']['cpu_model'] = 'Another'; $ten_percent"
    compares 3
    edit new.json "d['machine']['cpu_model'] = 'Another'"
    compares 0
}

# ---- What is not known is not green. ----------------------------------------------------------------

# plugin_run NAME FLAG... - NAME.json, a run of the wheel of docs/plugins built with these flags.
plugin_run() {
    local name=$1
    shift
    gcc -O1 -shared -fPIC -I "$root/src/impls" -o "$name.so" wheel.c "$@"
    "$twbench" run --plugin="./$name.so" --workload=hold --tasks=50 --runs=1 --warmup=0 --min-time=0ns \
        --counters="$counters" --progress=never --force --json="$name.json" >/dev/null
}
# A busy loop in start and in stop, short enough to be stepped through on a busy machine.
slow_down() {
    sed -E 's/^static int wheel_(start|stop)\(.*/&/; /^static int wheel_(start|stop)\(/,/^}/ s/^\{/{ for (volatile int i = 0; i < 4; i++) {}/' \
        "$root/docs/plugins/wheel.c" >wheel.c
    grep -c 'volatile int i' wheel.c
}
@test "a plugin that counts nothing and became slower is not the same" {
    counters=off
    cp "$root/docs/plugins/wheel.c" .
    plugin_run old
    [ "$(slow_down)" -eq 2 ]
    plugin_run new
    for fails in "0 regressed" "4 inconclusive"; do
        run --separate-stderr "$twbench" compare old.json new.json --fail-on="${fails#* }" --json=out.json --force
        [ "$status" -eq "${fails% *}" ]
        judged 'd["verdict"], c["gates"]["work"], c["decided_by"], c["work_reason"]' \
            "('inconclusive', 'inconclusive', [], 'both count nothing')"
        [[ $output == *"Nothing decides; times are advisory"* ]]
    done
    counters=step
    plugin_run new
    cp "$root/docs/plugins/wheel.c" .
    plugin_run old
    run "$twbench" compare old.json old.json --json=out.json --force
    [ "$status" -eq 0 ]
    judged 'd["verdict"], c["decided_by"]' "('same', ['instructions', 'memory', 'tail'])"
    run "$twbench" compare old.json new.json --json=out.json --force
    [ "$status" -eq 3 ]
    judged 'd["verdict"], c["decided_by"]' "('regressed', ['instructions'])"
}
@test "what both sides did not get through is not the same" {
    local failure
    for failure in timeout crashed out-of-memory; do
        python3 -IS -c 'import json, sys
d = json.load(open(sys.argv[1])); d.pop("standing", None)
for c in d["cells"]: c.update(status=sys.argv[2], reason="why", phases=[])
json.dump(d, open("new.json", "w"))' "$BATS_FILE_TMPDIR/old.json" "$failure"
        run --separate-stderr "$twbench" compare new.json new.json --fail-on=inconclusive --json=out.json --force
        [ "$status" -eq 4 ]
        judged 'd["verdict"], c["reason"]' "('inconclusive', 'both: $failure: why')"
    done
}

# ---- The document. ---------------------------------------------------------------------------------

@test "--json=- is the document alone, with the fixed keys" {
    edit new.json "$ten_percent"
    compares 3 --json=-
    echo "$output" >out.json
    judged '(d["schema_version"], d["kind"])' "(1, 'comparison')"
    judged 'all(k in cell for cell in d["cells"] for k in ("impl", "workload", "tasks", "verdict", "ratio", "work_changed"))' True
    judged 'all(k in cell["ratio"] for cell in d["cells"] for k in ("median", "low", "high"))' True
    judged '(d["old"]["path"].endswith("old.json"), d["new"]["path"])' "(True, 'new.json')"
}
