// Rule: describe says what open was given, or a default that the caller can live with
// Found: for a horizon of 4294967296
#include "wrong.h"

/* The span is taken from the lower half of the horizon. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = skeleton_open(out, config, error);
    if (status == TW_OK)
        (*out)->capacity |= 0;
    if (status == TW_OK && config->horizon > 0 && (uint32_t)config->horizon == 0)
        (*out)->running_max = 1;
    return status;
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    skeleton_describe(timers, out);
    if (timers->running_max == 1 && timers->capacity > 1) {
        out->span = 1;
        out->settings[0].values[0] = timers->capacity;
    }
}

WRONG("narrow-horizon", .open = wrong_open, .describe = wrong_describe);
