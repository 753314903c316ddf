/* clock_flags.c - takes the flags of runs on the real clock. */
#include "labs/live/live.h"

#include "harness/base/object.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/flags.h"
#include "labs/live/originals/original.h"
#include "labs/live/runner_plugins.h"
#include "labs/live/runners/runner_registry.h"

#include <math.h>

#define SPEED_MAX 1e6

static int add_runner(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct clock_flags *flags = ctx;
    const struct tw_runner_entry *runner = runner_registry_find(name);
    if (!runner) {
        char expected[400], hint[NEAREST_HINT];
        struct text list = text_in(expected, sizeof expected);
        for (size_t i = 0; i < runner_registry_count; i++)
            text_add_item(&list, ", ", "%s", runner_registry[i].timed->name);
        return diag_usage(diag, "%s: no runner '%s'; expected one of %s%s", flag, name, expected,
                          nearest_listed(name, expected, hint, sizeof hint));
    }
    flags->runners[flags->runner_count++] = runner;
    return DIAG_OK;
}

int clock_flag_runner(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct clock_flags *flags = of;
    (void)call;
    if (strcmp(value, "all") != 0)
        return lists_split(value, ',', flag, RUNNERS_MAX, add_runner, flags, diag);
    for (size_t i = 0; i < runner_registry_count && i < RUNNERS_MAX; i++)
        flags->runners[flags->runner_count++] = &runner_registry[i];
    return DIAG_OK;
}

static int add_original(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct clock_flags *flags = ctx;
    char expected[400], path[ORIGINAL_PATH], hint[NEAREST_HINT];
    const struct original *original = original_find(name);
    if (!original) {
        struct text list = text_in(expected, sizeof expected);
        for (size_t i = 0; original_at(i); i++)
            text_add_item(&list, ", ", "%s", original_at(i)->runner.name);
        return diag_usage(diag, "%s: no original '%s'; expected one of %s%s", flag, name, expected,
                          nearest_listed(name, expected, hint, sizeof hint));
    }
    flags->originals[flags->original_count++] = &original->entry;
    return original_driver(original, path, sizeof path, diag);
}

int clock_flag_original(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    (void)call;
    return lists_split(value, ',', flag, ORIGINALS_MAX, add_original, of, diag);
}

int clock_flag_threads(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct clock_flags *flags = of;
    (void)call;
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = CLOCK_THREADS_MAX, .factor = 2},
                         flags->threads, RUNNERS_MAX, &flags->thread_count, diag);
}

int clock_flag_speed(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    double *speed = &((struct clock_flags *)of)->wishes.speed;
    (void)call;
    int status = units_parse_real(value, flag, speed, diag);
    if (status == DIAG_OK && !(*speed >= 1 / SPEED_MAX && *speed <= SPEED_MAX))
        return diag_usage(diag, "%s: %s given; expected 1e-6 .. 1e6", flag, value);
    return status;
}

/* "2ms", or "exponential(2ms)". */
int clock_flag_work(struct call *call, void *of, const char *flag, const char *value,
                    struct diag *diag)
{
    static const char prefix[] = "exponential(";
    struct clock_wishes *wishes = &((struct clock_flags *)of)->wishes;
    size_t length = strlen(value), from = 0;
    wishes->work = CLOCK_CONSTANT;
    if (strncmp(value, prefix, sizeof prefix - 1) == 0 && value[length - 1] == ')') {
        wishes->work = CLOCK_EXPONENTIAL;
        from = sizeof prefix - 1;
        length--;
    }
    const char *inner = lists_keep_part(&call->memory, value + from, length - from);
    if (units_parse_time(inner, flag, &wishes->work_ns, diag) != DIAG_OK)
        return diag_usage(diag, "%s: '%s' given; expected a time such as 2ms, or exponential(2ms)",
                          flag, value);
    return DIAG_OK;
}

/* ---- --plugin: a runner, or a design. ----------------------------------------------------------- */

static int check_name(const struct clock_flags *flags, const char *path, size_t index,
                      struct diag *diag)
{
    const char *name = flags->plugins[index]->timed->name;
    if (runner_registry_find(name) || original_find(name))
        return diag_usage(
            diag, "%s: the name '%s' is that of a runner of twbench; expected another", path, name);
    for (size_t i = 0; i < index; i++) {
        const char *other = runner_plugins_path(flags->plugins[i]);
        if (flags->plugins[i] == flags->plugins[index])
            return diag_usage(diag, "%s is given twice", path);
        if (strcmp(flags->plugins[i]->timed->name, name) == 0)
            return diag_usage(diag, "%s: the name '%s' is that of %s already", path, name, other);
    }
    return DIAG_OK;
}

