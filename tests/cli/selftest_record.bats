# What a selftest leaves behind, and which results have it.
load support

memo=state/twbench/selftest.json

# A selftest that is over in seconds, once it has found something; what that is does not matter here.
selftest_within() {
    "$twbench" selftest --impl=heap --workload=hold --tasks=100 --pairs=14 --max-pairs=14 --samples=1 \
        --min-time=100us --patience=0ms --budget="$budget" "$@" >selftest.out
    local status=$?
    budget=20s
    [ "$status" -eq 0 ] && ! grep -q 'Left out.*: everything' selftest.out
}
quick_selftest() {
    local budget=2s
    in_some_of 3 selftest_within --json=selftest.json --force "$@"
}

@test "results have the figures of the last selftest" {
    quick --impl=heap --json=before.json >/dev/null
    [ "$(json before.json 'd["machine"]["selftest"]')" = None ]
    quick_selftest --progress=never >/dev/null
    quick --impl=heap --json=- >after.json
    [ "$(json after.json 'd["machine"]["selftest"]["date_utc"]')" = "$(json selftest.json 'd["tool"]["date_utc"]')" ]
    for key in comparisons false_alarm_rate false_alarm_high detection harness_ns_per_op timer_overhead_ns; do
        [ "$(json after.json "d['machine']['selftest']['$key']")" = "$(json selftest.json "d['$key']")" ]
    done
    [ "$(json after.json 'd["machine"]["selftest"]["cells"]')" = 1 ]
    "$twbench" report after.json
}

@test "an interrupted selftest leaves the last one as it is" {
    quick_selftest --progress=never >/dev/null
    cp "$memo" good.json
    interrupts INT true "$twbench" selftest --impl=heap --workload=hold --tasks=100 --budget=1h --progress=never >/dev/null
    [ "$status" -eq 130 ]
    cmp "$memo" good.json
}

@test "where nothing can be written, the selftest warns and is none the worse" {
    touch file
    XDG_STATE_HOME=$PWD/file run --separate-stderr quick_selftest --no-system-check --progress=lines
    [ "$status" -eq 0 ]
    [ "$(json selftest.json 'd["comparisons"] > 0')" = True ]
    [[ $stderr == *"warning: "*" $PWD/file/twbench: cannot be made: "* ]]
}
