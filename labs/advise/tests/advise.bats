#!/usr/bin/env bats
# advise.bats - a load, wishes and a budget of time: what is recommended, what is left behind.
# Only what no noise can turn round is pinned: a list against a heap at thousands of timers, exact bytes.
load support

advise() {
    "$twbench" advise --progress=never --no-system-check --style=plain "$@"
}

# the candidate of that name in FILE: `of FILE NAME EXPRESSION` over it as c
of() {
    json "$1" "(lambda c: $3)(next(c for c in d['advice']['candidates'] if c['name'] == '$2'))"
}

# One process measures at a time, so that within the budget there cannot be more time of the processor than that,
# however long a busy machine takes to give it; behind it there is little to do.
advises_heap_for_little() {
    local spent TIMEFORMAT='%U %S'
    spent=$({ time advise hold --tasks=3e3 --impl=list,heap,scan --budget=4s --json=a.json --force >a.txt 2>a.err; } 2>&1)
    echo "$spent s of the processor"
    cat a.txt a.err
    awk '{ exit !($1 + $2 < 8) }' <<<"$spent" &&
        [ "$(json a.json 'd["complete"], d["kind"]')" = "(True, 'advice')" ] &&
        [ "$(json a.json 'd["advice"]["recommendation"]["candidate"].split()[0]')" = heap ]
}

@test "the budget is honoured, and the answer is one that a run of the same bears out" {
    in_some_of 5 advises_heap_for_little
    grep -q '^Take heap' a.txt
    "$twbench" run --workload=hold --tasks=3e3 --impl=list,heap --runs=3 --progress=never --no-system-check \
        --json=r.json >/dev/null
    # shellcheck disable=SC2016
    cost='sum(p["ns_per_op"]["median"] * sum(p["operations"][k] for k in ("start", "stop", "expire"))
        for p in c["phases"] if p["ns_per_op"])'
    [ "$(json r.json "(lambda cost: cost['heap'] < cost['list'])({c['impl']: $cost for c in d['cells']})")" = True ]
}

# recommends NAME ARGUMENT... - a design that the budget was enough to look at
recommends() {
    local name=$1
    shift
    advise "$@" --json=a.json --force >/dev/null
    json a.json '[(c["name"], c["status"], c["why"]) for c in d["advice"]["candidates"]]'
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
}

@test "wishes leave out, let in and refuse, each with its reason" {
    advise hold --tasks=500 --impl=heap,hashed,linux --late=10ms --memory=30 --budget=3s --json=late.json >late.txt
    cat late.txt
    [ "$(of late.json linux 'c["status"] != "left-out"')" = True ]
    json late.json '[c["name"] for c in d["advice"]["candidates"] if c["tick_ns"] > 1000000]' | grep -q 'tick=10 ms'
    [ "$(json late.json 'all(c["figures"]["bytes_per_task"] > 30 and "at most 30" in c["why"]
        for c in d["advice"]["candidates"] if c["status"] == "refused" and "bytes" in c["why"])')" = True ]
    [ "$(json late.json 'all(c["figures"]["bytes_per_task"] <= 30 for c in d["advice"]["candidates"] if c["front"])')" = True ]
    given_time recommends heap hold --tasks=500 --impl=heap,linux --for=memory
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
    grep -q 'interrupted after .* --resume goes on' a.err
    [ "$(json a.json 'd["complete"], d["kind"], d["advice"]["budget"]["interrupted"]')" = "(False, 'advice', True)" ]
    before=$(json a.json 'len(d["cells"])')
    advise hold --tasks=3e3 --impl=list,heap,hashed --budget=2s --json=a.json --resume >/dev/null
    [ "$(json a.json 'd["complete"]')" = True ]
    [ "$(json a.json 'len(d["cells"])')" -ge "$before" ]
}

# Cells of other sizes but those of the trial, which have one run, are there only when each candidate was looked at
# and the recommended one has enough samples.
@test "the load asked for comes before other sizes" {
    deep
    advise hold --tasks=3e5 --budget=6s --json=a.json >a.txt || [ "$?" -eq 4 ]
    cat a.txt
    [ "$(json a.json '(lambda sizes, r: sizes == [] or (d["advice"]["budget"]["untried"] == 0 and r["count"] >= 6))(
        [i for m in d["advice"]["sizes"]["measured"] if m["tasks"] != 300000 for i in m["cells"] if "; runs=1 " not in i],
        next((c["figures"]["cost_ns_per_op"] for c in d["advice"]["candidates"] if c["status"] == "recommended"), None))')" = True ]
}

@test "no headline says to take a candidate where the answer is not clear" {
    deep
    advise idle --tasks=2000 --impl=hashed,round --budget=2s --json=a.json >a.txt
    unclear=$(json a.json '(d["advice"]["recommendation"] or {}).get("unclear") or ""')
    cat a.txt
    if [ -n "$unclear" ]; then
        grep -q '^No clear answer' a.txt
        ! grep -q '^Take ' a.txt
    else
        grep -q '^Take ' a.txt
    fi
}

@test "a plugin stands among all designs" {
    cc -std=gnu11 -O2 -fPIC -shared -I"$root/src/impls" "$root/docs/plugins/wheel.c" -o mine.so
    advise idle --tasks=100 --plugin=./mine.so --budget=2s --json=a.json >/dev/null || [ "$?" -eq 4 ]
    names=$(json a.json 'sorted(set(c["name"].split()[0] for c in d["advice"]["candidates"]))')
    echo "$names"
    [[ $names == *"'fast'"*"'heap'"*"'wheel'"* ]]
}

