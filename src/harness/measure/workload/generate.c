/* generate.c - plays a workload file and writes down what it does.
 *
 * A phase is a loop over ids (start, stop) or over steps of the clock (run).  A run in which only
 * timers fire, whatever they restart, is one advance of the agenda and one run of words.
 */
#include "harness/measure/workload/generate.h"

#include "harness/base/memory.h"
#include "harness/measure/workload/agenda.h"
#include "harness/measure/workload/oracle.h"

#include <math.h>

/* Sequences of random numbers, each its own. */
enum sequence { SEQUENCE_DELAYS = 1, SEQUENCE_ORDER, SEQUENCE_STOPS, SEQUENCE_TRAFFIC };

/* Running ids first, idle ones after them, in no order: random ones of both kinds in O(1). */
struct roster {
    tw_id *ids;
    uint32_t *positions;
    uint32_t running;
};

struct generator {
    const struct spec *spec;
    struct stream *stream;
    struct diag *diag;
    uint32_t tasks;
    tw_tick now;
    struct agenda timers;
    struct agenda plans; /* the same ids: when a stop is planned; no capacity without any */
    struct rng delays, order, stops, traffic;
    struct roster roster; /* ids NULL: the phase does not need one */
    tw_id *ended;         /* timers that ended in this step, to be replaced; NULL: nobody asks */
    uint32_t ended_count;
    /* Of the phase that is played. */
    const struct spec_phase *phase;
    struct lives lives;
    const uint32_t *restart, *period;           /* as in struct stream_phase */
    double refresh_due, arrive_due, depart_due; /* fractions carried from tick to tick */
    uint64_t work, work_max;
};

static bool is_over_budget(const struct generator *generator)
{
    return generator->work > generator->work_max || stream_is_broken(generator->stream);
}

/* ---- Roster ---------------------------------------------------------------------------------- */

static void roster_open(struct roster *roster, const struct agenda *timers)
{
    uint32_t tasks = timers->capacity, idle = tasks;
    roster->ids = memory_take(tasks, sizeof *roster->ids);
    roster->positions = memory_take(tasks, sizeof *roster->positions);
    for (tw_id id = 0; id < tasks; id++) {
        uint32_t position = agenda_is_running(timers, id) ? roster->running++ : --idle;
        roster->ids[position] = id;
        roster->positions[id] = position;
    }
}

static void roster_close(struct roster *roster)
{
    free(roster->ids);
    free(roster->positions);
    *roster = (struct roster){0};
}

static void roster_place(struct roster *roster, tw_id id, uint32_t position)
{
    uint32_t from = roster->positions[id];
    tw_id other = roster->ids[position];
    roster->ids[from] = other;
    roster->positions[other] = from;
    roster->ids[position] = id;
    roster->positions[id] = position;
}

static void roster_note(struct roster *roster, tw_id id, bool runs)
{
    if (!roster->ids || (roster->positions[id] < roster->running) == runs)
        return;
    if (runs)
        roster_place(roster, id, roster->running++);
    else
        roster_place(roster, id, --roster->running);
}

/* ---- Single operations ----------------------------------------------------------------------- */

/* `life` as drawn; one that is over already starts nothing. */
static void timer_start(struct generator *generator, tw_id id, struct life life)
{
    if (life.delay == 0)
        return;
    stream_append_rounded(generator->stream, id, (int64_t)life.delay, life.slack_ns);
    generator->stream->below_tick += life.delay == 1 && life.slack_ns > 0;
    agenda_start(&generator->timers, id, generator->now + life.delay);
    roster_note(&generator->roster, id, true);
    if (life.stop_after)
        agenda_start(&generator->plans, id, generator->now + life.stop_after);
    else if (generator->plans.capacity)
        agenda_stop(&generator->plans, id);
    generator->work++;
}

static void timer_end(struct generator *generator, tw_id id)
{
    roster_note(&generator->roster, id, false);
    if (generator->phase->ended == SPEC_REPLACE)
        generator->ended[generator->ended_count++] = id;
    generator->work++;
}

