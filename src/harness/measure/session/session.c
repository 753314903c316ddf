/* session.c - runs a plan group by group and adds its cells to the document. */
#include "harness/measure/session/session.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/run/counters.h"
#include "harness/measure/run/gap.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/workload/oracle.h"
#include "harness/tell/result/cell.h"

#include <sys/stat.h>

#define CHECK_NS 100000000L
/* Tasks of the stream that is stepped through: a design whose calls grow with n has to stay cheap. */
#define STEPPED_TASKS 32u
/* A sample waits for at most so small a part of its cell's budget. */
#define PATIENCE_PER_BUDGET 50

/* An estimate takes a call for so long, whatever the design, and the passes that prove, count and weigh for so many
 * plain ones, each in a child that takes so long to begin and end. */
#define ESTIMATE_CALL_NS  10.0
#define ESTIMATE_CHECKS   20.0
#define ESTIMATE_CHILDREN 4u
#define ESTIMATE_CHILD_NS 2e6
#define ESTIMATE_TASKS    1000u

/* ---- Before the first group. ----------------------------------------------------------------- */

/* The cell of null whose calls have the same between them, driven by ticks where it is taken off; cell_count: none. */
static size_t null_cell(const struct session *session, uint32_t between)
{
    size_t i = 0;
    while (i < session->cell_count &&
           (session->cells[i].between != between ||
            (between != PLAN_BETWEEN_UNASKED && session->cells[i].drive != PLAN_DRIVE_TICKS) ||
            strcmp(session->cells[i].design->timed->name, "null") != 0))
        i++;
    return i;
}

/* null is always among the cells: its time is what the harness costs on the same stream. */
static int session_cells(struct session *session, struct diag *diag)
{
    size_t count = session->plan.cell_count;
    size_t room = count + PLAN_BETWEENS_MAX;
    session->cells = memory_take(room, sizeof *session->cells);
    session->outcomes = memory_take(room, sizeof *session->outcomes);
    session->hopeless = memory_take(room, sizeof *session->hopeless);
    memcpy(session->cells, session->plan.cells, count * sizeof *session->cells);
    session->cell_count = count;
    if (session->setup->stage)
        return session->setup->stage->open(session->setup->stage->ctx, session->setup,
                                           session->cells, count, diag);
    for (size_t i = 0; i < count; i++)
        if (null_cell(session, session->cells[i].between) == session->cell_count)
            session->cells[session->cell_count++] = (struct plan_cell){
                .design = registry_find("null"),
                .drive = session->cells[i].between == PLAN_BETWEEN_UNASKED ? session->cells[0].drive
                                                                           : PLAN_DRIVE_TICKS,
                .between = session->cells[i].between,
            };
    return DIAG_OK;
}

static int session_pool(struct session *session, struct diag *diag)
{
    const struct setup *setup = session->setup;
    int cpus[CPU_SETSIZE] = {-1};
    size_t count = origin_cores(setup, cpus, (size_t)setup->jobs);
    if (count < setup->jobs)
        return diag_usage(
            diag, "--jobs: %llu given; expected at most %zu here, a core for each child%s",
            (unsigned long long)setup->jobs, count, setup->pin_none ? " (unpinned: 1)" : "");
    session->cpu = cpus[0];
    struct pool_bounds limits = {
        .budget_ns = setup->budget_ns,
        .memory_bytes = setup->memory_limit_bytes,
    };
    int status = pool_open(&session->pool, cpus, count, &limits, diag);
    if (status == DIAG_OK)
        pool_set_deadline(session->pool, session->deadline);
    return status;
}

/* Asks the processor once, so that a run without counters does not pay for trying in every cell. */
static int session_counters(struct session *session, struct diag *diag)
{
    enum setup_counters wish = session->setup->counters;
    struct counters counters;
    if (wish == COUNTERS_OFF || session->setup->counts_only) {
        snprintf(session->counters_reason, sizeof session->counters_reason, "%s",
                 wish == COUNTERS_OFF ? "--counters=off" : "--counts-only");
        return DIAG_OK;
    }
    bool there = counters_open(&counters, NULL);
    counters_close(&counters);
    if (there)
        return DIAG_OK;
    if (wish == COUNTERS_REQUIRED)
        return diag_run(diag, "--counters=required: %s", counters.reason);
    memcpy(session->counters_reason, counters.reason, sizeof session->counters_reason);
    return DIAG_OK;
}

