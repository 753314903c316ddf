/*
 * single.h - a service with one design under one lock, which one thread drives: what such runners share.
 *
 * It opens, shuts, closes and counts.  What the thread does, and what start and stop do besides the design's own,
 * is the runner's.  A runner with more members puts struct tw_service first in a struct of its own.
 */
#ifndef TWBENCH_SINGLE_H
#define TWBENCH_SINGLE_H

#include "guarded.h"

struct tw_service {
    struct guarded guarded;
    struct sleeper sleeper; /* the driver */
    pthread_t driver;
    struct tw_seat driver_seat;
    _Atomic uint32_t entered;
    const struct tw_points *points;
    struct tally tally; /* written by the driver */
};

static inline void single_free(struct tw_service *service)
{
    guarded_close(&service->guarded);
    pthread_cond_destroy(&service->sleeper.wake);
    free(service);
}

/* The whole of an open: a service of `size` bytes, zero beyond these members; its threads have the seats 0 .. threads-1.
 * `begin` sets the runner's own members and begins the threads: TW_RUN_OK, or the answer for open with no thread left. */
static inline int single_open(struct tw_service **out, size_t size, const struct tw_runner *runner,
                              const struct tw_runner_config *config, uint32_t threads,
                              int (*begin)(struct tw_service *, const struct tw_runner_config *,
                                           struct tw_error *),
                              struct tw_error *error)
{
    int answer = opening_check(runner, config, error);
    if (answer != TW_RUN_OK)
        return answer;
    struct tw_service *service = calloc(1, size);
    if (!service)
        return opening_no_memory(error, size);
    service->points = config->points;
    service->entered = threads;
    service->driver_seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = moment_condition_open(&service->sleeper.wake);
    answer = guarded_open(&service->guarded, config, runner_tick_ns(runner, config),
                          opening_cap(config), error);
    if (answer == TW_RUN_OK && failed)
        answer = opening_thread(error, failed);
    service->guarded.ticking.open_ns = moment_now();
    if (answer != TW_RUN_OK) {
        single_free(service);
        return answer;
    }
    answer = begin(service, config, error);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        runner->close(service);
    return answer;
}

static inline struct tw_seat *single_enter(struct tw_service *service)
{
    return seat_enter(service, service->points, &service->entered);
}

static inline int single_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
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

static inline int single_stop(struct tw_seat *seat, tw_timer timer)
{
    return guarded_stop_by(&seat->service->guarded, seat, timer, false);
}

static inline uint32_t single_purge(struct tw_seat *seat)
{
    struct guarded *guarded = &seat->service->guarded;
    TW_RUNNER_POINT(seat, purge_begun);
    pthread_mutex_lock(&guarded->lock);
    uint32_t purged = guarded_purge(guarded);
    pthread_mutex_unlock(&guarded->lock);
    return purged;
}

/* TW_RUN_OK when this call is the one that shuts: nothing is accepted from here on, and the driver, which has
 * been woken, ends. */
static inline int single_mark(struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (guarded_mark_closed(&service->guarded))
        return TW_RUN_CLOSED;
    pthread_cond_signal(&service->sleeper.wake);
    TW_RUNNER_POINT(seat, shut_marked);
    return TW_RUN_OK;
}

static inline int single_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    int answer = single_mark(seat);
    if (answer != TW_RUN_OK)
        return answer;
    pthread_join(service->driver, NULL);
    guarded_return(&service->guarded, returned, ctx);
    return answer;
}

static inline void single_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes = sizeof *service};
    tally_sum(out, &service->tally);
    pthread_mutex_lock(&service->guarded.lock);
    if (!service->guarded.closed)
        out->cpu_ns = tally_cpu_of(service->driver);
    guarded_stats(&service->guarded, out);
    pthread_mutex_unlock(&service->guarded.lock);
}

static inline void single_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->guarded.ticking.tick_ns, .threads = 1, .shards = 1};
    guarded_describe(&service->guarded, out);
}

static inline const char *single_check(struct tw_service *service)
{
    return guarded_check(&service->guarded);
}

/* Advances the design to now, with the lock. */
static inline void single_advance(struct tw_service *service)
{
    struct pause pause = pause_begin();
    guarded_advance(&service->guarded, pause.begun_ns);
    pause_end(&pause, &service->tally);
}

/* What a driver does that runs the tasks too: advances, runs what is ready, sleeps until the head is due.  Ends
 * when the service is closed. */
static inline void *single_drive(void *ctx)
{
    struct tw_service *service = ctx;
    struct guarded *guarded = &service->guarded;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&guarded->lock);
    while (!guarded->closed) {
        single_advance(service);
        if (guarded->ready.head == OPENING_NONE) {
            bool waited = sleeper_wait(&service->sleeper, guarded, TW_DUE_MAX);
            tally_add(&service->tally.wakeups, waited);
            woken |= waited;
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

static inline int single_begin(struct tw_service *service, const struct tw_runner_config *config,
                               struct tw_error *error)
{
    (void)config;
    return opening_thread(error, pthread_create(&service->driver, NULL, single_drive, service));
}

/* The hooks that such runners have alike. */
#define SINGLE_HOOKS                                                                               \
    .abi_version = TW_RUNNER_ABI_VERSION, .enter = single_enter, .leave = seat_leave,              \
    .start = single_start, .wait = seat_wait, .check = single_check

/* The same, and those of one that has nothing but the driver. */
#define SINGLE_HOOKS_ALONE                                                                         \
    SINGLE_HOOKS, .params = opening_no_params, .shut = single_shut, .close = single_free,          \
                  .stats = single_stats, .describe = single_describe

#endif
