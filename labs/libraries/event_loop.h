/*
 * event_loop.h - an event loop as a design: a task for each id, whose due tick it knows; a clock that the loop is told; a
 * turn of the loop for each advance.  Shared by libev, libuv, libevent, glib and sd_event.
 *
 * In front of it a design defines
 *
 *     struct loop_task    what it keeps for an id, with `tw_tick due`, which is 0 while it is idle
 *     LOOP_LIBRARY        members of struct tw_timers of its own
 *     LOOP_SPAN           the longest delay, in ticks
 *     LOOP_REACH          how far from its zero the library's clock goes, where it cannot follow ours to its end
 *     LOOP_ZERO           with LOOP_REACH: what the library's clock shows at the base, in ticks
 *     LOOP_PARAMS, LOOP_TICKS_PER_S, LOOP_NS_PER_TICK, LOOP_ZERO_S, LOOP_UPDATE    where what is below does not fit
 *
 * and behind it the functions under "What the design defines", and its table with LOOP_HOOKS.
 */
#ifndef TWBENCH_EVENT_LOOP_H
#define TWBENCH_EVENT_LOOP_H

#include "harness/prove/answer.h"
#include "impls/design.h"

#ifndef LOOP_PARAMS /* settings beside `poll`, each with a comma behind it */
#define LOOP_PARAMS
#endif
#ifndef LOOP_TICKS_PER_S
#define LOOP_TICKS_PER_S 1000u
#define LOOP_NS_PER_TICK 1000000L
#endif
#ifndef LOOP_ZERO_S /* seconds that the library's clock shows more than that */
#define LOOP_ZERO_S 0
#endif
#ifndef LOOP_UPDATE /* has the library ask for the time again */
#define LOOP_UPDATE(timers) ((void)0)
#endif

#ifdef TW_COUNTED
#define LOOP_COUNTS true
#else
#define LOOP_COUNTS false
#endif

static const struct tw_param loop_params[] = {
    {"poll", "1: each turn asks the kernel for events, as in use; 0: the structure alone (1)", 0, 1,
     1},
    LOOP_PARAMS{NULL, NULL, 0, 0, 0}};

struct tw_timers {
    LOOP_LIBRARY
    struct loop_task *tasks;
    uint32_t capacity;
    uint32_t running;
    tw_tick now;    /* in a callback, the due tick of the timer that fires */
    tw_tick turn;   /* the tick that the loop's time stands for */
    tw_tick base;   /* the tick at which the library's clock shows 0; may be before tick 0 */
    tw_tick wake;   /* the library is not due before: it said so, and nothing earlier was started */
    bool is_behind; /* a callback started something for a tick that the turn is past */
    tw_expire_fn *expire;
    void *ctx;
    struct answer answer;
    TW_WORK_FIELD
};

/* ---- What the design defines. ---------------------------------------------------------------- */

/* Has the library ask us; or says what does not fit. */
static int loop_answer(const struct tw_config *config, struct tw_error *error);
/* With the clock told and all tasks idle.  TW_OK, or what was missing with *error filled, and nothing to close. */
static int loop_open_library(struct tw_timers *timers, const struct tw_config *config,
                             struct tw_error *error);
static void loop_close_library(struct tw_timers *timers);
/* Arms the task for that tick, once more where it was running; false without memory.  Its `due` is set afterwards. */
static bool loop_arm(struct tw_timers *timers, tw_id id, tw_tick due, bool was_running);
static void loop_disarm(struct tw_timers *timers, tw_id id);
/* Must the loop turn to come to that tick?  Asked after expire and ctx are in place. */
static bool loop_wakes(const struct tw_timers *timers, tw_tick to);
/* Turns until nothing is due at that tick. */
static void loop_turn(struct tw_timers *timers, tw_tick to);
/* What the library has otherwise than the task, or NULL. */
static const char *loop_check_task(const struct tw_timers *timers, const struct loop_task *task);

/* ---- Open, close. ---------------------------------------------------------------------------- */

static inline bool loop_polls(const struct tw_config *config)
{
    return setting_of(config, "poll", 1) == 1;
}

/* The kinds of questions to answer; see answer_library. */
static inline unsigned loop_kinds(const struct tw_config *config)
{
    return answer_kinds_for(loop_polls(config), LOOP_COUNTS);
}

/* An instance with its clock, its tasks, all idle, and who answers; NULL without memory. */
static inline struct tw_timers *loop_new(const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers = calloc(1, sizeof *timers);
    if (!timers) {
        params_no_memory(error, sizeof *timers);
        return NULL;
    }
    timers->capacity = config->capacity;
    timers->now = config->now;
    timers->answer.is_alone = !loop_polls(config);
#ifdef LOOP_REACH
    timers->base = config->now - LOOP_ZERO;
#endif
    timers->tasks = calloc(config->capacity, sizeof *timers->tasks);
    if (!timers->tasks) {
        params_no_memory(error, config->capacity * (uint64_t)sizeof *timers->tasks);
        free(timers);
        return NULL;
    }
    return timers;
}

/* The library's part is gone already. */
static inline void loop_free(struct tw_timers *timers)
{
    answer_end(&timers->answer);
    free(timers->tasks);
    free(timers);
}

