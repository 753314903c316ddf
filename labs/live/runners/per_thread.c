/*
 * per_thread.c - each thread has a design of its own and no lock; another's timer is stopped by a message.
 *
 *     thread A --start, own stop--> [ base A: design, entries, ready list ] --wait--> tasks, in A
 *     thread B --stop of A's----> { word of the timer } --message--> [ inbox of A ]
 *     A leaves: base A ----------> [ keeper: a thread of the runner's ] --> tasks, in the keeper
 *
 * After tokio's timers per worker (#7384), the per-CPU bases of Linux, Seastar's and Go's timers per P.  Here
 * the threads are the callers' (TW_RUNNER_CALLERS_DRIVE): what a thread started fires while it is in wait.
 *
 * Who may touch what
 *   A base belongs to one thread: the one whose seat has it, then the keeper, then perhaps the next one
 *   that enters, once nothing pends in it.  Only its owner touches design, entries and ready list.
 *   The lock of the service is for changes of owner alone: nobody takes it to start, stop or fire.
 *
 * What protects what
 *   word      One per place (timer_words.h).  A stop by anyone, the firing and shut each want to take it out
 *             of `waiting` by one compare-and-swap: exactly one gets it.
 *   inbox     A stack.  Whoever has stopped another's timer pushes it there.  The owner empties it when
 *             it waits, or has no place left.  It is not woken for it: a stop makes nothing earlier.  A base outlives
 *             its thread, so a message always arrives.  The keeper alone is woken for the first message, because it
 *             sleeps until the head of what was left, and others may need the places before that.  A stop pushes and then
 *             reads `kept`, leaving writes it and then the keeper reads the inbox; both touch `kept` by a
 *             read-modify-write, so that the later one sees what the earlier one did before.
 *   shut      start publishes its word and then reads `closed`; shut writes `closed` and then reads all words;
 *             both in one total order.  So shut sees the timer, or start sees that it is closed and takes it back.
 *             `turning` is published the same way around the tasks, and shut waits until nobody turns.
 *   cap       A base has places granted to it from the room of the service, some at a time, so that threads meet
 *             there seldom.  A start may be refused while another base has granted places free (SPLIT_CAP).
 *
 * What it costs
 *   start        an exchange, and the design's own start
 *   own stop     a compare-and-swap, and the design's own stop
 *   other stop   two compare-and-swaps and a count in the other's cache lines; its place comes back later
 *   idle         no wake-up; the keeper sleeps until the head of what was left behind
 *   memory       76 bytes a timer besides the design's own, times the threads that start more than their
 *                share; the first start of a thread opens its design
 *
 * When it loses
 *   A thread that does not come to wait fires nothing, and nobody helps it, though others be idle.  A slow task
 *   delays what the same thread started.  With most stops made by other threads places lie idle in inboxes.
 *   cpu_ns is that of the keeper: what callers use in wait is theirs.
 *
 * Invariants, tested by check after shut, when no call goes on any more: no timer waits or runs.
 */
#include "guarded.h"
#include "timer_words.h"

#include <stdalign.h>

extern const struct tw_runner TW_RUNNER(per_thread);

/* Designs at the most, and as many as the names leave room for. */
#define BASES_MAX 1024u
/* Places of one base, unless there are fewer in all: a share that is too small helps nobody. */
#define SHARE_LEAST 1024u

/* Only the owner touches what has no atomic. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): others write to a line of their own */
struct base {
    struct guarded own; /* its lock is not used */
    _Atomic uint64_t *words;
    _Atomic uint32_t *links; /* of the inbox */
    uint32_t granted;        /* places of the cap that are this base's to give */
    struct base *next;       /* vacant, or left to the keeper; under the lock of the service */
    struct tally tally;
    _Atomic uint64_t accepted, ended; /* ended: fired, or stopped by the owner */
    _Atomic uint32_t turning;         /* its owner runs tasks */
    _Atomic uint32_t kept;            /* its owner is the keeper */
    alignas(CACHE_LINE) _Atomic uint32_t inbox;
    _Atomic uint64_t stopped; /* by others */
};

