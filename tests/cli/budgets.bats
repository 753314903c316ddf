#!/usr/bin/env bats
# budgets.bats - a load that takes minutes to make, and small budgets: each command ends, and says what it left out.
#
# A load is made by one process in one piece, so that its processor time says how long it took, whatever else runs.
load support

@test "run: a load that takes more than four budgets to make is left out, and the next one is run" {
    deep
    slow_workload
    within 15 "$twbench" run --workload=slow.json,hold --tasks=1000 --impl=heap --runs=1 --budget=500ms \
        --progress=never --no-system-check --json=r.json
    [ "$status" -eq 1 ]
    [ "$(json r.json 'len(d["left_out"]), "slow: making the load of 1000 tasks took longer" in d["left_out"][0]')" = "(1, True)" ]
    [ "$(json r.json '{c["workload"] for c in d["cells"]}')" = "{'hold'}" ]
    "$twbench" report r.json --style=plain | grep -q '^Left out: slow: making the load'
}

@test "compare and selftest: the process that makes the load is ended at the budget" {
    deep
    slow_workload
    within 20 "$twbench" compare "$twbench" "$twbench" --impl=heap --workload=slow.json --pairs=14 --budget=1s \
        --progress=never --json=c.json
    [ "$status" -eq 2 ]
    grep -q 'left out: slow: making the load of 1000 tasks took longer' err.txt
    within 15 "$twbench" selftest --budget=1s --tasks=3e7 --progress=never --json=s.json
    [ "$status" -eq 0 ]
    [ "$(json s.json 'any("the last round" in text for text in d["left_out"])')" = True ]
}
