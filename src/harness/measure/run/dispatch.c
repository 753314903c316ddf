/* dispatch.c - runs a stream's periodic tasks through a scheduler. */
#include "harness/measure/run/dispatch.h"

#include "harness/measure/run/instance.h"
#include "harness/measure/sched/scheduler.h"

struct dispatch {
    const struct stream *stream;
    uint64_t digest;
};

static uint64_t dispatch_run(void *ctx, struct scheduler *scheduler, const struct schedule_run *run)
{
    struct dispatch *dispatch = ctx;
    const struct stream_schedule *schedule = &dispatch->stream->schedule;
    (void)scheduler;
    dispatch->digest += stream_mix(run->id, run->start);
    if (run->id == dispatch->stream->capacity) /* the slow task comes behind the others */
        return schedule->slow_run;
    if (!schedule->run_time)
        return 0;
    return stream_restart_delay(schedule->run_time, stream_mix(run->id, run->due));
}

/* The scheduler hands out ids from 0 on, so that each task has the one it has in the stream. */
static bool dispatch_add(struct dispatch *dispatch, struct scheduler *scheduler, unsigned catch_up)
{
    const struct stream *stream = dispatch->stream;
    const uint32_t *period = stream->phases[stream->schedule.phase].period;
    bool added = true;
    struct schedule task = {
        .kind = stream->schedule.fixed_delay ? SCHEDULE_WITH_FIXED_DELAY : SCHEDULE_AT_FIXED_RATE,
        .catch_up = catch_up,
        .times = SCHEDULE_FOR_EVER,
        .run = dispatch_run,
        .ctx = dispatch,
    };
    for (tw_id id = 0; added && id < stream->capacity; id++) {
        task.delay = stream_first_delay(period, id, stream->seed);
        task.period = stream_period(period, id);
        added = scheduler_add(scheduler, &task, NULL) == SCHEDULER_OK;
    }
    if (!added || stream->schedule.slow_every == 0)
        return added;
    task.delay = task.period = stream->schedule.slow_every;
    return scheduler_add(scheduler, &task, NULL) == SCHEDULER_OK;
}

static void totals_take(const struct scheduler *scheduler, uint64_t digest,
                        struct outcome_schedule *out)
{
    struct scheduler_totals totals = scheduler_totals(scheduler);
    *out = (struct outcome_schedule){
        .digest = digest,
        .runs = totals.runs,
        .missed = totals.missed,
        .late_runs = totals.late_runs,
        .late_max_ticks = totals.late_max_ticks,
        .late_mean_ticks = totals.late_mean_ticks,
        .busy_share = (double)totals.busy_ticks / (double)scheduler_now(scheduler),
    };
}

static bool dispatch_once(const struct tw_backend *design, const struct plan_cell *plan,
                          const struct stream *stream, unsigned catch_up,
                          struct outcome_schedule *out)
{
    struct dispatch dispatch = {.stream = stream};
    struct instance instance;
    char reason[INSTANCE_REASON];
    /* What open looks at: one id more, and perhaps a longer delay. */
    struct stream wider = *stream;
    wider.capacity++;
    if (stream->schedule.slow_every > wider.horizon)
        wider.horizon = stream->schedule.slow_every;
    if (instance_open(&instance, design, plan, &wider, reason) != OUTCOME_OK)
        return false;
    struct scheduler *scheduler =
        scheduler_open(instance.design, instance.timers, wider.capacity, 0);
    bool played = scheduler && dispatch_add(&dispatch, scheduler, catch_up);
    if (played) {
        scheduler_advance(scheduler, stream->schedule.ticks);
        played = scheduler_totals(scheduler).refused == 0;
        totals_take(scheduler, dispatch.digest, out);
    }
    scheduler_close(scheduler);
    instance_close(&instance);
    return played;
}

size_t dispatch_play(const struct tw_backend *design, const struct plan_cell *plan,
                     const struct stream *stream,
                     struct outcome_schedule schedules[OUTCOME_SCHEDULES_MAX])
{
    static const struct {
        unsigned catch_up;
        enum outcome_catch_up name;
    } rules[] = {{SCHEDULE_SKIP, OUTCOME_SKIP}, {SCHEDULE_BURST, OUTCOME_BURST}};
    size_t wanted = stream->schedule.fixed_delay ? 1 : 2, count = 0;
    if (stream->schedule.ticks == 0 || (design->traits.flags & TW_KEEPS_NOTHING) ||
        stream->capacity == TW_CAPACITY_MAX)
        return 0;
    for (size_t i = 0; i < wanted; i++) {
        if (!dispatch_once(design, plan, stream, rules[i].catch_up, &schedules[i]))
            return 0;
        schedules[i].catch_up =
            stream->schedule.fixed_delay ? OUTCOME_NOTHING_TO_CATCH_UP : rules[i].name;
        count++;
    }
    return count;
}
