#!/usr/bin/env bats
# runners.bats - designs on the real clock: loads, the ledger, what the result and the table say.
load support

# on_clock ARGUMENT... - a short run with a runner, its document in r.json.
on_clock() {
    "$twbench" run --progress=never --no-system-check --json=r.json --force "$@"
}

# adds_up - every cell is ok, and accepted = ran + stopped + returned, none early.
adds_up() {
    python3 - <<'PYTHON'
import json
for cell in json.load(open("r.json"))["cells"]:
    ledger = cell["ledger"]
    assert cell["status"] == "ok", cell["reason"]
    assert ledger["accepted"] == ledger["ran"] + ledger["stopped"] + ledger["returned"] > 0, ledger
    assert ledger["early"] == 0, ledger
PYTHON
}

# until_true "VALUE..." EXPRESSION ARGUMENT... - a run that makes the expression true: %s is each value in turn, since a busy machine
# needs longer until anything has happened.
until_true() {
    local values=$1 expression=$2 value
    shift 2
    for value in $values; do
        on_clock "${@//%s/$value}"
        [ "$(json r.json "$expression")" != True ] || return 0
    done
    echo "never: $expression"
    return 1
}

@test "list names the runners and their settings" {
    run "$twbench" list
    [[ $output == *"tick-queue"*"Netty"*"--transfer"* ]]
    [[ $output == *"--original"*"netty"*"--slots"*"jdk-timer"*"go "* ]]
    "$twbench" list --json=list.json
    [ "$(json list.json '[o["name"] for o in d["originals"]]')" = "['netty', 'jdk-timer', 'jdk-pool', 'go']" ]
}

@test "the ledger adds up for every runner and every made load" {
    for load in closed burst storm idle; do
        on_clock --runner=all --impl=heap,hier --tasks=500 --threads=2 --load=$load --duration=30ms --tick=2ms
        adds_up
    done
}

@test "a workload and a trace are played at a speed" {
    on_clock --runner=all --impl=heap --workload=network --tasks=200 --speed=5000 --tick=1ms --threads=2
    adds_up
    "$twbench" replay nginx --runner=locked --impl=hier --speed=5000 --progress=never --json=r.json --force
    for alteration in 'stats"]["useful_wakeups"] = 1e9|clock.stats.useful_wakeups: too high' 'rounds"] = [{}]|clock.rounds[0].window_ns: missing'; do
        python3 -IS -c 'import json, sys; d = json.load(open("r.json")); exec("d[\"cells\"][0][\"clock\"][\"" + sys.argv[1]); json.dump(d, open("bad.json", "w"))' "${alteration%|*}"
        refuses "${alteration#*|}" report bad.json
    done
    adds_up
}

@test "restarts of a workload are made by its tasks" {
    until_true "1e3 1e2 1e1" 'd["cells"][0]["ledger"]["accepted"] > 100' --runner=locked --impl=heap --workload=hold --tasks=100 --speed=%s
    adds_up
}

@test "a burst is moved at most so many a tick, and late by whole ticks" {
    on_clock --runner=tick-queue --impl=round --tasks=1000 --load=burst --transfer=20 --tick=5ms
    adds_up
    [ "$(json r.json 'd["cells"][0]["clock"]["stats"]["most_transferred"]')" = 20 ]
    # Fifty ticks move them; those that come before they are due move what is not late.
    [ "$(json r.json '[0 < 1000 - q["bins"][0][1] <= q["max"] / 5e6 * 20 for q in [d["cells"][0]["clock"]["times_ns"]["queue"]]]')" = "[True]" ]
}

@test "a runner without ticks does not wake when idle, one with ticks wakes for each" {
    until_true "100ms 1s 10s" 'all((c["clock"]["stats"]["wakeups"] > 0) == (c["runner"] == "tick-queue") for c in d["cells"])' \
        --runner=all --impl=heap --tasks=10 --load=idle --tick=10ms --duration=%s
}

@test "the cap refuses, and that is counted" {
    on_clock --runner=locked --impl=heap --tasks=100 --load=idle --duration=10ms --max-pending=40
    [ "$(json r.json '[d["cells"][0]["ledger"][key] for key in ("accepted", "refused", "refused_full")]')" = "[40, 60, 60]" ]
}

