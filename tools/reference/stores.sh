#!/bin/bash
# takes: 600 s
# stores.sh FILE - labs/durable/docs/STORES.md: all stores side by side under each policy, recovery by messages pending, lateness of dispatch.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# stores FLAG... - one call more for the same file.
stores() {
    local more=(--progress=never)
    [ ! -e "$file" ] || more+=(--resume)
    "$TWBENCH" stores --stores="$all" --budget=60s --json="$file" "${more[@]}" "$@" >/dev/null
}

# A partial run has one store, and moments of it.  4,000 messages: SQLite's log begins anew at least twice.
all=all runs=6 rate=500
[ "${REFERENCE:-full}" = full ] || all=wheel-log runs=1 rate=2000
stores --sync=none,always,group --producers=1,8 --tasks="$(sizes 4e3)" --runs=$runs
stores --sync=none --batch=100 --tasks="$(sizes 1e3,1e4,1e5)" --runs=$runs
stores --sync=group --clock=real --rate=$rate --tasks="$(sizes 1e3)" --span="$([ $runs = 1 ] && echo 10ms || echo 2s)" --runs=$runs
