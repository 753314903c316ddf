/* clock_flags.c - takes the flags of runs on the real clock. */
#include "labs/live/clock_flags.h"

#include "harness/base/lists.h"
#include "harness/base/nearest.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "labs/live/originals/original.h"
#include "labs/live/runners/runner_registry.h"

#include <math.h>
#include <string.h>

#define SPEED_MAX 1e6

const char *const clock_flags_loads[] = {"paced", "closed", "burst", "storm", "idle", NULL};

static int add_runner(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    const struct tw_runner_entry *runner = runner_registry_find(name);
    if (!runner) {
        char expected[400], hint[NEAREST_HINT];
        struct text list = text_in(expected, sizeof expected);
        for (size_t i = 0; i < runner_registry_count; i++)
            text_add_item(&list, ", ", "%s", runner_registry[i].timed->name);
        return diag_usage(diag, "%s: no runner '%s'; expected one of %s%s", flag, name, expected,
                          nearest_listed(name, expected, hint, sizeof hint));
    }
    for (size_t i = 0; i < options->runner_count; i++)
        if (options->runners[i] == runner)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    options->runners[options->runner_count++] = runner;
    return DIAG_OK;
}

int clock_flags_runner(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    options->runner_count = 0;
    if (strcmp(value, "all") != 0)
        return lists_split(value, ',', flag, OPTIONS_RUNNERS_MAX, add_runner, options, diag);
    for (size_t i = 0; i < runner_registry_count && i < OPTIONS_RUNNERS_MAX; i++)
        options->runners[options->runner_count++] = &runner_registry[i];
    return DIAG_OK;
}

static int add_original(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    char expected[400], path[ORIGINAL_PATH], hint[NEAREST_HINT];
    const struct original *original = original_find(name);
    if (!original) {
        struct text list = text_in(expected, sizeof expected);
        for (size_t i = 0; original_at(i); i++)
            text_add_item(&list, ", ", "%s", original_at(i)->runner.name);
        return diag_usage(diag, "%s: no original '%s'; expected one of %s%s", flag, name, expected,
                          nearest_listed(name, expected, hint, sizeof hint));
    }
    for (size_t i = 0; i < options->original_count; i++)
        if (options->originals[i] == &original->entry)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    options->originals[options->original_count++] = &original->entry;
    return original_driver(original, path, sizeof path, diag);
}

int clock_flags_original(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    options->original_count = 0;
    return lists_split(value, ',', flag, OPTIONS_ORIGINALS_MAX, add_original, options, diag);
}

int clock_flags_threads(struct options *options, const char *flag, const char *value,
                        struct diag *diag)
{
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = CLOCK_THREADS_MAX, .factor = 2},
                         options->threads, OPTIONS_RUNNERS_MAX, &options->thread_count, diag);
}

int clock_flags_speed(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    double *speed = &options->setup.clock.speed;
    int status = units_parse_real(value, flag, speed, diag);
    options->clock_given = true;
    if (status == DIAG_OK && !(*speed >= 1 / SPEED_MAX && *speed <= SPEED_MAX))
        return diag_usage(diag, "%s: %s given; expected 1e-6 .. 1e6", flag, value);
    return status;
}

/* "2ms", or "exponential(2ms)". */
int clock_flags_work(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    static const char prefix[] = "exponential(";
    struct clock_wishes *wishes = &options->setup.clock;
    char inner[64];
    size_t length = strlen(value), from = 0;
    options->clock_given = true;
    wishes->work = CLOCK_CONSTANT;
    if (strncmp(value, prefix, sizeof prefix - 1) == 0 && value[length - 1] == ')') {
        wishes->work = CLOCK_EXPONENTIAL;
        from = sizeof prefix - 1;
        length--;
    }
    snprintf(inner, sizeof inner, "%.*s", (int)(length - from), value + from);
    if (units_parse_time(inner, flag, &wishes->work_ns, diag) != DIAG_OK)
        return diag_usage(diag, "%s: '%s' given; expected a time such as 2ms, or exponential(2ms)",
                          flag, value);
    return DIAG_OK;
}

