/* cmd_stores.c - stores: messages that a crash must not lose, their ledger and their figures. */
#include "harness/command/cli.h"
#include "harness/command/outputs.h"
#include "labs/durable/store_flags.h"

#define RUNS_DEFAULT 3u

static int run(const struct options *options, cJSON **document, struct diag *diag)
{
    struct storing_request request;
    struct setup setup = options->setup;
    int status = store_flags_finish(options, &request, diag);
    if (!options->runs_given)
        setup.runs = request.kills > 0 ? 1 : RUNS_DEFAULT;
    request.setup = &setup;
    return status == DIAG_OK ? storing_run(&request, document, diag) : status;
}

int cmd_stores(const struct options *options)
{
    struct diag diag;
    cJSON *document = NULL;
    int status = DIAG_OK;
    if (options->operand_count > 0)
        status = diag_usage(&diag, "%s: stores takes no operands; did you mean --stores=%s?",
                            options->operands[0], options->operands[0]);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = run(options, &document, &diag);
    bool interrupted = status == STORING_INTERRUPTED;
    size_t failed = document ? storing_count_failed(document) : 0;
    if (status == DIAG_OK || interrupted)
        status = outputs_document(options, document, &diag);
    cJSON_Delete(document);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted%s\n",
                options->setup.json ? "; --resume goes on from there" : "");
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : failed > 0 ? EXIT_FAILED : EXIT_OK;
}
