#!/bin/bash
# libraries.sh [NAME...] - every real library that is built here (or those named) keeps the contract, does in
# each of its ways of running what the oracle does, and says what it does besides.  Prints TAP.
#
# With DEPTH=all each library runs all workloads that it can do in a moment, and in each of its ways; else two workloads
# in its own way, and the contract is held by the first library alone.
set -uo pipefail

cd "$(dirname "$0")/../../.." || exit 2
root=$PWD
wanted=("$@")
twbench=${TWBENCH:-$root/twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line per library: its name, what its other way of running is called (-: there is none), and the workloads it can do in a
# moment (the kernel's timers wait for a real clock).
virtual='burst,collide,few-constants,fill-cancel,hold,keepalive,network,periodic'
libraries="libev       --poll=0                        $virtual
libuv       --poll=0                        $virtual
libevent    --poll=0                        $virtual
glib        --poll=0                        fill-cancel,few-constants,hold,network
sd-event    --poll=0                        $virtual
asio        --poll=0                        $virtual
timerfd     -                               fill-cancel
posix-timer -                               fill-cancel"

. tests/tap.bash

# Is it here, and wanted?
is_built() {
    [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]] || return 1
    [ -e "$root/build/release/libraries/${1//-/_}.so" ]
}

waits() {
    [ "$1" = timerfd ] || [ "$1" = posix-timer ]
}

conform() {
    local name=$1 operations=$2 output
    output=$(timeout 500 "$twbench" conform --impl="$name" --operations="$operations" 2>&1)
    tell $? "$name holds the contract" "$output"
}

# run_workloads NAME WORKLOADS SETTING...
run_workloads() {
    local name=$1 workloads=$2 output
    shift 2
    output=$(timeout 500 "$twbench" run --impl="$name" --workload="$workloads" --tasks=300 --counts-only \
        --progress=never "$@" 2>&1)
    tell $? "$name${*:+ with $*} does what the oracle does in $workloads" "$output"
}

# The sums over a document's phases of system calls, of looks at the clock, and of operations.
sums='import json, sys
phases = [p for c in json.load(open(sys.argv[1]))["cells"] for p in c["phases"]]
print(sum(p["work"]["system_calls"] for p in phases), sum(p["work"]["clock_reads"] for p in phases),
      sum(p["operations"]["advance"] for p in phases))'

# With poll=1 there is a call for each advance at least, with poll=0 none; the clock is asked in any case.
count_calls() {
    local name=$1 poll=$2 calls looks advances output
    output=$("$twbench" run --impl="$name" --workload=hold --tasks=100 --counts-only --poll="$poll" \
        --progress=never --json="$work/calls.json" --force 2>&1)
    read -r calls looks advances < <(python3 -c "$sums" "$work/calls.json")
    if [ "$poll" -eq 1 ]; then
        [ "$calls" -ge "$advances" ] && [ "$looks" -gt 0 ]
    else
        [ "$calls" -eq 0 ] && [ "$looks" -gt 0 ]
    fi
    tell $? "$name with poll=$poll: calls into the system and looks at the clock are as said" \
        "$calls calls, $looks looks, $advances advances
$output"
}

# Does the loader's table answer only where it is meant to?  The harness measures with the real clock
# in the same process, and its time must go on.
harness_clock_goes_on() {
    local output
    output=$("$twbench" run --impl=libev --workload=fill-cancel --tasks=1000 --runs=1 --warmup=0 \
        --min-time=0ns --progress=never --json="$work/clock.json" --force 2>&1)
    python3 -c 'import json, sys
phases = json.load(open(sys.argv[1]))["cells"][0]["phases"]
sys.exit(not all(p["ns_per_op"]["median"] > 0 for p in phases))' "$work/clock.json"
    tell $? "the harness's clock goes on beside a library that is told the time" "$output"
}

while read -r name ways workloads; do
    is_built "$name" || continue
    operations=1e4 tried=
    [ "$ways" = - ] || tried=$ways
    if [ "${DEPTH:-}" != all ]; then
        tried='' workloads=$(cut -d, -f1,2 <<<"$workloads")
    fi
    waits "$name" && operations=1e3
    if [ "${DEPTH:-}" = all ] || [ "$number" -eq 0 ]; then
        conform "$name" "$operations"
    fi
    run_workloads "$name" "$workloads"
    for way in $tried; do
        run_workloads "$name" "$workloads" "$way"
    done
    case $ways in *--poll*)
        count_calls "$name" 1
        count_calls "$name" 0
        ;;
    esac
done <<<"$libraries"
is_built libev && harness_clock_goes_on
# Behind the results, because only now is it known which libraries are here.
[ "$number" -gt 0 ] || plan_note=" # SKIP no library is built here: 'make deps' installs their packages"
echo "1..$number${plan_note:-}"
exit $failed