/* What the harness costs, and then, with nothing of our own running, what could disturb it: two looks at the system
 * CHECK_NS apart. */
static void session_check(struct session *session, struct result_origin *origin)
{
    struct system_look *before = NULL, *after = NULL;
    session->cycles = cycles_calibrate();
    session->pace_ns = session->setup->patience_ns > 0 ? pace_calibrate_ns() : 0;
    if (!session->setup->no_system_check && !session->setup->counts_only) {
        before = system_look("");
        nanosleep(&(struct timespec){.tv_nsec = CHECK_NS}, NULL);
        after = system_look("");
    }
    system_check(&origin->checks, before, after, session->cpu, origin->machine.virtualisation, "");
    system_look_free(before);
    system_look_free(after);
}

/* What --resume goes on with.  A run that was ended before its first cell has left no file, and whoever starts
 * it again need not know. */
static int session_load(struct session *session, struct diag *diag)
{
    const char *path = session->setup->json;
    struct stat info;
    if (!session->setup->resume)
        return DIAG_OK;
    if (lstat(path, &info) != 0 && errno == ENOENT) {
        fprintf(stderr, "twbench: %s: is not there yet; --resume begins it\n", path);
        return DIAG_OK;
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return diag_usage(diag, "%s: not a file that --resume can continue; expected a result",
                          path);
    return result_load(path, &session->document, diag);
}

/* A document that is resumed has to be of the same part of the same plan. */
static int check_part(const struct setup *setup, const struct result_document *document,
                      struct diag *diag)
{
    if (setup->part)
        return setup->part->check(setup->part->ctx, document, setup->json, diag);
    return json_get(result_json(document), "shard")
               ? diag_usage(diag, "%s: is a shard of a plan; expected --shard beside --resume",
                            setup->json)
               : DIAG_OK;
}

static int session_document(struct session *session, struct diag *diag)
{
    const struct setup *setup = session->setup;
    struct result_origin origin;
    origin_fill(&origin, setup);
    bool is_loaded = session->document != NULL;
    int status = DIAG_OK;
    if (is_loaded)
        result_forget_left_out(session->document);
    if (is_loaded)
        status = result_check_origin(session->document, setup->json, &origin, diag);
    if (is_loaded && status == DIAG_OK)
        status = check_part(setup, session->document, diag);
    if (status != DIAG_OK)
        return status;
    session_check(session, &origin);
    origin_warn(&origin, setup);
    origin.harness.timer_overhead_ns =
        (double)session->cycles.overhead_cycles * session->cycles.ps_per_cycle / 1e3;
    origin.harness.timer_step_ns =
        (double)session->cycles.step_cycles * session->cycles.ps_per_cycle / 1e3;
    if (!is_loaded)
        session->document = result_new(&origin);
    if (setup->reference)
        result_attach(session->document, "reference", json_text(setup->reference));
    if (is_loaded)
        return DIAG_OK;
    if (setup->commit) {
        cJSON *subject = cJSON_CreateObject();
        json_add_text(subject, "commit", setup->commit);
        json_add_text(subject, "date_utc", setup->commit_date);
        result_attach(session->document, "subject", subject);
    }
    if (setup->part)
        result_attach(session->document, "shard",
                      cJSON_Duplicate(setup->part->record(setup->part->ctx), true));
    if (setup->kind)
        result_attach(session->document, "kind", jsontext_string(setup->kind));
    return DIAG_OK;
}

static struct workload_request request_of(const struct session *session, const struct setup *setup,
                                          const struct plan_group *group)
{
    return (struct workload_request){
        .workload = group->workload,
        .directory = setup->workload_directory,
        .tasks = group->tasks,
        .tick_ns = setup->stage ? 0 : setup->tick_ns, /* or that of the runner */
        .seed = setup->seed,
        .settings = setup->sets,
        .setting_count = setup->set_count,
        .until = session->deadline.at_ns > 0 ? session->deadline : setup_making(setup),
        .rename = setup->rename,
    };
}

/* Everything that the stream is made from, as one line; free it. */
static char *stream_key(const struct setup *setup, const struct plan_group *group)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    fprintf(out, "%s %llu %llu %llu %llu", group->workload, (unsigned long long)group->tasks,
            (unsigned long long)setup->tick_ns, (unsigned long long)setup->seed,
            (unsigned long long)setup->max_pending);
    for (size_t i = 0; i < setup->set_count; i++)
        fprintf(out, " %s=%s", setup->sets[i].name, setup->sets[i].value);
    fclose(out);
    return key;
}

