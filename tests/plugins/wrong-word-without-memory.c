// Rule: without memory open and start answer TW_REFUSED_MEMORY and change nothing
// Found: open answered -4 when its allocation 1 was refused
#include "wrong.h"

/* Everything that open refuses is a bad setting. */
static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    return skeleton_open(out, config, error) == TW_OK ? TW_OK : TW_BAD_SETTING;
}

WRONG("wrong-word-without-memory", .open = wrong_open);
