// The timed table keeps each timer for a tick longer than asked; the table that counts is right.
#include "wrong.h"

static int timed_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return skeleton_start(timers, id, deadline + 1);
}

static const struct tw_backend right = {HONEST("keeps-later-timed"), TRAITS(0)},
                               wrong = {HONEST("keeps-later-timed"), TRAITS(0),
                                        .start = timed_start};
TW_PLUGIN(wrong, right);
