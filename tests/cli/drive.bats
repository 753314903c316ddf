# drive.bats - runs driven by ticks and by the next expiry.

load support

counted() {
    "$twbench" --tasks=200 --counts-only --progress=never "$@"
}

@test "every design fires the same timers at the same ticks, whoever drives" {
    for workload in standard keepalive network periodic; do
        counted --impl=all --drive=ticks,next --workload=$workload --json=$workload.json >/dev/null
        [ "$(json $workload.json '{c["status"] for c in d["cells"]}')" = "{'ok'}" ]
        [ "$(json $workload.json 'len({c["digest"] for c in d["cells"] if c["traits"]["late_shift"] + c["traits"]["late_ticks"] == 0})')" = 1 ]
        [ "$(json $workload.json '[sum(c["params"].get("drive") == w for c in d["cells"]) for w in (None, "next")] == [len(d["cells"]) / 2] * 2')" = True ]
    done
}

@test "a trace by next: the clock stops only where something happens" {
    "$twbench" replay "$traces/nginx.tt.xz" --impl=heap,hashed --drive=ticks,next --counts-only --json=t.json --progress=never >/dev/null
    [ "$(json t.json '{c["status"] for c in d["cells"]}, len({c["digest"] for c in d["cells"]})')" = "({'ok'}, 1)" ]
}

@test "wake-ups are counted, and those that were useful" {
    counted --impl=heap --workload=standard --drive=ticks,next --json=w.json >/dev/null
    python3 - <<'PYTHON'
import json
ticks, wakes = json.load(open("w.json"))["cells"]
for a, b in zip(ticks["phases"], wakes["phases"]):
    assert a["wakeups"]["count"] == a["operations"]["advance"]
    assert a["wakeups"]["next_calls"] == a["wakeups"]["to_moment"] == 0
    assert b["wakeups"]["count"] == b["operations"]["advance"] == b["wakeups"]["next_calls"]
    assert b["wakeups"]["useful"] + b["wakeups"]["to_moment"] == b["wakeups"]["count"]
    assert a["operations"]["ticks"] == b["operations"]["ticks"]
    if a["wakeups"]["count"] > 1:
        assert b["wakeups"]["count"] < a["wakeups"]["count"] / 2
PYTHON
}

@test "a timed run by next has the cost of next" {
    quick --workload=standard --impl=heap,hashed --drive=next --json=n.json --export-csv=n.csv >table
    [ "$(json n.json '[[p["latency_ns"]["next"]["count"] == p["wakeups"]["next_calls"] for p in c["phases"] if p["wakeups"]["count"]] for c in d["cells"]]')" = "[[True, True], [True, True]]" ]
    grep -q "drive=next" table
    grep -q ",drive=next" n.csv || grep -q ",\"\\?drive=next" n.csv
}

@test "cells driven differently are different cells" {
    quick --workload=standard --impl=heap --json=a.json >/dev/null
    quick --workload=standard --impl=heap --drive=ticks,next --json=a.json --resume >table
    grep -q "heap drive=next" table
    [ "$(json a.json 'len(d["cells"])')" = 2 ]
    run "$twbench" compare a.json a.json
    [ "$status" -eq 0 ]
    [[ $output == *"twbench: same"*"2 cells, none of them changed"* ]]
    quick --workload=standard --impl=heap --json=b.json >/dev/null
    quick --workload=standard --impl=heap --drive=next --json=c.json >/dev/null
    run "$twbench" compare b.json c.json
    [ "$status" -eq 2 ]
}

@test "a coarser tick: fewer wake-ups, worse precision, never early" {
    ticks="1ms 10ms 100ms 1s"
    for tick in $ticks; do
        "$twbench" replay "$traces/nginx.tt.xz" --impl=heap --counts-only --tick=$tick --json=$tick.json \
            --progress=never >$tick.table
    done
    python3 - $ticks <<'PYTHON'
import json, sys
cells = [json.load(open(f"{tick}.json"))["cells"][0] for tick in sys.argv[1:]]
for cell in cells:
    late = cell["precision"]
    assert cell["status"] == "ok" and cell["early"] == 0
    assert 0 <= late["late_mean_ns"] <= late["late_max_ns"] <= cell["tick_ns"], (cell["tick_ns"], late)
for fine, coarse in zip(cells, cells[1:]):
    assert fine["phases"][0]["wakeups"]["count"] > coarse["phases"][0]["wakeups"]["count"]
    assert fine["precision"]["late_mean_ns"] < coarse["precision"]["late_mean_ns"]
    assert fine["precision"]["below_tick"] <= coarse["precision"]["below_tick"]
# Deadlines fall anywhere in a tick: half of one, on average.
assert 0.4e9 < cells[-1]["precision"]["late_mean_ns"] < 0.6e9
assert cells[-1]["precision"]["below_tick"] > 0
PYTHON
    grep -q "precision.*late by .* on average.*below one tick" 1s.table
}

