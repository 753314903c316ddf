#!/usr/bin/env bats
# grade.bats - `lab grade` gives the same points for the same file, and says why.
# shellcheck disable=SC2154 # support.bash sets root and twbench
load ../../../tests/cli/support

# solution NAME SLOTS SORTED FAULT - one of the solutions of data/solution.c.in
solution() {
    printf '#define SLOTS %s\n#define SORTED %s\n#define FAULT %s\n' "$2" "$3" "$4" >"$1.c"
    cat "$root/labs/lab/tests/data/solution.c.in" >>"$1.c"
}

# A handout with smaller loads.
small_rubric() {
    "$twbench" lab new handout >small.txt
    sed -i 's/"tasks": [0-9]*/"tasks": 300/; s/20000/4000/' handout/rubric.json
}

# points_are POINTS FILE - so many, at once and when it is graded again
points_are() {
    local i
    for ((i = 0; i < ${TIMES:-2}; i++)); do
        run "$twbench" lab grade "$2" --rubric=handout/rubric.json
        grep -q "^ *$1 of 100 points" <<<"$output" || { echo "$2: $output"; return 1; }
    done
}

@test "right solutions have these points, whatever the machine does meanwhile" {
    small_rubric
    solution right 64 1 0
    points_are 92.1 right.c
}

@test "wrong solutions lose the part that they break, and all costs" {
    small_rubric
    for fault in 3 6 8; do
        solution wrong 64 0 $fault
        TIMES=1 points_are 35 wrong.c
    done
    grep -q 'broken rule: only a running timer fires' <<<"$output"
    grep -q 'The shortest list of calls' <<<"$output"
    grep -q 'Read: backend.h' <<<"$output"
}

@test "who leaves out TW_COUNT is charged for what the code does" {
    small_rubric
    solution silent 1 0 16
    run "$twbench" lab grade silent.c --rubric=handout/rubric.json
    grep -q 'times what its TW_COUNT say' <<<"$output"
    grep -q '^ *0 of 20  work' <<<"$output"
}

@test "thirty solutions, ten right and twenty wrong or slow, keep their points" {
    deep
    export TIMES=10
    small_rubric
    while read -r points slots sorted fault; do
        solution one "$slots" "$sorted" "$fault"
        points_are "$points" one.c
    done <<'END'
70.3 1 0 0
75.3 1 1 0
78.1 16 0 0
88.9 16 1 0
82.4 64 0 0
92.1 64 1 0
84.7 256 0 0
87.3 256 1 0
89.1 1024 0 0
89.3 1024 1 0
35 64 0 3
25 64 0 4
35 64 0 6
35 64 0 7
35 64 0 8
35 64 0 11
25 64 0 12
78.3 64 0 18
75.2 64 0 19
END
}

@test "a class: what is graded is not graded again, and code that was shared is named" {
    small_rubric
    mkdir class
    solution class/ann 64 0 3
    solution class/bob 64 0 3
    echo 'int x' >class/eve.c
    "$twbench" lab grade --class=class --rubric=handout/rubric.json 2>first.txt
    grep -q '^ann: 35' first.txt
    "$twbench" lab grade --class=class --rubric=handout/rubric.json 2>again.txt
    [ ! -s again.txt ]
    grep -q '^ann,35,100,0,' class/class.csv
    grep -q '^eve,0,100,0' class/class.csv
    grep -q 'does not build' class/class.html
}

@test "outputs for Autolab, Gradescope and JUnit" {
    small_rubric
    solution wrong 64 0 3
    run "$twbench" lab grade wrong.c --rubric=handout/rubric.json --autolab --gradescope=g.json --junit=j.xml --json=w.json
    [ "$status" -eq 1 ]
    [ "$(tail -1 <<<"$output" | jq '.scores["start and fire"]')" = 10 ]
    [ "$(jq '.score, .tests[1].max_score' g.json | tr '\n' ' ')" = '35 10 ' ]
    grep -q '<failure message="no timer fires later' j.xml
}

@test "a rubric that says what nobody knows is refused, with file and key" {
    small_rubric
    solution right 64 0 0
    sed -i 's/"points": 20/"pionts": 20/' handout/rubric.json
    refuses 'handout/rubric.json: costs[0].pionts: unknown key' lab grade right.c --rubric=handout/rubric.json
    refuses '--rubric' lab grade right.c
    sed -i 's,pionts,points,' handout/rubric.json
    refuses 'right.txt' lab grade right.txt --rubric=handout/rubric.json
}
