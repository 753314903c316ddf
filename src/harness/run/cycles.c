/* cycles.c - calibration against CLOCK_MONOTONIC. */
#include "harness/run/cycles.h"

#include <stdlib.h>

#define CALIBRATION_NS    20000000u
#define CALIBRATION_PAIRS 1001u

static int compare_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t overhead_median(void)
{
    uint64_t pairs[CALIBRATION_PAIRS];
    for (unsigned i = 0; i < CALIBRATION_PAIRS; i++) {
        uint64_t begin = cycles_begin();
        pairs[i] = cycles_end() - begin;
    }
    qsort(pairs, CALIBRATION_PAIRS, sizeof pairs[0], compare_cycles);
    return pairs[CALIBRATION_PAIRS / 2];
}

struct cycles cycles_calibrate(void)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC), begin = cycles_begin();
    uint64_t end_ns, end;
    do {
        end_ns = clock_read_ns(CLOCK_MONOTONIC);
        end = cycles_begin();
    } while (end_ns - begin_ns < CALIBRATION_NS);
    return (struct cycles){
        .ps_per_cycle = 1e3 * (double)(end_ns - begin_ns) / (double)(end - begin),
        .overhead_cycles = overhead_median(),
    };
}
