#!/bin/bash
# takes: 65 s
# limits.sh FILE - labs/advise/docs/LIMITS.md: what this machine can do at best.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# A run of limits cannot be resumed: it begins anew.
rm -f "$file"
less=()
[ "${REFERENCE:-full}" = full ] || less=(--runs=1 --no-system-check)
"$TWBENCH" limits --tasks="$([ "${REFERENCE:-full}" = full ] && echo 1e3..1e7 || echo 1e3)" --huge-pages=off,on \
    --progress=never "${less[@]}" --json="$file" >/dev/null
