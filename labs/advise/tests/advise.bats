#!/usr/bin/env bats
# advise.bats - a load, wishes and a budget of time: what is recommended, what is left behind.
# No winner by time is expected: the unit tests have planted ones.
load ../../../tests/cli/support

advise() {
    "$twbench" advise --progress=never --no-system-check --style=plain "$@"
}

# of FILE NAME EXPRESSION - over the candidate of that name as c
of() {
    json "$1" "(lambda c: $3)(next(c for c in d['advice']['candidates'] if c['name'] == '$2'))"
}

# answers ARGUMENT... - in a budget that was enough
answers() {
    advise "$@" --json=a.json --force >a.txt 2>a.err && [ "$(json a.json 'd["advice"]["recommendation"] is not None')" = True ]
}

@test "a load has an answer among its candidates, and a command that measures it again" {
    given_time answers hold --tasks=300 --impl=list,heap,scan
    [ "$(json a.json 'd["complete"], d["kind"], d["advice"]["recommendation"]["candidate"] in [c["name"] for c in d["advice"]["candidates"]]')" = "(True, 'advice', True)" ]
    [ "$(json a.json 'all((c["sampling"]["runs"] == 1) == (c["phases"][0]["latency_ns"]["start"] is None) for c in d["cells"] if c["status"] == "ok")')" = True ] # single calls: of who races
    grep -q -e '^Take ' -e '^No clear answer' a.txt
    read -r _ arguments < <(json a.json 'd["advice"]["recommendation"]["command"]')
    # shellcheck disable=SC2086
    "$twbench" $arguments --counts-only --progress=never >/dev/null
}

# recommends NAME ARGUMENT... - a design that the budget was enough to look at
recommends() {
    local name=$1
    shift
    advise "$@" --json=a.json --force >/dev/null
    [ "$(json a.json '(d["advice"]["recommendation"] or {}).get("candidate", "none").split()[0]')" = "$name" ]
}

@test "a report shows the same advice again" {
    advise idle --impl=heap,list --budget=1s --json=a.json >a.txt || [ "$?" -eq 4 ]
    [ "$(json a.json 'd["advice"]["recommendation"] is None')" = False ] ||
        advise idle --impl=heap,list --budget=20s --json=a.json --force >a.txt
    "$twbench" report a.json --style=plain >b.txt
    diff a.txt b.txt
    "$twbench" report a.json --export-markdown=- >a.md
    grep -q '^## Which design for idle' a.md
    candidate=$(json a.json 'd["advice"]["recommendation"]["candidate"]')
    grep -q -e "^Take \*\*$candidate\*\*$" -e "^\*\*No clear answer.*The rest is about $candidate\.$" a.md
    python3 -IS -c 'import json; d = json.load(open("a.json")); d["advice"]["recommendation"]["candidate"] = "nobody"; json.dump(d, open("bad.json", "w"))'
    refuses 'bad.json: advice.recommendation: "nobody", and 1 are recommended' report bad.json
}

@test "wishes leave out, let in and refuse, each with its reason" {
    advise hold --tasks=500 --impl=heap,hashed,linux --late=10ms --memory=30 --budget=3s --json=late.json >late.txt
    cat late.txt
    [ "$(of late.json linux 'c["status"] != "left-out"')" = True ]
    json late.json '[c["name"] for c in d["advice"]["candidates"] if c["tick_ns"] > 1000000]' | grep -q 'tick=10 ms'
    [ "$(json late.json 'all(c["figures"]["bytes_per_task"] > 30 and "at most 30" in c["why"]
        for c in d["advice"]["candidates"] if c["status"] == "refused" and "bytes" in c["why"])')" = True ]
    [ "$(json late.json 'all(c["figures"]["bytes_per_task"] <= 30 for c in d["advice"]["candidates"] if c["front"])')" = True ]
    recommends heap hold --tasks=500 --impl=heap,linux --for=memory --budget=8s
    [ "$(of a.json linux '(c["status"], "--late" in c["why"])')" = "('left-out', True)" ]
}

# A busy machine may leave no time for other ticks.
leaves_out_coarser_ticks() {
    advise network --tasks=200 --impl=heap --late=10ms "$@" --json=a.json --force >/dev/null
    [ "$(of a.json 'heap tick=10 ms' '(c["status"], c["why"])')" = \
        "('left-out', 'its delays are counted in ticks: at another tick it is another load')" ]
}

