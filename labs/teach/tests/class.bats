#!/usr/bin/env bats
# class.bats - a teacher takes the README's commands into a class: the worked example, the page of drawings, a claim.
# The whole walk of LESSONS.md is lessons.sh.
load ../../../tests/cli/support

@test "the worked example is drawn and its answer is checked" {
    "$twbench" show W7 >drawn
    grep -q 'b r1' drawn
    "$twbench" show W7 --svg=w7.svg >/dev/null
    grep -q '<svg' w7.svg
}

@test "a script of the class is drawn on two designs" {
    for design in hashed heap; do
        "$twbench" show --impl=$design 'add a 3s; add b 10s; tick 3; stop b' >drawn
        grep -q 'a fires' drawn || grep -q '\* a' drawn
    done
}

@test "what articles claim: one claim has a verdict, and what was not timed says so" {
    "$twbench" claims T2 --quick --progress=never --json=claims.json >said
    grep -qE 'holds|does not hold|not measured|inconclusive' said
    "$twbench" report claims.json --html=claims.html >/dev/null
    [ -s claims.html ]
}
