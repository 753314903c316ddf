/* flow.c - plays a mix pass by pass, and knows which timers are armed meanwhile. */
#include "harness/measure/workload/generate.h"

#include "harness/base/memory.h"
#include "harness/measure/workload/instant.h"

#include <math.h>

struct flow {
    const struct flow_spec *spec;
    const struct flow_stage *stage;
    struct agenda plans; /* per id: when its stretch is re-armed or cancelled */
    uint8_t *rearms;     /* per id: which of the two */
    tw_id *idle;         /* ids that do not run, in no order */
    uint32_t idle_count;
    struct instant instant;
    tw_tick pass_next; /* tick of the next pass */
};

static tw_tick flow_now(const struct flow *flow)
{
    return *flow->stage->now;
}

static bool is_over_budget(const struct flow *flow)
{
    return *flow->stage->work > flow->stage->work_max || stream_is_broken(flow->stage->stream);
}

static void timer_fired(void *ctx, tw_id id, tw_tick due)
{
    struct flow *flow = ctx;
    (void)due;
    flow->idle[flow->idle_count++] = id;
    ++*flow->stage->work;
}

static void clock_move(struct flow *flow, tw_tick to)
{
    if (to <= flow_now(flow))
        return;
    instant_end(&flow->instant);
    stream_append_advance(flow->stage->stream, to - flow_now(flow));
    agenda_advance(flow->stage->timers, to, timer_fired, flow);
    *flow->stage->now = to;
    ++*flow->stage->work;
}

/* ---- Changes. -------------------------------------------------------------------------------- */

/* Of a change that is due at `due`, before the next pass: does it wait for that? */
static bool is_put_off(const struct flow *flow, tw_id id, tw_tick due)
{
    tw_tick now = flow_now(flow);
    if (due <= now || flow->stage->timers->due[id] <= flow->pass_next)
        return false;
    double share = (double)(due - now) / (double)(flow->pass_next - now);
    return rng_unit(flow->stage->traffic) < share;
}

/* Plans the end of a stretch.  True when it is here already. */
static bool change_is_now(struct flow *flow, tw_id id, tw_tick due)
{
    if (!flow->spec->in_passes) {
        if (due > flow_now(flow))
            agenda_start(&flow->plans, id, due);
        return due <= flow_now(flow);
    }
    if (due < flow->pass_next) {
        if (!is_put_off(flow, id, due))
            return true;
        due = flow->pass_next;
    }
    agenda_start(&flow->plans, id, due);
    return false;
}

static void timer_cancel(struct flow *flow, tw_id id)
{
    instant_stop(&flow->instant, id);
    agenda_stop(flow->stage->timers, id);
    flow->idle[flow->idle_count++] = id;
    ++*flow->stage->work;
}

/* Starts the id with that stretch, and does what ends it on this tick. */
static void stretch_begin(struct flow *flow, tw_id id, struct mix_stretch stretch, uint64_t over)
{
    const struct flow_stage *stage = flow->stage;
    for (;;) {
        uint64_t delay = stretch.delay.ticks - over;
        instant_start(&flow->instant, id, (int64_t)delay, stretch.delay.slack_ns);
        stage->stream->below_tick += delay == 1 && stretch.delay.slack_ns > 0;
        agenda_start(stage->timers, id, flow_now(flow) + delay);
        ++*stage->work;
        if (stretch.end == MIX_EXPIRES || is_over_budget(flow))
            return;
        flow->rearms[id] = stretch.end == MIX_REARMED;
        if (!change_is_now(flow, id, flow_now(flow) + stretch.after - over))
            return;
        if (stretch.end == MIX_CANCELLED)
            break;
        stretch = mix_draw(flow->spec->mix, stage->delays);
        over = 0;
    }
    timer_cancel(flow, id);
}

static void plan_came(void *ctx, tw_id id, tw_tick due)
{
    struct flow *flow = ctx;
    if (is_over_budget(flow))
        return;
    if (!flow->spec->in_passes)
        clock_move(flow, due);
    else if (is_put_off(flow, id, due)) {
        agenda_start(&flow->plans, id, flow->pass_next);
        return;
    }
    if (flow->rearms[id])
        stretch_begin(flow, id, mix_draw(flow->spec->mix, flow->stage->delays), 0);
    else
        timer_cancel(flow, id);
}