@test "where delays are counted in ticks a coarser tick would be another load, and is left out" {
    given_time leaves_out_coarser_ticks
}

hopeless_is_a_timeout() {
    recommends hashed hold --tasks=1e5 --impl=list,hashed "$@" && [ "$(of a.json list 'c["status"]')" = timeout ]
}

@test "a hopeless design is a recorded timeout, and the others have their answer" {
    given_time hopeless_is_a_timeout
}

@test "interrupted, it leaves the advice so far; --resume goes on" {
    deep
    interrupts INT '[ -e a.json ]' "$twbench" advise hold --tasks=3e3 --impl=list,heap,hashed --budget=10m \
        --progress=never --no-system-check --json=a.json >a.txt 2>a.err
    [ "$status" -eq 130 ]
    grep -q 'interrupted after .* continue with: twbench advise hold .* --json=a.json --resume' a.err
    [ "$(json a.json 'd["complete"], d["kind"], d["advice"]["budget"]["interrupted"]')" = "(False, 'advice', True)" ]
    before=$(json a.json 'len(d["cells"])')
    advise hold --tasks=3e3 --impl=list,heap,hashed --budget=2s --json=a.json --resume >/dev/null
    [ "$(json a.json 'd["complete"]')" = True ]
    [ "$(json a.json 'len(d["cells"])')" -ge "$before" ]
}

@test "--between advises by the time of one call, whoever drives, and says so" {
    advise network --tasks=200 --impl=heap --between=4KiB --budget=2s --json=a.json >a.txt || [[ $? == [14] ]]
    [ "$(json a.json '{c["params"]["between"] for c in d["cells"]}, d["advice"]["wishes"]["between"]')" = "({'4KiB'}, '4KiB')" ]
    [ "$(json a.json 'all(p["corrected"] for c in d["cells"] if c["status"] == "ok" for p in c["phases"])')" = True ]
    [ "$(json a.json '"behind other work in 4KiB" in d["advice"]["wishes"]["rule"]')" = True ]
    [ "$(json a.json 'd["advice"]["recommendation"] is None or "--between=4KiB" in d["advice"]["recommendation"]["command"]')" = True ]
    advise network --tasks=200 --impl=heap --between=none --budget=300ms --json=b.json >b.txt || [[ $? == [14] ]]
    [ "$(json b.json '"between" in d["advice"]["wishes"], any("between" in c["params"] for c in d["cells"])')" = "(False, False)" ]
    advise network --tasks=200 --impl=heap --budget=300ms --json=c.json >c.txt || [[ $? == [14] ]]
    [ "$(json c.json '{c["params"]["between"] for c in d["cells"]}, d["advice"]["wishes"]["between"]')" = "({'chain'}, 'chain')" ]
    tr '\n' ' ' <c.txt | grep -q 'overhead-corrected time of one *call'
}

@test "a plugin stands among all designs" {
    cc -std=gnu11 -O2 -fPIC -shared -I"$root/src/impls" "$root/docs/plugins/wheel.c" -o mine.so
    advise idle --tasks=100 --plugin=./mine.so --budget=1s --json=a.json >/dev/null || [ "$?" -eq 4 ]
    names=$(json a.json 'sorted(set(c["name"].split()[0] for c in d["advice"]["candidates"]))')
    echo "$names"
    [[ $names == *"'fast'"*"'heap'"*"'wheel'"* ]]
    refuses "chooses the parameters itself" advise hold --plugin=./mine.so,slots=4
}

@test "the page says how many candidates were measured, and the budget to try next" {
    advise hold --tasks=1000 --budget=100ms --json=a.json >a.txt || [ "$?" -eq 4 ]
    cat a.txt
    measured=$(json a.json 'sum(c["figures"] is not None for c in d["advice"]["candidates"])')
    untried=$(json a.json 'd["advice"]["budget"]["untried"]')
    [ "$untried" -gt 0 ]
    tr '\n' ' ' <a.txt | grep -q "Measured: $measured candidates; $untried more were not. *Try --budget=[125]0*s next\."
    [ "$(json a.json 'all(c["name"].split()[0] in ("hashed", "heap", "hier", "fast") for c in d["advice"]["candidates"] if c["figures"])' )" = True ] ||
        [ "$measured" -gt 4 ]
}

