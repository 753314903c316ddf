/*
 * locked.c - one mutex around a design, and one thread that advances it and runs the tasks.
 *
 *     any thread --start, stop--> [ mutex: design, entries, ready list ] <--advance-- driver
 *                                        |                                             ^
 *                                        +----- condition: an earlier head ------------+
 *
 * Who may touch what
 *   Everything behind the mutex belongs to whoever holds it; there are no atomics but the counters.  The
 *   driver holds it while it advances and while it takes a task off the ready list, and lets go of it to run
 *   the task and to wait.  A task may therefore start and stop whatever it likes.
 *
 * What protects what
 *   A start whose tick is before the one that the driver waits for signals it (struct sleeper).  As long as
 *   the driver does not wait nobody does, because it looks at next() once more before it waits.
 *   A timer that has come out of the design lies on the ready list until its task begins, and stop
 *   takes it from there: it is too late only when the task runs.
 *
 * What it costs
 *   start, stop   a lock, an unlock, and the design's own start or stop
 *   a task        a lock and an unlock, so that callers wait for no more than one advance
 *   idle          no wake-up at all
 *   memory        64 bytes a timer besides the design's own
 *
 * When it loses
 *   With several callers at once: each waits for each other, and for an advance, which may cascade.
 *   A slow task delays all behind it (TW_RUNNER_ONE_DISPATCH).
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "guarded.h"

extern const struct tw_runner TW_RUNNER(locked);

struct tw_service {
    struct guarded guarded;
    struct sleeper sleeper; /* the driver */
    pthread_t driver;
    struct tw_seat driver_seat;
    _Atomic uint32_t entered;
    const struct tw_points *points;
    struct tally tally; /* written by the driver */
};

static const struct tw_param locked_params[] = {{NULL, NULL, 0, 0, 0}};

static int locked_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    tw_tick wake;
    TW_RUNNER_POINT(seat, start_begun);
    pthread_mutex_lock(&service->guarded.lock);
    int answer = guarded_start(&service->guarded, task, timer, &wake);
    sleeper_hurry(&service->sleeper, wake);
    pthread_mutex_unlock(&service->guarded.lock);
    TW_RUNNER_POINT(seat, start_unlocked);
    return answer;
}

static int locked_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    TW_RUNNER_POINT(seat, stop_begun);
    pthread_mutex_lock(&service->guarded.lock);
    int answer = guarded_stop(&service->guarded, timer, false);
    pthread_mutex_unlock(&service->guarded.lock);
    return answer;
}

static void *locked_drive(void *ctx)
{
    struct tw_service *service = ctx;
    struct guarded *guarded = &service->guarded;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&guarded->lock);
    while (!guarded->closed) {
        uint64_t begun = moment_now();
        guarded_advance(guarded, begun);
        tally_most(&service->tally.longest_pause_ns, moment_now() - begun);
        if (guarded->ready.head == OPENING_NONE) {
            sleeper_wait(&service->sleeper, guarded);
            tally_add(&service->tally.wakeups, 1);
            woken = true;
            continue;
        }
        tally_add(&service->tally.useful_wakeups, woken);
        woken = false;
        while (!guarded->closed && guarded->ready.head != OPENING_NONE)
            guarded_run(guarded, &service->driver_seat, &service->tally);
    }
    pthread_mutex_unlock(&guarded->lock);
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

static int locked_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (guarded_mark_closed(&service->guarded))
        return TW_RUN_CLOSED;
    pthread_cond_signal(&service->sleeper.wake);
    TW_RUNNER_POINT(seat, shut_marked);
    pthread_join(service->driver, NULL);
    guarded_return(&service->guarded, returned, ctx);
    return TW_RUN_OK;
}

static void locked_close(struct tw_service *service)
{
    guarded_close(&service->guarded);
    sleeper_close(&service->sleeper);
    free(service);
}

static struct tw_seat *locked_enter(struct tw_service *service)
{
    return seat_enter(service, service->points, &service->entered);
}

static int locked_open(struct tw_service **out, const struct tw_runner_config *config,
                       struct tw_error *error)
{
    int answer = opening_check(&TW_RUNNER(locked), config, error);
    if (answer != TW_RUN_OK)
        return answer;
    struct tw_service *service = calloc(1, sizeof *service);
    if (!service)
        return opening_no_memory(error, sizeof *service);
    service->points = config->points;
    service->entered = 1;
    service->driver_seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = sleeper_open(&service->sleeper);
    answer = guarded_open(&service->guarded, config, runner_tick_ns(&TW_RUNNER(locked), config),
                          opening_cap(config), error);
    service->guarded.ticking.open_ns = moment_now();
    if (answer == TW_RUN_OK && !failed)
        failed = pthread_create(&service->driver, NULL, locked_drive, service);
    if (answer == TW_RUN_OK && failed)
        answer = opening_no_thread(error, failed);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        locked_close(service);
    return answer;
}

static void locked_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes = sizeof *service};
    tally_sum(out, &service->tally);
    pthread_mutex_lock(&service->guarded.lock);
    if (!service->guarded.closed)
        out->cpu_ns = tally_cpu_of(service->driver);
    guarded_stats(&service->guarded, out);
    pthread_mutex_unlock(&service->guarded.lock);
}

static void locked_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->guarded.ticking.tick_ns, .threads = 1, .shards = 1};
    guarded_describe(&service->guarded, out);
}

static const char *locked_check(struct tw_service *service)
{
    return guarded_check(&service->guarded);
}

const struct tw_runner TW_RUNNER(locked) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "locked",
    .summary = "one mutex around the design, one driver thread",
    .after = "tokio's timer lock, libuv or libevent in a mutex, most in-house timers",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = locked_params,
    .open = locked_open,
    .enter = locked_enter,
    .leave = seat_leave,
    .start = locked_start,
    .stop = locked_stop,
    .wait = seat_wait,
    .shut = locked_shut,
    .close = locked_close,
    .stats = locked_stats,
    .describe = locked_describe,
    .check = locked_check,
};
