/*
 * clock_plot.h - Runners on the real clock (clock_plot.c).
 *
 * Figures are medians over the runs of a cell, with the least and the most.  Of a group with several numbers of threads
 * lateness and callers are shown at the most.
 */
#ifndef TWBENCH_CLOCK_PLOT_H
#define TWBENCH_CLOCK_PLOT_H

#include "harness/tell/report/plot.h"
#include "harness/tell/report/plotdata.h"

/* Has the group this picture?  Its title, the number of blocks and series that its script asks for, and its data. */
bool clock_plot_has(const struct view_group *group, enum plot_kind kind);
void clock_plot_title(char *out, size_t size, const struct view_group *group, enum plot_kind kind);
void clock_plot_count(const struct view_group *group, enum plot_kind kind, size_t *blocks,
                      size_t *series);
void clock_plot_write(FILE *out, const struct view_group *group, enum plot_kind kind);

#endif
