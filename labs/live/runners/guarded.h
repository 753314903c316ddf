/*
 * guarded.h - a design, its entries and its ready list under one lock, for runners that have one or several.
 *
 *     start --> [ design ] --advance--> [ ready list ] --run--> task --renew--> [ design ]
 *                    \________ stop ________/
 *
 * Every function here wants the lock held, unless it says otherwise.  A timer that has come out of the design
 * lies on the ready list until its task begins, and stop takes it from there: it is too late only when the
 * task runs.  Who sleeps, and who is woken for an earlier head, is for the runner to say; struct sleeper does
 * it for a thread that sleeps under this lock.
 */
#ifndef TWBENCH_GUARDED_H
#define TWBENCH_GUARDED_H

#include "entries.h"

struct guarded {
    pthread_mutex_t lock; /* of all below */
    const struct tw_backend *design;
    struct tw_timers *timers;
    struct ticking ticking; /* the same as long as the service is: read without the lock */
    struct entries entries;
    struct entry_list ready;
    bool closed; /* no start any more */
};

/* ---- Opening and closing, without the lock. ---------------------------------------------------- */

/* Opens a design for `cap` timers.  The caller sets ticking.open_ns before the first start.  TW_RUN_OK, or
 * the answer for open with *error filled; guarded_close is due after either. */
static inline int guarded_open(struct guarded *guarded, const struct tw_runner_config *config,
                               uint64_t tick_ns, uint32_t cap, struct tw_error *error)
{
    guarded->design = config->design;
    guarded->ticking.tick_ns = tick_ns;
    guarded->ready = (struct entry_list){OPENING_NONE, OPENING_NONE};
    pthread_mutex_init(&guarded->lock, NULL);
    if (!entries_open(&guarded->entries, cap))
        return opening_no_memory(error, (uint64_t)cap * sizeof(struct entry));
    return opening_design(config, tick_ns, cap, &guarded->timers, error);
}

static inline void guarded_close(struct guarded *guarded)
{
    if (guarded->timers)
        guarded->design->close(guarded->timers);
    entries_close(&guarded->entries);
    pthread_mutex_destroy(&guarded->lock);
}

/* Marks it closed; whether it was so before. */
static inline bool guarded_mark_closed(struct guarded *guarded)
{
    pthread_mutex_lock(&guarded->lock);
    bool closed = guarded->closed;
    guarded->closed = true;
    pthread_mutex_unlock(&guarded->lock);
    return closed;
}

/* Gives back what pends, after the threads that run tasks have ended. */
static inline void guarded_return(struct guarded *guarded, tw_return_fn *returned, void *ctx)
{
    pthread_mutex_lock(&guarded->lock);
    uint32_t chain = entries_return(&guarded->entries);
    guarded->ready = (struct entry_list){OPENING_NONE, OPENING_NONE};
    pthread_mutex_unlock(&guarded->lock);
    entries_tell(&guarded->entries, chain, returned, ctx);
}

/* NULL, or the invariant that is broken after shut: nothing is ready, nothing runs, and what pends is counted. */
static inline const char *guarded_check(const struct guarded *guarded)
{
    if (guarded->ready.head != OPENING_NONE)
        return "a task is ready after shut";
    if (guarded->entries.pending != 0)
        return "timers pend after shut";
    return guarded->design->check(guarded->timers);
}

/* Adds what it holds to the answer of stats. */
static inline void guarded_stats(const struct guarded *guarded, struct tw_runner_stats *out)
{
    out->pending += guarded->entries.pending - guarded->entries.marked;
    out->design_bytes += opening_design_bytes(guarded->design, guarded->timers);
    out->own_bytes += (uint64_t)guarded->entries.capacity * sizeof(struct entry);
}

/* Its part in the answer of describe: the cap, and the design. */
static inline void guarded_describe(const struct guarded *guarded,
                                    struct tw_runner_description *out)
{
    guarded->design->describe(guarded->timers, &out->design);
    out->max_pending += opening_cap_of_design(&out->design, guarded->entries.capacity);
}

