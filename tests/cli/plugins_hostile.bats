# plugins_hostile.bats - plugins that mean harm: none ends the tool, costs another design its cell, or passes.

load support.bash

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    gcc -O1 -w -D_GNU_SOURCE -shared -fPIC -pthread -I "$root/src/impls" -o "$BATS_FILE_TMPDIR/hostile.so" \
        "$root/tests/plugins/hostile.c"
    export HOSTILE_NAME=leaf-$$
}

# runs_as STATUS REASON - heap is well beside it, and the exit status is 1 unless both are; stdout is one document.
runs_as() {
    rm -f seen
    run --separate-stderr timeout 60 "$twbench" --impl=heap --plugin="$BATS_FILE_TMPDIR/hostile.so" --workload=hold --tasks=9 \
        --counts-only --budget=2s --progress=never --json=-
    printf '%s\n' "$output" >out.json
    cells=$(json out.json '" ".join(c["impl"] + ": " + c["status"] + "," for c in d["cells"]) + str(d["cells"][1]["reason"])')
    echo "run: status $status, $cells"
    [ "$status" -eq "$([ "$1" = ok ] && echo 0 || echo 1)" ]
    [[ $cells == "heap: ok, hostile: $1,"*"$2"* ]]
}

# conforms_as RULE FOUND - a short list is enough for conform to say so; without a rule it holds.
conforms_as() {
    rm -f seen
    printf 'capacity 2\nstart 0..1 +1\nstop 1\nadvance +1\n' >list
    run --separate-stderr timeout 60 "$twbench" conform --plugin="$BATS_FILE_TMPDIR/hostile.so" --operations-file=list
    echo "conform: status $status, $output"
    [ "$status" -eq "$([ "$1" ] && echo 1 || echo 0)" ]
    [[ $output == *"${1:-the contract holds}"* && $output == *"$2"* ]]
}

# judged - each row of stdin: kind|rule that conform names|what it finds|status of the cell|its reason; - is not asked.
judged() {
    local rule found cell reason
    while IFS='|' read -r HOSTILE rule found cell reason; do
        echo "--- $HOSTILE"
        export HOSTILE
        [ "$rule" = - ] || conforms_as "$rule" "$found"
        [ "$cell" = - ] || runs_as "$cell" "$reason"
    done
}

@test "a process that ends itself is crashed, whatever its exit status is" {
    judged <<'ROWS'
exits_0|no function exits|advance ended the process, with exit status 0|crashed|exited by itself with status 0
exits_raw|no function exits|close ended the process, with exit status 0|crashed|exited by itself with status 0
exits_at_exit|no function exits|start ended the process, with exit status 0|crashed|exited by itself with status 0
exits_7|no function exits|open ended the process, with exit status 7|crashed|exited by itself with status 7
main_thread_exits|no function exits|with exit status 0|crashed|exited by itself with status 0
aborts|no function crashes|signal 6|crashed|signal 6
kills_itself|no function crashes|start was killed by signal 9 from outside|crashed|killed by signal 9 from outside
ROWS
}

@test "a constructor or destructor that does harm only later does it to a child" {
    judged <<'ROWS'
later_exits|no function exits|its constructor|crashed|exited by itself
later_aborts|no function crashes|its constructor|crashed|signal 6
later_hangs|-||crashed|its constructor did not return
later_allocates|no function crashes|its constructor|crashed|signal 6
later_alarm|no function crashes|signal 14|crashed|signal 14
later_prints|no function prints|forged|ok|
last_prints|||ok|
last_writes|||ok|
ROWS
}

@test "a wrong plugin stays wrong, whatever its destructor does" {
    judged <<'ROWS'
wrong_exits|only a running timer fires, once||mismatch|
wrong_dies|only a running timer fires, once||mismatch|
wrong_hangs|only a running timer fires, once||mismatch|
wrong_prints|only a running timer fires, once||mismatch|
wrong_scribbles|only a running timer fires, once||mismatch|
ROWS
}

