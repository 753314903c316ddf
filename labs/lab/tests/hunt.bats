#!/usr/bin/env bats
# hunt.bats - `lab hunt`: each wrong design can be found, and only by a list that right designs hold.
load ../../../tests/cli/support

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
    "${TWBENCH:-$root/twbench}" lab hunt --score="$root/labs/lab/tests/hunts" --json="$BATS_FILE_TMPDIR/known.json" \
        --least=100 >"$BATS_FILE_TMPDIR/known.txt"
}

@test "each wrong design is found by its known list, which has the length and the rule of its row" {
    PYTHONDONTWRITEBYTECODE=1 python3 - "$BATS_FILE_TMPDIR/known.json" "$root" <<'PYTHON'
import json, re, sys
import jsonschema
document, root = json.load(open(sys.argv[1])), sys.argv[2]
jsonschema.validate(document, json.load(open(root + "/labs/lab/schema/hunt-1.json")))
rows = re.findall(r'^HUNT\("([^"]+)", (\d+), (RULE_\w+)', open(root + "/labs/lab/hunts.def").read(), re.M)
length = {entry["file"].split("/")[-1]: entry["operations"] for entry in document["lists"]}
assert document["found"] == len(rows) == len(document["designs"]) >= 30, document["found"]
for (name, shortest, _), design in zip(rows, document["designs"]):
    assert length[name + ".ops"] == int(shortest) and design["points"] == 100, (name, design)
PYTHON
}

@test "the score is the same on every run" {
    "$twbench" lab hunt --score="$root/labs/lab/tests/hunts" >again.txt
    cmp again.txt "$BATS_FILE_TMPDIR/known.txt"
}

@test "a seed gives a design; its list wins and says what it was, a longer one gets fewer points" {
    "$twbench" lab hunt --seed=3 >task
    "$twbench" lab hunt --seed=3 | cmp - task
    number=$(sed -n 's/^Wrong design 0*\([0-9]*\) of.*/\1/p' task)
    name=$(grep '^HUNT(' "$root/labs/lab/hunts.def" | sed -n "${number}s/^HUNT(\"\([^\"]*\)\".*/\1/p")
    run ! grep -q "$name" task
    "$twbench" lab hunt --seed=3 "$root/labs/lab/tests/hunts/$name.ops" >won
    grep -q '100 of 100 points' won
    grep -q '^It is ' won
    { cat "$root/labs/lab/tests/hunts/$name.ops"; printf 'inspect\ninspect\ninspect\n'; } >longer.ops
    "$twbench" lab hunt --seed=3 longer.ops | grep -q ': [1-9][0-9] of 100 points'
}

@test "a list that shows nothing, one that is none, and one that right designs fail on" {
    printf 'capacity 4\nnext\n' >nothing.ops
    run "$twbench" lab hunt nothing.ops
    [ "$status" -eq 3 ]
    grep -q '^Not found: .* on all 1 operations of nothing.ops' <<<"$output"
    printf 'capacity 4\nstrat 0 +1\n' >typo.ops
    refuses 'typo.ops:2: not an operation' lab hunt typo.ops
    printf 'capacity 4\n' >empty.ops
    refuses 'empty.ops: has no operation' lab hunt empty.ops
    printf 'capacity 4\nstart 0 +1\nadvance +1\nagain 1 times 4000000000\n' >endless.ops
    refuses 'endless.ops: refused: it takes over 2 s on the right design list' lab hunt endless.ops
}

@test "survivors are told by their rules, --least has its exit status, and a refused list does not count" {
    mkdir suite
    printf 'capacity 4\nstop 0\n' >suite/a.ops
    run "$twbench" lab hunt --score=suite --least=50
    [ "$status" -eq 3 ]
    grep -q '^[0-9]* *survives .*no timer fires' <<<"$output"
    run ! grep -qE 'netty|hashed|tokio' <<<"$output"
    printf 'strat 0 +1\n' >suite/b.ops
    run "$twbench" lab hunt --score=suite
    [ "$status" -eq 2 ]
    grep -q 'by 1 lists: .*; 1 lists refused' <<<"$output"
    mkdir none
    refuses 'none: expected files *.ops; none is there' lab hunt --score=none
}

@test "a directory of plugins takes the place of the wrong designs: a right one survives" {
    mkdir plugins
    "${CC:-gcc}" -O1 -w -shared -fPIC @"$root/tests/faults/wrapped.hooks" -I"$root/src/impls" '-DBASE_FILE="heap.c"' -DINNER=tw_heap_timed \
        -o plugins/right.so "$root/tests/faults/wrapped.c"
    "$twbench" lab hunt --score="$root/labs/lab/data/handout/lists" plugins | grep -q '^right *survives'
}

@test "installed, the lab takes its own wrong designs and handout" {
    deep
    make -s -C "$root" install-core install-lab DESTDIR="$PWD" PREFIX=/usr >made.txt 2>&1
    rm usr/lib/twbench/hunts/0[3-9].so usr/lib/twbench/hunts/[1-9]?.so
    run usr/bin/twbench lab hunt --score="$root/labs/lab/tests/hunts"
    grep -q '^2 of 2 found' <<<"$output"
    usr/bin/twbench lab new handout
    [ ! -L handout/backend.h ]
    run usr/bin/twbench lab grade handout/timers.c --rubric=handout/rubric.json
    grep -q 'of 100 points' <<<"$output"
}
