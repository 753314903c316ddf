/*
 * census_plot.h - the picture of a trace: timers armed over time, the delays asked for, their ends.
 *
 * The data file, for plots/trace.gp: block 0 as in plotdata.h (title, what a tick is and the span,
 * number of blocks, of ends), then "none<TAB>x": where delays of 0 or less are drawn, "?" without any,
 * and "least<TAB>x": where those above 0 begin, in seconds.
 * Block 1: seconds, mean and most armed.  Block 2: a tenth of a decade of delays, from and to in
 * seconds, how many starts asked for one in it, and of them the shares re-armed, cancelled, expired
 * and left armed.
 */
#ifndef TWBENCH_CENSUS_PLOT_H
#define TWBENCH_CENSUS_PLOT_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* `record` as tell/result/census_record.h makes it.  Draws DIRECTORY/trace-NAME.ENDING (ENDING: svg, png,
 * pdf) and leaves its data beside it; `path` gets the picture's. */
int census_plot(const cJSON *record, const char *directory, const char *scripts_directory,
                const char *ending, char *path, size_t size, struct diag *diag);

#endif