@test "tasks sleep and fail, and that is counted" {
    on_clock --runner=locked --impl=heap --tasks=20 --load=burst --work=1ms --slow-task=20ms --failing-every=3
    adds_up
    [ "$(json r.json '[(c["stats"]["failed"], t["run"]["max"] >= 20e6, t["run"]["p50"] >= 1e6) for c in [d["cells"][0]["clock"]] for t in [c["times_ns"]]]')" = "[(6, True, True)]" ]
    [ "$(json r.json 'd["cells"][0]["clock"]["times_ns"]["dispatch"]["max"] >= 20e6')" = True ] # the others wait for the slow one
}

@test "cells of a runner keep the schema, and resume" {
    on_clock --runner=locked --impl=heap,null --tasks=10 --load=idle --duration=10ms
    python3 -c '
import json, jsonschema
for schema in "schema/result-1.json", "labs/live/schema/clock-1.json":
    jsonschema.validate(json.load(open("r.json")), json.load(open("'"$root"'/" + schema)))
for cell in json.load(open("r.json"))["cells"]:
    clock = cell["clock"]
    assert clock["pause_work_ns"] == clock["rounds"][0]["stats"]["longest_work_ns"] == clock["stats"]["longest_work_ns"], clock'
    before=$(md5sum <r.json)
    "$twbench" run --progress=never --no-system-check --json=r.json --resume --runner=locked --impl=heap,null --tasks=10 \
        --load=idle --duration=10ms
    [ "$before" = "$(md5sum <r.json)" ]
    # The ledger is the proof.
    for altered in early accepted; do
        python3 -c 'import json, sys; d = json.load(open("r.json")); d["cells"][0]["ledger"][sys.argv[1]] += 1; json.dump(d, open("bad.json", "w"))' $altered
        refuses "cells[0].ledger.$altered: does not go with the status ok" report bad.json
    done
}

@test "the schema has the figures of the lab, each with its meaning" {
    "$root/build/release/twbench-live" list --figures | python3 -c '
import json, re, sys
cells = json.load(open("'"$root"'/labs/live/schema/clock-1.json"))["properties"]["cells"]["items"]
rows = [[cell.strip().strip("`") for cell in line[2:-2].split(" | ")] for line in sys.stdin]
titles, of_lab = rows[0], [row for row in rows if re.match(r"(runner|original|ledger|clock)($|\.)", row[0])]
assert len(of_lab) > 100, len(of_lab)
for row in of_lab:
    figure, node = dict(zip(titles, row)), cells
    for key in figure["figure"].split("."):
        node = next((branch for branch in node.get("oneOf", []) if branch.get("type") != "null"), node)["properties"][key]
    meaning = figure["meaning"].replace(" Results of older versions lack it.", "")
    assert node.get("description", meaning) == meaning, (figure, node)'
}

@test "the report says that it is the real clock, in a table of its own" {
    on_clock --runner=locked --impl=heap --tasks=10 --load=idle --duration=10ms
    run "$twbench" report r.json
    [[ $output == *"on the real clock"*"locked/heap"* ]]
    [[ $output != *"ns/op"* ]]
}

# plants KEY - r.json as if each run of locked had a figure of 1 and those of the others one of 2, or the other way round
# where more is better; without what is concluded.  A run that was over before a timer ran takes the times of another.
plants() {
    python3 - "$1" <<'PYTHON'
import json, sys
document = json.load(open("r.json"))
document["standing"], rounds = [], [run for cell in document["cells"] for run in cell["clock"]["rounds"]]
for cell in document["cells"]:
    for run in cell["clock"]["rounds"]:
        *parents, key = sys.argv[1].split(".")
        for parent in parents:
            run[parent] = run = run[parent] or dict(next(filter(None, (other["times_ns"]["late"] for other in rounds))))
        value = 1e6 * ((cell["runner"] == "locked") + 1) if key == "operations_per_s" else 1e6 / ((cell["runner"] == "locked") + 1)
        run.update({name: value for name in (run if key == "p99" else [key]) if name != "count"})
json.dump(document, open("r.json", "w"))
PYTHON
}

