# periodic.bats - periodic tasks from the command line: both ways of catching up, fixed delay, refusals.

load support

run_periodic() {
    run --separate-stderr "$twbench" --workload=periodic --tasks=200 --impl=heap,hashed --counts-only \
        --progress=never "$@"
}

@test "late runs are skipped, or made up for in a burst, and both are shown" {
    run_periodic
    [ "$status" -eq 0 ]
    [[ $output == *"1 thread  fixed-rate, skip: "*" runs, "*" missed, late by "* ]]
    [[ $output == *"1 thread  fixed-rate, burst: "*" runs, 0 missed, late by "* ]]
}

@test "a fixed delay has one line, and the same one from the stored result" {
    run_periodic --set ended=fixed-delay --json="$BATS_TEST_TMPDIR/r.json"
    [ "$status" -eq 0 ]
    [[ $output == *"1 thread  fixed-delay: "* ]]
    [[ $output != *skip* ]]
    line=$(grep '^1 thread' <<<"$output")
    run "$twbench" report "$BATS_TEST_TMPDIR/r.json"
    [[ $output == *"$line"* ]]
}

@test "a slow task that takes one tick makes nobody miss a run" {
    run_periodic --set slow_run=1
    [ "$status" -eq 0 ]
    [[ $output == *"fixed-rate, skip: "*" runs, 0 missed, "* ]]
}

@test "what cannot be scheduled is refused" {
    run_periodic --set ended=hourly
    [ "$status" -eq 2 ]
    [[ $stderr == *"phases[1].ended: 'hourly' given; expected one of idle, restart, replace, fixed-rate, fixed-delay"* ]]
    run_periodic --set period=0
    [ "$status" -eq 2 ]
    run_periodic --set slow_every=0
    [ "$status" -eq 2 ]
    [[ $stderr == *"slow_every: 0, expected 1 .. 2^53 ticks"* ]]
}
