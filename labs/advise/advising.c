/* advising.c - makes the load, and races the candidates on it within the budget. */
#include "labs/advise/advising.h"

#include "harness/measure/workload/spec.h"

#include <math.h>

/* A child may take so small a part of the budget, or a few times what making the stream took, and never
 * more than the second part; but what a fork and a glance take it may always. */
#define CHILD_MIN_NS    2.5e8
#define CHILD_SHARE     0.025
#define CHILD_STREAMS   3.0
#define CHILD_SHARE_MAX 0.125

/* Making the load may take this share of the budget; with fewer tasks, each time so many fewer, it is tried for
 * so much longer. */
#define MAKING_SHARE      0.4
#define MAKING_SHARE_STEP 0.1
#define MAKING_SHARE_MAX  0.65
#define FEWER_TASKS       64
#define FEWER_UNTIL       0.9  /* of the budget; beyond it no smaller size is tried */
#define FEWER_TASKS_MAX   4096 /* where the workload's own number was asked for */

/* On the real clock: runs beside the look at each candidate; what a run takes beside what it plays; the least that it
 * plays; what a child may take on top of that. */
#define CLOCK_RUNS          100.0
#define CLOCK_BESIDE_NS     1.5e8
#define CLOCK_PLAYED_MIN_NS 1e8
#define MS                  1e6

/* To see what an interruption takes: the middle of so many stretches. */
#define STRETCHES  5
#define STRETCH_NS 10000000u

static uint64_t child_budget(uint64_t whole_ns, uint64_t stream_ns)
{
    double budget_ns = (double)whole_ns;
    double child_ns = fmax(CHILD_STREAMS * (double)stream_ns, CHILD_SHARE * budget_ns);
    return (uint64_t)fmax(fmin(child_ns, CHILD_SHARE_MAX * budget_ns), CHILD_MIN_NS);
}

/* The load asked for, and where it takes too large a part of the budget, the same workload with fewer tasks. */
static int make_load(struct measuring *measuring, const struct advise_request *request,
                     struct plan_group group, struct stream **out, struct diag *diag)
{
    struct session *session = &measuring->session;
    const struct deadline whole = session->deadline;
    uint64_t spent_ns = measuring_now_ns(measuring) - measuring->begin_ns;
    double share = MAKING_SHARE;
    int status = DEADLINE_OVER;
    for (; status == DEADLINE_OVER && share < MAKING_SHARE_MAX; share += MAKING_SHARE_STEP) {
        uint64_t end_ns = measuring->begin_ns + spent_ns +
                          (uint64_t)(share * (double)(request->setup->budget_ns - spent_ns));
        session->deadline.at_ns = end_ns < whole.at_ns ? end_ns : whole.at_ns;
        uint64_t begin_ns = measuring_now_ns(measuring);
        status = session_stream(session, request->setup, &group, out, diag);
        measuring->stream_ns = measuring_now_ns(measuring) - begin_ns;
        if (status == DEADLINE_OVER && !measuring->evidence.unmade[0])
            snprintf(measuring->evidence.unmade, sizeof measuring->evidence.unmade, "%s",
                     diag->text);
        if (measuring->evidence.load.is_trace)
            break;
        group.tasks = group.tasks > 0 ? group.tasks / FEWER_TASKS : FEWER_TASKS_MAX;
    }
    session->deadline = whole;
    return status;
}

/* How much of the load a run plays: by the budget, unless it is given, and no more than there is. */
static void meet_clock(struct measuring *measuring, const struct advise_request *request,
                       const struct stream *stream)
{
    struct load *load = &measuring->evidence.load;
    double ticks = 0;
    for (size_t i = 0; i < stream->phase_count; i++)
        ticks += (double)stream->phases[i].counts.ticks;
    double whole_ns = ticks * (double)stream->tick_ns / request->speed;
    double looks = (double)(measuring->live.count * request->design_count);
    double run_ns = (double)request->setup->budget_ns / (looks + CLOCK_RUNS);
    double played_ns = fmax(run_ns - CLOCK_BESIDE_NS, CLOCK_PLAYED_MIN_NS);
    played_ns = floor(played_ns / MS) * MS;
    if (request->duration_ns > 0)
        played_ns = (double)request->duration_ns;
    load->threads = request->threads;
    load->speed = request->speed;
    load->played_ns = played_ns < whole_ns ? (uint64_t)played_ns : 0;
}

static void describe_load(struct advice_evidence *evidence, const struct stream *stream)
{
    evidence->load.tasks = stream->tasks;
    evidence->load.tick_ns = stream->tick_ns;
    evidence->load.capacity = stream->capacity;
    evidence->load.horizon = stream->horizon;
}

