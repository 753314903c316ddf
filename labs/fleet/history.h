/*
 * history.h - puts the results of many commits on a line, and finds the commits at which figures change.
 *
 * Each result is a run.  A cell that several runs have (same design, settings, workload, tasks and stream of
 * operations) makes one series per figure.  Counts are exact: any difference between neighbours is a change.
 * Instructions vary by up to GATE_SAME_INSTRUCTIONS between processes, so less is no change.  Times are
 * compared as ratios to an anchor, a design of the same run on the same stream; what slows the whole machine
 * cancels.  Their changes are found statistically (changepoints.h).
 *
 * labs/fleet/docs/FLEET.md is the page, schema/history-1.json says what the keys mean.
 */
#ifndef TWBENCH_HISTORY_H
#define TWBENCH_HISTORY_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>

/* Smallest change of a time that is told, unless the caller wants another: 1 %. */
#define HISTORY_LEAST 0.01

struct history_wishes {
    const char
        *anchor; /* design; NULL: heap if runs have it, else the design that most of them have */
    const char *since; /* commit, or date "2026-11-22": only changes from there on; NULL: all */
    const char
        *commits; /* file with a commit a line, oldest first; NULL: by the date of the runs */
    double least; /* HISTORY_LEAST */
    bool propose; /* "limits" for twbench.json, from the spread of each time */
};

struct history;

/* The owner frees it with history_free.  DIAG_USAGE when the file of commits cannot be read.  Wishes are the caller's and outlive the history. */
int history_open(const struct history_wishes *wishes, struct history **out, struct diag *diag);
/* NULL is allowed. */
void history_free(struct history *history);

/* Takes the figures out of a result; the document is the caller's again. */
void history_add(struct history *history, const cJSON *result, const char *file);

/* Orders the runs, finds the changes and writes all into `document`, which has tool, machine and command.
 * DIAG_USAGE when fewer than two runs share a cell, or when `since` or `anchor` names nothing that is
 * there.  Takes some ms per series of 500 runs. */
int history_write(struct history *history, cJSON *document, struct diag *diag);

/* ---- A series of each figure of each cell over the runs, and its changes (series.c). ------------- */

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
