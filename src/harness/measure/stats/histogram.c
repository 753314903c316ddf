/* histogram.c - counts values in log-linear bins (HdrHistogram's layout). */
#include "harness/measure/stats/histogram.h"

#include <math.h>

/* Below HISTOGRAM_SUB the value is its own bin.  Above, with its highest bit at `exponent`, the
 * HISTOGRAM_SUB_BITS bits behind that one choose the bin within the octave. */
static uint32_t bin_of(uint64_t value_ps)
{
    if (value_ps < HISTOGRAM_SUB)
        return (uint32_t)value_ps;
    unsigned exponent = 63u - (unsigned)__builtin_clzll(value_ps);
    unsigned octave = exponent - HISTOGRAM_SUB_BITS + 1;
    if (octave > HISTOGRAM_OCTAVES)
        return HISTOGRAM_BINS - 1;
    uint64_t sub = (value_ps >> (octave - 1)) & (HISTOGRAM_SUB - 1);
    return octave * HISTOGRAM_SUB + (uint32_t)sub;
}

void histogram_add(struct histogram *histogram, uint64_t value_ps)
{
    uint32_t *bin = &histogram->bins[bin_of(value_ps)];
    *bin += *bin != UINT32_MAX;
    histogram->count++;
    histogram->sum_ps += value_ps;
    if (value_ps > histogram->max_ps)
        histogram->max_ps = value_ps;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
        uint32_t room = UINT32_MAX - into->bins[i];
        into->bins[i] += from->bins[i] < room ? from->bins[i] : room;
    }
    into->count += from->count;
    into->sum_ps += from->sum_ps;
    if (from->max_ps > into->max_ps)
        into->max_ps = from->max_ps;
}

uint64_t histogram_bin_low_ps(uint32_t bin)
{
    uint32_t octave = bin / HISTOGRAM_SUB;
    uint64_t sub = bin % HISTOGRAM_SUB;
    return octave == 0 ? sub : (HISTOGRAM_SUB + sub) << (octave - 1);
}

/* The sum of the bins and not `count` is the whole, so that a full bin cannot push every quantile
 * to the maximum. */
static uint64_t binned_count(const struct histogram *histogram)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
        sum += histogram->bins[i];
    return sum;
}

uint64_t histogram_quantile_ps(const struct histogram *histogram, double q)
{
    double rank = ceil(q * (double)binned_count(histogram));
    uint64_t below = 0;
    /* The last bin has no upper edge: it also holds what is longer. */
    for (uint32_t i = 0; i + 1 < HISTOGRAM_BINS && q < 1; i++) {
        below += histogram->bins[i];
        if (below > 0 && (double)below >= rank) {
            uint64_t edge_ps = histogram_bin_low_ps(i + 1);
            return edge_ps < histogram->max_ps ? edge_ps : histogram->max_ps;
        }
    }
    return histogram->max_ps;
}
