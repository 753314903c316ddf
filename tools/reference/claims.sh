#!/bin/bash
# takes: 640 s
# claims.sh FILE - labs/teach/docs/claims: all claims, with their times.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

[ "${REFERENCE:-full}" != full ] || [ -x build/originals/jdk-pool ] || { echo "claims.sh: no build/originals/jdk-pool, which T16 asks: 'make originals'" >&2; exit 1; }
which=()
[ "${REFERENCE:-full}" = full ] || which=(T1 --quick)
more=()
[ ! -e "$file" ] || more=(--resume)
"$TWBENCH" claims "${which[@]}" --progress=never "${more[@]}" --json="$file" >/dev/null
