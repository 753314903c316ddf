/*
 * plotdata.h - what the gnuplot scripts draw, as tab-separated text.
 *
 * A file has blocks, separated by two empty lines as gnuplot wants them for `index`:
 *
 *     block 0     title, machine, number of blocks after this one, number of series; one a line.  A line
 *                 "note" if cells without an answer are missing in the picture; "ratios" and a design where
 *                 cells are of several machines: times are ratios to that design's
 *     cost, memory, slots: a block per panel
 *         first line   title of the panel, then the name of each series
 *         then         x, and median, low, high of each series
 *     latency: a block per series
 *         first line   name of the series
 *         then         1 / (1 - share of the calls), ns, ns again where a percentile is marked
 *     throughput: as cost, its x being threads
 *     bars, lateness, caller, idle: a block per panel
 *         first line   title of the panel, unit
 *         then         name of the design, median, low, high
 *
 * "?" stands for a value that is not there.
 */
#ifndef TWBENCH_PLOTDATA_H
#define TWBENCH_PLOTDATA_H

#include "harness/tell/report/view.h"

#include <stdio.h>

/* Pictures of a run. */
enum plot_kind { PLOT_COST, PLOT_MEMORY, PLOT_LATENCY, PLOT_SLOTS, PLOT_BARS, PLOT_KINDS };

/* "cost": name of the script and first part of the picture's name. */
const char *plotdata_kind_name(enum plot_kind kind);

/* True when the group has this picture.  Of the groups that differ only in the number of tasks, the
 * first stands for cost and memory, and the largest that more than half of the designs could do for
 * latency. */
bool plotdata_has(const struct view *view, size_t group, enum plot_kind kind);

/* Writes the data of a picture that the group has. */
void plotdata_write(FILE *out, const cJSON *document, const struct view *view, size_t group,
                    enum plot_kind kind);

/* Block 0: title, machine, blocks and series; and its note on the cells of that group that are missing. */
void plotdata_write_head(FILE *out, const cJSON *document, const char *title, size_t blocks,
                         size_t series);
void plotdata_write_note(FILE *out, const struct view *view, size_t group);
/* The line "machine" of block 0: processor, cores, memory and compiler. */
void plotdata_write_machine(FILE *out, const cJSON *document);
/* The text with blanks for what would end a field or a line. */
void plotdata_write_field(FILE *out, const char *text);

#endif
