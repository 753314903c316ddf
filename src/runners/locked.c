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
 *   A start whose tick is before the one that the driver waits for (wake_tick) signals it.  wake_tick is 0
 *   as long as the driver does not wait, because then it looks at next() once more before it does.
 *   A timer that has come out of the design lies on the ready list until its task begins, and stop
 *   takes it from there: it is too late only when the task runs.
 *
 * What it costs
 *   start, stop   a lock, an unlock, and the design's own start or stop
 *   a task        a lock and an unlock, so that callers wait for no more than one advance
 *   idle          no wake-up at all
 *   memory        56 bytes a timer besides the design's own
 *
 * When it loses
 *   With several callers at once: each waits for each other, and for an advance, which may cascade.
 *   A slow task delays all behind it (TW_RUNNER_ONE_DISPATCH).
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "entries.h"

extern const struct tw_runner TW_RUNNER(locked);

struct tw_service {
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct ticking ticking;
    pthread_mutex_t lock; /* of all below that is not atomic */
    pthread_cond_t wake;  /* an earlier head, or closed */
    struct entries entries;
    struct entry_list ready;
    tw_tick wake_tick; /* the driver waits for this one; 0 when it does not wait */
    bool closed;
    pthread_t driver;
    struct tw_seat driver_seat;
    _Atomic uint32_t entered;
    const struct tw_points *points;
    struct tally tally; /* written by the driver */
};

static const struct tw_param locked_params[] = {{NULL, NULL, 0, 0, 0}};

/* The design fires: the task is ready.  Called with the lock, from advance. */
static void locked_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_service *service = ctx;
    struct entry *entry = &service->entries.all[id];
    entry->state = ENTRY_READY;
    entry->turn_ns = ticking_moment(&service->ticking, now);
    entries_push(&service->entries, &service->ready, id);
}

static void locked_advance(struct tw_service *service, uint64_t now)
{
    service->design->advance(service->timers, ticking_reached(&service->ticking, now),
                             locked_expire, service);
}

/* Puts the entry into the design.  The driver may sleep since long ago, and the design's clock with it: what is
 * too far from there may be in reach from now. */
static int locked_put(struct tw_service *service, uint32_t id)
{
    tw_tick tick = ticking_due(&service->ticking, service->entries.all[id].task.due_ns);
    int status = service->design->start(service->timers, id, tick);
    if (status == TW_REFUSED_RANGE) {
        locked_advance(service, moment_now());
        status = service->design->start(service->timers, id, tick);
    }
    if (service->wake_tick > tick || service->ready.head != OPENING_NONE) {
        service->wake_tick = service->wake_tick > 0 ? tick : 0;
        pthread_cond_signal(&service->wake);
    }
    return status;
}

static int locked_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    pthread_mutex_lock(&service->lock);
    int answer = TW_RUN_CLOSED;
    uint32_t id = OPENING_NONE;
    if (!service->closed) {
        id = entries_take(&service->entries, task);
        answer = id == OPENING_NONE ? TW_RUN_FULL : TW_RUN_OK;
    }
    if (answer == TW_RUN_OK) {
        TW_RUNNER_POINT(seat, start_taken);
        *timer = entries_name(&service->entries, id);
        int status = locked_put(service, id);
        if (status < 0) {
            *timer = 0;
            service->entries.all[id].state = ENTRY_OVER;
            entries_give(&service->entries, id);
            answer = status == TW_REFUSED_RANGE  ? TW_RUN_RANGE
                     : status == TW_REFUSED_FULL ? TW_RUN_FULL
                                                 : TW_RUN_MEMORY;
        }
    }
    pthread_mutex_unlock(&service->lock);
    TW_RUNNER_POINT(seat, start_unlocked);
    return answer;
}

static int locked_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t id = entries_id(timer);
    int answer = TW_RUN_IDLE;
    TW_RUNNER_POINT(seat, stop_begun);
    pthread_mutex_lock(&service->lock);
    struct entry *entry = entries_find(&service->entries, timer);
    if (!entry) {
        pthread_mutex_unlock(&service->lock);
        return answer;
    }
    if (entry->state == ENTRY_WAITING)
        service->design->stop(service->timers, id);
    else if (entry->state == ENTRY_READY)
        entries_unlink(&service->entries, &service->ready, id);
    if (entry->state == ENTRY_WAITING || entry->state == ENTRY_READY) {
        entries_give(&service->entries, id);
        answer = TW_RUN_STOPPED;
    } else if (entry->state == ENTRY_RUNNING) {
        answer = TW_RUN_STOPPED; /* the driver gives the place back */
    } else if (entry->state == ENTRY_FIRED) {
        answer = TW_RUN_TOO_LATE;
    }
    if (answer == TW_RUN_STOPPED)
        entry->state = ENTRY_STOPPED;
    pthread_mutex_unlock(&service->lock);
    return answer;
}

/* A periodic task has ended: it waits again, unless it was stopped meanwhile.  A design that has no memory
 * for it fires it no more; shut returns it. */
static void locked_renew(struct tw_service *service, uint32_t id)
{
    struct entry *entry = &service->entries.all[id];
    if (entry->state == ENTRY_STOPPED) {
        entries_give(&service->entries, id);
        return;
    }
    entry_renew(entry, entry->task.repeat == TW_FIXED_DELAY ? moment_now() : 0);
    entry->state = ENTRY_WAITING;
    if (locked_put(service, id) < 0)
        tally_add(&service->tally.stalled, 1);
}

