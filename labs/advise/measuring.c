/* measuring.c - measures candidates of an advice within its budget. */
#include "labs/advise/advising.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/run/group.h"
#include "harness/tell/report/view.h"
#include "impls/registry.h"

#include <math.h>

/* What a child takes beside its passes: fork, open, report. */
#define CHILD_NS       2e6
#define CLOCK_RUN_NS   2e8 /* a run on the real clock beside what it plays */
#define FIRST_CHILDREN 4   /* proof, memory, latency, and the schedule of periodic tasks */

uint64_t measuring_now_ns(const struct measuring *measuring)
{
    return deadline_now_ns(measuring->evidence.wishes.on_clock ? DEADLINE_WALL : DEADLINE_WORK);
}

/* What making the load has left of the budget, or what all may take of it until a deadline in wall time, going by what
 * it took so far; more than 0. */
static double left_when_made_ns(const struct measuring *measuring)
{
    double left_ns = (double)measuring->begin_ns + (double)measuring->setup.budget_ns -
                     (double)measuring->made_ns;
    uint64_t until_ns = measuring->session.deadline.wall_at_ns;
    if (until_ns > 0) {
        double now_ns = (double)measuring_now_ns(measuring);
        double wall_ns = (double)clock_read_ns(CLOCK_MONOTONIC);
        double took_ns = fmax(wall_ns - (double)measuring->begin_wall_ns, 1);
        double rate = fmin(1, (now_ns - (double)measuring->begin_ns) / took_ns);
        double fits_ns = now_ns + rate * ((double)until_ns - wall_ns) - (double)measuring->made_ns;
        left_ns = fmin(left_ns, fits_ns);
    }
    return fmax(left_ns, 1);
}

double measuring_used(const struct measuring *measuring)
{
    return (double)(measuring_now_ns(measuring) - measuring->made_ns) /
           left_when_made_ns(measuring);
}

/* ---- How long will it take? ------------------------------------------------------------------ */

/* Wall time of one pass, from any cell of the candidate at the load's own size; 0: none is known. */
static double pass_ns(const struct measuring *measuring, size_t candidate, double *passes)
{
    struct contender contender = evidence_contender(&measuring->evidence, candidate);
    for (size_t i = 0; i < CRITERIA_ROUNDS && contender.of.known; i++) {
        const cJSON *cell = contender.cells.cells[i];
        double ns = 0;
        if (!cell)
            continue;
        json_each(phase, cell, "phases") {
            double operations = view_operations(phase);
            ns += operations > 0 ? operations * json_get_number(phase, "ns_per_op.median") : 0;
        }
        *passes = fmax(1, json_get_number(cell, "sampling.passes_per_sample"));
        return ns;
    }
    return 0;
}

/* Of a run on the real clock: what it plays, and what opening and shutting take, by a look if there was one. */
static double run_ns(const struct measuring *measuring, size_t candidate)
{
    double look_ns = measuring->look_ns[candidate];
    return look_ns > 0 ? look_ns : (double)measuring->evidence.load.played_ns + CLOCK_RUN_NS;
}

static double predict_one(const struct measuring *measuring, size_t candidate,
                          const struct measuring_step *step)
{
    if (measuring->evidence.wishes.on_clock)
        return (double)step->runs * run_ns(measuring, candidate);
    double passes = 1, one_ns = pass_ns(measuring, candidate, &passes);
    double first_ns = measuring->look_ns[candidate];
    double timed_ns = (double)step->runs * (passes + (double)step->warmup) * one_ns;
    double forks_ns = CHILD_NS * (double)(FIRST_CHILDREN + step->runs);
    if (first_ns <= 0)
        first_ns = (double)measuring->child_ns / 4;
    double least_ns = (double)measuring->setup.min_time_ns * (double)(FIRST_CHILDREN + step->runs);
    return fmax(first_ns + timed_ns, least_ns) + forks_ns;
}

double measuring_predict(const struct measuring *measuring, const struct measuring_step *step)
{
    double sum_ns = 0;
    for (size_t i = 0; i < step->count; i++)
        sum_ns += predict_one(measuring, step->chosen[i], step);
    return sum_ns / left_when_made_ns(measuring);
}

/* ---- Running. -------------------------------------------------------------------------------- */