@test "progress names the stage" {
    "$twbench" advise idle --tasks=100 --impl=heap --budget=1s --progress=lines --no-system-check --style=plain 2>p.txt ||
        [ "$?" -eq 4 ]
    cat p.txt
    grep -q '^look: idle, 100 tasks: ' p.txt
}

# A tick of 100 ms makes half of the timers 50 ms late, which no busy machine does to the others.
answers_runner_and_design() {
    advise hold --tasks=300 --set=delay='uniform(1,50)' --threads=2 --clock=real --runner=locked,tick-queue --impl=heap \
        --budget=3s --json=a.json --force >a.txt
    cat a.txt
    [ "$(json a.json 'd["advice"]["recommendation"]["candidate"] != "tick-queue/heap"')" = True ] &&
        [ "$(of a.json tick-queue/heap 'c["figures"]["clock"]["late_p50_ns"] > 20e6')" = True ]
}

@test "on the real clock the answer is a runner and a design, and a report shows it again" {
    in_some_of 5 answers_runner_and_design
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
    refuses "--clock: 'wall' given; expected virtual or real" advise hold --clock=wall
    refuses "--tick: with --clock=real" advise hold --clock=real --tick=1ms
    refuses "--exact: on the real clock" advise hold --clock=real --exact
    refuses "--late: a share of the delay" advise hold --clock=real --late=10%
    refuses "no runner 'nosuch'" advise hold --clock=real --runner=nosuch
}

@test "bad loads and wishes are refused by name" {
    refuses "no load given" advise
    refuses "one load too many" advise hold nginx
    refuses "workload 'nosuch'" advise nosuch
    refuses "a trace has its own" advise nginx --tasks=5
    refuses "--late: 'soon' given" advise hold --late=soon
    refuses "expected a share of the delay below 1" advise hold --late=120%
    refuses "--exact and --late" advise hold --exact --late=1ms
    refuses "--for: 'speed' given; expected cost, memory, tail, wakeups" advise hold --for=speed
    refuses "--slots" advise hold --slots=64
    echo x >there.json
    refuses "there.json: is there already" advise hold --json=there.json
}

# A proxy's idle timeouts, refreshed as long as the log goes on: no workload repeats a mix in which nothing ends.
@test "a log in which every timer is re-armed has an answer, and no other sizes" {
    awk 'BEGIN {
        for (ms = 1; ms <= 400; ms++) {
            print "2026/01/01 00:00:00 [debug] 7#7: epoll timer: 1000"
            print "2026/01/01 00:00:00 [debug] 7#7: timer delta: 1"
            for (i = 0; i < 10; i++) {
                fd = (ms * 10 + i) % 200
                if (fd in due) print "2026/01/01 00:00:00 [debug] 7#7: *1 event timer del: " fd ": " due[fd]
                due[fd] = 1000000 + ms + 65000
                print "2026/01/01 00:00:00 [debug] 7#7: *1 event timer add: " fd ": 65000:" due[fd]
            }
        }
    }' >idle.log
    "$twbench" import nginx idle.log -o idle.tt.xz --progress=never >/dev/null
    run --separate-stderr "$twbench" trace idle.tt.xz --fit=idle.json
    [ "$status" -eq 2 ]
    [[ $stderr == *"idle: no workload repeats its mix: phases[1].mix: hardly anything ends"* && ! -e idle.json ]]
    run --separate-stderr "$twbench" advise idle.tt.xz --impl=heap,hashed --budget=3s --progress=never --no-system-check --json=idle-advice.json
    echo "$status $output $stderr"
    [[ $status -eq 0 || $status -eq 4 ]]
    [[ $stderr == *"no other sizes: idle: no workload repeats its mix"* ]]
    [ "$(json idle-advice.json 'd["advice"]["load"]["tasks"], d["advice"]["sizes"]["fitted"]')" = "(200, None)" ]
}

@test "of a load that was not made nothing is told as a number" {
    run --separate-stderr "$twbench" advise nginx --impl=heap --budget=1ms --progress=never --no-system-check --json=unmade.json
    [ "$status" -eq 4 ]
    [[ $output == *"nginx: making the load took longer than its budget"* ]]
    head -n 1 <<<"$output" | grep -qx 'Which design for nginx'
    [ "$(jq -c '.advice.load | [.tasks, .tick_ns, .capacity, .horizon_ticks]' unmade.json)" = '[null,null,null,null]' ]
    python3 -c 'import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
        unmade.json "$root/schema/advice-1.json"
}

@test "a candidate that was not measured says so in the table, and a load that was not made has no tick" {
    reference=$root/results/reference/advise.json
    jq '.advice.comparisons[0] |= (.cost_ratio = null | .why = "timeout: " + ("a long reason " * 20)) | .advice.load.tick_ns = 0' "$reference" >none.json
    "$twbench" report none.json >page
    head -n 1 page | grep -qv 'tick'
    name=$(jq -r '.advice.comparisons[0].candidate' none.json)
    grep -qE "^$name +not measured$" page
    grep -qE '^ +cost +from +to +memory$' page
    # A cost of fewer than six samples has no deviation, and no sign of one.
    jq '.advice.candidates[].figures.cost_ns_per_op |= (if . then .count = 3 | .confidence = 0.75 else . end)' "$reference" >few.json
    "$twbench" report few.json >page
    [ "$(grep -cE '(±|\+-) ' page)" -eq 0 ]
}