static void session_drop_stream(struct session *session)
{
    if (session->kept)
        stream_free(session->kept);
    free(session->kept_key);
    session->kept = NULL;
    session->kept_key = NULL;
}

static int make_stream(const struct setup *setup, const struct workload_request *request,
                       struct stream **out, struct diag *diag)
{
    if (setup->stage && setup->stage->stream)
        return setup->stage->stream(setup->stage->ctx, request, out, diag);
    return workload_stream(request, out, diag);
}

int session_stream(struct session *session, const struct setup *setup,
                   const struct plan_group *group, struct stream **out, struct diag *diag)
{
    char *key = stream_key(setup, group);
    if (session->kept && strcmp(session->kept_key, key) == 0) {
        free(key);
        *out = session->kept;
        return DIAG_OK;
    }
    struct workload_request request = request_of(session, setup, group);
    session_drop_stream(session);
    int status = make_stream(setup, &request, &session->kept, diag);
    session->kept_key = key;
    if (status == DIAG_OK && setup->max_pending > 0 && !setup->stage)
        status = oracle_cap(session->kept, (uint32_t)setup->max_pending, diag);
    if (status == DIAG_OK)
        *out = session->kept;
    else
        session_drop_stream(session);
    return status;
}

static int session_validate(const struct session *session, struct diag *diag)
{
    const char *last = NULL;
    int status = DIAG_OK;
    for (size_t i = 0; i < session->plan.group_count && status == DIAG_OK; i++) {
        const struct plan_group *group = &session->plan.groups[i];
        if (group->workload == last)
            continue;
        last = group->workload;
        struct workload_request request = request_of(session, session->setup, group);
        request.tasks = group->tasks < 64 && group->tasks > 0 ? group->tasks : 64;
        struct stream *stream = NULL;
        status = make_stream(session->setup, &request, &stream, diag);
        if (status == DIAG_OK)
            stream_free(stream);
        if (status == DEADLINE_OVER)
            status = DIAG_OK; /* the group itself says so */
    }
    return status;
}

/* ---- A group. -------------------------------------------------------------------------------- */

/* The design's, or of a way that keeps its timers itself none. */
static const struct tw_traits *traits_of(const struct plan_cell *cell)
{
    static const struct tw_traits none = {.flags = TW_REAL_CLOCK};
    return cell->way && cell->way->params ? &none : &cell->design->timed->traits;
}

static struct cell_identity identity_of(const struct session *session, size_t cell)
{
    const struct setup *setup = session->setup;
    const struct plan_cell *plan = &session->cells[cell];
    return (struct cell_identity){
        .impl = plan->way && plan->way->params ? plan->way->name : plan->design->timed->name,
        .traits = traits_of(plan),
        .takes_slack = traits_of(plan) == &plan->design->timed->traits &&
                       registry_part(plan->design->timed, "slack"),
        .settings = plan->settings,
        .setting_count = plan->setting_count,
        .drive = plan->drive,
        .pages = plan->pages,
        .batch = plan->batch,
        .between = plan->between,
        .runs = setup->runs,
        .warmup = setup->warmup,
        .same_pass = setup->same_pass,
        .rename = setup->rename,
        .max_pending = setup->max_pending,
        .budget_ns = setup->budget_ns,
        .memory_limit_bytes = setup->memory_limit_bytes,
        .pin_cpu = setup->stage ? -1 : session->cpu,
        .extra = setup->stage ? setup->stage->extra(setup->stage->ctx, cell) : NULL,
    };
}

