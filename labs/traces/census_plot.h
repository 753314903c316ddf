/*
 * census_plot.h - A trace, for trace.gp: timers armed over time, the delays asked for, their ends (census_plot.c). -
 *
 * Block 0 has what a tick is and the span in the place of the machine, and then "none<TAB>x": where delays of 0 or
 * less are drawn, "?" without any, and "least<TAB>x": where those above 0 begin, in seconds.
 * Block 1: seconds, mean and most armed.  Block 2: a tenth of a decade of delays, from and to in
 * seconds, how many starts asked for one in it, and of them the shares re-armed, cancelled, expired
 * and left armed.
 */
#ifndef TWBENCH_CENSUS_PLOT_H
#define TWBENCH_CENSUS_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* `record` is the document of `twbench trace --json`. */
void census_plot_write(FILE *out, const cJSON *record);

#endif
