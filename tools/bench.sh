#!/bin/bash
# bench.sh - the default comparison: the five textbook designs over recorded nginx traffic and over
# the standard workload from a thousand to a million timers.  `make bench` runs it.
#
# Tables go to the terminal; JSON and pictures to a new folder results/bench-DATE.
set -euo pipefail

cd "$(dirname "$0")/.."
designs=list,heap,hashed,round,hier
# Six samples give an interval.  What takes longer than its budget is a recorded timeout.
short=(--runs=6 --budget=6s)
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
# best FILE PHASE TASKS - "NAME, N times as fast as heap", or which designs are not significantly different, among those whose
# cells are ok; TASKS "": whatever there is.
best() {
    ./twbench report "$1" --export-csv=- | awk -F, -v phase="$2" -v tasks="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["status"] == "ok" && $at["impl"] != "null" && $at["phase"] == phase && (tasks == "" || $at["tasks"] == tasks) {
            name = $at["impl"]; names[++count] = name; ns[name] = $at["ns_per_op"]
            low[name] = $at["ns_per_op_low"]; high[name] = $at["ns_per_op_high"]
            if (!first || ns[name] < ns[first]) first = name }
        END {
            if (!first) { print "nothing was measured"; exit }
            if (high[first] == "") { printf "%s; too few samples to be sure\n", first; exit }
            for (i = 1; i <= count; i++) {
                name = names[i]
                if (name == first) continue
                if (low[name] <= high[first] + 0) like = like (like ? ", " : "") name
                else if (!second || name == "heap" || (second != "heap" && ns[name] < ns[second])) second = name }
            printf "%s", first
            if (like) printf " (not significantly different: %s)", like
            if (second) printf ", %.2g times as fast as %s", ns[second] / ns[first], second
            print "" }'
}

./twbench report "$folder/standard.json" --html="$folder/report.html" >/dev/null
echo
echo "Recorded nginx traffic:          $(best "$folder/nginx.json" replay "")"
echo "A thousand timers in use:        $(best "$folder/standard.json" steady 1000)"
echo "A million timers in use:         $(best "$folder/standard.json" steady 1000000)"
echo "The page, with JSON and pictures beside it: $folder/report.html"
