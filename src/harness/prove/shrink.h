/* shrink.h - shrinks an operation list to a shorter one that breaks the same rule.
 */
#ifndef TWBENCH_CONFORM_SHRINK_H
#define TWBENCH_CONFORM_SHRINK_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"

/* A list of more operations is tried again as long as that helps. */
#define SHRINK_SHORT CONFORM_SHORT

/* Runs a list: fills *report, which is empty, and *steps with how many operations it took.  False
 * when there is no time left for it. */
typedef bool shrink_replay_fn(void *ctx, const struct operations *operations,
                              struct conform_report *report, size_t *steps);

/* *operations breaks report->rule after `steps` operations.  Makes it as short as it can, and the
 * report that of the short list, printed.  Delta debugging (Zeller & Hildebrandt 2002): chunks are
 * left out, ever smaller ones, then numbers are reduced.  Replays are bounded in all, by report->work
 * and by what `replay` says. */
void shrink(struct operations *operations, shrink_replay_fn *replay, void *ctx, size_t steps,
            struct conform_report *report);

#endif
