// Rule: memory is used within the blocks that were allocated
// Found: for 536870913 timers, open asks for
#include "wrong.h"

/* All of the first array is written before the second is asked for, whose size is computed in 32 bits. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = skeleton_open(&timers, config, error);
    if (status != TW_OK)
        return status;
    uint32_t bytes = config->capacity * (uint32_t)sizeof *timers->dues;
    tw_tick *dues = malloc(bytes);
    if (!dues) {
        skeleton_close(timers);
        return params_no_memory(error, bytes);
    }
    memcpy(dues, timers->dues, bytes);
    free(timers->dues);
    timers->dues = dues;
    *out = timers;
    return TW_OK;
}

WRONG("size-in-32-bits", .open = wrong_open);