static void name_cell(void *ctx, const struct plan_group *group, const struct plan_cell *cell,
                      const char *identity)
{
    struct measuring *measuring = ctx;
    size_t candidate = measuring->chosen[cell - measuring->session.cells];
    (void)group;
    evidence_add(&measuring->evidence, candidate, measuring->round, identity);
}

static void fill_matrix(struct measuring *measuring, const struct measuring_step *step,
                        uint64_t tick_ns)
{
    struct setup *matrix = &measuring->matrix;
    *matrix = measuring->setup;
    matrix->tick_ns = tick_ns > 0 ? tick_ns : measuring->setup.tick_ns;
    matrix->runs = step->runs;
    matrix->warmup = step->warmup;
    matrix->budget_ns = measuring->child_ns;
    matrix->no_latency = step->no_latency;
}

static struct plan_cell cell_of(const struct measuring *measuring,
                                const struct candidate *candidate)
{
    struct plan_cell cell = {.design = candidate->design,
                             .drive = candidate->drive,
                             .between = measuring->evidence.wishes.between,
                             .setting_count = candidate->setting_count};
    memcpy(cell.settings, candidate->settings, sizeof cell.settings);
    return cell;
}

static struct plan_group group_of(const struct load *load)
{
    return (struct plan_group){load->workload, load->is_trace ? 0 : load->tasks};
}

/* The candidates of one tick: they share a stream. */
static int run_tick(struct measuring *measuring, const struct measuring_step *step,
                    const size_t *chosen, size_t count, struct diag *diag)
{
    struct plan_cell cells[CANDIDATES_MAX];
    struct session *session = &measuring->session;
    struct plan_group group = group_of(&measuring->evidence.load);
    uint64_t tick_ns = measuring->evidence.candidates[chosen[0]].tick_ns;
    if (tick_ns > 0 && !deadline_fits(&session->deadline, (double)measuring->stream_ns))
        return DEADLINE_OVER;
    for (size_t i = 0; i < count; i++)
        cells[i] = cell_of(measuring, &measuring->evidence.candidates[chosen[i]]);
    fill_matrix(measuring, step, tick_ns);
    measuring->chosen = chosen;
    measuring->round = step->round;
    session->named = name_cell;
    session->named_ctx = measuring;
    int status = session_plan_cells(session, &measuring->matrix, &group, cells, count, diag);
    if (status != DIAG_OK)
        return status;
    progress_begin(&session->progress, measuring->setup.progress, session_weight(session));
    session->progress.stage = measuring->stage;
    return session_run(session, diag);
}

/* Runs of the candidates in turn, so that a drift of the machine falls on all alike. */
static int run_on_clock(struct measuring *measuring, const struct measuring_step *step,
                        const size_t *chosen, size_t count)
{
    struct session *session = &measuring->session;
    struct advice_evidence *evidence = &measuring->evidence;
    bool idle = step->round == EVIDENCE_IDLE;
    progress_begin(&session->progress, measuring->setup.progress, 1);
    for (size_t i = 0; i < step->runs * count; i++) {
        struct candidate *candidate = &evidence->candidates[chosen[i % count]];
        if (candidate->left_out[0])
            continue;
        if (!deadline_fits(&session->deadline, run_ns(measuring, chosen[i % count])))
            return DEADLINE_OVER;
        progress_step(&session->progress, measuring->stage, i, step->runs * count);
        cJSON *cell = live_run(&measuring->setup, &evidence->load, candidate, idle);
        if (interrupt_is_pending(pool_interrupt(session->pool))) {
            cJSON_Delete(cell);
            return POOL_INTERRUPTED;
        }
        if (cell)
            evidence_add_run(evidence, chosen[i % count], step->round, cell);
        else
            snprintf(candidate->left_out, sizeof candidate->left_out,
                     "its run failed, and said why on stderr");
    }
    progress_clear(&session->progress);
    return DIAG_OK;
}