/* ---- Passes. --------------------------------------------------------------------------------- */

static void idle_start(struct flow *flow)
{
    uint32_t at = (uint32_t)rng_below(flow->stage->traffic, flow->idle_count);
    tw_id id = flow->idle[at];
    flow->idle[at] = flow->idle[--flow->idle_count];
    stretch_begin(flow, id, mix_draw(flow->spec->mix, flow->stage->delays), 0);
}

static uint64_t starts_draw(struct flow *flow, double *due)
{
    *due +=
        (double)dist_sample(flow->spec->starts, flow->stage->traffic) * flow->spec->starts_scale;
    double whole = floor(*due);
    *due -= whole;
    return whole < 0x1p62 ? (uint64_t)whole : UINT64_C(1) << 62;
}

/* The new timers of all passes that fall on this tick, and when the next is. */
static uint64_t pass_collect(struct flow *flow, double factor, double *clock, double *due)
{
    uint64_t starts = 0;
    tw_tick begin = flow_now(flow);
    do {
        starts += starts_draw(flow, due);
        *clock += (double)dist_sample(flow->spec->gaps, flow->stage->traffic) *
                  flow->spec->gap_ticks / factor;
        ++*flow->stage->work;
    } while (*clock < (double)(begin + 1) && !is_over_budget(flow));
    flow->pass_next = (tw_tick)*clock;
    return starts;
}

static void passes_play(struct flow *flow, tw_tick end)
{
    const struct flow_stage *stage = flow->stage;
    double factor = (double)stage->timers->capacity / (double)flow->spec->of;
    double clock = (double)flow_now(flow), due = 0;
    while (flow_now(flow) < end && !is_over_budget(flow)) {
        uint64_t starts = pass_collect(flow, factor, &clock, &due);
        if (flow->pass_next > end)
            flow->pass_next = end;
        if (flow->spec->in_passes)
            agenda_advance(&flow->plans, flow->pass_next - 1, plan_came, flow);
        for (; starts > 0 && flow->idle_count > 0 && !is_over_budget(flow); starts--)
            idle_start(flow);
        if (!flow->spec->in_passes)
            agenda_advance(&flow->plans, flow->pass_next - 1, plan_came, flow);
        clock_move(flow, flow->pass_next);
    }
    clock_move(flow, is_over_budget(flow) ? flow_now(flow) : end);
    instant_end(&flow->instant);
}

/* ---- The beginning. -------------------------------------------------------------------------- */

static void population_start(struct flow *flow)
{
    struct mix_pool pool;
    uint64_t count = (uint64_t)llround(flow->spec->armed * (double)flow->stage->timers->capacity);
    mix_pool_open(&pool, flow->spec->mix, flow->stage->delays);
    flow->pass_next = flow_now(flow) + 1;
    for (; count > 0 && flow->idle_count > 0 && !is_over_budget(flow); count--) {
        uint64_t over;
        struct mix_stretch stretch = mix_pool_draw(&pool, flow->stage->delays, &over);
        tw_id id = flow->idle[--flow->idle_count];
        stretch_begin(flow, id, stretch, over);
    }
    mix_pool_close(&pool);
}

static void idle_collect(struct flow *flow)
{
    const struct agenda *timers = flow->stage->timers;
    /* The lowest last, where they are taken from first. */
    for (tw_id id = timers->capacity; id-- > 0;)
        if (!agenda_is_running(timers, id))
            flow->idle[flow->idle_count++] = id;
}

void flow_play(const struct flow_spec *spec, const struct flow_stage *stage)
{
    uint32_t tasks = stage->timers->capacity;
    struct flow flow = {
        .spec = spec,
        .stage = stage,
        .rearms = memory_take(tasks, sizeof *flow.rearms),
        .idle = memory_take(tasks, sizeof *flow.idle),
        .instant.stream = stage->stream,
    };
    tw_tick end = *stage->now + spec->ticks;
    agenda_open(&flow.plans, tasks);
    idle_collect(&flow);
    population_start(&flow);
    passes_play(&flow, end);
    agenda_close(&flow.plans);
    instant_free(&flow.instant);
    free(flow.rearms);
    free(flow.idle);
}
