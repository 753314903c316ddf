#!/usr/bin/env bats
# grade.bats - `lab grade` gives the same points for the same file, and says why.
# shellcheck disable=SC2154 # support.bash sets root and twbench
load ../../../tests/cli/support
busy=()

solution() { # NAME SLOTS SORTED FAULT - of data/solution.c.in
    printf '#define SLOTS %s\n#define SORTED %s\n#define FAULT %s\n' "$2" "$3" "$4" >"$1.c"
    cat "$root/labs/lab/tests/data/solution.c.in" >>"$1.c"
}

small_rubric() { # a handout with smaller loads
    "$twbench" lab new handout >small.txt
    sed -i 's/"tasks": [0-9]*/"tasks": 300/; s/20000/4000/' handout/rubric.json
}

points_are() { # POINTS FILE [ARGUMENT...]
    run "$twbench" lab grade "${@:2}" --rubric=handout/rubric.json
    grep -q "^ *$1 of 100 points" <<<"$output" || { echo "$2: $output"; return 1; }
}

grade_is_valid() { # FILE...
    python3 -W ignore -m jsonschema "${@/#/-i}" "$root/labs/lab/schema/grade-1.json"
}

@test "right solutions have these points, whatever the machine does meanwhile" {
    small_rubric
    solution right 64 1 0
    points_are 92.1 right.c --json=r.json
    grade_is_valid r.json
    "$twbench" report r.json | grep -q 'longest advance.*10'
}

@test "who leaves out TW_COUNT, or answers zeros, has no points for what it should count" {
    small_rubric
    solution silent 1 0 16
    solution zeros 1 1 23
    for file in silent zeros; do
        run "$twbench" lab grade $file.c --rubric=handout/rubric.json
        grep -q 'far more than TW_COUNT says' <<<"$output"
        grep -q '^ *0 of 20  work' <<<"$output"
    done
    grep -q '^ *0 of 10  longest advance' <<<"$output"
}

@test "who hides code from the counts is refused, and who counts other code than he runs has no points for it" {
    small_rubric
    cheat() { # MESSAGE SCRIPT - of sed
        solution 'a cheat' 1 1 0
        sed -i "$2" 'a cheat.c'
        run "$root/labs/lab/data/grader/build.sh" 'a cheat.c' "$root/labs/lab/data" .
        [ "$status" -eq 1 ]
        grep -q "$1" <<<"$output" || { echo "$2: $output"; return 1; }
    }
    hidden='s/^static void insert/__attribute__((no_sanitize("thread"))) &/'
    cheat 'every function is counted' "1i #line 1 \"other.h\"
        $hidden"
    cheat 'every function is counted' "1i # 1 \"other.h\" 1
        $hidden"
    cheat 'every function is counted' '$a static void __tsan_read8(void *at) { (void)at; }'
    cheat 'every function is counted' 's/^    timers->now = config->now;/&\n    status += snprintf(NULL, 0, "%s", (char *)nodes) < 0;/'
    cheat 'atomic operations' 's/= nodes.head..after;/= __atomic_load_n(\&nodes[head].after, 0);/'
    cheat 'outside of it: many' 's/^    timers->now = config->now;/&\n    static int many;\n    many++;/'
    jq '.costs |= [.[0, 2]] | .loads |= [.[0]] | del(.parts)' handout/rubric.json >costs.json
    graded() { # ROW MESSAGE SCRIPT
        solution cheat 1024 1 0
        sed -i "$3" cheat.c
        run "$twbench" lab grade cheat.c --rubric=costs.json
        grep -q "^ *0 of $1" <<<"$output" && grep -q "$2" <<<"$output" || { echo "$3: $output"; return 1; }
    }
    graded '10  memory' 'with TW_COUNTED it takes' '1s/.*/#ifdef TW_COUNTED\n&\n#else\n#define SLOTS 1\n#endif/'
    other='#ifdef TW_COUNTED\n#undef TW_COUNT\n#define TW_COUNT(a, b, c)\n#define SLOTS 1\n#else\n#define SLOTS 1024\n#endif'
    graded '20  work' 'far more than TW_COUNT says' "1d; s/^#include <stdlib.h>/&\\n$other/"
}

