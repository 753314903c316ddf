// Rule: footprint is what was taken at open, plus what pending timers need
// Found: bytes are held
#include "ticket.h"

/* What start takes is nobody's. */
static struct tw_footprint wrong_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = ticket_footprint(timers);
    footprint.pending_bytes = 0;
    return footprint;
}

WRONG_TICKET("tells-no-pending", TW_ALLOCATES, .footprint = wrong_footprint);
