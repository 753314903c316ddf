# support.bash - what the tests of the command line share.
# bats sets stderr, and the tests read what setup sets.
# shellcheck shell=bash disable=SC2034,SC2154
bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    twbench=${TWBENCH:-$root/twbench}
    traces=$root/workloads/traces
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset NO_COLOR
}

# refuses CULPRIT ARGUMENT... - exit status 2, nothing on stdout, and one line on stderr that names the culprit.
refuses() {
    local culprit=$1
    shift
    status=0
    output=$("$twbench" "$@" 2>"$BATS_TEST_TMPDIR.err" </dev/null) || status=$?
    stderr=$(<"$BATS_TEST_TMPDIR.err")
    echo "status $status, stdout '${output:0:200}', stderr '$stderr'"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == "twbench: "* && $stderr == *"$culprit"* && $stderr != *$'\n'* ]]
}

# wrong WORDS CULPRIT ARGUMENT... - refuses; WORDS say what.  Many go into one test, which costs as much as ten of them.
wrong() {
    echo "$1"
    refuses "${@:2}"
}

# For tests that take long and whose class has a quicker one: only make test-all runs them.
deep() { [ "${DEPTH:-}" = all ] || skip "make test-all"; }

# A run that is over in a moment; a flag among the arguments takes the place of the one here.
quick() {
    local flags=() flag
    for flag in --workload=fill-cancel --tasks=50 --runs=1 --warmup=0 --min-time=0ns --no-system-check --progress=never; do
        [[ " $* " == *" ${flag%%=*}"[=\ ]* ]] || flags+=("$flag")
    done
    "$twbench" "${flags[@]}" "$@"
}

# in_some_of N FUNCTION... - true as soon as the function is, within N tries.  For what another process on the
# machine can hide and nothing can make up: a verdict on times, a design that ends within a short budget.  The
# function is a chain of &&, because bash takes no `set -e` there.
in_some_of() {
    local tries=$1
    shift
    while [ "$tries" -gt 0 ]; do
        "$@" && return
        tries=$((tries - 1))
    done
    return 1
}

# given_time COMMAND... - true as soon as the command is, called with --budget= of 2, 8 and 40 s: what a quiet machine
# does in the first, a busy one does in the last.
given_time() {
    local budget
    for budget in 2s 8s 40s; do
        "$@" --budget=$budget && return
    done
    return 1
}

# comes_true COMMAND... - waits until the command is true, or for longer than any stall of a machine.
comes_true() {
    for _ in {1..1000}; do
        "$@" && return
        sleep 0.1
    done
    return 1
}

# blocks_signals PID - has the program got so far that a signal becomes its status 130?  It holds signals off for moments
# before that, too.
blocks_signals() {
    local mask
    for _ in 1 2; do
        mask=$(awk '/^SigBlk:/ { print $2 }' "/proc/$1/status")
        [ $((16#$mask & 2)) -ne 0 ] || return
        sleep 0.01
    done
}

# interrupts SIGNAL CONDITION COMMAND... - sends the signal as soon as the command can take it and the condition
# holds, however long that takes; its exit status is then in $status.
interrupts() {
    local signal=$1 condition=$2 child
    shift 2
    "$@" 3>&- &
    child=$!
    comes_true blocks_signals $child
    comes_true eval "$condition"
    kill -"$signal" $child
    status=0
    wait $child || status=$?
}

# json FILE EXPRESSION - what the Python expression over the document d prints.
json() {
    python3 -IS -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"
}

# judged EXPRESSION TEXT - what the Python expression over the comparison d in out.json gives, c being its first cell.
judged() {
    local found
    found=$(json out.json "(lambda c: ($1))(d['cells'][0])")
    echo "$1: '$found', expected '$2'"
    [ "$found" = "$2" ]
}

# slow_workload - slow.json: at least 10^9 operations, which no processor makes in a minute
slow_workload() {
    cat >slow.json <<'END'
{ "name": "slow", "summary": "s", "tick": "1ms", "tasks": 1000, "phases": [
  { "name": "r", "repeat": 1000000, "phases": [
    { "do": "start", "delay": 1 }, { "do": "run", "until": "empty" } ] } ] }
END
}

# within SECONDS COMMAND... - the kernel ends it with a signal when it uses more time of the processor; $status
within() {
    local seconds=$1
    shift
    status=0
    (ulimit -t "$seconds" && exec timeout 300 "$@") >out.txt 2>err.txt || status=$?
    cat out.txt err.txt
}
