// Rule: no function crashes
// Found: work crashed
#include "wrong.h"

/* Counters of somebody who was never born. */
static const struct tw_work *wrong_work(const struct tw_timers *timers)
{
    return (const struct tw_work *)(uintptr_t)(timers->running_max > 0 ? 8 : 16);
}

WRONG("work-crashes", .work = wrong_work);
