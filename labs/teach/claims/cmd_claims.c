/* cmd_claims.c - claims: what the documents say, each put to the experiment of its file. */
#include "labs/teach/teach.h"

#include "build_info.h"
#include "harness/base/paths.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/run/outcome.h"
#include "labs/teach/claims/claims.h"

struct claims_options {
    struct setup setup;
    struct outputs outputs;
    const char *directory; /* NULL: the program's */
    bool quick;
};

#define OF struct claims_options
static const struct flag flags[] = {
    FLAG_DIRECTORY("claims-dir", "where the experiment files are", OF, directory),
    FLAG_SWITCH("quick", "counts only: leave out the runs that take times", OF, quick),
    SETUP_SEED(OF, setup),
    FLAG_COUNT("runs", "N", "timed samples per cell (default 7)", OF, setup.runs, 1,
               OUTCOME_SAMPLES_MAX),
    SETUP_WARMUP(OF, setup),
    SETUP_MIN_TIME(OF, setup, "work per sample, counted at 10 ns per operation (default 10ms)"),
    SETUP_PATIENCE(OF, setup),
    SETUP_BUDGET(OF, setup, "processor time one child may take (default 10s)"),
    SETUP_MEMORY_LIMIT(OF, setup),
    SETUP_JOBS(OF, setup),
    SETUP_NO_SYSTEM_CHECK(OF, setup),
    SETUP_PROGRESS(OF, setup),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    SETUP_PIN(offsetof(struct claims_options, setup)),
    OUTPUT_JSON(offsetof(struct claims_options, outputs)),
    OUTPUT_RESUME(offsetof(struct claims_options, outputs)),
    OUTPUT_PAGE(offsetof(struct claims_options, outputs), result),
    {0},
};

/* How many children do no harm depends on what is measured (claiming.c). */
static void begin(struct call *call)
{
    struct claims_options *options = call->options;
    options->setup = setup_default(call);
    options->setup.jobs = 0;
    options->setup.kind = "claims";
    options->outputs.kind = OUTPUT_RESULT;
    options->outputs.keeps_cells = true;
}

static int run(struct call *call)
{
    struct diag diag;
    char directory[4096];
    struct claiming *claiming = NULL;
    struct claims_options *options = call->options;
    options->setup.json = options->outputs.json;
    options->setup.resume = options->outputs.resume;
    paths_find("experiments", BUILD_SHARE_DIR "/experiments", directory, sizeof directory);
    struct claims_request request = {
        .setup = &options->setup,
        .directory = options->directory ? options->directory : directory,
        .names = call->operands,
        .name_count = call->operand_count,
        .quick = options->quick,
    };
    int status = outputs_check(call, &options->outputs, &diag);
    if (status == DIAG_OK)
        status = claiming_open(&request, &claiming, &diag);
    if (status == DIAG_OK)
        status = claiming_run(claiming, &diag);
    int exit_status =
        status == DIAG_OK || status == POOL_INTERRUPTED
            ? outputs_finish(call, &options->outputs, claiming_document(claiming), false, status)
            : command_fail(status, &diag);
    claiming_close(claiming);
    return exit_status;
}

const struct command cmd_claims = {
    .name = "claims",
    .usage = "[FLAGS] [T6 ...]",
    .summary = "Check the claims of documents A to G (labs/teach/docs/CLAIMS.md) on this machine.",
    .topic = "My class",
    .groups = groups,
    .common = " quick runs budget jobs json html plots ",
    .size = sizeof(struct claims_options),
    .begin = begin,
    .run = run,
};
