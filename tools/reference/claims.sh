#!/bin/bash
# takes: 436 s
# claims.sh FILE - labs/teach/docs/claims: all claims, with their times.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

which=()
[ "${REFERENCE:-full}" = full ] || which=(T1 --quick)
more=()
[ ! -e "$file" ] || more=(--resume)
"$TWBENCH" claims "${which[@]}" --progress=never "${more[@]}" --json="$file" >/dev/null