@test "what loading does to the machine is limited, and the plugin refused" {
    while IFS='|' read -r HOSTILE culprit; do
        echo "--- $HOSTILE"
        export HOSTILE
        refuses "$culprit" conform --plugin="$BATS_FILE_TMPDIR/hostile.so"
    done <<'ROWS'
loads_allocating|loading it crashed: signal 6
unloads_allocating|unloading it crashed: signal 6
loads_filling|loading it crashed: signal 25
loads_alarm|loading it leaves a timer of the system armed
loads_itimer|loading it leaves a timer of the system armed
loads_forking|loading it starts a process or acts on another one
unloads_forking|unloading it starts a process or acts on another one
loads_killing|loading it starts a process or acts on another one
loads_recursing|loading it crashed: signal 11
loads_limiting|loading it changes the limits
loads_blocking|loading it changes which signals are blocked
loads_sigchld|loading it changes what a signal does
ROWS
}

@test "a description that is longer or wilder than it can be is a mismatch" {
    judged <<'ROWS'
settings_5|describe|5 settings|mismatch|5 settings
settings_million|describe|1000000 settings|mismatch|1000000 settings
settings_behind|describe|writes behind|mismatch|writes behind
settings_40|describe|40 settings|mismatch|40 settings
name_null|describe|no name|mismatch|no name
name_terminal|describe|no name|mismatch|no name
name_long|describe|no name|mismatch|no name
name_other|describe|'other' is no parameter|mismatch|'other' is no parameter
name_wild|no function crashes|describe crashed|crashed|signal 11
values_17|describe|17 values|mismatch|17 values
values_0|describe|0 values|mismatch|0 values
span_0|describe|a span of 0|mismatch|a span of 0
footprint_wild|footprint|18446744073709551615 bytes|mismatch|18446744073709551615 bytes
work_back|work||mismatch|comparisons went back
ROWS
}

@test "signals, alarms and limits of a hook end its child, which is told" {
    judged <<'ROWS'
stops|every function returns|advance stops the process|crashed|advance did not return
stops_group|-||crashed|start did not return
is_traced|every function returns|advance stops the process|-|
thread_outlives_main|every function returns|or its main thread|-|
spins|-||crashed|advance did not return
itimer|no function crashes|signal 14|crashed|signal 14
no_time|no function crashes|signal 24|crashed|signal 24
recurses|no function crashes|stack is used up|crashed|signal 11
ignores_sigchld|every function leaves its process as it was|start changes what a signal does|ok|
handles_signals|every function leaves its process as it was|start changes what a signal does|ok|
ROWS
}

@test "what a hook does to memory, files and the stack harms nobody else, and forges nothing" {
    judged <<'ROWS'
closes_all|every function leaves its process as it was|advance closes or replaces files|ok|
scribbles_files|-||ok|
scribbles_0|-||mismatch|the oracle says
scribbles_1|-||crashed|is damaged
scribbles_255|-||crashed|is damaged
scribbles_and_exits|no function exits||crashed|exited by itself
scribbles_255_and_exits|no function exits||crashed|exited by itself
prints_verdict|no function prints||ok|
jumps_out|no timer fires later||-|
leaves_thread|every function leaves its process as it was|close leaves a thread behind|ok|
ROWS
}

# leaves - processes that have the name of those that fork_tree starts.
leaves() {
    cat /proc/[0-9]*/comm 2>/dev/null | grep -cx "$HOSTILE_NAME" || true
}

@test "no hook reaches the process that started it" {
    judged <<'ROWS'
kills_parent|no function starts processes, or acts on others|start acts on another process|crashed|signal 31
kills_thread|or acts on others|start acts on another process|crashed|signal 31
kills_by_file|or acts on others|start acts on another process|crashed|signal 31
limits_parent|or acts on others|start acts on another process|crashed|signal 31
traces_parent|or acts on others|advance acts on another process|crashed|signal 31
owns_parent|or acts on others|start makes a system call that a plugin has no need for|crashed|signal 31
joins_parent|or acts on others|start acts on another process|crashed|signal 31
outlives_parent|or acts on others|advance makes a system call that a plugin has no need for|crashed|signal 31
ROWS
}

