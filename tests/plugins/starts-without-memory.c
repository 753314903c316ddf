// Rule: stop answers TW_OK or TW_IDLE as due
// Found: memory is short in start
#include "ticket.h"

/* The deadline is written down before the block is asked for. */
static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    bool was_running = timers->dues[id] != TW_NEVER;
    int status = skeleton_start(timers, id, deadline);
    if (status < 0 || was_running)
        return status;
    whole_of(timers)->tickets[id] = malloc(TICKET_BYTES);
    return whole_of(timers)->tickets[id] ? status : TW_REFUSED_MEMORY;
}

WRONG_TICKET("starts-without-memory", TW_ALLOCATES, .start = wrong_start);