static int take_runner(struct clock_flags *flags, const char *path, const char *flag,
                       struct diag *diag)
{
    struct diag reason;
    if (flags->plugin_count == RUNNERS_MAX)
        return diag_usage(diag, "%s: more than %d runners", flag, RUNNERS_MAX);
    const struct tw_runner_entry *runner = runner_plugins_open(path, &reason);
    if (!runner)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    flags->plugins[flags->plugin_count++] = runner;
    if (check_name(flags, path, flags->plugin_count - 1, &reason) != DIAG_OK)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    return DIAG_OK;
}

int clock_flag_plugin(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct clock_flags *flags = of;
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(value, ","), value);
    if (!object_has_symbol(path, "tw_runner_plugin"))
        return design_flag_plugin(call, flags->designs, flag, value, diag);
    if (strchr(value, ','))
        return diag_usage(diag, "%s: %s brings a runner; its settings are flags: --NAME=VALUE",
                          flag, path);
    return take_runner(flags, path, flag, diag);
}

/* ---- Settings of runners. ------------------------------------------------------------------------ */

static const struct tw_param *param_of(const struct clock_flags *flags, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; flags && i < flags->plugin_count && !param; i++)
        param = param_find(flags->plugins[i]->timed->params, name);
    for (size_t i = 0; i < runner_registry_count && !param; i++)
        param = param_find(runner_registry[i].timed->params, name);
    for (size_t i = 0; original_at(i) && !param; i++)
        param = param_find(original_at(i)->runner.params, name);
    return param;
}

static int take_setting(struct call *call, void *of, const char *flag, const char *value,
                        struct diag *diag)
{
    struct clock_flags *flags = of;
    struct clock_wishes *wishes = &flags->wishes;
    const struct tw_param *param = param_of(flags, flag + 2);
    uint64_t number;
    (void)call;
    if (wishes->setting_count == CLOCK_SETTINGS_MAX)
        return diag_usage(diag, "%s: more than %d settings of runners", flag, CLOCK_SETTINGS_MAX);
    int status = units_parse_count_in(value, flag, param->min, param->max, &number, diag);
    if (status == DIAG_OK)
        wishes->settings[wishes->setting_count++] =
            (struct tw_setting){.name = param->name, .count = 1, .values = {number}};
    return status;
}

static struct flag flag_of(const struct tw_param *param)
{
    return (struct flag){.name = param->name,
                         .value = "N",
                         .help = param->help,
                         .kind = TAKE_BY,
                         .by = take_setting};
}

bool clock_settings_find(const void *of, const char *name, struct flag *out)
{
    const struct tw_param *param = param_of(of, name);
    if (param)
        *out = flag_of(param);
    return param != NULL;
}

static void each_of(const struct tw_runner *runner, flag_row_fn *row, void *ctx)
{
    char heading[120];
    snprintf(heading, sizeof heading, "Settings of runner %s:", runner->name);
    for (const struct tw_param *param = runner->params; param->name; param++) {
        struct flag flag = flag_of(param);
        row(ctx, heading, &flag);
    }
}

void clock_settings_each(const void *of, flag_row_fn *row, void *ctx)
{
    (void)of;
    for (size_t i = 0; i < runner_registry_count; i++)
        each_of(runner_registry[i].timed, row, ctx);
    for (size_t i = 0; original_at(i); i++)
        each_of(&original_at(i)->runner, row, ctx);
}

/* ---- After the last flag. ------------------------------------------------------------------------ */

/* Each runner has to have each setting: one that takes no notice would not be what was asked for. */
static int check_settings(const struct clock_flags *flags, struct diag *diag)
{
    const struct clock_wishes *wishes = &flags->wishes;
    for (size_t i = 0; i < wishes->setting_count; i++)
        for (size_t r = 0; r < flags->runner_count; r++)
            if (!param_find(flags->runners[r]->timed->params, wishes->settings[i].name))
                return diag_usage(diag, "--%s: runner %s has no such setting",
                                  wishes->settings[i].name, flags->runners[r]->timed->name);
    return DIAG_OK;
}

int clock_flags_finish(struct clock_flags *flags, struct diag *diag)
{
    for (size_t i = 0; i < flags->plugin_count; i++) {
        if (flags->runner_count == RUNNERS_MAX)
            return diag_usage(diag, "--plugin: more than %d runners", RUNNERS_MAX);
        flags->runners[flags->runner_count++] = flags->plugins[i];
    }
    for (size_t i = 0; i < flags->original_count; i++)
        flags->runners[flags->runner_count++] = flags->originals[i];
    if (flags->runner_count == 0)
        return diag_usage(diag, "--threads, --load, --speed, --duration, --work, --slow-task and "
                                "--failing-every are of the real clock: --runner=NAME is missing");
    return check_settings(flags, diag);
}
