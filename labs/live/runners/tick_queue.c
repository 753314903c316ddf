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
 *   start   A stack that only grows until the worker takes all of it at once and turns it round; so it needs
 *           no tags, and no thread ever waits for another's half-done push.  The release of the push
 *           makes the task visible to the worker.  shut closes it: a push is either
 *           before that, and shut has the timer, or the start is refused.
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
#include "timer_words.h"

#include <stdalign.h>

extern const struct tw_runner TW_RUNNER(tick_queue);

/* Where the worker has a timer. */
enum where {
    NOWHERE,
    BACKLOG, /* taken from the start stack, not in the design */
    PLACED,  /* in the design */
    GONE     /* out of both because it was stopped; its place is free when that stop is drained */
};

/* The members of the task one by one, so that `previous` lies where a struct tw_task has a hole. */
struct place {
    tw_task_fn *run;
    void *argument;
    uint64_t due_ns; /* of a periodic one: of its next run */
    uint64_t period_ns;
    uint32_t repeat;
    uint32_t previous; /* in the backlog */
    _Atomic uint64_t state;
};

_Static_assert(sizeof(struct place) == 48 || sizeof(void *) < 8,
               "four places are three cache lines");

/* Longest work of the worker for stops between two looks at whether a tick is due, and how many stops it
 * drains between two looks at the clock. */
#define TURN_NS    250000u
#define TURN_CHECK 64u

/* A seat counts what its thread did, so that nobody shares a counter. */
struct queue_seat {
    struct tw_seat seat;
    _Atomic uint64_t accepted, stopped;
    struct queue_seat *next; /* of all that have not left */
};

/* What several threads write has a cache line of its own. */
struct tw_service { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    alignas(CACHE_LINE) _Atomic uint64_t free; /* tag << 32 | id: the head of the free places */
    alignas(CACHE_LINE) _Atomic uint32_t started;
    alignas(CACHE_LINE) _Atomic uint32_t stopped;
    alignas(CACHE_LINE) _Atomic uint64_t reach_ns; /* the design can hold what is due by then */
    struct place *places;
    _Atomic uint32_t *links;      /* of the free places and the start stack; then of the backlog */
    _Atomic uint32_t *stop_links; /* of the stop stack */
    uint8_t *where;               /* enum where */
    uint32_t place_count;
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct tw_description description;
    struct ticking ticking;
    uint32_t backlog_head, backlog_tail;
    uint32_t stops;            /* taken from the stop stack, not drained */
    uint32_t transfer;         /* most timers from the backlog into the design in one tick */
    bool ran;                  /* a task ran in this tick */
    struct pause pause;        /* since the worker woke for the tick */
    struct tally tally;        /* written by the worker */
    _Atomic uint64_t ended;    /* one-shots that fired; written by the worker */
    _Atomic uint64_t returned; /* by shut, which alone writes it */
    _Atomic uint32_t shutting;
    pthread_mutex_t lock; /* of closing, seats and left */
    pthread_cond_t wake;  /* closing */
    bool closing;
    struct queue_seat *seats;
    uint64_t left; /* what the seats that left had counted */
    _Atomic uint32_t entered;
    pthread_t worker;
    struct queue_seat worker_seat;
    const struct tw_points *points;
};

