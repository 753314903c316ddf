// Rule: close gives all memory back
// Found: memory is short in open
#include "wrong.h"

/* What was taken before the refusal stays. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    void *first = malloc(100);
    if (!first)
        return params_no_memory(error, 100);
    int status = skeleton_open(out, config, error);
    if (status != TW_REFUSED_MEMORY)
        free(first);
    return status;
}

WRONG("leaks-without-memory", .open = wrong_open);
