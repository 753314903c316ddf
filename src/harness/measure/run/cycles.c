/* cycles.c - calibrates the cycle counter against CLOCK_MONOTONIC. */
#include "harness/measure/run/cycles.h"

#define CALIBRATION_NS       20000000u
#define CALIBRATION_PAIRS    1001u
#define CALIBRATION_READINGS 9

static int compare_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint64_t cycles_step(const uint64_t *pairs, size_t count)
{
    uint64_t least = UINT64_MAX;
    uint64_t spread = pairs[(count - 1) * 95 / 100] - pairs[(count - 1) * 5 / 100];
    for (size_t i = 1; i < count; i++)
        if (pairs[i] > pairs[i - 1] && pairs[i] - pairs[i - 1] < least)
            least = pairs[i] - pairs[i - 1];
    least = least == UINT64_MAX ? pairs[0] : least;
    return spread > least ? spread : least;
}

/* Fills what a reading costs, and what it can tell. */
static void measure_overhead(struct cycles *cycles)
{
    uint64_t pairs[CALIBRATION_PAIRS];
    for (unsigned i = 0; i < CALIBRATION_PAIRS; i++) {
        uint64_t begin = cycles_begin();
        pairs[i] = cycles_end() - begin;
    }
    qsort(pairs, CALIBRATION_PAIRS, sizeof pairs[0], compare_cycles);
    cycles->overhead_cycles = pairs[CALIBRATION_PAIRS / 2];
    cycles->step_cycles = cycles_step(pairs, CALIBRATION_PAIRS);
}

/* Clock and counter at one time: of some readings the shortest, so that a process which lost the core
 * between the two does not show. */
static void read_both(uint64_t *ns, uint64_t *cycles)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < CALIBRATION_READINGS; i++) {
        uint64_t begin = cycles_begin(), now_ns = clock_read_ns(CLOCK_MONOTONIC);
        uint64_t taken = cycles_begin() - begin;
        if (taken < shortest) {
            shortest = taken;
            *ns = now_ns;
            *cycles = begin + taken / 2;
        }
    }
}

struct cycles cycles_calibrate(void)
{
    uint64_t begin_ns, begin, end_ns, end;
    read_both(&begin_ns, &begin);
    while (clock_read_ns(CLOCK_MONOTONIC) - begin_ns < CALIBRATION_NS)
        continue;
    read_both(&end_ns, &end);
    struct cycles cycles = {.ps_per_cycle =
                                1e3 * (double)(end_ns - begin_ns) / (double)(end - begin)};
    measure_overhead(&cycles);
    return cycles;
}
