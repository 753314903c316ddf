#!/bin/bash
# originals.sh [OUT] - the drivers of labs/live/originals read schedules, run them, and their documents add up.  Prints TAP.
#
# What is not in OUT (build/originals, where `make originals` builds it) is skipped, with the reason.  Nothing here
# depends on how fast the machine is: what is asserted of times is what no machine can undercut.  labs/live/tests/originals/ has
# a timer with planted faults, which shows that the ledger notices.  With DEPTH=all: a burst of 1e6, and Go's report
# under planted faults.
set -uo pipefail

cd "$(dirname "$0")/../../.." || exit 2
out=$(realpath -m "${1:-build/originals}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
twbench=${TWBENCH:-$PWD/twbench}
netty_jar=/usr/share/java/netty-common.jar

. tests/tap.bash

skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# header OPS [END_NS [PRODUCERS]] - of a schedule with ids enough.
header() {
    printf '# twbench-schedule 1\n# pace: clock\n# producers: %d\n# ids: 1000\n# ops: %d\n# end_ns: %d\n' \
        "${3:-1}" "$1" "${2:-400000000}"
}

# Of 300 timers 100 are due within 0.2 s, 100 in an hour, and 100 that would be due in an hour are stopped at 0.1 s:
# two of them by another thread than started them, which may come before the start on a busy machine, one a second
# time.  One that is far away is started again.
mixed_schedule() {
    header 403 400000000 2
    for ((i = 0; i < 300; i++)); do
        echo "$((i * 100000)) $((i % 2)) s $i $((i < 100 ? i * 2000000 : 3600000000000))"
    done
    for ((i = 200; i < 300; i++)); do
        echo "100000000 $(((i + (i < 202)) % 2)) c $i"
    done
    echo "200000000 0 c 200"
    echo "200000000 0 s 100 3600000000000"
    echo "200000000 1 c 999"
}

# One that fails at 10 ms, and 20 that are started a second later.
failing_schedule() {
    header 21 1200000000
    echo "0 0 s 0 10000000 fail"
    for ((i = 1; i <= 20; i++)); do
        echo "$((1000000000 + i)) 0 s $i 1000000"
    done
}

# 19 that are due while the first keeps its thread for 0.3 s.
slow_schedule() {
    header 20 1200000000
    echo "0 0 s 0 0 300000000"
    for ((i = 1; i < 20; i++)); do
        echo "$((100000000 + i)) 0 s $i $i"
    done
}

# One that runs for a second is stopped half a second after it began.
late_schedule() {
    header 2 1200000000
    echo "0 0 s 0 0 1000000000"
    echo "600000000 0 c 0"
}

# For 0.4 s: each 20 ms whatever a run of 5 ms takes, and 40 ms after such a run.
periodic_schedule() {
    header 2
    echo "0 0 s 0 0 rate:20000000:5000000"
    echo "0 0 s 1 0 delay:40000000:5000000"
}

# The first throws in its first run.
dropped_schedule() {
    header 2
    echo "0 0 s 0 0 rate:20000000:fail"
    echo "0 0 s 1 0 rate:400000000:0"
}

far_schedule() {
    header 50
    for ((i = 0; i < 50; i++)); do
        echo "0 0 s $i 3600000000000"
    done
}

# judged WHAT STATUS NAME SCHEDULE FLAG... -- KEY=VALUE... - the driver ends with that status, and so is its document.
judged() {
    local what=$1 wanted=$2 name=$3 schedule=$4 flags=() status output
    shift 4
    while [ "$1" != -- ]; do
        flags+=("$1")
        shift
    done
    shift
    "$out/$name" --schedule="$work/$schedule" --warm-up=0 "${flags[@]}" >"$work/document" 2>"$work/errors"
    status=$?
    output=$(labs/live/tests/originals/judge.py "$work/document" "$@" 2>&1) && [ "$status" -eq "$wanted" ]
    tell $? "$name: $what" "exit status $status
$output
$(cat "$work/errors")"
}

# refused WHAT WORDS NAME FLAG... - exit status 2, nothing on standard output, one line that has the words.
refused() {
    local what=$1 words=$2 name=$3 status
    shift 3
    "$out/$name" "$@" >"$work/document" 2>"$work/errors"
    status=$?
    [ $status -eq 2 ] && [ ! -s "$work/document" ] && [ "$(wc -l <"$work/errors")" -eq 1 ] &&
        grep -qF -e "$words" "$work/errors"
    tell $? "$name refuses $what" "exit status $status
$(cat "$work/errors")"
}

# What each does with a task that fails, and with one that takes long.
test_outcomes() {
    case $1 in
    netty)
        judged "a failed task is one of 21" 0 "$1" fail -- died=null failed=1 ledger.accepted=21 ledger.refused=0
        judged "a slow task holds up the others" 0 "$1" slow -- 'lateness_ns.max>=180000000'
        judged "a cap refuses what is above it" 0 "$1" far --cap=20 -- ledger.accepted=20 ledger.refused=30
        refused "a wheel without slots" "--slots: found '0'" "$1" --schedule="$work/far" --slots=0
        ;;
    jdk-timer)
        refused "periodic tasks" "this driver does not repeat tasks" "$1" --schedule="$work/periodic"
        # shellcheck disable=SC2016
        judged "a failed task ends the timer" 0 "$1" fail -- failed=1 ledger.ran=1 ledger.refused=20 \
            wakeups.timer_threads=null 'died=timer: Task$Failed: a task of the schedule failed'
        judged "a slow task holds up the others" 0 "$1" slow -- 'lateness_ns.max>=180000000'
        ;;
    jdk-pool)
        judged "a failed task is swallowed" 0 "$1" fail --threads=1 -- died=null failed=1 ledger.refused=0
        judged "a slow task holds up a pool of one" 0 "$1" slow --threads=1 -- 'lateness_ns.max>=180000000'
        # As many runs as there are periods until the close, which a busy machine makes later.
        judged "periodic tasks" 0 "$1" periodic -- ledger.accepted=2 ledger.ran=0 ledger.returned=2 'runs>=2' 'runs<=100'
        judged "a periodic task that fails is dropped" 0 "$1" dropped -- failed=1 died=null ledger.accepted=2 \
            ledger.returned=2 'runs>=2'
        judged "with remove-on-cancel" 0 "$1" mixed --remove-on-cancel=1 -- 'ledger.stopped>=99' \
            'ledger.returned>=100'
        ;;
    go)
        judged "a failed task ends the program" 1 "$1" fail -- ledger=null \
            'died=panic: a task of the schedule failed'
        ;;
    esac
}

