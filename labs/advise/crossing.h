/*
 * crossing.h - at which size the answer changes: from ratios at some sizes to an interval of sizes.
 *
 * Of two candidates the ratio of their costs was measured, with its interval, at some numbers of tasks.
 * Where one is told to be cheaper at a size and the other at a larger one, the answer changes between
 * the two; the nearest such sizes are the interval.  It rests on what was told at its ends, and on no
 * model of what lies between; the size itself is read off the straight line through log n and log ratio.
 */
#ifndef TWBENCH_CROSSING_H
#define TWBENCH_CROSSING_H

#include "labs/advise/criteria.h"

struct crossing_point {
    double tasks;
    struct summary ratio; /* cost of `below` over cost of `above` */
};

struct crossing {
    bool found;
    double tasks, low, high; /* low: `below` is told to be cheaper; high: `above` is */
};

/* points[0 .. count) by ascending tasks.  Where the answer changes more than once, the last change is
 * found.  Not found where either is never told to be the cheaper one. */
struct crossing crossing_find(const struct crossing_point *points, size_t count);

#endif
