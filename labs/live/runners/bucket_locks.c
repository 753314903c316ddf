/*
 * bucket_locks.c - timers in buckets by their tick, each with a lock and a small design; one driver over them.
 *
 *                     bucket = tick of the due % buckets
 *     any --start---> [ lock 0: design, entries, ready list | head ] <--+
 *                     [ lock 1: design, entries, ready list | head ] <--+-- driver: those whose head is due
 *     any --stop----> [ the lock of the timer's bucket             ] <--+
 *
 * After the lock for each bucket of Kafka's wheel, and tokio #7668.  There a bucket is a list, so the wheel is the
 * design.  Here it is a small instance of any design: the lock is as fine, and what lies behind it is still
 * yours to choose.  The difference to `sharded` is who decides: there the caller's thread, here the tick.  A
 * driver at work meets only those callers who start for the tick that it fires, or stop what is due then.
 *
 * Who may touch what
 *   What a bucket has belongs to whoever holds its lock.  Nobody holds two.  Any thread reads a head.
 *
 * What protects what
 *   head    The tick on which the driver has to look at the bucket.  Written with its lock, read without.  A stop
 *           leaves it: the driver looks once for nothing.
 *   wake    The tick for which the driver will be awake; 0 while it works.  Before it sleeps it sets wake to
 *           "never" and then reads all heads.  A start lowers the head and then reads wake.  Both in one total order:
 *           the driver sees the head, or the start sees that it has to wake the driver.
 *   doze    The driver waits with this lock, and whoever lowered wake signals with it, so no signal gets lost.
 *   full    A bucket has its share of the cap.  A start for a full one goes to the next that has room; the tick
 *           stays what it was, because every design counts all ticks.
 *
 * What it costs
 *   start, stop   a lock that is seldom anyone else's, the design's own start or stop, and two reads
 *   a wake-up     a read for each bucket, twice, and a lock and an advance for those that are due
 *   idle          no wake-up at all
 *   memory        64 bytes a timer besides the designs' own; a design for each bucket
 *
 * When it loses
 *   Over a wheel without bitmaps: each bucket turns a whole wheel, so that ticks cost `buckets` times as
 *   much, and slots take so much more memory.  With many timers on one tick: they are one bucket again.  A slow task
 *   delays all behind it (TW_RUNNER_ONE_DISPATCH).  A design's max-running counts for each bucket.
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "guarded.h"

#include <stdalign.h>

extern const struct tw_runner TW_RUNNER(bucket_locks);

#define BUCKETS_DEFAULT 8u
#define BUCKETS_MAX     4096u

struct bucket {
    alignas(CACHE_LINE) struct guarded guarded;
    _Atomic tw_tick head;
    struct tw_timers *spacer; /* while opening */
};

struct tw_service {
    alignas(CACHE_LINE) struct doze doze;
    alignas(CACHE_LINE) struct bucket *buckets;
    uint32_t count;
    uint32_t shift; /* an id is bucket << shift | place in it */
    struct ticking ticking;
    const struct tw_points *points;
    _Atomic uint32_t shutting;
    _Atomic uint32_t entered;
    pthread_t driver;
    struct tw_seat driver_seat;
    struct tally tally; /* written by the driver */
};

static const struct tw_param bucket_locks_params[] = {
    {"buckets", "locks, each with a design of its own; by the tick of the due (default: 8)", 1,
     BUCKETS_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

/* ---- Any thread. ------------------------------------------------------------------------------ */

static int bucket_locks_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = (uint32_t)(ticking_due(&service->ticking, task->due_ns) % service->count);
    int answer = TW_RUN_FULL;
    tw_tick wake = TW_NEVER;
    for (uint32_t tried = 0; answer == TW_RUN_FULL && tried < service->count; tried++) {
        struct bucket *bucket = &service->buckets[number];
        TW_RUNNER_POINT(seat, start_begun);
        pthread_mutex_lock(&bucket->guarded.lock);
        answer = guarded_start(&bucket->guarded, task, timer, &wake);
        tick_lower(&bucket->head, wake, seat);
        pthread_mutex_unlock(&bucket->guarded.lock);
        TW_RUNNER_POINT(seat, start_unlocked);
        doze_hurry(&service->doze, wake, seat);
        number = number + 1 < service->count ? number + 1 : 0;
    }
    return answer;
}

static int bucket_locks_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = (uint32_t)timer >> service->shift;
    if (number >= service->count)
        return TW_RUN_IDLE;
    return guarded_stop_by(&service->buckets[number].guarded, seat, timer, false);
}

