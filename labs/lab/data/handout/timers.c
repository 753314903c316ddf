/*
 * timers.c - your timers.  Fill in the five functions marked FILL IN; TASK.md says in which order.
 *
 * backend.h is the contract: what each function answers, and when a timer fires.  Keep all that you need in
 * `struct tw_timers`; a variable outside of it is found.  TW_COUNT says what your code does: one comparison, one
 * visit of a node, one link written.  It vanishes where time is taken, so its arguments must have no side effects.
 */
#include "backend.h"

#include <stdlib.h>

static const struct tw_param timers_params[] = {{NULL, NULL, 0, 0, 0}};

struct tw_timers {
    tw_tick now;       /* the tick that was processed last */
    uint32_t capacity; /* ids are 0 .. capacity - 1 */
    tw_tick *dues;     /* by id: when it fires; TW_NEVER: it is idle */
    TW_WORK_FIELD      /* the counters of TW_COUNT */
};

static int timers_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = params_check(timers_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = calloc(1, sizeof *timers);
    tw_tick *dues = malloc(config->capacity * sizeof *dues);
    if (!timers || !dues) {
        free(timers);
        free(dues);
        return params_no_memory(error, config->capacity * sizeof *dues);
    }
    timers->now = config->now;
    timers->capacity = config->capacity;
    timers->dues = dues;
    for (tw_id id = 0; id < config->capacity; id++)
        dues[id] = TW_NEVER;
    *out = timers;
    return TW_OK;
}

static void timers_close(struct tw_timers *timers)
{
    free(timers->dues);
    free(timers);
}

/* FILL IN 1: the timer is due at max(deadline, now + 1).  TW_OK: it was idle; TW_REARMED: it ran and has the new
 * deadline now; TW_REFUSED_RANGE: now is TW_DEADLINE_MAX, so there is no next tick. */
static int timers_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    (void)timers, (void)id, (void)deadline;
    return TW_OK;
}

/* FILL IN 2: TW_OK: it ran and is idle now; TW_IDLE: it was idle. */
static int timers_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_IDLE;
}

/* FILL IN 3: fires all that is due up to `to`: it becomes idle, `now` becomes its due tick, and then expire(ctx, id, now).
 * The callback may start and stop any timer.  At the end `now` is `to`.  An advance to `now` or before does nothing. */
static void timers_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    (void)timers, (void)to, (void)expire, (void)ctx;
}

/* FILL IN 4: when the next timer is due; TW_NEVER: none runs. */
static tw_tick timers_next(const struct tw_timers *timers)
{
    (void)timers;
    return TW_NEVER;
}

/* FILL IN 5: calls visit once for each timer that runs; twbench draws what you tell it.  `slot` is where it lies: the place
 * in the list, the index in the heap, the slot of the wheel. */
static void timers_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->dues[id] != TW_NEVER)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->dues[id], .slot = id});
}

/* Tests what must always be true of your structure; the grader calls it after each operation.  Add to it: it finds a
 * mistake where it happens. */
static const char *timers_check(const struct tw_timers *timers)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->dues[id] <= timers->now)
            return "a running timer is due in the past";
    return NULL;
}

/* The bytes that you hold.  They are compared with what was allocated. */
static struct tw_footprint timers_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){.fixed_bytes = sizeof *timers,
                                 .capacity_bytes = timers->capacity * sizeof *timers->dues};
}

static void timers_describe(const struct tw_timers *timers, struct tw_description *out)
{
    (void)timers;
    *out = (struct tw_description){.span = TW_DEADLINE_MAX};
}

static const struct tw_work *timers_work(const struct tw_timers *timers)
{
    (void)timers;
    return TW_WORK_OF(timers);
}

/* What you promise; each promise is tested.  TW_ORDERED: a long advance fires in the order of due.  TW_TICKLESS: it
 * does no work for empty ticks.  TW_NEXT_EXACT: next answers the earliest due, and not only a tick before it. */
const struct tw_backend TW_BACKEND(timers) = {
    .abi_version = TW_ABI_VERSION,
    .name = "timers",
    .summary = "my timers",
    .traits = {.flags = TW_NEXT_EXACT,
               .start = {TW_O_N, TW_O_N},
               .stop = {TW_O_N, TW_O_N},
               .expire = {TW_O_N, TW_O_N},
               .tick = {TW_O_N, TW_O_N}},
    .params = timers_params,
    .open = timers_open,
    .close = timers_close,
    .start = timers_start,
    .stop = timers_stop,
    .advance = timers_advance,
    .next = timers_next,
    .visit = timers_visit,
    .check = timers_check,
    .footprint = timers_footprint,
    .describe = timers_describe,
    .work = timers_work,
};
