/*
 * mpsc_heap.c - any thread pushes starts and stops onto one lock-free stack; one driver owns the heap behind it.
 *
 *     any thread --start--> [ stack, last push first ] --all of it--> backlog --> design --> task
 *                --stop---> [  of starts and stops   ]                            (all in the driver)
 *                     \--due before what the driver sleeps for: wakes it
 *
 * After DelayScheduler, the timer of ForkJoinPool since JDK 25 (Doug Lea), which is this over `heap4` with ticks of
 * 1 ns.  Three departures.  There each start and each stop wakes a driver that sleeps; here only a start that is due
 * before all others, and a stop when an eighth of the places waits for the driver.  There the driver hands tasks to the
 * pool, apart from the JDK's own timeouts, which it runs itself as here.  There a garbage collector keeps a node from
 * coming back to the stack too soon; here places come back by themselves.
 *
 * Who may touch what
 *   The driver alone touches the design, the backlog, what was refused and `where`.  Any thread may push, take a free place, and change the
 *   word of a timer whose name it has.
 *
 * What protects what
 *   word    QUEUED on the stack, WAITING in the design.  A stop, the firing and shut each take it by one
 *           compare-and-swap, so exactly one of them wins.
 *   stop    Of a QUEUED timer: the word alone.  The driver finds it stopped when it comes to it, and it never enters the
 *           design.  Of a WAITING or RUNNING one: its place goes onto the stack once more, as a message, for which its
 *           link is free by then.  The place is free again when the driver has met it there, not before.
 *   stack   A push and a taking of all: a head that was taken and came back is still what lies below.  So there is no
 *           ABA, and no tag.  The stack of free places, from which single ones are taken, has a tag.
 *   wake    The driver writes when it will wake, then looks at the stack, then sleeps.  A caller pushes, then reads
 *           when the driver will wake.  In one total order: the driver sees the push, or the caller sees that it sleeps.
 *
 * What it costs
 *   start     two compare-and-swaps and a read, no clock read, no lock; a signal if it is the earliest
 *   stop      one compare-and-swap before the driver has come to the timer, two after
 *   re-arm    a stop and a start.  A periodic task goes through the backlog, without the stack
 *   a task    the design's next and advance, and a read of the stack: what was pushed meanwhile comes first
 *   idle      no wake-up at all
 *   memory    53 bytes a timer besides the design's own
 *
 * When it loses
 *   With few callers: a mutex that nobody else wants costs less than a hand-over to the driver, which touches each timer
 *   on another core.  Stops cost their caller little and the driver the more, REQUESTS of them between two looks at what
 *   is due.  A stopped timer keeps its place until the driver comes by (TW_RUNNER_LATE_PLACE).  A slow task delays all
 *   behind it (TW_RUNNER_ONE_DISPATCH).
 *
 * Invariants, tested by check after shut: no timer is queued, waits or runs.
 */
#define QUEUED_OWN                                                                                 \
    alignas(CACHE_LINE) _Atomic uint64_t wake_ns; /* a start due before that wakes the driver */   \
    uint32_t backlog;                             /* taken from the stack, by its links */         \
    uint32_t refused;                             /* starts for the next turn, in the same way */  \
    uint32_t most_stops;                          /* of a seat, after which it wakes the driver */
#include "queued.h"

extern const struct tw_runner TW_RUNNER(mpsc_heap);

enum where { NOWHERE, PLACED };

/* Most starts and stops that the driver takes between two looks at what is due; how long it sleeps before it offers the
 * design again what it had no memory for. */
#define REQUESTS 1024u
#define RETRY_NS UINT64_C(1000000)

/* ---- Any thread. ------------------------------------------------------------------------------ */

/* Wakes the driver if it sleeps beyond that moment. */
static void driver_hurry(struct tw_seat *seat, uint64_t due_ns)
{
    struct tw_service *service = seat->service;
    uint64_t wake = atomic_load(&service->wake_ns);
    while (due_ns < wake) {
        TW_RUNNER_POINT(seat, hurry_looked);
        if (!atomic_compare_exchange_weak(&service->wake_ns, &wake, due_ns))
            continue;
        TW_RUNNER_POINT(seat, wake_lowered);
        pthread_mutex_lock(&service->lock);
        pthread_cond_signal(&service->wake);
        pthread_mutex_unlock(&service->lock);
        return;
    }
}

/* How far the design can reach from now.  Its clock may have stood still for as long as the driver slept; before it takes
 * a start the driver sets it to the tick before now. */
static void reach_follow(struct tw_service *service)
{
    tw_tick now = ticking_reached(&service->ticking, moment_now());
    queued_reach(service, now > 0 ? now - 1 : 0);
}

