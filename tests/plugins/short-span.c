// Rule: describe says what open was given, or a default that the caller can live with
// Found: the span is 2 ticks
#include "wrong.h"

/* It takes what is due within two ticks, and says so. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return deadline > timers->now && deadline - timers->now > 2
               ? TW_REFUSED_RANGE
               : skeleton_start(timers, id, deadline);
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    out->span = 2;
}

WRONG("short-span", .start = wrong_start, .describe = wrong_describe);
