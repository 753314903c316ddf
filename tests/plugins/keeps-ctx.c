// Rule: advance and visit call the function that they were given, with its ctx
// Found: its function with the ctx that an earlier call was given
#include "wrong.h"

struct whole {
    struct tw_timers timers;
    void *ctx;
};

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = within_open(out, sizeof(struct whole), config, error);
    if (status == TW_OK)
        ((struct whole *)*out)->ctx = NULL;
    return status;
}

/* The first ctx that an advance brings is used by all others. */
static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    struct whole *whole = (struct whole *)timers;
    if (!whole->ctx)
        whole->ctx = ctx;
    skeleton_advance(timers, to, expire, whole->ctx);
}

WRONG("keeps-ctx", .open = wrong_open, .advance = wrong_advance);
