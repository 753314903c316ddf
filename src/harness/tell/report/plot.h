/*
 * plot.h - pictures of a document, drawn by gnuplot with the scripts in plots/.
 */
#ifndef TWBENCH_PLOT_H
#define TWBENCH_PLOT_H

#include "harness/base/diag.h"
#include "harness/tell/report/view.h"

#include <cjson/cJSON.h>

/* What gnuplot writes; DUMB is text on stdout. */
enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_DUMB };

/* "svg", "png", "pdf", "dumb" (text, for the terminal); DIAG_USAGE for another word. */
int plot_parse_format(const char *text, const char *what, enum plot_format *out, struct diag *diag);

/* One picture of a document: which script draws it, and what writes its data.  The members below `write` are the
 * kind's own. */
struct picture {
    char name[232];     /* of its files */
    const char *script; /* "cost": cost.gp */
    const char *anchor; /* what of the document's page it stands beside; NULL: nothing */
    void (*write)(FILE *out, const cJSON *document, const struct picture *picture);
    size_t group;
    int kind;
    const cJSON *of, *part;
};

/* All pictures of a document, and where they were drawn. */
struct pictures {
    struct picture *items;
    char **paths; /* beside each item; NULL: not drawn into a file */
    size_t count;
};

/* Adds a copy, as a kind of document does (documents.h). */
void pictures_add(struct pictures *pictures, const struct picture *picture);
void pictures_free(struct pictures *pictures);

/* Draws every picture for which the document has data and sets *out; pictures_free in any case.  `directory` is made if it
 * is not there; each picture leaves its data file (.tsv) beside it.  PLOT_DUMB draws on stdout, leaves no files and takes
 * no directory.  Scripts are those of `scripts` and of the labs beside it.  DIAG_USAGE when there is nothing to draw,
 * DIAG_RUN when gnuplot is missing or fails, with its own words. */
int plot_all(const cJSON *document, const char *directory, const char *scripts,
             enum plot_format format, struct pictures *out, struct diag *diag);

/* Of a run: cost and memory against the number of tasks (two or more of them), latency of advance, cost against slots
 * (two or more), bars of the designs (one number of tasks, or a trace). */
void plot_run_pictures(const cJSON *document, struct pictures *out);

/* ---- Gnuplot (gnuplot.c). ---------------------------------------------------------------------- */

/* Makes the directory and those above it, as mkdir -p does. */
int gnuplot_directory(const char *directory, struct diag *diag);

/* Draws `data` with the script of plots/ into the file `out` (.svg, .png, .pdf), or as text on stdout when `out` is
 * NULL.  The user's settings are switched off.  DIAG_RUN when gnuplot is missing or fails, with its own words. */
int gnuplot_run(const char *script, const char *data, const char *out, struct diag *diag);

/* ---- What the gnuplot scripts draw, as tab-separated text (plotdata.c). ----------------------- */

/* A file has blocks, separated by two empty lines as gnuplot wants them for `index`:
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
 * "?" stands for a value that is not there. */

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
