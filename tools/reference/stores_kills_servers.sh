#!/bin/bash
# takes: 14400 s
# quiet: no
# stores_kills_servers.sh FILE - labs/durable/docs/STORES.md: the ledger of the stores behind a server, one store and policy a run.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

kills=1000 parts=(redis-wheel=group redis-zset=group postgres=group redis-wheel=interval:10ms redis-zset=interval:10ms redis-wheel=none redis-zset=none postgres=none)
[ "${REFERENCE:-full}" = full ] || parts=("${parts[0]}") kills=2
for part in "${parts[@]}"; do
    "$TWBENCH" stores --stores="${part%=*}" --sync="${part#*=}" --kills="$kills" --tasks="$(sizes 2e4)" --producers=4 --batch=3 --payload=0..700 \
        --cancels=0.1 --hot=0.2 --runs=1 --budget=1800s --progress=never --json="$file.$part" --force >/dev/null || true
done
# One document: the first, with the cells of all.
jq -s '.[0] + {cells: map(.cells[]), complete: all(.complete != false), duration_s: (map(.duration_s) | add)}' "${parts[@]/#/$file.}" >"$file"
rm "${parts[@]/#/$file.}"
