/*
 * cmd_limits.c - limits: what the machine can do at best, and what designs took as multiples of it.
 */
#include "labs/advise/limits/limiting.h"
#include "labs/advise/limits/limits_json.h"
#include "harness/base/json.h"
#include "harness/command/cli.h"
#include "harness/command/outputs.h"
#include "labs/advise/limits/limits_view.h"

static int check(const struct options *options, struct diag *diag)
{
    if (options->operand_count > 0)
        return diag_usage(diag, "%s: limits takes no operands; --of=RESULT.json for a result",
                          options->operands[0]);
    if (options->plots && options->plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf");
    for (size_t i = 0; i < options->task_count; i++)
        if (options->tasks[i] < LIMIT_TASKS_MIN)
            return diag_usage(diag, "--tasks: %llu given; expected at least %u nodes",
                              (unsigned long long)options->tasks[i], LIMIT_TASKS_MIN);
    return outputs_check(options, diag);
}

static int measure(const struct options *options, cJSON **document, struct diag *diag)
{
    struct limits_request request = {
        .setup = &options->setup,
        .tasks = options->tasks,
        .task_count = options->task_count,
        .pages = {.small = options->page_count == 0},
    };
    for (size_t i = 0; i < options->page_count; i++)
        *(options->pages[i] == PLAN_PAGES_HUGE ? &request.pages.huge : &request.pages.small) = true;
    return limits_measure(&request, document, diag);
}

static void attach_multiples(const struct options *options, const struct result_document *result,
                             cJSON *document)
{
    cJSON_DeleteItemFromObjectCaseSensitive(document, "multiples");
    if (result)
        json_add(document, "multiples",
                 limits_multiples_json(document, result_json(result), options->of));
}

int cmd_limits(const struct options *options)
{
    struct diag diag;
    struct result_document *result = NULL;
    cJSON *document = NULL;
    int status = check(options, &diag);
    if (status == DIAG_OK && options->of)
        status = result_load(options->of, &result, &diag);
    if (status == DIAG_OK)
        status = options->limits_file ? limits_load(options->limits_file, &document, &diag)
                                      : measure(options, &document, &diag);
    bool interrupted = status == POOL_INTERRUPTED;
    if (status == DIAG_OK || interrupted) {
        attach_multiples(options, result, document);
        status = outputs_document(options, document, &diag);
    }
    cJSON_Delete(document);
    result_free(result);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}