static const struct tw_param tick_queue_params[] = {
    {"transfer", "most timers that one tick moves from the queue into the design (default: 100000)",
     1, TW_CAPACITY_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

/* ---- The free places. ------------------------------------------------------------------------- */

static uint32_t free_take(struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    uint64_t head = atomic_load_explicit(&service->free, memory_order_acquire);
    for (;;) {
        uint32_t id = (uint32_t)head;
        if (id == STACK_EMPTY)
            return STACK_EMPTY;
        uint32_t next = atomic_load_explicit(&service->links[id], memory_order_relaxed);
        uint64_t replaced = (head >> 32) + 1;
        replaced = replaced << 32 | next;
        TW_RUNNER_POINT(seat, free_looked);
        if (atomic_compare_exchange_weak_explicit(&service->free, &head, replaced,
                                                  memory_order_acquire, memory_order_acquire))
            return id;
    }
}

static void free_give(struct tw_seat *seat, uint32_t id)
{
    struct tw_service *service = seat->service;
    uint64_t head = atomic_load_explicit(&service->free, memory_order_relaxed);
    uint64_t replaced;
    do {
        /* SOLE: the place is nobody else's yet. */
        atomic_store_explicit(&service->links[id], (uint32_t)head, memory_order_relaxed);
        replaced = (head >> 32) + 1;
        replaced = replaced << 32 | id;
        TW_RUNNER_POINT(seat, give_looked);
    } while (!atomic_compare_exchange_weak_explicit(&service->free, &head, replaced,
                                                    memory_order_release, memory_order_relaxed));
}

static void place_fill(struct place *place, const struct tw_task *task)
{
    place->run = task->run;
    place->argument = task->argument;
    place->due_ns = task->due_ns;
    place->period_ns = task->period_ns;
    place->repeat = task->repeat;
}

static struct tw_task place_task(const struct place *place)
{
    return (struct tw_task){.run = place->run,
                            .argument = place->argument,
                            .due_ns = place->due_ns,
                            .period_ns = place->period_ns,
                            .repeat = (enum tw_repeat)place->repeat};
}

/* ---- Any thread. ------------------------------------------------------------------------------ */

static int tick_queue_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    if (atomic_load_explicit(&service->started, memory_order_relaxed) == STACK_CLOSED)
        return TW_RUN_CLOSED;
    if (task->due_ns > atomic_load_explicit(&service->reach_ns, memory_order_relaxed))
        return TW_RUN_RANGE;
    uint32_t id = free_take(seat);
    if (id == STACK_EMPTY)
        return TW_RUN_FULL;
    struct place *place = &service->places[id];
    uint64_t generation = atomic_load_explicit(&place->state, memory_order_relaxed) >> 32;
    generation = generation == UINT32_MAX ? 1 : generation + 1;
    place_fill(place, task);
    /* SOLE: the place was taken, and nobody knows its name. */
    atomic_store_explicit(&place->state, word_of(generation, WORD_WAITING), memory_order_relaxed);
    TW_RUNNER_POINT(seat, start_filled);
    if (!stack_push(&service->started, service->links, id, seat)) {
        atomic_store_explicit(&place->state, word_of(generation, WORD_OVER), memory_order_relaxed);
        free_give(seat, id);
        return TW_RUN_CLOSED;
    }
    TW_RUNNER_POINT(seat, start_pushed);
    tally_add(&((struct queue_seat *)(void *)seat)->accepted, 1);
    *timer = word_of(generation, 0) | id;
    return TW_RUN_OK;
}

static int tick_queue_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t id = (uint32_t)timer;
    uint64_t generation = timer >> 32;
    if (id >= service->place_count || generation == 0)
        return TW_RUN_IDLE;
    int answer = word_stop(&service->places[id].state, seat, generation);
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

/* Looks at no more than `transfer` timers; those that the design has no memory for stay in front for the next
 * tick. */
static void backlog_transfer(struct tw_service *service)
{
    uint32_t moved = 0;
    for (uint32_t n = 0; n < service->transfer && service->backlog_head != STACK_EMPTY; n++) {
        uint32_t id = service->backlog_head;
        uint64_t word = atomic_load_explicit(&service->places[id].state, memory_order_acquire);
        if ((uint32_t)word == WORD_STOPPED)
            service->where[id] = GONE;
        else if (design_put(service, id))
            moved++;
        else
            break;
        backlog_remove(service, id);
    }
    tally_add(&service->tally.transferred, moved);
    tally_most(&service->tally.most_transferred, moved);
}

/* After the run of a periodic task: back into the design, unless it was stopped meanwhile. */
static void task_renew(struct tw_service *service, uint32_t id)
{
    struct place *place = &service->places[id];
    uint64_t from = place->repeat == TW_FIXED_RATE ? place->due_ns : moment_now();
    place->due_ns = moment_after(from, place->period_ns);
    if (!word_renew(&place->state, &service->worker_seat.seat)) {
        service->where[id] = GONE;
        return;
    }
    TW_RUNNER_POINT(&service->worker_seat.seat, task_renewed);
    if (design_put(service, id))
        return;
    service->where[id] = BACKLOG;
    atomic_store_explicit(&service->links[id], STACK_EMPTY, memory_order_relaxed);
    backlog_append(service, id, id);
}

/* The design fires: whoever takes the state out of `waiting` wins.  While shut waits for us, what is due stays
 * as it is, for shut to return. */
static void tick_queue_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_service *service = ctx;
    struct tw_seat *seat = &service->worker_seat.seat;
    struct place *place = &service->places[id];
    if (atomic_load_explicit(&service->shutting, memory_order_relaxed))
        return;
    if (!service->ran)
        pause_end(&service->pause, &service->tally);
    service->ran = true;
    bool once = place->repeat == TW_ONCE;
    uint64_t name = word_fire(&place->state, seat, once);
    if (name == 0) {
        service->where[id] = GONE;
        return;
    }
    struct tw_task task = place_task(place);
    struct tw_firing firing = {.timer = name | id,
                               .due_ns = task.due_ns,
                               .turn_ns = ticking_moment(&service->ticking, now)};
    firing.tick_ns = ticking_moment(&service->ticking, ticking_due(&service->ticking, task.due_ns));
    if (once) {
        service->where[id] = NOWHERE;
        tally_add(&service->ended, 1);
        free_give(&service->worker_seat.seat, id);
    }
    task_run(&task, seat, &firing, &service->tally);
    if (!once)
        task_renew(service, id);
}

