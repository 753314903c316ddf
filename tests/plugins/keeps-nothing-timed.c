// The timed table starts and stops nothing, and says that it did; the table that counts is right.
#include "wrong.h"

static int timed_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    (void)timers, (void)id, (void)deadline;
    return TW_OK;
}

static int timed_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_OK;
}

static const struct tw_backend right = {HONEST("keeps-nothing-timed"), TRAITS(0)},
                               wrong = {HONEST("keeps-nothing-timed"), TRAITS(0),
                                        .start = timed_start, .stop = timed_stop};
TW_PLUGIN(wrong, right);
