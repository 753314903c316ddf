/* cap.c - every hook goes through; start, stop and the callbacks are counted on the way. */
#include "harness/run/cap.h"

#include <stdlib.h>

struct tw_timers {
    const struct tw_backend *design;
    struct tw_timers *inner;
    uint32_t running, max_pending;
    tw_expire_fn *expire; /* the caller's, during an advance */
    void *expire_ctx;
};

static void cap_close(struct tw_timers *timers)
{
    timers->design->close(timers->inner);
    free(timers);
}

/* Only the design knows whether the timer runs already, so it is asked first and the start taken
 * back when it was one too many. */
static int cap_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    int status = timers->design->start(timers->inner, id, deadline);
    if (status != TW_OK)
        return status;
    if (timers->running == timers->max_pending) {
        timers->design->stop(timers->inner, id);
        return TW_REFUSED_FULL;
    }
    timers->running++;
    return TW_OK;
}

static int cap_stop(struct tw_timers *timers, tw_id id)
{
    int status = timers->design->stop(timers->inner, id);
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
    timers->design->advance(timers->inner, to, cap_expire, timers);
}

static tw_tick cap_next(const struct tw_timers *timers)
{
    return timers->design->next(timers->inner);
}

static void cap_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    timers->design->visit(timers->inner, visit, ctx);
}

static const char *cap_check(const struct tw_timers *timers)
{
    if (timers->running > timers->max_pending)
        return "no more timers run than the cap allows";
    return timers->design->check(timers->inner);
}

static struct tw_footprint cap_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = timers->design->footprint(timers->inner);
    footprint.fixed_bytes += sizeof *timers;
    return footprint;
}

static void cap_describe(const struct tw_timers *timers, struct tw_description *out)
{
    timers->design->describe(timers->inner, out);
}

static const struct tw_work *cap_work(const struct tw_timers *timers)
{
    return timers->design->work(timers->inner);
}

int cap_put(struct cap *cap, const struct tw_backend *design, struct tw_timers *timers,
            uint32_t max_pending)
{
    struct tw_timers *layer = malloc(sizeof *layer);
    if (!layer)
        return TW_REFUSED_MEMORY;
    *layer = (struct tw_timers){.design = design, .inner = timers, .max_pending = max_pending};
    *cap = (struct cap){.table = *design, .timers = layer};
    cap->table.open = NULL; /* a layer is put over an open instance */
    cap->table.close = cap_close;
    cap->table.start = cap_start;
    cap->table.stop = cap_stop;
    cap->table.advance = cap_advance;
    cap->table.next = cap_next;
    cap->table.visit = cap_visit;
    cap->table.check = cap_check;
    cap->table.footprint = cap_footprint;
    cap->table.describe = cap_describe;
    cap->table.work = cap_work;
    return TW_OK;
}
