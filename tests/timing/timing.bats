# timing.bats - what only times can show: make test-timing.  No other suite asks how fast, how quiet or how significant.
#
# The control is work of one size, done nine times before each test and after one that fails: where that is uneven, the
# machine decides nothing, and the test is skipped as inconclusive.
# shellcheck disable=SC2154  # stderr is set by run --separate-stderr

load ../cli/support

# steady - the middle of nine takes at most 5 % more than the fastest, and all of them at most 5 % more than they use the core.
steady() {
    python3 -IS -c 'import hashlib, sys, time
walls, cpus = [], []
for _ in range(9):
    wall, cpu = time.monotonic(), time.process_time()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 100000)
    walls.append(time.monotonic() - wall)
    cpus.append(time.process_time() - cpu)
sys.exit(sorted(walls)[4] > 1.05 * min(walls) or sum(walls) > 1.05 * sum(cpus))'
}

# shows FUNCTION [ARGUMENT...] - it succeeds, or this machine cannot tell.  The function is a chain of &&.
shows() {
    steady || skip "inconclusive: the control is uneven"
    "$@" && return
    steady || skip "inconclusive: the control became uneven"
    return 1
}

# build NAME [FLAG...] - ./NAME.so, a build of tests/plugins/paced.c.
build() {
    gcc -O1 -shared -fPIC -I "$root/src/impls" -o "$1.so" "$root/tests/plugins/paced.c" "${@:2}"
}

# compares STATUS OLD NEW ARGUMENT... - 14 pairs, the document is out.json.
compares() {
    local expected=$1
    shift
    run --separate-stderr timeout 600 "$twbench" compare "$@" --workload=hold --pairs=14 --progress=never --no-system-check \
        --json=out.json --force </dev/null
    echo "status $status, stdout '$output', stderr '$stderr'"
    [ "$status" -eq "$expected" ]
}

is_the_same() {
    compares 0 "$twbench" "$twbench" --impl=heap --tasks=200 --min-time=200us &&
        judged 'd["mode"], d["verdict"], len(d["cells"]), c["work_changed"]' "('binaries', 'same', 1, False)" &&
        judged 'c["timing"]["pairs"] >= 14, c["decided_by"]' "(True, ['work', 'instructions', 'tail', 'time'])" &&
        judged '1 - c["timing"]["margin"] <= c["ratio"]["low"] <= c["ratio"]["high"] <= 1 + c["timing"]["margin"]' True &&
        judged 'c["ratio"]["median"] == c["timing"]["cpu_ratio"]["median"]' True &&
        judged 'abs(c["ns_per_op"]["new"] / c["ns_per_op"]["old"] / c["ratio"]["median"] - 1) < 1e-4' True
}
@test "a program compared with itself is the same, and every figure of its time is one estimate" {
    shows is_the_same
}

# Pairs of processes, and a control that is a second copy of OLD.
calls_are_seen() {
    build old && build new -DCALLS=100 &&
        compares 3 ./old.so ./new.so --tasks=50 --min-time=200us --max-pairs=14 --limit=instructions=off --samples=2 &&
        judged 'c["gates"]["time"], c["time_decides"], c["ratio"]["low"] > 1.03' "('regressed', True, True)" &&
        judged 'c["timing"]["pairs"], c["control"]["pairs"]' "(14, 14)" &&
        judged 'd["reasons"][0].count("paced/hold/50")' 1
}
@test "a hundred system calls in start are a regression, by times in pairs" {
    shows calls_are_seen
}

# A stall of 50 us in one advance of 10,000.  Times and instructions get wide limits: the tail alone shall find it.
tails() {
    compares "$@" --tasks=50 --max-pairs=14 --samples=1 --min-time=10us --limit=instructions=off --limit=time=500% \
        --limit=layout=500%
}
stall_is_found() {
    build old && build new -DSTALL_NS=50000 && tails 3 ./old.so ./new.so &&
        judged 'd["verdict"], c["gates"]["tail"], c["decided_by"]' "('regressed', 'regressed', ['tail'])" &&
        judged 'c["tail"]["phase"], c["tail"]["call"] % 10000' "('steady', 4999)" &&
        judged 'c["tail"]["new_ns"] >= 50000 > 2 * c["tail"]["old_ns"], c["tail"]["agreed"] >= 9' "(True, True)" &&
        [[ $output == *"repetitions agree"* ]]
}
@test "a stall of 50 us in one advance of 10,000 is found by the tail gate, and by it alone" {
    shows stall_is_found
}

wandering_is_found() {
    build old && build new -DSTALL_NS=50000 -DWANDERS && tails 3 ./old.so ./new.so &&
        judged 'c["gates"]["tail"], c["tail"]["call"]' "('regressed', None)" &&
        tails 0 ./new.so ./old.so && judged 'c["gates"]["tail"]' improved
}
@test "a stall that wanders from call to call is found; without the stall NEW has improved" {
    shows wandering_is_found
}

no_alarm() {
    build old && build new || return
    for ((i = 0; i < 200; i++)); do
        timeout 600 "$twbench" compare ./old.so ./new.so --workload=hold --tasks=50 --pairs=14 --max-pairs=14 --samples=1 \
            --min-time=10us --seed="$i" --progress=never --no-system-check --json=out.json --force >/dev/null
        judged 'c["gates"]["tail"]' same || return
    done
}
@test "200 comparisons of two equal builds raise no alarm of the tail" {
    deep
    shows no_alarm
}

# beside_six BUDGET_S COMMAND... - beside six busy processes it ends within a tenth more than the budget, and a second to begin.
beside_six() {
    local budget_s=$1 begin end busy=()
    shift
    for _ in 1 2 3 4 5 6; do
        sh -c 'while :; do :; done' 3>&- &
        busy+=($!)
    done
    begin=$(date +%s%N)
    "$@" >out.txt 2>&1
    end=$(date +%s%N)
    kill "${busy[@]}"
    echo "$(((end - begin) / 1000000)) ms: $*"
    [ $((end - begin)) -le $((budget_s * 1100000000 + 1000000000)) ]
}
@test "budgets hold beside six busy processes" {
    shows beside_six 10 "$twbench" selftest --budget=10s --progress=never
    [ -x "$root/build/release/twbench-advise" ] || return 0
    shows beside_six 10 "$twbench" advise hold --tasks=1e5 --budget=10s --progress=never --no-system-check
    shows beside_six 10 "$twbench" advise network --tasks=1e5 --budget=10s --progress=never --no-system-check
}