@test "which runner is the fastest, or the least late, stands below the table and in the result" {
    on_clock --runner=locked,per-thread --impl=heap --load=closed --tasks=100 --duration=5ms --runs=6 >out
    grep -q -e 'fastest' -e 'no significant difference' out # 5 ms do not decide it
    [ "$(json r.json 'd["standing"][0]["phases"][0]["phase"], d["standing"][0]["workload"]')" = "('operations', 'closed')" ]
    plants operations_per_s
    "$twbench" report r.json | grep -q '^locked/heap is fastest'
    "$twbench" report r.json --html=r.html
    grep -q ' is fastest' r.html
    on_clock --runner=locked,tick-queue --impl=heap --workload=fill-expire --set='delay=uniform(1, 20)' --tasks=20 --runs=6 --tick=1ms
    plants times_ns.late.p99
    "$twbench" report r.json | grep -q '^locked/heap is least late'
    on_clock --runner=locked,tick-queue --impl=heap --load=idle --tasks=10 --duration=20ms --runs=1 >out
    ! grep -E '(fastest|least late)' out || false
}

# says PICTURE TEXT - is it in it?
says() {
    grep -q -- "$2" "pictures/$1.svg"
}

@test "pictures: threads on an axis, a name each, and none of what is not there" {
    for load in "closed --threads=1,2" "burst --threads=2" idle; do
        # shellcheck disable=SC2086
        "$twbench" run --runner=locked,tick-queue --impl=heap --tick=2ms --tasks=100 --duration=10ms --no-system-check --progress=never \
            --json=p.json --force --load=$load >/dev/null
        "$twbench" plot p.json --plots=pictures
    done
    jq '(.cells[].clock | ., .rounds[]?).wakeups_per_s = 0' p.json >none.json # what a starved process has
    "$twbench" plot none.json --plots=none
    says throughput-closed 'threads that start and stop'
    says throughput-closed '>tick-queue<'
    says lateness-burst 'late, p99'
    ! says caller-burst 'a stop, p' || false
    says idle-idle 'wake-ups a second'
    [ ! -e pictures/lateness-idle.svg ] && [ ! -e pictures/throughput-idle.svg ]
}

@test "flags of the real clock that make no sense are refused" {
    refuses "--runner" run --threads=2
    refuses "nosuch" run --runner=nosuch
    refuses "--batch" run --runner=locked --impl=heap --batch=4
    refuses "locked" run --runner=locked --transfer=5
    refuses "--transfer" run --runner=tick-queue --transfer=0
    refuses "--threads" run --runner=locked --threads=0
    refuses "--speed" run --runner=locked --speed=0
    refuses "--work" run --runner=locked --work=poisson
    refuses "--load" run --runner=locked --load=closed --workload=hold
    refuses "--counts-only" run --runner=locked --counts-only
    refuses "--load" replay nginx --runner=locked --load=idle
}

# 400 timers in windows of 200 ms: a wake-up for each window and each new earliest one, not for each timer.  That is a bound
# that no slow machine passes, but with mpsc-heap, whose driver a start may wake as often as it sleeps.
@test "slack on the real clock: nobody fires past its window, and who takes it wakes up for windows" {
    on_clock --runner=locked,sharded,bucket-locks,pool,delay-queue,per-thread,mpsc-heap,tick-queue --impl=heap,coalesce,slack-wheel \
        --workload=fill-expire --set='delay=uniform(1,400)' --set=slack=200ms --tasks=400
    [ "$(json r.json 'all(c["status"] == "ok" and c["ledger"]["early"] == 0 and c["ledger"]["accepted"] == 400 ==
        c["ledger"]["ran"] + c["ledger"]["returned"] for c in d["cells"])')" = True ]
    [ "$(json r.json '{(c["impl"], c["traits"]["late_ticks"]) for c in d["cells"]} == {("heap", 0), ("coalesce", 200), ("slack-wheel", 200)}')" = True ]
    json r.json '[(c["runner"], c["impl"], c["clock"]["stats"]["wakeups"], c["clock"]["stats"]["runs"]) for c in d["cells"]]'
    [ "$(json r.json 'all(c["clock"]["stats"]["wakeups"] <= 40 for c in d["cells"] if c["impl"] != "heap" and c["runner"] != "mpsc-heap")')" = True ]
}

