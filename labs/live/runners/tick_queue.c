/*
 * tick_queue.c - a worker that wakes on each tick; starts and stops reach it through two queues.
 *
 *     any thread --start--> [ start stack ] --taken--> backlog --transfer--> design --advance(k)--> task
 *                --stop---> [ stop stack  ] --taken--> stops ----drained---> place given back
 *                                                                                (all in the worker)
 *
 * After Netty's HashedWheelTimer, which is this over `round` with 512 slots and ticks of 100 ms.
 *
 * A tick, in Netty's order
 *   1. stops    drained for at most TURN_NS
 *   2. starts   at most `transfer` of the backlog go into the design; a stopped one that is met there counts
 *   3. expiry   advance(k), which runs what is due
 *   4. stops    what 1 left over, in turns of at most TURN_NS until the next tick is due.  Between two turns the
 *               worker sleeps for as long as a turn, so that it takes at most half of a core from the callers
 *               who are stopping, and the system lets it go first when the tick comes
 *   However many stops come at once, step 1 makes a tick late by a turn and no more, and each tick drains some:
 *   a storm of 1e6 costs many turns instead of one pause.
 *
 * Who may touch what
 *   The worker alone touches the design, the backlog, the stops that it took and `where`.  Any thread may push
 *   onto the stacks, take a free place, and change the state word of a timer whose name it has.
 *
 * What protects what
 *   state   One 64-bit word per place, generation and state.  A stop and the firing both want to take it
 *           out of `waiting` by one compare-and-swap: exactly one gets it, and that decides who wins.
 *   start   A stack that only grows until the worker takes all of it at once and turns it round; so it needs no tags, and
 *           no thread ever waits for another's half-done push.  The release of the push makes the task visible to the
 *           worker.  shut closes it: a push is either before that, and shut has the timer, or the start is refused.
 *   stop    The same.  A stopped timer comes through it once, and then leaves backlog or design, both of which
 *           can take one out of the middle.  If it came out of them before, as stopped, its place waits for that.
 *   free    A stack of places with a tag beside its head, because places come back to it.
 *
 * What it costs
 *   start    two compare-and-swaps, no clock read, no lock; at the next tick the worker's share
 *   stop     two compare-and-swaps; at the next tick or between two the worker's share
 *   a tick   a wake-up, needed or not: ten a second at 100 ms, a thousand at 1 ms
 *   memory   57 bytes a timer besides the design's own
 *
 * When it loses
 *   On precision: half a tick late on average.  On a burst: of `transfer` a tick at most get into the design,
 *   the rest is late by whole ticks; and the tick that moves 100,000 does so in one go, which is a pause of some
 *   milliseconds (`transfer` bounds it).  On idle machines: it wakes for nothing.  A stopped timer keeps its
 *   place until the next tick, in a storm for some (TW_RUNNER_LATE_PLACE).  A slow task delays all behind it.
 *   Tasks that together take longer than a tick leave its clock further behind with each one, and what is
 *   started then waits until that clock has come to its due.
 *
 * Invariants, tested by check after shut: no timer waits or runs.
 */
#define QUEUED_OWN                                                                                 \
    alignas(CACHE_LINE) _Atomic uint32_t stopped; /* the stop stack */                             \
    _Atomic uint32_t *stop_links;                                                                  \
    uint32_t backlog_head, backlog_tail; /* by the links of the start stack */                     \
    uint32_t stops;                      /* taken from the stop stack, not drained */              \
    uint32_t transfer; /* most timers from the backlog into the design in one tick */
#include "queued.h"

extern const struct tw_runner TW_RUNNER(tick_queue);

/* Where the worker has a timer. */
enum where {
    NOWHERE,
    BACKLOG, /* taken from the start stack, not in the design */
    PLACED,  /* in the design */
    GONE     /* out of both because it was stopped; its place is free when that stop is drained */
};

/* Longest work of the worker for stops between two looks at whether a tick is due, and how many stops it
 * drains between two looks at the clock. */
#define TURN_NS    250000u
#define TURN_CHECK 64u

static const struct tw_param tick_queue_params[] = {
    {"transfer", "most timers that one tick moves from the queue into the design (default: 100000)",
     1, TW_CAPACITY_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

/* ---- Any thread. ------------------------------------------------------------------------------ */

static int tick_queue_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    return queued_start(seat, task, WORD_WAITING, timer);
}

static int tick_queue_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t id = (uint32_t)timer;
    uint64_t generation = timer >> 32;
    if (id >= service->place_count || generation == 0)
        return TW_RUN_IDLE;
    int answer = word_stop(&service->places[id].state, seat, generation, NULL);
    if (answer != TW_RUN_STOPPED)
        return answer;
    tally_add(&((struct queue_seat *)(void *)seat)->stopped, 1);
    stack_push(&service->stopped, service->stop_links, id,
               seat); /* closed: nobody needs the place */
    return TW_RUN_STOPPED;
}

/* ---- The worker. ------------------------------------------------------------------------------ */