/* Runs the first task of the ready list; called and returns with the lock. */
static void locked_run(struct tw_service *service)
{
    uint32_t id = service->ready.head;
    struct entry *entry = &service->entries.all[id];
    entries_unlink(&service->entries, &service->ready, id);
    bool once = entry->task.repeat == TW_ONCE;
    entry->state = once ? ENTRY_FIRED : ENTRY_RUNNING;
    struct tw_task task = entry->task;
    struct tw_firing firing = {.timer = entries_name(&service->entries, id),
                               .due_ns = task.due_ns,
                               .turn_ns = entry->turn_ns};
    firing.tick_ns = ticking_moment(&service->ticking, ticking_due(&service->ticking, task.due_ns));
    if (once)
        entries_give(&service->entries, id);
    pthread_mutex_unlock(&service->lock);

    TW_RUNNER_POINT(&service->driver_seat, task_unlocked);
    tally_add(&service->tally.runs, 1);
    if (task.run(&service->driver_seat, task.argument, &firing) != 0)
        tally_add(&service->tally.failed, 1);
    TW_RUNNER_POINT(&service->driver_seat, task_ended);

    pthread_mutex_lock(&service->lock);
    if (!once)
        locked_renew(service, id);
}

/* Waits for the head of the design.  wake_tick is what a start compares with. */
static void locked_wait(struct tw_service *service)
{
    tw_tick next = service->design->next(service->timers);
    service->wake_tick = next;
    uint64_t until = next == TW_NEVER ? TW_DUE_MAX : ticking_moment(&service->ticking, next);
    moment_condition_wait(&service->wake, &service->lock, until);
    service->wake_tick = 0;
    tally_add(&service->tally.wakeups, 1);
}

static void *locked_drive(void *ctx)
{
    struct tw_service *service = ctx;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&service->lock);
    while (!service->closed) {
        uint64_t begun = moment_now();
        locked_advance(service, begun);
        tally_most(&service->tally.longest_pause_ns, moment_now() - begun);
        if (service->ready.head == OPENING_NONE) {
            locked_wait(service);
            woken = true;
            continue;
        }
        tally_add(&service->tally.useful_wakeups, woken);
        woken = false;
        while (!service->closed && service->ready.head != OPENING_NONE)
            locked_run(service);
    }
    pthread_mutex_unlock(&service->lock);
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

static int locked_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    pthread_mutex_lock(&service->lock);
    bool closed = service->closed;
    service->closed = true;
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
    if (closed)
        return TW_RUN_CLOSED;
    TW_RUNNER_POINT(seat, shut_marked);
    pthread_join(service->driver, NULL);
    pthread_mutex_lock(&service->lock);
    uint32_t chain = entries_return(&service->entries);
    service->ready = (struct entry_list){OPENING_NONE, OPENING_NONE};
    pthread_mutex_unlock(&service->lock);
    entries_tell(&service->entries, chain, returned, ctx);
    return TW_RUN_OK;
}

static void locked_close(struct tw_service *service)
{
    if (service->timers)
        service->design->close(service->timers);
    entries_close(&service->entries);
    pthread_cond_destroy(&service->wake);
    pthread_mutex_destroy(&service->lock);
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
    service->design = config->design;
    service->points = config->points;
    service->entered = 1;
    service->driver_seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    service->ready = (struct entry_list){OPENING_NONE, OPENING_NONE};
    pthread_mutex_init(&service->lock, NULL);
    int failed = moment_condition_open(&service->wake);
    answer = failed ? opening_no_thread(error, failed) : TW_RUN_OK;
    if (answer == TW_RUN_OK && !entries_open(&service->entries, opening_cap(config)))
        answer = opening_no_memory(error, opening_cap(config) * sizeof(struct entry));
    service->ticking.tick_ns = runner_tick_ns(&TW_RUNNER(locked), config);
    if (answer == TW_RUN_OK)
        answer = opening_design(config, service->ticking.tick_ns, opening_cap(config),
                                &service->timers, error);
    service->ticking.open_ns = moment_now();
    if (answer == TW_RUN_OK) {
        failed = pthread_create(&service->driver, NULL, locked_drive, service);
        answer = failed ? opening_no_thread(error, failed) : TW_RUN_OK;
    }
    if (answer == TW_RUN_OK)
        *out = service;
    else
        locked_close(service);
    return answer;
}

static void locked_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){0};
    tally_sum(out, &service->tally);
    pthread_mutex_lock(&service->lock);
    if (!service->closed)
        out->cpu_ns = tally_cpu_of(service->driver);
    out->pending = service->entries.pending;
    out->design_bytes = opening_design_bytes(service->design, service->timers);
    pthread_mutex_unlock(&service->lock);
    out->own_bytes = sizeof *service + service->entries.capacity * sizeof(struct entry);
}

static void locked_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){.tick_ns = service->ticking.tick_ns,
                                          .threads = 1,
                                          .shards = 1,
                                          .max_pending = service->entries.capacity};
    service->design->describe(service->timers, &out->design);
    out->max_pending = opening_cap_of_design(&out->design, service->entries.capacity);
}

static const char *locked_check(struct tw_service *service)
{
    if (service->ready.head != OPENING_NONE)
        return "a task is ready after shut";
    if (service->entries.pending != 0)
        return "timers pend after shut";
    return service->design->check(service->timers);
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