@test "periodic timers are the runner's own: at a fixed rate and with a fixed delay" {
    for ended in fixed-rate fixed-delay; do
        until_true "200ms 2s 20s" 'all(c["clock"]["stats"]["runs"] >= 60 for c in d["cells"])' --runner=locked,tick-queue --impl=heap \
            --tick=2ms --workload=periodic --set=ended=$ended --set=period=20ms --set=duration=%s --set=slow_every=1000s --tasks=20
        [ "$(json r.json 'all(c["ledger"]["accepted"] == c["ledger"]["returned"] == 20 and c["ledger"]["ran"] == 0
            and c["ledger"]["early"] == 0 for c in d["cells"])')" = True ]
    done
}

@test "a trace is played at its speed, and as much of it as was asked for" {
    for budget in 100 1000 10000; do # the longer, the less a pause of the machine counts
        for speed in 1 10; do
            "$twbench" replay nginx --runner=locked --impl=heap --duration=${budget}ms --speed=$speed --progress=never --no-system-check \
                --json=$speed.json --force >/dev/null
        done
        one=$(json 1.json 'd["cells"][0]["clock"]["operations"]')
        ten=$(json 10.json 'd["cells"][0]["clock"]["operations"]')
        echo "$one $ten"
        [ "$(json 10.json 'd["cells"][0]["clock"]["duration_ns"]')" = ${budget}000000 ]
        [ "$ten" -le $((3 * one)) ] || return 0
    done
    false
}

@test "a run says its span before it begins, and --plan its time" {
    run "$twbench" run --runner=locked,pool --impl=heap --workload=fill-expire --set='delay=uniform(1,6500000)' --tasks=10k --plan
    echo "$output"
    [[ $output == *"locked/heap"*"pool/heap"*"2 cells, about 130"??" s on the real clock (fill-expire, 10k timers, longest delay 6"* ]]
    run "$twbench" run --runner=locked --impl=heap --load=idle --tasks=10 --duration=10ms --no-system-check
    [[ $output == *"idle, 10 timers: 1 cell on the real clock, about 0 s"* ]]
}

@test "INT and TERM end a run on the real clock, with its ledger closed and what is finished in the document" {
    # A first cell ends; the second, of a million seconds, is interrupted.
    for signal in INT TERM; do # each with a file of its own: the one before says that it has begun
        "$twbench" run --runner=one-thread,per-thread --impl=heap --load=burst --tasks=10 --slow-task=1000000s --json=r.json --force \
            --no-system-check --progress=lines 2>said-$signal & pid=$!
        comes_true grep -q "^one-thread$" said-$signal
        kill -$signal $pid
        status=0
        timeout 300 tail --pid=$pid -f /dev/null
        wait $pid || status=$?
        cat said-$signal
        [ "$status" -eq 130 ]
        # How many had begun when the signal came is the machine's affair.
        read -r ran returned < <(sed -n 's/.*one-thread was interrupted after .*: 10 timers accepted = \([0-9]*\) ran + 0 stopped + \([0-9]*\) returned.*/\1 \2/p' said-$signal)
        [ $((ran + returned)) -eq 10 ]
        grep -q "next: the same command with --resume" said-$signal
        [ "$(json r.json '[d["complete"], len(d["cells"])]')" = "[False, 0]" ]
    done
    "$twbench" run --runner=locked,pool --impl=heap --workload=fill-expire --set='delay=constant(1000000000)' --tasks=10 --json=r.json --force \
        --no-system-check --progress=lines 2>said & pid=$!
    comes_true grep -q "^locked$" said
    kill $pid
    timeout 300 tail --pid=$pid -f /dev/null
    cat said
    grep -q "locked was interrupted after .*: 10 timers accepted = 0 ran + 0 stopped + 10 returned" said
}

@test "each thread of a closed load has as many timers, however many threads there are" {
    on_clock --runner=locked --impl=heap --tasks=100 --load=closed --threads=1,3 --duration=20ms
    adds_up
    [ "$(json r.json '[c["clock"]["capacity"] for c in d["cells"]]')" = "[1124, 1324]" ]
}