struct thread_seat {
    struct tw_seat seat;
    struct base *base; /* from the first start on */
    int slack_ns;      /* the thread's before moment_sharpen */
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines of their own are meant */
struct tw_service {
    alignas(CACHE_LINE) _Atomic uint32_t closed; /* written once */
    _Atomic uint32_t base_count;
    uint32_t bases_max, shift; /* a name's low half is base << shift | id */
    uint32_t share, cap, grant;
    struct base *_Atomic bases[BASES_MAX];
    struct tw_runner_config config; /* for the bases to come */
    struct tw_setting *settings;    /* the design's, copied */
    struct ticking ticking;
    struct tw_description description;
    alignas(CACHE_LINE) _Atomic uint32_t room; /* of the cap, granted to no base */
    alignas(CACHE_LINE) pthread_mutex_t lock;  /* of vacant, left and arrived */
    struct base *vacant;                       /* nothing pends there */
    struct base *left;                         /* the keeper's */
    bool arrived;                              /* a base was left, or one has a first message */
    pthread_cond_t wake;                       /* of the keeper: arrived, or closed */
    pthread_cond_t turned;                     /* of shut: closed, and somebody has ended to turn */
    pthread_t keeper;
    struct thread_seat keeper_seat;
    struct tally tally;        /* written by the keeper */
    _Atomic uint64_t returned; /* by shut, which alone writes it */
    _Atomic uint32_t entered;
};

static struct thread_seat *seat_of(struct tw_seat *seat)
{
    return (struct thread_seat *)(void *)seat;
}

static bool closed(const struct tw_service *service)
{
    return atomic_load(&service->closed) != 0;
}

/* ---- Bases. ----------------------------------------------------------------------------------- */

static void base_close(struct base *base)
{
    guarded_close(&base->own);
    free(base->words);
    free(base->links);
    free(base);
}

/* The next base, in *out.  Called by open, and with the lock. */
static int base_open(struct tw_service *service, struct base **out, struct tw_error *error)
{
    uint32_t count = atomic_load(&service->base_count);
    struct base *base = aligned_alloc(CACHE_LINE, sizeof *base);
    if (!base || count == service->bases_max) {
        free(base);
        return opening_no_memory(error, sizeof *base);
    }
    memset(base, 0, sizeof *base);
    base->inbox = STACK_EMPTY;
    base->words = calloc(service->share, sizeof *base->words);
    base->links = calloc(service->share, sizeof *base->links);
    int answer =
        guarded_open(&base->own, &service->config, service->ticking.tick_ns, service->share, error);
    if (answer == TW_RUN_OK && (!base->words || !base->links))
        answer = opening_no_memory(error, service->share * sizeof *base->words);
    if (answer != TW_RUN_OK) {
        base_close(base);
        return answer;
    }
    base->own.ticking = service->ticking;
    base->own.entries.base = count << service->shift;
    base->tally.design_bytes = opening_design_bytes(base->own.design, base->own.timers);
    /* SOLE: the lock is held. */
    atomic_store(&service->bases[count], base);
    /* SOLE: the same. */
    atomic_store(&service->base_count, count + 1);
    *out = base;
    return TW_RUN_OK;
}

/* The base of the seat, which gets one with its first start; NULL without memory. */
static struct base *base_of(struct thread_seat *seat)
{
    struct tw_service *service = seat->seat.service;
    struct tw_error error;
    if (seat->base)
        return seat->base;
    pthread_mutex_lock(&service->lock);
    struct base *base = service->vacant;
    if (base)
        service->vacant = base->next;
    else if (base_open(service, &base, &error) != TW_RUN_OK)
        base = NULL;
    pthread_mutex_unlock(&service->lock);
    seat->base = base;
    if (base) {
        seat->slack_ns = prctl(PR_GET_TIMERSLACK);
        moment_sharpen();
    }
    return base;
}

/* Gets the base some places more from the room; whether there was one. */
static bool base_grant(struct tw_service *service, struct base *base, struct tw_seat *seat)
{
    uint32_t room = atomic_load_explicit(&service->room, memory_order_relaxed), some;
    do {
        some = room < service->grant ? room : service->grant;
        if (some == 0)
            return false;
        TW_RUNNER_POINT(seat, room_looked);
    } while (!atomic_compare_exchange_weak_explicit(&service->room, &room, room - some,
                                                    memory_order_relaxed, memory_order_relaxed));
    base->granted += some;
    return true;
}

/* Gives the room back what is granted and free, but for `keep`. */
static void base_give(struct tw_service *service, struct base *base, uint32_t keep)
{
    uint32_t free_places = base->granted - base->own.entries.pending;
    if (free_places <= keep)
        return;
    base->granted -= free_places - keep;
    atomic_fetch_add_explicit(&service->room, free_places - keep, memory_order_relaxed);
}

/* Gives back what the base has free to no purpose; after a stop or a turn. */
static void base_trim(struct tw_service *service, struct base *base)
{
    if (base->granted - base->own.entries.pending > 2 * service->grant)
        base_give(service, base, service->grant);
}

/* The places of the timers that others have stopped. */
static void base_drain(struct base *base, struct tw_seat *seat)
{
    struct entries *entries = &base->own.entries;
    uint32_t next;
    for (uint32_t id = stack_take(&base->inbox, seat); id != STACK_EMPTY; id = next) {
        next = link_of(base->links, id);
        TW_RUNNER_POINT(seat, message_read);
        if (entries->all[id].state == ENTRY_MARKED)
            entries_unmark(entries, id);
        else
            guarded_stop(&base->own, entries_name(entries, id), false);
    }
}

/* ---- Start and stop. -------------------------------------------------------------------------- */

/* The start itself, in the owner's own part, with a second try when others' stops have left places. */
static int base_start(struct tw_service *service, struct base *base, struct tw_seat *seat,
                      const struct tw_task *task, tw_timer *timer)
{
    tw_tick wake;
    for (bool again = false;; again = true) {
        int answer = TW_RUN_FULL;
        if (base->granted > base->own.entries.pending || base_grant(service, base, seat))
            answer = guarded_start(&base->own, task, timer, &wake);
        if (answer != TW_RUN_FULL || again)
            return answer;
        base_drain(base, seat);
    }
}

static int per_thread_start(struct tw_seat *seat, const struct tw_task *task, tw_timer *timer)
{
    struct tw_service *service = seat->service;
    tw_timer name;
    if (closed(service))
        return TW_RUN_CLOSED;
    struct base *base = base_of(seat_of(seat));
    if (!base)
        return TW_RUN_MEMORY;
    int answer = base_start(service, base, seat, task, &name);
    if (answer != TW_RUN_OK)
        return answer;
    TW_RUNNER_POINT(seat, start_placed);
    _Atomic uint64_t *word = &base->words[entries_id(&base->own.entries, name)];
    atomic_exchange(word, word_of(name >> 32, WORD_WAITING));
    TW_RUNNER_POINT(seat, start_published);
    uint64_t waiting = word_of(name >> 32, WORD_WAITING);
    if (closed(service) &&
        atomic_compare_exchange_strong(word, &waiting, word_of(name >> 32, WORD_OVER))) {
        guarded_stop(&base->own, name, false);
        return TW_RUN_CLOSED;
    }
    tally_add(&base->accepted, 1);
    *timer = name;
    return TW_RUN_OK;
}

/* Leaves the owner the place of a timer that another has stopped. */
static void base_tell(struct tw_service *service, struct base *base, struct tw_seat *seat,
                      uint32_t id)
{
    atomic_fetch_add_explicit(&base->stopped, 1, memory_order_relaxed);
    TW_RUNNER_POINT(seat, message_written);
    bool first = stack_push_on(&base->inbox, base->links, id, seat) == STACK_EMPTY;
    TW_RUNNER_POINT(seat, message_pushed);
    if (!first || !atomic_fetch_or(&base->kept, 0))
        return;
    pthread_mutex_lock(&service->lock);
    service->arrived = true;
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
}

static int per_thread_stop(struct tw_seat *seat, tw_timer timer)
{
    struct tw_service *service = seat->service;
    uint32_t number = (uint32_t)timer >> service->shift;
    if (timer >> 32 == 0 ||
        number >= atomic_load_explicit(&service->base_count, memory_order_acquire))
        return TW_RUN_IDLE;
    struct base *base = atomic_load_explicit(&service->bases[number], memory_order_acquire);
    uint32_t id = entries_id(&base->own.entries, timer);
    if (id >= service->share)
        return TW_RUN_IDLE;
    int answer = word_stop(&base->words[id], seat, timer >> 32, NULL);
    if (answer != TW_RUN_STOPPED)
        return answer;
    if (base == seat_of(seat)->base) {
        guarded_stop(&base->own, timer, false);
        tally_add(&base->ended, 1);
        base_trim(service, base);
    } else {
        base_tell(service, base, seat, id);
    }
    return TW_RUN_STOPPED;
}

/* ---- Turning: what the owner does in wait, and the keeper for what was left. -------------------- */

/* Runs the first of the ready list, unless it was stopped by another: then its place is free when the message
 * is read. */
static void base_run(struct base *base, struct tw_seat *seat)
{
    struct entries *entries = &base->own.entries;
    struct tw_task task;
    struct tw_firing firing;
    uint32_t id = base->own.ready.head;
    bool once = entries->all[id].task.repeat == TW_ONCE;
    if (word_fire(&base->words[id], seat, once) == 0) {
        entries_unlink(entries, &base->own.ready, id);
        entries_mark(entries, id);
        return;
    }
    guarded_take(&base->own, &task, &firing);
    if (once)
        tally_add(&base->ended, 1);
    task_run(&task, seat, &firing, &base->tally);
    if (once)
        return;
    if (word_renew(&base->words[id], seat, WORD_WAITING) || entries->all[id].state == ENTRY_STOPPED)
        guarded_renew(&base->own, id, &base->tally);
    else
        entries_mark(entries, id);
}

/* Runs what is ready; whether there was anything.  No task begins once it is closed. */
static bool base_run_ready(struct base *base, struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    bool ran = false;
    uint32_t outside = seat->in_task;
    if (base->own.ready.head == OPENING_NONE)
        return false;
    atomic_store(&base->turning, 1);
    TW_RUNNER_POINT(seat, turning);
    seat->in_task = 1;
    for (; base->own.ready.head != OPENING_NONE && !closed(service); ran = true)
        base_run(base, seat);
    seat->in_task = outside;
    atomic_store(&base->turning, 0);
    TW_RUNNER_POINT(seat, turned);
    if (closed(service)) {
        pthread_mutex_lock(&service->lock);
        pthread_cond_broadcast(&service->turned);
        pthread_mutex_unlock(&service->lock);
    }
    return ran;
}

/* Everything that is due by now; whether a task ran. */
static bool base_turn(struct base *base, struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    if (closed(service))
        return false;
    base_drain(base, seat);
    struct pause pause = pause_begin();
    guarded_advance(&base->own, pause.begun_ns);
    pause_end(&pause, &base->tally);
    bool ran = base_run_ready(base, seat);
    if (base->own.design->traits.flags & TW_ALLOCATES)
        atomic_store_explicit(&base->tally.design_bytes,
                              opening_design_bytes(base->own.design, base->own.timers),
                              memory_order_relaxed);
    base_trim(service, base);
    return ran;
}

/* When the base wants to be turned next. */
static uint64_t base_head(const struct base *base)
{
    tw_tick next = base->own.design->next(base->own.timers);
    return next == TW_NEVER ? TW_DUE_MAX : ticking_moment(&base->own.ticking, next);
}

static void per_thread_wait(struct tw_seat *seat, uint64_t until)
{
    struct tw_service *service = seat->service;
    struct base *base = seat_of(seat)->base;
    for (bool woken = false;;) {
        uint64_t head = TW_DUE_MAX;
        if (base && !closed(service)) {
            tally_add(&base->tally.useful_wakeups, base_turn(base, seat) && woken);
            head = closed(service) ? TW_DUE_MAX : base_head(base);
        }
        if (until <= moment_now())
            return;
        woken = head < until;
        moment_sleep(woken ? head : until);
        if (woken)
            tally_add(&base->tally.wakeups, 1);
    }
}

static uint64_t per_thread_next(struct tw_seat *seat)
{
    const struct base *base = seat_of(seat)->base;
    return base && !closed(seat->service) ? base_head(base) : TW_DUE_MAX;
}

/* Sorts what the keeper has, with the lock: what is empty is vacant.  The moment of the earliest head. */
static uint64_t left_sort(struct tw_service *service)
{
    uint64_t earliest = TW_DUE_MAX;
    for (struct base **link = &service->left; *link;) {
        struct base *base = *link;
        base_give(service, base, 0);
        if (base->own.entries.pending > 0) {
            uint64_t head = base_head(base);
            earliest = head < earliest ? head : earliest;
            link = &base->next;
            continue;
        }
        *link = base->next;
        atomic_store(&base->kept, 0);
        base->next = service->vacant;
        service->vacant = base;
    }
    return earliest;
}

/* leave puts in front, and nobody else takes out: the chain behind its head is the keeper's without the lock. */
static void *per_thread_keep(void *ctx)
{
    struct tw_service *service = ctx;
    struct thread_seat *seat = &service->keeper_seat;
    bool woken = false;
    moment_sharpen();
    pthread_mutex_lock(&service->lock);
    while (!closed(service)) {
        struct base *chain = service->left;
        service->arrived = false;
        pthread_mutex_unlock(&service->lock);
        bool ran = false;
        for (struct base *base = chain; base; base = base->next) {
            seat->base = base;
            ran |= base_turn(base, &seat->seat);
        }
        tally_add(&service->tally.useful_wakeups, woken && ran);
        woken = false;
        pthread_mutex_lock(&service->lock);
        uint64_t earliest = left_sort(service);
        if (service->arrived || closed(service))
            continue;
        woken = moment_condition_wait(&service->wake, &service->lock, earliest);
        tally_add(&service->tally.wakeups, woken);
    }
    pthread_mutex_unlock(&service->lock);
    atomic_store(&service->tally.cpu_ns, tally_cpu_ns());
    return NULL;
}

/* ---- Entering, leaving, shutting. ------------------------------------------------------------- */

static struct tw_seat *per_thread_enter(struct tw_service *service)
{
    struct thread_seat *seat = calloc(1, sizeof *seat);
    if (!seat)
        return NULL;
    seat->seat = (struct tw_seat){.service = service,
                                  .points = service->config.points,
                                  .number = atomic_fetch_add(&service->entered, 1)};
    return &seat->seat;
}

static void per_thread_leave(struct tw_seat *seat)
{
    struct tw_service *service = seat->service;
    struct base *base = seat_of(seat)->base;
    if (base) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)seat_of(seat)->slack_ns, 0, 0, 0);
        base_give(service, base, 0);
        atomic_exchange(&base->kept, 1);
        TW_RUNNER_POINT(seat, leaving);
        pthread_mutex_lock(&service->lock);
        base->next = service->left;
        service->left = base;
        service->arrived = true;
        pthread_cond_signal(&service->wake);
        pthread_mutex_unlock(&service->lock);
    }
    free(seat);
}

