#!/bin/bash
# takes: 660 s
# quiet: no
# stores_kills_servers.sh FILE - labs/durable/docs/STORES.md: the ledger of postgres, one policy a run, all at the same time.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

kills=1000 parts=(postgres=always postgres=group postgres=none)
[ "${REFERENCE:-full}" = full ] || parts=("${parts[0]}") kills=2
for part in "${parts[@]}"; do
    kill_stores "$file.$part" "${part%=*}" "${part#*=}" "$kills" &
done
wait # a timeout is a result
# One document: the first, with the cells of all.
jq -s '.[0] + {cells: map(.cells[]), complete: all(.complete != false), duration_s: (map(.duration_s) | add)}' "${parts[@]/#/$file.}" >"$file"
rm "${parts[@]/#/$file.}"
