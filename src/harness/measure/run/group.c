/* group.c - measures the designs of a group, interleaved, and collects their reports. */
#include "harness/measure/run/group.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"
#include "harness/measure/stats/summary.h"

/* What an operation is taken to cost when min_time is turned into a number of operations; the second
 * of a design on the machine's clock, which sleeps through the ticks. */
#define NOMINAL_NS_PER_OPERATION     10u
#define NOMINAL_NS_ON_THE_REAL_CLOCK 10000u

/* Rounds that may end it early: the least, those that give an interval, and how narrow that has to be. */
#define SAMPLES_LEAST    3
#define SAMPLES_INTERVAL 6
#define NARROW           0.01

/* Kinds of rounds before the timed ones. */
#define GROUP_FIRST_MAX 6

struct group {
    const struct plan_cell *cells;
    size_t count;
    const struct stream *stream;
    const struct cycles *cycles;
    const struct group_options *options;
    uint64_t passes;
    struct outcome *outcomes;
    struct job *jobs;  /* of this round; room for one per cell */
    size_t done;       /* jobs, in all rounds */
    size_t round_left; /* jobs of this round still to end */
    size_t rounds_left;
    group_progress_fn *progress;
    void *progress_ctx;
};

uint64_t group_passes(const struct stream *stream, uint64_t min_time_ns)
{
    if (stream->once)
        return 1;
    return min_time_ns / NOMINAL_NS_PER_OPERATION / (stream_operations(stream) + 1) + 1;
}

static bool is_on_real_clock(const struct plan_cell *cell)
{
    return cell->design->timed->traits.flags & TW_REAL_CLOCK;
}

/* Passes of a sample of this cell. */
static uint64_t cell_passes(const struct group *group, const struct plan_cell *cell)
{
    const uint64_t share = NOMINAL_NS_ON_THE_REAL_CLOCK / NOMINAL_NS_PER_OPERATION;
    return is_on_real_clock(cell) ? (group->passes - 1) / share + 1 : group->passes;
}

/* ---- From reports to outcomes. --------------------------------------------------------------- */

static void take_proof(struct outcome *outcome, const struct job_report *report,
                       const struct stream *stream)
{
    const struct replay_proof *proof = &report->proof;
    outcome->span_ticks = report->span_ticks;
    outcome->setting_count = report->setting_count;
    memcpy(outcome->settings, report->settings, sizeof outcome->settings);
    outcome->digest = proof->digest;
    outcome->fired = proof->fired;
    outcome->early = proof->early;
    outcome->late_max_ticks = proof->late_max_ticks;
    outcome->late_mean_ticks = proof->late_mean_ticks;
    outcome->precision = proof->precision;
    outcome->phase_count = stream->phase_count;
    for (size_t i = 0; i < stream->phase_count; i++)
        outcome->phases[i] = report->phases[i];
}

/* A cell whose tasks took the scheduler too long is measured all the same; a crash is a crash. */
static void take_schedules(struct outcome *outcome, const struct job_report *report)
{
    if (report->status != OUTCOME_OK)
        return;
    outcome->schedule_count = report->schedule_count;
    memcpy(outcome->schedules, report->schedules, sizeof outcome->schedules);
}

static void take_latency(struct outcome *outcome, const struct job_report *report)
{
    for (size_t i = 0; i < outcome->phase_count; i++) {
        memcpy(outcome->phases[i].latency, report->phases[i].latency,
               sizeof outcome->phases[i].latency);
        outcome->phases[i].own = report->phases[i].own;
    }
}

/* So many passes over the stream itself make as much work in that phase as the passes of the report, which may have
 * gone over others. */
static double passes_in_phase(const struct job *job, const struct job_report *report,
                              const struct outcome *outcome, size_t phase)
{
    uint64_t work = replay_phase_work(&job->stream->phases[phase], outcome->phases[phase].expires);
    double all = (double)report->total.phases[phase].work;
    return work > 0 && all > 0 ? all / (double)work : (double)job->passes;
}

static void take_counts(struct outcome *outcome, const struct job *job,
                        const struct job_report *report)
{
    for (size_t i = 0; i < outcome->phase_count; i++)
        counters_outcome(&report->counts[i], passes_in_phase(job, report, outcome, i),
                         outcome->phases[i].counts);
    memcpy(outcome->counters_reason, report->counters_reason, sizeof outcome->counters_reason);
}

/* A cell whose calls could not be stepped through is measured all the same. */
static void take_steps(struct outcome *outcome, const struct job_report *report,
                       const struct stream *small)
{
    struct outcome_stepped *stepped = &outcome->stepped;
    *stepped = report->stepped;
    stepped->tasks = small->tasks;
    if (report->status == OUTCOME_OK)
        return;
    stepped->known = false;
    snprintf(stepped->reason, sizeof stepped->reason, "%.*s", (int)sizeof stepped->reason - 1,
             report->reason);
}

