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
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "guarded.h"

#include <stdalign.h>

extern const struct tw_runner TW_RUNNER(sharded);

/* Two lines: processors fetch them in pairs. */
#define APART 128u

struct shard {
    alignas(APART) struct guarded guarded;
    struct tw_timers *spacer; /* while opening */
};

struct sharded_seat {
    struct tw_seat seat;
    uint32_t shard; /* where its starts go first */
};

struct tw_service {
    alignas(APART) struct doze doze;
    alignas(APART) struct shard *shards;
    uint32_t shard_count;
    uint32_t shard_shift; /* an id is shard << shard_shift | place in it */
    struct ticking ticking;
    const struct tw_points *points;
    _Atomic uint32_t shutting;
    _Atomic uint32_t entered;
    pthread_t driver;
    struct sharded_seat driver_seat;
    struct tally tally; /* written by the driver */
};

/* ---- Any thread. ------------------------------------------------------------------------------ */

/* In the shard of the seat, or the next that has room. */
static int sharded_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = ((struct sharded_seat *)(void *)seat)->shard;
    int answer = TW_RUN_FULL;
    for (uint32_t tried = 0; answer == TW_RUN_FULL && tried < service->shard_count; tried++) {
        struct guarded *guarded = &service->shards[number].guarded;
        tw_tick wake;
        TW_RUNNER_POINT(seat, start_begun);
        pthread_mutex_lock(&guarded->lock);
        answer = guarded_start(guarded, task, timer, &wake);
        pthread_mutex_unlock(&guarded->lock);
        TW_RUNNER_POINT(seat, start_unlocked);
        doze_hurry(&service->doze, wake, seat);
        number = number + 1 < service->shard_count ? number + 1 : 0;
    }
    return answer;
}

static int sharded_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = (uint32_t)timer >> service->shard_shift;
    if (number >= service->shard_count)
        return TW_RUN_IDLE;
    return guarded_stop_by(&service->shards[number].guarded, seat, timer, false);
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
    struct guarded *guarded = &service->shards[number].guarded;
    struct tw_seat *seat = &service->driver_seat.seat;
    service->driver_seat.shard = number;
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
    for (uint32_t i = 0; i < service->shard_count; i++) {
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

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int sharded_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->shutting, 1))
        return TW_RUN_CLOSED;
    for (uint32_t i = 0; i < service->shard_count; i++) {
        TW_RUNNER_POINT(seat, shut_next);
        guarded_mark_closed(&service->shards[i].guarded);
    }
    doze_end(&service->doze, service->driver);
    for (uint32_t i = 0; i < service->shard_count; i++)
        guarded_return(&service->shards[i].guarded, returned, ctx);
    return TW_RUN_OK;
}

static void sharded_close(struct tw_service *service)
{
    for (uint32_t i = 0; service->shards && i < service->shard_count; i++)
        guarded_close(&service->shards[i].guarded);
    doze_close(&service->doze);
    free(service->shards);
    free(service);
}

/* The first that enters has shard 0, and so on; the driver's own number is 0. */
static struct tw_seat *sharded_enter(struct tw_service *service)
{
    struct sharded_seat *seat = aligned_alloc(APART, APART);
    if (!seat)
        return NULL;
    uint32_t number = atomic_fetch_add(&service->entered, 1);
    *seat = (struct sharded_seat){
        .seat = {.service = service, .points = service->points, .number = number},
        .shard = (number - 1) % service->shard_count};
    return &seat->seat;
}

/* Shares the cap out: the first shards have one place more when it does not come out even. */
static int shards_open(struct tw_service *service, const struct tw_runner_config *config,
                       struct tw_error *error)
{
    uint32_t count = service->shard_count, cap = opening_cap(config);
    uint64_t bytes = count * sizeof *service->shards;
    service->shards = aligned_alloc(APART, bytes);
    if (!service->shards)
        return opening_no_memory(error, bytes);
    memset(service->shards, 0, bytes);
    while ((uint64_t)1 << service->shard_shift < cap / count + (cap % count > 0))
        service->shard_shift++;
    int answer = TW_RUN_OK;
    for (uint32_t i = 0; i < count && answer == TW_RUN_OK; i++) {
        struct guarded *guarded = &service->shards[i].guarded;
        service->shard_count = i + 1;
        answer = guarded_open(guarded, config, service->ticking.tick_ns,
                              cap / count + (i < cap % count), error);
        guarded->entries.base = i << service->shard_shift;
        service->shards[i].spacer = opening_spacer(config, service->ticking.tick_ns);
    }
    for (uint32_t i = 0; i < service->shard_count; i++)
        if (service->shards[i].spacer)
            config->design->close(service->shards[i].spacer);
    service->ticking.open_ns = moment_now();
    for (uint32_t i = 0; i < service->shard_count; i++)
        service->shards[i].guarded.ticking = service->ticking;
    return answer;
}

static int sharded_open(struct tw_service **out, const struct tw_runner_config *config,
                        struct tw_error *error)
{
    uint32_t shards;
    int answer = opening_check(&TW_RUNNER(sharded), config, error);
    if (answer == TW_RUN_OK)
        answer = opening_threads(config, &shards, error);
    if (answer != TW_RUN_OK)
        return answer;
    struct tw_service *service = aligned_alloc(APART, sizeof *service);
    if (!service)
        return opening_no_memory(error, sizeof *service);
    memset(service, 0, sizeof *service);
    service->points = config->points;
    service->entered = 1;
    service->shard_count = shards < opening_cap(config) ? shards : opening_cap(config);
    service->ticking.tick_ns = runner_tick_ns(&TW_RUNNER(sharded), config);
    service->driver_seat.seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = doze_open(&service->doze);
    answer = shards_open(service, config, error);
    if (answer == TW_RUN_OK && !failed)
        failed = pthread_create(&service->driver, NULL, sharded_drive, service);
    if (answer == TW_RUN_OK && failed)
        answer = opening_no_thread(error, failed);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        sharded_close(service);
    return answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void sharded_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes = sizeof *service};
    doze_stats(&service->doze, service->driver, &service->tally, out);
    for (uint32_t i = 0; i < service->shard_count; i++) {
        struct guarded *guarded = &service->shards[i].guarded;
        pthread_mutex_lock(&guarded->lock);
        guarded_stats(guarded, out);
        pthread_mutex_unlock(&guarded->lock);
        out->own_bytes += sizeof *service->shards;
    }
}

static void sharded_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->ticking.tick_ns, .threads = 1, .shards = service->shard_count};
    for (uint32_t i = service->shard_count; i-- > 0;)
        guarded_describe(&service->shards[i].guarded, out);
}

static const char *sharded_check(struct tw_service *service)
{
    const char *broken = NULL;
    for (uint32_t i = 0; i < service->shard_count && !broken; i++)
        broken = guarded_check(&service->shards[i].guarded);
    return broken;
}

const struct tw_runner TW_RUNNER(sharded) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "sharded",
    .summary = "a design and a lock for each shard, one driver over all of them",
    .after = "tokio 1.38: a shard for each worker",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = opening_no_params,
    .open = sharded_open,
    .enter = sharded_enter,
    .leave = seat_leave,
    .start = sharded_start,
    .stop = sharded_stop,
    .wait = seat_wait,
    .shut = sharded_shut,
    .close = sharded_close,
    .stats = sharded_stats,
    .describe = sharded_describe,
    .check = sharded_check,
};
