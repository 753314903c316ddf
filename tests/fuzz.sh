#!/bin/bash
# fuzz.sh - run every fuzz target of build/fuzz for FUZZ_SECONDS (default 30).  Prints TAP.
#
# What a target has found so far is kept under build/fuzz/corpus; seeds that belong to the project are
# in tests/fuzz/corpus/TARGET.  An input that breaks a target is kept as build/fuzz/TARGET-crash-*.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
seconds=${FUZZ_SECONDS:-30}

sources=(tests/fuzz/fuzz_*.c)
if [ ! -e "${sources[0]}" ]; then
    echo "there is no tests/fuzz/fuzz_*.c"
    exit 1
fi

echo "1..${#sources[@]}"
number=0 failed=0
for source in "${sources[@]}"; do
    number=$((number + 1))
    target=$(basename "$source" .c)
    corpus=(build/fuzz/corpus/"$target")
    mkdir -p "${corpus[0]}"
    [ -d "tests/fuzz/corpus/$target" ] && corpus+=("tests/fuzz/corpus/$target")
    log=build/fuzz/$target.log
    if build/fuzz/tests/"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/$target-" "${corpus[@]}" >"$log" 2>&1; then
        executed=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
        echo "ok $number - $target: ${executed:-0} inputs in $seconds s"
    else
        echo "not ok $number - $target"
        tail -n 40 "$log" | sed 's/^/# /'
        failed=1
    fi
done
exit $failed
