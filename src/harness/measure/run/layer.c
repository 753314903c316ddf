/* layer.c - puts a layer between replay and a design, hook by hook. */
#include "harness/measure/run/layer.h"

#include <stdlib.h>

/* An instance of a layer, whatever else it has behind this. */
struct tw_timers {
    struct layer layer;
};

static void layer_close(struct tw_timers *timers)
{
    timers->layer.design->close(timers->layer.inner);
    free(timers);
}

static int layer_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return timers->layer.design->start(timers->layer.inner, id, deadline);
}

static int layer_stop(struct tw_timers *timers, tw_id id)
{
    return timers->layer.design->stop(timers->layer.inner, id);
}

static void layer_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->layer.design->advance(timers->layer.inner, to, expire, ctx);
}

static tw_tick layer_next(const struct tw_timers *timers)
{
    return timers->layer.design->next(timers->layer.inner);
}

static void layer_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    timers->layer.design->visit(timers->layer.inner, visit, ctx);
}

static const char *layer_check(const struct tw_timers *timers)
{
    return timers->layer.design->check(timers->layer.inner);
}

static struct tw_footprint layer_footprint(const struct tw_timers *timers)
{
    return timers->layer.design->footprint(timers->layer.inner);
}

static void layer_describe(const struct tw_timers *timers, struct tw_description *out)
{
    timers->layer.design->describe(timers->layer.inner, out);
}

static const struct tw_work *layer_work(const struct tw_timers *timers)
{
    return timers->layer.design->work(timers->layer.inner);
}

struct tw_backend layer_table(const struct tw_backend *design)
{
    struct tw_backend table = *design;
    table.open = NULL;
    table.close = layer_close;
    table.start = layer_start;
    table.stop = layer_stop;
    table.advance = layer_advance;
    table.next = layer_next;
    table.visit = layer_visit;
    table.check = layer_check;
    table.footprint = layer_footprint;
    table.describe = layer_describe;
    table.work = layer_work;
    return table;
}
