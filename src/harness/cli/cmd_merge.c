/* cmd_merge.c - merge: the results of a plan's shards as one. */
#include "harness/ask/merge/merging.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/measure/session/origin.h"

int cmd_merge(const struct options *options)
{
    struct diag diag;
    struct result_document *document = NULL;
    struct result_origin origin;
    int status = options->operand_count > 0
                     ? DIAG_OK
                     : diag_usage(&diag, "merge: no operand given; expected the results of "
                                         "'twbench run --shard=I/N'");
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    origin_fill(&origin, &options->setup);
    if (status == DIAG_OK)
        status = merging_write(&(struct merging){.paths = options->operands,
                                                 .count = options->operand_count,
                                                 .partial = options->partial,
                                                 .origin = &origin},
                               &document, &diag);
    int exit_status =
        status == DIAG_OK ? cli_finish(options, document, DIAG_OK) : cli_fail(status, &diag);
    result_free(document);
    return exit_status;
}
