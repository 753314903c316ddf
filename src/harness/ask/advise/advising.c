/* advising.c - makes the load, and races the candidates on it within the budget. */
#include "harness/ask/advise/advising.h"

#include "harness/ask/advise/fitting.h"
#include "harness/ask/advise/racing.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* A child may take so small a part of the budget, or a few times what making the stream took, and never
 * more than the second part; but what a fork and a glance take it may always. */
#define CHILD_MIN_NS    2.5e8
#define CHILD_SHARE     0.025
#define CHILD_STREAMS   3.0
#define CHILD_SHARE_MAX 0.125

/* To see what an interruption takes: the middle of so many stretches. */
#define STRETCHES  5
#define STRETCH_NS 10000000u

struct advising {
    struct measuring measuring;
    struct fitting fitting;
};

static uint64_t child_budget(uint64_t whole_ns, uint64_t stream_ns)
{
    double budget_ns = (double)whole_ns;
    double child_ns = CHILD_STREAMS * (double)stream_ns;
    if (child_ns < CHILD_SHARE * budget_ns)
        child_ns = CHILD_SHARE * budget_ns;
    if (child_ns > CHILD_SHARE_MAX * budget_ns)
        child_ns = CHILD_SHARE_MAX * budget_ns;
    if (child_ns < CHILD_MIN_NS)
        child_ns = CHILD_MIN_NS;
    return (uint64_t)child_ns;
}

/* Nothing is open yet that would have to be closed. */
static void give_up_load(int number)
{
    static const char text[] = "twbench: advise: making the load took all of --budget; expected a "
                               "longer budget or fewer tasks\n";
    (void)number;
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(1);
}

/* The load is made in one piece, so that only a signal can end it.  0: no limit. */
static void limit_load(uint64_t limit_ns)
{
    struct itimerval limit = {.it_value = {(time_t)(limit_ns / 1000000000u),
                                           (suseconds_t)(limit_ns % 1000000000u / 1000u)}};
    signal(SIGALRM, limit_ns > 0 ? give_up_load : SIG_DFL);
    setitimer(ITIMER_REAL, &limit, NULL);
}

/* Makes the stream, which tells what the load is. */
static int meet_load(struct measuring *measuring, const struct advise_request *request,
                     struct diag *diag)
{
    const struct setup *setup = request->setup;
    const char *workload = request->load;
    bool is_trace = workload_is_trace(workload, setup->workload_directory);
    uint64_t tasks =
        request->task_count > 0 && !is_trace ? request->tasks[request->task_count - 1] : 0;
    struct plan_group group = {workload, tasks};
    struct stream *stream = NULL;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    if (is_trace && request->task_count > 0)
        return diag_usage(diag, "--tasks: a trace has its own; '%s' is one", workload);
    limit_load(setup->budget_ns);
    int status = session_stream(&measuring->session, setup, &group, &stream, diag);
    limit_load(0);
    if (status != DIAG_OK)
        return status;
    measuring->stream_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    measuring->child_ns = child_budget(setup->budget_ns, measuring->stream_ns);
    measuring->workload = is_trace ? NULL : workload;
    measuring->evidence.load = (struct load){
        .workload = workload,
        .is_trace = is_trace,
        .tasks = stream->tasks,
        .tick_ns = stream->tick_ns,
        .capacity = stream->capacity,
        .horizon = stream->horizon,
    };
    return DIAG_OK;
}

/* Other sizes of a trace are those of a workload with its mix. */
static int fit_trace(struct measuring *measuring, const struct advise_request *request,
                     struct fitting *fitting, struct diag *diag)
{
    const struct setup *setup = request->setup;
    if (!measuring->evidence.load.is_trace)
        return DIAG_OK;
    int status = fitting_open(fitting, request->load, setup->workload_directory, diag);
    if (status != DIAG_OK)
        return status;
    if (fitting->path[0]) {
        measuring->workload = fitting->path;
        measuring->evidence.fitted = fitting->name;
    } else if (setup->progress != PROGRESS_NEVER) {
        fprintf(stderr, "twbench: no other sizes: %s\n", fitting->why);
    }
    return DIAG_OK;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
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
    qsort(gaps, STRETCHES, sizeof *gaps, by_size);
    return gaps[STRETCHES / 2];
}

static void begin(struct measuring *measuring, const struct advise_request *request)
{
    measuring->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    measuring->deadline = deadline_after(measuring->begin_ns, request->setup->budget_ns);
    measuring->setup = *request->setup;
    measuring->designs = request->designs;
    measuring->design_count = request->design_count;
    measuring->tasks_asked = request->tasks;
    measuring->tasks_asked_count = request->task_count;
    measuring->evidence.wishes = request->wishes;
    measuring->evidence.budget_ns = request->setup->budget_ns;
}

int advising_run(const struct advise_request *request, struct advising **out, struct diag *diag)
{
    struct advising *advising = *out = calloc(1, sizeof *advising);
    if (!advising)
        return diag_run(diag, "no memory for the advice");
    struct measuring *measuring = &advising->measuring;
    begin(measuring, request);
    int status = meet_load(measuring, request, diag);
    if (status == DIAG_OK)
        status = fit_trace(measuring, request, &advising->fitting, diag);
    if (status == DIAG_OK)
        status = session_open(&measuring->session, request->setup, diag);
    if (status != DIAG_OK)
        return status;
    pool_set_deadline(measuring->session.pool, measuring->deadline);
    measuring->evidence.interruption_ns = measure_interruption();
    return racing_run(measuring, diag);
}

struct result_document *advising_document(struct advising *advising)
{
    return advising->measuring.session.document;
}

void advising_close(struct advising *advising)
{
    if (!advising)
        return;
    fitting_close(&advising->fitting);
    session_close(&advising->measuring.session);
    evidence_free(&advising->measuring.evidence);
    free(advising);
}
