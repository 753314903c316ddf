/* scheduler.c - keeps tasks that wait in the design, tasks that are ready, and the one that runs.
 *
 * An expiry only moves a task from the design to the ready queue; it is run from there, after
 * advance has come back.  So the order in which a design fires the timers of a jump does not matter,
 * and a callback may do to the design what it likes.
 */
#include "harness/measure/sched/scheduler.h"

#include "harness/base/libc.h"

struct task {
    struct schedule schedule;
    tw_tick due;
    uint64_t sequence; /* when it was armed, for ties */
    uint64_t runs, missed;
    uint32_t position; /* in the queue, when ready; of the next free task, when free */
    bool waits;        /* in the design */
};

struct scheduler {
    const struct tw_backend *design;
    struct tw_timers *timers;
    tw_tick now;
    uint64_t sequence;
    uint32_t capacity;
    uint32_t free; /* first free task; capacity: none */
    uint32_t ready_count;
    tw_id *ready; /* binary heap by (due, sequence); room for all */
    double late_sum_ticks;
    struct scheduler_totals totals;
    struct task tasks[];
};

/* ---- The ready queue: a binary heap with back-index. ----------------------------------------- */

static bool is_before(const struct scheduler *scheduler, tw_id left, tw_id right)
{
    const struct task *a = &scheduler->tasks[left], *b = &scheduler->tasks[right];
    return a->due != b->due ? a->due < b->due : a->sequence < b->sequence;
}

static void ready_place(struct scheduler *scheduler, uint32_t position, tw_id id)
{
    scheduler->ready[position] = id;
    scheduler->tasks[id].position = position;
}

/* Moves a task from a position that is free to where it belongs. */
static void ready_settle(struct scheduler *scheduler, uint32_t position, tw_id id)
{
    const tw_id *ready = scheduler->ready;
    for (; position > 0 && is_before(scheduler, id, ready[(position - 1) / 2]);
         position = (position - 1) / 2)
        ready_place(scheduler, position, ready[(position - 1) / 2]);
    for (;;) {
        uint32_t child = 2 * position + 1;
        if (child + 1 < scheduler->ready_count &&
            is_before(scheduler, ready[child + 1], ready[child]))
            child++;
        if (child >= scheduler->ready_count || !is_before(scheduler, ready[child], id))
            break;
        ready_place(scheduler, position, ready[child]);
        position = child;
    }
    ready_place(scheduler, position, id);
}

static void ready_push(struct scheduler *scheduler, tw_id id)
{
    scheduler->tasks[id].waits = false;
    ready_settle(scheduler, scheduler->ready_count++, id);
}

static void ready_remove(struct scheduler *scheduler, tw_id id)
{
    tw_id last = scheduler->ready[--scheduler->ready_count];
    if (last != id)
        ready_settle(scheduler, scheduler->tasks[id].position, last);
}

/* ---- Tasks come and go. ---------------------------------------------------------------------- */

static void task_free(struct scheduler *scheduler, tw_id id)
{
    struct task *task = &scheduler->tasks[id];
    task->waits = false;
    task->position = scheduler->free;
    scheduler->free = id;
}

static tw_tick ticks_add(tw_tick tick, uint64_t ticks)
{
    return ticks > TW_DEADLINE_MAX - tick ? TW_DEADLINE_MAX : tick + ticks;
}

/* What is due already goes to the queue.  False when the design refuses the start, or time ends
 * before. */
static bool task_arm(struct scheduler *scheduler, tw_id id, tw_tick due)
{
    struct task *task = &scheduler->tasks[id];
    if (due > TW_DEADLINE_MAX)
        return false;
    task->due = due;
    task->sequence = scheduler->sequence++;
    if (due <= scheduler->now) {
        ready_push(scheduler, id);
        return true;
    }
    task->waits = true;
    return scheduler->design->start(scheduler->timers, id, due) >= 0;
}

static enum scheduler_status schedule_check(const struct scheduler *scheduler,
                                            const struct schedule *schedule)
{
    if (schedule->kind != SCHEDULE_ONCE && schedule->period < 1)
        return SCHEDULER_SHORT_PERIOD;
    if (schedule->kind != SCHEDULE_ONCE && schedule->times < 1)
        return SCHEDULER_NO_TIMES;
    return scheduler->free == scheduler->capacity ? SCHEDULER_FULL : SCHEDULER_OK;
}

enum scheduler_status scheduler_add(struct scheduler *scheduler, const struct schedule *schedule,
                                    tw_id *id)
{
    enum scheduler_status status = schedule_check(scheduler, schedule);
    if (status != SCHEDULER_OK)
        return status;
    tw_id taken = scheduler->free;
    struct task *task = &scheduler->tasks[taken];
    scheduler->free = task->position;
    task->schedule = *schedule;
    task->runs = task->missed = 0;
    if (schedule->kind == SCHEDULE_ONCE)
        task->schedule.times = 1;
    if (!task_arm(scheduler, taken,
                  ticks_add(scheduler->now, schedule->delay ? schedule->delay : 1))) {
        task_free(scheduler, taken);
        return SCHEDULER_REFUSED;
    }
    if (id)
        *id = taken;
    return schedule->delay ? SCHEDULER_OK : SCHEDULER_ROUNDED_UP;
}

