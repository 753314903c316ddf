// Rule: memory is used within the blocks that were allocated
// Found: writes byte 17 of a block of 16 bytes that was taken in open
#include "wrong.h"

/* Room for one timer too few, and rounded to where the fence is. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status != TW_OK || config->capacity != 3)
        return status;
    free((*out)->dues);
    (*out)->dues = malloc(2 * sizeof *(*out)->dues);
    for (tw_id id = 0; id < 3; id++)
        (*out)->dues[id] = TW_NEVER;
    return status;
}

WRONG("writes-past", .open = wrong_open);
