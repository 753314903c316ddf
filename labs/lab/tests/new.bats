#!/usr/bin/env bats
# new.bats - `lab new` hands out what builds at once.
load ../../../tests/cli/support

@test "the handout builds without warnings, and its first failure says what to do" {
    "$twbench" lab new handout | grep -q 'handout/TASK.md'
    make -C handout CFLAGS='-O1 -Wall -Wextra -Werror' timers.so
    run "$twbench" conform --plugin=handout/timers.so --operations-file=handout/lists/fire/one.ops
    [ "$status" -eq 1 ]
    grep -q 'has not fired' <<<"$output"
    run ! make -C handout check
    grep -q 'has not fired' <<<"$output"
    grep -q 'of 100 points' <<<"$output"
}

@test "its lists hold for designs that are right" {
    "$twbench" lab new handout
    for list in handout/lists/*/*.ops; do
        "$twbench" conform --impl=list,heap,hashed,hier --operations-file="$list"
    done
}

@test "its loads run by their names beside the designs of the task" {
    "$twbench" lab new handout
    "$twbench" run --impl=list,hier --workload=handout/loads/many.json,handout/loads/far.json --tasks=200 --counts-only \
        --progress=never --json=r.json
    grep -q '"status": *"ok"' r.json
}

@test "a directory that is there is not written into" {
    mkdir there
    run "$twbench" lab new there
    [ "$status" -eq 2 ]
    grep -q 'there: cannot be made.*expected a new directory' <<<"$output"
}

@test "a command of two words: its help, and one that is none" {
    "$twbench" help lab new | grep -q 'usage: twbench lab new DIR'
    "$twbench" lab new --help | grep -q 'usage: twbench lab new DIR'
    for line in lab 'help lab' 'lab --help'; do
        # shellcheck disable=SC2086 # words
        "$twbench" $line | grep -q 'twbench lab new  *Write a handout'
    done
    run "$twbench" lab gnu
    [ "$status" -eq 2 ]
}
