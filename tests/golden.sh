#!/bin/bash
# golden.sh [--write] - every command still writes each key of JSON that it wrote before.  Prints TAP.
#
# tests/golden/*.keys list the keys of a small run of each command, with the types of their values: what scripts outside
# rely on.  A key may be added; one that is gone or has another type is a failure.  --write adds the keys that are new; it
# never takes one away.
# shellcheck disable=SC2317  # the commands are called by name
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
root=$PWD
twbench=${TWBENCH:-$root/twbench}
write=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state

quick=(--tasks=100 --runs=3 --warmup=0 --min-time=0ns --patience=0s --progress=never)
pairs=(--pairs=14 --max-pairs=14 --samples=1 --min-time=100us --progress=never)

run_run() { "$twbench" run --impl=heap,hashed,null --workload=hold "${quick[@]}" --json=-; }
run_periodic() { "$twbench" run --impl=heap --workload=periodic "${quick[@]}" --json=-; }
run_counts() { "$twbench" run --impl=hier,ring --workload=keepalive,collide --tasks=100 --counts-only --drive=ticks,next --progress=never --json=-; }
run_replay() { "$twbench" replay nginx --impl=list --counts-only --progress=never --json=-; }
run_compare() { "$twbench" compare "$twbench" "$twbench" --impl=heap --workload=hold --tasks=100 "${pairs[@]}" --json=-; }
run_compare_results() { run_run >"$work/r.json" && "$twbench" compare "$work/r.json" "$work/r.json" --json=-; }
run_selftest() { "$twbench" selftest --impl=heap --workload=hold --tasks=100 --budget=1ms "${pairs[@]}" --json=-; }
run_list() { "$twbench" list --json=-; }
run_probe() { "$twbench" probe --impl=heap --workload=hold --tasks=100 --samples=1 --passes=1; }

. tests/tap.bash
commands=$(declare -F | sed -n 's/^declare -f run_//p')
echo "1..$(wc -w <<<"$commands")"
for command in $commands; do
    case $command in
    run | periodic | counts | replay) kind=result ;;
    compare*) kind=comparison ;;
    *) kind=$command ;;
    esac
    "run_$command" >"$work/document.json" 2>"$work/errors"
    output=$(tests/golden/keys.py "tests/golden/$kind.keys" "$command" "$work/document.json" ${write:+"$write"} 2>&1)
    tell $? "$command writes every key of before" "$output
$(tail -n 5 "$work/errors")"
done
exit $failed