test_original() {
    local name=$1 early=0 both=0
    if [ ! -x "$out/$name" ]; then
        skip "$name" "not built: 'make originals' installs its runtime and builds it"
        return
    fi
    # java.util.Timer waits by a clock of whole ms.
    [ "$name" != jdk-timer ] || early=1000000
    judged "starts, stops and re-arms of two threads" 0 "$name" mixed -- ledger.accepted=301 ledger.refused=0 \
        'ledger.stopped>=99' 'ledger.returned>=100' 'stops_idle>=2' 'stops_idle<=4' stops_too_late=0 \
        "early_max_ns<=$early" 'rss_bytes>=1e6' lag_ns.count=403 settings.producers=2 settings.pace=clock died=null \
        'last_call_ns>=200000000'
    judged "as fast as they go" 0 "$name" free --memory=1000 -- settings.pace=free lag_ns=null ledger.accepted=301 \
        'heap_bytes_per_timer>=20'
    [ "$name" != jdk-pool ] || both=1
    judged "a stop of a running task" 0 "$name" late -- ledger.ran=1 ledger.stopped=0 stopped_yet_ran=$both \
        stops_too_late=$((1 - both))
    test_outcomes "$name"
    refused "a malformed schedule" "$work/bad.1:6: found 'end: 1', expected '# end_ns: '" "$name" \
        --schedule="$work/bad.1"
    refused "an unknown flag" "--spin: unknown" "$name" --schedule="$work/far" --spin=1
}

