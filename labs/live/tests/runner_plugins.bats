#!/usr/bin/env bats
# runner_plugins.bats - run and replay with a runner from a shared object: right ones, and wrong ones of every kind.
load support

# mine NAME RUNNER [EDIT [FILE EDIT]] - as runner_plugin, by the name of my-NAME.
mine() {
    runner_plugin "$1" "$2" "s/\.name = \".*\",/.name = \"my-$1\",/; ${3:-}" "${@:4}"
}

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
    cd "$BATS_FILE_TMPDIR"
    mine queue tick_queue
    mine locks locked
}

# on_clock COMMAND ARGUMENT... - a short run, its document in r.json.
on_clock() {
    "$twbench" "$@" --progress=never --no-system-check --json=r.json --force
}

# breaks PATTERN PLUGIN ARGUMENT... - the run of the plugin's runner is an outcome with that reason, and exit status 1.
breaks() {
    local pattern=$1 plugin=$2
    shift 2
    [[ " $* " == *--load=* ]] || set -- --load=closed "$@"
    status=0
    on_clock run --plugin=./"$plugin".so --impl=heap --tasks=200 --duration=20ms --tick=1ms "$@" >table || status=$?
    cat table
    jq -c '.cells[] | [.status, .reason]' r.json
    [ "$status" -eq 1 ]
    [[ $(jq -r '.cells[0].status + ": " + .cells[0].reason' r.json) == $pattern ]]
}

@test "run and replay take a plugin's runner beside those of the program, with its settings" {
    cp "$BATS_FILE_TMPDIR"/*.so .
    [ "${DEPTH:-}" = all ] && loads="closed burst storm idle" || loads=closed
    for load in $loads; do
        on_clock run --plugin=./queue.so --plugin=./locks.so --runner=locked --impl=heap --tasks=300 --load=$load --duration=20ms --tick=2ms --threads=2 >table
        jq -e '[.cells[].runner] == ["locked", "my-queue", "my-locks"]' r.json
        jq -e 'all(.cells[]; .status == "ok" and .ledger.accepted > 0 and .ledger.early == 0 and
            .ledger.accepted == .ledger.ran + .ledger.stopped + .ledger.returned)' r.json
    done
    on_clock run --plugin=./queue.so --transfer=100 --impl=round --tasks=1000 --load=burst --tick=5ms >table
    jq -e '.cells[0].clock.stats.most_transferred == 100' r.json
    printf '# timer-trace 1\n# source: a test\n# unit_ns: 1000000\n# ids: 2\n# ops: 4\n# max_armed: 2\n# end: 30\n0 s 0 5\n0 s 1 9\n3 c 1\n20 s 1 7\n' >short.tt
    on_clock replay ./short.tt --plugin=./locks.so --impl=hier >table
    jq -e '.cells[0] | .runner == "my-locks" and .status == "ok"' r.json
}

@test "a plugin's runner that crashes or does not keep its ledger is an outcome, and fails the run" {
    bad_runner_stop crashes '*(volatile int *)(uintptr_t)8 = 1'
    breaks 'crashed: *signal 11*' crashes
    # Says that it stopped what it did not.
    bad_runner_stop lies '(void)single_stop; (void)seat; (void)timer; return TW_RUN_STOPPED'
    breaks 'mismatch: *' lies
}

@test "a plugin's runner that exits, is early or tells nonsense is an outcome, and fails the run" {
    deep
    bad_runner_stop exits '_Exit(0)'
    breaks 'crashed: *' exits
    mine early locked '' moment.h 's|return (moment - ticking->open_ns - 1) / ticking->tick_ns + 1;|return ticking->open_ns > moment;|'
    breaks 'mismatch: *early*' early --load=idle # no machine is as late as these are early
    mine tickless locked '' single.h 's|^    guarded_describe(.*|&\n    out->tick_ns = 0;|'
    breaks 'crashed: *tick of 0*' tickless
}

@test "a plugin's runner that hangs is an outcome, and fails the run" {
    # It takes as long as a run may: half a minute.
    deep
    bad_runner_stop hangs 'for (;;) seat_wait(seat, moment_now() + 1000000)'
    breaks 'crashed: *did not end*' hangs --budget=1s
}

@test "a runner's plugin that cannot be taken is refused" {
    runner_plugin same locked
    runner_plugin every locked 's/\.name = "locked"/.name = "all"/'
    cp "$BATS_FILE_TMPDIR"/*.so .
    cp queue.so twice.so
    for command in run conform; do
        refuses "same.so: the name 'locked' is that of a runner of twbench; expected another" $command --plugin=./same.so
        refuses "every.so: the runner's name must be" $command --plugin=./every.so
        refuses "twice.so: the name 'my-queue' is that of $PWD/queue.so already" $command --plugin=./queue.so --plugin=./twice.so
        refuses "queue.so is given twice" $command --plugin=./queue.so --plugin=./queue.so
    done
    refuses "its settings are flags" run --plugin=./queue.so,transfer=5
    refuses "--transfer" run --plugin=./queue.so --transfer=0
    refuses "no such setting" run --plugin=./queue.so --runner=locked --transfer=5
    refuses "--counts-only" run --plugin=./queue.so --counts-only
}
