#!/bin/bash
# layer.sh - what handles and growth cost beside the bare design, and the longest start while a set grows.
#
# layer.c is the layer as a design: conform proves it, run measures it beside `fast`.  growing.c starts TIMERS (10,000,000) in a set
# that has room for 1024.
set -euo pipefail
cd "$(dirname "$0")/../../.."
twbench=${TWBENCH:-./twbench} timers=${TIMERS:-10000000} work=build/adopt/layer
rm -rf $work && mkdir -p $work
"$twbench" take fast --growable -o $work/taken >/dev/null 2>&1
gcc -O2 -shared -fPIC -I$work/taken labs/embed/adopt/layer.c -o $work/layer.so
gcc -O2 -I$work/taken labs/embed/adopt/growing.c -o $work/growing
"$twbench" conform --plugin=$work/layer.so --operations=1e5 >$work/proof
"$twbench" run --plugin=$work/layer.so --impl=fast --tasks=1e5 --runs="${RUNS:-15}" --progress=never --export-csv=$work/run.csv >/dev/null
read -r grown opening closing other moved < <($work/growing "$timers")

echo "# $(gcc --version | sed 1q), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | sed 1q), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
echo "| at 100,000 timers, load \`standard\` | \`fast\` | with the layer | ratio |"
echo "|---|---|---|---|"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { where = $at["impl"] ~ /layer/ ? 2 : 1; of[where, $at["phase"]] = $at["cpu_ns_per_op"]; bytes[where] = $at["bytes_per_task"] }
    function row(name, a, b, digits) { printf "| %s | %.*f | %.*f | %.1f |\n", name, digits, a, digits, b, b / a }
    END { split("start steady stop expire", phases, " "); for (i = 1; i <= 4; i++) row(phases[i] ", processor ns a call", of[1, phases[i]], of[2, phases[i]], 1)
          row("memory, bytes a timer", bytes[1], bytes[2], 0) }' $work/run.csv
echo
echo "| growth from 1,024 to $timers timers, $grown times | the longest start, processor ms |"
echo "|---|---|"
printf '| one that opens a larger instance | %.1f |\n| one that closes the smaller one | %.1f |\n| any other; it moves at most %s timers | %.1f |\n' \
    "${opening}e-3" "${closing}e-3" "$moved" "${other}e-3"
