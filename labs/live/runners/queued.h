/*
 * queued.h - a service whose callers reach its one driver without a lock: what such runners share.
 *
 *     start    takes a free place, fills it and pushes it onto `started`          (any thread)
 *     driver   takes all of that stack, and alone touches the design             (one thread)
 *     shut     closes the stack: a push came before, and shut has the timer, or the start is refused
 *
 * Who wins between a stop, a firing and shut is decided by the word of the timer (timer_words.h).  Places come back to
 * the free stack, so its head has a tag: one that was taken and given back meanwhile is seen.  A runner defines
 * QUEUED_OWN, its further members of struct tw_service, before it includes this.
 */
#ifndef TWBENCH_QUEUED_H
#define TWBENCH_QUEUED_H

#include "timer_words.h"

#include <stdalign.h>

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
    alignas(CACHE_LINE) _Atomic uint64_t reach_ns; /* the design can hold what is due by then */
    struct place *places;
    _Atomic uint32_t *links; /* of the free places and the start stack */
    uint8_t *where;          /* where the driver has each timer; 0: nowhere */
    uint32_t place_count;
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct tw_description description;
    struct ticking ticking;
    bool ran;                  /* a task ran since the driver woke, or since its tick began */
    struct pause pause;        /* since then */
    struct tally tally;        /* written by the driver */
    _Atomic uint64_t ended;    /* one-shots that fired; written by the driver */
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
    QUEUED_OWN
};

/* ---- The free places. ------------------------------------------------------------------------- */

static inline uint32_t free_take(struct tw_seat *seat)
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

static inline void free_give(struct tw_seat *seat, uint32_t id)
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

static inline void place_fill(struct place *place, const struct tw_task *task)
{
    place->run = task->run;
    place->argument = task->argument;
    place->due_ns = task->due_ns;
    place->period_ns = task->period_ns;
    place->repeat = task->repeat;
}

static inline struct tw_task place_task(const struct place *place)
{
    return (struct tw_task){.run = place->run,
                            .argument = place->argument,
                            .due_ns = place->due_ns,
                            .period_ns = place->period_ns,
                            .repeat = (enum tw_repeat)place->repeat};
}

/* ---- Any thread. ------------------------------------------------------------------------------ */

/* The whole of a start; the word of an accepted timer is `first`. */
static inline int queued_start(struct tw_seat *seat, const struct tw_task *task,
                               enum word_state first, tw_timer *timer)
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
    atomic_store_explicit(&place->state, word_of(generation, first), memory_order_relaxed);
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

/* What its thread started and did not stop, modulo 2^64: it may have stopped another's. */
static inline uint64_t seat_pending(const struct queue_seat *seat)
{
    return tally_read(&seat->accepted) - tally_read(&seat->stopped);
}

static inline struct tw_seat *queued_enter(struct tw_service *service)
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

static inline void queued_leave(struct tw_seat *seat)
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

/* ---- The driver. ------------------------------------------------------------------------------ */

/* Publishes how far a start may reach, which is counted from the tick just processed. */
static inline void queued_reach(struct tw_service *service, tw_tick tick)
{
    tw_tick span = service->description.span;
    tw_tick last = span > TW_DEADLINE_MAX - tick ? TW_DEADLINE_MAX : tick + span;
    uint64_t reach = span == TW_DEADLINE_MAX ? TW_DUE_MAX : ticking_moment(&service->ticking, last);
    atomic_store_explicit(&service->reach_ns, reach, memory_order_relaxed);
}

/* The same, and the bytes of the design. */
static inline void queued_publish(struct tw_service *service, tw_tick tick)
{
    queued_reach(service, tick);
    atomic_store_explicit(&service->tally.design_bytes,
                          opening_design_bytes(service->design, service->timers),
                          memory_order_relaxed);
}

/* The design fires: whoever takes the state out of `waiting` wins.  What became of it: WORD_FIRED, WORD_RUNNING for a
 * periodic one that ran and is to be renewed, WORD_STOPPED for one that another took.  While shut waits for us, what is
 * due stays as it is, for shut to return: WORD_WAITING. */
static inline enum word_state queued_fire(struct tw_service *service, uint32_t id, tw_tick now)
{
    struct tw_seat *seat = &service->worker_seat.seat;
    struct place *place = &service->places[id];
    if (atomic_load_explicit(&service->shutting, memory_order_relaxed))
        return WORD_WAITING;
    if (!service->ran)
        pause_end(&service->pause, &service->tally);
    service->ran = true;
    service->where[id] = 0;
    bool once = place->repeat == TW_ONCE;
    uint64_t name = word_fire(&place->state, seat, once);
    if (name == 0)
        return WORD_STOPPED;
    struct tw_task task = place_task(place);
    struct tw_firing firing = {.timer = name | id,
                               .due_ns = task.due_ns,
                               .turn_ns = ticking_moment(&service->ticking, now)};
    firing.tick_ns = ticking_moment(&service->ticking, ticking_due(&service->ticking, task.due_ns));
    if (once) {
        tally_add(&service->ended, 1);
        free_give(seat, id);
    }
    task_run(&task, seat, &firing, &service->tally);
    return once ? WORD_FIRED : WORD_RUNNING;
}