static void backlog_append(struct tw_service *service, uint32_t head, uint32_t tail)
{
    service->places[head].previous = service->backlog_tail;
    if (service->backlog_tail == STACK_EMPTY)
        service->backlog_head = head;
    else
        atomic_store_explicit(&service->links[service->backlog_tail], head, memory_order_relaxed);
    service->backlog_tail = tail;
}

static void backlog_remove(struct tw_service *service, uint32_t id)
{
    uint32_t previous = service->places[id].previous, next = link_of(service->links, id);
    if (previous == STACK_EMPTY)
        service->backlog_head = next;
    else
        atomic_store_explicit(&service->links[previous], next, memory_order_relaxed);
    if (next == STACK_EMPTY)
        service->backlog_tail = previous;
    else
        service->places[next].previous = previous;
}

static void backlog_put(struct tw_service *service, uint32_t id)
{
    service->where[id] = BACKLOG;
    atomic_store_explicit(&service->links[id], STACK_EMPTY, memory_order_relaxed);
    backlog_append(service, id, id);
}

/* The start stack, turned round, behind the backlog. */
static void starts_take(struct tw_service *service)
{
    uint32_t id = stack_take(&service->started, &service->worker_seat.seat);
    if (id == STACK_EMPTY)
        return;
    uint32_t tail = id, head = STACK_EMPTY;
    while (id != STACK_EMPTY) {
        uint32_t next = link_of(service->links, id);
        atomic_store_explicit(&service->links[id], head, memory_order_relaxed);
        service->places[id].previous = next;
        service->where[id] = BACKLOG;
        head = id;
        id = next;
    }
    backlog_append(service, head, tail);
}

/* Takes a stopped timer out of whatever has it, and gives its place back. */
static void stop_drain(struct tw_service *service, uint32_t id)
{
    /* A stop between our look at the start stack and now: it has not even come to the backlog. */
    if (service->where[id] == NOWHERE)
        starts_take(service);
    /* shut has taken the start stack, and goes along it: its links must stay. */
    if (service->where[id] == NOWHERE)
        return;
    if (service->where[id] == BACKLOG)
        backlog_remove(service, id);
    if (service->where[id] == PLACED)
        service->design->stop(service->timers, id);
    service->where[id] = NOWHERE;
    free_give(&service->worker_seat.seat, id);
}

/* What the turns of the tick before left over comes first: nothing waits for ever. */
static void stops_take(struct tw_service *service)
{
    if (service->stops == STACK_EMPTY)
        service->stops = stack_take(&service->stopped, &service->worker_seat.seat);
}

/* One turn: drains stops until there are none, or until the turn's time is over. */
static void stops_drain(struct tw_service *service, uint64_t end_ns)
{
    uint32_t drained = 0;
    while (service->stops != STACK_EMPTY) {
        uint32_t id = service->stops;
        service->stops = link_of(service->stop_links, id);
        stop_drain(service, id);
        if (++drained % TURN_CHECK == 0 && moment_now() >= end_ns)
            break;
    }
}

/* Whether the design took it. */
static bool design_put(struct tw_service *service, uint32_t id)
{
    tw_tick tick = ticking_due(&service->ticking, service->places[id].due_ns);
    int status = service->design->start(service->timers, id, tick);
    if (status < 0)
        tally_add(&service->tally.stalled, 1);
    else
        service->where[id] = PLACED;
    return status >= 0;
}

/* Looks at no more than `transfer` timers; those that the design has no memory for, or that are out of its reach as yet,
 * go to the end for the next tick, so that the others come by. */
static void backlog_transfer(struct tw_service *service)
{
    uint32_t moved = 0, refused = STACK_EMPTY;
    for (uint32_t n = 0; n < service->transfer && service->backlog_head != refused; n++) {
        uint32_t id = service->backlog_head;
        uint64_t word = atomic_load_explicit(&service->places[id].state, memory_order_acquire);
        backlog_remove(service, id);
        if ((uint32_t)word == WORD_STOPPED) {
            service->where[id] = GONE;
        } else if (design_put(service, id)) {
            moved++;
        } else {
            backlog_put(service, id);
            refused = refused == STACK_EMPTY ? id : refused;
        }
    }
    tally_add(&service->tally.transferred, moved);
    tally_most(&service->tally.most_transferred, moved);
}

/* After the run of a periodic task: back into the design, unless it was stopped meanwhile. */
static void task_renew(struct tw_service *service, uint32_t id)
{
    struct place *place = &service->places[id];
    place_renew(place);
    if (!word_renew(&place->state, &service->worker_seat.seat, WORD_WAITING)) {
        service->where[id] = GONE;
        return;
    }
    TW_RUNNER_POINT(&service->worker_seat.seat, task_renewed);
    if (!design_put(service, id))
        backlog_put(service, id);
}

static void tick_queue_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_service *service = ctx;
    enum word_state state = queued_fire(service, id, now);
    if (state == WORD_STOPPED)
        service->where[id] = GONE;
    if (state == WORD_RUNNING)
        task_renew(service, id);
}

