/*
 * pool.c - a pool of threads that run the tasks; one of them, the leader, waits for the head.
 *
 *     any thread --start, stop--> [ mutex: design, entries, ready list ]
 *                                     |          ^            ^
 *                       earlier head  |          | advance    | advance
 *                                     v          |            |
 *     workers:    follower ... follower    leader (waits)   worker (runs a task)
 *                     ^                       |
 *                     +---- takes the lead ---+  when the leader goes to run what has become due
 *
 * After ScheduledThreadPoolExecutor and its DelayedWorkQueue.  Over `heap` with --remove-on-cancel=0 it is the
 * JDK's: there a cancelled timer stays in the queue until it is due.
 *
 * Who may touch what
 *   Everything behind the mutex belongs to whoever holds it; there are no atomics but the counters, of which
 *   each worker has its own.  Whichever worker comes for work advances the design; there is no driver.
 *
 * What protects what
 *   led       At most one worker waits for a moment, and it waits for the head.  An earlier head signals it.
 *   called    Followers wait without a moment.  Who leaves the lead to run a task calls one first, while
 *             it still holds the mutex: so there is always a worker that waits for the head, is on its way
 *             to, or runs a task and looks at the head after it.  One call is under way at a time.
 *   closed    Set under the mutex; workers look at it whenever they have it.
 *
 * What it costs
 *   start, stop   a lock, an unlock, and the design's own start or stop.  A stop that marks spares the
 *                 latter, and pays with the place and the firing
 *   a task        a lock and an unlock; and the wake-up of a follower, if others pend: a task that takes less
 *                 than that is done before the follower has come
 *   idle          no wake-up at all
 *   memory        64 bytes a timer besides the design's own
 *
 * When it loses
 *   With several callers, as `locked` does, and the workers take the same mutex.  With tasks shorter than a
 *   wake-up: one thread would be through before the second is awake.  Marked timers that are due late hold
 *   their places (TW_RUNNER_PURGES); a purge looks at every place, under the mutex.  Two tasks
 *   of one moment may end in either order.
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "single.h"

extern const struct tw_runner TW_RUNNER(pool);

struct worker {
    struct tw_seat seat;
    pthread_t thread;
    struct tally tally; /* written by its thread */
};

struct pool {
    struct tw_service service; /* its sleeper is the leader; it has no driver */
    pthread_cond_t follow;     /* a follower is called, or closed */
    uint32_t following;        /* workers that wait to be called */
    bool led;                  /* a worker waits for the head */
    bool called;               /* a follower was called and has not come yet */
    bool remove_on_cancel;
    struct worker *workers;
    uint32_t worker_count; /* with a thread */
};

static struct pool *pool_of(struct tw_service *service)
{
    return (struct pool *)(void *)service;
}

static const struct tw_param pool_params[] = {
    {"remove-on-cancel",
     "1: a stop takes the timer out of the design; 0: it marks it, and the place is free when it "
     "is "
     "due or purged (default: 1)",
     0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

/* ---- Any thread. ------------------------------------------------------------------------------ */

/* Calls a follower to take the lead, if nobody has it and nobody is called.  With the lock. */
static void pool_call(struct pool *pool)
{
    if (pool->led || pool->called || pool->following == 0)
        return;
    pool->called = true;
    pthread_cond_signal(&pool->follow);
}

static int pool_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    tw_tick wake;
    TW_RUNNER_POINT(seat, start_begun);
    pthread_mutex_lock(&service->guarded.lock);
    int answer = guarded_start(&service->guarded, task, timer, &wake);
    sleeper_hurry(&service->sleeper, wake);
    if (wake != TW_NEVER)
        pool_call(pool_of(service));
    pthread_mutex_unlock(&service->guarded.lock);
    TW_RUNNER_POINT(seat, start_unlocked);
    return answer;
}

static int pool_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    return guarded_stop_by(&service->guarded, seat, timer, !pool_of(service)->remove_on_cancel);
}

/* ---- The workers. ----------------------------------------------------------------------------- */

/* Waits for the head if nobody else does, or to be called to; whether it had to.  With the lock. */
static bool pool_wait(struct pool *pool)
{
    if (!pool->led) {
        pool->led = true;
        bool waited = sleeper_wait(&pool->service.sleeper, &pool->service.guarded, TW_DUE_MAX);
        pool->led = false;
        return waited;
    }
    pool->following++;
    while (!pool->called && !pool->service.guarded.closed)
        pthread_cond_wait(&pool->follow, &pool->service.guarded.lock);
    pool->called = false;
    pool->following--;
    return true;
}

/* Runs the first ready task.  The lead is another's before it begins, unless nothing else pends: then a start
 * will call.  A renewed task that is an earlier head hurries who has the lead; if nobody has, this worker
 * looks at the head next. */