# One file for each thing that can be wrong; each name ends in the number of its line of `expected`.
malformed_schedules() {
    local rest='# pace: clock
# producers: 1
# ids: 2
# ops: 2
# end_ns: 1
'
    good="# twbench-schedule 1
$rest"
    bad() {
        files=$((files + 1))
        printf '%s' "$1" >"$work/bad.$files"
        echo "$work/bad.$files${2:+:$2}" >>"$work/expected"
    }
    local files=0
    bad "${good/\# end_ns: 1/end: 1}" "6: found 'end: 1', expected '# end_ns: '"
    bad '' "1: found the file ends, expected '# twbench-schedule 1'"
    bad "# twbench-schedule 2" "1: found '# twbench-schedule 2', expected '# twbench-schedule 1'"
    bad "${good/clock/wall}" "2: found '# pace: wall', expected '# pace: clock' or '# pace: free'"
    bad "${good/producers: 1/producers: 0}" "3: found '0', expected a number from 1 to 1024"
    bad "${good}0 0 s 0 5
" "8: found the file ends, expected a time in ns, not before that of the line above"
    bad "${good}9 0 s 0 5
8 0 c 0
" "8: found '8 0 c 0', expected a time in ns, not before that of the line above"
    bad "${good}0 1 s 0 5
" "7: found '1 s 0 5', expected a producer below 1"
    bad "${good}0 0 x 0 5
" "7: found 'x 0 5', expected s (start) or c (stop)"
    bad "${good}0 0 s 2 5
" "7: found '2 5', expected an id below 2"
    bad "${good}0 0 s 0 -5
" "7: found '-5', expected a delay in ns"
    bad "${good}0 0 s 0 99999999999999999999
" "7: found '99999999999999999999', expected a delay in ns"
    bad "${good}0 0 s 0 5 slow
" "7: found 'slow', expected fail, or the task's own time in ns"
    bad "${good}0 0 c 0 5
" "7: found ' 5', expected the end of the line"
    bad "${good}0 0 s 0 5
0 0 c 0" "8: found the file ends, expected the end of the line"
    bad "${good}0 0 s 0 5
0 0 c 0
0 0 c 0
" "9: found '0 0 c 0', expected the end of the file after 2 operations"
}

test_readers() {
    local messages
    malformed_schedules
    if [ -e "$work/java/Messages.class" ]; then
        messages=$(java -XX:-UsePerfData -cp "$work/java:$out/java" Messages "$work"/bad.{1..16} 2>&1)
        [ "$messages" = "$(cat "$work/expected")" ]
        tell $? "the reader in Java names file, line, what it found and what it expected" "$messages"
    fi
    if [ -x "$out/go" ]; then
        messages=$(for ((i = 1; i <= 16; i++)); do "$out/go" --schedule="$work/bad.$i" 2>&1 | sed 's/^go: //'; done)
        [ "$messages" = "$(cat "$work/expected")" ]
        tell $? "the reader in Go says the same" "$messages"
    fi
}

# fault NAME STATUS WORDS - the ledger of a timer with this fault.
fault() {
    local status
    java -XX:-UsePerfData -cp "$work/java:$out/java" Broken --schedule="$work/mixed" --warm-up=0 --fault="$1" \
        >"$work/document" 2>"$work/errors"
    status=$?
    [ $status -eq "$2" ] && grep -qE "$3" "$work/document"
    tell $? "planted fault: $1" "exit status $status
$(cat "$work/document" "$work/errors")"
}

test_faults() {
    [ -e "$work/java/Broken.class" ] || return
    fault none 0 '"lost": 0, "twice": 0'
    fault lost-start 1 '"lost": [1-9]'
    fault lost-at-close 1 '"lost": [1-9]'
    fault twice 1 '"twice": [1-9]'
    fault early 0 '"early": [1-9]'
    fault stop-does-nothing 1 '"(twice|stopped_yet_ran)": [1-9]'
}

