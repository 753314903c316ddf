/*
 * limits_plot.h - Limits, for limits.gp: against the bytes of all nodes, with the caches of the machine (limits_plot.c). -
 *
 * Block 0 has further L1, L2 and L3 with their bytes, 0 being unknown.  Then a block for each series: a line with the
 * measure, the bytes of a node and 1 where the pages are huge; and a line for each point with bytes of all
 * nodes, median, low and high in nanoseconds.
 */
#ifndef TWBENCH_LIMITS_PLOT_H
#define TWBENCH_LIMITS_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* Was any limit of nodes measured? */
bool limits_plot_has(const cJSON *document);
void limits_plot_write(FILE *out, const cJSON *document);

#endif
