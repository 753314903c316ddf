/* conform.c - runs the proofs of the contract: cases, random streams, long lives. */
#include "harness/prove/conform.h"

#include "harness/base/clock.h"
#include "harness/base/process_state.h"
#include "harness/prove/cases.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/settings.h"
#include "harness/prove/shrink.h"
#include "harness/prove/strides.h"
#include "harness/prove/watch.h"

/* Timers of a written case that does not say otherwise. */
#define CASE_CAPACITY 16u
/* Each variant of the settings gets this part of the random operations; none is begun when they have taken so long. */
#define VARIANT_SHARE    32u
#define VARIANTS_SECONDS 8.0
#define LAST_SHARE       32u /* of the cases that are run once, with the last variant */

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
    struct process_state before;
    operations_init(&operations, CASE_CAPACITY);
    apply_settings(&operations, options);
    if (report->watch) {
        report->watch->story = written->name;
        process_state_take(&before);
    }
    if (!find_strides(&strides, backend, &operations, report))
        return;
    struct case_plan plan = {
        .backend = backend,
        .strides = &strides,
        .operations = &operations,
        .many_max = options->many_max,
        .life_starts = options->life_starts,
        .is_timed = options->counted != NULL,
        .patience = options->patience > 0 ? options->patience : 1,
        .before = report->watch ? &before : NULL,
    };
    if (written->run) {
        written->run(&plan, report);
    } else {
        written->build(&plan);
        judge_or_shrink(backend, &operations, JUDGE_ALWAYS, report);
    }
    if (report->watch) {
        struct process_state now;
        char text[PROCESS_STATE_TEXT];
        process_state_take(&now);
        guard_inspect(report->watch->open_instances == 0, report);
        if (!report->rule && process_state_changed(&before, &now, false, text))
            report_broken(report, RULE_PROCESS, "%s", text);
    }
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
    random_list_make(&operations, seed, strides);
    give_parts(&operations, backend, seed);
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

/* The written cases that are run once, or the others. */
static void run_cases(const struct tw_backend *backend, const struct conform_options *options,
                      bool once, struct conform_report *report)
{
    for (size_t i = 0; written_cases[i].name && !options->streams_only && !report->rule; i++)
        if (written_cases[i].is_once == once)
            run_case(backend, options, &written_cases[i], report);
}

/* ---- Other settings -------------------------------------------------------------------------- */

static void run_variant(const struct tw_backend *backend, const struct conform_options *options,
                        struct conform_report *report)
{
    run_cases(backend, options, false, report);
    if (options->operations > 0 && !options->cases_only && !report->rule)
        run_streams(backend, options, report);
    report->coverage.settings_tried++;
}

/* Of processor time, or of the wall clock for a design that sleeps. */
static double seconds_of(bool sleeps)
{
    return (double)clock_read_ns(sleeps ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

/* All variants but the defaults, as far as the time reaches; with the last of them what is run once otherwise. */
static void run_variants(const struct tw_backend *backend, const struct conform_options *given,
                         struct conform_report *report)
{
    struct tw_setting settings[CONFORM_SETTINGS_MAX];
    struct conform_options options = *given;
    bool sleeps = backend->traits.flags & TW_REAL_CLOCK;
    double begin = seconds_of(sleeps);
    options.settings = settings;
    options.operations = given->operations / VARIANT_SHARE;
    if (!report->rule)
        settings_judge_lists(backend, report);
    size_t v = 1;
    for (; !report->rule &&
           settings_variant(backend, v, settings, &options.setting_count, report->watch);
         v++) {
        if (seconds_of(sleeps) - begin > VARIANTS_SECONDS) {
            coverage_remark(&report->coverage,
                            "settings from %s=%" PRIu64 " on: the others took %.0f s",
                            settings[0].name, settings[0].values[0], VARIANTS_SECONDS);
            return;
        }
        options.seed = given->seed + ((uint64_t)v << 32);
        run_variant(backend, &options, report);
    }
    options.many_max /= LAST_SHARE;
    options.life_starts /= LAST_SHARE;
    if (settings_variant(backend, v - 1, settings, &options.setting_count, report->watch) &&
        v > 1 && !sleeps)
        run_cases(backend, &options, true, report);
}

int conform_run(const struct tw_backend *backend, const struct conform_options *options,
                struct conform_report *report)
{
    *report = (struct conform_report){.watch = options->watch};
    if (!can_run(backend, options, report))
        return report->rule != NULL;
    report->coverage.settings_tried = 1;
    run_cases(backend, options, false, report);
    if (options->operations > 0 && !options->cases_only && !report->rule)
        run_streams(backend, options, report);
    if (options->vary)
        run_variants(backend, options, report);
    run_cases(backend, options, true, report);
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
    random_list_decode(&operations, backend, bytes, size);
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
        snprintf(report->detail, sizeof report->detail, "line %zu: expected 'start 0 +3'..", line);
    else if (!is_exempt(backend))
        judge_or_shrink(backend, &operations, JUDGE_ALWAYS, report);
    operations_clear(&operations);
    return line != 0 ? -1 : report->rule != NULL;
}

bool conform_variant(const struct tw_backend *backend, size_t index, struct tw_setting *settings,
                     size_t *count)
{
    return settings_variant(backend, index, settings, count, NULL);
}
