#!/bin/bash
# takes: 680 s
# quiet: no
# stores_kills.sh FILE - labs/durable/docs/STORES.md: each store but postgres (stores_kills_servers.sh) killed 1,000 times under
# each policy: the ledger.  A store and a policy is a run, of which AT_ONCE go at the same time: they wait for the disk.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

kills=1000 stores=(wheel-log redis-wheel redis-zset sqlite lmdb rocksdb) parts=()
[ "${REFERENCE:-full}" = full ] || stores=(wheel-log) kills=2
for sync in always group interval:10ms none; do
    for store in "${stores[@]}"; do
        parts+=("$file.$store.$sync")
        [ "$(jobs -pr | wc -l)" -lt "${AT_ONCE:-4}" ] || wait -n || true # a timeout is a result
        kill_stores "${parts[-1]}" "$store" "$sync" "$kills" &
    done
done
wait
# One document: the first, with the cells of all.
jq -s '.[0] + {cells: map(.cells[]), complete: all(.complete != false), duration_s: (map(.duration_s) | add)}' "${parts[@]}" >"$file"
rm "${parts[@]}"