/* ---- The driver. ------------------------------------------------------------------------------ */

/* Fires what is due in one bucket; whether a task ran. */
static bool bucket_process(struct tw_service *service, struct bucket *bucket)
{
    struct guarded *guarded = &bucket->guarded;
    bool ran = false;
    struct pause pause = pause_begin();
    pthread_mutex_lock(&guarded->lock);
    guarded_advance(guarded, moment_now());
    pause_end(&pause, &service->tally);
    for (; !guarded->closed && guarded->ready.head != OPENING_NONE; ran = true)
        guarded_run(guarded, &service->driver_seat, &service->tally);
    atomic_store(&bucket->head, guarded->design->next(guarded->timers));
    pthread_mutex_unlock(&guarded->lock);
    return ran;
}

/* Fires what is due in all buckets; whether a task ran. */
static bool buckets_process(struct tw_service *service)
{
    bool ran = false;
    for (uint32_t i = 0; i < service->count; i++) {
        uint64_t now = moment_now();
        if (atomic_load(&service->buckets[i].head) > ticking_reached(&service->ticking, now))
            continue;
        TW_RUNNER_POINT(&service->driver_seat, bucket_due);
        ran |= bucket_process(service, &service->buckets[i]);
    }
    return ran;
}

static void driver_sleep(struct tw_service *service)
{
    atomic_store(&service->doze.wake, TW_NEVER);
    TW_RUNNER_POINT(&service->driver_seat, wake_announced);
    for (uint32_t i = 0; i < service->count; i++)
        tick_lower(&service->doze.wake, atomic_load(&service->buckets[i].head),
                   &service->driver_seat);
    TW_RUNNER_POINT(&service->driver_seat, heads_read);
    doze_wait(&service->doze, &service->ticking, &service->tally);
    TW_RUNNER_POINT(&service->driver_seat, woken);
    atomic_store(&service->doze.wake, 0);
}

static void *bucket_locks_drive(void *ctx)
{
    struct tw_service *service = ctx;
    moment_sharpen();
    for (uint64_t counted = 0; !atomic_load(&service->shutting);) {
        driver_sleep(service);
        if (!buckets_process(service))
            continue;
        uint64_t wakeups = tally_read(&service->tally.wakeups);
        tally_add(&service->tally.useful_wakeups, wakeups > counted);
        counted = wakeups;
    }
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int bucket_locks_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->shutting, 1))
        return TW_RUN_CLOSED;
    for (uint32_t i = 0; i < service->count; i++) {
        TW_RUNNER_POINT(seat, shut_next);
        guarded_mark_closed(&service->buckets[i].guarded);
    }
    doze_end(&service->doze, service->driver);
    for (uint32_t i = 0; i < service->count; i++)
        guarded_return(&service->buckets[i].guarded, returned, ctx);
    return TW_RUN_OK;
}

static void bucket_locks_close(struct tw_service *service)
{
    for (uint32_t i = 0; i < service->count; i++)
        guarded_close(&service->buckets[i].guarded);
    doze_close(&service->doze);
    free(service->buckets);
    free(service);
}

static struct tw_seat *bucket_locks_enter(struct tw_service *service)
{
    return seat_enter(service, service->points, &service->entered);
}

