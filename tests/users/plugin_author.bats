#!/usr/bin/env bats
# plugin_author.bats - the author of a timer goes from the skeleton to a verdict: it holds the contract, stands in a
# table beside others, and a slower build of it is found.
load ../cli/support

# build NAME FLAG... - the skeleton as a plugin of that name.
build() {
    local name=$1
    shift
    { sed "s/skeleton/mine/g" "$root/docs/skeleton.c" && echo 'TW_PLUGIN(TW_BACKEND(mine), TW_BACKEND(mine));'; } >"$name.c"
    "$@"
    "${CC:-gcc}" -O2 -shared -fPIC -I "$root/src/impls" -o "$name.so" "$name.c"
}

# A loop in advance, as a mistake would put it there.
slower() {
    python3 - <<'PYTHON'
import re
text = open("slow.c").read()
at = re.search(r"static [^\n]*mine_advance\([^{]*\{\n", text).end()
open("slow.c", "w").write(text[:at] + "    for (volatile int i = 0; i < 400; i++)\n        ;\n" + text[at:])
PYTHON
}

@test "the copied skeleton holds the contract" {
    deep
    build mine true
    run "$twbench" conform --plugin=./mine.so --operations=1e5
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"mine: the contract holds"* ]]
}

@test "it stands in a table beside the designs, checked against the same oracle" {
    build mine true
    quick --plugin=./mine.so --impl=heap,hashed --workload=hold --json=r.json >table
    grep -q '^mine ' table
    [ "$(jq -r '[.cells[].status] | unique | join(",")' r.json)" = ok ]
    [ "$(jq -r '[.cells[].digest] | unique | length' r.json)" -eq 1 ]
}

@test "a slower build is regressed, an equal one is not" {
    build mine true
    build slow slower
    run "$twbench" compare mine.so slow.so --workload=hold --tasks=200 --pairs=0 --progress=never
    echo "$output"
    [ "$status" -eq 3 ]
    [[ $output == *regressed* ]]
    run "$twbench" compare mine.so mine.so --workload=hold --tasks=200 --pairs=0 --progress=never
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a wrong one is named, with the shortest list that shows it" {
    # A start in the past is due at once, which the contract forbids.
    build wrong sed -i 's/deadline > timers->now ? deadline : timers->now + 1/deadline/' wrong.c
    ! grep -q 'deadline > timers->now' wrong.c
    run "$twbench" conform --plugin=./wrong.so --operations=1e4
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *BROKEN* ]]
}
