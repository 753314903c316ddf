/* child.h - runs one part of a proof in a child process and turns its end into a broken rule. */
#ifndef TWBENCH_CONFORM_CHILD_H
#define TWBENCH_CONFORM_CHILD_H

#include "harness/prove/conform.h"
#include "harness/prove/fence.h"
#include "harness/prove/watch.h"

/* How a child is kept, from one piece to the next. */
struct child {
    const struct tw_backend *backend;
    struct watch *watch; /* shared with it */
    int output_fd;       /* what it prints goes here */
    enum fence_side side;
    uint64_t memory_bytes;   /* what the design may hold at a time */
    uint64_t resident_bytes; /* that the process may touch before it is ended; 0: any */
    double call_seconds;     /* of processor time that one call may take */
    double idle_seconds;     /* for which it may sleep; with TW_REAL_CLOCK as long as it likes */
    double all_seconds;      /* of processor time that a piece may take */
    uint64_t memory_kills;   /* isolate_memory_kills() when the piece began */
    bool took_too_long;      /* the last piece took all of that, and was ended */
};

/* What the child does: judge, and fill watch->report. */
typedef void child_work_fn(void *ctx, struct watch *watch);

/* False, with nothing to close, when there is no shared memory. */
bool child_open(struct child *child, const struct tw_backend *backend);
/* Unmaps the watch and closes what the child wrote to. */
void child_close(struct child *child);

/* Runs the piece to its end: the child's, or ours of its time.  Fills *report: as the child did, or
 * with the rule it broke by how it ended.  False, with the reason in report->detail, when no process
 * could be started. */
bool child_run(struct child *child, child_work_fn *work, void *ctx, struct conform_report *report);

/* ---- Instances for up to 10^9 timers, of which a few dozen run (huge_capacity.c). ---------- */

/* What such an instance takes is mapped and mostly never touched.  A size that was computed in 32 bits is
 * found by the timers with high numbers, whose place does not exist.  A design that writes to all of its memory cannot
 * run there: then each allocation of its open is compared with that for 2^18 timers, open writing to a few pages that
 * stand for all. */

/* Opens, runs and closes instances in child processes of their own, which `child` starts; its limits are
 * left as they were.  A design that refuses for want of memory, writes to much of it, or takes
 * seconds is not wrong: what was not covered goes to the remarks.  0, 1 with a broken rule in *report,
 * or -1 when no child can be made. */
int huge_run(struct child *child, const struct conform_options *options,
             struct conform_report *report);

#endif
