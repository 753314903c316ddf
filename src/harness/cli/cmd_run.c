/*
 * cmd_run.c - run and replay: one plan, from the command line.
 */
#include "harness/cli/cli.h"

#include "harness/cli/outputs.h"
#include "harness/measure/session/session.h"

#include <string.h>

#define DEFAULT_WORKLOAD "standard"

static int run_plan(struct session *session, const struct options *options, struct diag *diag)
{
    static const char *const standard[] = {DEFAULT_WORKLOAD};
    bool is_replay = strcmp(options->command->name, "replay") == 0;
    if (is_replay && options->workload_count > 0)
        return diag_usage(diag, "--workload: replay takes its traces as operands");
    if (is_replay && options->operand_count == 0)
        return diag_usage(diag, "replay: no trace given; expected FILE.tt[.xz|.gz] or a name");
    if (!is_replay && options->operand_count > 0)
        return diag_usage(diag, "%s: run takes no operands; did you mean --workload=%s?",
                          options->operands[0], options->operands[0]);
    struct plan_selection selection = options_selection(options);
    if (is_replay) {
        selection.workloads = options->operands;
        selection.workload_count = options->operand_count;
    }
    if (selection.workload_count == 0) {
        selection.workloads = standard;
        selection.workload_count = 1;
    }
    return session_plan(session, &options->setup, &selection, diag);
}

static int run_finish(struct session *session, const struct options *options, bool interrupted,
                      struct diag *diag)
{
    int status = DIAG_OK;
    result_set_complete(session->document, !interrupted);
    if (options->setup.json)
        status = result_write(session->document, options->setup.json, diag);
    if (status == DIAG_OK && result_count_cells(session->document) > 0)
        status = outputs_write(options, session->document, diag);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted after %zu finished cells%s\n",
                result_count_cells(session->document),
                options->setup.json ? "; --resume goes on from there" : "");
    return status;
}

int cmd_run(const struct options *options)
{
    struct session session = {.setup = NULL};
    struct diag diag;
    int status = run_plan(&session, options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = session_open(&session, &options->setup, &diag);
    if (status == DIAG_OK) {
        progress_begin(&session.progress, options->setup.progress, session_weight(&session));
        status = session_run(&session, &diag);
    }
    bool interrupted = status == POOL_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = run_finish(&session, options, interrupted, &diag);
    bool broken = false;
    if (status == DIAG_OK && !interrupted)
        status = outputs_assert(options, session.document, &broken, &diag);
    int exit_status = EXIT_OK;
    if (status != DIAG_OK)
        exit_status = cli_fail(status, &diag);
    else if (interrupted)
        exit_status = EXIT_INTERRUPTED;
    else if (result_count_failed(session.document) > 0)
        exit_status = EXIT_FAILED;
    else if (broken)
        exit_status = EXIT_REGRESSED;
    session_close(&session);
    return exit_status;
}