/* What a process ran, and how often it ran the same; passes that were taken again apart. */
static void take_fresh(struct outcome *outcome, const struct job *job)
{
    const struct stream_passes *passes = job->stream->passes;
    uint64_t all = job->warmup + job->passes;
    uint64_t streams = passes ? passes->count : 1;
    uint64_t operations = passes ? passes->operations : stream_operations(job->stream);
    outcome->passes_per_sample = job->passes;
    outcome->fresh_streams = all < streams ? all : streams;
    outcome->fresh_operations = operations / streams * outcome->fresh_streams;
    outcome->replays = (all - 1) / streams + 1;
    outcome->renamed = passes && passes->renamed;
}

static void take_sample(struct outcome *outcome, const struct job *job,
                        const struct job_report *report)
{
    for (size_t i = 0; i < outcome->phase_count; i++) {
        const struct replay_phase *from = &report->total.phases[i];
        double passes = passes_in_phase(job, report, outcome, i);
        outcome->phases[i].stretch = passes / (double)job->passes;
        outcome->phases[i].wall_ns[outcome->sample_count] = from->wall_ns / passes;
        outcome->phases[i].cpu_ns[outcome->sample_count] = from->cpu_ns / passes;
    }
    outcome->sample_count++;
    take_fresh(outcome, job);
    outcome->retaken_passes += report->retaken;
    outcome->slow_passes += report->slow;
    outcome->page_faults += report->page_faults;
}

/* Of several children the one in which the least is huge. */
static void take_pages(struct outcome *outcome, const struct outcome_pages *pages)
{
    struct outcome_pages *kept = &outcome->memory.pages;
    bool told = kept->told || pages->told, is_first = !kept->known && !kept->told;
    if (is_first || !pages->known || pages->huge_bytes < kept->huge_bytes)
        *kept = *pages;
    kept->told = told;
}

static void group_take(void *ctx, const struct job *job, const struct job_report *report)
{
    struct group *group = ctx;
    struct outcome *outcome = &group->outcomes[job->cell];
    if (job->kind == JOB_PROVE)
        take_proof(outcome, report, group->stream);
    if (job->kind == JOB_SCHEDULE && report->status != OUTCOME_CRASHED) {
        take_schedules(outcome, report);
    } else if (job->kind == JOB_STEP) {
        take_steps(outcome, report, job->stream);
    } else if (report->status != OUTCOME_OK) {
        outcome->status = (enum outcome_status)report->status;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", report->reason);
    } else if (job->kind == JOB_MEMORY) {
        outcome->memory = report->memory;
        take_pages(outcome, &report->pages);
    } else if (job->kind == JOB_LATENCY) {
        take_latency(outcome, report);
    } else if (job->kind == JOB_COUNT) {
        take_counts(outcome, job, report);
    } else if (job->kind == JOB_TIME) {
        take_sample(outcome, job, report);
        take_pages(outcome, &report->pages);
    }
    group->done++;
}

/* ---- The rounds. ----------------------------------------------------------------------------- */

static size_t group_alive(const struct group *group)
{
    size_t alive = 0;
    for (size_t i = 0; i < group->count; i++)
        alive += group->outcomes[i].status == OUTCOME_OK;
    return alive;
}

static void group_report(void *ctx, const struct job *job, const struct job_report *report)
{
    struct group *group = ctx;
    group_take(ctx, job, report);
    group->round_left--;
    struct group_progress progress = {
        .job = job,
        .done = group->done,
        .total = group->done + group->round_left + group->rounds_left * group_alive(group),
    };
    if (group->progress)
        group->progress(group->progress_ctx, &progress);
}

static void shuffle_jobs(struct job *jobs, size_t count, struct rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i);
        struct job job = jobs[i - 1];
        jobs[i - 1] = jobs[j];
        jobs[j] = job;
    }
}

/* A design that sleeps loses the core on purpose: its passes are not taken again for that. */
static struct job group_job(const struct group *group, enum job_kind kind, size_t cell)
{
    const struct plan_cell *plan = &group->cells[cell];
    return (struct job){
        .kind = kind,
        .cell = cell,
        .plan = plan,
        .stream = kind == JOB_STEP ? group->options->small : group->stream,
        .cycles = group->cycles,
        .passes = cell_passes(group, plan),
        .warmup = group->options->warmup,
        .pace_ns = is_on_real_clock(plan) ? 0 : group->options->pace_ns,
        .patience_ns = group->options->patience_ns,
    };
}

/* One job of a kind for every cell that is still in the race. */
static int group_round(struct group *group, struct pool *pool, enum job_kind kind, struct rng *rng,
                       struct diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        if (group->outcomes[i].status == OUTCOME_OK)
            group->jobs[count++] = group_job(group, kind, i);
    shuffle_jobs(group->jobs, count, rng);
    group->round_left = count;
    group->rounds_left--;
    return pool_run(pool, group->jobs, count, group_report, group, diag);
}

