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
# best FILE PHASE TASKS - "NAME, N times as fast as heap" among the designs whose cells are ok; TASKS "": whatever there is.
best() {
    ./twbench report "$1" --export-csv=- | awk -F, -v phase="$2" -v tasks="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["status"] == "ok" && $at["impl"] != "null" && $at["phase"] == phase && (tasks == "" || $at["tasks"] == tasks) {
            ns[$at["impl"]] = $at["ns_per_op"]
            if (!name || ns[$at["impl"]] < ns[name]) name = $at["impl"] }
        END { if (!name) print "nothing was measured"
              else if (name == "heap" || !ns["heap"]) printf "%s, %.3g ns an operation\n", name, ns[name]
              else printf "%s, %.2g times as fast as heap\n", name, ns["heap"] / ns[name] }'
}

./twbench report "$folder/standard.json" --html="$folder/report.html" >/dev/null
echo
echo "Recorded nginx traffic:          $(best "$folder/nginx.json" replay "")"
echo "A thousand, a million in use:    $(best "$folder/standard.json" steady 1000); $(best "$folder/standard.json" steady 1000000)"
echo "The page, with JSON and pictures beside it: $folder/report.html"
