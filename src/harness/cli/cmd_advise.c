/* cmd_advise.c - advise: one load, and what is the design for it here. */
#include "harness/ask/advise/advising.h"
#include "harness/bring/import/import.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/measure/run/job_pool.h"

static int check_operands(const struct options *options, struct diag *diag)
{
    if (options->operand_count == 0)
        return diag_usage(diag, "advise: no load given; expected a workload or a trace, by its "
                                "name or as a file");
    if (options->operand_count > 1)
        return diag_usage(diag, "advise: '%s' is one load too many; expected a single one",
                          options->operands[1]);
    return import_refuse_log(options->operands[0], diag);
}

int cmd_advise(const struct options *options)
{
    struct diag diag;
    struct advising *advising = NULL;
    struct advise_request request = {
        .setup = &options->setup,
        .load = options->operands[0],
        .designs = options->designs,
        .design_count = options->design_count,
        .tasks = options->tasks,
        .task_count = options->task_count,
        .wishes = options->wishes,
    };
    int status = check_operands(options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
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