/* Publishes what others may know of the design: its bytes, and how far a start may reach, which is counted
 * from the tick just processed. */
static void design_publish(struct tw_service *service, tw_tick tick)
{
    tw_tick span = service->description.span;
    tw_tick last = span > TW_DEADLINE_MAX - tick ? TW_DEADLINE_MAX : tick + span;
    uint64_t reach = span == TW_DEADLINE_MAX ? TW_DUE_MAX : ticking_moment(&service->ticking, last);
    atomic_store_explicit(&service->reach_ns, reach, memory_order_relaxed);
    atomic_store_explicit(&service->tally.design_bytes,
                          opening_design_bytes(service->design, service->timers),
                          memory_order_relaxed);
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
    design_publish(service, tick);
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

/* What its thread started and did not stop, modulo 2^64: it may have stopped another's. */
static uint64_t seat_pending(const struct queue_seat *seat)
{
    return tally_read(&seat->accepted) - tally_read(&seat->stopped);
}

static struct tw_seat *tick_queue_enter(struct tw_service *service)
{
    struct queue_seat *seat = calloc(1, sizeof *seat);
    if (!seat)
        return NULL;
    seat->seat = (struct tw_seat){.service = service,
                                  .points = service->points,
                                  .number = atomic_fetch_add(&service->entered, 1)};
    pthread_mutex_lock(&service->lock);
    seat->next = service->seats;
    service->seats = seat;
    pthread_mutex_unlock(&service->lock);
    return &seat->seat;
}

static void tick_queue_leave(struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    struct queue_seat *leaving = (struct queue_seat *)(void *)seat;
    pthread_mutex_lock(&service->lock);
    struct queue_seat **link = &service->seats;
    while (*link != leaving)
        link = &(*link)->next;
    *link = leaving->next;
    service->left += seat_pending(leaving);
    pthread_mutex_unlock(&service->lock);
    free(leaving);
}

/* Returns the timer if it still waits. */
static void place_return(struct tw_seat *seat, uint32_t id, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    struct place *place = &service->places[id];
    uint64_t name = word_return(&place->state, seat);
    tally_add(&service->returned, name != 0);
    if (name != 0 && returned)
        returned(ctx, name | id, place->argument);
}

static int tick_queue_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->shutting, 1))
        return TW_RUN_CLOSED;
    TW_RUNNER_POINT(seat, shut_marked);
    uint32_t id = atomic_exchange(&service->started, STACK_CLOSED);
    TW_RUNNER_POINT(seat, starts_closed);
    pthread_mutex_lock(&service->lock);
    service->closing = true;
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
    pthread_join(service->worker, NULL);
    atomic_exchange(&service->stopped, STACK_CLOSED);
    while (id != STACK_EMPTY) {
        uint32_t next = link_of(service->links, id);
        place_return(seat, id, returned, ctx);
        id = next;
    }
    for (id = 0; id < service->place_count; id++)
        if (service->where[id] == BACKLOG || service->where[id] == PLACED)
            place_return(seat, id, returned, ctx);
    return TW_RUN_OK;
}

