/*
 * delay_queue.c - a reaper waits for the earliest slot in use and advances; another thread runs the tasks.
 *
 *     any thread --start, stop--> [ mutex: design, entries, ready list ] <--advance-- reaper
 *                                        |                 |                            ^
 *                                        |                 +--ready--> executor: tasks  |
 *                                        +--------- condition: an earlier slot ---------+
 *
 * After Kafka's SystemTimer and its reaper, which are this over `hier-queue`, levels of 20 slots, ticks of 1 ms, with
 * --poll-ms=200: there the reaper looks up at least each 200 ms.  Kafka's rounds the due down to its slot and
 * may be a millisecond early; this one rounds up and never is.
 *
 * Who may touch what
 *   Everything behind the mutex belongs to whoever holds it.  The reaper alone advances, apart from a start
 *   that finds the design's clock far behind.  The executor alone runs tasks, without the mutex.
 *
 * What protects what
 *   The reaper sleeps until the design's next slot (next()), which with `hier-queue` is kept in a heap of slots
 *   in use: no empty slot is ever turned to.  A start in an earlier slot signals it (struct sleeper).
 *   work      The executor waits for the ready list to have something; whoever fills it signals.  It looks at the
 *             list under the mutex before it waits, so that no signal is missed.
 *   closed    Set under the mutex; both threads look at it whenever they have it.
 *
 * What it costs
 *   start, stop   a lock, an unlock, and the design's own start or stop
 *   a task        a lock and an unlock; and a hand-over to the executor for the first of each batch, some ten
 *                 microseconds of lateness that `locked` does not have
 *   idle          no wake-up at all, or one each poll-ms
 *   memory        64 bytes a timer besides the design's own
 *
 * When it loses
 *   With short tasks: each batch wakes a second thread.  With several callers at once: Kafka's lets starts
 *   go side by side under a read lock, with a monitor for each slot; any exact design behind one mutex
 *   cannot.  A slow task delays the tasks behind it (TW_RUNNER_ONE_DISPATCH), but not the clock.
 */
#include "single.h"

extern const struct tw_runner TW_RUNNER(delay_queue);

#define MS UINT64_C(1000000)

struct delay_queue {
    struct tw_service service; /* its driver is the reaper */
    pthread_cond_t work;       /* something is ready, or closed */
    pthread_t executor;
    struct tw_seat executor_seat;
    struct tally executor_tally; /* written by the executor */
    uint64_t poll_ns;            /* longest sleep of the reaper; 0: no limit */
};

static const struct tw_param delay_queue_params[] = {
    {"poll-ms",
     "longest sleep of the reaper in ms; 0: until the next slot (default: 0; Kafka: 200)", 0,
     3600000, 1},
    {NULL, NULL, 0, 0, 0},
};

static struct delay_queue *queue_of(struct tw_service *service)
{
    return (struct delay_queue *)(void *)service;
}

/* ---- The threads. ----------------------------------------------------------------------------- */

