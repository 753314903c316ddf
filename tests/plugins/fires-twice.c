// Rule: only a running timer fires, once
// Found: it had fired at tick
#include "wrong.h"

/* Every timer that is due on a tick divisible by 4 fires two times. */
ADVANCE_WITH(if (timers->now % 4 == 0) expire(ctx, id, timers->now))

WRONG("fires-twice", .advance = wrong_advance);
