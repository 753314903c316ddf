/*
 * arena.h - gives a design memory of its own, so that it can be read off, and huge pages.
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
    struct arena_pages *pages;     /* NULL: nobody asked */
    uint64_t huge_before_bytes;    /* of the process, when nobody asked */
    const uint64_t *taken, *given; /* bytes of this thread, ever */
};

/* Enters a fresh arena whose freed pages stay mapped (no decay), so that a second pass over a
 * stream does not pay page faults again.  With `exact`, the thread cache is off: every free is seen
 * at once, which is what a reading of memory needs and what a timed pass must not have.
 * With pages other than PLAN_PAGES_ANY the arena takes its memory from arena.h; with
 * PLAN_PAGES_SMALL a design that asks for huge pages itself gets none either. */
struct arena arena_enter(bool exact, enum plan_pages pages);

/* Blocks of the small sizes, up to seven of each as `number` says, so that what is allocated behind them lies elsewhere
 * in its pages; 0: none.  A chain for arena_unpad, which frees them. */
void *arena_pad(uint64_t number);
void arena_unpad(void *pads);

/* Has this thread taken or given back memory since it was asked last with this `seen` (0 at first)?  Costs two loads; a
 * reading below costs 25 us. */
bool arena_has_changed(const struct arena *arena, uint64_t *seen);

/* Bytes now allocated (in size classes, as the allocator gave them out) and physically mapped. */
uint64_t arena_allocated_bytes(const struct arena *arena);
uint64_t arena_resident_bytes(const struct arena *arena);

/* Bytes of its memory that have been touched, and those of them in huge pages, as the kernel has it.
 * When nobody asked: what the process has more in huge pages than when the arena was entered, because
 * the design or the system wants it so; *touched is 0.  False when it cannot be read. */
bool arena_count_pages(const struct arena *arena, uint64_t *touched, uint64_t *huge);

/* ---- Maps memory in pages of 2 MiB, and counts how much of it really is (hugepages.c). -------- */

/* Transparent huge pages of Linux: nothing has to be set aside by an administrator, but the kernel need
 * not give any - they can be switched off, or no 2 MiB be free in one piece.  So whoever asks for them
 * counts afterwards. */

#define HUGEPAGES_BYTES ((size_t)1 << 21)

/* Does the kernel give huge pages to who asks for them?  False when it is set to `never`, or has none
 * at all.  `root` is put before the path, see file.h. */
bool hugepages_are_there(const char *root);

/* Zeroed memory that begins on a boundary of HUGEPAGES_BYTES, with the wish for huge pages (`huge`) or
 * for none, whatever the system's default is; NULL without memory.  Up to 4 MiB of address space more
 * than `bytes` are taken: a gap behind it keeps the kernel from counting a neighbour with it. */
void *hugepages_map(size_t bytes, bool huge);
/* Gives back what hugepages_map(bytes, ...) answered. */
void hugepages_unmap(void *memory, size_t bytes);

/* This process gets none from now on, whoever asks for them. */
void hugepages_refuse(void);

/* What of this process lies in huge pages by now, in bytes; false when /proc/self/smaps_rollup cannot
 * be read.  Costs a walk over its page tables: milliseconds for gigabytes. */
bool hugepages_of_process(uint64_t *huge);

/* Of `bytes` bytes mapped by hugepages_map: how many are there (touched), and how many of these lie in
 * huge pages.  Added to what *touched and *huge hold.  Costs a reading of /proc/self/smaps; false when
 * that cannot be read. */
bool hugepages_count(const void *memory, size_t bytes, uint64_t *touched, uint64_t *huge);

#endif
