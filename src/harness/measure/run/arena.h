/* arena.h - gives a design a jemalloc arena of its own, so that its memory can be read off.
 *
 * Designs call plain malloc.  jemalloc is the process's malloc, and arena_enter makes the calling
 * thread allocate from a fresh arena from then on; what the harness allocated before is not in it.
 * Without jemalloc in the build (sanitizers) nothing is measured, and that is said, never zero.
 */
#ifndef TWBENCH_ARENA_H
#define TWBENCH_ARENA_H

#include "harness/measure/plan/plan.h"

struct arena_pages; /* where the memory is that huge pages were asked for, or none */

struct arena {
    bool available;
    unsigned index;
    struct arena_pages *pages;  /* NULL: nobody asked */
    uint64_t huge_before_bytes; /* of the process, when nobody asked */
};

/* Enters a fresh arena whose freed pages stay mapped (no decay), so that a second pass over a
 * stream does not pay page faults again.  With `exact`, the thread cache is off: every free is seen
 * at once, which is what a reading of memory needs and what a timed pass must not have.
 * With pages other than PLAN_PAGES_ANY the arena takes its memory from hugepages.h; with
 * PLAN_PAGES_SMALL a design that asks for huge pages itself gets none either. */
struct arena arena_enter(bool exact, enum plan_pages pages);

/* Bytes now allocated (in size classes, as the allocator gave them out) and physically mapped. */
uint64_t arena_allocated_bytes(const struct arena *arena);
uint64_t arena_resident_bytes(const struct arena *arena);

/* Bytes of its memory that have been touched, and those of them in huge pages, as the kernel has it.
 * When nobody asked: what the process has more in huge pages than when the arena was entered, because
 * the design or the system wants it so; *touched is 0.  False when it cannot be read. */
bool arena_count_pages(const struct arena *arena, uint64_t *touched, uint64_t *huge);

#endif
