// Rule: describe says what open was given, or a default that the caller can live with
// Found: max-running is 4096 for a capacity of
#include "wrong.h"

/* No more than 4096 timers, whatever the capacity is. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK && (*out)->running_max > 4096)
        (*out)->running_max = 4096;
    return status;
}

WRONG("caps-itself", .open = wrong_open);
