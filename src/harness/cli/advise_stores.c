/* advise_stores.c - takes what advise --durable is asked, and measures. */
#include "harness/cli/advise_stores.h"

#include "harness/ask/advise/durable_advice.h"
#include "harness/ask/advise/durable_advising.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/cli/store_flags.h"

#include <string.h>

#define WORKLOAD        "delay-message" /* the one load of stores */
#define PENDING_DEFAULT 100000u

static int check_wishes(const struct wishes *wishes, struct diag *diag)
{
    if (wishes->goal == CRITERION_WAKEUPS)
        return diag_usage(diag, "--for: wakeups given; with --durable expected cost (puts a "
                                "second), memory, tail (time to acknowledgement) or late");
    if (wishes->late_share > 0)
        return diag_usage(diag, "--late: a share of a delay given; with --durable expected a time "
                                "such as 10ms");
    return DIAG_OK;
}

static int check_one(const char *flag, size_t count, struct diag *diag)
{
    return count > 1
               ? diag_usage(diag, "%s: %zu values given; with --durable expected one", flag, count)
               : DIAG_OK;
}

static int check_exports(const struct options *options, struct diag *diag)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (options->exports[i] && !export_offered(i, EXPORT_PAGE))
            return diag_usage(diag,
                              "--%s: takes results of designs alone; with --durable "
                              "expected --json, --export-csv or --export-markdown",
                              export_formats[i].flag);
    return DIAG_OK;
}

static int check(const struct options *options, struct diag *diag)
{
    const struct storing_request *storing = &options->storing;
    if (options->design_flag)
        return diag_usage(diag, "--%s: is of designs; --durable asks for a store",
                          options->design_flag);
    if (options->operand_count > 1)
        return diag_usage(diag, "advise: '%s' is one load too many; expected a single one",
                          options->operands[1]);
    if (options->operand_count == 1 && strcmp(options->operands[0], WORKLOAD) != 0)
        return diag_usage(diag,
                          "advise --durable: '%s' given; expected " WORKLOAD
                          ", which is the load of stores: --span, --payload, --cancels, --hot, "
                          "--producers and --batch shape it",
                          options->operands[0]);
    int status = check_one("--sync", storing->sync_count, diag);
    if (status == DIAG_OK)
        status = check_one("--producers", storing->producer_count, diag);
    if (status == DIAG_OK)
        status = check_one("--batch", storing->batch_count, diag);
    if (status == DIAG_OK)
        status = check_wishes(&options->wishes, diag);
    return status == DIAG_OK ? check_exports(options, diag) : status;
}

int advise_stores(const struct options *options)
{
    struct diag diag;
    cJSON *document = NULL;
    struct storing_request request;
    struct setup setup = options->setup;
    int status = check(options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = store_flags_finish(options, &request, &diag);
    if (status == DIAG_OK) {
        struct durable_advising asked = {.request = &request, .wishes = options->wishes};
        setup.runs = 1;
        request.setup = &setup;
        request.tasks[0] = options->pending > 0 ? options->pending : PENDING_DEFAULT;
        status = durable_advise(&asked, &document, &diag);
    }
    bool interrupted = status == STORING_INTERRUPTED;
    size_t failed = document ? storing_count_failed(document) : 0;
    bool knows = document && durable_advice_knows(document);
    if (status == DIAG_OK || interrupted)
        status = outputs_document(options, document, &diag);
    cJSON_Delete(document);
    if (interrupted)
        fprintf(stderr, "twbench: interrupted\n");
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return interrupted  ? EXIT_INTERRUPTED
           : failed > 0 ? EXIT_FAILED
           : !knows     ? EXIT_INCONCLUSIVE
                        : EXIT_OK;
}
