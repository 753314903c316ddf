/*
 * event_loop.h - the shape of an event loop as a design: a task for each id, whose due tick it knows; a
 * clock that the loop is told; a turn of the loop for each advance.  Shared by libev, libuv, libevent,
 * glib and sd_event.
 *
 * A design includes it behind its struct tw_timers, which has among its members
 *
 *     tasks                one for each id; a task has `tw_tick due`, which is 0 while it is idle
 *     uint32_t capacity, running;
 *     tw_tick now;         in a callback, the due tick of the timer that fires
 *     tw_tick turn;        the tick that the loop's time stands for
 *     tw_expire_fn *expire;
 *     void *ctx;
 *     struct answer answer;
 *
 * and defines, in front of that, LOOP_SPAN: the longest delay, in ticks.  Where the library's clock cannot
 * follow ours to its end it also has
 *
 *     tw_tick base;  the tick at which the library's clock shows 0; may be before tick 0
 *
 * and defines LOOP_REACH: how far from its zero the library's clock goes.
 */
#ifndef TWBENCH_EVENT_LOOP_H
#define TWBENCH_EVENT_LOOP_H

#include "harness/prove/answer.h"
#include "impls/backend.h"

#include <stdlib.h>

#define LOOP_PARAM_POLL                                                                            \
    {                                                                                              \
        "poll", "1: each turn asks the kernel for events, as in use; 0: the structure alone (1)",  \
            0, 1, 1                                                                                \
    }

#ifdef TW_COUNTED
#define LOOP_COUNTS true
#else
#define LOOP_COUNTS false
#endif

/* ---- Open, close. ---------------------------------------------------------------------------- */

static inline uint64_t loop_setting(const struct tw_config *config, const char *name,
                                    uint64_t usual)
{
    const struct tw_setting *setting = params_find(config, name);
    return setting ? setting->values[0] : usual;
}

static inline bool loop_polls(const struct tw_config *config)
{
    return loop_setting(config, "poll", 1) == 1;
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
    timers->tasks = calloc(config->capacity, sizeof *timers->tasks);
    if (!timers->tasks) {
        params_no_memory(error, config->capacity * (uint64_t)sizeof *timers->tasks);
        free(timers);
        return NULL;
    }
    return timers;
}

/* What the library does from here on is work; opening it was none. */
static inline void loop_count_work(struct tw_timers *timers)
{
#ifdef TW_COUNTED
    timers->answer.work = &timers->work;
#else
    (void)timers;
#endif
}

/* The library's part is gone already. */
static inline void loop_free(struct tw_timers *timers)
{
    answer_end(&timers->answer);
    free(timers->tasks);
    free(timers);
}

/* ---- Start, expiry. -------------------------------------------------------------------------- */

/* Sets *due to when a timer started now is due.  False when there is no such tick, or it is further
 * away than the span. */
static inline bool loop_due(const struct tw_timers *timers, tw_tick deadline, tw_tick span,
                            tw_tick *due)
{
    *due = deadline > timers->now ? deadline : timers->now + 1;
    return *due <= TW_DEADLINE_MAX && *due - timers->now <= span;
}

/* The task whose due tick this is fires. */
static inline void loop_fire(struct tw_timers *timers, tw_id id, tw_tick *task_due)
{
    tw_tick due = *task_due;
    *task_due = 0;
    timers->running--;
    timers->now = due;
    timers->expire(timers->ctx, id, due);
    /* The callback may have called another instance. */
    answer_begin(&timers->answer);
}

/* ---- What can be asked. ---------------------------------------------------------------------- */

/* For a library that does not tell: O(capacity). */
static inline tw_tick loop_earliest(const struct tw_timers *timers)
{
    tw_tick next = TW_NEVER;
    for (tw_id id = 0; timers->running > 0 && id < timers->capacity; id++)
        if (timers->tasks[id].due != 0 && timers->tasks[id].due < next)
            next = timers->tasks[id].due;
    return next;
}

static inline void loop_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
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

static inline const struct tw_work *loop_work(const struct tw_timers *timers)
{
    (void)timers;
    return TW_WORK_OF(timers);
}

/* ---- A clock that cannot follow ours to its end, and so gets a new zero now and then. ---------- */

#ifdef LOOP_REACH
/* Must the loop turn to come to that tick?  Asked after expire and ctx are in place. */
static inline bool loop_wakes(const struct tw_timers *timers, tw_tick to);
/* Turns until nothing is due at that tick. */
static void loop_turn(struct tw_timers *timers, tw_tick to);
/* A new zero for the library's clock, at a time when that of the loop is `now`. */
static void loop_rebase(struct tw_timers *timers, tw_tick now);

/* The library's clock shows the tick, one being a millisecond, from the next question on. */
static inline void loop_tell_ms(struct tw_timers *timers, tw_tick now)
{
    uint64_t ticks = now - timers->base;
    timers->turn = now;
    timers->answer.now.tv_sec = (time_t)(ticks / 1000);
    timers->answer.now.tv_nsec = (long)(ticks % 1000) * 1000000;
    answer_begin(&timers->answer);
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

static void loop_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    timers->expire = expire;
    timers->ctx = ctx;
    if (to - timers->base > LOOP_REACH)
        loop_advance_far(timers, to);
    if (loop_wakes(timers, to))
        loop_turn(timers, to);
    timers->now = to;
}
#endif

#endif