static void tick_queue_close(struct tw_service *service)
{
    for (struct queue_seat *seat = service->seats, *next; seat; seat = next) {
        next = seat->next;
        free(seat);
    }
    if (service->timers)
        service->design->close(service->timers);
    free(service->places);
    free(service->links);
    free(service->stop_links);
    free(service->where);
    pthread_cond_destroy(&service->wake);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

/* The places, all free.  Whether there was memory. */
static bool places_open(struct tw_service *service)
{
    uint32_t count = service->place_count;
    struct tw_seat quiet = {.service = service}; /* nobody else is there yet */
    service->places = calloc(count, sizeof *service->places);
    service->links = calloc(count, sizeof *service->links);
    service->stop_links = calloc(count, sizeof *service->stop_links);
    service->where = calloc(count, sizeof *service->where);
    if (!service->places || !service->links || !service->stop_links || !service->where)
        return false;
    service->free = STACK_EMPTY;
    for (uint32_t id = count; id-- > 0;) {
        service->places[id].previous = STACK_EMPTY; /* its page is fetched now, not by a start */
        free_give(&quiet, id);
    }
    return true;
}

static uint64_t places_bytes(uint32_t count)
{
    return count * (sizeof(struct place) + 2 * sizeof(uint32_t) + sizeof(uint8_t));
}

/* Memory, design and thread; close takes back what was opened when it fails. */
static int service_open(struct tw_service *service, const struct tw_runner_config *config,
                        struct tw_error *error)
{
    int answer = opening_design(config, service->ticking.tick_ns, opening_cap(config),
                                &service->timers, error);
    if (answer != TW_RUN_OK)
        return answer;
    service->design->describe(service->timers, &service->description);
    service->place_count = opening_cap_of_design(&service->description, opening_cap(config));
    if (!places_open(service))
        return opening_no_memory(error, places_bytes(service->place_count));
    service->ticking.open_ns = moment_now();
    design_publish(service, 0);
    int failed = pthread_create(&service->worker, NULL, tick_queue_work, service);
    return failed ? opening_no_thread(error, failed) : TW_RUN_OK;
}

static int tick_queue_open(struct tw_service **out, const struct tw_runner_config *config,
                           struct tw_error *error)
{
    int answer;
    struct tw_service *service =
        opening_service(&TW_RUNNER(tick_queue), config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->design = config->design;
    service->points = config->points;
    service->entered = 1;
    service->started = STACK_EMPTY;
    service->stopped = STACK_EMPTY;
    service->backlog_head = STACK_EMPTY;
    service->backlog_tail = STACK_EMPTY;
    service->stops = STACK_EMPTY;
    service->transfer = (uint32_t)opening_setting(config, "transfer", 100000);
    service->ticking.tick_ns = runner_tick_ns(&TW_RUNNER(tick_queue), config);
    service->worker_seat.seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    pthread_mutex_init(&service->lock, NULL);
    int failed = moment_condition_open(&service->wake);
    answer = failed ? opening_no_thread(error, failed) : service_open(service, config, error);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        tick_queue_close(service);
    return answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void tick_queue_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){0};
    tally_sum(out, &service->tally);
    uint64_t ended = tally_read(&service->ended) + tally_read(&service->returned);
    uint64_t pending = seat_pending(&service->worker_seat);
    out->own_bytes = sizeof *service + places_bytes(service->place_count);
    pthread_mutex_lock(&service->lock);
    pending += service->left;
    for (const struct queue_seat *seat = service->seats; seat; seat = seat->next) {
        pending += seat_pending(seat);
        out->own_bytes += sizeof *seat;
    }
    if (!service->closing)
        out->cpu_ns = tally_cpu_of(service->worker);
    pthread_mutex_unlock(&service->lock);
    out->pending =
        pending > ended ? pending - ended : 0; /* a start may fire before it is counted */
}

static void tick_queue_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){
        .tick_ns = service->ticking.tick_ns,
        .threads = 1,
        .shards = 1,
        .max_pending = service->place_count,
        .setting_count = 1,
        .settings = {{.name = "transfer", .count = 1, .values = {service->transfer}}},
        .design = service->description};
}

static const char *tick_queue_check(struct tw_service *service)
{
    for (uint32_t id = 0; id < service->place_count; id++) {
        uint32_t state = (uint32_t)atomic_load(&service->places[id].state);
        if (state == WORD_WAITING || state == WORD_RUNNING)
            return "a timer waits or runs after shut";
    }
    return service->design->check(service->timers);
}

const struct tw_runner TW_RUNNER(tick_queue) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "tick-queue",
    .summary = "a worker that wakes each tick; starts and stops come through lock-free queues",
    .after = "Netty's HashedWheelTimer: over round, 512 slots, ticks of 100 ms",
    .flags = TW_RUNNER_TICKS | TW_RUNNER_LATE_PLACE | TW_RUNNER_ONE_DISPATCH,
    .tick_ns = 100000000,
    .params = tick_queue_params,
    .open = tick_queue_open,
    .enter = tick_queue_enter,
    .leave = tick_queue_leave,
    .start = tick_queue_start,
    .stop = tick_queue_stop,
    .wait = seat_wait,
    .shut = tick_queue_shut,
    .close = tick_queue_close,
    .stats = tick_queue_stats,
    .describe = tick_queue_describe,
    .check = tick_queue_check,
};
