/* cap.c - limits pending timers: a layer between replay and design. */
#include "harness/measure/run/cap.h"

#include "harness/measure/run/layer.h"

#include <stdlib.h>

struct tw_timers {
    struct layer layer;
    uint32_t running, max_pending;
    tw_expire_fn *expire; /* the caller's, during an advance */
    void *expire_ctx;
};

/* Only the design knows whether the timer runs already, so it is asked first and the start taken
 * back when it was one too many. */
static int cap_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    const struct layer *layer = &timers->layer;
    int status = layer->design->start(layer->inner, id, deadline);
    if (status != TW_OK)
        return status;
    if (timers->running == timers->max_pending) {
        layer->design->stop(layer->inner, id);
        return TW_REFUSED_FULL;
    }
    timers->running++;
    return TW_OK;
}

static int cap_stop(struct tw_timers *timers, tw_id id)
{
    int status = timers->layer.design->stop(timers->layer.inner, id);
    if (status == TW_OK)
        timers->running--;
    return status;
}

static void cap_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_timers *timers = ctx;
    timers->running--;
    timers->expire(timers->expire_ctx, id, now);
}

static void cap_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->expire = expire;
    timers->expire_ctx = ctx;
    timers->layer.design->advance(timers->layer.inner, to, cap_expire, timers);
}

static const char *cap_check(const struct tw_timers *timers)
{
    if (timers->running > timers->max_pending)
        return "no more timers run than the cap allows";
    return timers->layer.design->check(timers->layer.inner);
}

static struct tw_footprint cap_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = timers->layer.design->footprint(timers->layer.inner);
    footprint.fixed_bytes += sizeof *timers;
    return footprint;
}

int cap_put(struct cap *cap, const struct tw_backend *design, struct tw_timers *timers,
            uint32_t max_pending)
{
    struct tw_timers *instance = malloc(sizeof *instance);
    if (!instance)
        return TW_REFUSED_MEMORY;
    *instance = (struct tw_timers){.layer = {design, timers}, .max_pending = max_pending};
    *cap = (struct cap){.table = layer_table(design), .timers = instance};
    cap->table.start = cap_start;
    cap->table.stop = cap_stop;
    cap->table.advance = cap_advance;
    cap->table.check = cap_check;
    cap->table.footprint = cap_footprint;
    return TW_OK;
}
