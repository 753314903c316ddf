/* cmd_claims.c - claims: what the documents say, each put to the experiment of its file. */
#include "labs/teach/claims/claiming.h"
#include "harness/command/cli.h"
#include "harness/command/outputs.h"
#include "harness/measure/run/job_pool.h"

int cmd_claims(const struct options *options)
{
    struct diag diag;
    struct claiming *claiming = NULL;
    struct claims_request request = {
        .setup = &options->setup,
        .directory = options->claims_directory,
        .names = options->operands,
        .name_count = options->operand_count,
        .quick = options->quick,
    };
    int status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = claiming_open(&request, &claiming, &diag);
    if (status == DIAG_OK)
        status = claiming_run(claiming, &diag);
    int exit_status = status == DIAG_OK || status == POOL_INTERRUPTED
                          ? cli_finish(options, claiming_document(claiming), status)
                          : cli_fail(status, &diag);
    claiming_close(claiming);
    return exit_status;
}
