/*
 * live.h - runs on the real clock: the program of the lab live plays them, one run each.
 */
#ifndef TWBENCH_LIVE_H
#define TWBENCH_LIVE_H

#include "harness/measure/session/setup.h"
#include "labs/advise/candidates.h"

#define LIVE_RUNNERS_MAX 16

struct live {
    struct runner runners[LIVE_RUNNERS_MAX];
    size_t count;
    void *listing; /* the runners' texts */
};

/* Asks for the runners; `names` is "A,B" or "all".  live_close in any case.  DIAG_USAGE when the lab is not built, or has
 * no such runner. */
int live_open(struct live *live, const char *names, struct diag *diag);
void live_close(struct live *live);

/* Plays the load once, or ten far timers for a moment (`idle`), and answers the cell of that run, the caller's: identity,
 * status, reason, stream, clock.  NULL: the program failed, and has said why. */
cJSON *live_run(const struct setup *setup, const struct load *load,
                const struct candidate *candidate, bool idle);

#endif