static void timer_stop(struct generator *generator, tw_id id)
{
    stream_append_stop(generator->stream, id);
    agenda_stop(&generator->timers, id);
    if (generator->plans.capacity)
        agenda_stop(&generator->plans, id);
    timer_end(generator, id);
}

static void timer_fired(void *ctx, tw_id id, tw_tick due)
{
    struct generator *generator = ctx;
    if (!generator->restart && !generator->period) {
        timer_end(generator, id);
        return;
    }
    /* Over budget nothing is started any more, so that the advance comes to an end. */
    generator->work++;
    if (is_over_budget(generator))
        return;
    agenda_start(
        &generator->timers, id,
        due + stream_next_delay(generator->restart, generator->period, id, stream_mix(id, due)));
}

static void plan_came(void *ctx, tw_id id, tw_tick due)
{
    struct generator *generator = ctx;
    (void)due;
    /* Fired or stopped otherwise meanwhile: the plan is void. */
    if (agenda_is_running(&generator->timers, id))
        timer_stop(generator, id);
}

/* ---- Starting and stopping many -------------------------------------------------------------- */

static void ids_shuffle(tw_id *ids, uint32_t count, struct rng *rng)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)rng_below(rng, i);
        tw_id id = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = id;
    }
}

/* All ids that run, or all that are idle, ascending. */
static tw_id *ids_collect(const struct generator *generator, bool running, uint32_t *count)
{
    tw_id *ids = memory_take(generator->tasks, sizeof *ids);
    *count = 0;
    for (tw_id id = 0; id < generator->tasks && !is_over_budget(generator); id++)
        if (agenda_is_running(&generator->timers, id) == running)
            ids[(*count)++] = id;
    return ids;
}

static uint32_t share_of(double share, uint32_t count)
{
    return (uint32_t)llround(share * count);
}

struct draft {
    struct life life;
    tw_tick due;
    tw_id id;
};

