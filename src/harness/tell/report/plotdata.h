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

enum plot_kind {
    PLOT_COST,
    PLOT_MEMORY,
    PLOT_LATENCY,
    PLOT_SLOTS,
    PLOT_BARS,
    PLOT_THROUGHPUT, /* from here on of runners on the real clock */
    PLOT_LATENESS,
    PLOT_CALLER,
    PLOT_IDLE,
    PLOT_KINDS
};

/* "cost": name of the script and first part of the picture's name. */
const char *plotdata_kind_name(enum plot_kind kind);

/* True when the group has this picture.  Of the groups that differ only in the number of tasks, the
 * first stands for cost and memory, and the largest that more than half of the designs could do for
 * latency. */
bool plotdata_has(const struct view *view, size_t group, enum plot_kind kind);

/* Writes the data of a picture that the group has.  False without memory. */
bool plotdata_write(FILE *out, const cJSON *document, const struct view *view, size_t group,
                    enum plot_kind kind);

/* The line "machine" of block 0: processor, cores, memory and compiler. */
void plotdata_write_machine(FILE *out, const cJSON *document);
/* The text with blanks for what would end a field or a line. */
void plotdata_write_field(FILE *out, const char *text);

/* ---- Runners on the real clock (clock_plot.c). -------------------------------------------------
 *
 * Figures are medians over the runs of a cell, with the least and the most.  Of a group with several numbers of threads
 * lateness and callers are shown at the most.
 */
/* Has the group this picture?  Its title, the number of blocks and series that its script asks for, and its data. */
bool clock_plot_has(const struct view_group *group, enum plot_kind kind);
void clock_plot_title(char *out, size_t size, const struct view_group *group, enum plot_kind kind);
void clock_plot_count(const struct view_group *group, enum plot_kind kind, size_t *blocks,
                      size_t *series);
void clock_plot_write(FILE *out, const struct view_group *group, enum plot_kind kind);

/* ---- Claims, for claim.gp (claims_plot.c). -----------------------------------------------------
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

/* "T09" of T9, "T09-2" of its second picture; `index` counts from 0. */
void claims_plot_name(char *out, size_t size, const cJSON *claim, size_t index);

/* Writes the blocks above.  Errors of `out` are left to the caller. */
void claims_plot_write(FILE *out, const cJSON *document, const cJSON *claim, const cJSON *picture);

/* ---- An advice, for advise.gp: cost against memory (advice_plot.c). ----------------------------
 *
 * Block 1: each candidate that was measured, by ascending memory: name, what it is (0: dominated, or against
 * the wishes; 1: of the front; 2: not significantly different from the recommended one; 3: that one), cost per operation in ns
 * with its interval, bytes per task.  Block 2: of those that keep to the wishes the ones that none beats in both,
 * by ascending cost: cost, bytes.  On the real clock block 0 has further "clock", the cost is processor time, and the
 * 99th percentile of the lateness in microseconds stands in the place of the bytes.
 */

/* "advise-nginx"; of a file its last part without the ending. */
void advice_plot_name(char *out, size_t size, const cJSON *document);

/* False when nothing was measured, or without memory. */
bool advice_plot_write(FILE *out, const cJSON *document);

/* ---- A trace, for trace.gp: timers armed over time, the delays asked for, their ends (census_plot.c). -
 *
 * Block 0 has what a tick is and the span in the place of the machine, and then "none<TAB>x": where delays of 0 or
 * less are drawn, "?" without any, and "least<TAB>x": where those above 0 begin, in seconds.
 * Block 1: seconds, mean and most armed.  Block 2: a tenth of a decade of delays, from and to in
 * seconds, how many starts asked for one in it, and of them the shares re-armed, cancelled, expired
 * and left armed.
 */
/* `record` is the document of `twbench trace --json`. */
void census_plot_write(FILE *out, const cJSON *record);

/* ---- A history, for history.gp: times as ratios over the runs (history_plot.c). -----------------
 *
 * Block 0 has further "anchor" and its name.  Two blocks for each series, those that changed most first: a line with the cell,
 * and then run, ratio, level (the mean between changes); then a line with the number of changes, and of each the run and
 * its commit.
 */

/* Series that the picture shows: those of times, at most HISTORY_PANELS. */
#define HISTORY_PANELS 6
size_t history_plot_panels(const cJSON *document);
void history_plot_write(FILE *out, const cJSON *document);

/* ---- Stores, for stores.gp and recovery.gp (stores_plot.c). ------------------------------------
 *
 * Block 0 has further "categories" and how many there are.  A block per panel: title, unit, names of the series; then a
 * category and of each series median, low, high.  Times are nanoseconds.  stores-puts: policies across, a series per store, a
 * panel per number of producers and batch.  stores-lateness: stores across, a series per percentile, a panel per policy.
 * stores-bytes: stores across, a series per policy.  stores-recovery is as cost: messages across, a series per store.
 */

/* The pictures of a stores document. */
enum stores_picture {
    STORES_PUTS,
    STORES_LATENESS,
    STORES_RECOVERY,
    STORES_BYTES,
    STORES_PICTURES
};

/* "stores-puts", and the script that draws it. */
const char *stores_plot_name(enum stores_picture picture);
const char *stores_plot_script(enum stores_picture picture);
/* Are its figures known?  Of recoveries at two numbers of messages or more. */
bool stores_plot_has(const cJSON *document, enum stores_picture picture);
void stores_plot_write(FILE *out, const cJSON *document, enum stores_picture picture);

/* ---- Limits, for limits.gp: against the bytes of all nodes, with the caches of the machine (limits_plot.c). -
 *
 * Block 0 has further L1, L2 and L3 with their bytes, 0 being unknown.  Then a block for each series: a line with the
 * measure, the bytes of a node and 1 where the pages are huge; and a line for each point with bytes of all
 * nodes, median, low and high in nanoseconds.
 */

/* Was any limit of nodes measured? */
bool limits_plot_has(const cJSON *document);
void limits_plot_write(FILE *out, const cJSON *document);

#endif
