/*
 * measures.h - which figures go to services that follow benchmarks over time.
 *
 * All of them are better when they are smaller.  Times come with their interval; memory and counts
 * are exact.
 */
#ifndef TWBENCH_MEASURES_H
#define TWBENCH_MEASURES_H

#include "harness/tell/report/view.h"
#include "harness/tell/result/figures.h"

#define MEASURES_MAX 40

struct measure {
    char name[FIGURE_NAME_SIZE]; /* "latency": lower case and dashes */
    const char *unit;            /* "ns/op" */
    double value;
    double low, high; /* NaN when there is no interval */
};

/* Fills out[0 .. MEASURES_MAX) with what is known of the item; answers how many.  The figures of the
 * whole cell are only in the item without a phase. */
size_t measures_of(const struct view_item *item, struct measure *out);

#endif
