#!/usr/bin/env bats
# budgets.bats - a load that takes minutes to make, and small budgets: advise ends, and says what it left out.
#
# A load is made by one process in one piece, so that its processor time says how long it took, whatever else runs.
load ../../../tests/cli/support

# Less than a thousandth is made; of a smaller load there may be figures.
@test "advise: a load that cannot be made ends with the budget, in a record that says so and exit status 4" {
    slow_workload
    within 10 "$twbench" advise slow.json --tasks=1000 --budget=1s --impl=heap,hashed --progress=never \
        --no-system-check --style=plain --json=a.json
    [ "$status" -eq 4 ]
    [ "$(json a.json 'd["advice"]["recommendation"], d["advice"]["budget"]["cut"], d["advice"]["budget"]["untried"]')" = "(None, True, 2)" ]
    [ "$(json a.json '"slow: making the load of 1000 tasks took longer" in d["left_out"][0]')" = True ]
    grep -q '^Nothing was measured' out.txt
    grep -q '^Left out: slow: making the load of 1000 tasks' out.txt
}

# A machine that stands still may not make even the smallest of them.
looks_at_fewer() {
    local budget
    for budget in 4 16 64; do
        within $((10 * budget)) "$twbench" advise hold --tasks=1e8 --budget=${budget}s --impl=heap,hashed --progress=never \
            --no-system-check --style=plain --json=a.json --force
        [ "$(json a.json 'd["advice"]["load"]["tasks"] < 1e8')" = False ] || return 0
    done
    return 1
}

@test "advise: a load too large for the budget is looked at with fewer tasks, and the answer says so" {
    looks_at_fewer
    [ "$(json a.json '"100000000 tasks" in d["left_out"][0]')" = True ]
    grep -q '^Left out: hold: making the load of 100000000 tasks' out.txt
}