/* What null was measured at beside that cell; NULL: it was not. */
static const struct outcome *harness_of(const struct session *session, size_t cell)
{
    if (session->setup->stage)
        return NULL; /* null costs nothing that a runner's callers would notice */
    const struct outcome *outcome =
        &session->outcomes[null_cell(session, session->cells[cell].between)];
    return outcome->sample_count > 0 ? outcome : NULL;
}

static double harness_cost(const struct session *session, const struct stream *stream, size_t cell)
{
    const struct outcome *harness = harness_of(session, cell);
    double ns_per_op = session->cells[cell].between == PLAN_BETWEEN_UNASKED
                           ? result_harness_ns_per_op(session->document, stream)
                           : -1;
    return ns_per_op >= 0 || !harness ? ns_per_op : group_ns_per_call(harness);
}

static void refuse_hopeless(struct session *session, size_t cell)
{
    struct outcome *outcome = &session->outcomes[cell];
    outcome->status = OUTCOME_TIMEOUT;
    snprintf(outcome->reason, sizeof outcome->reason,
             "not run: fewer tasks of this workload already took longer than the budget");
}

/* Tells which experiment each cell of the group is, whether it is run now or was run before. */
static void name_cells(const struct session *session, const struct plan_group *group,
                       const struct stream *stream)
{
    char text[CELL_IDENTITY_SIZE];
    for (size_t i = 0; session->named && i < session->plan.cell_count; i++) {
        struct cell_identity identity = identity_of(session, i);
        cell_identity_text(text, sizeof text, &identity, stream);
        session->named(session->named_ctx, group, &session->cells[i], text);
    }
}

static bool is_among(const size_t *list, size_t count, size_t item)
{
    size_t i = 0;
    while (i < count && list[i] != item)
        i++;
    return i < count;
}

/* Cells of the plan that this group still has to run; null comes along if anything is timed and no other
 * cell has told already what the harness costs on this stream; always where its time is taken off. */
static size_t choose_cells(const struct session *session, const struct stream *stream,
                           struct plan_cell *chosen, size_t *from)
{
    size_t count = 0;
    for (size_t i = 0; i < session->plan.cell_count; i++) {
        struct cell_identity identity = identity_of(session, i);
        if (!result_has_cell(session->document, &identity, stream))
            from[count++] = i;
    }
    bool timed = !session->setup->counts_only && !session->setup->stage;
    for (size_t i = 0, end = count; i < end && timed; i++) {
        uint32_t between = session->cells[from[i]].between;
        size_t null = null_cell(session, between);
        if (!is_among(from, count, null) &&
            (between != PLAN_BETWEEN_UNASKED ||
             (null >= session->plan.cell_count &&
              result_harness_ns_per_op(session->document, stream) < 0)))
            from[count++] = null;
    }
    for (size_t i = 0; i < count; i++)
        chosen[i] = session->cells[from[i]];
    return count;
}

static int add_cells(struct session *session, const struct stream *stream, const size_t *from,
                     size_t count, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK; i++) {
        if (from[i] >= session->plan.cell_count)
            continue;
        struct cell_identity identity = identity_of(session, from[i]);
        double harness_ns = harness_cost(session, stream, from[i]);
        if (identity.between != PLAN_BETWEEN_UNASKED &&
            !(identity.traits->flags & TW_KEEPS_NOTHING))
            identity.harness = harness_of(session, from[i]);
        status = result_add_cell(session->document, &identity, stream, &session->outcomes[from[i]],
                                 harness_ns, diag);
    }
    if (status == DIAG_OK && session->setup->json && file_is_replaced(session->setup->json))
        status = result_write(session->document, session->setup->json, diag);
    return status;
}

