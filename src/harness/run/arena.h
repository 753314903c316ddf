/*
 * arena.h - all memory of a design in a jemalloc arena of its own, so that it can be read off.
 *
 * Designs call plain malloc.  jemalloc is the process's malloc, and arena_enter makes the calling
 * thread allocate from a fresh arena from then on; what the harness allocated before is not in it.
 * Without jemalloc in the build (sanitizers) nothing is measured, and that is said, never zero.
 */
#ifndef TWBENCH_ARENA_H
#define TWBENCH_ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct arena {
    bool available;
    unsigned index;
};

/* Enters a fresh arena whose freed pages stay mapped (no decay), so that a second pass over a
 * stream does not pay page faults again.  With `exact`, the thread cache is off: every free is seen
 * at once, which is what a reading of memory needs and what a timed pass must not have. */
struct arena arena_enter(bool exact);

/* Bytes now allocated (in size classes, as the allocator gave them out) and physically mapped. */
uint64_t arena_allocated_bytes(const struct arena *arena);
uint64_t arena_resident_bytes(const struct arena *arena);

#endif
