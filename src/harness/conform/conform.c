/* conform.c - the door of the room: written cases, random streams, bytes, texts. */
#include "harness/conform/conform.h"
#include "harness/conform/cases.h"
#include "harness/conform/guard.h"
#include "harness/conform/judge.h"
#include "harness/conform/model.h"
#include "harness/conform/shapes.h"
#include "harness/conform/shrink.h"
#include "harness/conform/watch.h"

#include <stdio.h>
#include <string.h>

/* Timers of a written case that does not say otherwise. */
#define CASE_CAPACITY 16u

struct variant {
    const char *name; /* of the parameter */
    uint32_t count;
    uint64_t values[TW_VALUES_MAX];
};

/* The smallest, small odd and real sizes of the parameters that designs have.  A design with a new
 * parameter is tested with its defaults until a line is added here. */
static const struct variant variants[] = {
    {"slots", 1, {1}},
    {"slots", 1, {2}},
    {"slots", 1, {8}},
    {"slots", 1, {512}},
    {"levels", 3, {2, 2, 2}},
    {"levels", 3, {3, 5, 7}},
    {"levels", 1, {16}},
    {"levels", 4, {60, 60, 24, 10}},
    {"levels", 2, {512, 512}},
    {"levels", 4, {256, 64, 64, 64}},
    {"range", 1, {1}},
    {"range", 1, {2}},
    {"range", 1, {31}},
    {"timeout", 1, {1}},
    {"timeout", 1, {30}},
    {"units", 1, {1}},
    {"units", 3, {1, 3, 7}},
    {"units", 3, {1, 2, 1024}},
    {"depth", 1, {1}},
    {"depth", 1, {3}},
    {"depth", 1, {21}},
    {"step", 1, {8}},
    {"step", 1, {1000}},
    {"eager", 1, {0}},
    {"eager", 1, {2000}},
    {MODEL_CAP_SETTING, 1, {1}},
    {MODEL_CAP_SETTING, 1, {20}},
};

static bool has_parameter(const struct tw_backend *backend, const char *name)
{
    const struct tw_param *param = backend->params;
    while (param->name && strcmp(param->name, name) != 0)
        param++;
    return param->name != NULL;
}

bool conform_variant(const struct tw_backend *backend, size_t index, struct tw_setting *setting,
                     size_t *count)
{
    *count = 0;
    for (size_t i = 0; index > 0 && i < sizeof variants / sizeof variants[0]; i++) {
        if (!has_parameter(backend, variants[i].name) || --index > 0)
            continue;
        *setting = (struct tw_setting){.name = variants[i].name, .count = variants[i].count};
        memcpy(setting->values, variants[i].values, sizeof setting->values);
        *count = 1;
    }
    return index == 0;
}

static void apply_settings(struct operations *operations, const struct conform_options *options)
{
    operations->setting_count = options->setting_count;
    for (size_t i = 0; i < options->setting_count; i++)
        operations->settings[i] = options->settings[i];
}

struct replayer {
    const struct tw_backend *backend;
    enum judge_look look;
};

static bool replay_here(void *ctx, const struct operations *operations,
                        struct conform_report *report, size_t *steps)
{
    const struct replayer *replayer = ctx;
    judge_replay(replayer->backend, operations, replayer->look, report, steps);
    return true;
}

/* Judges the list; when it breaks a rule, the report has the shortest list that does. */
static void judge_or_shrink(const struct tw_backend *backend, struct operations *operations,
                            enum judge_look look, struct conform_report *report)
{
    size_t steps;
    struct replayer replayer = {backend, look};
    if (!judge_replay(backend, operations, look, report, &steps) && !report->watch)
        shrink(operations, replay_here, &replayer, steps, report);
}

static bool find_strides(struct strides *strides, const struct tw_backend *backend,
                         struct operations *operations, struct conform_report *report)
{
    watch_list(report->watch, operations);
    bool found = strides_find(strides, backend, CASE_CAPACITY, operations->settings,
                              operations->setting_count, report->watch);
    if (found)
        operations->walk = strides->walk;
    else
        report_broken(report, RULE_OPEN, "the settings of the test were refused");
    return found;
}

const char *conform_case_name(size_t index)
{
    return written_cases[index].name;
}

