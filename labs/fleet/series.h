/*
 * series.h - makes a series of each figure of each cell over the runs, and finds its changes.
 */
#ifndef TWBENCH_SERIES_H
#define TWBENCH_SERIES_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* A result, as much of it as a history needs.  cells: objects with label, impl, stream, time (ns per call) and counts,
 * an array in the order of enum metric up to METRIC_INSTRUCTIONS; what is unknown is null. */
struct history_run {
    cJSON *cells;
    size_t place; /* of its commit, where an order was given */
    char file[512], commit[64], date[32], machine[128], compiler[128];
};

/* Runs in order. */
struct history_line {
    const struct history_run *runs;
    size_t count;
    size_t since;       /* changes at earlier runs are not told */
    double least;       /* smallest change of a time */
    const char *anchor; /* "": none */
};

/* `wanted`, if a run has it; else heap, else the design that most runs have.  "" when every run has one design only.
 * DIAG_USAGE when no run has the wanted one. */
int series_find_anchor(const struct history_line *line, const char *wanted, char *out, size_t size,
                       struct diag *diag);

/* Adds "series" to the document.  DIAG_USAGE when no cell is in two runs. */
int series_write(const struct history_line *line, cJSON *document, struct diag *diag);

#endif