/* The stream to step through: the same workload with fewer tasks, or the stream itself where it is
 * recorded.  NULL when steps are not asked for; or with a reason, which does not stop the run. */
static struct stream *make_small(const struct session *session, const struct plan_group *group,
                                 struct stream *stream, char *reason, size_t reason_size)
{
    const struct setup *setup = session->setup;
    struct workload_request request = request_of(session, session->setup, group);
    struct stream *small = NULL;
    struct diag diag;
    if (setup->counters != COUNTERS_STEP)
        return NULL;
    if (workload_is_trace(group->workload, setup->workload_directory))
        return stream;
    request.tasks = stream->tasks < STEPPED_TASKS ? stream->tasks : STEPPED_TASKS;
    int status = workload_stream(&request, &small, &diag);
    if (status == DIAG_OK && stream->max_pending > 0)
        status = oracle_cap(small, stream->max_pending, &diag);
    if (status == DIAG_OK)
        return small;
    if (small)
        stream_free(small);
    snprintf(reason, reason_size, "no small stream to step through: %.*s", (int)reason_size - 40,
             diag.text);
    return NULL;
}

/* What is known of an outcome before anything has run. */
static void outcome_begin(struct session *session, size_t cell, const char *small_reason,
                          struct outcome *outcome)
{
    if (session->hopeless[cell]) {
        refuse_hopeless(session, cell);
        *outcome = session->outcomes[cell];
        return;
    }
    /* A session that reads counters may have plans that only count. */
    bool counts = session->setup->counts_only && session->counters_reason[0] == '\0';
    snprintf(outcome->counters_reason, sizeof outcome->counters_reason, "%s",
             counts ? "--counts-only" : session->counters_reason);
    snprintf(outcome->stepped.reason, sizeof outcome->stepped.reason, "%s", small_reason);
}

/* Waiting is paid from the cell's budget: a short one leaves little of it. */
static uint64_t patience_of(const struct setup *setup)
{
    uint64_t share_ns = setup->budget_ns / PATIENCE_PER_BUDGET;
    bool is_short = setup->budget_ns > 0 && share_ns < setup->patience_ns;
    return is_short ? share_ns : setup->patience_ns;
}

/* Gives the stream others for the passes, unless all are to replay it. */
static void make_passes(const struct session *session, const struct plan_group *group,
                        struct stream *stream)
{
    const struct setup *setup = session->setup;
    struct workload_request request = request_of(session, setup, group);
    if (setup->runs > 0 && !setup->same_pass)
        workload_add_passes(&request, stream, setup->warmup,
                            group_passes(stream, setup->min_time_ns));
}

/* Outcomes of the chosen cells lie together while the group runs. */
static int run_chosen(struct session *session, const struct plan_group *plan, struct stream *stream,
                      const struct plan_cell *chosen, const size_t *from, size_t count,
                      struct diag *diag)
{
    const struct setup *setup = session->setup;
    char small_reason[OUTCOME_COUNTERS_REASON] = "";
    struct outcome *outcomes = memory_take(count, sizeof *outcomes);
    make_passes(session, plan, stream);
    struct stream *small = make_small(session, plan, stream, small_reason, sizeof small_reason);
    struct group_options group = {
        .runs = setup->runs,
        .time_ns = setup->time_ns,
        .warmup = setup->warmup,
        .min_time_ns = setup->min_time_ns,
        .seed = setup->seed,
        .pace_ns = session->pace_ns,
        .patience_ns = patience_of(setup),
        .no_latency = setup->no_latency,
        .count = session->counters_reason[0] == '\0',
        .small = small,
    };
    for (size_t i = 0; i < count; i++)
        outcome_begin(session, from[i], small_reason, &outcomes[i]);
    int status = group_run(session->pool, chosen, count, stream, &session->cycles, &group, outcomes,
                           progress_job, &session->progress, diag);
    for (size_t i = 0; i < count; i++) {
        session->outcomes[from[i]] = outcomes[i];
        session->hopeless[from[i]] = outcomes[i].status == OUTCOME_TIMEOUT;
    }
    if (small && small != stream)
        stream_free(small);
    free(outcomes);
    return status;
}

