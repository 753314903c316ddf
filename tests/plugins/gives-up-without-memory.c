// Rule: start answers TW_OK, TW_REARMED or TW_REFUSED_... as due
// Found: answered -3, expected
#include "ticket.h"

/* Memory that was short once is never asked for again. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->running_max == 0)
        return TW_REFUSED_MEMORY;
    int status = ticket_start(timers, id, deadline);
    if (status == TW_REFUSED_MEMORY)
        timers->running_max = 0;
    return status;
}

WRONG_TICKET("gives-up-without-memory", TW_ALLOCATES, .start = wrong_start);
