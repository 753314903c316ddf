/* cycles.h - reads the clock around single operations.
 *
 * On x86-64 the time stamp counter, fenced so that the operation lies between the two reads; else
 * CLOCK_MONOTONIC.  Both reads together cost some tens of nanoseconds, more than most operations
 * measured with them: the cost is calibrated, subtracted from each reading and published.
 */
#ifndef TWBENCH_CYCLES_H
#define TWBENCH_CYCLES_H

#include "harness/base/clock.h"

#if defined(__x86_64__)
static inline uint64_t cycles_begin(void)
{
    __builtin_ia32_lfence();
    uint64_t now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return now;
}
static inline uint64_t cycles_end(void)
{
    unsigned aux;
    uint64_t now = __builtin_ia32_rdtscp(&aux);
    __builtin_ia32_lfence();
    return now;
}
#else
static inline uint64_t cycles_begin(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline uint64_t cycles_end(void)
{
    return cycles_begin();
}
#endif

struct cycles {
    double ps_per_cycle;
    uint64_t overhead_cycles; /* of one begin/end pair with nothing between: the median of many */
    uint64_t step_cycles; /* least that a reading tells: the counter's step, or the pairs' spread */
};

/* Takes about 20 ms. */
struct cycles cycles_calibrate(void);

/* Of empty pairs[0 .. count), sorted: the least difference between two of them, or the distance from the 5th to the
 * 95th of a hundred, whichever is more; of equal pairs, which tell no step, one of them.  count >= 1. */
uint64_t cycles_step(const uint64_t *pairs, size_t count);

/* Duration between the two reads without the clock's own cost; never below 0. */
static inline uint64_t cycles_elapsed_ps(const struct cycles *cycles, uint64_t begin, uint64_t end)
{
    uint64_t elapsed = end - begin;
    if (elapsed <= cycles->overhead_cycles)
        return 0;
    return (uint64_t)((double)(elapsed - cycles->overhead_cycles) * cycles->ps_per_cycle);
}

#endif
