/* compare_stores.c - compares two documents of stores; the exit status is that of compare. */
#include "labs/durable/compare_stores.h"

#include "labs/durable/stores_compare.h"
#include "harness/command/cli.h"
#include "harness/command/outputs.h"

/* Disks are noisier than cores: a change below a tenth is none. */
#define MARGIN 0.1

bool compare_stores_applies(const struct options *options)
{
    return options->operand_count == 2 && !options->contested &&
           stores_compare_is_one(options->operands[0]);
}

int compare_stores(const struct options *options)
{
    struct diag diag;
    cJSON *document = NULL;
    enum stores_verdict verdict = STORES_SAME;
    int status = outputs_check(options, &diag);
    if (status == DIAG_OK && options->matrix_given)
        status = diag_usage(&diag, "compare: documents of stores have run already; flags that say "
                                   "what to run are of no use");
    if (status == DIAG_OK)
        status = stores_compare(options->operands[0], options->operands[1], MARGIN, &document,
                                &verdict, &diag);
    if (status == DIAG_OK)
        status = outputs_document(options, document, &diag);
    cJSON_Delete(document);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    if (verdict == STORES_REGRESSED)
        return EXIT_REGRESSED;
    return verdict == STORES_INCONCLUSIVE && options->fail_on == FAIL_ON_INCONCLUSIVE
               ? EXIT_INCONCLUSIVE
               : EXIT_OK;
}