# The thirty: name, points, and what `solution` takes.  Ten are right.  The others are wrong, look at all timers in start, stop or
# each advance, recognise a load, waste memory or do not count.
thirty() {
    cat <<'END'
a0 70 1 0 0
a1 70.5 1 1 0
b0 77.3 16 0 0
b1 87.1 16 1 0
c0 82.4 64 0 0
c1 92.1 64 1 0
d0 84.7 256 0 0
d1 87.3 256 1 0
e0 89.1 1024 0 0
e1 89.3 1024 1 0
f01 0 64 0 1
f02 82.4 64 0 2
f03 35 64 0 3
f04 25 64 0 4
f05 20 64 0 5
f06 35 64 0 6
f07 35 64 0 7
f08 35 64 0 8
f09 0 64 0 9
f10 67.2 64 0 10
f11 35 64 0 11
f12 25 64 0 12
f13 10 64 0 13
f15 82.4 64 0 15
f16 70 1 0 16
f17 68.2 64 0 17
f18 78.3 64 0 18
f19 75.2 64 0 19
f20 0 64 0 20
f21 25 64 0 21
END
}

keep_busy() { # six processes, until the test ends
    for _ in 1 2 3 4 5 6; do
        while :; do :; done 3>&- & busy+=($!)
    done
}

teardown() {
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}"
}