# Ten minutes of processor time are not over in the second that the deadline leaves.
@test "--deadline ends it by the wall clock, whatever is left of the budget" {
    "$twbench" advise hold --tasks=1e5 --deadline=1s --budget=10m --progress=never --no-system-check \
        --json=a.json >a.txt || [ "$?" -eq 4 ]
    [ "$(json a.json 'd["advice"]["budget"]["untried"] > 0')" = True ]
    tr '\n' ' ' <a.txt | grep -q 'Try --deadline=[125]0*s next\.'
}

@test "progress names the stage" {
    "$twbench" advise idle --tasks=100 --impl=heap --budget=300ms --progress=lines --no-system-check --style=plain 2>p.txt ||
        [ "$?" -eq 4 ]
    cat p.txt
    grep -q '^first: idle, 100 tasks: ' p.txt
}

# The runs are played by the program of another lab.
needs_live() {
    [ -x "$root/build/release/twbench-live" ] || skip "the lab live is not built"
}

# A tick of 100 ms makes half of the timers 50 ms late.
answers_runner_and_design() {
    advise hold --tasks=300 --set=delay='uniform(1,50)' --threads=2 --clock=real --runner=locked,tick-queue --impl=heap \
        "$@" --json=a.json --force >a.txt
    cat a.txt
    [ "$(json a.json 'd["advice"]["recommendation"] is not None')" = True ] &&
        [ "$(of a.json tick-queue/heap 'c["figures"]["clock"]["late_p50_ns"] > 20e6')" = True ]
}

@test "on the real clock the answer is a runner and a design, and a report shows it again" {
    needs_live
    given_time answers_runner_and_design
    grep -q '^Which runner and design for hold' a.txt
    grep -q 'The runner .*The design' <(tr '\n' ' ' <a.txt)
    json a.json 'd["advice"]["recommendation"]["command"]' | grep -q -e '--runner=.* --threads=2 .*--impl=heap'
    "$twbench" report a.json --style=plain | diff a.txt -
    "$twbench" report a.json --html=a.html >/dev/null
}

@test "flags of the real clock want it, and others do not go with it" {
    refuses "--clock=real is missing" advise hold --threads=2
    refuses "--clock=real is missing" advise hold --runner=locked
    refuses "--for=late: lateness is of the real clock" advise hold --for=late
    refuses "--clock: 'wall' given; expected one of virtual, real" advise hold --clock=wall
    refuses "--tick: with --clock=real" advise hold --clock=real --tick=1ms
    refuses "--exact: on the real clock" advise hold --clock=real --exact
    refuses "--between: with --clock=real" advise hold --clock=real --between=chain
    refuses "--late: a share of the delay" advise hold --clock=real --late=10%
    refuses "--resume: not with --clock=real" advise hold --clock=real --json=a.json --resume
    needs_live
    refuses "no runner 'nosuch'" advise hold --clock=real --runner=nosuch
}

# A program of the lab live whose runs are planted: the runner quick is late by 1 ms, slow by 20 ms.
planted_live() {
    mkdir -p bin
    cp "$root/build/release/twbench" "$root/build/release/twbench-advise" bin
    cat >bin/twbench-live <<'PYTHON'
#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
print(*words, file=open("calls", "a"))
flags = dict(word[2:].split("=", 1) for word in words if "=" in word)
if words[0] == "list":
    print(json.dumps({"runners": [{"name": n, "summary": f"{n} runner", "after": "nobody"} for n in ("quick", "slow")]}))
    sys.exit()
late = {"quick": 1e6, "slow": 2e7}[flags["runner"]]
times = {"p50": late / 2, "p99": late, "mean": late / 2, "max": 2 * late}
run = {"process_cpu_ns": 1e5, "operations": 1000, "times_ns": {"start": times, "stop": times, "late": times}}
clock = {"tick_ns": 1000, "bytes_per_timer": 80, "wakeups_per_s": 5, "stats": {"own_bytes": 100, "design_bytes": 900},
         "times_ns": run["times_ns"], "rounds": [run]}
print(json.dumps({"cells": [{"identity": "x", "runner": flags["runner"], "impl": flags["impl"], "status": "ok",
                             "reason": None, "stream": {"hash": "1", "capacity": 300}, "clock": clock}]}))
PYTHON
    chmod +x bin/twbench-live
}

