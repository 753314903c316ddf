/*
 * gnuplot.h - a script of plots/ run on a data file, and the directory for what it draws.
 */
#ifndef TWBENCH_GNUPLOT_H
#define TWBENCH_GNUPLOT_H

#include "harness/base/diag.h"

/* Makes the directory and those above it, as mkdir -p does. */
int gnuplot_directory(const char *directory, struct diag *diag);

/* Draws `data` into the file `out` (.svg, .png, .pdf), or as text on stdout when `out` is NULL.  The user's
 * settings are switched off.  DIAG_RUN when gnuplot is missing or fails, with its own words. */
int gnuplot_run(const char *script, const char *data, const char *out, struct diag *diag);

#endif