static int run_group(struct session *session, const struct plan_group *group, double weight,
                     struct diag *diag)
{
    struct stream *stream = NULL;
    int status = session_stream(session, session->setup, group, &stream, diag);
    if (status == DEADLINE_OVER && session->deadline.at_ns == 0) {
        fprintf(stderr, "twbench: left out: %s\n", diag->text);
        result_leave_out(session->document, diag->text);
        return DIAG_OK;
    }
    if (status != DIAG_OK)
        return status;
    struct plan_cell *chosen = memory_take(session->cell_count, sizeof *chosen);
    size_t *from = memory_take(session->cell_count, sizeof *from);
    size_t count = choose_cells(session, stream, chosen, from);
    progress_group(&session->progress, stream, weight);
    const struct stage *stage = session->setup->stage;
    struct stage_request request = {session->setup, session->cells,    stream, from, count,
                                    session->pool,  &session->progress};
    size_t finished = count;
    if (count > 0 && stage)
        status = stage->run(stage->ctx, &request, session->outcomes, &finished);
    else if (count > 0)
        status = run_chosen(session, group, stream, chosen, from, count, diag);
    progress_clear(&session->progress);
    if (status == DIAG_OK)
        status = add_cells(session, stream, from, count, diag);
    else if (status == POOL_INTERRUPTED && stage &&
             add_cells(session, stream, from, finished, diag) != DIAG_OK)
        status = DIAG_RUN;
    if (status == DIAG_OK)
        name_cells(session, group, stream);
    progress_group_end(&session->progress, count);
    free(chosen);
    free(from);
    return status;
}

/* Work grows with the number of tasks; a workload's default, or a trace, counts as a million. */
static double group_weight(const struct plan_group *group)
{
    return group->tasks > 0 ? (double)group->tasks + 1e4 : 1e6;
}

double session_weight(const struct session *session)
{
    double weight = 0;
    for (size_t i = 0; i < session->plan.group_count; i++)
        weight += group_weight(&session->plan.groups[i]);
    return weight;
}

int session_run(struct session *session, struct diag *diag)
{
    int status = DIAG_OK;
    pool_set_budget(session->pool, session->setup->budget_ns);
    for (size_t i = 0; i < session->plan.group_count && status == DIAG_OK; i++) {
        const struct plan_group *group = &session->plan.groups[i];
        if (i > 0 && group->workload != session->plan.groups[i - 1].workload)
            memset(session->hopeless, 0, session->cell_count * sizeof *session->hopeless);
        status = run_group(session, group, group_weight(group), diag);
        if (status == DIAG_OK && interrupt_is_pending(pool_interrupt(session->pool)))
            status = POOL_INTERRUPTED;
    }
    return status;
}

/* Calls of the group's stream: those of a small one of the same workload, for as many tasks. */
static int count_calls(struct session *session, const struct plan_group *group, double *calls,
                       struct diag *diag)
{
    struct plan_group small = *group;
    struct stream *stream = NULL;
    uint64_t count = 0;
    bool is_trace = workload_is_trace(group->workload, session->setup->workload_directory);
    if (!is_trace && group->tasks > ESTIMATE_TASKS)
        small.tasks = ESTIMATE_TASKS;
    int status = session_stream(session, session->setup, &small, &stream, diag);
    if (status != DIAG_OK)
        return status;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        count += phase->counts.starts + phase->counts.stops + phase->counts.advances;
    }
    *calls = (double)count;
    if (small.tasks < group->tasks)
        *calls *= (double)group->tasks / (double)small.tasks;
    return DIAG_OK;
}

