# measure.bash - what the scripts of this folder share.  Source it after `file=$1`.
# shellcheck shell=bash
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
TWBENCH=${TWBENCH:-./twbench}

# sizes FULL - numbers of tasks; in a partial run a tiny one.
sizes() { if [ "${REFERENCE:-full}" = partial ]; then echo 20; else echo "$1"; fi; }

# measure FILE COMMAND... - a command of twbench that leaves FILE, or goes on with it; stdout is discarded.
measure() {
    local file=$1 more=(--progress=never)
    shift
    [ ! -e "$file" ] || more+=(--resume)
    [ "${REFERENCE:-full}" != partial ] || more+=(--runs=1 --warmup=0 --min-time=0ns --no-system-check)
    "$TWBENCH" "$@" --json="$file" "${more[@]}" >/dev/null
}