static int mpsc_heap_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    if (service->description.span != TW_DEADLINE_MAX)
        reach_follow(service);
    int answer = queued_start(seat, task, WORD_QUEUED, timer);
    if (answer == TW_RUN_OK)
        driver_hurry(seat, task->due_ns);
    else if (answer == TW_RUN_FULL && atomic_load(&service->started) != STACK_EMPTY)
        driver_hurry(seat, 0); /* stopped ones may have places */
    return answer;
}

static int mpsc_heap_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t id = (uint32_t)timer, from;
    uint64_t generation = timer >> 32;
    if (id >= service->place_count || generation == 0)
        return TW_RUN_IDLE;
    int answer = word_stop(&service->places[id].state, seat, generation, &from);
    if (answer != TW_RUN_STOPPED)
        return answer;
    _Atomic uint64_t *stopped = &((struct queue_seat *)(void *)seat)->stopped;
    tally_add(stopped, 1);
    if (from != WORD_QUEUED)
        stack_push(&service->started, service->links, id,
                   seat); /* closed: nobody needs the place */
    if (tally_read(stopped) % service->most_stops == 0)
        driver_hurry(seat, 0);
    return TW_RUN_STOPPED;
}

/* ---- The driver. ------------------------------------------------------------------------------ */

/* Whether the design took it.  `word` is its state as it was found; one that was stopped since then comes out again. */
static bool start_take(struct tw_service *service, uint32_t id, uint64_t word)
{
    struct place *place = &service->places[id];
    uint64_t waiting = word_of(word >> 32, WORD_WAITING);
    tw_tick tick = ticking_due(&service->ticking, place->due_ns);
    if (service->design->start(service->timers, id, tick) < 0) {
        tally_add(&service->tally.stalled, 1);
        return false;
    }
    service->where[id] = PLACED;
    TW_RUNNER_POINT(&service->worker_seat.seat, start_placed);
    if (atomic_compare_exchange_strong(&place->state, &word, waiting))
        return true;
    service->design->stop(service->timers, id);
    service->where[id] = NOWHERE;
    free_give(&service->worker_seat.seat, id);
    return true;
}

/* A start, or the message of a stop; false when the design had no memory for a start. */
static bool request_take(struct tw_service *service, uint32_t id)
{
    uint64_t word = atomic_load_explicit(&service->places[id].state, memory_order_acquire);
    if ((uint32_t)word == WORD_QUEUED)
        return start_take(service, id, word);
    if (service->where[id] == PLACED)
        service->design->stop(service->timers, id);
    service->where[id] = NOWHERE;
    free_give(&service->worker_seat.seat, id);
    return true;
}

/* Takes at most REQUESTS.  False when the design had no memory for a start, or cannot reach so far as yet: it comes again
 * in the next turn, so that the others come by. */
static bool requests_take(struct tw_service *service)
{
    uint32_t moved = 0;
    if (service->backlog == STACK_EMPTY) {
        service->backlog = service->refused;
        service->refused = STACK_EMPTY;
    }
    while (moved < REQUESTS) {
        if (service->backlog == STACK_EMPTY)
            service->backlog = stack_take(&service->started, &service->worker_seat.seat);
        uint32_t id = service->backlog;
        if (id == STACK_EMPTY)
            break;
        uint32_t next = link_of(service->links, id);
        service->backlog = next;
        if (!request_take(service, id)) {
            atomic_store_explicit(&service->links[id], service->refused, memory_order_relaxed);
            service->refused = id;
        }
        moved++;
    }
    tally_add(&service->tally.transferred, moved);
    tally_most(&service->tally.most_transferred, moved);
    return service->refused == STACK_EMPTY;
}

static bool requests_wait(struct tw_service *service)
{
    return service->backlog != STACK_EMPTY || atomic_load(&service->started) != STACK_EMPTY;
}

/* After its run a periodic task is queued again, in front of the backlog, unless it was stopped meanwhile: then its message
 * comes. */
static void mpsc_heap_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_service *service = ctx;
    struct place *place = &service->places[id];
    if (queued_fire(service, id, now) != WORD_RUNNING)
        return;
    place_renew(place);
    if (!word_renew(&place->state, &service->worker_seat.seat, WORD_QUEUED))
        return;
    TW_RUNNER_POINT(&service->worker_seat.seat, task_renewed);
    atomic_store_explicit(&service->links[id], service->backlog, memory_order_relaxed);
    service->backlog = id;
}

/* Fires what is due by that tick, one tick after the other, until there are requests: they may be due before the
 * rest. */