/* ---- The life of a timer. --------------------------------------------------------------------- */

/* The design fires: the task is ready, unless it was marked as stopped. */
static inline void guarded_expire(void *ctx, tw_id id, tw_tick now)
{
    struct guarded *guarded = ctx;
    struct entry *entry = &guarded->entries.all[id];
    if (entry->state == ENTRY_MARKED) {
        entries_unmark(&guarded->entries, id);
        return;
    }
    entry->state = ENTRY_READY;
    entry->turn_ns = ticking_moment(&guarded->ticking, now);
    entries_push(&guarded->entries, &guarded->ready, id);
}

static inline void guarded_advance(struct guarded *guarded, uint64_t now)
{
    guarded->design->advance(guarded->timers, ticking_reached(&guarded->ticking, now),
                             guarded_expire, guarded);
}

/* Puts the entry into the design: its status.  *wake is the tick for which whoever advances has to be awake, 0
 * for at once: the due, or where the design may be late what it says itself.  They may sleep since long ago, and the
 * design's clock with them: what is too far from there may be in reach from now. */
static inline int guarded_put(struct guarded *guarded, uint32_t id, tw_tick *wake)
{
    const struct tw_traits *traits = &guarded->design->traits;
    tw_tick tick = ticking_due(&guarded->ticking, guarded->entries.all[id].task.due_ns);
    int status = guarded->design->start(guarded->timers, id, tick);
    if (status == TW_REFUSED_RANGE) {
        guarded_advance(guarded, moment_now());
        status = guarded->design->start(guarded->timers, id, tick);
    }
    *wake = status < 0 ? TW_NEVER : tick;
    if (status >= 0 && (traits->late_ticks > 0 || traits->late_shift > 0))
        *wake = guarded->design->next(guarded->timers);
    if (guarded->ready.head != OPENING_NONE)
        *wake = 0;
    return status;
}

/* What start answers.  *wake is as guarded_put says it, also after a refusal. */
static inline int guarded_start(struct guarded *guarded, const struct tw_task *task,
                                tw_timer *timer, tw_tick *wake)
{
    *wake = TW_NEVER;
    if (guarded->closed)
        return TW_RUN_CLOSED;
    uint32_t id = entries_take(&guarded->entries, task);
    if (id == OPENING_NONE)
        return TW_RUN_FULL;
    int status = guarded_put(guarded, id, wake);
    if (status >= 0) {
        *timer = entries_name(&guarded->entries, id);
        return TW_RUN_OK;
    }
    guarded->entries.all[id].state = ENTRY_OVER;
    entries_give(&guarded->entries, id);
    return status == TW_REFUSED_RANGE  ? TW_RUN_RANGE
           : status == TW_REFUSED_FULL ? TW_RUN_FULL
                                       : TW_RUN_MEMORY;
}

/* What stop answers.  With `mark`, what waits in the design is left there until it is due or purged. */
static inline int guarded_stop(struct guarded *guarded, tw_timer timer, bool mark)
{
    struct entry *entry = entries_find(&guarded->entries, timer);
    if (!entry)
        return TW_RUN_IDLE;
    uint32_t id = entries_id(&guarded->entries, timer);
    switch (entry->state) {
    case ENTRY_WAITING:
        if (mark) {
            entries_mark(&guarded->entries, id);
            return TW_RUN_STOPPED;
        }
        guarded->design->stop(guarded->timers, id);
        break;
    case ENTRY_READY:
        entries_unlink(&guarded->entries, &guarded->ready, id);
        break;
    case ENTRY_RUNNING: /* who runs it gives the place back */
        entry->state = ENTRY_STOPPED;
        return TW_RUN_STOPPED;
    case ENTRY_FIRED:
        return TW_RUN_TOO_LATE;
    default:
        return TW_RUN_IDLE;
    }
    entry->state = ENTRY_STOPPED;
    entries_give(&guarded->entries, id);
    return TW_RUN_STOPPED;
}

