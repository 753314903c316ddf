/*
 * cmd_advise.c - advise: one load, and what is the design for it here.
 */
#include "harness/cli/cli.h"

#include "harness/ask/advise/fitting.h"
#include "harness/ask/advise/racing.h"
#include "harness/base/sysfile.h"
#include "harness/cli/outputs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

static int check_operands(const struct options *options, struct diag *diag)
{
    if (options->operand_count == 0)
        return diag_usage(diag, "advise: no load given; expected a workload or a trace, by its "
                                "name or as a file");
    if (options->operand_count > 1)
        return diag_usage(diag, "advise: '%s' is one load too many; expected a single one",
                          options->operands[1]);
    return DIAG_OK;
}

static uint64_t child_budget(const struct options *options, uint64_t stream_ns)
{
    double budget_ns = (double)options->setup.budget_ns;
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
    _exit(EXIT_FAILED);
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
static int meet_load(struct measuring *measuring, const struct options *options, struct diag *diag)
{
    const char *workload = options->operands[0];
    bool is_trace = workload_is_trace(workload, options->setup.workload_directory);
    uint64_t tasks =
        options->task_count > 0 && !is_trace ? options->tasks[options->task_count - 1] : 0;
    struct plan_group group = {workload, tasks};
    struct stream *stream = NULL;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    if (is_trace && options->task_count > 0)
        return diag_usage(diag, "--tasks: a trace has its own; '%s' is one", workload);
    limit_load(options->setup.budget_ns);
    int status = session_stream(&measuring->session, &options->setup, &group, &stream, diag);
    limit_load(0);
    if (status != DIAG_OK)
        return status;
    measuring->stream_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    measuring->child_ns = child_budget(options, measuring->stream_ns);
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
static int fit_trace(struct measuring *measuring, const struct options *options,
                     struct fitting *fitting, struct diag *diag)
{
    if (!measuring->evidence.load.is_trace)
        return DIAG_OK;
    int status =
        fitting_open(fitting, options->operands[0], options->setup.workload_directory, diag);
    if (status != DIAG_OK)
        return status;
    if (fitting->path[0]) {
        measuring->workload = fitting->path;
        measuring->evidence.fitted = fitting->name;
    } else if (options->setup.progress != PROGRESS_NEVER) {
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

static int finish(struct measuring *measuring, const struct options *options, bool interrupted,
                  struct diag *diag)
{
    struct result_document *document = measuring->session.document;
    int status = DIAG_OK;
    result_set_complete(document, !interrupted);
    if (options->setup.json)
        status = result_write(document, options->setup.json, diag);
    if (status == DIAG_OK)
        status = outputs_write(options, document, diag);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted after %zu finished cells%s\n",
                result_count_cells(document),
                options->setup.json ? "; --resume goes on from there" : "");
    return status;
}

int cmd_advise(const struct options *options)
{
    struct measuring *measuring = calloc(1, sizeof *measuring);
    struct fitting fitting = {.path = ""};
    struct diag diag;
    if (!measuring)
        return cli_fail(diag_run(&diag, "no memory for the advice"), &diag);
    measuring->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    measuring->deadline = deadline_after(measuring->begin_ns, options->setup.budget_ns);
    measuring->setup = options->setup;
    measuring->designs = options->designs;
    measuring->design_count = options->design_count;
    measuring->tasks_asked = options->tasks;
    measuring->tasks_asked_count = options->task_count;
    measuring->evidence.wishes = options->wishes;
    measuring->evidence.budget_ns = options->setup.budget_ns;
    int status = check_operands(options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = meet_load(measuring, options, &diag);
    if (status == DIAG_OK)
        status = fit_trace(measuring, options, &fitting, &diag);
    if (status == DIAG_OK)
        status = session_open(&measuring->session, &options->setup, &diag);
    if (status == DIAG_OK) {
        pool_set_deadline(measuring->session.pool, measuring->deadline);
        measuring->evidence.interruption_ns = measure_interruption();
    }
    if (status == DIAG_OK)
        status = racing_run(measuring, &diag);
    bool interrupted = status == POOL_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = finish(measuring, options, interrupted, &diag);
    int exit_status = EXIT_OK;
    if (status != DIAG_OK)
        exit_status = cli_fail(status, &diag);
    else if (interrupted)
        exit_status = EXIT_INTERRUPTED;
    else if (result_count_failed(measuring->session.document) > 0)
        exit_status = EXIT_FAILED;
    fitting_close(&fitting);
    session_close(&measuring->session);
    evidence_free(&measuring->evidence);
    free(measuring);
    return exit_status;
}