/* What one group of the plan takes, in seconds. */
static int session_estimate_group(struct session *session, size_t group, double *seconds,
                                  struct diag *diag)
{
    const struct setup *setup = session->setup;
    const struct stage *stage = setup->stage;
    double samples = (double)setup->runs * (1 + (double)setup->warmup), calls;
    struct stream *stream = NULL;
    if (stage) {
        int made = session_stream(session, setup, &session->plan.groups[group], &stream, diag);
        if (made == DIAG_OK)
            *seconds = stage->estimate(stage->ctx, setup, stream, session->plan.cell_count,
                                       session->span, sizeof session->span);
        return made;
    }
    int status = count_calls(session, &session->plan.groups[group], &calls, diag);
    if (status != DIAG_OK)
        return status;
    double pass_ns = calls * ESTIMATE_CALL_NS;
    double sample_ns = fmax(pass_ns, (double)setup->min_time_ns);
    double cell_ns =
        ESTIMATE_CHECKS * pass_ns + (double)(setup->runs + ESTIMATE_CHILDREN) * ESTIMATE_CHILD_NS;
    *seconds = (double)session->plan.cell_count * cell_ns / 1e9;
    /* A sample is so many operations, however long they take. */
    for (size_t i = 0; i < session->plan.cell_count; i++)
        *seconds += samples * sample_ns *
                    (1 + gap_ns(session->plan.cells[i].between) / ESTIMATE_CALL_NS) / 1e9;
    if (setup->jobs > 0)
        *seconds /= (double)setup->jobs;
    return DIAG_OK;
}

int session_estimate(struct session *session, double *seconds, struct diag *diag)
{
    int status = DIAG_OK;
    *seconds = 0;
    for (size_t i = 0; i < session->plan.group_count && status == DIAG_OK; i++) {
        double group = 0;
        status = session_estimate_group(session, i, &group, diag);
        *seconds += group;
    }
    return status;
}

/* ---- From one plan to the next. -------------------------------------------------------------- */

static void session_drop_plan(struct session *session)
{
    const struct setup *setup = session->setup;
    plan_free(&session->plan);
    if (setup && setup->part)
        setup->part->close(setup->part->ctx);
    if (setup && setup->stage)
        setup->stage->close(setup->stage->ctx);
    free(session->cells);
    free(session->outcomes);
    free(session->hopeless);
    session->cells = NULL;
    session->outcomes = NULL;
    session->hopeless = NULL;
}

/* Leaves the plan the groups of its part. */
static int keep_part(struct session *session, const struct part *part, struct diag *diag)
{
    double *seconds = memory_take(session->plan.group_count, sizeof *seconds);
    int status = DIAG_OK;
    for (size_t i = 0; i < session->plan.group_count && status == DIAG_OK; i++)
        status = session_estimate_group(session, i, &seconds[i], diag);
    if (status == DIAG_OK)
        status = part->keep(part->ctx, session->setup, &session->plan, seconds, diag);
    free(seconds);
    return status;
}

int session_plan(struct session *session, const struct setup *setup,
                 const struct plan_selection *selection, struct diag *diag)
{
    session_drop_plan(session);
    session->setup = setup;
    int status = plan_make(selection, &session->plan, diag);
    if (status == DIAG_OK)
        status = session_cells(session, diag);
    if (status == DIAG_OK)
        status = session_validate(session, diag);
    return status == DIAG_OK && setup->part ? keep_part(session, setup->part, diag) : status;
}

int session_plan_cells(struct session *session, const struct setup *setup,
                       const struct plan_group *group, const struct plan_cell *cells, size_t count,
                       struct diag *diag)
{
    session_drop_plan(session);
    session->setup = setup;
    plan_of_cells(group, cells, count, &session->plan);
    return session_cells(session, diag);
}

int session_open(struct session *session, const struct setup *setup, struct diag *diag)
{
    session->setup = setup;
    int status = session_load(session, diag);
    if (status == DIAG_OK)
        status = session_pool(session, diag);
    if (status == DIAG_OK)
        status = session_counters(session, diag);
    if (status == DIAG_OK)
        status = session_document(session, diag);
    return status;
}

void session_close(struct session *session)
{
    if (session->pool)
        pool_close(session->pool);
    result_free(session->document);
    session_drop_plan(session);
    session_drop_stream(session);
}
