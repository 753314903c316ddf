# compare_programs.bats - two programs held against each other, and the selftest: small matrices, few
# pairs.  What the verdict is worth is the selftest's to say, over minutes (docs/MEASUREMENT.md).
# shellcheck disable=SC2154  # stderr is set by run --separate-stderr

load support

# compares STATUS OLD NEW ARGUMENT... - with little to do.
compares() {
    local expected=$1
    shift
    run --separate-stderr timeout 300 "$twbench" compare "$@" --impl=heap --workload=hold --tasks=200 \
        --min-time=200us --progress=never </dev/null
    echo "status $status, stdout '$output', stderr '$stderr'"
    [ "$status" -eq "$expected" ]
}

# What decides on times: tests/unit/test_gate_time.c, and make test-timing.
@test "counts alone take seconds and need no pairs" {
    compares 0 "$twbench" "$twbench" --pairs=0 --json=out.json --export-junit=out.xml --export-markdown=out.md
    [ "$(json out.json 'd["cells"][0]["timing"], d["cells"][0]["time_decides"], d["cells"][0]["ratio"]["median"]')" = "(None, False, None)" ]
    [ "$(json out.json 'd["cells"][0]["decided_by"], d["cells"][0]["ns_per_op"]')" = \
        "(['work', 'instructions', 'memory'], {'old': None, 'new': None})" ]
    [[ $output != *"NEW/OLD"* && $output != *advisory* && $output == *"no times were taken."* ]]
    grep -q '<testcase' out.xml
    grep -q '^## twbench: same' out.md
}

@test "each copy of a program finds the libraries of its own" {
    deep
    run --separate-stderr timeout 300 "$twbench" compare "$twbench" "$twbench" --impl=posix-timer --workload=hold --tasks=20 \
        --pairs=0 --progress=never --json=out.json
    echo "status $status, stderr '$stderr'"
    [ "$status" -eq 0 ]
    [ "$(json out.json '[c["impl"] for c in d["cells"]], d["cells"][0]["failed"]')" = "(['posix-timer'], False)" ]
}

@test "a program and a result cannot be compared" {
    quick --impl=heap --workload=hold --json=result.json >/dev/null
    compares 2 "$twbench" result.json
    [[ $stderr == *"is a program"* ]]
}

@test "a program that is no twbench is named" {
    compares 2 /bin/true "$twbench"
    [[ $stderr == *"/bin/true: does not answer 'run' as a twbench"* ]]
    compares 2 "$twbench" /bin/false
    [[ $stderr == *"/bin/false"* ]]
}

@test "a matrix cannot be asked of results" {
    quick --impl=heap --workload=hold --json=result.json >/dev/null
    refuses "--impl" compare result.json result.json --impl=heap
}

@test "an interrupted comparison leaves a valid document and status 130" {
    interrupts TERM true "$twbench" compare "$twbench" "$twbench" --pairs=400 --max-pairs=400 \
        --progress=never --json=out.json >/dev/null 2>&1
    [ "$status" -eq 130 ]
    [ "$(json out.json 'd["complete"], d["verdict"]')" = "(False, 'inconclusive')" ]
}

# selftests BUDGET - one that found something
selftests() {
    "$twbench" selftest --budget="$1" --impl=heap --workload=hold --tasks=200 --pairs=14 --max-pairs=14 --min-time=200us \
        --patience=0ms --progress=never --json=out.json --force >/dev/null 2>&1 && [ "$(json out.json 'd["comparisons"] > 0')" = True ]
}

@test "a selftest has the figures that scripts rely on" {
    selftests 3s || selftests 60s
    for key in false_alarm_rate false_alarm_high detection timer_overhead_ns harness_ns_per_op calibration \
        smallest_reliable_slowdown; do
        [ "$(json out.json "'$key' in d")" = True ]
    done
    [ "$(json out.json 'sorted(d["detection"], key=int)')" = "['2', '5', '10']" ]
}

# The budget is far too short for fifteen cells: which are left out is said, in words and in the document.
@test "a selftest keeps to its budget and names what it leaves out" {
    "$twbench" selftest --budget=1500ms --progress=never --json=out.json >out.txt 2>/dev/null
    [ "$(json out.json 'd["complete"], d["budget_s"]')" = "(True, 1.5)" ]
    # A busy machine may not even take a sample of each cell.
    [ "$(json out.json 'any("of 15 cells: " in t or t.startswith("the last round") for t in d["left_out"])')" = True ]
    grep -q 'Left out in 1.50* s (--budget): ' out.txt
}
