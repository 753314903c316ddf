#!/bin/bash
# libuv.sh - libuv with the taken design in place of its heap: its tests that use timers and its benchmark, before and after.
#
# shellcheck disable=SC2154,SC2016  # names of adopt.bash; substitutions are of Perl
# Glue: libuv.c.  TIMERS=N changes how many timers the benchmark has (10,000,000).
# shellcheck source=labs/embed/adopt/adopt.bash disable=SC1091
. "$(dirname "$0")/adopt.bash"
wants cmake make perl time
fetched libuv1

cut_out after/src/timer.c timer_heap timer_less_than uv_timer_init uv_timer_start uv_timer_stop uv_timer_get_due_in \
    uv__next_timeout uv__run_timers
cp taken/tw_fast.* "$adopt/libuv.c" after/src
mv after/src/libuv.c after/src/timer-twt.h
edited after/src/timer.c 's/#include "heap-inl.h"/#include "timer-twt.h"/'
edited after/src/unix/loop.c 's/^void uv__loop_close\(.*?\) \{\n/void twt_close(void*);\n\n$&  twt_close(loop->timer_heap.min);\n/ms'
# The fields of the heap and two others are the handle's: uv_timer_t keeps its size.
edited after/include/uv/unix.h 's/void\* heap_node\[3\];( *\\\n) *uint64_t timeout;.*?(  uint64_t repeat;).*?start_id;/void* heap_node[5];$1$2/s'
edited after/CMakeLists.txt 's{src/timer.c}{src/timer.c src/tw_fast.c}'
echo 'set_source_files_properties(src/timer.c src/tw_fast.c PROPERTIES COMPILE_OPTIONS -std=gnu11)' >>after/CMakeLists.txt

for side in before after; do
    sed -i "s/^#define NUM_TIMERS .*/#define NUM_TIMERS ${TIMERS:-(10 * 1000 * 1000)}/" $side/test/benchmark-million-timers.c
    cmake -S $side -B b.$side -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >cmake.$side 2>&1 || { cat cmake.$side >&2; exit 1; }
    make -s -C b.$side uv_run_tests_a uv_run_benchmarks_a >make.$side 2>&1 || { cat make.$side >&2; exit 1; }
done

# Every test of a file that starts timers; each in a process of its own, as libuv's runner does it.
mapfile -t names < <(grep -l uv_timer_start before/test/test-*.c | xargs sed -nE 's/^TEST_IMPL\(([a-z0-9_]+)\).*/\1/p' | sort -u)
for side in before after; do
    : >passed.$side
    for name in "${names[@]}"; do
        for _ in 1 2; do # a machine that is busy otherwise makes some of them fail now and then
            (cd $side && UV_RUN_AS_ROOT=1 timeout 60 ../b.$side/uv_run_tests_a "$name" >/dev/null 2>&1) && echo "$name" && break
        done >>passed.$side || true
    done
done
rm -f {before,after}.[0-9]* # of an earlier call
for run in $(seq "$runs"); do
    for side in before after; do
        timed "$side.$run" b.$side/uv_run_benchmarks_a million_timers million_timers # in this process: no limit of time
        sed -nE 's/.* ([0-9.]+) seconds (init|dispatch|cleanup|total).*/\2 \1/p; s/^([0-9.]+) seconds (init|dispatch|cleanup|total).*/\2 \1/p' "$side.$run.said" >"$side.$run.parts"
    done
done

row "" before after
echo "|---|---|---|"
row "tests that use timers, passed of ${#names[@]}" "$(wc -l <passed.before)" "$(wc -l <passed.after)"
row "their benchmark \`million_timers\`, user s" "$(median before.? 1)" "$(median after.? 1)"
row "system s" "$(median before.? 2)" "$(median after.? 2)"
for part in init dispatch cleanup total; do
    row "$part, s" "$(cat before.?.parts | awk -v p=$part '$1 == p' | median - 2)" "$(cat after.?.parts | awk -v p=$part '$1 == p' | median - 2)"
done
row "peak memory, MiB" "$(median before.? 3)" "$(median after.? 3)"
worse=$(comm -23 passed.before passed.after)
[ -z "$worse" ] || { echo "passed before and not after: $worse"; exit 1; }
