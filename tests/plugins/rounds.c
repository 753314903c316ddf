// Rule: no timer fires later than declared
// Found: its traits say that it is exact
#include "wrong.h"

/* Rounds up to full multiples of 8 ticks, as a coarse wheel does, and calls itself exact. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    return skeleton_start(timers, id, due > TW_DEADLINE_MAX - 8 ? due : (due + 7) / 8 * 8);
}

WRONG("rounds", .start = wrong_start);
