#!/bin/bash
# scale.sh WORKLOAD TASKS [DESIGN,... [FLAG...]] - one stretch of the scale experiment, added to $SCALE (results/scale.json)
#
#     for workload in P1 P3 P4; do
#         tools/scale.sh $workload 1e3..1e6
#         tools/scale.sh $workload 1e7
#     done
#
# Each cell is taken with pages of 4 KiB and of 2 MiB, side by side.  Stretches can be run in any order and again:
# what $SCALE has already is left as it is.  From 1e7 on fewer samples are taken.
set -euo pipefail

cd "$(dirname "$0")/.."
if [ $# -lt 2 ]; then
    echo "usage: tools/scale.sh WORKLOAD TASKS [DESIGN,... [FLAG...]]" >&2
    exit 2
fi
document=${SCALE:-results/scale.json}
program=${TWBENCH:-./twbench}
designs=${3:-}
if [ -z "$designs" ]; then # those of the field that this program has
    known=$("$program" list | awk '/^  [a-z]/ { print $1 }')
    for design in fast callwheel linux26 hashed hier hier-bitmap linux heap4 heap; do
        ! grep -qx "$design" <<<"$known" || designs+=${designs:+,}$design
    done
fi
settings=(--runs=5)
case $2 in
    *1e7) settings=(--runs=3 --budget=60s) ;;
    *1e8) settings=(--runs=1 --budget=300s --memory-limit=8Gi) ;;
esac
resume=()
[ ! -e "$document" ] || resume=(--resume)
exec "$program" run --impl="$designs" --workload="$1" --tasks="$2" --huge-pages=off,on \
    --json="$document" "${resume[@]}" "${settings[@]}" "${@:4}"
