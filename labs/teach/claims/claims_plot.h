/*
 * claims_plot.h - Claims, for claim.gp (claims_plot.c).
 *
 * Everything is taken from "pictures" of the claim (docs/CLAIMS-FORMAT.md), whose points the document
 * has: nothing is looked up or run again.
 *
 *     block 0     title, machine (or that counts do not depend on it), number of panels, most series of a
 *                 panel; then claim: its id and verdict; statement; shape; x: label and scale
 *     a block per panel
 *         one line     title, label of y, scale of y, index of the block of its first series, how many
 *     two blocks per series, panel by panel
 *         first line   name for the legend, name of its line style ("#3": the third mark, "#0": a
 *                      reference)
 *         then         x, median, low, high; in shares, x is 1 / (1 - share of the calls)
 *         and          x and y of the line: the curve of the class of growth, else from point to point
 */
#ifndef TWBENCH_CLAIMS_PLOT_H
#define TWBENCH_CLAIMS_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* "T09" of T9, "T09-2" of its second picture; `index` counts from 0. */
void claims_plot_name(char *out, size_t size, const cJSON *claim, size_t index);

/* Writes the blocks above.  Errors of `out` are left to the caller. */
void claims_plot_write(FILE *out, const cJSON *document, const cJSON *claim, const cJSON *picture);

#endif
