#!/bin/bash
# parallel.sh - the shards of a plan by GNU parallel: over ssh, or one after another on the cores here.
#
#     tools/fleet/parallel.sh [--hosts=A,B,C] SHARDS OUT TWBENCH run --impl=all --workload=hold --tasks=1e3..1e7
#     twbench merge OUT/shard-*.json --json=merged.json
#
# Without --hosts one shard at a time runs here: shards beside each other on one machine would disturb each other's times
# (counts do not mind: JOBS=2 with --counts-only).  With --hosts each host runs one shard at a time; TWBENCH is a path on each of
# them, and OUT comes back by scp.  A shard that was interrupted goes on when this is called again.
set -euo pipefail

hosts=:
if [[ ${1:-} == --hosts=* ]]; then
    hosts=${1#--hosts=}
    shift
fi
[ $# -ge 4 ] || { sed -n 2,11p "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
command -v parallel >/dev/null || { echo "parallel.sh: GNU parallel is not installed (Debian package parallel)" >&2; exit 2; }
shards=$1 out=$2 twbench=$3
shift 3
mkdir -p "$out"
transfer=()
[ "$hosts" = : ] || transfer=(--return "$out/shard-{}.json" --cleanup)
seq "$shards" | parallel --will-cite --jobs "${JOBS:-1}" --sshlogin "$hosts" "${transfer[@]}" --quote \
    "$twbench" "$@" --shard="{}/$shards" --json="$out/shard-{}.json" --resume --progress=never --style=plain >/dev/null
