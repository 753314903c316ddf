#!/bin/bash
# takes: 3600 s
# quiet: no
# stores_kills.sh FILE - labs/durable/docs/STORES.md: each store killed 1,000 times under each policy: the ledger.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

kills=1000 all=all
[ "${REFERENCE:-full}" = full ] || all=wheel-log kills=2
more=(--progress=never)
[ ! -e "$file" ] || more+=(--resume)
"$TWBENCH" stores --stores="$all" --sync=always,group,interval:10ms,none --kills="$kills" --tasks="$(sizes 2e4)" --producers=4 --batch=3 \
    --payload=0..700 --cancels=0.1 --hot=0.2 --runs=1 --budget=1800s --json="$file" "${more[@]}" >/dev/null
