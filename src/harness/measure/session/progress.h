/* progress.h - shows progress on stderr: a bar with the time left, or a line per group. */
#ifndef TWBENCH_PROGRESS_H
#define TWBENCH_PROGRESS_H

#include "harness/measure/run/group.h"
#include "harness/measure/session/setup.h"

struct progress {
    enum setup_progress mode; /* never PROGRESS_AUTO */
    uint64_t begin_ns;
    double weight_total, weight_done; /* operations of all groups, of those that are done */
    double weight;                    /* of the group that runs */
    const char *stage; /* the caller's, behind progress_begin; NULL: there is one only */
    char title[160];
    const char *step; /* of progress_step, the last one */
    uint64_t step_begin_ns;
    uint64_t group_begin_ns;
};

/* PROGRESS_AUTO becomes a bar when stderr is a terminal that can move its cursor. */
void progress_begin(struct progress *progress, enum setup_progress mode, double weight_total);
/* `weight`: the group's share of the whole, in the unit of weight_total. */
void progress_group(struct progress *progress, const struct stream *stream, double weight);
/* A group_progress_fn; ctx is the struct progress. */
void progress_job(void *ctx, const struct group_progress *group);
/* The group is over; "now and then" output so that a log shows life. */
void progress_group_end(struct progress *progress, size_t cells);
/* One step of several, each of `total` parts: for work that is no group of cells. */
void progress_step(struct progress *progress, const char *what, size_t done, size_t total);
/* Takes the bar away before something else is printed. */
void progress_clear(struct progress *progress);

#endif
