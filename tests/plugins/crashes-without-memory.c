// Rule: no function crashes
// Found: open crashed: it writes
#include "wrong.h"

/* The second block is not asked for. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = params_check(skeleton_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    if (!timers)
        return params_no_memory(error, sizeof *timers);
    const struct tw_setting *running_max = params_find(config, "max-running");
    timers->now = config->now;
    timers->dues = malloc(config->capacity * sizeof *timers->dues);
    timers->capacity = config->capacity;
    timers->running_max = running_max ? (uint32_t)running_max->values[0] : config->capacity;
    for (tw_id id = 0; id < config->capacity; id++)
        timers->dues[id] = TW_NEVER;
    *out = timers;
    return TW_OK;
}

WRONG("crashes-without-memory", .open = wrong_open);