/* Steps 1 to 3 of the picture at the top. */
static void tick_process(struct tw_service *service, tw_tick tick)
{
    service->pause = pause_begin();
    service->ran = false;
    TW_RUNNER_POINT(&service->worker_seat.seat, tick_begun);
    stops_take(service);
    stops_drain(service, service->pause.begun_ns + TURN_NS);
    TW_RUNNER_POINT(&service->worker_seat.seat, stops_drained);
    starts_take(service);
    backlog_transfer(service);
    service->design->advance(service->timers, tick, tick_queue_expire, service);
    if (!service->ran)
        pause_end(&service->pause, &service->tally);
    queued_publish(service, tick);
}

/* Waits until the tick; whether it had to. */
static bool tick_wait(struct tw_service *service, uint64_t until)
{
    bool waited = false;
    pthread_mutex_lock(&service->lock);
    while (!service->closing && moment_condition_wait(&service->wake, &service->lock, until))
        waited = true;
    pthread_mutex_unlock(&service->lock);
    return waited;
}

/* Step 4: drains the stops that the tick left over, until the next one is due. */
static void turns_take(struct tw_service *service, uint64_t until)
{
    while (service->stops != STACK_EMPTY && !atomic_load(&service->shutting)) {
        uint64_t rest = moment_now() + TURN_NS;
        if (rest >= until)
            break;
        tally_add(&service->tally.wakeups, tick_wait(service, rest));
        struct pause pause = pause_begin();
        uint64_t end = pause.begun_ns + TURN_NS;
        stops_drain(service, end < until ? end : until);
        pause_end(&pause, &service->tally);
        TW_RUNNER_POINT(&service->worker_seat.seat, turn_taken);
    }
}

/* Tick k is due at open + k * tick, whenever the one before was processed: drift does not add up. */
static void *tick_queue_work(void *ctx)
{
    struct tw_service *service = ctx;
    for (tw_tick tick = 1;; tick++) {
        bool waited = tick_wait(service, ticking_moment(&service->ticking, tick));
        tally_add(&service->tally.wakeups, waited);
        if (atomic_load(&service->shutting))
            break;
        tick_process(service, tick);
        turns_take(service, ticking_moment(&service->ticking, tick + 1));
        tally_add(&service->tally.useful_wakeups, waited && service->ran);
        tally_add(&service->tally.overslept_ticks, !waited);
    }
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static int tick_queue_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    uint32_t chain;
    int answer = queued_mark(seat, &chain);
    if (answer != TW_RUN_OK)
        return answer;
    atomic_exchange(&service->stopped, STACK_CLOSED);
    chain_return(seat, chain, returned, ctx);
    for (uint32_t id = 0; id < service->place_count; id++)
        if (service->where[id] == BACKLOG || service->where[id] == PLACED)
            place_return(seat, id, returned, ctx);
    return TW_RUN_OK;
}

static void tick_queue_close(struct tw_service *service)
{
    free(service->stop_links);
    queued_close(service);
}

static int tick_queue_fill(struct tw_service *service, const struct tw_runner_config *config,
                           struct tw_error *error)
{
    service->stopped = service->stops = STACK_EMPTY;
    service->backlog_head = service->backlog_tail = STACK_EMPTY;
    service->transfer = (uint32_t)opening_setting(config, "transfer", 100000);
    service->stop_links = calloc(service->place_count, sizeof *service->stop_links);
    return service->stop_links ? TW_RUN_OK
                               : opening_no_memory(error, service->place_count * sizeof(uint32_t));
}

static int tick_queue_open(struct tw_service **out, const struct tw_runner_config *config,
                           struct tw_error *error)
{
    return queued_begin(out, &TW_RUNNER(tick_queue), config, tick_queue_fill, tick_queue_work,
                        error);
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void tick_queue_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    queued_stats(service, out);
    out->own_bytes += service->place_count * sizeof *service->stop_links;
}

static void tick_queue_describe(struct tw_service *service, struct tw_runner_description *out)
{
    queued_describe(service, out);
    out->setting_count = 1;
    out->settings[0] =
        (struct tw_setting){.name = "transfer", .count = 1, .values = {service->transfer}};
}

const struct tw_runner TW_RUNNER(tick_queue) = {
    QUEUED_HOOKS,
    .name = "tick-queue",
    .summary = "a worker that wakes each tick; starts and stops come through lock-free queues",
    .after = "Netty's HashedWheelTimer: over round, 512 slots, ticks of 100 ms",
    .flags = TW_RUNNER_TICKS | TW_RUNNER_LATE_PLACE | TW_RUNNER_ONE_DISPATCH,
    .tick_ns = 100000000,
    .params = tick_queue_params,
    .open = tick_queue_open,
    .start = tick_queue_start,
    .stop = tick_queue_stop,
    .shut = tick_queue_shut,
    .close = tick_queue_close,
    .stats = tick_queue_stats,
    .describe = tick_queue_describe,
};
