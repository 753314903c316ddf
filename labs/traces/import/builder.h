/* builder.h - turns starts, cancels and firings of a source into operations of a trace.
 *
 * A kind says what happened to which object at which time of the source; the builder numbers objects,
 * knows what is armed by the rule of timer-trace 1 (whenever the clock grows, first everything with
 * deadline <= the new time expires), leaves out what that rule does not allow, and counts all of it.
 *
 * An object is a timer of the source by any 64-bit name: an address, a file descriptor and a slot.  It is
 *
 *     unknown   never started here: armed before the first line, or no timer
 *     armed     as in the trace
 *     due       expired by the rule, and the source has not said yet that it fired
 *     idle      cancelled, or fired and seen to
 *
 * Names of armed objects become ids 0, 1, 2 ... as they come.  With `recycle` the id of an object that
 * is cancelled or expires goes to the next one that needs an id, the last freed first; else it stays its.
 *
 * The clock is the source's own, in ticks of the trace; the first time given becomes 0.  It never goes
 * back: an earlier time counts as the present one.  Every call is O(log armed), amortised and expected.
 *
 * Memory: 24 bytes per operation, 40 per armed timer, and about 60 per object.
 */
#ifndef TWBENCH_BUILDER_H
#define TWBENCH_BUILDER_H

#include "labs/traces/import/counts.h"

#include <stdbool.h>

/* An operation of the trace. */
struct builder_op {
    uint64_t now;
    int64_t delay; /* of a start */
    uint32_t id;
    uint32_t is_start;
};

/* What is known of an object, as above. */
enum builder_state { BUILDER_UNKNOWN, BUILDER_ARMED, BUILDER_DUE, BUILDER_IDLE };

struct builder_object {
    int64_t started, deadline; /* of its last start */
    uint64_t start;            /* index of that operation */
    uint32_t id;
    uint32_t place; /* in the heap, when it is armed */
    enum builder_state state;
    bool seen; /* it fired in the tick of its start and is armed until the clock grows */
};

/* What all of it came to.  Times in ticks. */
struct builder_counts {
    uint64_t starts_new, starts_rearm, cancels, expired;
    uint64_t max_armed;
    uint64_t ticks_with_ops, max_ops_in_tick;
    double armed_ticks; /* timers armed times ticks, for the mean */
    uint64_t drop_cancel_late, drop_cancel_unknown;
    uint64_t obs_ok, obs_early, obs_same_tick, obs_unknown;
    uint64_t clock_back; /* times earlier than the one before */
};

struct builder {
    bool recycle;
    bool has_clock;
    uint64_t base; /* the source's time at 0 */
    int64_t now;
    struct builder_op *ops;
    size_t op_count, op_room;
    struct keymap names; /* of objects */
    struct builder_object *objects;
    size_t object_room;
    uint32_t *heap; /* numbers of armed objects, the earliest deadline first; ties by id */
    uint32_t armed;
    size_t heap_room;
    uint32_t *free_ids; /* the last freed at the end */
    size_t free_count, free_room;
    uint32_t ids;
    uint64_t last_op_now, ops_in_tick;
    struct builder_counts counts;
    struct distribution lateness; /* of obs_ok */
};

/* A builder of zeros but for `recycle` is empty; builder_close frees all of it. */
void builder_close(struct builder *builder);

/* The source's clock shows `time`: expires what is due by then. */
void builder_clock(struct builder *builder, uint64_t time);
/* The source's time of the present. */
static inline uint64_t builder_time(const struct builder *builder)
{
    return builder->base + (uint64_t)builder->now;
}

/* An object that fired in the tick of its start is idle here, although the trace has it armed until the
 * clock grows. */
enum builder_state builder_state(const struct builder *builder, uint64_t name);

/* Start, or re-arm when it is armed; the deadline is the present plus `delay`, which may be <= 0. */
void builder_start(struct builder *builder, uint64_t name, int64_t delay);

/* A cancel: written when the object is armed; else dropped and counted, as late when it was due and as
 * unknown otherwise.  Answers the state before. */
enum builder_state builder_cancel(struct builder *builder, uint64_t name);

/* The source says that the timer fired.  Due: obs_ok, and how late.  Armed with a deadline that has
 * come, but with no growth of the clock since: obs_same_tick.  Armed with a later deadline: obs_early,
 * and written as a cancel at this moment.  Unknown or idle: obs_unknown.  Answers the state before. */
enum builder_state builder_fired(struct builder *builder, uint64_t name);

/* For sources whose deadlines are known only about: the timer fires at `time`, which the clock does not
 * show yet, so when it is armed with a later deadline it gets this one, in its start too.  Call it before
 * builder_clock and builder_fired.  By how many ticks it was pulled in. */
uint64_t builder_pull_in(struct builder *builder, uint64_t name, uint64_t time);

#endif