@test "a hang in the table that is timed, and in no other, is a crash; a slow one takes too long" {
    gcc -O1 -w -shared -fPIC -I "$root/src/impls" -o hangs.so "$root/tests/plugins/hangs-timed.c"
    run --separate-stderr timeout 60 "$twbench" --plugin=./hangs.so --workload=hold --tasks=9 --runs=1 --budget=1s \
        --progress=never --json=hangs.json
    echo "status $status"
    [ "$status" -eq 1 ]
    [[ $(json hangs.json 'd["cells"][0]["reason"]') == "advance did not return within 0.5 s"* ]]
    gcc -O1 -w -shared -fPIC -DSLOW -I "$root/src/impls" -o slow.so "$root/tests/plugins/hangs-timed.c"
    run --separate-stderr timeout 60 "$twbench" --plugin=./slow.so --workload=hold --tasks=9 --runs=1 --budget=1s \
        --progress=never --json=slow.json
    echo "status $status"
    [ "$status" -eq 0 ]
    [ "$(json slow.json 'd["cells"][0]["status"]')" = timeout ]
}

@test "a hook starts no processes, those in sessions of their own neither" {
    judged <<'ROWS'
forks|no function starts processes|start starts a process|crashed|signal 31: it starts a process
forks_sessions|no function starts processes|start starts a process|crashed|signal 31: it starts a process
forks_and_exits|no function starts processes|advance starts a process|crashed|signal 31: it starts a process
ROWS
    [ "$(leaves)" = 0 ]
}

# both_cells ARGUMENT... - heap and the hostile one, into out.json, and what became of them.
both_cells() {
    run --separate-stderr timeout 60 "$twbench" --impl=heap --plugin="$BATS_FILE_TMPDIR/hostile.so" --workload=hold --tasks=9 \
        --counts-only --progress=never --json=out.json "$@"
    echo "status $status, $stderr"
    json out.json '[c["status"] for c in d["cells"]]'
}

@test "--resume runs a cell again whose process was killed from outside, and no other" {
    export HOSTILE=kills_itself
    [[ $(both_cells) == *"['ok', 'crashed']" ]]
    export HOSTILE=harmless
    [[ $(both_cells --resume) == *"['ok', 'ok']" ]]
    export HOSTILE=aborts
    [[ $(both_cells --force) == *"['ok', 'crashed']" ]]
    export HOSTILE=harmless
    [[ $(both_cells --resume) == *"['ok', 'crashed']" ]]
}

@test "a plugin is drawn in a child process, and probed in one" {
    local plugin=$BATS_FILE_TMPDIR/hostile.so
    export HOSTILE
    for HOSTILE in exits_0 aborts scribbles_and_exits; do
        run --separate-stderr "$twbench" show --plugin="$plugin" --json=- 'add a 3; tick 3'
        echo "$HOSTILE: $status, $output, $stderr"
        [ "$status" -eq 1 ] && [ -z "$output" ] && [[ $stderr == "twbench: hostile: "* ]]
        run --separate-stderr "$twbench" probe --plugin="$plugin" --workload=hold --tasks=9
        echo "$HOSTILE: $status, $output, $stderr"
        [ "$status" -eq 1 ] && [[ $output == '{"probe_version":'*'"status":"crashed"'* ]]
    done
    export HOSTILE=last_prints
    run --separate-stderr "$twbench" probe --plugin="$plugin" --workload=hold --tasks=9
    [ "$status" -eq 0 ] && [[ $output == '{"probe_version":'*'"status":"ok"'* && $output != *forged* ]]
}