static void run_case(const struct tw_backend *backend, const struct conform_options *options,
                     const struct written_case *written, struct conform_report *report)
{
    struct operations operations;
    struct strides strides;
    operations_init(&operations, CASE_CAPACITY);
    apply_settings(&operations, options);
    if (report->watch)
        report->watch->story = written->name;
    if (!find_strides(&strides, backend, &operations, report))
        return;
    struct case_plan plan = {backend, &strides, &operations, options->many_max,
                             options->life_starts};
    if (written->run) {
        written->run(&plan, report);
    } else {
        written->build(&plan);
        judge_or_shrink(backend, &operations, JUDGE_ALWAYS, report);
    }
    if (report->watch)
        guard_inspect(report->watch->open_instances == 0, report);
    operations_clear(&operations);
}

static bool is_exempt(const struct tw_backend *backend)
{
    return backend->traits.flags & TW_KEEPS_NOTHING;
}

static bool can_run(const struct tw_backend *backend, const struct conform_options *options,
                    struct conform_report *report)
{
    if (backend->abi_version != TW_ABI_VERSION)
        report_broken(report, RULE_OPEN, "the design is built against version %u of the contract",
                      backend->abi_version);
    if (options->setting_count > OPERATIONS_SETTINGS_MAX)
        report_broken(report, RULE_OPEN, "more than %d settings", OPERATIONS_SETTINGS_MAX);
    return !report->rule && !is_exempt(backend);
}

int conform_case(const struct tw_backend *backend, const struct conform_options *options,
                 size_t index, struct conform_report *report)
{
    *report = (struct conform_report){.watch = options->watch};
    if (can_run(backend, options, report))
        run_case(backend, options, &written_cases[index], report);
    return report->rule != NULL;
}

static void run_stream(const struct tw_backend *backend, const struct conform_options *options,
                       const struct strides *strides, uint64_t seed, struct conform_report *report)
{
    struct operations operations;
    operations_init(&operations, CASE_CAPACITY);
    apply_settings(&operations, options);
    operations.walk = strides->walk;
    shapes_random(&operations, seed, strides);
    if (report->watch)
        report->watch->seed = seed;
    judge_or_shrink(backend, &operations, options->check_always ? JUDGE_ALWAYS : JUDGE_NOW_AND_THEN,
                    report);
    if (report->rule)
        report->seed = seed;
    operations_clear(&operations);
}

static void run_streams(const struct tw_backend *backend, const struct conform_options *options,
                        struct conform_report *report)
{
    struct strides strides;
    struct operations none;
    operations_init(&none, CASE_CAPACITY);
    apply_settings(&none, options);
    if (report->watch)
        report->watch->story = NULL;
    find_strides(&strides, backend, &none, report);
    uint64_t end = report->operations_run + options->operations;
    for (uint64_t k = 0; !report->rule && report->operations_run < end; k++)
        run_stream(backend, options, &strides, options->seed + k, report);
}

int conform_run(const struct tw_backend *backend, const struct conform_options *options,
                struct conform_report *report)
{
    *report = (struct conform_report){.watch = options->watch};
    if (!can_run(backend, options, report))
        return report->rule != NULL;
    report->coverage.settings_tried = 1;
    for (size_t i = 0; written_cases[i].name && !options->streams_only && !report->rule; i++)
        run_case(backend, options, &written_cases[i], report);
    if (options->operations > 0 && !options->cases_only && !report->rule)
        run_streams(backend, options, report);
    return report->rule != NULL;
}

int conform_run_bytes(const struct tw_backend *backend, const uint8_t *bytes, size_t size,
                      struct conform_report *report)
{
    struct operations operations;
    *report = (struct conform_report){0};
    if (is_exempt(backend))
        return 0;
    operations_init(&operations, 1);
    shapes_decode(&operations, backend, bytes, size);
    judge_or_shrink(backend, &operations, JUDGE_ALWAYS, report);
    operations_clear(&operations);
    return report->rule != NULL;
}

int conform_run_text(const struct tw_backend *backend, const char *text,
                     struct conform_report *report)
{
    struct operations operations;
    *report = (struct conform_report){0};
    operations_init(&operations, 1);
    size_t line = operations_parse(text, backend->params, &operations);
    if (line != 0)
        snprintf(report->detail, sizeof report->detail, "line %zu is no operation", line);
    else if (!is_exempt(backend))
        judge_or_shrink(backend, &operations, JUDGE_ALWAYS, report);
    operations_clear(&operations);
    return line != 0 ? -1 : report->rule != NULL;
}