/* The same with the lock taken here, by a caller that has none. */
static inline int guarded_stop_by(struct guarded *guarded, struct tw_seat *seat, tw_timer timer,
                                  bool mark)
{
    TW_RUNNER_POINT(seat, stop_begun);
    pthread_mutex_lock(&guarded->lock);
    int answer = guarded_stop(guarded, timer, mark);
    pthread_mutex_unlock(&guarded->lock);
    TW_RUNNER_POINT(seat, stop_unlocked);
    return answer;
}

/* Takes all marked timers out of the design: how many places came back. */
static inline uint32_t guarded_purge(struct guarded *guarded)
{
    uint32_t purged = 0;
    struct entries *entries = &guarded->entries;
    for (uint32_t id = 0; entries->marked > 0 && id < entries->capacity; id++) {
        if (entries->all[id].state != ENTRY_MARKED)
            continue;
        guarded->design->stop(guarded->timers, id);
        entries_unmark(entries, id);
        purged++;
    }
    return purged;
}

/* A periodic task has ended: it waits again, unless it was stopped meanwhile.  A design that has no memory
 * for it fires it no more; shut returns it. */
static inline tw_tick guarded_renew(struct guarded *guarded, uint32_t id, struct tally *tally)
{
    struct entry *entry = &guarded->entries.all[id];
    if (entry->state == ENTRY_STOPPED) {
        entries_give(&guarded->entries, id);
        return TW_NEVER;
    }
    tw_tick wake;
    entry_renew(entry, entry->task.repeat == TW_FIXED_DELAY ? moment_now() : 0);
    entry->state = ENTRY_WAITING;
    if (guarded_put(guarded, id, &wake) < 0)
        tally_add(&tally->stalled, 1);
    return wake;
}

/* Takes the first task of the ready list, which has one, to run it: its id, the task and what it will be told.
 * A one-shot has given its place back. */
static inline uint32_t guarded_take(struct guarded *guarded, struct tw_task *task,
                                    struct tw_firing *firing)
{
    uint32_t id = guarded->ready.head;
    struct entry *entry = &guarded->entries.all[id];
    entries_unlink(&guarded->entries, &guarded->ready, id);
    bool once = entry->task.repeat == TW_ONCE;
    entry->state = once ? ENTRY_FIRED : ENTRY_RUNNING;
    *task = entry->task;
    tw_tick tick = ticking_due(&guarded->ticking, task->due_ns);
    *firing = (struct tw_firing){.timer = entries_name(&guarded->entries, id),
                                 .due_ns = task->due_ns,
                                 .tick_ns = ticking_moment(&guarded->ticking, tick),
                                 .turn_ns = entry->turn_ns};
    if (once)
        entries_give(&guarded->entries, id);
    return id;
}

/* Takes the first task of the ready list, which has one, and runs it without the lock.  Returns the tick for which
 * whoever advances has to be awake because it was periodic, or TW_NEVER. */
static inline tw_tick guarded_run(struct guarded *guarded, struct tw_seat *seat,
                                  struct tally *tally)
{
    struct tw_task task;
    struct tw_firing firing;
    uint32_t id = guarded_take(guarded, &task, &firing);
    pthread_mutex_unlock(&guarded->lock);
    task_run(&task, seat, &firing, tally);
    pthread_mutex_lock(&guarded->lock);
    return task.repeat == TW_ONCE ? TW_NEVER : guarded_renew(guarded, id, tally);
}

/* ---- One thread that sleeps until the head is due.  While it does not sleep nobody wakes it: it looks at the
 * head before it does. */

struct sleeper {
    pthread_cond_t wake;
    tw_tick tick; /* it waits for this one; 0 while it does not wait */
};

