/* cmd_list.c - list: designs, parameters, workloads and traces; figures; flags. */
#include "harness/ask/list/listing.h"
#include "harness/cli/cli.h"
#include "harness/cli/help.h"
#include "harness/cli/outputs.h"
#include "harness/tell/report/style.h"
#include "harness/tell/result/figures.h"

static int write_json(const struct options *options, const struct listing_request *request,
                      struct diag *diag)
{
    cJSON *document = NULL;
    int status = outputs_check(options, diag);
    if (status == DIAG_OK)
        status = listing_json(request, &document, diag);
    if (status == DIAG_OK)
        status = outputs_json(options, document, diag);
    cJSON_Delete(document);
    return status;
}

int cmd_list(const struct options *options)
{
    struct diag diag;
    size_t count;
    const struct command *commands = cli_commands(&count);
    struct listing_request request = {options->plugins, options->plugin_count,
                                      options->runner_plugins, options->runner_plugin_count,
                                      options->setup.workload_directory};
    int status = DIAG_OK;
    if (options->operand_count > 0)
        status = diag_usage(&diag, "%s: list takes no operands", options->operands[0]);
    else if (options->list_only + options->list_flags + (options->setup.json != NULL) > 1)
        status = diag_usage(&diag, "--figures, --flags and --json: only one of them can be meant");
    else if (options->list_only)
        figures_print(stdout);
    else if (options->list_flags)
        help_table(stdout, commands, count);
    else if (options->setup.json)
        status = write_json(options, &request, &diag);
    else
        status =
            listing_print(stdout, style_for(stdout, STYLE_COLOR_NEVER).columns, &request, &diag);
    return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
}
