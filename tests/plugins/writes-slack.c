// Rule: memory is used within the blocks that were allocated
// Found: close frees, with bytes behind its end overwritten, a block of
#include "wrong.h"

/* An odd number of 8-byte dues leaves 8 bytes to the fence, which only the pattern guards. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK && config->capacity % 2 == 1)
        (*out)->dues[config->capacity] = TW_NEVER;
    return status;
}

WRONG("writes-slack", .open = wrong_open);
