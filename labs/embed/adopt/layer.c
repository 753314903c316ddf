/*
 * layer.c - the growable layer as a design of twbench: a taken set behind the contract, so that run shows what the layer
 * costs and conform proves it.  layer.sh compiles it.
 *
 * A timer is a handle in an array.  The clock goes from deadline to deadline, because a pass of the set may end at one tick
 * only if its callbacks have to see that tick.
 */
#include "tw_fast.c"

struct layer {
    struct twt_set *set;
    tw_expire_fn *expire;
    void *ctx;
    uint32_t capacity;
    struct twt_timer timers[];
};

static struct layer *layer_of(const struct tw_timers *timers)
{
    return (struct layer *)(uintptr_t)timers;
}

static const struct tw_param layer_params[] = {
    {NULL, NULL, 0, 0, 0},
};

static void layer_fire(struct twt_set *set, struct twt_timer *timer, void *argument)
{
    struct layer *layer = argument;
    layer->expire(layer->ctx, (tw_id)(timer - layer->timers), twt_now(set));
}

static int layer_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    int status = params_check(layer_params, config, error);
    if (status != TW_OK)
        return status;
    uint64_t bytes = sizeof(struct layer) + config->capacity * sizeof(struct twt_timer);
    struct layer *layer = malloc(bytes);
    if (!layer)
        return params_no_memory(error, bytes);
    layer->capacity = config->capacity;
    struct twt_config set = {
        .now = config->now, .horizon = config->horizon, .capacity = config->capacity};
    for (uint32_t id = 0; id < config->capacity; id++)
        twt_init(&layer->timers[id], layer_fire, layer);
    status = twt_open(&layer->set, &set, error);
    if (status == TW_OK)
        *out = (struct tw_timers *)layer;
    else
        free(layer);
    return status;
}

static void layer_close(struct tw_timers *timers)
{
    twt_close(layer_of(timers)->set);
    free(timers);
}

static int layer_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct layer *layer = layer_of(timers);
    tw_tick now = twt_now(layer->set);
    if (now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    return twt_start(layer->set, &layer->timers[id], deadline > now ? deadline : now + 1);
}

static int layer_stop(struct tw_timers *timers, tw_id id)
{
    return twt_stop(layer_of(timers)->set, &layer_of(timers)->timers[id]);
}

static void layer_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    struct layer *layer = layer_of(timers);
    layer->expire = expire;
    layer->ctx = ctx;
    for (tw_tick at; (at = twt_wake(layer->set)) < to;)
        twt_advance(layer->set, at);
    twt_advance(layer->set, to);
}

static tw_tick layer_next(const struct tw_timers *timers)
{
    return twt_next(layer_of(timers)->set);
}

struct visiting {
    const struct layer *layer;
    tw_visit_fn *visit;
    void *ctx;
};

static void layer_show(void *ctx, const struct twt_timer *timer)
{
    const struct visiting *visiting = ctx;
    struct tw_view view = {.id = (tw_id)(timer - visiting->layer->timers),
                           .deadline = timer->deadline};
    visiting->visit(visiting->ctx, &view);
}

static void layer_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    struct visiting visiting = {layer_of(timers), visit, ctx};
    twt_visit(visiting.layer->set, layer_show, &visiting);
}

static const char *layer_check(const struct tw_timers *timers)
{
    return twt_check(layer_of(timers)->set);
}

static struct tw_footprint layer_footprint(const struct tw_timers *timers)
{
    const struct layer *layer = layer_of(timers);
    struct tw_footprint all = {.fixed_bytes = sizeof *layer + sizeof *layer->set};
    struct twt_growth growth;
    twt_growth(layer->set, &growth);
    all.capacity_bytes =
        growth.bytes - sizeof *layer->set + layer->capacity * sizeof(struct twt_timer);
    for (int i = 0; i < 2; i++)
        if (layer->set->instances[i].timers) {
            struct tw_footprint one = tw_fast.footprint(layer->set->instances[i].timers);
            all.fixed_bytes += one.fixed_bytes;
            all.capacity_bytes += one.capacity_bytes;
        }
    return all;
}

static void layer_describe(const struct tw_timers *timers, struct tw_description *out)
{
    (void)timers;
    *out = (struct tw_description){.span = TW_DEADLINE_MAX};
}

static const struct tw_backend layer = {
    .abi_version = TW_ABI_VERSION,
    .name = "layer",
    .summary = "handles and growth over fast, as take --growable gives them away",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_1, TW_O_N},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    .params = layer_params,
    .open = layer_open,
    .close = layer_close,
    .start = layer_start,
    .stop = layer_stop,
    .advance = layer_advance,
    .next = layer_next,
    .visit = layer_visit,
    .check = layer_check,
    .footprint = layer_footprint,
    .describe = layer_describe,
    .work = fast_work,
};

TW_PLUGIN(layer, layer);