/* Shares the cap out: the first ones have one place more when it does not come out even. */
static int buckets_open(struct tw_service *service, const struct tw_runner_config *config,
                        struct tw_error *error)
{
    uint32_t cap = opening_cap(config);
    uint32_t count = (uint32_t)opening_setting(config, "buckets", BUCKETS_DEFAULT);
    count = count < cap ? count : cap;
    service->buckets = aligned_alloc(CACHE_LINE, count * sizeof *service->buckets);
    if (!service->buckets)
        return opening_no_memory(error, count * sizeof *service->buckets);
    memset(service->buckets, 0, count * sizeof *service->buckets);
    while (UINT64_C(1) << service->shift < cap / count + (cap % count > 0))
        service->shift++;
    service->ticking = (struct ticking){
        .open_ns = moment_now(), .tick_ns = runner_tick_ns(&TW_RUNNER(bucket_locks), config)};
    int answer = TW_RUN_OK;
    while (service->count < count && answer == TW_RUN_OK) {
        uint32_t number = service->count++;
        struct bucket *bucket = &service->buckets[number];
        answer = guarded_open(&bucket->guarded, config, service->ticking.tick_ns,
                              cap / count + (number < cap % count), error);
        bucket->guarded.ticking = service->ticking;
        bucket->guarded.entries.base = number << service->shift;
        bucket->head = TW_NEVER;
        bucket->spacer = opening_spacer(config, service->ticking.tick_ns);
    }
    for (uint32_t i = 0; i < service->count; i++)
        if (service->buckets[i].spacer)
            config->design->close(service->buckets[i].spacer);
    return answer;
}

static int bucket_locks_open(struct tw_service **out, const struct tw_runner_config *config,
                             struct tw_error *error)
{
    int answer;
    struct tw_service *service =
        opening_service(&TW_RUNNER(bucket_locks), config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->points = config->points;
    service->entered = 1;
    service->driver_seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    int failed = doze_open(&service->doze);
    answer = failed ? opening_no_thread(error, failed) : buckets_open(service, config, error);
    if (answer == TW_RUN_OK) {
        failed = pthread_create(&service->driver, NULL, bucket_locks_drive, service);
        answer = failed ? opening_no_thread(error, failed) : TW_RUN_OK;
    }
    if (answer == TW_RUN_OK)
        *out = service;
    else
        bucket_locks_close(service);
    return answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void bucket_locks_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes =
                                        sizeof *service + service->count * sizeof(struct bucket)};
    doze_stats(&service->doze, service->driver, &service->tally, out);
    for (uint32_t i = 0; i < service->count; i++) {
        struct guarded *guarded = &service->buckets[i].guarded;
        pthread_mutex_lock(&guarded->lock);
        guarded_stats(guarded, out);
        pthread_mutex_unlock(&guarded->lock);
    }
}

static void bucket_locks_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->ticking.tick_ns,
        .threads = 1,
        .shards = service->count,
        .setting_count = 1,
        .settings = {{.name = "buckets", .count = 1, .values = {service->count}}}};
    for (uint32_t i = service->count; i-- > 0;)
        guarded_describe(&service->buckets[i].guarded, out);
}

static const char *bucket_locks_check(struct tw_service *service)
{
    const char *broken = NULL;
    for (uint32_t i = 0; i < service->count && !broken; i++)
        broken = guarded_check(&service->buckets[i].guarded);
    return broken;
}

const struct tw_runner TW_RUNNER(bucket_locks) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "bucket-locks",
    .summary = "a lock and a small design for each bucket of ticks, one driver over all of them",
    .after = "Kafka's lock for each bucket, tokio #7668",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = bucket_locks_params,
    .open = bucket_locks_open,
    .enter = bucket_locks_enter,
    .leave = seat_leave,
    .start = bucket_locks_start,
    .stop = bucket_locks_stop,
    .wait = seat_wait,
    .shut = bucket_locks_shut,
    .close = bucket_locks_close,
    .stats = bucket_locks_stats,
    .describe = bucket_locks_describe,
    .check = bucket_locks_check,
};
