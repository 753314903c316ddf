#!/usr/bin/env bats
# conform_runners.bats - conform --runner: every runner holds its contract, and what is said when one does not.
load support

@test "every runner holds its contract, over all designs" {
    operations=3e5
    [ "${DEPTH:-}" != all ] || operations=1e7
    run "$twbench" conform --runner=all --operations=$operations --patience=100s
    echo "$output"
    [ "$status" -eq 0 ]
    for runner in $("$twbench" list --json=- | jq -r '.runners[].name'); do
        [[ $output == *"$runner: the contract holds"* ]]
    done
    [[ $output != *BROKEN* && $output != *"no points"* ]]
    # The ledger of each adds up.
    [ "$(awk '/ accepted = / { sum++; if ($1 != $5 + $8 + $11 || $1 == 0) exit 1 } END { print sum }' <<<"$output")" -gt 1 ]
    # Threads were held at points of each.
    [ "$(awk '/, held at / { sum++; if ($NF < 50) exit 1 } END { print sum }' <<<"$output")" -gt 1 ]
}

@test "one design and its settings may be given, and the runner's" {
    run "$twbench" conform --runner=tick-queue --impl=round --slots=64 --transfer=5 --threads=2 --operations=1 --seed=7
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"1 services over 1 designs, up to 2 callers"* ]]
}

@test "what cannot be proved is refused" {
    refuses "nosuch" conform --runner=nosuch
    refuses "--threads" conform --threads=2
    refuses "--threads" conform --runner=locked --threads=1,2
    refuses "--threads" conform --runner=locked --threads=17
    refuses "--operations-file" conform --runner=locked --operations-file=x
    refuses "--impl=linux" conform --runner=locked --impl=linux
    refuses "--impl" conform --runner=locked --impl=null
    refuses "--slots" conform --runner=locked --slots=64
    refuses "--transfer" conform --runner=locked --transfer=64
    refuses "--patience" conform --runner=locked --patience=1ms
    refuses "operands" conform --runner=locked heap
}

@test "a plugin that brings a runner is proved" {
    runner_plugin mine locked 's/\.name = "locked"/.name = "mine"/'
    run "$twbench" conform --plugin=./mine.so --impl=heap --operations=1e4 --patience=100s
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"mine: the contract holds"* ]]
    refuses "brings a runner" conform --plugin=./mine.so,transfer=5
}

@test "a plugin's runner that crashes, hangs or exits is an outcome with a command to see it again" {
    bad_runner_stop crashes '*(volatile int *)(uintptr_t)8 = 1'
    run timeout 100 "$twbench" conform --plugin=./crashes.so --impl=heap --operations=1e4 --patience=2s
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"BROKEN: no call crashes"*"signal 11"*"calls under way: stop"*"conform --plugin=/"*"crashes.so --impl=heap --seed=1 --operations="* ]]
    bad_runner_stop hangs 'for (;;) seat_wait(seat, moment_now() + 1000000)'
    run timeout 100 "$twbench" conform --plugin=./hangs.so --impl=heap --operations=1e4 --patience=2s
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"BROKEN: every call returns"*"stop has not returned for 2 s"* ]]
    bad_runner_stop exits '_Exit(0)'
    run timeout 100 "$twbench" conform --plugin=./exits.so --impl=heap --operations=1e4 --patience=2s
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"BROKEN: no call crashes"*"exited by itself with status 0"* ]]
}

@test "a runner's table that is not whole is refused" {
    runner_plugin nameless locked 's/\.name = "locked"/.name = "Locked!"/'
    refuses "name" conform --plugin=./nameless.so
    runner_plugin old pool 's/\.abi_version = TW_RUNNER_ABI_VERSION/.abi_version = 99/'
    refuses "version" conform --plugin=./old.so
    runner_plugin lacks pool 's/^    \.wait = .*//'
    refuses "wait" conform --plugin=./lacks.so
}

@test "the runner that people copy holds the contract, and runs" {
    sed 's/locked/mine/g' "$root/labs/live/runners/locked.c" >mine.c
    echo 'TW_RUNNER_PLUGIN(TW_RUNNER(mine), TW_RUNNER(mine));' >>mine.c
    cc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fPIC -shared -DTW_PROVED -I"$root/src" -I"$root/labs/live/runners" \
        mine.c -o mine.so -lpthread
    run "$twbench" conform --plugin=./mine.so --impl=heap,hier --operations=2e4 --patience=100s
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"mine: the contract holds"* ]]
    run "$twbench" run --plugin=./mine.so --impl=heap --load=idle --tasks=10 --duration=10ms --no-system-check --progress=never
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"mine/heap"* ]]
}
