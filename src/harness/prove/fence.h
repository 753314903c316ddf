/* fence.h - memory blocks between inaccessible pages: the first access beyond one ends the process.
 *
 *     FENCE_BACK    |  page   page  ...[block]~| no access |      ~ pattern, below 16 bytes
 *     FENCE_FRONT   | no access |[block]~~~~~~~~~~~~  page |
 *
 * The first access behind the block (or in front of it) ends the process with a signal; so does any
 * access to a freed one.  What lies between the block and the end of its page, left for its
 * alignment, is filled with a pattern that is looked at when it is freed.  The idea is Bruce Perens'
 * Electric Fence (1987).
 *
 * At most FENCE_LIVE_MAX blocks are fenced at a time, because the kernel limits how many mappings a
 * process may have; what goes beyond comes from the C library and is only written down.  One thread
 * at a time.  Costs some microseconds for each block.
 */
#ifndef TWBENCH_CONFORM_FENCE_H
#define TWBENCH_CONFORM_FENCE_H

#include "harness/base/libc.h"

#define FENCE_LIVE_MAX 8192u

/* Which end of a block is fenced. */
enum fence_side { FENCE_BACK, FENCE_FRONT };

struct block {
    char *start; /* NULL: this place of the table is empty */
    size_t bytes;
    size_t padding; /* how much of that may be owed to an alignment beyond a page */
    char *map;      /* its pages and the one that cannot be touched; NULL: not fenced */
    size_t map_bytes;
    const char *taken_in; /* what the caller said at fence_take */
    bool is_freed;
};

enum fence_answer {
    FENCE_OK,
    FENCE_UNKNOWN, /* no block begins there; nothing was done */
    FENCE_TWICE,   /* it had been freed already; nothing was done */
    FENCE_WRITTEN  /* freed, but the pattern around it was gone */
};

struct fence;

/* `bytes_max`: all live blocks together.  NULL when there is no memory. */
struct fence *fence_open(enum fence_side side, uint64_t bytes_max);

/* Bytes of all live blocks together, how many there may be, what alignments may owe, and those of the pages that blocks have and
 * freed ones still keep. */
struct fence_use {
    uint64_t bytes, bytes_max, padding, mapped;
};
struct fence_use *fence_use(struct fence *fence);

/* From now on the pages of large blocks are the same few again and again: a design can write to all of a block that the
 * machine has no memory for, but what it reads there is anything.  False when the system refuses that. */
bool fence_share(struct fence *fence);

/* A block, filled with a pattern (of a very large one both ends) or with what a freed one held, or with zeros.  `alignment` is a power of two; one beyond a
 * page is not fenced.  NULL when there is no memory, or more would be live than allowed. */
void *fence_take(struct fence *fence, size_t bytes, size_t alignment, bool is_zeroed,
                 const char *taken_in);
/* The block is copied to *was, unless it is unknown. */
enum fence_answer fence_give(struct fence *fence, void *start, struct block *was);
/* The live or freed block that begins there, or NULL. */
const struct block *fence_find(const struct fence *fence, const void *start);
/* The fenced block nearest to the address, if that is in its pages or in one beside them, or NULL.  Looks
 * at all of them. */
const struct block *fence_around(const struct fence *fence, uintptr_t address);

/* Forgets all live blocks, which stay where they are.  How many, and the bytes of all together; one
 * of them in *first. */
size_t fence_forget(struct fence *fence, uint64_t *bytes, struct block *first);

#endif
