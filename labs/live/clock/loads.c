/* loads.c - what producers do: a stream at its pace, a closed loop, a burst, a storm of stops, nothing. */
#include "labs/live/clock/performance.h"

#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define FAR_NS (3600 * SECOND)
/* One call of so many is timed in a closed loop, where two looks at the clock would be half of the call. */
#define TIMED_EVERY 16u
/* Calls between two looks at the clock, and two visits to wait. */
#define ROUND 64u

static uint64_t duration_end(const struct performance *performance)
{
    return performance->origin_ns + performance->request->wishes->duration_ns;
}

static uint64_t ids_of(const struct producer *producer)
{
    uint64_t count = producer->performance->account_count;
    uint32_t threads = producer->performance->request->threads;
    return count / threads + (producer->number < count % threads);
}

/* The ids of a producer follow one another, so that two producers write to accounts in cache lines of their own. */
static uint32_t id_of(const struct producer *producer, uint64_t index)
{
    uint64_t count = producer->performance->account_count;
    uint32_t threads = producer->performance->request->threads, number = producer->number;
    uint64_t longer = number < count % threads ? number : count % threads;
    return (uint32_t)(count / threads * number + longer + index);
}

/* ---- Paced. ---------------------------------------------------------------------------------- */

/* Sleeps until the moment of the tick.  One that is behind sleeps no more, but a runner whose callers drive it gets its
 * turn. */
static void pace(struct producer *producer, uint64_t tick)
{
    const struct performance *performance = producer->performance;
    uint64_t meant = performance_moment(performance, tick);
    performance_wait(performance, producer->seat, meant);
    uint64_t now = moment_now();
    histogram_add(&producer->book->times.behind, now > meant ? (now - meant) * 1000 : 0);
}

static void paced_play(struct producer *producer)
{
    struct performance *performance = producer->performance;
    const struct score_part *part = &performance->score.parts[producer->number];
    uint64_t tick = TW_NEVER;
    for (size_t i = 0; i < part->count && !is_cut(performance); i++) {
        const struct score_operation *operation = &part->operations[i];
        if (operation->tick != tick)
            pace(producer, tick = operation->tick);
        performance_stop(producer, operation->id, true);
        if (operation->is_start)
            performance_start(producer, operation->id,
                              performance_moment(performance, operation->deadline), true);
    }
}

/* What is due on the last tick has a tick of the runner's, and a bit, to fire. */
static uint64_t paced_until(const struct performance *performance)
{
    struct tw_runner_description description;
    performance->runner->describe(performance->service, &description);
    uint64_t end = performance_moment(performance, performance->score.ticks);
    return moment_after(end, description.tick_ns + 50 * MS);
}

/* ---- Closed. --------------------------------------------------------------------------------- */

static uint64_t closed_due(struct producer *producer, uint64_t now)
{
    return now + MS + rng_below(&producer->rng, 60 * SECOND);
}

static void closed_prepare(struct producer *producer)
{
    uint64_t now = moment_now();
    for (uint64_t i = 0; i < ids_of(producer); i++)
        performance_start(producer, id_of(producer, i), closed_due(producer, now), false);
}

/* At least one round, however late the thread gets the core.  A place that comes back late is waited for. */
static void closed_play(struct producer *producer)
{
    struct performance *performance = producer->performance;
    const struct tw_runner *runner = performance->runner;
    uint64_t ids = ids_of(producer), end = duration_end(performance), now = 0;
    while (ids > 0 && now < end && !is_cut(performance)) {
        now = moment_now();
        uint64_t refused = producer->book->ledger.refused_full;
        for (uint32_t i = 0; i < ROUND; i++) {
            uint32_t id = id_of(producer, rng_below(&producer->rng, ids));
            bool timed = producer->calls++ % TIMED_EVERY == 0;
            performance_stop(producer, id, timed);
            performance_start(producer, id, closed_due(producer, now), timed);
        }
        if (producer->book->ledger.refused_full > refused && runner->purge)
            runner->purge(producer->seat);
        runner->wait(producer->seat, now);
    }
}

/* ---- Burst, storm, idle. --------------------------------------------------------------------- */

static void burst_play(struct producer *producer)
{
    uint64_t due = producer->performance->origin_ns + MS;
    for (uint64_t i = 0; i < ids_of(producer); i++)
        performance_start(producer, id_of(producer, i), due, producer->calls++ % TIMED_EVERY == 0);
}

static uint64_t at_once(const struct performance *performance)
{
    return performance->origin_ns;
}

static void far_prepare(struct producer *producer)
{
    uint64_t now = moment_now();
    for (uint64_t i = 0; i < ids_of(producer); i++)
        performance_start(producer, id_of(producer, i),
                          now + FAR_NS + rng_below(&producer->rng, FAR_NS), false);
}

/* In an order that is not that of the starts: a step prime to the count goes through all of them. */
static void storm_play(struct producer *producer)
{
    uint64_t ids = ids_of(producer), index = 0, step = 7919;
    while (ids > 0 && ids % step == 0)
        step += 2;
    for (uint64_t i = 0; i < ids; i++) {
        index = (index + step) % ids;
        performance_stop(producer, id_of(producer, index), producer->calls++ % TIMED_EVERY == 0);
    }
}

/* The driver gets a while to take note of what was stopped. */
static uint64_t storm_until(const struct performance *performance)
{
    struct tw_runner_description description;
    performance->runner->describe(performance->service, &description);
    return moment_now() + 2 * description.tick_ns + 10 * MS;
}

const struct load *load_of(enum clock_load load)
{
    static const struct load loads[CLOCK_LOADS] = {
        [CLOCK_PACED] = {NULL, paced_play, paced_until, false},
        [CLOCK_CLOSED] = {closed_prepare, closed_play, at_once, false},
        [CLOCK_BURST] = {NULL, burst_play, at_once, true},
        [CLOCK_STORM] = {far_prepare, storm_play, storm_until, false},
        [CLOCK_IDLE] = {far_prepare, NULL, duration_end, false},
    };
    return &loads[load];
}
