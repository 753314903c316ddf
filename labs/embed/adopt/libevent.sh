#!/bin/bash
# libevent.sh - libevent with the taken design in place of its heap: its regress tests that use timers, before and after.
#
# Glue: libevent.c.  The tests of the heap itself go with the heap.
# shellcheck disable=SC2154,SC2016  # names of adopt.bash; substitutions are of Perl
# shellcheck source=labs/embed/adopt/adopt.bash disable=SC1091
. "$(dirname "$0")/adopt.bash"
wants cmake make perl
fetched libevent

cp taken/tw_fast.* after
cp "$adopt/libevent.c" after/minheap-internal.h
printf '#include <stddef.h>\n#include "tinytest.h"\nstruct testcase_t minheap_testcases[] = {END_OF_TESTCASES};\n' >after/test/regress_minheap.c
edited after/include/event2/event_struct.h 's/int min_heap_idx;/void *heap_handle[5];/'
edited after/event-internal.h 's{#include "minheap-internal.h"}{#include "event2/event.h"\n#include "util-internal.h"\n#include "mm-internal.h"}'
edited after/event-internal.h 's/struct min_heap timeheap;/void *timeheap[3];/'
event=after/event.c
cut_out $event timeout_next timeout_process
# Behind the clock, which it asks.
edited $event 's/\nint\nevent_base_gettimeofday_cached\(/\n#define HEAP(base) ((min_heap_t *)(void *)(base)->timeheap)\n#include "minheap-internal.h"$&/'
for edit in 's/min_heap_ctor_\(&base->timeheap\)/if (min_heap_ctor_(base)) event_errx(1, "no memory for timers")/' \
    's/while \(\(ev = min_heap_top_\(&base->timeheap\)\) != NULL\) \{/min_heap_list_(HEAP(base));\n\twhile (HEAP(base)->n > 0) {\n\t\tev = HEAP(base)->p[--HEAP(base)->n];/' \
    's/min_heap_empty_\(&base->timeheap\)/twt_count(HEAP(base)->set) == 0/' \
    's/min_heap_dtor_\(&base->timeheap\)/twt_close(HEAP(base)->set);\n\tfree(HEAP(base)->p)/' \
    's/min_heap_elem_init_\(ev\)/twt_init(timer_of(ev), timer_fire, ev)/' \
    's/if \(min_heap_reserve_\(&base->timeheap,\s*1 \+ min_heap_size_\(&base->timeheap\)\) == -1\)\s*return \(-1\);/;/' \
    's/if \(min_heap_elt_is_top_\(ev\)\)/if (twt_next(HEAP(base)->set) == timer_of(ev)->deadline || twt_next(HEAP(base)->set) < ticks_of(&now))/' \
    's/\s*else if \(\(top = min_heap_top_.*?notify = 1;//s' 's/struct event\* top = NULL;//' \
    's/min_heap_erase_\(&base->timeheap, ev\)/twt_stop(HEAP(base)->set, timer_of(ev))/g' 's/min_heap_push_\(&base->timeheap,/min_heap_push_(HEAP(base),/g' \
    's/\t(?=for \(u = 0; u < base->timeheap\.n)/\tmin_heap_list_(HEAP(base));\n$&/g' 's/base->timeheap\.(?=[np]\b)/HEAP(base)->/g' \
    's/\t\/\* Check the heap property \*\/.*?\n\t\}\n/\tEVUTIL_ASSERT(!twt_check(HEAP(base)->set));\n/s'; do
    edited $event "$edit"
done

for side in before after; do
    cmake -S $side -B b.$side -DCMAKE_BUILD_TYPE=Release -DEVENT__LIBRARY_TYPE=STATIC -DEVENT__DISABLE_{OPENSSL,SAMPLES,BENCHMARK}=ON >cmake.$side 2>&1 ||
        { cat cmake.$side >&2; exit 1; }
    make -s -j2 -C b.$side regress >make.$side 2>&1 || { cat make.$side >&2; exit 1; }
done

# Those of the groups in which events have timeouts; each in a process of its own, as libevent's runner does it.
mapfile -t names < <(b.before/bin/regress --list-tests 2>&1 | sed -nE 's/^ *((main|thread|bufferevent|http|finalize)\/[^ ]+).*/\1/p' | sort)
for side in before after; do
    : >passed.$side
    for name in "${names[@]}"; do
        for _ in 1 2; do # a machine that is busy otherwise makes some of them fail now and then
            timeout 60 b.$side/bin/regress --quiet "$name" >/dev/null 2>&1 && echo "$name" && break
        done >>passed.$side || true
    done
done
row "" before after
echo "|---|---|---|"
row "tests that use timers, passed of ${#names[@]}" "$(wc -l <passed.before)" "$(wc -l <passed.after)"
worse=$(comm -23 passed.before passed.after)
[ -z "$worse" ] || { echo "passed before and not after: $worse"; exit 1; }
