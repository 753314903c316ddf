#!/bin/bash
# parallel.sh - the shards of a plan by GNU parallel: over ssh, or one after another on the cores here.
#
#     labs/fleet/scripts/parallel.sh [--hosts=A,B,C] SHARDS OUT TWBENCH run --impl=all --workload=hold --tasks=1e3..1e7
#     twbench merge OUT/shard-*.json --json=merged.json
#
# Without --hosts one shard at a time runs here: shards beside each other on one machine would disturb each other's times
# (counts do not mind: JOBS=2 with --counts-only).  With --hosts each host runs one shard at a time; TWBENCH is a path on each of
# them.  A file of OUT goes to the host by rsync before its shard and comes back after it, so a shard that was
# interrupted goes on when this is called again.  What is in OUT on the hosts stays there: it may be a folder that all
# share.  Hosts are names of ~/.ssh/config; PARALLEL_SSH is another ssh command.
set -euo pipefail

hosts=:
if [[ ${1:-} == --hosts=* ]]; then
    hosts=${1#--hosts=}
    shift
fi
[ $# -ge 4 ] || { sed -n 2,13p "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
command -v parallel >/dev/null || { echo "parallel.sh: GNU parallel is not installed (Debian package parallel)" >&2; exit 2; }
shards=$1 out=$2 twbench=$3
shift 3
mkdir -p "$out"
transfer=()
if [ "$hosts" != : ]; then
    transfer=(--return "$out/shard-{}.json")
    ! compgen -G "$out/shard-*.json" >/dev/null || transfer+=(--transferfile "$out/shard-{}.json")
fi
# shellcheck disable=SC2016  # the host's shell replaces these
seq "$shards" | parallel --will-cite --jobs "${JOBS:-1}" --sshlogin "$hosts" "${transfer[@]}" --quote \
    sh -c 'mkdir -p "$1" && shift && exec "$@"' - "$out" \
    "$twbench" "$@" --shard="{}/$shards" --json="$out/shard-{}.json" --resume --progress=never --style=plain >/dev/null
