/* cmd_limits.c - limits: what the machine can do at best, and what designs took as multiples of it. */
#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"
#include "harness/command/outputs.h"
#include "harness/command/setup_flags.h"
#include "labs/advise/limits/limits.h"

#define TASKS_MAX 64

struct limits_options {
    struct setup setup;
    struct outputs outputs;
    uint64_t tasks[TASKS_MAX];
    size_t task_count;
    struct limit_pages pages;
    const char *of, *limits; /* files */
};

static int take_tasks(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct limits_options *options = of;
    (void)call;
    int status = lists_numbers(
        value, flag, &(struct lists_range){.min = 1, .max = TW_CAPACITY_MAX, .factor = 10},
        options->tasks, TASKS_MAX, &options->task_count, diag);
    for (size_t i = 0; i < options->task_count && status == DIAG_OK; i++)
        if (options->tasks[i] < LIMIT_TASKS_MIN)
            status = diag_usage(diag, "%s: %llu given; expected at least %u nodes", flag,
                                (unsigned long long)options->tasks[i], LIMIT_TASKS_MIN);
    return status;
}

static int take_huge_pages(struct call *call, void *of, const char *flag, const char *value,
                           struct diag *diag)
{
    static const char *const words[] = {"off", "on", NULL};
    struct limits_options *options = of;
    int places[2];
    size_t count = 0;
    (void)call;
    int status = flag_words(flag, value, words, places, 2, &count, diag);
    options->pages = (struct limit_pages){false, false};
    for (size_t i = 0; i < count; i++)
        *(places[i] ? &options->pages.huge : &options->pages.small) = true;
    return status;
}

static int take_runs(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct limits_options *options = of;
    (void)call;
    return flag_count(flag, value, 1, OUTCOME_SAMPLES_MAX, &options->setup.runs, diag);
}

#define OF struct limits_options
static const struct flag flags[] = {
    FLAG_BY("tasks", "N,M|A..B", "numbers of nodes: 1e3..1e8 (steps of 10; default 1e3..1e7)",
            take_tasks),
    FLAG_FILE("of", "RESULT.json", "show this result's designs as multiples of the limit", OF, of),
    FLAG_FILE("limits", "FILE|-", "take the limits from this document; nothing is measured", OF,
              limits),
    FLAG_BY("huge-pages", "off,on", "nodes on pages of 4 KiB, of 2 MiB, or both (default off)",
            take_huge_pages),
    FLAG_BY("runs", "N", "timed samples per point (default 7)", take_runs),
    SETUP_SEED(OF, setup),
    SETUP_PATIENCE(OF, setup),
    SETUP_BUDGET(OF, setup, "processor time one child may take (default 10s)"),
    SETUP_MEMORY_LIMIT(OF, setup),
    SETUP_NO_SYSTEM_CHECK(OF, setup),
    SETUP_PROGRESS(OF, setup),
    SETUP_WORKLOADS_DIR(OF, setup),
};
#define OUTPUTS_AT offsetof(OF, outputs)
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)},
    SETUP_PIN(offsetof(OF, setup)),
    OUTPUT_JSON(OUTPUTS_AT),
    OUTPUT_PAGE(OUTPUTS_AT, page),
    {0},
};
#undef OF

static void begin(struct call *call)
{
    struct limits_options *options = call->options;
    options->setup = setup_default(call);
    options->pages.small = true;
}

static int check(struct call *call, const struct limits_options *options, struct diag *diag)
{
    if (call->operand_count > 0)
        return diag_usage(diag, "%s: limits takes no operands; --of=RESULT.json for a result",
                          call->operands[0]);
    if (options->outputs.plots && options->outputs.plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf");
    return outputs_check(call, &options->outputs, diag);
}

static void attach_multiples(const struct limits_options *options,
                             const struct result_document *result, cJSON *document)
{
    cJSON_DeleteItemFromObjectCaseSensitive(document, "multiples");
    if (result)
        json_add(document, "multiples",
                 limits_multiples_json(document, result_json(result), options->of));
}

static int run(struct call *call)
{
    struct diag diag;
    struct result_document *result = NULL;
    cJSON *document = NULL;
    const struct limits_options *options = call->options;
    const struct limits_request request = {
        .setup = &options->setup,
        .tasks = options->tasks,
        .task_count = options->task_count,
        .pages = options->pages,
    };
    int status = check(call, options, &diag);
    if (status == DIAG_OK && options->of)
        status = result_load(options->of, &result, &diag);
    if (status == DIAG_OK)
        status = options->limits ? limits_load(options->limits, &document, &diag)
                                 : limits_measure(&request, &document, &diag);
    bool interrupted = status == POOL_INTERRUPTED;
    if (status == DIAG_OK || interrupted) {
        attach_multiples(options, result, document);
        status = outputs_document(call, &options->outputs, document, &diag);
    }
    cJSON_Delete(document);
    result_free(result);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}

const struct command cmd_limits = {
    .name = "limits",
    .usage = "[FLAGS]",
    .summary = "Measure the best that this machine can do; designs as multiples of that.",
    .topic = "My server",
    .groups = groups,
    .size = sizeof(struct limits_options),
    .begin = begin,
    .run = run,
};
