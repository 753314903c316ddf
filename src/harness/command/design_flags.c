/* design_flags.c - takes --impl, --plugin=FILE,NAME=VALUES and the parameters of designs. */
#include "harness/command/design_flags.h"

#include "harness/base/units.h"
#include "harness/measure/designs/designs.h"

/* ---- Which designs. --------------------------------------------------------------------------- */

static bool keeps_nothing(const struct tw_design *design)
{
    return (design->timed->traits.flags & TW_KEEPS_NOTHING) != 0;
}

/* A name twice is once. */
static void add_design(struct designs *designs, const struct tw_design *design)
{
    for (size_t i = 0; i < designs->count; i++)
        if (designs->chosen[i] == design)
            return;
    designs->chosen[designs->count++] = design;
}

void designs_select_all(struct designs *designs)
{
    for (size_t i = 0; i < registry_count; i++)
        if (!keeps_nothing(&registry[i]))
            add_design(designs, &registry[i]);
}

struct selection {
    struct call *call;
    struct designs *designs;
};

static bool has_plugin(const struct call *call)
{
    for (int i = 0; i < call->argc; i++)
        if (strncmp(call->argv[i], "--plugin", strlen("--plugin")) == 0)
            return true;
    return false;
}

/* A name that no design has may be that of a plugin, also of one that comes behind it: designs_finish looks. */
static int select_design(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    const struct selection *selection = ctx;
    struct designs *designs = selection->designs;
    struct diag reason;
    const struct tw_design *contested = designs->contested;
    bool is_contested = contested && strcmp(name, contested->timed->name) == 0;
    if (strcmp(name, "all") == 0) {
        designs_select_all(designs);
        return DIAG_OK;
    }
    const struct tw_design *design = is_contested ? contested : designs_find(name, &reason);
    if (design)
        add_design(designs, design);
    else if (!has_plugin(selection->call))
        return diag_usage(diag, "%s: %s", flag, reason.text);
    else
        designs->unknown[designs->unknown_count++] = lists_keep(&selection->call->memory, name);
    return DIAG_OK;
}

int design_flag_impl(struct call *call, void *of, const char *flag, const char *value,
                     struct diag *diag)
{
    struct designs *designs = of;
    struct selection selection = {call, designs};
    designs->count = designs->unknown_count = 0;
    designs->given = true;
    designs->matrix_given = true;
    return lists_split(value, ',', flag, DESIGNS_MAX, select_design, &selection, diag);
}

/* ---- Values of a parameter. ------------------------------------------------------------------- */

struct sweep {
    const struct tw_param *param;
    struct tw_setting *out;
    size_t count;
};

static int level_item(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct sweep *sweep = ctx;
    const struct tw_param *param = sweep->param;
    struct tw_setting *setting = &sweep->out[sweep->count - 1];
    uint64_t *value = &setting->values[setting->count++];
    return units_parse_count_in(item, flag, param->min, param->max, value, diag);
}

/* One list between slashes. */
static int sweep_item(void *ctx, const char *flag, const char *item, struct diag *diag)
{
    struct sweep *sweep = ctx;
    sweep->out[sweep->count++] = (struct tw_setting){.name = sweep->param->name};
    return lists_repeat(item, ',', flag, sweep->param->values_max, level_item, sweep, diag);
}

static int design_flag_values(const char *value, const char *flag, const struct tw_param *param,
                              struct tw_setting *out, size_t max, size_t *count, struct diag *diag)
{
    if (param->values_max > 1) {
        struct sweep sweep = {.param = param, .out = out};
        int status = lists_split(value, '/', flag, max, sweep_item, &sweep, diag);
        *count = sweep.count;
        return status;
    }
    uint64_t values[DESIGNS_MAX];
    struct lists_range range = {.min = param->min, .max = param->max, .factor = 2};
    int status = lists_numbers(value, flag, &range, values, max < DESIGNS_MAX ? max : DESIGNS_MAX,
                               count, diag);
    for (size_t i = 0; status == DIAG_OK && i < *count; i++)
        out[i] = (struct tw_setting){.name = param->name, .count = 1, .values = {values[i]}};
    return status;
}

