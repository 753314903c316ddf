/*
 * sharded.c - a design for each of k shards, with a lock of its own; one driver over all of them.
 *
 *     thread 1 --start--> [ lock 0: design, entries, ready list ] <--+
 *     thread 2 --start--> [ lock 1: design, entries, ready list ] <--+-- driver: one after the other, then
 *         any  --stop---> [ the lock of the timer's shard       ] <--+   asleep until the earliest head
 *                                      |                                    ^
 *                                      +---- wake: a tick, lowered ---------+
 *
 * After tokio 1.38, which had a shard for each worker, and gave it up again.
 *
 * Who may touch what
 *   What a shard has belongs to whoever holds its lock.  Nobody holds two.  A seat starts in the shard of its
 *   number, and the driver's in the shard whose task it runs.  When that one is full the start goes to the
 *   next with room.  The name of a timer holds its shard, which is where a stop goes.
 *
 * What protects what
 *   wake    The tick for which the driver will be awake; 0 while it works: it looks at every head before it
 *           sleeps.  No lock covers all heads, so it announces the look: it sets wake to "never", then goes
 *           through the shards and notes the earliest head.  A start comes either before the driver to that
 *           shard, and the driver sees it, or after, and the lock makes it see that wake is "never" or what
 *           the driver made of it.  Then it lowers wake to its own tick by compare-and-swap, and signals.  The
 *           driver lowers it to the earliest head the same way, so the lowest of all stays.
 *   doze    The driver reads wake under this lock before it waits, and who lowered it signals under it:
 *           no signal falls in between.
 *
 * What it costs
 *   start, stop   a lock that only the driver shares, one read of a word that changes when the driver
 *                 sleeps or wakes, and the design's own start or stop
 *   a wake-up     k locks and k advances, twice: to fire, and to find nothing before it sleeps
 *   idle          no wake-up at all
 *   memory        64 bytes a timer besides the designs' own; k designs
 *
 * When it loses
 *   With many shards and few timers: every wake-up pays for all shards.  With a thread that stops what others
 *   started: it takes their locks.  A slow task delays all behind it, in every shard
 *   (TW_RUNNER_ONE_DISPATCH).  A design's max-running counts for each shard.
 */
#include "parted.h"

extern const struct tw_runner TW_RUNNER(sharded);

/* ---- Any thread. ------------------------------------------------------------------------------ */

/* In the shard of the seat, or the next that has room. */
static int sharded_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = ((struct parted_seat *)(void *)seat)->part;
    int answer = TW_RUN_FULL;
    for (uint32_t tried = 0; answer == TW_RUN_FULL && tried < service->count; tried++) {
        struct guarded *guarded = &service->parts[number].guarded;
        tw_tick wake;
        TW_RUNNER_POINT(seat, start_begun);
        pthread_mutex_lock(&guarded->lock);
        answer = guarded_start(guarded, task, timer, &wake);
        pthread_mutex_unlock(&guarded->lock);
        TW_RUNNER_POINT(seat, start_unlocked);
        doze_hurry(&service->doze, wake, seat);
        number = number + 1 < service->count ? number + 1 : 0;
    }
    return answer;
}

/* ---- The driver. ------------------------------------------------------------------------------ */

/* What the driver has seen on one way through the shards. */
struct round {
    struct pause pause; /* until the first task */
    tw_tick earliest;   /* head of those shards that it is through with */
    bool ran;
};

/* Advances the shard and runs what is due.  From its first task on, starts need not wake the driver: it
 * comes by once more. */
static void shard_process(struct tw_service *service, uint32_t number, struct round *round)
{
    struct guarded *guarded = &service->parts[number].guarded;
    struct tw_seat *seat = &service->driver_seat.seat;
    service->driver_seat.part = number;
    pthread_mutex_lock(&guarded->lock);
    guarded_advance(guarded, moment_now());
    if (guarded->ready.head != OPENING_NONE && !round->ran) {
        round->ran = true;
        atomic_store(&service->doze.wake, 0);
        pause_end(&round->pause, &service->tally);
    }
    while (!guarded->closed && guarded->ready.head != OPENING_NONE)
        guarded_run(guarded, seat, &service->tally);
    tw_tick next = guarded->design->next(guarded->timers);
    if (next < round->earliest)
        round->earliest = next;
    pthread_mutex_unlock(&guarded->lock);
}

/* Once through all shards. */
static struct round sharded_round(struct tw_service *service)
{
    struct round round = {.pause = pause_begin(), .earliest = TW_NEVER};
    atomic_store(&service->doze.wake, TW_NEVER);
    for (uint32_t i = 0; i < service->count; i++) {
        TW_RUNNER_POINT(&service->driver_seat.seat, shard_next);
        shard_process(service, i, &round);
    }
    if (!round.ran)
        pause_end(&round.pause, &service->tally);
    return round;
}

static void *sharded_drive(void *ctx)
{
    struct tw_service *service = ctx;
    uint64_t counted = 0; /* wake-ups of which it was said whether they were useful */
    bool open = true;
    moment_sharpen();
    while (open) {
        struct round round = sharded_round(service);
        if (round.ran) {
            uint64_t wakeups = tally_read(&service->tally.wakeups);
            tally_add(&service->tally.useful_wakeups, wakeups > counted);
            counted = wakeups;
            open = !atomic_load(&service->shutting);
            continue;
        }
        TW_RUNNER_POINT(&service->driver_seat.seat, round_ended);
        tick_lower(&service->doze.wake, round.earliest, &service->driver_seat.seat);
        open = doze_wait(&service->doze, &service->ticking, &service->tally);
    }
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening. ----------------------------------------------------------------------------------- */

static int sharded_open(struct tw_service **out, const struct tw_runner_config *config,
                        struct tw_error *error)
{
    uint32_t shards;
    int answer = opening_threads(config, &shards, error);
    return answer == TW_RUN_OK
               ? parted_open(out, &TW_RUNNER(sharded), config, shards, sharded_drive, error)
               : answer;
}

const struct tw_runner TW_RUNNER(sharded) = {
    PARTED_HOOKS,
    .name = "sharded",
    .summary = "a design and a lock for each shard, one driver over all of them",
    .after = "tokio 1.38: a shard for each worker",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = opening_no_params,
    .open = sharded_open,
    .start = sharded_start,
    .describe = parted_describe,
};
