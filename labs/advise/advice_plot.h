/*
 * advice_plot.h - An advice, for advise.gp: cost against memory (advice_plot.c).
 *
 * Block 1: each candidate that was measured, by ascending memory: name, what it is (0: dominated, or against
 * the wishes; 1: of the front; 2: not significantly different from the recommended one; 3: that one), cost per operation in ns
 * with its interval, bytes per task.  Block 2: of those that keep to the wishes the ones that none beats in both,
 * by ascending cost: cost, bytes.  On the real clock block 0 has further "clock", the cost is processor time, and the
 * 99th percentile of the lateness in microseconds stands in the place of the bytes.
 */
#ifndef TWBENCH_ADVICE_PLOT_H
#define TWBENCH_ADVICE_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* "advise-nginx"; of a file its last part without the ending. */
void advice_plot_name(char *out, size_t size, const cJSON *document);

/* False when nothing was measured, or without memory. */
bool advice_plot_write(FILE *out, const cJSON *document);

#endif
