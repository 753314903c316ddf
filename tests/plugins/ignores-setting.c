// Rule: describe says what open was given, or a default that the caller can live with
// Found: max-running:
#include "wrong.h"

/* max-running is read and forgotten. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK)
        (*out)->running_max = config->capacity;
    return status;
}

WRONG("ignores-setting", .open = wrong_open);
