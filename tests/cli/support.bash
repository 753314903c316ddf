# support.bash - what the tests of the command line share.
bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    twbench=${TWBENCH:-$root/twbench}
    traces=$root/workloads/traces
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset NO_COLOR
    # A selftest leaves its figures there, and results carry them: neither is to be the user's.
    export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
}

# refuses CULPRIT ARGUMENT... - exit status 2, nothing on stdout, and one line on stderr that names
# the culprit.
refuses() {
    local culprit=$1
    shift
    run --separate-stderr timeout 20 "$twbench" "$@" </dev/null
    echo "status $status, stdout '${output:0:200}', stderr '$stderr'"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == "twbench: "* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *"$culprit"* ]]
}

# A run that is over in a moment.
quick() {
    "$twbench" --tasks=50 --runs=1 --warmup=0 --min-time=0ns --progress=never "$@"
}

# json FILE EXPRESSION - what the Python expression over the document d prints.
json() {
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"
}