int measuring_same_load(struct measuring *measuring, uint64_t tick_ns, bool *same,
                        struct diag *diag)
{
    const struct load *load = &measuring->evidence.load;
    struct plan_group group = group_of(load);
    struct stream *stream = NULL;
    if (!deadline_fits(&measuring->session.deadline, (double)measuring->stream_ns))
        return DEADLINE_OVER;
    measuring->matrix = measuring->setup;
    measuring->matrix.tick_ns = tick_ns;
    int status = session_stream(&measuring->session, &measuring->matrix, &group, &stream, diag);
    if (status != DIAG_OK)
        return status;
    double here_ns = (double)stream->horizon * (double)stream->tick_ns;
    double there_ns = (double)load->horizon * (double)load->tick_ns;
    *same = fabs(here_ns - there_ns) <= 2 * (double)stream->tick_ns;
    return DIAG_OK;
}

static struct slack_count count_of(const char *impl, const struct outcome *outcome)
{
    struct slack_count count = {impl, NAN, NAN, NAN, NAN};
    if (outcome->status != OUTCOME_OK)
        return count;
    count.wakeups = count.expiries = 0;
    for (size_t i = 0; i < outcome->phase_count; i++) {
        count.wakeups += (double)outcome->phases[i].wakeups.useful;
        count.expiries += (double)outcome->phases[i].expires;
    }
    count.late_p50_ns = (double)outcome->precision.late_p50_ns;
    count.late_p99_ns = (double)outcome->precision.late_p99_ns;
    return count;
}

/* The same operations with slack: a copy of the stream that shares all else with it. */
int measuring_slack(struct measuring *measuring, struct diag *diag)
{
    static const char *const names[SLACK_DESIGNS] = {"heap", "coalesce", "slack-wheel"};
    struct advice_evidence *evidence = &measuring->evidence;
    struct plan_group group = group_of(&evidence->load);
    const struct group_options counts = {.seed = measuring->setup.seed};
    struct plan_cell cells[SLACK_DESIGNS];
    struct stream *stream = NULL;
    if (!evidence->slack)
        return DIAG_OK;
    int status = session_stream(&measuring->session, &measuring->setup, &group, &stream, diag);
    if (status != DIAG_OK)
        return status;
    struct stream granted = *stream;
    granted.slack = evidence->granted;
    granted.passes = NULL;
    for (size_t i = 0; i < SLACK_DESIGNS; i++)
        cells[i] = (struct plan_cell){.design = registry_find(names[i]), .drive = PLAN_DRIVE_NEXT};
    struct outcome *outcomes = memory_take(SLACK_DESIGNS, sizeof *outcomes);
    pool_set_budget(measuring->session.pool, measuring->child_ns);
    status = group_run(measuring->session.pool, cells, SLACK_DESIGNS, &granted, NULL, &counts,
                       outcomes, NULL, NULL, diag);
    for (size_t i = 0; i < SLACK_DESIGNS && status == DIAG_OK; i++)
        evidence->slack_counts[i] = count_of(names[i], &outcomes[i]);
    free(outcomes);
    return status;
}

static bool is_before(const size_t *chosen, size_t count, uint64_t tick_ns,
                      const struct candidate *candidates)
{
    for (size_t i = 0; i < count; i++)
        if (candidates[chosen[i]].tick_ns == tick_ns)
            return true;
    return false;
}

int measuring_run(struct measuring *measuring, const struct measuring_step *step, struct diag *diag)
{
    const struct candidate *candidates = measuring->evidence.candidates;
    uint64_t begin_ns = measuring_now_ns(measuring);
    int status = DIAG_OK;
    for (size_t i = 0; i < step->count && status == DIAG_OK; i++) {
        size_t chosen[CANDIDATES_MAX], count = 0;
        uint64_t tick_ns = candidates[step->chosen[i]].tick_ns;
        if (is_before(step->chosen, i, tick_ns, candidates))
            continue;
        for (size_t j = i; j < step->count; j++)
            if (candidates[step->chosen[j]].tick_ns == tick_ns &&
                !evidence_has(&measuring->evidence, step->chosen[j], step->round))
                chosen[count++] = step->chosen[j];
        if (count > 0 && measuring->evidence.wishes.on_clock)
            status = run_on_clock(measuring, step, chosen, count);
        else if (count > 0)
            status = run_tick(measuring, step, chosen, count, diag);
    }
    evidence_look(&measuring->evidence, result_json(measuring->session.document));
    if (step->count == 1 && step->round == 0)
        measuring->look_ns[step->chosen[0]] = (double)(measuring_now_ns(measuring) - begin_ns);
    return status;
}