advises_planted() {
    bin/twbench advise hold --tasks=300 --clock=real --no-system-check --progress=never --workloads-dir="$root/workloads" "$@"
}

# On the real clock the budget is wall time, and a busy machine starts few programs in it.
answers_planted() {
    advises_planted "$@" --json=a.json --force >a.txt 2>a.err && [ "$(of a.json slow/heap 'c["status"]')" = dominated ] &&
        grep -q -e '--load=idle --tasks=10' calls
}

@test "on the real clock each run is a call of the lab live, and the runner that is less late is the answer" {
    planted_live
    given_time answers_planted --threads=2 --impl=heap,hashed
    cat a.txt a.err
    grep -q -e '^Take quick/' -e '^No clear answer.*quick/' a.txt
    grep -q 'The runner quick: quick runner (after nobody)' a.txt
    [ "$(of a.json slow/heap 'c["figures"]["clock"]["late_p99_ns"]["median"] == 2e7')" = True ]
    [ "$(json a.json 'min(r["clock"]["rounds"][0]["operations"] for r in d["advice"]["runs"])')" = 1000 ]
    json a.json 'd["advice"]["recommendation"]["command"]' | grep -q -e '--runner=quick --threads=2 .*--impl=h'
    grep -q '^run --runner=slow --impl=heap --threads=2 --workload=hold --tasks=300 .*--runs=1 .*--json=-$' calls
    bin/twbench report a.json | diff a.txt -
    advises_planted --runner=slow --impl=heap --budget=2s --json=b.json >/dev/null || [ "$?" -eq 4 ]
    [ "$(json b.json '{c["runner"] for c in d["advice"]["candidates"]}')" = "{'slow'}" ]
    run ! bin/twbench advise hold --clock=real --runner=nosuch --workloads-dir="$root/workloads"
    [[ $output == *"no runner 'nosuch'; expected one of quick, slow"* ]]
}

@test "without the lab live the real clock is refused, and how to get it is said" {
    mkdir -p bin
    cp "$root/build/release/twbench" "$root/build/release/twbench-advise" bin
    run --separate-stderr bin/twbench advise hold --clock=real --workloads-dir="$root/workloads"
    echo "$stderr"
    [ "$status" -eq 2 ]
    [[ $stderr == *"--clock=real is in the lab live: 'make live'"* ]]
}

@test "bad loads and wishes are refused by name" {
    refuses "no load given" advise
    refuses "is a second load" advise hold nginx
    refuses "workload 'nosuch'" advise nosuch
    refuses "twbench import nginx error.log" advise error.log
    refuses "a trace has its own" advise nginx --tasks=5
    refuses "--late: 'soon' given" advise hold --late=soon
    refuses "expected a share of the delay below 1" advise hold --late=120%
    refuses "--exact and --late" advise hold --exact --late=1ms
    refuses "--for: 'speed' given; expected one of cost, memory, tail, late, wakeups" advise hold --for=speed
    refuses "--slots" advise hold --slots=64
    echo x >there.json
    refuses "there.json: is there already" advise hold --json=there.json
}

@test "of a load that was not made nothing is told as a number" {
    run --separate-stderr "$twbench" advise nginx --impl=heap --budget=1ms --progress=never --no-system-check --json=unmade.json
    [ "$status" -eq 4 ]
    [[ $output == *"nginx: making the load took longer than its budget"* ]]
    head -n 1 <<<"$output" | grep -qx 'Which design for nginx'
    [ "$(jq -c '.advice.load | [.tasks, .tick_ns, .capacity, .horizon_ticks]' unmade.json)" = '[null,null,null,null]' ]
    python3 -c 'import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
        unmade.json "$root/labs/advise/schema/advice-1.json"
}