/* Returns what still waits.  Owners may be in a start or a stop: only words decide. */
static void base_return(struct tw_seat *seat, struct base *base, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    for (uint32_t id = 0; id < service->share; id++) {
        uint64_t name = word_return(&base->words[id], seat);
        tally_add(&service->returned, name != 0);
        if (name != 0 && returned)
            returned(ctx, name | (base->own.entries.base + id),
                     base->own.entries.all[id].task.argument);
    }
}

static int per_thread_shut(struct tw_seat *seat, tw_return_fn *returned, void *ctx)
{
    struct tw_service *service = seat->service;
    if (seat->in_task)
        return TW_RUN_INSIDE;
    if (atomic_exchange(&service->closed, 1))
        return TW_RUN_CLOSED;
    TW_RUNNER_POINT(seat, shut_marked);
    pthread_mutex_lock(&service->lock);
    pthread_cond_signal(&service->wake);
    pthread_mutex_unlock(&service->lock);
    pthread_join(service->keeper, NULL);
    pthread_mutex_lock(&service->lock);
    for (uint32_t i = 0; i < atomic_load(&service->base_count); i++)
        while (atomic_load(&service->bases[i]->turning))
            pthread_cond_wait(&service->turned, &service->lock);
    pthread_mutex_unlock(&service->lock);
    TW_RUNNER_POINT(seat, all_turned);
    for (uint32_t i = 0; i < atomic_load(&service->base_count); i++)
        base_return(seat, service->bases[i], returned, ctx);
    return TW_RUN_OK;
}

