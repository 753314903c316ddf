/*
 * far_loop.h - advance of an event loop (event_loop.h) whose clock cannot follow ours to its end, so
 * that it gets a new zero now and then.  Shared by libev, libuv, glib and sd_event.
 *
 * A design includes it behind its struct tw_timers, which has, besides what event_loop.h wants,
 *
 *     tw_tick base;  the tick at which the library's clock shows 0; may be before tick 0
 *
 * and defines, in front of that, LOOP_SPAN: the longest delay, in ticks; and LOOP_REACH: how far from its
 * zero the library's clock goes.
 */
#ifndef TWBENCH_FAR_LOOP_H
#define TWBENCH_FAR_LOOP_H

#include "event_loop.h"

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
