/*
 * skeleton.c - the smallest design that keeps the contract; copy it and put yours in its place.
 *
 *     dues    id:    0      1      2      3        the due tick of each timer, TW_NEVER when idle
 *                 +------+------+------+------+
 *                 |  12  | idle |  12  |  40  |    next() looks at all of them
 *                 +------+------+------+------+
 *
 *              average and worst
 *     start    O(1)
 *     stop     O(1)
 *     advance  O(capacity) for each tick at which timers fire, or would without a stop; otherwise O(1)
 *     next     O(capacity)
 *     memory   8 bytes per id; nothing is allocated after open
 *
 * Invariants, tested by check in this order:
 *  1. Every running timer is due later than now, and not before `first`.
 *  2. `running` is the number of running timers.
 *
 * It follows nobody's paper.  It loses everywhere but in the length of its source, and is here to
 * be read: docs/PLUGINS.md walks through it, and a test keeps it true.
 */
#include "backend.h"

#include <stdlib.h>

/* Settings with the reason for each limit; they become flags of the command line by themselves.
 * This one bounds how many timers may run at once: open refuses 0, start refuses one too many. */
static const struct tw_param skeleton_params[] = {
    {"max-running", "most timers running at one time (default: the capacity)", 1, TW_CAPACITY_MAX,
     1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    tw_tick now;
    tw_tick first; /* no timer is due before it */
    tw_tick *dues;
    uint32_t capacity;
    uint32_t running;
    uint32_t running_max;
    TW_WORK_FIELD /* the counters, in the counted object only */
};

/* The running timer that is due first, or the capacity when none runs. */
static tw_id earliest_find(const struct tw_timers *timers)
{
    tw_id earliest = timers->capacity;
    tw_tick due = TW_NEVER;
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->dues[id] < due) {
            due = timers->dues[id];
            earliest = id;
        }
    return earliest;
}

static int skeleton_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    int status = params_check(skeleton_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    tw_tick *dues = malloc(config->capacity * sizeof *dues);
    if (!timers || !dues) {
        free(timers);
        free(dues);
        return params_no_memory(error, config->capacity * sizeof *dues);
    }
    const struct tw_setting *running_max = params_find(config, "max-running");
    timers->now = config->now;
    timers->first = TW_NEVER;
    timers->dues = dues;
    timers->capacity = config->capacity;
    timers->running_max = running_max ? (uint32_t)running_max->values[0] : config->capacity;
    for (tw_id id = 0; id < config->capacity; id++)
        dues[id] = TW_NEVER;
    *out = timers;
    return TW_OK;
}

static void skeleton_close(struct tw_timers *timers)
{
    free(timers->dues);
    free(timers);
}

/* A start into the past is due on the next tick; a running timer is re-armed in place. */
static int skeleton_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE; /* there is no next tick */
    bool was_running = timers->dues[id] != TW_NEVER;
    if (!was_running && timers->running == timers->running_max)
        return TW_REFUSED_FULL;
    TW_COUNT(timers, comparisons, 2);
    timers->dues[id] = deadline > timers->now ? deadline : timers->now + 1;
    if (timers->dues[id] < timers->first)
        timers->first = timers->dues[id];
    timers->running += !was_running;
    return was_running ? TW_REARMED : TW_OK;
}

static int skeleton_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->dues[id] == TW_NEVER)
        return TW_IDLE;
    timers->dues[id] = TW_NEVER;
    timers->running--;
    return TW_OK;
}

/* One search fires the timers that are due first and finds which come next.  Callbacks may start and stop any timer: what
 * they start is due later than now, and start lowers `first` itself. */
static void skeleton_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->first <= to) {
        timers->now = timers->first;
        timers->first = TW_NEVER;
        TW_COUNT(timers, visits, timers->capacity);
        TW_COUNT(timers, comparisons, 2 * timers->capacity);
        for (tw_id id = 0; id < timers->capacity; id++) {
            if (timers->dues[id] == timers->now) {
                skeleton_stop(timers, id);
                expire(ctx, id, timers->now);
            } else if (timers->dues[id] < timers->first) {
                timers->first = timers->dues[id];
            }
        }
    }
    if (to > timers->now)
        timers->now = to;
}

static tw_tick skeleton_next(const struct tw_timers *timers)
{
    return timers->running > 0 ? timers->dues[earliest_find(timers)] : TW_NEVER;
}

static void skeleton_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->dues[id] != TW_NEVER)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->dues[id], .slot = id});
}

static const char *skeleton_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        if (timers->dues[id] <= timers->now)
            return "a running timer is due in the past";
        if (timers->dues[id] < timers->first)
            return "a timer is due before the first";
        running += timers->dues[id] != TW_NEVER;
    }
    return running == timers->running ? NULL : "the number of running timers is wrong";
}

static struct tw_footprint skeleton_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){.fixed_bytes = sizeof *timers,
                                 .capacity_bytes = timers->capacity * sizeof *timers->dues};
}

static void skeleton_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{.name = "max-running", .count = 1, .values = {timers->running_max}}},
    };
}

static const struct tw_work *skeleton_work(const struct tw_timers *timers)
{
    (void)timers; /* the timed object has no counters to show */
    return TW_WORK_OF(timers);
}

const struct tw_backend TW_BACKEND(skeleton) = {
    .abi_version = TW_ABI_VERSION,
    .name = "skeleton",
    .summary = "an array of due ticks, searched",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_N, TW_O_N},
               .tick = {TW_O_N, TW_O_N}},
    .params = skeleton_params,
    .open = skeleton_open,
    .close = skeleton_close,
    .start = skeleton_start,
    .stop = skeleton_stop,
    .advance = skeleton_advance,
    .next = skeleton_next,
    .visit = skeleton_visit,
    .check = skeleton_check,
    .footprint = skeleton_footprint,
    .describe = skeleton_describe,
    .work = skeleton_work,
};
