/* cmd_advise.c - advise: one load, and what is the design for it here. */
#include "labs/advise/advising.h"
#include "labs/traces/import/import.h"
#include "labs/advise/durable_GONE/advise_stores.h"
#include "harness/command/cli.h"
#include "harness/command/outputs.h"
#include "harness/measure/run/job_pool.h"
#include "labs/live/runners/runner_registry.h"

static int check_operands(const struct options *options, struct diag *diag)
{
    if (options->store_flag)
        return diag_usage(diag,
                          "--%s: is of stores, for messages that a crash must not lose: "
                          "--durable is missing",
                          options->store_flag);
    if (options->operand_count == 0)
        return diag_usage(diag, "advise: no load given; expected a workload or a trace, by its "
                                "name or as a file");
    if (options->operand_count > 1)
        return diag_usage(diag, "advise: '%s' is one load too many; expected a single one",
                          options->operands[1]);
    return import_refuse_log(options->operands[0], diag);
}

/* On the real clock these and the plugins are looked at unless others are named: a run there takes real time. */
static const char *const usual[] = {"heap", "hashed", "hier", "fast"};
#define USUAL (sizeof usual / sizeof *usual)

/* What is asked of the real clock: all runners unless some are named. */
static int ask_clock(const struct options *options, struct setup *setup,
                     struct advise_request *request, const struct tw_design **designs,
                     const struct tw_runner_entry **runners, struct diag *diag)
{
    if (options->original_count > 0 || options->thread_count > 1)
        return diag_usage(diag, "advise: --threads: one number is expected");
    setup->clock.on = true;
    setup->clock.load = CLOCK_PACED;
    request->threads = options->thread_count > 0 ? (uint32_t)options->threads[0] : 1;
    for (size_t i = 0; i < runner_registry_count && i < OPTIONS_RUNNERS_MAX; i++)
        runners[i] = &runner_registry[i];
    request->runners = options->runner_count > 0 ? options->runners : runners;
    request->runner_count =
        options->runner_count > 0 ? options->runner_count : runner_registry_count;
    if (options->designs_given)
        return DIAG_OK;
    request->designs = designs;
    request->design_count = 0;
    for (size_t i = 0; i < USUAL; i++)
        designs[request->design_count++] = registry_find(usual[i]);
    for (size_t i = 0; i < options->plugin_count && i < OPTIONS_LIST_MAX; i++)
        designs[request->design_count++] = options->plugins[i];
    return DIAG_OK;
}

int cmd_advise(const struct options *options)
{
    struct diag diag;
    struct advising *advising = NULL;
    struct setup setup = options->setup;
    const struct tw_design *designs[USUAL + OPTIONS_LIST_MAX];
    const struct tw_runner_entry *runners[OPTIONS_RUNNERS_MAX];
    struct advise_request request = {
        .setup = &setup,
        .load = options->operands[0],
        .designs = options->designs,
        .design_count = options->design_count,
        .tasks = options->tasks,
        .task_count = options->task_count,
        .wishes = options->wishes,
    };
    if (options->durable)
        return advise_stores(options);
    int status = check_operands(options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = wishes_finish(&request.wishes, &diag);
    if (status == DIAG_OK && request.wishes.on_clock)
        status = ask_clock(options, &setup, &request, designs, runners, &diag);
    if (status == DIAG_OK)
        status = advising_run(&request, &advising, &diag);
    int exit_status = status == DIAG_OK || status == POOL_INTERRUPTED
                          ? cli_finish(options, advising_document(advising), status)
                          : cli_fail(status, &diag);
    if (exit_status <= EXIT_FAILED && advising && !advising_knows(advising) && status == DIAG_OK)
        exit_status = EXIT_INCONCLUSIVE;
    advising_close(advising);
    return exit_status;
}