/* ---- Opening and closing. --------------------------------------------------------------------- */

static void per_thread_close(struct tw_service *service)
{
    for (uint32_t i = 0; i < service->base_count; i++)
        base_close(service->bases[i]);
    pthread_cond_destroy(&service->wake);
    pthread_cond_destroy(&service->turned);
    pthread_mutex_destroy(&service->lock);
    free(service->settings);
    free(service);
}

/* A share for each thread that was announced, and how names are made of it. */
static void shares_divide(struct tw_service *service, const struct tw_runner_config *config)
{
    struct tw_error ignored;
    uint32_t cap = opening_cap(config), threads;
    opening_threads(config, &threads, &ignored);
    service->share = cap / threads + (cap % threads > 0);
    if (service->share < SHARE_LEAST)
        service->share = cap < SHARE_LEAST ? cap : SHARE_LEAST;
    while (UINT32_C(1) << service->shift < service->share)
        service->shift++;
    service->bases_max = service->shift > 22 ? UINT32_C(1) << (32 - service->shift) : BASES_MAX;
    service->grant = cap / threads / 16 < 256 ? cap / threads / 16 : 256;
    service->grant += service->grant == 0;
    service->config.threads = threads;
}

/* Memory, the first design and the keeper; close takes back what was opened when it fails. */
static int service_open(struct tw_service *service, const struct tw_runner_config *config,
                        struct tw_error *error)
{
    size_t count = config->design_setting_count;
    service->settings = calloc(count + 1, sizeof *service->settings);
    if (!service->settings)
        return opening_no_memory(error, (count + 1) * sizeof *service->settings);
    if (count > 0)
        memcpy(service->settings, config->design_settings, count * sizeof *service->settings);
    service->config.design_settings = service->settings;
    int answer = base_open(service, &service->vacant, error);
    if (answer != TW_RUN_OK)
        return answer;
    struct base *first = service->vacant;
    first->own.design->describe(first->own.timers, &service->description);
    service->cap = opening_cap_of_design(&service->description, opening_cap(config));
    service->room = service->cap;
    return opening_thread(error, pthread_create(&service->keeper, NULL, per_thread_keep, service));
}

