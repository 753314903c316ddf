#!/bin/bash
# fuzz.sh [FOLDER...] - run every fuzz target, or those of these folders (tests/fuzz, labs/traces/tests), for FUZZ_SECONDS
# (default 30), or for FUZZ_RUNS inputs each, however long those take.  Prints TAP.
#
# What a target has found so far is kept under build/fuzz/corpus; seeds that belong to the project are in
# FOLDER/corpus/TARGET, and what broke a target once is in FOLDER/regressions/TARGET.  An input that breaks a target is
# kept as build/fuzz/TARGET-crash-*.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
seconds=${FUZZ_SECONDS:-30} runs=${FUZZ_RUNS:-0}
limit=(-max_total_time="$seconds")
[ "$runs" -gt 0 ] && limit=(-runs="$runs" -seed=1)

[ $# -gt 0 ] || set -- tests/fuzz labs/*/tests
sources=()
for folder in "$@"; do
    for source in "$folder"/fuzz_*.c; do
        [ ! -e "$source" ] || sources+=("$source")
    done
done
echo "1..${#sources[@]}"
number=0 failed=0
for source in "${sources[@]}"; do
    number=$((number + 1))
    target=$(basename "$source" .c) folder=$(dirname "$source")
    corpus=(build/fuzz/corpus/"$target")
    mkdir -p "${corpus[0]}"
    for seeds in corpus regressions; do
        [ -d "$folder/$seeds/$target" ] && corpus+=("$folder/$seeds/$target")
    done
    log=build/fuzz/$target.log
    if "build/fuzz/${source%.c}" "${limit[@]}" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/$target-" "${corpus[@]}" >"$log" 2>&1; then
        executed=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
        echo "ok $number - $target: ${executed:-0} inputs"
    else
        echo "not ok $number - $target"
        tail -n 40 "$log" | sed 's/^/# /'
        failed=1
    fi
done
exit $failed
