/* plugin_flag.c - parses --plugin=FILE,NAME=VALUES. */
#include "harness/cli/plugin_flag.h"

#include "harness/base/lists.h"
#include "harness/base/units.h"
#include "harness/measure/designs/runner_plugins.h"
#include "harness/measure/originals/original.h"
#include "runners/runner_registry.h"

#include <string.h>

/* ---- Values of a parameter. ------------------------------------------------------------------- */

struct sweep {
    const struct tw_param *param;
    struct tw_setting *out;
    size_t max, count;
};

static int level_item(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct sweep *sweep = ctx;
    const struct tw_param *param = sweep->param;
    struct tw_setting *setting = &sweep->out[sweep->count - 1];
    uint64_t *value = &setting->values[setting->count++];
    int status = units_parse_count(item, flag, value, diag);
    if (status == DIAG_OK && (*value < param->min || *value > param->max))
        return diag_usage(diag, "%s: %s given; expected %llu .. %llu", flag, item,
                          (unsigned long long)param->min, (unsigned long long)param->max);
    return status;
}

/* One list between slashes. */
static int sweep_item(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct sweep *sweep = ctx;
    sweep->out[sweep->count++] = (struct tw_setting){.name = sweep->param->name};
    return lists_split(item, ',', flag, sweep->param->values_max, level_item, sweep, diag);
}

/* Settings of a single value each ("64,512" or "64..4096"), or, where the parameter is a list, lists between slashes
 * ("256,64,64/60,60,24,10"). */
static int read_settings(const char *value, const char *flag, const struct tw_param *param,
                         struct tw_setting *out, size_t max, size_t *count, struct diag *diag)
{
    if (param->values_max > 1) {
        struct sweep sweep = {.param = param, .out = out, .max = max};
        int status = lists_split(value, '/', flag, max, sweep_item, &sweep, diag);
        *count = sweep.count;
        return status;
    }
    uint64_t values[64];
    struct lists_range range = {.min = param->min, .max = param->max, .factor = 2};
    int status = lists_numbers(value, flag, &range, values, max < 64 ? max : 64, count, diag);
    for (size_t i = 0; status == DIAG_OK && i < *count; i++)
        out[i] = (struct tw_setting){.name = param->name, .count = 1, .values = {values[i]}};
    return status;
}

int plugin_flag_sweep(struct options *options, const struct tw_design *only,
                      const struct tw_param *param, const char *flag, const char *values,
                      struct diag *diag)
{
    if (options->sweep_count == PLAN_SWEEPS_MAX)
        return diag_usage(diag, "%s: more than %d parameters given", flag, PLAN_SWEEPS_MAX);
    struct tw_setting *settings =
        lists_keep_bytes(&options->memory, OPTIONS_LIST_MAX, sizeof *settings);
    if (!settings)
        return diag_run(diag, "no memory for the command line");
    struct plan_sweep *sweep = &options->sweeps[options->sweep_count++];
    *sweep = (struct plan_sweep){.settings = settings, .only = only};
    return read_settings(values, flag, param, settings, OPTIONS_LIST_MAX, &sweep->count, diag);
}

/* One "name=values". */
static int take_setting(struct options *options, const struct tw_design *design, const char *flag,
                        char *text, struct diag *diag)
{
    char shown[128];
    char *values = strchr(text, '=');
    if (options->command->flags & FLAGS_ADVISE)
        return diag_usage(diag, "%s: '%s' given; advise chooses the parameters itself", flag, text);
    if (!values || values == text)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUES behind the file", flag, text);
    *values++ = '\0';
    const struct tw_param *param = param_find(design->timed->params, text);
    if (!param)
        return diag_usage(diag, "%s: '%s' has no parameter '%s'", flag, design->timed->name, text);
    for (size_t i = 0; i < options->sweep_count; i++)
        if (options->sweeps[i].only == design &&
            strcmp(options->sweeps[i].settings[0].name, text) == 0)
            return diag_usage(diag, "%s: %s is given twice", flag, text);
    snprintf(shown, sizeof shown, "%s: %s", flag, param->name);
    return plugin_flag_sweep(options, design, param, shown, values, diag);
}

/* Where the next "name=" begins: behind a comma whose item has an equals sign.  NULL: nowhere. */
static char *find_next(char *text)
{
    for (char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
        if (comma[1 + strcspn(comma + 1, ",=")] == '=')
            return comma;
    return NULL;
}

/* A design or a runner that a plugin offers. */
struct offer {
    const char *name, *path; /* absolute */
};

/* Is the name nobody else's?  `taken`: one of twbench has it; `others`: what was given before it. */
static int check_name(const char *given, const char *kind, struct offer offer, bool taken,
                      const struct offer *others, size_t count, struct diag *diag)
{
    if (taken)
        return diag_usage(diag, "%s: the name '%s' is that of a %s of twbench; expected another",
                          given, offer.name, kind);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(others[i].path, offer.path) == 0)
            return diag_usage(diag, "%s is given twice", given);
        if (strcmp(others[i].name, offer.name) == 0)
            return diag_usage(diag, "%s: the name '%s' is that of %s already", given, offer.name,
                              others[i].path);
    }
    return DIAG_OK;
}