static int draft_soonest(const void *left, const void *right)
{
    const struct draft *a = left, *b = right;
    if (a->due != b->due)
        return a->due < b->due ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int draft_latest(const void *left, const void *right)
{
    return draft_soonest(right, left);
}

static void drafts_sort(struct draft *drafts, uint32_t count, unsigned order)
{
    qsort(drafts, count, sizeof *drafts, order == SPEC_SOONEST ? draft_soonest : draft_latest);
}

/* The delays are drawn first and handed to the ids in their order. */
static void start_sorted(struct generator *generator, const tw_id *ids, uint32_t count)
{
    struct draft *drafts = memory_take(count, sizeof *drafts);
    for (uint32_t i = 0; i < count && !is_over_budget(generator); i++) {
        drafts[i].life = lives_aged(&generator->lives);
        drafts[i].due = drafts[i].life.delay;
        drafts[i].id = i;
    }
    drafts_sort(drafts, count, generator->phase->order);
    for (uint32_t i = 0; i < count && !is_over_budget(generator); i++)
        timer_start(generator, ids[i], drafts[i].life);
    free(drafts);
}

static void start_phased(struct generator *generator, const tw_id *ids, uint32_t count)
{
    uint32_t period[STREAM_RESTART_SIZE];
    dist_restart_table(generator->phase->delay, period);
    for (uint32_t i = 0; i < count && !is_over_budget(generator); i++) {
        struct life life = {
            .delay = stream_first_delay(period, ids[i], generator->stream->seed),
        };
        timer_start(generator, ids[i], life);
    }
}

static void play_start(struct generator *generator)
{
    uint32_t idle, count = share_of(generator->phase->share, generator->tasks);
    tw_id *ids = ids_collect(generator, false, &idle);
    if (count > idle)
        count = idle;
    if (generator->phase->order == SPEC_RANDOM)
        ids_shuffle(ids, idle, &generator->order);
    if (generator->phase->order >= SPEC_SOONEST)
        start_sorted(generator, ids, count);
    else if (generator->phase->age == SPEC_PHASED)
        start_phased(generator, ids, count);
    else
        for (uint32_t i = 0; i < count && !is_over_budget(generator); i++)
            timer_start(generator, ids[i], lives_aged(&generator->lives));
    free(ids);
}

static void ids_sort_by_due(const struct generator *generator, tw_id *ids, uint32_t count)
{
    struct draft *drafts = memory_take(count, sizeof *drafts);
    for (uint32_t i = 0; i < count; i++) {
        drafts[i].id = ids[i];
        drafts[i].due = generator->timers.due[ids[i]];
    }
    drafts_sort(drafts, count, generator->phase->order);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = drafts[i].id;
    free(drafts);
}

static void play_stop(struct generator *generator)
{
    uint32_t running;
    tw_id *ids = ids_collect(generator, true, &running);
    uint32_t count = share_of(generator->phase->share, running);
    if (generator->phase->order == SPEC_RANDOM)
        ids_shuffle(ids, running, &generator->order);
    if (generator->phase->order >= SPEC_SOONEST)
        ids_sort_by_due(generator, ids, running);
    for (uint32_t i = 0; i < count && !is_over_budget(generator); i++)
        timer_stop(generator, ids[i]);
    free(ids);
}

/* ---- Letting the clock run ------------------------------------------------------------------- */

/* Whole operations due at this tick of a rate per task and tick; the fraction waits. */
static uint64_t rate_take(double rate, uint32_t tasks, uint64_t step, double *due)
{
    *due += rate * tasks * (double)step;
    double whole = floor(*due);
    *due -= whole;
    return whole < 0x1p62 ? (uint64_t)whole : UINT64_C(1) << 62;
}

static void traffic_make(struct generator *generator)
{
    const struct spec_phase *phase = generator->phase;
    struct roster *roster = &generator->roster;
    uint32_t tasks = generator->tasks;
    /* Traffic may have started one again already. */
    for (uint32_t i = 0; i < generator->ended_count; i++)
        if (!agenda_is_running(&generator->timers, generator->ended[i]))
            timer_start(generator, generator->ended[i], lives_new(&generator->lives));
    generator->ended_count = 0;
    uint64_t count = rate_take(phase->refresh, tasks, phase->step, &generator->refresh_due);
    if (count < phase->refresh_min)
        count = phase->refresh_min;
    for (; count > 0 && !is_over_budget(generator); count--)
        timer_start(generator, (tw_id)rng_below(&generator->traffic, tasks),
                    lives_new(&generator->lives));
    count = rate_take(phase->depart, tasks, phase->step, &generator->depart_due);
    for (; count > 0 && roster->running > 0 && !is_over_budget(generator); count--)
        timer_stop(generator, roster->ids[rng_below(&generator->traffic, roster->running)]);
    count = rate_take(phase->arrive, tasks, phase->step, &generator->arrive_due);
    for (; count > 0 && roster->running < tasks && !is_over_budget(generator); count--) {
        uint64_t idle = rng_below(&generator->traffic, tasks - roster->running);
        timer_start(generator, roster->ids[roster->running + idle], lives_new(&generator->lives));
    }
}

static void step_make(struct generator *generator)
{
    tw_tick to = generator->now + generator->phase->step;
    if (generator->plans.capacity)
        agenda_advance(&generator->plans, to, plan_came, generator);
    stream_append_advance(generator->stream, generator->phase->step);
    agenda_advance(&generator->timers, to, timer_fired, generator);
    generator->now = to;
    traffic_make(generator);
    generator->work++;
}

/* `count` steps during which nothing is asked of the stream but to advance. */
static void steps_advance(struct generator *generator, uint64_t count)
{
    uint64_t step = generator->phase->step;
    generator->work += count;
    if (is_over_budget(generator))
        return;
    if (step == 1)
        stream_append_ticks(generator->stream, count);
    for (uint64_t i = 0; step > 1 && i < count && !is_over_budget(generator); i++)
        stream_append_advance(generator->stream, step);
    generator->now += count * step;
}

/* With nothing to do between the advances, only the last firing says when it is empty. */
static void quiet_until_empty(struct generator *generator)
{
    uint64_t step = generator->phase->step;
    tw_tick last = generator->now;
    for (tw_id id = 0; id < generator->tasks; id++)
        if (agenda_is_running(&generator->timers, id) && generator->timers.due[id] > last)
            last = generator->timers.due[id];
    agenda_advance(&generator->timers, last, timer_fired, generator);
    uint64_t ticks = last - generator->now;
    steps_advance(generator, ticks / step + (ticks % step != 0));
}

static void quiet_steps(struct generator *generator, uint64_t count)
{
    agenda_advance(&generator->timers, generator->now + count * generator->phase->step, timer_fired,
                   generator);
    steps_advance(generator, count);
}

static bool is_quiet(const struct generator *generator)
{
    const struct spec_phase *phase = generator->phase;
    return phase->ended != SPEC_REPLACE && !(phase->refresh > 0) && !phase->refresh_min &&
           !(phase->arrive > 0) && !(phase->depart > 0) && generator->plans.running == 0;
}

static void play_run(struct generator *generator)
{
    const struct spec_phase *phase = generator->phase;
    uint64_t count = phase->ticks / phase->step + (phase->ticks % phase->step != 0);
    if (phase->arrive > 0 || phase->depart > 0)
        roster_open(&generator->roster, &generator->timers);
    if (count > generator->work_max)
        generator->work = UINT64_MAX;
    else if (is_quiet(generator) && phase->until_empty)
        quiet_until_empty(generator);
    else if (is_quiet(generator))
        quiet_steps(generator, count);
    else
        for (uint64_t i = 0; !is_over_budget(generator); i++) {
            if (phase->until_empty ? generator->timers.running == 0 : i == count)
                break;
            step_make(generator);
        }
    roster_close(&generator->roster);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

static void play_phase(struct generator *generator, const struct spec_phase *phase);

static void play_group(struct generator *generator, const struct spec_phase *group)
{
    for (uint64_t i = 0; i < group->repeat && !is_over_budget(generator); i++)
        for (size_t j = 0; j < group->phase_count; j++)
            play_phase(generator, &group->phases[j]);
}

static void play_phase(struct generator *generator, const struct spec_phase *phase)
{
    if (phase->kind == SPEC_GROUP) {
        play_group(generator, phase);
        return;
    }
    generator->phase = phase;
    generator->refresh_due = generator->arrive_due = generator->depart_due = 0;
    generator->ended_count = 0;
    if (phase->delay)
        lives_open(&generator->lives, phase, generator->tasks, &generator->delays,
                   &generator->stops);
    /* Every phase looks at every id at most a few times; a group may do so a million times. */
    generator->work += generator->tasks;
    if (phase->kind == SPEC_START)
        play_start(generator);
    else if (phase->kind == SPEC_STOP)
        play_stop(generator);
    else
        play_run(generator);
    lives_close(&generator->lives);
}

static int budget_check(const struct generator *generator, const struct spec_phase *phase)
{
    if (generator->work <= generator->work_max)
        return DIAG_OK;
    return diag_usage(generator->diag,
                      "%s: phase '%s': more than %llu operations, steps and firings with %u tasks, "
                      "expected a shorter phase, longer delays or a larger step",
                      generator->spec->name, phase->name, (unsigned long long)generator->work_max,
                      generator->tasks);
}

/* A scheduler is to play the first periodic phase too. */
static void schedule_note(struct generator *generator, const struct spec_phase *phase)
{
    struct stream_schedule *schedule = &generator->stream->schedule;
    if (schedule->ticks > 0)
        return;
    *schedule = (struct stream_schedule){
        .ticks = phase->ticks,
        .phase = generator->stream->phase_count - 1,
        .fixed_delay = phase->ended == SPEC_FIXED_DELAY,
        .slow_every = phase->slow_every,
        .slow_run = phase->slow_run,
    };
    if (!phase->run_time)
        return;
    schedule->run_time = memory_take(STREAM_RESTART_SIZE, sizeof *schedule->run_time);
    dist_restart_table(phase->run_time, schedule->run_time);
}

/* Opens the phase in the stream with the tables it needs, and plays it by them. */
static void play_with_rule(struct generator *generator, const struct spec_phase *phase)
{
    uint32_t delays[STREAM_RESTART_SIZE], run_times[STREAM_RESTART_SIZE];
    struct stream *stream = generator->stream;
    bool is_periodic = spec_is_periodic(phase), restarts = phase->ended == SPEC_RESTART;
    bool takes_time = phase->ended == SPEC_FIXED_DELAY && phase->run_time &&
                      dist_restart_table(phase->run_time, run_times);
    if (is_periodic || restarts)
        dist_restart_table(phase->delay, delays);
    stream_phase_begin(stream, phase->name, restarts ? delays : takes_time ? run_times : NULL);
    uint64_t slacks_ns[STREAM_RESTART_SIZE];
    if ((is_periodic || restarts) && dist_restart_slack(phase->delay, slacks_ns))
        stream_phase_slack(stream, slacks_ns);
    if (is_periodic) {
        stream_phase_period(stream, delays);
        schedule_note(generator, phase);
    }
    generator->restart = stream->phases[stream->phase_count - 1].restart;
    generator->period = stream->phases[stream->phase_count - 1].period;
    play_phase(generator, phase);
}

static int play_all(struct generator *generator)
{
    const struct spec *spec = generator->spec;
    for (size_t i = 0; i < spec->phase_count; i++) {
        const struct spec_phase *phase = &spec->phases[i];
        play_with_rule(generator, phase);
        int status = budget_check(generator, phase);
        if (status != DIAG_OK)
            return status;
        if (stream_is_broken(generator->stream))
            break;
    }
    return DIAG_OK;
}

/* Does any phase plan stops, or replace what has ended? */
static void needs_look(const struct spec_phase *phases, size_t count, bool *plans, bool *replaces)
{
    for (size_t i = 0; i < count; i++) {
        *plans |= phases[i].stop_share > 0;
        *replaces |= phases[i].ended == SPEC_REPLACE;
        needs_look(phases[i].phases, phases[i].phase_count, plans, replaces);
    }
}

/* False when the time is over. */
static bool generator_open(struct generator *generator, uint64_t seed, struct deadline until)
{
    const struct spec *spec = generator->spec;
    bool plans = false, replaces = false;
    needs_look(spec->phases, spec->phase_count, &plans, &replaces);
    rng_seed(&generator->delays, seed, SEQUENCE_DELAYS);
    rng_seed(&generator->order, seed, SEQUENCE_ORDER);
    rng_seed(&generator->stops, seed, SEQUENCE_STOPS);
    rng_seed(&generator->traffic, seed, SEQUENCE_TRAFFIC);
    generator->stream = stream_new(spec->name);
    generator->stream->until = until;
    if (!agenda_open_by(&generator->timers, generator->tasks, &until))
        return false;
    if (plans && !agenda_open_by(&generator->plans, generator->tasks, &until))
        return false;
    if (replaces)
        generator->ended = memory_take((size_t)generator->tasks * 2, sizeof *generator->ended);
    return true;
}

static void generator_close(struct generator *generator)
{
    agenda_close(&generator->timers);
    agenda_close(&generator->plans);
    free(generator->ended);
}

static void stream_describe(const struct generator *generator, uint64_t seed)
{
    struct stream *stream = generator->stream;
    snprintf(stream->tasks_meaning, STREAM_NAME_SIZE, "timers");
    stream->tasks = generator->tasks;
    stream->capacity = generator->tasks;
    stream->seed = seed;
    stream->tick_ns = generator->spec->tick_ns;
    stream->spec_json = memory_text(generator->spec->json);
}

int generate_stream(const struct spec *spec, uint64_t seed, struct generate_limits limits,
                    struct stream **out, struct diag *diag)
{
    struct generator generator = {.spec = spec, .diag = diag, .tasks = (uint32_t)spec->tasks};
    generator.work_max = limits.work_max ? limits.work_max : GENERATE_WORK_MAX;
    bool is_open = generator_open(&generator, seed, limits.until);
    stream_describe(&generator, seed);
    int status = is_open ? play_all(&generator) : stream_late(generator.stream, diag);
    /* The oracle, which finishing a stream asks, needs as much memory again. */
    generator_close(&generator);
    if (status == DIAG_OK)
        status = oracle_finish(generator.stream, diag);
    if (status == DIAG_OK)
        *out = generator.stream;
    else
        stream_free(generator.stream);
    return status;
}