static void pool_run(struct pool *pool, struct worker *worker)
{
    if (pool->service.guarded.entries.pending > 1)
        pool_call(pool);
    sleeper_hurry(&pool->service.sleeper,
                  guarded_run(&pool->service.guarded, &worker->seat, &worker->tally));
}

static void *pool_work(void *ctx)
{
    struct worker *worker = ctx;
    struct pool *pool = pool_of(worker->seat.service);
    struct guarded *guarded = &pool->service.guarded;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&guarded->lock);
    while (!guarded->closed) {
        if (guarded->ready.head == OPENING_NONE) {
            struct pause pause = pause_begin();
            guarded_advance(guarded, pause.begun_ns);
            pause_end(&pause, &worker->tally);
        }
        if (guarded->ready.head == OPENING_NONE) {
            bool waited = pool_wait(pool);
            tally_add(&worker->tally.wakeups, waited);
            woken |= waited;
            continue;
        }
        tally_add(&worker->tally.useful_wakeups, woken);
        woken = false;
        pool_run(pool, worker);
    }
    pthread_mutex_unlock(&guarded->lock);
    atomic_store(&worker->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

/* Waits for the workers to end, after closed was set. */
static void pool_join(struct pool *pool)
{
    pthread_cond_signal(&pool->service.sleeper.wake);
    pthread_cond_broadcast(&pool->follow);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i].thread, NULL);
}

static int pool_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    int answer = single_mark(seat);
    if (answer != TW_RUN_OK)
        return answer;
    pool_join(pool_of(seat->service));
    guarded_return(&seat->service->guarded, returned, ctx);
    return answer;
}

static void pool_close(struct tw_service *service)
{
    pthread_cond_destroy(&pool_of(service)->follow);
    free(pool_of(service)->workers);
    single_free(service);
}

/* The threads; those that began have ended again when one cannot be had. */
static int pool_begin(struct tw_service *service, const struct tw_runner_config *config,
                      struct tw_error *error)
{
    struct pool *pool = pool_of(service);
    uint32_t threads = service->entered;
    pool->remove_on_cancel = opening_setting(config, "remove-on-cancel", 1);
    pthread_cond_init(&pool->follow, NULL);
    pool->workers = calloc(threads, sizeof *pool->workers);
    if (!pool->workers)
        return opening_no_memory(error, threads * sizeof *pool->workers);
    int failed = 0;
    for (uint32_t i = 0; i < threads && !failed; i++) {
        struct worker *worker = &pool->workers[i];
        worker->seat = (struct tw_seat){
            .service = service, .points = service->points, .number = i, .in_task = 1};
        failed = pthread_create(&worker->thread, NULL, pool_work, worker);
        pool->worker_count += !failed;
    }
    if (!failed)
        return TW_RUN_OK;
    guarded_mark_closed(&service->guarded);
    pool_join(pool);
    return opening_thread(error, failed);
}

static int pool_open(struct tw_service **out, const struct tw_runner_config *config,
                     struct tw_error *error)
{
    uint32_t threads;
    int answer = opening_threads(config, &threads, error);
    return answer == TW_RUN_OK ? single_open(out, sizeof(struct pool), &TW_RUNNER(pool), config,
                                             threads, pool_begin, error)
                               : answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void pool_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    struct pool *pool = pool_of(service);
    *out = (struct tw_runner_stats){.own_bytes =
                                        sizeof *pool + pool->worker_count * sizeof *pool->workers};
    pthread_mutex_lock(&service->guarded.lock);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        tally_sum(out, &pool->workers[i].tally);
        if (!service->guarded.closed)
            out->cpu_ns += tally_cpu_of(pool->workers[i].thread);
    }
    guarded_stats(&service->guarded, out);
    pthread_mutex_unlock(&service->guarded.lock);
}

static void pool_describe(struct tw_service *service, struct tw_runner_description *out)
{
    single_describe(service, out);
    out->threads = pool_of(service)->worker_count;
    out->setting_count = 1;
    out->settings[0] = (struct tw_setting){
        .name = "remove-on-cancel", .count = 1, .values = {pool_of(service)->remove_on_cancel}};
}

static const char *pool_check(struct tw_service *service)
{
    if (pool_of(service)->led || pool_of(service)->following > 0)
        return "a worker waits after shut";
    return guarded_check(&service->guarded);
}

const struct tw_runner TW_RUNNER(pool) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "pool",
    .summary =
        "a pool of threads runs the tasks; one of them waits for the head, the others follow",
    .after = "ScheduledThreadPoolExecutor: over heap, remove-on-cancel 0",
    .flags = TW_RUNNER_PURGES,
    .params = pool_params,
    .open = pool_open,
    .enter = single_enter,
    .leave = seat_leave,
    .start = pool_start,
    .stop = pool_stop,
    .wait = seat_wait,
    .purge = single_purge,
    .shut = pool_shut,
    .close = pool_close,
    .stats = pool_stats,
    .describe = pool_describe,
    .check = pool_check,
};