/* Makes the stream, which tells what the load is. */
static int meet_load(struct measuring *measuring, const struct advise_request *request,
                     struct diag *diag)
{
    const struct setup *setup = request->setup;
    const char *workload = request->load;
    bool is_trace = workload_is_trace(workload, setup->workload_directory);
    uint64_t tasks = is_trace ? 0 : request->tasks;
    struct plan_group group = {workload, tasks};
    struct stream *stream = NULL;
    measuring->evidence.load = (struct load){.workload = workload,
                                             .sets = setup->sets,
                                             .set_count = setup->set_count,
                                             .is_trace = is_trace,
                                             .tasks = tasks};
    if (is_trace && request->tasks > 0)
        return diag_usage(diag, "--tasks: a trace has its own; '%s' is one", workload);
    int status = make_load(measuring, request, group, &stream, diag);
    if (status == DEADLINE_OVER)
        return DIAG_OK; /* an advice that nothing is known */
    if (status != DIAG_OK)
        return status;
    measuring->is_made = true;
    measuring->child_ns = child_budget(setup->budget_ns, measuring->stream_ns);
    describe_load(&measuring->evidence, stream);
    if (request->slack)
        status = workload_parse_slack(request->slack, stream->tick_ns, "--slack",
                                      &measuring->evidence.granted, diag);
    if (request->wishes.on_clock)
        meet_clock(measuring, request, stream);
    return status;
}

/* The longest gap between two looks at the clock, in one stretch. */
static double longest_gap_ns(void)
{
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC), last_ns = begin_ns, longest_ns = 0;
    while (last_ns - begin_ns < STRETCH_NS) {
        uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
        if (now_ns - last_ns > longest_ns)
            longest_ns = now_ns - last_ns;
        last_ns = now_ns;
    }
    return (double)longest_ns;
}

/* What an interruption takes here when nothing special happens: every pass that is long enough has
 * some, so that a tail is known no better. */
static double measure_interruption(void)
{
    double gaps[STRETCHES];
    for (size_t i = 0; i < STRETCHES; i++)
        gaps[i] = longest_gap_ns();
    return summary_of(gaps, STRETCHES).median;
}

static void begin(struct measuring *measuring, const struct advise_request *request)
{
    measuring->evidence.wishes = request->wishes;
    measuring->evidence.slack = request->slack;
    measuring->begin_ns = measuring_now_ns(measuring);
    measuring->begin_wall_ns = clock_read_ns(CLOCK_MONOTONIC);
    measuring->session.deadline = deadline_after(measuring->begin_ns, request->setup->budget_ns);
    measuring->session.deadline.of = request->wishes.on_clock ? DEADLINE_WALL : DEADLINE_WORK;
    if (request->deadline_ns > 0)
        measuring->session.deadline.wall_at_ns =
            deadline_after(measuring->begin_wall_ns, request->deadline_ns).at_ns;
    measuring->setup = *request->setup;
    measuring->designs = request->designs;
    measuring->design_count = request->design_count;
    measuring->evidence.budget_ns = request->setup->budget_ns;
}

/* Where nobody ended at the size asked for, there may be time for a smaller one. */
static int race(struct measuring *out, struct diag *diag)
{
    struct advice_evidence *evidence = &out->evidence;
    struct stream *stream;
    struct setup setup = out->setup;
    out->made_ns = measuring_now_ns(out);
    int status = racing_run(out, diag);
    if (status != DIAG_OK || evidence_knows(evidence) || !out->is_made || evidence->load.is_trace ||
        evidence->load.tasks <= FEWER_TASKS || evidence->interrupted ||
        measuring_used(out) > FEWER_UNTIL)
        return status;
    char unmade[200];
    snprintf(unmade, sizeof unmade,
             "%s: at %" PRIu64 " tasks no design ended in its share of the budget",
             evidence->load.workload, evidence->load.tasks);
    evidence_free(evidence);
    memset(out->look_ns, 0, sizeof out->look_ns);
    struct plan_group group = {evidence->load.workload, evidence->load.tasks / FEWER_TASKS};
    uint64_t begin_ns = measuring_now_ns(out);
    status = session_stream(&out->session, &setup, &group, &stream, diag);
    if (status != DIAG_OK)
        return status == DEADLINE_OVER ? DIAG_OK : status;
    out->stream_ns = measuring_now_ns(out) - begin_ns;
    out->child_ns = child_budget(setup.budget_ns, out->stream_ns);
    describe_load(evidence, stream);
    result_leave_out(out->session.document, unmade);
    return race(out, diag);
}

int advising_run(const struct advise_request *request, struct measuring *out, struct diag *diag)
{
    int status = DIAG_OK;
    begin(out, request);
    if (request->wishes.on_clock)
        status = live_open(&out->live, request->runners, diag);
    if (status == DIAG_OK)
        status = meet_load(out, request, diag);
    if (status == DIAG_OK)
        status = session_open(&out->session, request->setup, diag);
    if (status != DIAG_OK)
        return status;
    out->evidence.interruption_ns = measure_interruption();
    if (out->evidence.unmade[0])
        result_leave_out(out->session.document, out->evidence.unmade);
    return race(out, diag);
}

void advising_close(struct measuring *measuring)
{
    live_close(&measuring->live);
    session_close(&measuring->session);
    evidence_free(&measuring->evidence);
}
