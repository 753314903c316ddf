/* layers.c - hands calls through to a design, hook by hook, with a cap or a drag in between. */
#include "harness/measure/run/instance.h"

#include "harness/measure/run/cycles.h"

struct tw_timers {
    struct layer_below below;
    uint32_t running, max_pending; /* of a cap, as the next two */
    tw_expire_fn *expire;          /* the caller's, during an advance */
    void *expire_ctx;
    double share; /* of a drag, as the next */
    struct drag_ledger ledger;
    const struct tw_slack *within; /* of a slack, as the next two */
    struct stream_slack slack;
    tw_tick now;
    uint64_t value, left; /* of the chain; when it last ended, 0 before the first call */
    uint32_t calls;
};

static void layer_close(struct tw_timers *timers)
{
    timers->below.design->close(timers->below.inner);
    free(timers);
}

static void layer_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->below.design->advance(timers->below.inner, to, expire, ctx);
}

static void layer_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    timers->below.design->visit(timers->below.inner, visit, ctx);
}

static void layer_describe(const struct tw_timers *timers, struct tw_description *out)
{
    timers->below.design->describe(timers->below.inner, out);
}

#define LAYER_ANSWER(type, hook, parameters, ...)                                                  \
    static type layer_##hook parameters                                                            \
    {                                                                                              \
        return timers->below.design->hook(__VA_ARGS__);                                            \
    }
LAYER_ANSWER(int, start, (struct tw_timers * timers, tw_id id, tw_tick deadline),
             timers->below.inner, id, deadline)
LAYER_ANSWER(int, stop, (struct tw_timers * timers, tw_id id), timers->below.inner, id)
LAYER_ANSWER(tw_tick, next, (const struct tw_timers *timers), timers->below.inner)
LAYER_ANSWER(const char *, check, (const struct tw_timers *timers), timers->below.inner)
LAYER_ANSWER(struct tw_footprint, footprint, (const struct tw_timers *timers), timers->below.inner)
LAYER_ANSWER(const struct tw_work *, work, (const struct tw_timers *timers), timers->below.inner)

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

static bool layer_put(struct layer *layer, const struct tw_backend *design,
                      struct tw_timers *timers)
{
    struct tw_timers *instance = calloc(1, sizeof *instance);
    if (!instance)
        return false;
    instance->below = (struct layer_below){design, timers};
    *layer = (struct layer){layer_table(design), instance};
    return true;
}

/* ---- The cap. -------------------------------------------------------------------------------- */

/* Only the design knows whether the timer runs already, so it is asked first and the start taken
 * back when it was one too many. */
static int cap_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    const struct layer_below *below = &timers->below;
    int status = below->design->start(below->inner, id, deadline);
    if (status != TW_OK)
        return status;
    if (timers->running == timers->max_pending) {
        below->design->stop(below->inner, id);
        return TW_REFUSED_FULL;
    }
    timers->running++;
    return TW_OK;
}

static int cap_stop(struct tw_timers *timers, tw_id id)
{
    int status = timers->below.design->stop(timers->below.inner, id);
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
    timers->below.design->advance(timers->below.inner, to, cap_expire, timers);
}

static const char *cap_check(const struct tw_timers *timers)
{
    if (timers->running > timers->max_pending)
        return "no more timers run than the cap allows";
    return timers->below.design->check(timers->below.inner);
}

static struct tw_footprint cap_footprint(const struct tw_timers *timers)
{
    struct tw_footprint footprint = timers->below.design->footprint(timers->below.inner);
    footprint.fixed_bytes += sizeof *timers;
    return footprint;
}

int layer_cap(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
              uint32_t max_pending)
{
    if (!layer_put(layer, design, timers))
        return TW_REFUSED_MEMORY;
    layer->timers->max_pending = max_pending;
    layer->table.start = cap_start;
    layer->table.stop = cap_stop;
    layer->table.advance = cap_advance;
    layer->table.check = cap_check;
    layer->table.footprint = cap_footprint;
    return TW_OK;
}

/* ---- The slack. ------------------------------------------------------------------------------ */

static int slack_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick delay = deadline > timers->now ? deadline - timers->now : 1;
    tw_tick slack = timers->slack.ticks + (timers->slack.shift ? delay >> timers->slack.shift : 0);
    return timers->within->start_within(timers->below.inner, id, deadline, slack);
}

static void slack_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_timers *timers = ctx;
    timers->now = now;
    timers->expire(timers->expire_ctx, id, now);
}

static void slack_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->expire = expire;
    timers->expire_ctx = ctx;
    timers->below.design->advance(timers->below.inner, to, slack_expire, timers);
    timers->now = to;
}

int layer_slack(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
                const struct tw_slack *within, struct stream_slack slack)
{
    if (!layer_put(layer, design, timers))
        return TW_REFUSED_MEMORY;
    layer->timers->within = within;
    layer->timers->slack = slack;
    layer->table.traits.late_ticks = slack.ticks;
    layer->table.traits.late_shift = slack.shift;
    layer->table.start = slack_start;
    layer->table.advance = slack_advance;
    return TW_OK;
}

/* ---- The drag. ------------------------------------------------------------------------------- */

#define LINKS 8 /* between two looks at the clock */

/* What is owed is the share of the time that has passed, less what was spent; what was spent too much is taken off the
 * next.  Each link needs the one before it, and the clock's fences keep the chain from running beside the design's work. */
static void drag_pull(struct tw_timers *timers)
{
    struct drag_ledger *ledger = &timers->ledger;
    uint64_t begin = cycles_begin(), now = begin;
    double passed = timers->left > 0 ? (double)(begin - timers->left) : 0;
    /* What the thread was away for is no work. */
    if (ledger->passed > 0 && passed > DRAG_LONGEST * ledger->passed / (double)ledger->pulls)
        passed = 0;
    ledger->passed += passed;
    ledger->pulls += timers->left > 0;
    while (ledger->passed * timers->share > ledger->spent + (double)(now - begin)) {
        for (int i = 0; i < LINKS; i++)
            timers->value = timers->value * UINT64_C(6364136223846793005) + 1442695040888963407u;
        now = cycles_begin();
    }
    ledger->spent += (double)(now - begin);
    timers->left = now;
}

static void drag_count(struct tw_timers *timers, uint32_t calls)
{
    timers->calls += calls;
    if (timers->calls < DRAG_CALLS && timers->left > 0)
        return;
    timers->calls = 0;
    drag_pull(timers);
}

static int drag_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    drag_count(timers, 1);
    return timers->below.design->start(timers->below.inner, id, deadline);
}

static int drag_stop(struct tw_timers *timers, tw_id id)
{
    drag_count(timers, 1);
    return timers->below.design->stop(timers->below.inner, id);
}

static void drag_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->below.design->advance(timers->below.inner, to, expire, ctx);
    drag_count(timers, DRAG_ADVANCE);
}

int layer_drag(struct layer *layer, const struct tw_backend *design, struct tw_timers *timers,
               double share)
{
    if (!layer_put(layer, design, timers))
        return TW_REFUSED_MEMORY;
    layer->timers->share = share;
    layer->table.start = drag_start;
    layer->table.stop = drag_stop;
    layer->table.advance = drag_advance;
    return TW_OK;
}

struct drag_ledger layer_drag_ledger(const struct layer *layer)
{
    return layer->timers->ledger;
}
