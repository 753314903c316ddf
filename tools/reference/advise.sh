#!/bin/bash
# takes: 35 s
# advise.sh FILE - labs/advise/docs/ADVISE.md: an advice on recorded nginx traffic, with its picture.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# An advice is not resumed: its budget is one stretch of time.
rm -f "$file"
if [ "${REFERENCE:-full}" = full ]; then
    "$TWBENCH" advise nginx --between=chain --budget=30s --progress=never --json="$file" >/dev/null
else
    "$TWBENCH" advise hold --tasks=50 --impl=heap,hashed --budget=2s --no-system-check --progress=never --json="$file" >/dev/null
fi