/* Something has to be done at that tick: wakes the sleeper if that is earlier than what it waits for. */
static inline void sleeper_hurry(struct sleeper *sleeper, tw_tick wake)
{
    if (sleeper->tick <= wake)
        return;
    sleeper->tick = wake;
    pthread_cond_signal(&sleeper->wake);
}

/* Waits for the head of the design, but no longer than until then; whether it had to. */
static inline bool sleeper_wait(struct sleeper *sleeper, struct guarded *guarded, uint64_t latest)
{
    tw_tick next = guarded->design->next(guarded->timers);
    sleeper->tick = next;
    uint64_t until = next == TW_NEVER ? TW_DUE_MAX : ticking_moment(&guarded->ticking, next);
    until = until < latest ? until : latest;
    bool waited = moment_condition_wait(&sleeper->wake, &guarded->lock, until);
    sleeper->tick = 0;
    return waited;
}

/* ---- One thread that drives several of them, and sleeps under a lock of its own. ------------------------------- */

struct doze {
    _Atomic tw_tick wake; /* the tick for which it will be awake; 0 while it works */
    pthread_mutex_t lock; /* of closing, and of the step from reading wake to waiting */
    pthread_cond_t hurry; /* wake was lowered, or closing */
    bool closing;
};

static inline int doze_open(struct doze *doze)
{
    pthread_mutex_init(&doze->lock, NULL);
    return moment_condition_open(&doze->hurry);
}

static inline void doze_close(struct doze *doze)
{
    pthread_cond_destroy(&doze->hurry);
    pthread_mutex_destroy(&doze->lock);
}

/* Lowers a tick that others lower too; whether it was higher. */
static inline bool tick_lower(_Atomic tw_tick *lowered, tw_tick tick, struct tw_seat *seat)
{
    tw_tick before = atomic_load(lowered);
    while (tick < before) {
        TW_RUNNER_POINT(seat, tick_looked);
        if (atomic_compare_exchange_weak(lowered, &before, tick))
            return true;
    }
    return false;
}

/* Something has to be done at that tick. */
static inline void doze_hurry(struct doze *doze, tw_tick tick, struct tw_seat *seat)
{
    if (!tick_lower(&doze->wake, tick, seat))
        return;
    TW_RUNNER_POINT(seat, wake_lowered);
    pthread_mutex_lock(&doze->lock);
    pthread_cond_signal(&doze->hurry);
    pthread_mutex_unlock(&doze->lock);
}

/* Waits until the tick in wake has come; false when the service closes. */
static inline bool doze_wait(struct doze *doze, const struct ticking *ticking, struct tally *tally)
{
    pthread_mutex_lock(&doze->lock);
    for (;;) {
        tw_tick wake = atomic_load(&doze->wake);
        uint64_t until = wake == TW_NEVER ? TW_DUE_MAX : ticking_moment(ticking, wake);
        if (doze->closing || !moment_condition_wait(&doze->hurry, &doze->lock, until))
            break;
        tally_add(&tally->wakeups, 1);
    }
    bool open = !doze->closing;
    pthread_mutex_unlock(&doze->lock);
    return open;
}

/* Ends the thread. */
static inline void doze_end(struct doze *doze, pthread_t driver)
{
    pthread_mutex_lock(&doze->lock);
    doze->closing = true;
    pthread_cond_signal(&doze->hurry);
    pthread_mutex_unlock(&doze->lock);
    pthread_join(driver, NULL);
}

/* What it has counted, and its processor time until it ends. */
static inline void doze_stats(struct doze *doze, pthread_t driver, struct tally *tally,
                              struct tw_runner_stats *out)
{
    tally_sum(out, tally);
    pthread_mutex_lock(&doze->lock);
    if (!doze->closing)
        out->cpu_ns = tally_cpu_of(driver);
    pthread_mutex_unlock(&doze->lock);
}

#endif