@test "thirty solutions keep their points: five times as the machine is, five times beside six busy processes" {
    deep
    small_rubric
    mkdir class
    thirty >points
    while read -r name _ how; do
        read -ra words <<<"$how" && solution "class/$name" "${words[@]}"
    done <points
    for ((i = 0; i < ${TIMES:-10}; i++)); do
        rm -f class/*.grade.json
        [ $i -ne $((${TIMES:-10} / 2)) ] || keep_busy
        "$twbench" lab grade --class=class --rubric=handout/rubric.json >graded.txt 2>&1
        diff <(cut -d' ' -f1,2 points) <(tail -n +2 class/class.csv | cut -d, -f1,2 | tr , ' ')
    done
}

@test "what the teacher hides finds who knows the loads, and whom no list of the handout finds" {
    small_rubric
    mkdir load cases
    echo '{ "rubric_version": 1, "loads": [{ "workload": "hold", "tasks": 200, "seed": 5 }] }' >load/rubric.json
    echo '{ "rubric_version": 1, "parts": [{ "name": "written cases", "points": 0, "operations": 100, "cases": true }] }' >cases/rubric.json
    solution knows 64 0 15
    points_are 82.4 knows.c
    "$twbench" lab grade knows.c --rubric=handout/rubric.json --hidden=load | grep -q '77.2 of 100 points'
    solution ends 64 0 2
    points_are 82.4 ends.c
    run "$twbench" lab grade ends.c --rubric=handout/rubric.json --hidden=cases
    [ "$status" -eq 1 ]
    grep -q 'start of 0 for tick 0 at tick 18446744073709551614' <<<"$output"
}

@test "a rubric may ask for instructions; references that no load tells apart are refused" {
    solution right 64 0 0
    rubric() {
        printf '{ "rubric_version": 1, "name": "r", "loads": [{ "workload": "hold", "tasks": 50 }],
            "costs": [{ "name": "c", "points": 20, "figure": "%s", "none": "%s", "full": "%s" }] }' "$@" >r.json
    }
    rubric instructions list hier
    "$twbench" lab grade right.c --rubric=r.json >first
    grep -q 'hold  *yours [0-9.]*, no points at [0-9.]*, all at' first
    "$twbench" lab grade right.c --rubric=r.json | cmp - first
    rubric work hier list
    refuses 'costs[0]: no load shows that hier is worse than list' lab grade right.c --rubric=r.json
}

@test "a class: what is graded is not graded again, and code that was shared is named" {
    small_rubric
    mkdir class
    solution class/ann 64 0 0
    solution class/bob 64 0 0
    echo 'int x' >class/eve.c
    "$twbench" lab grade --class=class --rubric=handout/rubric.json 2>first.txt
    grep -q '^ann: 82.4' first.txt
    "$twbench" lab grade --class=class --rubric=handout/rubric.json 2>again.txt
    [ ! -s again.txt ]
    grep -q '^ann,82.4,100,1,' class/class.csv
    grep -q '<td>bob<td>82.4<td><td>ann' class/class.html
    grep -q '^eve,0,100,0' class/class.csv
    grep -q '<td>refused' class/class.html
    rm class/ann.* class/bob.*
    echo '# more' >>"$(find handout/ -name '*.ops' | head -n 1)"
    "$twbench" lab grade --class=class --rubric=handout/rubric.json 2>changed.txt
    grep -q '^eve: 0' changed.txt
}

@test "what does not build, promises less or hides its blocks has a reason and a row of zeros, and costs no classmate the grade" {
    small_rubric
    mkdir class
    solution 'class/right, too' 64 0 0
    sed 's/.name = "timers"/.name = "hier"/' class/right*.c >class/named.c
    sed 's/TW_NEXT_EXACT |/0 |/' class/right*.c >class/less.c
    sed 's/TW_ORDERED,/TW_ORDERED, .late_ticks = 9,/' class/right*.c >class/late.c
    sed 's/^static void insert/__attribute__((no_sanitize_coverage)) &/' class/right*.c >class/hides.c
    sed 's/^    int status = nodes.id.*/&\n    puts("");/; 1i #include <stdio.h>' class/right*.c >class/prints.c
    echo '#include "/dev/zero"' >class/eats.c
    "$twbench" lab grade --class=class --rubric=handout/rubric.json
    python3 - class/class.csv <<'PYTHON'
import csv, sys
header, *rows = csv.reader(open(sys.argv[1]))
assert [row[:4] for row in rows] == [[name, "0", "100", "0"] for name in ("eats", "hides", "late", "less", "named", "prints")] + [["right, too", "82.4", "100", "1"]], rows
assert all(len(row) == len(header) == 14 for row in rows), rows
PYTHON
    grade_is_valid class/*.grade.json
    run "$twbench" lab grade class/named.c --rubric=handout/rubric.json --autolab --junit=j.xml
    grep -q "'hier' is the name of another design" <<<"$output"
    [ "$(tail -1 <<<"$output" | jq '.scores | length')" -eq 9 ]
    [ "$(grep -c '<failure' j.xml)" -eq 6 ]
}

@test "who is slow or sleeps in each start has a grade, after a minute of processor time at most" {
    deep
    small_rubric
    for slow in 'for (volatile uint64_t i = 0; i < 100000000; i++) continue' 'usleep(200000)'; do
        solution handout/timers 64 0 0
        sed -i "s/^    int status = nodes.id.*/&\n    $slow;/; 1i #include <unistd.h>" handout/timers.c
        begin=$(times | sed -n 2p)
        make -s -C handout timers.so CFLAGS=-O1
        run "$twbench" lab grade handout/timers.so --rubric=handout/rubric.json
        grep -q ' 0 of 15  random operations' <<<"$output"
        awk -v a="$begin" -v b="$(times | sed -n 2p)" 'function s(t) { split(t, p, /[m s]+/); return p[1] * 60 + p[2] + p[3] * 60 + p[4] }
            BEGIN { exit s(b) - s(a) > 60 }'
    done
}

@test "outputs for Autolab, Gradescope and JUnit" {
    small_rubric
    solution wrong 64 0 3
    run "$twbench" lab grade wrong.c --rubric=handout/rubric.json --autolab --gradescope=g.json --junit=j.xml --json=w.json
    [ "$status" -eq 1 ]
    [ "$(tail -1 <<<"$output" | jq '.scores["start and fire"]')" = 10 ]
    [ "$(jq '.score, .tests[1].max_score' g.json | tr '\n' ' ')" = '35 10 ' ]
    grep -q '<failure message="no timer fires later' j.xml
    echo 'int x' >none.c
    "$twbench" lab grade none.c --rubric=handout/rubric.json --json=n.json >/dev/null || true
    grade_is_valid w.json n.json
    "$twbench" report n.json >/dev/null
    "$twbench" report w.json >w.txt
    grep -q 'wrong.c: 35 of 100 points' w.txt
    grep -q 'no timer fires later than declared' w.txt
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
