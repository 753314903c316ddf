// Rule: visit shows each running timer once, with its due tick
// Found: twice
#include "wrong.h"

static void wrong_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (;;) /* it would never end */
        skeleton_visit(timers, visit, ctx);
}

static void guarded_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    if (timers->running > 0)
        wrong_visit(timers, visit, ctx);
}

WRONG("visits-twice", .visit = guarded_visit);