const struct tw_param *clock_flags_param(const struct options *options, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < options->runner_plugin_count && !param; i++)
        param = param_find(options->runner_plugins[i]->timed->params, name);
    for (size_t i = 0; i < runner_registry_count && !param; i++)
        param = param_find(runner_registry[i].timed->params, name);
    for (size_t i = 0; original_at(i) && !param; i++)
        param = param_find(original_at(i)->runner.params, name);
    return param;
}

int clock_flags_setting(struct options *options, const struct tw_param *param, const char *flag,
                        const char *value, struct diag *diag)
{
    struct clock_wishes *wishes = &options->setup.clock;
    uint64_t number;
    if (wishes->setting_count == CLOCK_SETTINGS_MAX)
        return diag_usage(diag, "%s: more than %d settings of runners", flag, CLOCK_SETTINGS_MAX);
    int status = units_parse_count(value, flag, &number, diag);
    if (status == DIAG_OK && (number < param->min || number > param->max))
        return diag_usage(diag, "%s: %s given; expected %llu .. %llu", flag, value,
                          (unsigned long long)param->min, (unsigned long long)param->max);
    options->clock_given = true;
    wishes->settings[wishes->setting_count++] =
        (struct tw_setting){.name = param->name, .count = 1, .values = {number}};
    return status;
}

/* Each runner has to have each setting: one that takes no notice would not be what was asked for. */
static int check_settings(const struct options *options, struct diag *diag)
{
    const struct clock_wishes *wishes = &options->setup.clock;
    for (size_t i = 0; i < wishes->setting_count; i++)
        for (size_t r = 0; r < options->runner_count; r++)
            if (!param_find(options->runners[r]->timed->params, wishes->settings[i].name))
                return diag_usage(diag, "--%s: runner %s has no such setting",
                                  wishes->settings[i].name, options->runners[r]->timed->name);
    return DIAG_OK;
}

/* advise asks of runners when it is told to, and of all of them. */
static int finish_advise(const struct options *options, bool given, struct diag *diag)
{
    if (options->durable)
        return DIAG_OK;
    if (!options->wishes.on_clock)
        return given || options->runner_count > 0
                   ? diag_usage(diag, "--runner, --threads, --speed and --duration are of the real "
                                      "clock: --clock=real is missing")
                   : DIAG_OK;
    if (options->exact)
        return diag_usage(diag,
                          "--exact: on the real clock every timer is late; --late=TIME bounds "
                          "the 99th percentile");
    if (options->setup.tick_ns > 0)
        return diag_usage(diag, "--tick: with --clock=real each runner has its own");
    if (options->task_count > 1)
        return diag_usage(diag, "--tasks: with --clock=real a single number is expected");
    return DIAG_OK;
}

/* The originals go behind the runners: the same loads, in another runtime. */
int clock_flags_finish(struct options *options, struct diag *diag)
{
    struct clock_wishes *wishes = &options->setup.clock;
    bool given = options->clock_given || options->thread_count > 0 || wishes->slow_ns > 0 ||
                 wishes->failing_every > 0 || wishes->load != CLOCK_PACED ||
                 wishes->duration_ns > 0;
    if (options->command->flags & FLAGS_ADVISE)
        return finish_advise(options, given, diag);
    for (size_t i = 0; i < options->original_count; i++)
        options->runners[options->runner_count++] = options->originals[i];
    if (options->runner_count == 0)
        return given ? diag_usage(diag, "--threads, --load, --speed, --duration, --work, "
                                        "--slow-task, --failing-every and settings of runners are "
                                        "of the real clock: --runner=NAME is missing")
                     : DIAG_OK;
    if (options->setup.counts_only || options->drive_count > 0 || options->page_count > 0 ||
        options->batch_count > 0)
        return diag_usage(diag, "--runner: on the real clock there is no --counts-only, --drive or "
                                "--huge-pages or --batch");
    if (wishes->load != CLOCK_PACED && options->workload_count > 0)
        return diag_usage(diag, "--load=%s: has no workload; expected --tasks alone",
                          clock_load_name(wishes->load));
    wishes->on = true;
    wishes->tick_ns = options->setup.tick_ns;
    if (wishes->duration_ns == 0 && wishes->load != CLOCK_PACED)
        wishes->duration_ns = UINT64_C(2000000000);
    if (!options->runs_given)
        options->setup.runs = 1;
    return check_settings(options, diag);
}