/* The library's clock shows the tick from the next question on. */
static inline void loop_tell(struct tw_timers *timers, tw_tick now)
{
    uint64_t ticks = now - timers->base;
    timers->turn = now;
    timers->answer.now.tv_sec = (time_t)(ticks / LOOP_TICKS_PER_S) + LOOP_ZERO_S;
    timers->answer.now.tv_nsec = (long)(ticks % LOOP_TICKS_PER_S) * LOOP_NS_PER_TICK;
    answer_begin(&timers->answer);
}

static int loop_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(loop_params, config, error);
    if (status == TW_OK)
        status = loop_answer(config, error);
    if (status != TW_OK)
        return status;
    struct tw_timers *timers = loop_new(config, error);
    if (!timers)
        return TW_REFUSED_MEMORY;
    loop_tell(timers, config->now);
    status = loop_open_library(timers, config, error);
    if (status != TW_OK) {
        loop_free(timers);
        return status;
    }
#ifdef TW_COUNTED
    timers->answer.work =
        &timers->work; /* what the library does from here on; opening it was none */
#endif
    *out = timers;
    return TW_OK;
}

static void loop_close(struct tw_timers *timers)
{
    answer_begin(&timers->answer);
    loop_close_library(timers);
    loop_free(timers);
}

/* ---- Start, stop, expiry. -------------------------------------------------------------------- */

static int loop_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    struct loop_task *task = &timers->tasks[id];
    bool was_running = task->due != 0;
    if (due > TW_DEADLINE_MAX || due - timers->now > LOOP_SPAN)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    if (!loop_arm(timers, id, due, was_running))
        return TW_REFUSED_MEMORY;
    task->due = due;
    timers->running += !was_running;
    return was_running ? TW_REARMED : TW_OK;
}

static int loop_stop(struct tw_timers *timers, tw_id id)
{
    struct loop_task *task = &timers->tasks[id];
    if (task->due == 0)
        return TW_IDLE;
    task->due = 0;
    timers->running--;
    loop_disarm(timers, id);
    return TW_OK;
}

/* The task fires. */
static inline void loop_fire(struct tw_timers *timers, struct loop_task *task)
{
    tw_tick due = task->due;
    task->due = 0;
    timers->running--;
    timers->now = due;
    timers->expire(timers->ctx, (tw_id)(task - timers->tasks), due);
    /* The callback may have called another instance. */
    answer_begin(&timers->answer);
}

/* ---- Advance. -------------------------------------------------------------------------------- */

#ifdef LOOP_REACH
/* A new zero for the library's clock, at a time when that of the loop is `now`.  What runs is taken out and put in again,
 * for the times of the old zero mean nothing any more. */
static void loop_rebase(struct tw_timers *timers, tw_tick now)
{
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            loop_disarm(timers, id);
    timers->base = now - LOOP_ZERO;
    loop_tell(timers, now);
    LOOP_UPDATE(timers);
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            loop_arm(timers, id, timers->tasks[id].due, false);
}

/* Where the library's clock cannot follow in one step, everything that runs is fired on the way. */
static void loop_advance_far(struct tw_timers *timers, tw_tick to)
{
    while (to - timers->turn > LOOP_SPAN && timers->running > 0) {
        loop_rebase(timers, timers->turn);
        loop_turn(timers, timers->turn + LOOP_SPAN);
    }
    loop_rebase(timers, to - timers->turn > LOOP_SPAN ? to : timers->turn);
}
#endif

static void loop_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    timers->expire = expire;
    timers->ctx = ctx;
#ifdef LOOP_REACH
    if (to - timers->turn > LOOP_SPAN || to - timers->base > LOOP_REACH)
        loop_advance_far(timers, to);
#endif
    if (loop_wakes(timers, to))
        loop_turn(timers, to);
    timers->now = to;
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

/* What the library said in the last turn. */
static inline tw_tick loop_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    return timers->wake > timers->now ? timers->wake : timers->now + 1;
}

/* For a library that does not tell: O(capacity). */
static inline tw_tick loop_earliest(const struct tw_timers *timers)
{
    tw_tick next = TW_NEVER;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0 && timers->tasks[id].due < next)
            next = timers->tasks[id].due;
    return next;
}

static void loop_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (tw_id id = 0; id < timers->capacity; id++)
        if (timers->tasks[id].due != 0)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->tasks[id].due});
}

static inline struct tw_footprint loop_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers,
        .capacity_bytes = (uint64_t)timers->capacity * sizeof *timers->tasks,
    };
}

/* Of a design whose only setting is `poll`. */
static inline void loop_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){.span = LOOP_SPAN, .setting_count = 1};
    out->settings[0] = (struct tw_setting){"poll", 1, {!timers->answer.is_alone}};
}

static const char *loop_check(const struct tw_timers *timers)
{
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++) {
        const char *broken = loop_check_task(timers, &timers->tasks[id]);
        if (broken)
            return broken;
        running += timers->tasks[id].due != 0;
    }
    return running == timers->running ? NULL : "not as many timers run as are counted";
}

TW_TELL_WORK(loop);

/* Of the table; next, footprint and describe are the design's to choose. */
#define LOOP_HOOKS                                                                                 \
    .params = loop_params, .open = loop_open, .close = loop_close, .start = loop_start,            \
    .stop = loop_stop, .advance = loop_advance, .visit = loop_visit, .check = loop_check,          \
    .work = loop_work

#endif
