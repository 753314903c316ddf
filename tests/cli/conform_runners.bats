#!/usr/bin/env bats
# conform_runners.bats - conform --runner: every runner holds its contract, and what is said when one does not.
load support

@test "every runner holds its contract, over all designs" {
    operations=1e6
    [ "${DEPTH:-}" != all ] || operations=1e7
    run "$twbench" conform --runner=all --operations=$operations --patience=100s
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"locked: the contract holds"*"tick-queue: the contract holds"* ]]
    [[ $output != *BROKEN* && $output != *"no points"* ]]
    # The ledger of each adds up.
    [ "$(awk '/ accepted = / { sum++; if ($1 != $5 + $8 + $11 || $1 == 0) exit 1 } END { print sum }' <<<"$output")" -gt 1 ]
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
