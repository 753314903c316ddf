# plugins_failing.bats - plugins that crash, hang, exit, overwrite or leak: none ends the tool, costs another design its cell,
# or passes for fine.

load support.bash

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    gcc -O1 -w -D_GNU_SOURCE -shared -fPIC -pthread -I "$root/src/impls" -o "$BATS_FILE_TMPDIR/failing.so" \
        "$root/tests/plugins/failing.c"
    export FAILING_NAME=leaf-$$
}

# runs_as STATUS REASON - heap is well beside it, and the exit status is 1 unless both are; stdout is one document.
runs_as() {
    rm -f seen
    run --separate-stderr timeout 300 "$twbench" --impl=heap --plugin="$BATS_FILE_TMPDIR/failing.so" --workload=hold --tasks=9 \
        --counts-only --budget=2s --progress=never --json=-
    printf '%s\n' "$output" >out.json
    cells=$(json out.json '" ".join(c["impl"] + ": " + c["status"] + "," for c in d["cells"]) + str(d["cells"][1]["reason"])')
    echo "run: status $status, $cells"
    [ "$status" -eq "$([ "$1" = ok ] && echo 0 || echo 1)" ]
    [[ $cells == "heap: ok, failing: $1,"*"$2"* ]]
}

# conforms_as RULE FOUND - a short list is enough for conform to say so; without a rule it holds.
conforms_as() {
    rm -f seen
    printf 'capacity 2\nstart 0..1 +1\nstop 1\nadvance +1\n' >list
    run --separate-stderr timeout 300 "$twbench" conform --plugin="$BATS_FILE_TMPDIR/failing.so" --operations-file=list
    echo "conform: status $status, $output"
    [ "$status" -eq "$([ "$1" ] && echo 1 || echo 0)" ]
    [[ $output == *"${1:-the contract holds}"* && $output == *"$2"* ]]
}

# judged - each row of stdin: kind|rule that conform names|what it finds|status of the cell|its reason; - is not asked.
judged() {
    local rule found cell reason
    while IFS='|' read -r FAILING rule found cell reason; do
        echo "--- $FAILING"
        export FAILING
        [ "$rule" = - ] || conforms_as "$rule" "$found"
        [ "$cell" = - ] || runs_as "$cell" "$reason"
    done
}

@test "a process that ends itself is crashed, whatever its exit status is" {
    judged <<'ROWS'
exits_0|no function exits|advance ended the process, with exit status 0|crashed|exited by itself with status 0
exits_at_exit|no function exits|start ended the process, with exit status 0|crashed|exited by itself with status 0
aborts|no function crashes|signal 6|crashed|signal 6
kills_itself|no function crashes|start was killed by signal 9 from outside|crashed|killed by signal 9 from outside
recurses|no function crashes|stack is used up|crashed|signal 11
ROWS
}

@test "a hang is named, by the function" {
    judged <<'ROWS'
spins|every function returns|advance had not returned|crashed|advance did not return
sleeps|every function returns|advance waits for something|crashed|advance did not return
ROWS
}

@test "what goes wrong while it is loaded: it is refused, and later it is a crash" {
    while IFS='|' read -r FAILING culprit; do
        echo "--- $FAILING"
        export FAILING
        refuses "$culprit" conform --plugin="$BATS_FILE_TMPDIR/failing.so"
    done <<'ROWS'
loads_allocating|loading it crashed: signal 6
loads_recursing|loading it crashed: signal 11
ROWS
    judged <<'ROWS'
later_exits|no function exits|its constructor|crashed|exited by itself
later_aborts|no function crashes|its constructor|crashed|signal 6
later_hangs|-||crashed|its constructor did not return
later_prints|no function prints|forged|ok|
ROWS
}

@test "a description that is longer or wilder than it can be is a mismatch" {
    judged <<'ROWS'
settings_5|describe|5 settings|mismatch|5 settings
settings_behind|describe|writes behind|mismatch|writes behind
name_null|describe|no name|mismatch|no name
name_wild|no function crashes|describe crashed|crashed|signal 11
values_0|describe|0 values|mismatch|0 values
span_0|describe|a span of 0|mismatch|a span of 0
footprint_wild|footprint|18446744073709551615 bytes|mismatch|18446744073709551615 bytes
work_back|work||mismatch|comparisons went back
ROWS
}

@test "what is overwritten is the child's own, and nothing of it passes" {
    judged <<'ROWS'
scribbles_0|-||mismatch|the oracle says
scribbles_255|-||crashed|is damaged
scribbles_and_exits|no function exits||crashed|exited by itself
prints|no function prints||ok|
ROWS
}