static void *delay_queue_reap(void *ctx)
{
    struct delay_queue *queue = ctx;
    struct tw_service *service = &queue->service;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&service->guarded.lock);
    while (!service->guarded.closed) {
        single_advance(service);
        bool ready = service->guarded.ready.head != OPENING_NONE;
        if (ready)
            pthread_cond_signal(&queue->work);
        tally_add(&service->tally.useful_wakeups, woken && ready);
        uint64_t poll = queue->poll_ns ? moment_after(moment_now(), queue->poll_ns) : TW_DUE_MAX;
        bool waited = sleeper_wait(&service->sleeper, &service->guarded, poll);
        tally_add(&service->tally.wakeups, waited);
        woken = waited || (woken && !ready);
    }
    pthread_mutex_unlock(&service->guarded.lock);
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* A renewed task may be the earliest: the reaper hears of it as of a start. */
static void *delay_queue_execute(void *ctx)
{
    struct delay_queue *queue = ctx;
    struct guarded *guarded = &queue->service.guarded;
    pthread_mutex_lock(&guarded->lock);
    while (!guarded->closed) {
        if (guarded->ready.head == OPENING_NONE) {
            pthread_cond_wait(&queue->work, &guarded->lock);
            tally_add(&queue->executor_tally.wakeups, 1);
            tally_add(&queue->executor_tally.useful_wakeups, guarded->ready.head != OPENING_NONE);
            continue;
        }
        tw_tick wake = guarded_run(guarded, &queue->executor_seat, &queue->executor_tally);
        sleeper_hurry(&queue->service.sleeper, wake);
    }
    pthread_mutex_unlock(&guarded->lock);
    atomic_store(&queue->executor_tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static void delay_queue_close(struct tw_service *service)
{
    pthread_cond_destroy(&queue_of(service)->work);
    single_free(service);
}

static int delay_queue_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    int answer = single_mark(seat);
    if (answer != TW_RUN_OK)
        return answer;
    pthread_cond_signal(&queue_of(service)->work);
    pthread_join(service->driver, NULL);
    pthread_join(queue_of(service)->executor, NULL);
    guarded_return(&service->guarded, returned, ctx);
    return answer;
}

/* Both threads, or none and the answer for open. */
static int delay_queue_begin(struct tw_service *service, const struct tw_runner_config *config,
                             struct tw_error *error)
{
    struct delay_queue *queue = queue_of(service);
    pthread_cond_init(&queue->work, NULL);
    queue->poll_ns = opening_setting(config, "poll-ms", 0) * MS;
    queue->executor_seat = service->driver_seat;
    queue->executor_seat.number = 1;
    int failed = pthread_create(&queue->executor, NULL, delay_queue_execute, queue);
    if (failed)
        return opening_thread(error, failed);
    failed = pthread_create(&service->driver, NULL, delay_queue_reap, queue);
    if (!failed)
        return TW_RUN_OK;
    guarded_mark_closed(&service->guarded);
    pthread_cond_signal(&queue->work);
    pthread_join(queue->executor, NULL);
    return opening_thread(error, failed);
}

static int delay_queue_open(struct tw_service **out, const struct tw_runner_config *config,
                            struct tw_error *error)
{
    return single_open(out, sizeof(struct delay_queue), &TW_RUNNER(delay_queue), config, 2,
                       delay_queue_begin, error);
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void delay_queue_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    struct delay_queue *queue = queue_of(service);
    single_stats(service, out);
    uint64_t reaper_ns = out->cpu_ns;
    tally_sum(out, &queue->executor_tally);
    out->own_bytes += sizeof *queue - sizeof *service;
    pthread_mutex_lock(&service->guarded.lock);
    if (!service->guarded.closed)
        out->cpu_ns = reaper_ns + tally_cpu_of(queue->executor);
    pthread_mutex_unlock(&service->guarded.lock);
}

static void delay_queue_describe(struct tw_service *service, struct tw_runner_description *out)
{
    single_describe(service, out);
    out->threads = 2;
    out->setting_count = 1;
    out->settings[0] = (struct tw_setting){
        .name = "poll-ms", .count = 1, .values = {queue_of(service)->poll_ns / MS}};
}

const struct tw_runner TW_RUNNER(delay_queue) = {
    SINGLE_HOOKS,
    .name = "delay-queue",
    .summary = "a reaper sleeps until the earliest slot in use, an executor runs the tasks",
    .after =
        "Kafka's SystemTimer: over hier-queue, levels of 20 slots, ticks of 1 ms, --poll-ms=200",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .tick_ns = 1000000,
    .params = delay_queue_params,
    .open = delay_queue_open,
    .stop = single_stop,
    .shut = delay_queue_shut,
    .close = delay_queue_close,
    .stats = delay_queue_stats,
    .describe = delay_queue_describe,
};