@test "a workload at a coarser tick is late by half of it, restarts and all" {
    for workload in hold fill-expire periodic; do
        counted --workload=$workload --impl=hashed,hier --tick=3s --json=$workload.json >/dev/null
        json $workload.json '[(c["status"], c["tick_ns"], c["precision"]) for c in d["cells"]]'
        [ "$(json $workload.json 'all(c["status"] == "ok" and 0 < c["precision"]["late_mean_ns"] <= c["precision"]["late_max_ns"] < 3e9 for c in d["cells"])')" = True ]
    done
    [ "$(json hold.json '1.2e9 < d["cells"][0]["precision"]["late_mean_ns"] < 1.8e9')" = True ]
    counted --workload=hold --impl=hashed --json=own.json >table
    [ "$(json own.json 'd["cells"][0]["precision"]')" = "{'late_mean_ns': 0, 'late_max_ns': 0, 'late_p50_ns': 0, 'late_p99_ns': 0, 'below_tick': 0}" ]
    run ! grep -q precision table
}

@test "a drive that is none" { refuses "ticks, next" --drive=clock; }
@test "a drive given twice" { refuses --drive --drive=next,next; }
@test "steps are of calls by ticks" {
    quick --workload=standard --impl=heap --drive=next --counters=step --json=s.json >/dev/null
    [ "$(json s.json 'd["cells"][0]["stepped"]["instructions"], d["cells"][0]["stepped"]["reason"]')" = "(None, 'only calls driven by ticks are stepped through')" ]
}

# batched DESIGNS WORKLOADS TASKS
batched() {
    "$twbench" run --workload="$2" --tasks="$3" --impl="$1" --batch=1,7 --drive=ticks,next --runs=1 --warmup=0 \
        --min-time=0ns --patience=0ns --json=r.json --no-system-check --progress=never >out
    [ "$(json r.json "{c['status'] for c in d['cells']}")" = "{'ok'}" ]
    [ "$(json r.json "sorted({c['params'].get('batch', 0) for c in d['cells']})")" = "[1, 7]" ]
}

@test "--batch times batches beside single calls, with the oracle's digest" {
    batched callwheel,heap hold,fill-cancel 50
    grep -q 'callwheel batch=7' out
}

@test "--batch does so for every design (deep)" {
    deep
    batched all keepalive,hold,fill-cancel 300
}

@test "slack: who takes it wakes up less often, nobody fires early, and the others stay exact" {
    "$twbench" run --workload=nginx --set=slack=1/8+5ms --drive=next --counts-only --progress=never \
        --impl=heap,coalesce,slack-wheel --json=slack.json >table
    [ "$(json slack.json '{c["status"] for c in d["cells"]}')" = "{'ok'}" ]
    [ "$(json slack.json '[(c["traits"]["late_ticks"], c["traits"]["late_shift"]) for c in d["cells"]]')" = "[(0, 0), (5, 3), (5, 3)]" ]
    [ "$(json slack.json '{(c["stream"]["slack_ticks"], c["stream"]["slack_shift"]) for c in d["cells"]}')" = "{(5, 3)}" ]
    [ "$(json slack.json '[c["digest"] == c["expected_digest"] for c in d["cells"]]')" = "[True, False, False]" ]
    json slack.json '[sum(p["wakeups"]["useful"] for p in c["phases"]) for c in d["cells"]]' | tr -d '[],' >wakeups
    read -r heap coalesce wheel <wakeups
    [ "$coalesce" -lt "$wheel" ] && [ "$wheel" -lt "$heap" ]
    [ "$(json slack.json '[c["precision"]["late_p50_ns"] <= c["precision"]["late_p99_ns"] <= c["precision"]["late_max_ns"] for c in d["cells"]]')" = "[True, True, True]" ]
    grep -q 'wake-ups.*coalesce: [0-9]*, with [0-9.]* expiries each' table
}

@test "slack: part of what a load is, of every load" {
    for slack in 0 7 7ms 1/4; do
        "$twbench" run --workload=hold --tasks=20 --set=slack=$slack --runs=1 --progress=never --impl=hashed,coalesce --json=s.json --force >/dev/null
        json s.json '(d["cells"][1]["status"], d["cells"][0]["stream"]["hash"])'
    done >hashes
    [ "$(sort -u hashes | wc -l)" -eq 3 ]
    [ "$(grep -c "'ok'" hashes)" -eq 4 ]
    refuses "'1/3' given" run --workload=nginx --set=slack=1/3
    refuses "'-1' given" run --workload=hold --set=slack=-1
    refuses "less than 2^32 ticks" run --workload=hold --set=slack=5e9
    refuses "expected only slack" run --workload=nginx --set=delay=3
}