static int per_thread_open(struct tw_service **out, const struct tw_runner_config *config,
                           struct tw_error *error)
{
    int answer;
    struct tw_service *service =
        opening_service(&TW_RUNNER(per_thread), config, sizeof *service, &answer, error);
    if (!service)
        return answer;
    service->config = *config;
    service->entered = 1;
    service->keeper_seat.seat =
        (struct tw_seat){.service = service, .points = config->points, .in_task = 1};
    shares_divide(service, config);
    service->ticking = (struct ticking){.open_ns = moment_now(),
                                        .tick_ns = runner_tick_ns(&TW_RUNNER(per_thread), config)};
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->turned, NULL);
    int failed = moment_condition_open(&service->wake);
    answer = failed ? opening_thread(error, failed) : service_open(service, config, error);
    if (answer == TW_RUN_OK)
        *out = service;
    else
        per_thread_close(service);
    return answer;
}

/* ---- Asking. ---------------------------------------------------------------------------------- */

static void per_thread_stats(struct tw_service *service, struct tw_runner_stats *out)
{
    *out = (struct tw_runner_stats){.own_bytes = sizeof *service};
    uint64_t accepted = 0, ended = tally_read(&service->returned);
    uint64_t place = sizeof(struct entry) + sizeof(uint64_t) + sizeof(uint32_t);
    tally_sum(out, &service->tally);
    for (uint32_t i = 0; i < atomic_load(&service->base_count); i++) {
        struct base *base = service->bases[i];
        tally_sum(out, &base->tally);
        ended += tally_read(&base->ended) + tally_read(&base->stopped);
        out->own_bytes += sizeof *base + service->share * place;
    }
    for (uint32_t i = 0; i < atomic_load(&service->base_count); i++)
        accepted += tally_read(&service->bases[i]->accepted);
    pthread_mutex_lock(&service->lock);
    if (!closed(service))
        out->cpu_ns = tally_cpu_of(service->keeper);
    pthread_mutex_unlock(&service->lock);
    out->pending =
        accepted > ended ? accepted - ended : 0; /* a start is counted after it is made */
}