/* `only`: the plugin that the values are for; NULL: every design that has the parameter. */
static int add_sweep(struct call *call, struct designs *designs, const struct tw_design *only,
                     const struct tw_param *param, const char *flag, const char *values,
                     struct diag *diag)
{
    if (designs->sweep_count == PLAN_SWEEPS_MAX)
        return diag_usage(diag, "%s: more than %d parameters given", flag, PLAN_SWEEPS_MAX);
    struct tw_setting *settings = lists_keep_bytes(&call->memory, DESIGNS_MAX, sizeof *settings);
    struct plan_sweep *sweep = &designs->sweeps[designs->sweep_count++];
    *sweep = (struct plan_sweep){.settings = settings, .only = only};
    return design_flag_values(values, flag, param, settings, DESIGNS_MAX, &sweep->count, diag);
}

/* ---- Parameters as flags. --------------------------------------------------------------------- */

/* The parameter of that name of any design, those of the plugins given so far first; NULL: none.  Libraries are
 * loaded only for a name that no design in the program has. */
static const struct tw_param *param_of_designs(const struct designs *designs, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < designs->plugin_count && !param; i++)
        param = param_find(designs->plugins[i]->timed->params, name);
    for (size_t i = 0; i < designs_count() && !param; i++) {
        const struct tw_design *design = designs_at(i);
        param = design ? param_find(design->timed->params, name) : NULL;
    }
    return param;
}

static int take_parameter(struct call *call, void *of, const char *flag, const char *value,
                          struct diag *diag)
{
    struct designs *designs = of;
    designs->matrix_given = true;
    return add_sweep(call, designs, NULL, param_of_designs(designs, flag + 2), flag, value, diag);
}

static struct flag flag_of_param(const struct tw_param *param)
{
    bool is_list = param->values_max > 1;
    return (struct flag){.name = param->name,
                         .value = is_list ? "A,B,../C,D,.." : "N,M|A..B",
                         .help = param->help,
                         .kind = TAKE_BY,
                         .by = take_parameter,
                         .separator = is_list ? '/' : ','};
}

bool design_flags_find(const void *of, const char *name, struct flag *out)
{
    const struct tw_param *param = param_of_designs(of, name);
    if (param)
        *out = flag_of_param(param);
    return param != NULL;
}

void design_flags_each(const void *of, flag_row_fn *row, void *ctx)
{
    (void)of;
    for (size_t i = 0; i < designs_count(); i++) {
        const struct tw_design *design = designs_at(i);
        for (const struct tw_param *p = design ? design->timed->params : NULL; p && p->name; p++) {
            char heading[120];
            struct flag flag = flag_of_param(p);
            snprintf(heading, sizeof heading,
                     "Parameters of %s (each value makes a cell):", design->timed->name);
            row(ctx, heading, &flag);
        }
    }
}

/* ---- --plugin. -------------------------------------------------------------------------------- */

/* One "name=values". */
static int take_setting(struct call *call, struct designs *designs, const struct tw_design *design,
                        const char *flag, char *text, struct diag *diag)
{
    char shown[128];
    char *values = strchr(text, '=');
    if (designs->refuses_settings)
        return diag_usage(diag, "%s: '%s' given; %s chooses the parameters itself", flag, text,
                          call->command->name);
    if (!values || values == text)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUES after the file", flag, text);
    *values++ = '\0';
    const struct tw_param *param = param_find(design->timed->params, text);
    if (!param)
        return diag_usage(diag, "%s: '%s' has no parameter '%s'", flag, design->timed->name, text);
    for (size_t i = 0; i < designs->sweep_count; i++)
        if (designs->sweeps[i].only == design &&
            strcmp(designs->sweeps[i].settings[0].name, text) == 0)
            return diag_usage(diag, "%s: %s is given twice", flag, text);
    snprintf(shown, sizeof shown, "%s: %s", flag, param->name);
    return add_sweep(call, designs, design, param, shown, values, diag);
}

