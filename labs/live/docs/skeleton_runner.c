/*
 * skeleton_runner.c - a whole runner in the simplest possible way: one mutex, one thread, a hook after the other.
 *
 *     any thread --start, stop--> [ mutex: design, entries, ready list ] <--advance, run-- driver
 *
 * Copy it to labs/live/runners/NAME.c and replace its parts (labs/live/docs/ADDING-A-RUNNER.md), or compile it as a shared object:
 *
 *     cc -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -DTW_PROVED -DAS_PLUGIN -Isrc -Ilabs/live/runners \
 *        docs/skeleton_runner.c -o skeleton.so -lpthread
 *     twbench conform --plugin=./skeleton.so
 *
 * guarded.h does what every runner under a lock does alike: it takes a place for a timer, puts it into the design,
 * moves what is due to the ready list, and renews a periodic one.  What is left is what makes a runner: who sleeps,
 * who is woken, who runs the task, and what shut waits for.
 *
 * Who may touch what
 *   All of `guarded` belongs to whoever holds its lock.  The tally is the driver's; others only read it.
 *
 * What protects what
 *   A start that is earlier than what the driver waits for wakes it (sleeper_hurry).  A driver that does not wait
 *   need not be woken: it looks at the head of the design before it does.
 *
 * What it costs
 *   start, stop   a lock, an unlock, the design's own start or stop
 *   a task        a lock and an unlock
 *   idle          no wake-up
 *   memory        64 bytes a timer besides the design's own
 *
 * When it loses
 *   With several callers, who wait for each other; with slow tasks, which delay all behind them.
 *
 * Invariants, tested by check after shut: nothing is ready, and what pends is counted.
 */
#include "guarded.h"

extern const struct tw_runner TW_RUNNER(skeleton);

/* The service is the runner's own; nobody else looks into it. */
struct tw_service {
    struct guarded guarded;
    struct sleeper sleeper;
    pthread_t driver;
    struct tw_seat driver_seat; /* number 0; what tasks get */
    _Atomic uint32_t entered;   /* seats so far: their numbers */
    const struct tw_points *points;
    struct tally tally;
};

/* Settings of the runner's own: name, what it is, least, most, how many values.  Here: none. */
static const struct tw_param skeleton_params[] = {{NULL, NULL, 0, 0, 0}};

/* ---- Starts and stops, from any thread. -------------------------------------------------------- */

/* Puts a point between any two steps that another thread may come between: conform delays the thread there. */
static int skeleton_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
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

/* Answers STOPPED exactly once for a timer.  `false`: take it out of the design at once, instead of marking it. */
static int skeleton_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    TW_RUNNER_POINT(seat, stop_begun);
    pthread_mutex_lock(&service->guarded.lock);
    int answer = guarded_stop(&service->guarded, timer, false);
    pthread_mutex_unlock(&service->guarded.lock);
    return answer;
}

/* ---- The driver. ------------------------------------------------------------------------------- */

/* Advances, runs what is ready without the lock, and sleeps until the head of the design is due. */
static void *skeleton_drive(void *ctx)
{
    struct tw_service *service = ctx;
    struct guarded *guarded = &service->guarded;
    moment_sharpen();
    pthread_mutex_lock(&guarded->lock);
    while (!guarded->closed) {
        struct pause pause = pause_begin();
        guarded_advance(guarded, pause.begun_ns);
        pause_end(&pause, &service->tally);
        if (guarded->ready.head == OPENING_NONE)
            tally_add(&service->tally.wakeups, sleeper_wait(&service->sleeper, guarded));
        while (!guarded->closed && guarded->ready.head != OPENING_NONE)
            guarded_run(guarded, &service->driver_seat, &service->tally);
    }
    pthread_mutex_unlock(&guarded->lock);
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening, shutting, closing. ---------------------------------------------------------------- */

static void skeleton_close(struct tw_service *service)
{
    guarded_close(&service->guarded);
    sleeper_close(&service->sleeper);
    free(service);
}

/* Sets *out on success alone; on any other answer *error says why. */
static int skeleton_open(struct tw_service **out, const struct tw_runner_config *config,
                         struct tw_error *error)
{
    int answer;
    struct tw_service *service =
        opening_service(&TW_RUNNER(skeleton), config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->points = config->points;
    service->entered = 1; /* the driver has number 0 */
    service->driver_seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = sleeper_open(&service->sleeper);
    answer = guarded_open(&service->guarded, config, runner_tick_ns(&TW_RUNNER(skeleton), config),
                          opening_cap(config), error);
    service->guarded.ticking.open_ns = moment_now();
    if (answer == TW_RUN_OK && !failed)
        failed = pthread_create(&service->driver, NULL, skeleton_drive, service);
    if (answer == TW_RUN_OK && failed)
        answer = opening_no_thread(error, failed);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        skeleton_close(service);
    return answer;
}

static struct tw_seat *skeleton_enter(struct tw_service *service)
{
    return seat_enter(service, service->points, &service->entered);
}

/* Refuses to be called in a task, is done once, waits for the driver, and returns what has not fired. */
static int skeleton_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
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

/* ---- Asking. ------------------------------------------------------------------------------------ */

/* The driver's clock may be asked for only while it has not been joined. */
static void skeleton_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes = sizeof *service};
    tally_sum(out, &service->tally);
    pthread_mutex_lock(&service->guarded.lock);
    if (!service->guarded.closed)
        out->cpu_ns = tally_cpu_of(service->driver);
    guarded_stats(&service->guarded, out);
    pthread_mutex_unlock(&service->guarded.lock);
}

static void skeleton_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->guarded.ticking.tick_ns, .threads = 1, .shards = 1};
    guarded_describe(&service->guarded, out);
}

static const char *skeleton_check(struct tw_service *service)
{
    return guarded_check(&service->guarded);
}

/* next is NULL: callers do not drive it.  purge is NULL: a stop leaves nothing behind. */
const struct tw_runner TW_RUNNER(skeleton) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "skeleton",
    .summary = "one mutex, one thread, and nothing else",
    .after = "no system; a start for a runner of your own",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = skeleton_params,
    .open = skeleton_open,
    .enter = skeleton_enter,
    .leave = seat_leave,
    .start = skeleton_start,
    .stop = skeleton_stop,
    .wait = seat_wait,
    .shut = skeleton_shut,
    .close = skeleton_close,
    .stats = skeleton_stats,
    .describe = skeleton_describe,
    .check = skeleton_check,
};

#ifdef AS_PLUGIN
TW_RUNNER_PLUGIN(TW_RUNNER(skeleton), TW_RUNNER(skeleton));
#endif
