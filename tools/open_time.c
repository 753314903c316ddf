/*
 * open_time.c - how long opening and closing an empty instance of fast and callwheel takes.
 *
 *     tools/reference/open.sh FILE      builds it and runs it
 *
 * Prints a table with tabs: design, capacity, horizon in ticks, ns of the median and of the longest of ROUNDS openings,
 * ns of the first.  The memory that is asked for is what the process has freed before, but for the first.
 */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 101

extern const struct tw_backend tw_fast_timed, tw_callwheel_timed;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static int print_open(const struct tw_backend *backend, uint32_t capacity, tw_tick horizon)
{
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct tw_config config = {.capacity = capacity, .horizon = horizon};
        struct tw_timers *timers;
        struct tw_error error;
        double begin = now_ns();
        if (backend->open(&timers, &config, &error) != TW_OK)
            return 1;
        took[i] = now_ns() - begin;
        backend->close(timers);
    }
    double first = took[0];
    qsort(took, ROUNDS, sizeof took[0], by_size);
    printf("%s\t%u\t%llu\t%.0f\t%.0f\t%.0f\n", backend->name, capacity, (unsigned long long)horizon,
           took[ROUNDS / 2], took[ROUNDS - 1], first);
    return 0;
}

int main(void)
{
    static const struct tw_backend *const designs[] = {&tw_fast_timed, &tw_callwheel_timed};
    static const uint32_t capacities[] = {10, 1000, 10000, 100000, 1000000};
    static const tw_tick horizons[] = {30000, 3600000};
    int failed = 0;
    for (size_t d = 0; d < 2; d++)
        for (size_t h = 0; h < 2; h++)
            for (size_t c = 0; c < 5; c++)
                failed |= print_open(designs[d], capacities[c], horizons[h]);
    return failed;
}
