#!/bin/bash
# bench.sh - the default comparison: the five textbook designs over recorded nginx traffic and over
# the standard workload from a thousand to a million timers.  `make bench` runs it.
#
# Tables go to the terminal; JSON and pictures to a new folder results/bench-DATE.
set -euo pipefail

cd "$(dirname "$0")/.."
designs=list,heap,hashed,round,hier
# Six samples give an interval.  What takes longer than its budget is a recorded timeout.
short=(--runs=6 --budget=3s)
folder=results/bench-$(date -u +%Y-%m-%dT%H%M%SZ)
mkdir -p results
mkdir "$folder"

echo "==> recorded nginx traffic, tick 1 ms"
./twbench replay workloads/traces/nginx.tt.xz --impl=$designs \
    --json="$folder/nginx.json" --plots="$folder" "${short[@]}"
echo
echo "==> the standard workload, from 1e3 to 1e6 timers"
./twbench run --impl=$designs --workload=standard --tasks=1e3..1e6 \
    --json="$folder/standard.json" --plots="$folder" "${short[@]}"
echo
echo "==> what slots buy: a hashed and a round-counter wheel holding 1e5 timers"
./twbench run --impl=hashed,round --workload=hold --tasks=1e5 --slots=64..65536*4 \
    --json="$folder/slots.json" --plots="$folder" "${short[@]}"
echo
echo "Results and pictures are in $folder:"
ls "$folder"
