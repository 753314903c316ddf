#!/bin/bash
# takes: 900 s
# stores_cold.sh FILE - labs/durable/docs/STORES.md: dispatch from a log larger than memory (400 MiB, by a control group).
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# group_make - a control group of this memory, version 2 or 1, below our own; prints its folder, or nothing where we may not.
group_make() {
    local root=/sys/fs/cgroup limit=memory.max folder
    folder=$root$(sed -n 's/^0:://p' /proc/self/cgroup)
    if [ -d $root/memory ]; then
        folder=$root/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup) limit=memory.limit_in_bytes
    fi
    folder=$folder/twbench-cold.$$
    mkdir "$folder" 2>/dev/null || return 0
    if echo $((400 << 20)) >"$folder/$limit" 2>/dev/null; then echo "$folder"; else rmdir "$folder"; fi
}

group=
[ "${REFERENCE:-full}" != full ] || group=$(group_make)
trap '[ -z "$group" ] || rmdir "$group"' EXIT
[ -n "$group" ] || [ "${REFERENCE:-full}" != full ] ||
    echo "stores_cold: no control group can be made here: cold is what --cold makes it, and the system reads ahead" >&2
# RocksDB alone takes up to 256 MiB for its tables in memory.
more=(--progress=never) runs=6 all=wheel-log,rocksdb
[ ! -e "$file" ] || more+=(--resume)
[ "${REFERENCE:-full}" = full ] || runs=1 all=wheel-log
# --cold: killed and opened again with an empty page cache, and all is handed out from there.
(
    [ -z "$group" ] || echo $BASHPID >"$group/cgroup.procs"
    "$TWBENCH" stores --stores="$all" --sync=none --tasks="$(sizes 2.5e5)" --payload=4000 --batch=100 --cancels=0 --hot=0 --cold --runs=$runs \
        --budget=300s --json="$file" "${more[@]}" >/dev/null
)
