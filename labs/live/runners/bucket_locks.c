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
 */
#include "parted.h"

extern const struct tw_runner TW_RUNNER(bucket_locks);

#define BUCKETS_MAX 4096u

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
        struct part *bucket = &service->parts[number];
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

/* ---- The driver. ------------------------------------------------------------------------------ */

/* Fires what is due in one bucket; whether a task ran. */
static bool bucket_process(struct tw_service *service, struct part *bucket)
{
    struct guarded *guarded = &bucket->guarded;
    bool ran = false;
    struct pause pause = pause_begin();
    pthread_mutex_lock(&guarded->lock);
    guarded_advance(guarded, moment_now());
    pause_end(&pause, &service->tally);
    for (; !guarded->closed && guarded->ready.head != OPENING_NONE; ran = true)
        guarded_run(guarded, &service->driver_seat.seat, &service->tally);
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
        if (atomic_load(&service->parts[i].head) > ticking_reached(&service->ticking, now))
            continue;
        TW_RUNNER_POINT(&service->driver_seat.seat, bucket_due);
        ran |= bucket_process(service, &service->parts[i]);
    }
    return ran;
}

static void driver_sleep(struct tw_service *service)
{
    atomic_store(&service->doze.wake, TW_NEVER);
    TW_RUNNER_POINT(&service->driver_seat.seat, wake_announced);
    for (uint32_t i = 0; i < service->count; i++)
        tick_lower(&service->doze.wake, atomic_load(&service->parts[i].head),
                   &service->driver_seat.seat);
    TW_RUNNER_POINT(&service->driver_seat.seat, heads_read);
    doze_wait(&service->doze, &service->ticking, &service->tally);
    TW_RUNNER_POINT(&service->driver_seat.seat, woken);
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

/* ---- Opening and asking. ----------------------------------------------------------------------- */

static int bucket_locks_open(struct tw_service **out, const struct tw_runner_config *config,
                             struct tw_error *error)
{
    uint32_t count = (uint32_t)opening_setting(config, "buckets", 8);
    return parted_open(out, &TW_RUNNER(bucket_locks), config, count, bucket_locks_drive, error);
}

static void bucket_locks_describe(struct tw_service *service, struct tw_runner_description *out)
{
    parted_describe(service, out);
    out->setting_count = 1;
    out->settings[0] =
        (struct tw_setting){.name = "buckets", .count = 1, .values = {service->count}};
}

const struct tw_runner TW_RUNNER(bucket_locks) = {
    PARTED_HOOKS,
    .name = "bucket-locks",
    .summary = "a lock and a small design for each bucket of ticks, one driver over all of them",
    .after = "Kafka's lock for each bucket, tokio #7668",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .params = bucket_locks_params,
    .open = bucket_locks_open,
    .start = bucket_locks_start,
    .describe = bucket_locks_describe,
};
