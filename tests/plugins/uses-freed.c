// Rule: memory is freed once, and not used after that
// Found: next reads byte 1 of a block of
#include "wrong.h"

static tw_tick wrong_next(const struct tw_timers *timers)
{
    tw_tick *volatile copy = malloc(sizeof *copy);
    *copy = skeleton_next(timers);
    free(copy);
    return *copy;
}

WRONG("uses-freed", .next = wrong_next);