/* ---- The dispatch thread. -------------------------------------------------------------------- */

static void task_expired(void *ctx, tw_id id, tw_tick now)
{
    (void)now;
    ready_push(ctx, id);
}

static void clock_move(struct scheduler *scheduler, tw_tick to)
{
    scheduler->now = to;
    scheduler->design->advance(scheduler->timers, to, task_expired, scheduler);
}

/* The sum, or TW_NEVER when no deadline can name it: clamped, a rate would stand still. */
static tw_tick tick_after(tw_tick tick, uint64_t ticks)
{
    return ticks > TW_DEADLINE_MAX - tick ? TW_NEVER : tick + ticks;
}

/* When the next run is due, now that one has ended. */
static tw_tick task_next(struct scheduler *scheduler, struct task *task)
{
    uint64_t period = task->schedule.period;
    if (task->schedule.kind == SCHEDULE_WITH_FIXED_DELAY)
        return tick_after(scheduler->now, period);
    tw_tick due = tick_after(task->due, period);
    if (task->schedule.catch_up == SCHEDULE_BURST || due >= scheduler->now)
        return due;
    uint64_t missed = (scheduler->now - due - 1) / period + 1;
    task->missed += missed;
    scheduler->totals.missed += missed;
    return tick_after(due + (missed - 1) * period, period);
}

static void lateness_note(struct scheduler *scheduler, uint64_t late_ticks)
{
    struct scheduler_totals *totals = &scheduler->totals;
    totals->runs++;
    totals->late_runs += late_ticks > 0;
    if (late_ticks > totals->late_max_ticks)
        totals->late_max_ticks = late_ticks;
    scheduler->late_sum_ticks += (double)late_ticks;
}

static void task_run(struct scheduler *scheduler, tw_id id)
{
    struct task *task = &scheduler->tasks[id];
    struct schedule_run run = {
        .id = id,
        .due = task->due,
        .start = scheduler->now,
        .number = ++task->runs,
        .missed = task->missed,
    };
    ready_remove(scheduler, id);
    lateness_note(scheduler, run.start - run.due);
    tw_tick end =
        ticks_add(scheduler->now, task->schedule.run(task->schedule.ctx, scheduler, &run));
    scheduler->totals.busy_ticks += end - scheduler->now;
    clock_move(scheduler, end);
    bool ends = task->runs == task->schedule.times;
    if (!ends && task_arm(scheduler, id, task_next(scheduler, task)))
        return;
    scheduler->totals.refused += !ends;
    task_free(scheduler, id);
}

void scheduler_advance(struct scheduler *scheduler, tw_tick to)
{
    while (scheduler->now <= to) {
        if (scheduler->ready_count > 0) {
            task_run(scheduler, scheduler->ready[0]);
        } else if (scheduler->now < to) {
            tw_tick next = scheduler->design->next(scheduler->timers);
            clock_move(scheduler, next < to ? next : to);
        } else {
            break;
        }
    }
}

/* ---- Open, close, look. ---------------------------------------------------------------------- */

struct scheduler *scheduler_open(const struct tw_backend *design, struct tw_timers *timers,
                                 uint32_t capacity, tw_tick now)
{
    struct scheduler *scheduler =
        calloc(1, sizeof *scheduler + capacity * sizeof *scheduler->tasks);
    tw_id *ready = calloc(capacity, sizeof *ready);
    if (!scheduler || !ready) {
        free(scheduler);
        free(ready);
        return NULL;
    }
    *scheduler = (struct scheduler){
        .design = design,
        .timers = timers,
        .now = now,
        .capacity = capacity,
        .ready = ready,
    };
    for (uint32_t i = 0; i < capacity; i++)
        scheduler->tasks[i].position = i + 1;
    return scheduler;
}

void scheduler_close(struct scheduler *scheduler)
{
    if (!scheduler)
        return;
    for (tw_id id = 0; id < scheduler->capacity; id++)
        if (scheduler->tasks[id].waits)
            scheduler->design->stop(scheduler->timers, id);
    free(scheduler->ready);
    free(scheduler);
}

tw_tick scheduler_now(const struct scheduler *scheduler)
{
    return scheduler->now;
}

struct scheduler_totals scheduler_totals(const struct scheduler *scheduler)
{
    struct scheduler_totals totals = scheduler->totals;
    if (totals.runs > 0)
        totals.late_mean_ticks = scheduler->late_sum_ticks / (double)totals.runs;
    return totals;
}