/* What comes before the timed rounds.  Answers how many there are. */
static size_t list_first(const struct stream *stream, const struct group_options *options,
                         enum job_kind first[GROUP_FIRST_MAX])
{
    size_t count = 0;
    first[count++] = JOB_PROVE;
    if (stream->schedule.ticks > 0)
        first[count++] = JOB_SCHEDULE;
    first[count++] = JOB_MEMORY;
    if (options->runs == 0)
        return count;
    if (!options->no_latency)
        first[count++] = JOB_LATENCY;
    if (options->count)
        first[count++] = JOB_COUNT;
    if (options->small)
        first[count++] = JOB_STEP;
    return count;
}

/* ---- When is it enough? ---------------------------------------------------------------------- */

static bool is_narrow(const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->phase_count; i++) {
        struct summary wall = summary_of(outcome->phases[i].wall_ns, outcome->sample_count);
        if (wall.high > wall.median * (1 + NARROW) || wall.low < wall.median * (1 - NARROW))
            return false;
    }
    return outcome->sample_count >= SAMPLES_INTERVAL;
}

/* Of a call behind others the time of the harness is still to be taken off, which leaves the interval wider. */
static bool is_all_narrow(const struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->outcomes[i].status == OUTCOME_OK &&
            (group->cells[i].between >= PLAN_BETWEEN_CHAIN || !is_narrow(&group->outcomes[i])))
            return false;
    return true;
}

/* Processor time, so that a busy machine takes no samples away; what sleeps is timed by the wall. */
static uint64_t now_ns(const struct group *group)
{
    return is_on_real_clock(&group->cells[0]) ? clock_read_ns(CLOCK_MONOTONIC) : clock_work_ns();
}

static double time_of_all_ns(const struct group *group)
{
    double ns = 0;
    for (size_t i = 0; i < group->count; i++) {
        bool keeps = !(group->cells[i].design->timed->traits.flags & TW_KEEPS_NOTHING);
        bool runs = group->outcomes[i].status == OUTCOME_OK;
        ns += keeps && runs ? (double)group->options->time_ns : 0;
    }
    return ns;
}

/* After `taken` rounds that began at `begin_ns`: is it over, and why? */
static bool is_enough(const struct group *group, uint64_t taken, uint64_t begin_ns,
                      enum outcome_end *why)
{
    if (group->options->time_ns == 0)
        return false;
    double spent_ns = (double)(now_ns(group) - begin_ns);
    /* An interval is worth more time than its narrowing. */
    double times = taken < SAMPLES_INTERVAL ? 3 : 1;
    bool fits = spent_ns + spent_ns / (double)taken <= times * time_of_all_ns(group);
    *why = OUTCOME_END_INTERVAL;
    if (taken >= SAMPLES_INTERVAL && is_all_narrow(group))
        return true;
    *why = OUTCOME_END_TIME;
    return taken >= SAMPLES_LEAST && !fits;
}

static int time_rounds(struct group *group, struct pool *pool, struct rng *rng, struct diag *diag)
{
    uint64_t begin_ns = now_ns(group);
    enum outcome_end ended = OUTCOME_END_RUNS;
    int status = DIAG_OK;
    for (uint64_t run = 0; run < group->options->runs && status == DIAG_OK; run++) {
        enum outcome_end why;
        if (run > 0 && is_enough(group, run, begin_ns, &why)) {
            ended = why;
            break;
        }
        status = group_round(group, pool, JOB_TIME, rng, diag);
    }
    for (size_t i = 0; i < group->count; i++)
        group->outcomes[i].ended = ended;
    return status;
}

int group_run(struct pool *pool, const struct plan_cell *cells, size_t count,
              const struct stream *stream, const struct cycles *cycles,
              const struct group_options *options, struct outcome *outcomes,
              group_progress_fn *progress, void *progress_ctx, struct diag *diag)
{
    enum job_kind first[GROUP_FIRST_MAX];
    size_t first_count = list_first(stream, options, first);
    struct group group = {
        .cells = cells,
        .count = count,
        .stream = stream,
        .cycles = cycles,
        .options = options,
        .passes = group_passes(stream, options->min_time_ns),
        .outcomes = outcomes,
        .jobs = memory_take(count, sizeof *group.jobs),
        .rounds_left = first_count + options->runs,
        .progress = progress,
        .progress_ctx = progress_ctx,
    };
    struct rng rng;
    rng_seed(&rng, options->seed, 0);
    int status = DIAG_OK;
    for (size_t i = 0; i < first_count && status == DIAG_OK; i++)
        status = group_round(&group, pool, first[i], &rng, diag);
    if (status == DIAG_OK)
        status = time_rounds(&group, pool, &rng, diag);
    free(group.jobs);
    return status;
}

double group_ns_per_call(const struct outcome *outcome)
{
    double totals[OUTCOME_SAMPLES_MAX] = {0};
    uint64_t calls = 0;
    for (size_t i = 0; i < outcome->phase_count; i++) {
        const struct outcome_phase *phase = &outcome->phases[i];
        calls += phase->starts + phase->stops + phase->advances;
        for (size_t s = 0; s < outcome->sample_count; s++)
            totals[s] += phase->cpu_ns[s];
    }
    if (calls == 0 || outcome->sample_count == 0)
        return -1;
    return summary_of(totals, outcome->sample_count).median / (double)calls;
}
