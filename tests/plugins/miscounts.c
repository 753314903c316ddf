// Rule: no timer fires later than declared
// Found: in the table that counts
#include "wrong.h"

/* The table that is timed is right; its twin rounds due ticks up to odd ones. */
static int late_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return skeleton_start(timers, id, deadline < TW_DEADLINE_MAX ? deadline | 1 : deadline);
}

static const struct tw_backend right = {HONEST("miscounts"), TRAITS(0)};
static const struct tw_backend late = {HONEST("miscounts"), TRAITS(0), .start = late_start};
TW_PLUGIN(right, late);
