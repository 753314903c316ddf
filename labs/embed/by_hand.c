/*
 * by_hand.c - the least that a caller of a bare design writes for timers in its objects: a callback, an id, who has it.
 *
 * `run --layer` measures it beside twt.h.  It does not grow, equal deadlines come in any order, and a callback runs inside the
 * design's advance, where it may not ask for the next deadline.
 */
#include "labs/embed/taking.h"

#include "harness/measure/run/instance.h"

struct hand_timer {
    void (*run)(struct hand_timer *timer, void *argument, tw_tick now);
    void *argument;
    uint32_t id; /* and one; 0: idle */
};

struct tw_timers {
    struct layer_below below;
    uint32_t free_count, capacity;
    uint32_t *free;             /* ids, the next one last */
    struct hand_timer **owners; /* by id */
    tw_expire_fn *expire;
    void *ctx;
    struct hand_timer handles[]; /* then owners, then free */
};

#define BYTES (sizeof(struct hand_timer) + sizeof(struct hand_timer *) + sizeof(uint32_t))

static void hand_fire(struct hand_timer *timer, void *argument, tw_tick now)
{
    struct tw_timers *timers = argument;
    timers->expire(timers->ctx, (tw_id)(timer - timers->handles), now);
}

int hand_open(const struct tw_backend *design, struct tw_timers **out,
              const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(design->params, config, error);
    uint64_t bytes = sizeof **out + config->capacity * BYTES;
    struct tw_timers *timers = status == TW_OK ? malloc(bytes) : NULL;
    if (!timers)
        return status == TW_OK ? params_no_memory(error, bytes) : status;
    timers->below.design = design;
    timers->capacity = timers->free_count = config->capacity;
    timers->owners = (struct hand_timer **)(timers->handles + config->capacity);
    timers->free = (uint32_t *)(timers->owners + config->capacity);
    for (uint32_t i = 0; i < config->capacity; i++) {
        timers->free[i] = config->capacity - 1 - i;
        timers->handles[i] = (struct hand_timer){hand_fire, timers, 0};
    }
    status = design->open(&timers->below.inner, config, error);
    if (status == TW_OK)
        *out = timers;
    else
        free(timers);
    return status;
}

static int hand_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    struct hand_timer *timer = &timers->handles[id];
    if (timer->id == 0) {
        timer->id = timers->free[--timers->free_count] + 1;
        timers->owners[timer->id - 1] = timer;
    }
    return timers->below.design->start(timers->below.inner, timer->id - 1, deadline);
}

static uint32_t hand_end(struct tw_timers *timers, struct hand_timer *timer)
{
    uint32_t id = timer->id - 1;
    timer->id = 0;
    timers->free[timers->free_count++] = id;
    return id;
}

static int hand_stop(struct tw_timers *timers, tw_id id)
{
    struct hand_timer *timer = &timers->handles[id];
    if (timer->id == 0)
        return TW_IDLE;
    return timers->below.design->stop(timers->below.inner, hand_end(timers, timer));
}

static void hand_due(void *ctx, tw_id id, tw_tick now)
{
    struct tw_timers *timers = ctx;
    struct hand_timer *timer = timers->owners[id];
    hand_end(timers, timer);
    timer->run(timer, timer->argument, now);
}

static void hand_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->expire = expire;
    timers->ctx = ctx;
    timers->below.design->advance(timers->below.inner, to, hand_due, timers);
}

struct showing {
    const struct tw_timers *timers;
    tw_visit_fn *visit;
    void *ctx;
};

static void hand_show(void *ctx, const struct tw_view *below)
{
    const struct showing *showing = ctx;
    struct tw_view view = *below;
    view.id = (tw_id)(showing->timers->owners[below->id] - showing->timers->handles);
    showing->visit(showing->ctx, &view);
}

static void hand_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    struct showing showing = {timers, visit, ctx};
    timers->below.design->visit(timers->below.inner, hand_show, &showing);
}

static struct tw_footprint hand_footprint(const struct tw_timers *timers)
{
    struct tw_footprint all = timers->below.design->footprint(timers->below.inner);
    all.fixed_bytes += sizeof *timers;
    all.capacity_bytes += timers->capacity * BYTES;
    return all;
}

struct tw_backend hand_table(const struct tw_backend *design)
{
    struct tw_backend table = layer_table(design);
    table.start = hand_start;
    table.stop = hand_stop;
    table.advance = hand_advance;
    table.visit = hand_visit;
    table.footprint = hand_footprint;
    return table;
}