int plugin_flag_open(struct options *options, const char *path, const struct tw_design **out,
                     struct diag *diag)
{
    if (options->plugin_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: more than %d plugins", path, OPTIONS_LIST_MAX);
    const struct tw_design *design = plugins_open(path, diag);
    if (!design)
        return DIAG_USAGE;
    struct offer offers[OPTIONS_LIST_MAX];
    size_t last = options->plugin_count++;
    options->plugins[last] = design; /* which options_free closes */
    *out = design;
    for (size_t i = 0; i <= last; i++)
        offers[i] =
            (struct offer){options->plugins[i]->timed->name, plugins_path(options->plugins[i])};
    return check_name(path, "design", offers[last], designs_name_is_taken(offers[last].name),
                      offers, last, diag);
}

/* A runner instead of a design. */
static int take_runner(struct options *options, const char *path, bool has_settings,
                       const char *flag, struct diag *diag)
{
    struct diag reason;
    if (!(options->command->flags & (FLAGS_CONFORM | FLAGS_RUN | FLAGS_LIST)))
        return diag_usage(diag,
                          "%s: %s brings a runner, which run, replay, list and conform take; "
                          "expected a design",
                          flag, path);
    if (has_settings)
        return diag_usage(diag, "%s: %s brings a runner; its settings are flags: --NAME=VALUE",
                          flag, path);
    if (options->runner_plugin_count == OPTIONS_RUNNERS_MAX)
        return diag_usage(diag, "%s: more than %d runners", flag, OPTIONS_RUNNERS_MAX);
    const struct tw_runner_entry *runner = runner_plugins_open(path, &reason);
    if (!runner)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    struct offer offers[OPTIONS_RUNNERS_MAX];
    size_t last = options->runner_plugin_count++;
    options->runner_plugins[last] = runner; /* options_free closes it */
    for (size_t i = 0; i <= last; i++)
        offers[i] = (struct offer){options->runner_plugins[i]->timed->name,
                                   runner_plugins_path(options->runner_plugins[i])};
    const char *name = offers[last].name;
    bool taken = runner_registry_find(name) || original_find(name);
    if (check_name(path, "runner", offers[last], taken, offers, last, &reason) != DIAG_OK)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    return DIAG_OK;
}

int plugin_flag_take(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    char *text = lists_keep(&options->memory, value);
    if (!text)
        return diag_run(diag, "no memory for the command line");
    char *next = strchr(text, ',');
    if (next)
        *next++ = '\0';
    if (*text == '\0')
        return diag_usage(diag, "%s: '%s' given; expected FILE[,NAME=VALUES]", flag, value);
    if (runner_plugins_is_one(text))
        return take_runner(options, text, next != NULL, flag, diag);
    struct diag reason;
    const struct tw_design *design;
    if (plugin_flag_open(options, text, &design, &reason) != DIAG_OK)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    for (char *setting = next; setting; setting = next) {
        next = find_next(setting);
        if (next)
            *next++ = '\0';
        int status = take_setting(options, design, flag, setting, diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

int plugin_flag_select(struct options *options, struct diag *diag)
{
    for (size_t i = 0; i < options->runner_plugin_count; i++) {
        if (options->runner_count == OPTIONS_RUNNERS_MAX)
            return diag_usage(diag, "--plugin: more than %d runners", OPTIONS_RUNNERS_MAX);
        options->runners[options->runner_count++] = options->runner_plugins[i];
    }
    bool joins_all = options->command->flags & FLAGS_ADVISE;
    if (options->plugin_count > 0 && !options->designs_given && !joins_all)
        options->design_count = 0;
    for (size_t i = 0; i < options->plugin_count; i++) {
        const struct tw_design *design = options->plugins[i];
        bool is_there = false;
        for (size_t d = 0; d < options->design_count; d++)
            is_there = is_there || options->designs[d] == design;
        if (is_there && design == options->contested)
            continue;
        if (is_there)
            return diag_usage(diag, "--impl and --plugin: '%s' is given twice",
                              design->timed->name);
        if (options->design_count == OPTIONS_LIST_MAX)
            return diag_usage(diag, "--plugin: more than %d designs", OPTIONS_LIST_MAX);
        options->designs[options->design_count++] = design;
        options->designs_given = true;
    }
    return DIAG_OK;
}
