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
#include <stdbool.h>
#include <stddef.h>

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

#endif