# 100,000 a tick, so that a burst of 1e6 takes ten; what came in at a tick's end is due in the next.
test_burst() {
    [ "${DEPTH:-}" = all ] || return
    labs/live/originals/schedule.py burst timers=1000000 end_ns=4e9 >"$work/burst"
    [ ! -x "$out/netty" ] || judged "moves 100,000 a tick" 0 netty burst -- ledger.accepted=1000000 \
        'ticks.with_runs>=9' 'ticks.most_runs<=200000' 'last_run_ns>=800000000'
}

# beside NAME STATUS WORD FLAG... - a cell of twbench that an original ran has this status, and the ledger a runner has.
beside() {
    local name=$1 wanted=$2 word=$3 status output
    shift 3
    output=$("$twbench" run --original="$name" --progress=never --no-system-check --json=- "$@" 2>&1 >"$work/result")
    status=$?
    output+=$(python3 -c '
import json, sys
cell, = json.load(open(sys.argv[1]))["cells"]
assert (cell["impl"], cell["runner"], cell["status"]) == (sys.argv[2], sys.argv[2], sys.argv[3]), cell
ledger = cell["ledger"]
if cell["status"] == "ok" or sys.argv[2] == "jdk-timer":
    assert ledger["accepted"] == ledger["ran"] + ledger["stopped"] + ledger["returned"] > 0, ledger
    assert cell["original"]["library"] and cell["original"]["settings"]["producers"] == 2, cell["original"]
    late = cell["clock"]["times_ns"]["late"]
    assert (late["count"] if late else 0) == ledger["ran"], ledger
    assert cell["clock"]["times_ns"]["start"]["count"] == ledger["accepted"] + ledger["refused"], ledger
    assert cell["original"]["settings"].get("slots", 100) == 100, cell["original"]
' "$work/result" "$name" "$word" 2>&1) && [ "$status" -eq "$wanted" ]
    tell $? "twbench run --original=$name $*: $word" "exit status $status
$output"
}

test_twbench() {
    local output status
    output=$("$twbench" run --original=node 2>&1)
    status=$?
    [[ $status -eq 2 && $output == *"no original 'node'; expected one of netty, jdk-timer, jdk-pool, go"* ]]
    tell $? "twbench names the originals there are" "$output"
    [ "$out" = "$PWD/build/originals" ] && [ -x "$out/netty" ] && [ -x "$out/go" ] || return
    beside netty 0 ok --load=storm --tasks=1000 --threads=2 --slots=100 --runs=2
    beside jdk-timer 1 crashed --load=burst --tasks=100 --threads=2 --failing-every=50
    beside go 0 ok --load=burst --tasks=1000 --threads=2
    beside go 0 ok --workload=fill-cancel --tasks=500 --threads=2
    beside go 1 crashed --load=burst --tasks=100 --failing-every=50
    beside go 0 unsupported --workload=hold --tasks=100
}

test_go_report() {
    local output
    [ "${DEPTH:-}" = all ] && command -v go >/dev/null || return
    output=$(cd labs/live/originals/go && GO111MODULE=on GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$out/go-cache GOPATH=$out/go-path \
        go test . 2>&1)
    tell $? "Go's report notices planted faults" "$output"
}

mixed_schedule >"$work/mixed"
sed 's/clock/free/' "$work/mixed" >"$work/free"
failing_schedule >"$work/fail"
slow_schedule >"$work/slow"
periodic_schedule >"$work/periodic"
dropped_schedule >"$work/dropped"
far_schedule >"$work/far"
late_schedule >"$work/late"
if [ -x "$out/jdk-timer" ]; then
    output=$(javac -Xlint:all -Werror -cp "$out/java:$netty_jar" -d "$work/java" labs/live/tests/originals/*.java 2>&1)
    tell $? "the planted faults compile" "$output"
fi
test_readers
for name in netty jdk-timer jdk-pool go; do
    test_original "$name"
done
test_faults
test_twbench
test_burst
test_go_report
echo "1..$number"
exit $failed
