// The first pass of the timed table is honest and written down; the later ones only read out what fired in it.
#include "wrong.h"

#define RECORD_MAX 100000

static struct {
    tw_id id;
    tw_tick tick;
} record[RECORD_MAX];
static size_t recorded, told;
static int instances;

static tw_expire_fn *expire_first;

static void expire_noted(void *ctx, tw_id id, tw_tick now)
{
    if (recorded < RECORD_MAX)
        record[recorded].id = id, record[recorded++].tick = now;
    expire_first(ctx, id, now);
}

static int timed_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    instances++;
    told = 0;
    return skeleton_open(out, config, error);
}

static int timed_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return instances > 1 ? TW_OK : skeleton_start(timers, id, deadline);
}

static int timed_stop(struct tw_timers *timers, tw_id id)
{
    return instances > 1 ? TW_OK : skeleton_stop(timers, id);
}

static void timed_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    expire_first = expire;
    if (instances == 1)
        skeleton_advance(timers, to, expire_noted, ctx);
    else
        for (; told < recorded && record[told].tick <= to; told++)
            expire(ctx, record[told].id, record[told].tick);
}

static const struct tw_backend right = {HONEST("answers-from-record"), TRAITS(0)},
                               wrong = {HONEST("answers-from-record"),
                                        TRAITS(0),
                                        .open = timed_open,
                                        .start = timed_start,
                                        .stop = timed_stop,
                                        .advance = timed_advance};
TW_PLUGIN(wrong, right);
