// Rule: describe says what open was given, or a default that the caller can live with
// Found: max-running is 0
#include "wrong.h"

/* A cap that nobody has asked for keeps every timer out, and all answers are as they are described. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK)
        (*out)->running_max = 0;
    return status;
}

WRONG("refuses-all", .open = wrong_open);