/* The due of a periodic timer's next run. */
static inline void place_renew(struct place *place)
{
    uint64_t from = place->repeat == TW_FIXED_RATE ? place->due_ns : moment_now();
    place->due_ns = moment_after(from, place->period_ns);
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static inline uint64_t places_bytes(uint32_t count)
{
    return count * (sizeof(struct place) + sizeof(uint32_t) + sizeof(uint8_t));
}

/* The design and the places, all free.  TW_RUN_OK, or the answer for open. */
static inline int queued_open(struct tw_service *service, const struct tw_runner_config *config,
                              struct tw_error *error)
{
    int answer = opening_design(config, service->ticking.tick_ns, opening_cap(config),
                                &service->timers, error);
    if (answer != TW_RUN_OK)
        return answer;
    service->design->describe(service->timers, &service->description);
    service->place_count = opening_cap_of_design(&service->description, opening_cap(config));
    uint32_t count = service->place_count;
    struct tw_seat quiet = {.service = service}; /* nobody else is there yet */
    service->places = calloc(count, sizeof *service->places);
    service->links = calloc(count, sizeof *service->links);
    service->where = calloc(count, sizeof *service->where);
    if (!service->places || !service->links || !service->where)
        return opening_no_memory(error, places_bytes(count));
    service->free = STACK_EMPTY;
    for (uint32_t id = count; id-- > 0;) {
        service->places[id].previous = STACK_EMPTY; /* its page is fetched now, not by a start */
        free_give(&quiet, id);
    }
    service->ticking.open_ns = moment_now();
    queued_publish(service, 0);
    return TW_RUN_OK;
}

/* Returns the timer if it still waits, in the design or on a stack. */
static inline void place_return(struct tw_seat *seat, uint32_t id, tw_return_fn *returned,
                                void *ctx)
{
    struct tw_service *service = seat->service;
    struct place *place = &service->places[id];
    uint64_t name = word_return(&place->state, seat);
    tally_add(&service->returned, name != 0);
    if (name != 0 && returned)
        returned(ctx, name | id, place->argument);
}

/* The same of all on a chain of links. */
static inline void chain_return(struct tw_seat *seat, uint32_t id, tw_return_fn *returned,
                                void *ctx)
{
    while (id != STACK_EMPTY) {
        uint32_t next = link_of(seat->service->links, id);
        place_return(seat, id, returned, ctx);
        id = next;
    }
}

/* TW_RUN_OK when this call is the one that shuts: the stack of starts is closed and what lay on it in *chain, and the
 * driver has ended. */
static inline int queued_mark(struct tw_seat *seat, uint32_t *chain)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->shutting, 1))
        return TW_RUN_CLOSED;
    TW_RUNNER_POINT(seat, shut_marked);
    *chain = atomic_exchange(&service->started, STACK_CLOSED);
    TW_RUNNER_POINT(seat, starts_closed);
    pthread_mutex_lock(&service->lock);
    service->closing = true;
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
    pthread_join(service->worker, NULL);
    return TW_RUN_OK;
}

static inline void queued_close(struct tw_service *service)
{
    for (struct queue_seat *seat = service->seats, *next; seat; seat = next) {
        next = seat->next;
        free(seat);
    }
    if (service->timers)
        service->design->close(service->timers);
    free(service->places);
    free(service->links);
    free(service->where);
    pthread_cond_destroy(&service->wake);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

/* The whole of an open.  `fill` sets what is the runner's own, when the places are there. */
static inline int queued_begin(struct tw_service **out, const struct tw_runner *runner,
                               const struct tw_runner_config *config,
                               int (*fill)(struct tw_service *, const struct tw_runner_config *,
                                           struct tw_error *),
                               void *(*drive)(void *), struct tw_error *error)
{
    int answer;
    struct tw_service *service = opening_service(runner, config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->design = config->design;
    service->points = config->points;
    service->entered = 1;
    service->started = STACK_EMPTY;
    service->ticking.tick_ns = runner_tick_ns(runner, config);
    service->worker_seat.seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    pthread_mutex_init(&service->lock, NULL);
    answer = opening_thread(error, moment_condition_open(&service->wake));
    answer = answer == TW_RUN_OK ? queued_open(service, config, error) : answer;
    answer = answer == TW_RUN_OK ? fill(service, config, error) : answer;
    if (answer == TW_RUN_OK)
        answer = opening_thread(error, pthread_create(&service->worker, NULL, drive, service));
    if (answer == TW_RUN_OK)
        *out = service;
    else
        runner->close(service);
    return answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static inline void queued_stats(struct tw_service *service, struct tw_runner_stats *out)
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

static inline void queued_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){.tick_ns = service->ticking.tick_ns,
                                          .threads = 1,
                                          .shards = 1,
                                          .max_pending = service->place_count,
                                          .design = service->description};
}

static inline const char *queued_check(struct tw_service *service)
{
    for (uint32_t id = 0; id < service->place_count; id++) {
        uint32_t state = (uint32_t)atomic_load(&service->places[id].state);
        if (state == WORD_QUEUED || state == WORD_WAITING || state == WORD_RUNNING)
            return "a timer waits or runs after shut";
    }
    return service->design->check(service->timers);
}

/* The hooks that such runners have alike. */
#define QUEUED_HOOKS                                                                               \
    .abi_version = TW_RUNNER_ABI_VERSION, .enter = queued_enter, .leave = queued_leave,            \
    .wait = seat_wait, .check = queued_check

#endif