@test "what a plugin changes in its process is a mismatch, and no cell beside it has it" {
    local name hooks hook row
    for name in is-nice locks-memory blocks-a-signal a-thread sets-the-environment locks-what-comes \
        would-be-ended-first closes-its-output-in-children reads-standard-input masks-in-a-handler; do
        row=$(grep -P "\t$name\t" "$root/tests/faults/wrapped.tsv")
        IFS=$'\t' read -ra hooks <<<"$row"
        gcc -O1 -w -shared -fPIC -I "$root/src/impls" -DINNER="tw_${hooks[2]}_timed" "-DBASE_FILE=\"${hooks[2]}.c\"" \
            @"$root/tests/faults/wrapped.hooks" "${hooks[@]/#/-D}" -o "$name.so" "$root/tests/faults/wrapped.c"
        run --separate-stderr timeout 300 "$twbench" --impl=heap,wrapped --plugin="./$name.so" --workload=P1 --tasks=16 \
            --counts-only --progress=never --json=-
        printf '%s\n' "$output" >out.json
        echo "$name: $status, $(json out.json '[(c["impl"], c["status"], c["reason"]) for c in d["cells"]]')"
        [ "$status" -eq 1 ]
        [ "$(json out.json '[c["status"] for c in d["cells"]]')" = "['ok', 'mismatch']" ]
        [[ $(json out.json 'd["cells"][1]["reason"]') == "the design changes the "*" of its process" ]]
    done
}

@test "a process that is left behind is ended, and told" {
    judged <<'ROWS'
forks|no function leaves processes|processes were left, and have been ended|crashed|processes behind, which were ended
ROWS
    [ "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -cx "$FAILING_NAME" || true)" = 0 ]
}

@test "a hang in the table that is timed, and in no other, is a crash; a slow one takes too long" {
    gcc -O1 -w -shared -fPIC -I "$root/src/impls" -o hangs.so "$root/tests/plugins/hangs-timed.c"
    run --separate-stderr timeout 300 "$twbench" --plugin=./hangs.so --workload=hold --tasks=9 --runs=1 --budget=1s \
        --progress=never --json=hangs.json
    echo "status $status"
    [ "$status" -eq 1 ]
    [[ $(json hangs.json 'd["cells"][0]["reason"]') == "advance did not return within 0.5 s"* ]]
    gcc -O1 -w -shared -fPIC -DSLOW -I "$root/src/impls" -o slow.so "$root/tests/plugins/hangs-timed.c"
    run --separate-stderr timeout 300 "$twbench" --plugin=./slow.so --workload=hold --tasks=9 --runs=1 --budget=1s \
        --progress=never --json=slow.json
    echo "status $status"
    [ "$status" -eq 0 ]
    [ "$(json slow.json 'd["cells"][0]["status"]')" = timeout ]
}

# mismatches NAME REASON ARGUMENT... - the plugin tests/plugins/NAME.c runs with them, and no figure passes.
mismatches() {
    local name=$1 reason=$2
    gcc -O1 -w -D_GNU_SOURCE -shared -fPIC -I "$root/src/impls" -I "$root/src" -o "$name.so" "$root/tests/plugins/$name.c"
    run --separate-stderr timeout 100 "$twbench" --plugin="./$name.so" --tasks=100 --progress=never --force \
        --json="$name.json" "${@:3}"
    echo "status $status, $(json "$name.json" '[d["cells"][0][k] for k in ("status", "reason", "phases")]')"
    [ "$status" -eq 1 ]
    [ "$(json "$name.json" 'd["cells"][0]["status"]')" = mismatch ]
    [[ $(json "$name.json" 'd["cells"][0]["reason"]') == *"$reason"* ]]
}

@test "a clock that goes slower, and figures that were changed, are a mismatch by the clock outside" {
    mismatches halves-clock "its times do not fit" --workload=P1
    mismatches changes-figures "its times do not fit" --workload=P1
}

@test "answers from a record of the first pass are a mismatch" {
    mismatches answers-from-record "the oracle says" --workload=hold --runs=1
}

@test "timed calls that keep nothing, or keep it for another tick, are a mismatch, also where nothing fires" {
    mismatches keeps-nothing-timed "visit shows 0 timers; the oracle says 100" --workload=P1 --runs=1
    mismatches keeps-nothing-timed "visit shows 0 timers; the oracle says 100" --workload=P1 --runs=1 --warmup=0 --min-time=0ns --same-pass
    mismatches keeps-later-timed "visit shows 100 timers; the oracle says 100, others or due at other ticks" --workload=P1 --runs=1
}

# both_cells ARGUMENT... - heap and the failing one, into out.json, and what became of them.
both_cells() {
    run --separate-stderr timeout 300 "$twbench" --impl=heap --plugin="$BATS_FILE_TMPDIR/failing.so" --workload=hold --tasks=9 \
        --counts-only --progress=never --json=out.json "$@"
    echo "status $status, $stderr"
    json out.json '[c["status"] for c in d["cells"]]'
}

@test "--resume runs a cell again whose process was killed from outside, and no other" {
    export FAILING=kills_itself
    [[ $(both_cells) == *"['ok', 'crashed']" ]]
    export FAILING=harmless
    [[ $(both_cells --resume) == *"['ok', 'ok']" ]]
    export FAILING=aborts
    [[ $(both_cells --force) == *"['ok', 'crashed']" ]]
    export FAILING=harmless
    [[ $(both_cells --resume) == *"['ok', 'crashed']" ]]
}

@test "a plugin is probed in a child process" {
    export FAILING
    for FAILING in exits_0 aborts scribbles_and_exits; do
        run --separate-stderr "$twbench" probe --plugin="$BATS_FILE_TMPDIR/failing.so" --workload=hold --tasks=9
        echo "$FAILING: $status, $output, $stderr"
        [ "$status" -eq 1 ] && [[ $output == '{"probe_version":'*'"status":"crashed"'* ]]
    done
}
