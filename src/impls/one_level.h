/*
 * one_level.h - what wheels of one level share whatever a slot holds: how many slots there are, and how
 * the clock goes over them, step by step or in a jump.
 *
 * A design includes it behind its struct tw_timers, which has among its members
 *
 *     tw_tick now;         the tick being processed; during a jump that of the timer that fires
 *     tw_tick swept;       slots hold nothing due up to here: now, or the end of the jump
 *     uint32_t mask;       slots - 1
 *     uint32_t slot_heads; index of slot 0: the capacity
 *     uint32_t due_head;   index of the list of the due, behind the slots
 *     uint32_t running;
 *
 * and defines clock_step and clock_jump.
 */
#ifndef TWBENCH_ONE_LEVEL_H
#define TWBENCH_ONE_LEVEL_H

#include "design.h"
#include "slots.h"

/* Ticks between the prefetch of a slot's first timer and its turn, where a design has one: about one
 * memory latency at the few nanoseconds that a tick takes. */
#define PREFETCH_TICKS 8

/* The row of parameters that each of them has. */
#define ONE_LEVEL_SLOTS                                                                            \
    {                                                                                              \
        "slots",                                                                                   \
            "slots of the wheel, rounded up to a power of two (default: as many as timers, at "    \
            "least "                                                                               \
            "256, at most the horizon)",                                                           \
            1, SLOTS_MAX, 1                                                                        \
    }

/* The clock goes on by one tick, and what is due then fires. */
static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx);
/* The clock goes to a tick more than one revolution away, and what is due by then fires.  Every slot
 * has its turn in such a jump, so one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx);

static inline uint64_t slot_count(const struct tw_timers *timers)
{
    return (uint64_t)timers->mask + 1;
}

static inline uint32_t slot_head(const struct tw_timers *timers, tw_tick tick)
{
    return timers->slot_heads + ((uint32_t)tick & timers->mask);
}

/* Sets the clock, and the places of the slots and the list of the due behind the timers. */
static inline void one_level_lay_out(struct tw_timers *timers, const struct tw_config *config)
{
    uint32_t slots = (uint32_t)params_power_of_two(slots_asked(config));
    timers->now = timers->swept = config->now;
    timers->mask = slots - 1;
    timers->slot_heads = config->capacity;
    timers->due_head = config->capacity + slots;
}

/* Any advance but a single step. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (timers->running == 0)
        timers->now = timers->swept = to;
    else if (to - timers->now > slot_count(timers))
        clock_jump(timers, to, expire, ctx);
    else
        while (timers->now != to)
            clock_step(timers, expire, ctx);
}

static void one_level_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{.name = "slots", .count = 1, .values = {slot_count(timers)}}},
    };
}

#endif
