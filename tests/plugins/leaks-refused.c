// Rule: close gives all memory back
// Found: taken in open
#include "wrong.h"

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    void *volatile before = malloc(100);
    int status = skeleton_open(out, config, error);
    if (status == TW_OK)
        free(before);
    return status;
}

WRONG("leaks-refused", .open = wrong_open);