static void per_thread_describe(struct tw_service *service, struct tw_runner_description *out)
{
    *out = (struct tw_runner_description){.tick_ns = service->ticking.tick_ns,
                                          .threads = 1,
                                          .shards = service->config.threads,
                                          .max_pending = service->cap,
                                          .design = service->description};
}

static const char *per_thread_check(struct tw_service *service)
{
    const char *broken = NULL;
    for (uint32_t i = 0; i < service->base_count && !broken; i++) {
        struct base *base = service->bases[i];
        for (uint32_t id = 0; id < service->share; id++) {
            uint32_t state = (uint32_t)atomic_load(&base->words[id]);
            if (state == WORD_WAITING || state == WORD_RUNNING)
                return "a timer waits or runs after shut";
        }
        broken = base->own.design->check(base->own.timers);
    }
    return broken;
}

const struct tw_runner TW_RUNNER(per_thread) = {
    .abi_version = TW_RUNNER_ABI_VERSION,
    .name = "per-thread",
    .summary =
        "a design for each calling thread, without a lock; another's timer is stopped by message",
    .after = "tokio #7384, the per-CPU bases of Linux, Seastar, Go's timers per P",
    .flags = TW_RUNNER_CALLERS_DRIVE | TW_RUNNER_LATE_PLACE | TW_RUNNER_SPLIT_CAP,
    .params = opening_no_params,
    .open = per_thread_open,
    .enter = per_thread_enter,
    .leave = per_thread_leave,
    .start = per_thread_start,
    .stop = per_thread_stop,
    .wait = per_thread_wait,
    .next = per_thread_next,
    .shut = per_thread_shut,
    .close = per_thread_close,
    .stats = per_thread_stats,
    .describe = per_thread_describe,
    .check = per_thread_check,
};
