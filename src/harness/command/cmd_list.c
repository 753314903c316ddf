/* cmd_list.c - list: designs, parameters, workloads and traces; figures; flags. */
#include "harness/command/command.h"
#include "harness/command/design_flags.h"
#include "harness/command/flags.h"
#include "harness/command/listing.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "harness/tell/report/glossary.h"
#include "harness/tell/result/figures.h"

struct list_options {
    struct designs designs; /* plugins */
    struct setup setup;     /* where workloads are */
    struct outputs outputs;
    bool figures, flags, terms;
};

#define OF struct list_options
static const struct flag flags[] = {
    FLAG_SWITCH("figures", "the catalogue of figures as a table, and nothing else", OF, figures),
    FLAG_SWITCH("flags", "every flag of every command, as lines of fields between tabs", OF, flags),
    FLAG_SWITCH("terms", "the words of tables and what they mean, as a table", OF, terms),
    FLAG_FILE("json", "FILE|-", "the same as JSON, for programs", OF, outputs.json),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#undef OF
static const struct flag plugin_flags[] = {FLAG_EACH(
    "plugin", "FILE", "describe the design of a shared object, and nothing else; may be repeated",
    design_flag_plugin)};
static const struct flag_group groups[] = {
    {.flags = plugin_flags, .count = 1, .offset = offsetof(struct list_options, designs)},
    {.flags = flags, .count = FLAGS(flags)},
    OUTPUT_FORCE(offsetof(struct list_options, outputs)),
    {0},
};

static void begin(struct call *call)
{
    struct list_options *options = call->options;
    options->setup = setup_default(call);
}

static int show(struct call *call, const struct list_options *options, struct diag *diag)
{
    const struct listing_request request = {options->designs.plugins, options->designs.plugin_count,
                                            options->setup.workload_directory};
    cJSON *document = NULL;
    int status = outputs_check(call, &options->outputs, diag);
    if (status == DIAG_OK)
        status = listing_json(&request, &document, diag);
    if (status == DIAG_OK && options->outputs.json)
        status = outputs_json(&options->outputs, document, diag);
    else if (status == DIAG_OK)
        listing_print(stdout, style_for(stdout, STYLE_COLOR_NEVER).columns, document);
    cJSON_Delete(document);
    return status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct list_options *options = call->options;
    int status = DIAG_OK;
    if (call->operand_count > 0)
        status = diag_usage(&diag, "%s: list takes no operands", call->operands[0]);
    else if (options->figures + options->flags + options->terms + (options->outputs.json != NULL) >
             1)
        status = diag_usage(&diag, "--figures, --flags, --terms and --json exclude each other");
    else if (options->figures)
        figures_print(stdout);
    else if (options->flags)
        help_table(stdout);
    else if (options->terms)
        glossary_print(stdout);
    else
        status = show(call, options, &diag);
    designs_close(&options->designs);
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

const struct command cmd_list = {
    .name = "list",
    .usage = "[FLAGS]",
    .summary = "List the designs, their parameters and the workloads.",
    .topic = "Compare timer designs",
    .groups = groups,
    .size = sizeof(struct list_options),
    .begin = begin,
    .run = run,
};
