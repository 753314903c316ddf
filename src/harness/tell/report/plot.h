/*
 * plot.h - pictures of a document, drawn by gnuplot with the scripts in plots/.
 */
#ifndef TWBENCH_PLOT_H
#define TWBENCH_PLOT_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* What gnuplot writes; DUMB is text on stdout. */
enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_DUMB };

/* "svg", "png", "pdf", "dumb" (text, for the terminal); DIAG_USAGE for another word. */
int plot_parse_format(const char *text, const char *what, enum plot_format *out, struct diag *diag);

/* Files written, in order; free with plot_files_free. */
struct plot_files {
    size_t count;
    char **paths;
};
void plot_files_free(struct plot_files *files);

/* Draws every picture for which the document has data and sets *files: cost and memory against the
 * number of tasks (two or more of them), latency of advance, cost against slots (two or more), bars
 * of the designs (one number of tasks, or a trace).  Of a claims document it draws the pictures of its
 * claims and no others: T01, T02, T02-2, .., by claim; of an advice its candidates, cost against memory; of limits and of a trace one; of stores up to four.
 * `directory` is made if it is not there; each
 * picture leaves its data file (.tsv) beside it.  PLOT_DUMB draws on stdout, leaves no files and
 * takes no directory.  DIAG_USAGE when there is nothing to draw, DIAG_RUN when gnuplot is missing
 * or fails, with its own words. */
int plot_all(const cJSON *document, const char *directory, const char *scripts_directory,
             enum plot_format format, struct plot_files *files, struct diag *diag);

/* ---- Gnuplot (gnuplot.c). ---------------------------------------------------------------------- */

/* Makes the directory and those above it, as mkdir -p does. */
int gnuplot_directory(const char *directory, struct diag *diag);

/* Draws `data` with the script of plots/ into the file `out` (.svg, .png, .pdf), or as text on stdout when `out` is
 * NULL.  The user's settings are switched off.  DIAG_RUN when gnuplot is missing or fails, with its own words. */
int gnuplot_run(const char *script, const char *data, const char *out, struct diag *diag);

#endif
