#!/bin/bash
# takes: 3600 s
# quiet: no
# stores_kills.sh FILE - labs/durable/docs/STORES.md: each store killed 1,000 times under each policy: the ledger.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

kills=1000 all=all
[ "${REFERENCE:-full}" = full ] || all=wheel-log kills=2
kill_stores "$file" "$all" always,group,interval:10ms,none "$kills"