/* Where the next "name=" begins: behind a comma whose item has an equals sign.  NULL: nowhere. */
static char *find_next(char *text)
{
    for (char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
        if (comma[1 + strcspn(comma + 1, ",=")] == '=')
            return comma;
    return NULL;
}

int designs_open_plugin(struct designs *designs, const char *path, const struct tw_design **out,
                        struct diag *diag)
{
    if (designs->plugin_count == DESIGNS_MAX)
        return diag_usage(diag, "%s: more than %d plugins", path, DESIGNS_MAX);
    const struct tw_design *design = plugins_open(path, diag);
    if (!design)
        return DIAG_USAGE;
    const char *name = design->timed->name;
    size_t before = designs->plugin_count++;
    designs->plugins[before] = design; /* which designs_close closes */
    *out = design;
    if (designs_name_is_taken(name))
        return diag_usage(
            diag, "%s: the name '%s' is that of a design of twbench; expected another", path, name);
    for (size_t i = 0; i < before; i++) {
        const char *other = plugins_path(designs->plugins[i]);
        if (strcmp(other, plugins_path(design)) == 0)
            return diag_usage(diag, "%s is given twice", path);
        if (strcmp(designs->plugins[i]->timed->name, name) == 0)
            return diag_usage(diag, "%s: the name '%s' is that of %s already", path, name, other);
    }
    return DIAG_OK;
}

int design_flag_plugin(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct designs *designs = of;
    char *text = lists_keep(&call->memory, value);
    char *next = strchr(text, ',');
    if (next)
        *next++ = '\0';
    if (*text == '\0')
        return diag_usage(diag, "%s: '%s' given; expected FILE[,NAME=VALUES]", flag, value);
    struct diag reason;
    const struct tw_design *design;
    designs->matrix_given = true;
    if (designs_open_plugin(designs, text, &design, &reason) != DIAG_OK)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    for (char *setting = next; setting; setting = next) {
        next = find_next(setting);
        if (next)
            *next++ = '\0';
        int status = take_setting(call, designs, design, flag, setting, diag);
        if (status != DIAG_OK)
            return status;
    }
    return DIAG_OK;
}

const struct flag design_flags[DESIGN_FLAG_COUNT] = {
    FLAG_BY("impl", "A,B|all", "designs to run (default: all but null)", design_flag_impl),
    FLAG_EACH("plugin", "FILE[,NAME=VALUES]",
              "a design from a shared object, with its own parameters; may be repeated",
              design_flag_plugin),
};

/* ---- After the last flag. --------------------------------------------------------------------- */

/* The plugin joins the designs in any case; a name that none has is an error. */
static int find_unknown(const struct designs *designs, const char *name, struct diag *diag)
{
    struct diag reason;
    for (size_t i = 0; i < designs->plugin_count; i++)
        if (strcmp(designs->plugins[i]->timed->name, name) == 0)
            return DIAG_OK;
    designs_find(name, &reason);
    return diag_usage(diag, "--impl: %s", reason.text);
}

int designs_finish(struct designs *designs, bool joins_all, struct diag *diag)
{
    for (size_t i = 0; i < designs->unknown_count; i++)
        if (find_unknown(designs, designs->unknown[i], diag) != DIAG_OK)
            return DIAG_USAGE;
    if (designs->plugin_count > 0 && !designs->given && !joins_all)
        designs->count = 0;
    for (size_t i = 0; i < designs->plugin_count; i++) {
        const struct tw_design *design = designs->plugins[i];
        bool is_there = false;
        for (size_t d = 0; d < designs->count; d++)
            is_there = is_there || designs->chosen[d] == design;
        if (is_there && design == designs->contested)
            continue;
        if (is_there)
            return diag_usage(diag, "--impl and --plugin: '%s' is given twice",
                              design->timed->name);
        if (designs->count == DESIGNS_MAX)
            return diag_usage(diag, "--plugin: more than %d designs", DESIGNS_MAX);
        designs->chosen[designs->count++] = design;
        designs->given = true;
    }
    return DIAG_OK;
}

void designs_close(struct designs *designs)
{
    for (size_t i = 0; i < designs->plugin_count; i++)
        plugins_close(designs->plugins[i]);
    designs->plugin_count = 0;
}

int designs_settings(const struct designs *designs, const struct tw_design *design,
                     struct tw_setting settings[PLAN_SETTINGS_MAX], size_t *count,
                     struct diag *diag)
{
    *count = 0;
    for (size_t i = 0; i < designs->sweep_count; i++) {
        const struct plan_sweep *sweep = &designs->sweeps[i];
        bool applies = plan_sweep_is_for(designs->sweeps, designs->sweep_count, i, design);
        if (sweep->count != 1)
            return diag_usage(diag, "--%s: conform takes one value at a time",
                              sweep->settings[0].name);
        if (applies && *count == PLAN_SETTINGS_MAX)
            return diag_usage(diag, "%s: more than %d parameters given", design->timed->name,
                              PLAN_SETTINGS_MAX);
        if (applies)
            settings[(*count)++] = sweep->settings[0];
    }
    return DIAG_OK;
}
