/*
 * limits_plot.h - the limits against the bytes of all nodes, with the caches of the machine.
 *
 * The data file (plots/limits.gp reads it): first block the lines title, machine, blocks, series as in every data
 * file, then L1, L2 and L3 with their bytes, 0 being unknown.  Then a block for each series: a line with the
 * measure, the bytes of a node and 1 where the pages are huge; and a line for each point with bytes of all
 * nodes, median, low and high in nanoseconds.
 */
#ifndef TWBENCH_LIMITS_PLOT_H
#define TWBENCH_LIMITS_PLOT_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* Draws DIRECTORY/limits.ENDING (ENDING: svg, png, pdf) and leaves its data beside it; `path` gets the picture's.
 * DIAG_USAGE when no point of nodes was measured. */
int limits_plot(const cJSON *document, const char *directory, const char *scripts_directory,
                const char *ending, char *path, size_t size, struct diag *diag);

#endif
