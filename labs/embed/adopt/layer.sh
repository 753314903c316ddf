#!/bin/bash
# layer.sh - what handles and growth cost beside the bare design, and the longest start while a set grows.
#
# growing.c starts TIMERS (10,000,000) in a set that has room for 1024.
set -euo pipefail
cd "$(dirname "$0")/../../.."
twbench=${TWBENCH:-./twbench} timers=${TIMERS:-10000000} work=build/adopt/layer
rm -rf $work && mkdir -p $work
"$twbench" take fast --growable -o $work/taken >/dev/null 2>&1
gcc -O2 -I$work/taken labs/embed/adopt/growing.c -o $work/growing
"$twbench" run --layer --impl=fast --tasks=1e4,1e5 --runs="${RUNS:-15}" --progress=never --export-csv=$work/run.csv >$work/page
read -r grown opening closing other moved < <($work/growing "$timers")

echo "# $(gcc --version | sed 1q), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | sed 1q), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
echo "| load \`standard\` | 10,000 timers: \`fast\` | by hand | twt | twt / by hand | 100,000 timers: \`fast\` | by hand | twt | twt / by hand |"
echo "|---|---|---|---|---|---|---|---|---|"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { where = $at["tasks"] ($at["impl"] ~ /-layer/ ? "twt" : $at["impl"] ~ /-by-hand/ ? "hand" : "")
      of[where, $at["phase"]] = $at["cpu_ns_per_op"]; of[where, "memory"] = $at["bytes_per_task"] }
    function part(size, phase, digits) { a = of[size "hand", phase]; b = of[size "twt", phase]
        return sprintf(" %.*f | %.*f | %.*f | %.2f |", digits, of[size, phase], digits, a, digits, b, b / a) }
    function row(name, phase, digits) { print "| " name " |" part(10000, phase, digits) part(100000, phase, digits) }
    END { split("start steady stop expire", phases, " "); for (i = 1; i <= 4; i++) row(phases[i] ", processor ns a call", phases[i], 1)
          row("memory, bytes a timer", "memory", 0) }' $work/run.csv
echo
echo "| growth from 1,024 to $timers timers, $grown times | the longest start, processor ms |"
echo "|---|---|"
printf '| one that opens a larger instance | %.1f |\n| one that closes the smaller one | %.1f |\n| any other; it moves at most %s timers | %.1f |\n' \
    "${opening}e-3" "${closing}e-3" "$moved" "${other}e-3"