static void due_fire(struct tw_service *service, tw_tick reached)
{
    tw_tick next;
    do {
        next = service->design->next(service->timers);
        if (next <= reached)
            service->design->advance(service->timers, next, mpsc_heap_expire, service);
    } while (next <= reached && !requests_wait(service) &&
             !atomic_load_explicit(&service->shutting, memory_order_relaxed));
}

/* Requests first, then what is due.  The design's clock follows before a start, as it has slept with the driver, but never
 * past something that is due.  False when a start has to wait. */
static bool mpsc_heap_turn(struct tw_service *service)
{
    service->ran = false;
    service->pause = pause_begin();
    tw_tick reached = ticking_reached(&service->ticking, service->pause.begun_ns);
    if (reached > 0 && service->design->next(service->timers) >= reached)
        service->design->advance(service->timers, reached - 1, mpsc_heap_expire, service);
    bool taken = requests_take(service);
    due_fire(service, reached);
    if (!service->ran)
        pause_end(&service->pause, &service->tally);
    queued_publish(service, reached > 0 ? reached - 1 : 0);
    return taken;
}

/* Sleeps until the head is due, unless there are requests; whether it had to.  Dues of one tick are as one: only a start
 * of an earlier tick is worth a wake-up. */
static bool mpsc_heap_sleep(struct tw_service *service, bool retries)
{
    tw_tick next = service->design->next(service->timers);
    uint64_t until = next == TW_NEVER ? TW_DUE_MAX : ticking_moment(&service->ticking, next);
    uint64_t retry = moment_after(moment_now(), RETRY_NS);
    if (retries && retry < until)
        until = retry;
    uint64_t limit = until == TW_DUE_MAX ? until : until - (service->ticking.tick_ns - 1);
    bool waited = false;
    atomic_store(&service->wake_ns, limit);
    TW_RUNNER_POINT(&service->worker_seat.seat, wake_set);
    if (!requests_wait(service)) {
        pthread_mutex_lock(&service->lock);
        while (!service->closing && atomic_load(&service->wake_ns) == limit &&
               moment_condition_wait(&service->wake, &service->lock, until))
            waited = true;
        pthread_mutex_unlock(&service->lock);
    }
    TW_RUNNER_POINT(&service->worker_seat.seat, wake_over);
    atomic_store(&service->wake_ns, 0);
    return waited;
}

static void *mpsc_heap_drive(void *ctx)
{
    struct tw_service *service = ctx;
    bool woken = false;
    moment_sharpen();
    while (!atomic_load(&service->shutting)) {
        bool taken = mpsc_heap_turn(service);
        tally_add(&service->tally.useful_wakeups, woken && service->ran);
        bool waited = mpsc_heap_sleep(service, !taken);
        tally_add(&service->tally.wakeups, waited);
        woken = waited || (woken && !service->ran);
    }
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int mpsc_heap_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    uint32_t chain;
    int answer = queued_mark(seat, &chain);
    if (answer != TW_RUN_OK)
        return answer;
    chain_return(seat, chain, returned, ctx);
    chain_return(seat, service->backlog, returned, ctx);
    chain_return(seat, service->refused, returned, ctx);
    for (uint32_t id = 0; id < service->place_count; id++)
        if (service->where[id] == PLACED)
            place_return(seat, id, returned, ctx);
    return TW_RUN_OK;
}

static int mpsc_heap_fill(struct tw_service *service, const struct tw_runner_config *config,
                          struct tw_error *error)
{
    (void)config, (void)error;
    service->backlog = service->refused = STACK_EMPTY;
    service->most_stops = service->place_count < 8 ? 1 : service->place_count / 8;
    return TW_RUN_OK;
}

static int mpsc_heap_open(struct tw_service **out, const struct tw_runner_config *config,
                          struct tw_error *error)
{
    return queued_begin(out, &TW_RUNNER(mpsc_heap), config, mpsc_heap_fill, mpsc_heap_drive, error);
}

const struct tw_runner TW_RUNNER(mpsc_heap) = {
    QUEUED_HOOKS,
    .name = "mpsc-heap",
    .summary = "starts and stops go onto one lock-free stack, one driver owns the heap behind it",
    .after = "DelayScheduler of JDK 25: over heap4, ticks of 1 ns",
    .flags = TW_RUNNER_LATE_PLACE | TW_RUNNER_ONE_DISPATCH,
    .params = opening_no_params,
    .open = mpsc_heap_open,
    .start = mpsc_heap_start,
    .stop = mpsc_heap_stop,
    .shut = mpsc_heap_shut,
    .close = queued_close,
    .stats = queued_stats,
    .describe = queued_describe,
};
