#!/bin/bash
# takes: 140 s
# stores_cold.sh FILE - labs/durable/docs/STORES.md: dispatch from a log larger than memory (400 MiB, by a control group).
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# Only root may make a control group on most systems; the program refuses where it cannot.
group=()
[ "${REFERENCE:-full}" != full ] || group=(--group-memory=400Mi)
# RocksDB alone takes up to 256 MiB for its tables in memory.
more=(--progress=never) runs=6 all=wheel-log,rocksdb
[ ! -e "$file" ] || more+=(--resume)
[ "${REFERENCE:-full}" = full ] || runs=1 all=wheel-log
# --cold: killed and opened again with an empty page cache, and all is handed out from there.
"$TWBENCH" stores --stores="$all" --sync=none --tasks="$(sizes 2.5e5)" --payload=4000 --batch=100 --cancels=0 --hot=0 --cold "${group[@]}" \
    --runs=$runs --budget=300s --json="$file" "${more[@]}" >/dev/null