@test "a candidate that was not measured says so in the table, and a load that was not made has no tick" {
    reference=$root/results/reference/advise.json
    jq '.advice.comparisons[0] |= (.cost_ratio = null | .memory_ratio = null | .why = "timeout: " + ("a long reason " * 20)) | .advice.load.tick_ns = 0' "$reference" >none.json
    "$twbench" report none.json >page
    head -n 1 page | grep -qv 'tick'
    name=$(jq -r '.advice.comparisons[0].candidate' none.json)
    grep -qE "^$name +not measured$" page
    grep -qE '^ +cost +memory$' page
    jq '.advice.comparisons[0] |= (.cost_ratio = null | .memory_ratio = 2 | .why = "cost unclear: for a reason")' "$reference" >none.json
    "$twbench" report none.json | grep -qE "^$name +unclear +2$"
    jq '.advice.recommendation.unclear = "No clear answer between them"' "$reference" >none.json
    [ "$("$twbench" report none.json | grep -oE '^Take|^No clear answer between them' | sort -u)" = "No clear answer between them" ]
    jq '.advice |= (.recommendation = null | .comparisons = []) | (.advice.candidates[] | select(.status == "recommended")).status = "front"' "$reference" >none.json
    "$twbench" report none.json | grep -qF "No clear answer: the goal's figure is unclear for all."
}

# In the one no candidate lies beyond the edge of the picture, but the interval of one does; in the other all others are
# hopeless.
@test "an advice with a point or an interval beyond the edge is drawn, and what lies there is counted" {
    python3 - "$root/results/reference/advise.json" <<'PYTHON'
import copy, json, sys
document = json.load(open(sys.argv[1]))
for name, factor, upper in (("interval", 1.05, 100), ("hopeless", 1000, 1001)):
    planted = copy.deepcopy(document)
    best = planted["advice"]["recommendation"]["candidate"]
    base = next(c for c in planted["advice"]["candidates"] if c["name"] == best)["figures"]["cost_ns_per_op"]["median"]
    for candidate in planted["advice"]["candidates"]:
        if candidate["name"] != best and candidate["figures"]:
            candidate.update(status="dominated", front=False)
            candidate["figures"]["cost_ns_per_op"].update(median=base * factor, low=base * factor, high=base * upper)
    json.dump(planted, open(f"{name}.json", "w"))
PYTHON
    "$twbench" plot interval.json --plots=interval
    "$twbench" plot hopeless.json --plots=hopeless
    grep -q 'farther right' hopeless/advise-nginx.svg
}

@test "the command to repeat has what was set: the slack of a trace" {
    advise libuv-bind --set=slack=1/8 --impl=coalesce --budget=3s --json=slack.json >/dev/null 2>&1
    [[ $(json slack.json 'd["advice"]["recommendation"]["command"]') == "twbench replay libuv-bind --set=slack=1/8 --impl=coalesce"* ]]
}

@test "--slack counts what slack would save, and adds its column" {
    answers libuv-bind --slack=1/8 --impl=heap,coalesce --budget=30s
    cat a.txt
    [ "$(json a.json '(lambda s: (s["asked"], s["ticks"], s["shift"], [c["impl"] for c in s["designs"]]))(d["advice"]["slack"])')" = "('1/8', 0, 3, ['coalesce', 'slack-wheel'])" ]
    # The counts of run, and the share that they are of one another.
    "$twbench" run --workload=libuv-bind --set=slack=1/8 --drive=next --counts-only --progress=never --impl=heap,coalesce,slack-wheel --json=counts.json >/dev/null
    json counts.json '[sum(p["wakeups"]["useful"] for p in c["phases"]) for c in d["cells"]]' >counted
    [ "$(json a.json '(lambda s: [int(s["exact_wakeups"])] + [int(c["wakeups"]) for c in s["designs"]])(d["advice"]["slack"])')" = "$(<counted)" ]
    [ "$(json a.json 'all(abs(c["saved_share"] - (1 - c["wakeups"] / d["advice"]["slack"]["exact_wakeups"])) < 1e-6 for c in d["advice"]["slack"]["designs"])')" = True ]
    [ "$(json a.json '{(c["impl"], c["figures"]["slack_wakeups"] == d["advice"]["slack"]["exact_wakeups"]) for c in d["advice"]["candidates"] if c["figures"]} == {("heap", True), ("coalesce", False)}')" = True ]
    grep -q 'with slack' a.txt
    refuses "only one of them" advise libuv-bind --slack=1/8 --set=slack=1/4
    refuses "'1/3' given" advise libuv-bind --slack=1/3
    refuses "virtual time" advise libuv-bind --slack=1/8 --clock=real
}
