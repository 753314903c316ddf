/*
 * histogram.h - histograms of durations, and the least time of each call over passes.
 *
 * Values are picoseconds.  Each octave has 32 equal bins, so that a bin is at most 1/32 (3.2 %)
 * wide of its value; values below 32 ps have bins of their own.  The maximum is kept exactly.  A
 * plain struct without pointers: it can live in shared memory.
 */
#ifndef TWBENCH_HISTOGRAM_H
#define TWBENCH_HISTOGRAM_H

#include "harness/base/libc.h"

#define HISTOGRAM_SUB_BITS 5u
#define HISTOGRAM_SUB      (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_OCTAVES  48u /* up to 2^53 ps = 150 min; longer ones count in the last bin */
#define HISTOGRAM_BINS     (HISTOGRAM_SUB * (HISTOGRAM_OCTAVES + 1))

/* All zero: empty. */
struct histogram {
    uint64_t count;
    uint64_t sum_ps;
    uint64_t max_ps;
    uint32_t bins[HISTOGRAM_BINS];
};

/* A bin that has reached 2^32 - 1 stays there; count, sum and maximum go on. */
void histogram_add(struct histogram *histogram, uint64_t value_ps);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* The bin's lowest value; bin 0 .. HISTOGRAM_BINS (the end of the last). */
uint64_t histogram_bin_low_ps(uint32_t bin);
/* The upper edge of the bin in which the share q of the values is reached, at most the maximum; 0
 * when empty.  Never below the true quantile, and above it by one bin at most; q = 1 is the exact
 * maximum. */
uint64_t histogram_quantile_ps(const struct histogram *histogram, double q);

/* ---- Tail (tail.c). --------------------------------------------------------------------------- */

/* Finds the own tail of a repeated sequence of calls: the least time of each call over the passes.
 *
 * Every pass over a stream makes the same calls.  What a call costs by its own work it costs in each pass; an
 * interrupt or a lost core hits another call each time.  So the least time of each call is the design's, and the
 * rest the machine's.
 *
 * MEMORY is bounded: up to TAIL_BLOCKS calls each has a place of its own.  Of longer passes, neighbours share one:
 * two, four, .. calls make a block, whose time is that of its longest call.  Then the least of a block is never
 * below the least of any of its calls, and above it only where each pass was disturbed in the block.
 *
 * A slow call that wanders, as one that a counter across passes makes slow, has no place of its own: for it the
 * longest call of each pass is kept, and the least of these. */

#define TAIL_BLOCKS  (UINT64_C(1) << 20) /* of a phase, 8 bytes each: 8 MiB */
#define TAIL_SLOWEST 64

/* Below it the least of each call still has the machine's share in it. */
#define TAIL_PASSES_MIN 3

struct tail_block {
    uint64_t block; /* calls block * calls_per_block .. of the phase, from 0 */
    uint64_t least_ps;
};

/* Plain data, for shared memory.  All zero: not measured. */
struct tail {
    uint64_t passes;
    uint64_t calls; /* of one pass */
    uint64_t calls_per_block;
    struct histogram least;                  /* of the blocks */
    size_t slowest_count;                    /* TAIL_SLOWEST, or all blocks where they are fewer */
    struct tail_block slowest[TAIL_SLOWEST]; /* the slowest first */
    uint64_t pass_max_ps; /* least over the passes of the longest call, as tail_end_pass was told */
};

struct tail_recorder {
    float *now, *least; /* ps; by block */
    size_t room;        /* a power of two */
    size_t used, first_used;
    uint64_t per_block, in_block;
    uint64_t calls, first_calls, first_per_block;
    uint64_t passes;
    uint64_t pass_max_ps;
    bool differs; /* a pass had another number of calls than the first */
};

/* Makes room for up to `blocks_max` blocks, rounded up to a power of two, at least 2 and at most TAIL_BLOCKS.
 * False without memory.  tail_close in any case. */
bool tail_open(struct tail_recorder *recorder, uint64_t blocks_max);
/* Empty afterwards. */
void tail_close(struct tail_recorder *recorder);

/* Halves the places of the pass under way, when they are used up. */
void tail_fold(struct tail_recorder *recorder);

/* One more call of the pass; a few nanoseconds. */
static inline void tail_add(struct tail_recorder *recorder, uint64_t ps)
{
    float *place = &recorder->now[recorder->used];
    if (recorder->in_block == 0 || (float)ps > *place)
        *place = (float)ps;
    recorder->calls++;
    if (++recorder->in_block < recorder->per_block)
        return;
    recorder->in_block = 0;
    if (++recorder->used == recorder->room)
        tail_fold(recorder);
}

/* `longest_ps`: the pass's longest call, by whatever clock the caller trusts.  O(blocks). */
void tail_end_pass(struct tail_recorder *recorder, uint64_t longest_ps);

/* All zero when fewer than TAIL_PASSES_MIN passes were made, when a pass had no calls, or when passes made another
 * number of calls than the first: then calls cannot be recognised. */
void tail_finish(const struct tail_recorder *recorder, struct tail *out);

#endif
