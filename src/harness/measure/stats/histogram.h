/* histogram.h - counts durations in log-linear bins, in the layout of HdrHistogram (Tene 2012).
 *
 * Values are picoseconds.  Each octave has 32 equal bins, so that a bin is at most 1/32 (3.2 %)
 * wide of its value; values below 32 ps have bins of their own.  The maximum is kept exactly.  A
 * plain struct without pointers: it can live in shared memory.
 */
#ifndef TWBENCH_HISTOGRAM_H
#define TWBENCH_HISTOGRAM_H

#include <stdint.h>

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

#endif
