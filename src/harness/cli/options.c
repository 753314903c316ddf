/*
 * options.c - reads the command line by the table of flags (flags.h), and checks what flags say together.
 *
 * The parameters of the designs (--slots, --levels) are flags too; their rows come from the
 * registry, so that a new design's parameters exist on the command line the moment it is
 * registered.
 */
#include "harness/cli/options.h"

#include "harness/cli/contestants.h"
#include "harness/cli/flags.h"
#include "harness/cli/lists.h"
#include "harness/cli/plugin_flag.h"

#include <stddef.h>
#include <string.h>

/* The parameter of that name, or NULL. */
static const struct tw_param *param_of(const struct tw_design *design, const char *name)
{
    for (const struct tw_param *param = design->timed->params; param->name; param++)
        if (strcmp(param->name, name) == 0)
            return param;
    return NULL;
}

/* The same of any design, those of the plugins given so far first.  Libraries are loaded only for a name that no
 * design in the program has. */
static const struct tw_param *param_find(const struct tw_design *const *plugins,
                                         size_t plugin_count, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < plugin_count && !param; i++)
        param = param_of(plugins[i], name);
    for (size_t i = 0; i < designs_count() && !param; i++) {
        const struct tw_design *design = designs_at(i);
        param = design ? param_of(design, name) : NULL;
    }
    return param;
}

/* --slots=64,512,4096 are three settings; --levels=256,64/60,60,24 are two of several values. */
static int take_param(struct options *options, const struct tw_param *param, const char *flag,
                      const char *value, struct diag *diag)
{
    if (options->sweep_count == PLAN_SWEEPS_MAX)
        return diag_usage(diag, "%s: more than %d parameters given", flag, PLAN_SWEEPS_MAX);
    struct tw_setting *settings =
        lists_keep_bytes(&options->memory, OPTIONS_LIST_MAX, sizeof *settings);
    if (!settings)
        return diag_run(diag, "no memory for the command line");
    struct plan_sweep *sweep = &options->sweeps[options->sweep_count++];
    sweep->settings = settings;
    return lists_settings(value, flag, param, settings, OPTIONS_LIST_MAX, &sweep->count, diag);
}

/* One "--name=value" or "--name value"; *used is the number of arguments it took. */
static int take_flag(struct options *options, const char *argument, const char *following,
                     int *used, struct diag *diag)
{
    char name[64], shown[66];
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60) - 2, argument + 2);
    snprintf(shown, sizeof shown, "--%s", name);
    unsigned groups = options->command->flags;
    const struct flag *flag = flag_find(name, groups);
    const struct tw_param *param = (groups & FLAGS_DESIGNS) && !flag
                                       ? param_find(options->plugins, options->plugin_count, name)
                                       : NULL;
    *used = 1;
    if (!flag && !param)
        return diag_usage(diag, "%s: 'twbench %s' has no such flag; see 'twbench %s --help'", shown,
                          options->command->name, options->command->name);
    if (flag && !flag->value) {
        if (equals)
            return diag_usage(diag, "%s: takes no value; '%s' given", shown, equals + 1);
        return flag_take(flag, options, shown, NULL, diag);
    }
    const char *value = equals ? equals + 1 : following;
    if (!value)
        return diag_usage(diag, "%s: a value is missing; expected %s", shown,
                          flag ? flag->value : "N,M");
    *used = equals ? 1 : 2;
    options->matrix_given |= !flag || (flag->groups & FLAGS_MATRIX);
    return flag ? flag_take(flag, options, shown, value, diag)
                : take_param(options, param, shown, value, diag);
}

/* A flag; or "-o FILE", as compilers take it: where a page or a trace goes. */
static int take_argument(struct options *options, const char *argument, const char *following,
                         int *used, struct diag *diag)
{
    const struct command *command = options->command;
    if (argument[1] == '-')
        return take_flag(options, argument, following, used, diag);
    if (strcmp(argument, "-o") != 0 || !(command->flags & (FLAGS_PAGE | FLAGS_IMPORT)))
        return diag_usage(diag, "%s: flags begin with two dashes; see 'twbench %s --help'",
                          argument, command->name);
    if (!following)
        return diag_usage(diag, "-o: a value is missing; expected FILE|-");
    *used = 2;
    static const struct flag output = {
        NULL, "FILE|-", NULL, 0, {TAKE_FILE, offsetof(struct options, html), 0, 0, NULL, NULL}};
    static const struct flag trace = {
        NULL, "FILE|-", NULL, 0, {TAKE_FILE, offsetof(struct options, trace), 0, 0, NULL, NULL}};
    return flag_take(command->flags & FLAGS_IMPORT ? &trace : &output, options, "-o", following,
                     diag);
}

size_t options_files(const struct options *options, struct options_file files[OPTIONS_FILES_MAX])
{
    size_t count = 0;
    files[count++] = (struct options_file){"-o", options->trace};
    files[count++] = (struct options_file){"--json", options->setup.json};
    files[count++] = (struct options_file){"--fit", options->fit};
    files[count++] = (struct options_file){"--svg", options->svg};
    files[count++] = (struct options_file){"--html", options->html};
    for (size_t i = 0; i < export_format_count; i++, count++) {
        files[count].path = options->exports[i];
        snprintf(files[count].flag, sizeof files[count].flag, "--%s", export_formats[i].flag);
    }
    return count;
}

/* Two documents in one file would leave one of them, or neither. */
static int check_files(const struct options *options, struct diag *diag)
{
    struct options_file files[OPTIONS_FILES_MAX];
    size_t count = options_files(options, files);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i].path && files[j].path && strcmp(files[i].path, files[j].path) == 0)
                return diag_usage(diag, "%s and %s: only one of them can go to %s", files[j].flag,
                                  files[i].flag,
                                  strcmp(files[i].path, "-") == 0 ? "stdout" : files[i].path);
    return DIAG_OK;
}

static int check_together(const struct options *options, struct diag *diag)
{
    if (options->setup.resume && (!options->setup.json || strcmp(options->setup.json, "-") == 0))
        return diag_usage(diag, "--resume: --json=FILE must name the file to go on with");
    if (options->setup.resume && options->force)
        return diag_usage(diag, "--resume and --force: only one of them can be meant");
    if (options->setup.counts_only && options->setup.counters >= COUNTERS_REQUIRED)
        return diag_usage(diag, "--counters and --counts-only: the counters of the processor are "
                                "read in timed runs, and there are none");
    if (options->exact && options->wishes.late)
        return diag_usage(diag, "--exact and --late: only one of them can be meant");
    return check_files(options, diag);
}

static void apply_preset(struct options *options)
{
    const struct preset *preset = options->preset;
    if (!options->designs_given) {
        options->design_count = 0;
        for (size_t i = 0; preset->designs[i]; i++)
            options->designs[options->design_count++] = registry_find(preset->designs[i]);
    }
    if (options->workload_count == 0)
        while (preset->workloads[options->workload_count]) {
            options->workloads[options->workload_count] =
                preset->workloads[options->workload_count];
            options->workload_count++;
        }
    if (options->task_count == 0)
        while (preset->tasks[options->task_count]) {
            options->tasks[options->task_count] = preset->tasks[options->task_count];
            options->task_count++;
        }
}

/* What is default for some commands only. */
static void adjust_defaults(struct options *options, unsigned groups)
{
    if (groups & (FLAGS_PAIRS | FLAGS_PROBE))
        options->setup.min_time_ns = 250000;
    if (groups & FLAGS_PAIRS)
        options->preset = preset_find("ci");
    if (groups & FLAGS_SELFTEST)
        options->setup.budget_ns = UINT64_C(600000000000);
    if (groups & FLAGS_ADVISE) {
        options->setup.counters = COUNTERS_OFF;
        options->setup.min_time_ns = 2000000;
        options->setup.budget_ns = UINT64_C(60000000000);
    }
    if (groups & FLAGS_CLAIMS) {
        options->setup.counters = COUNTERS_OFF;
        options->setup.min_time_ns = 2000000;
        options->setup.jobs = 0;
    }
}

int options_parse(int argc, char **argv, int first, const struct command *command,
                  struct options *options, struct diag *diag)
{
    *options = (struct options){
        .setup =
            {
                .argc = argc,
                .argv = argv,
                .sets = options->sets,
                .seed = 1,
                .runs = 7,
                .warmup = 1,
                .min_time_ns = 10000000,
                .patience_ns = 100000000,
                .budget_ns = UINT64_C(10000000000),
                .memory_limit_bytes = UINT64_C(4) << 30,
                .pin_cpu = -1,
                .jobs = 1,
            },
        .command = command,
        .operations = 1000000,
        .pairs = 30,
        .max_pairs = 150,
        .samples = 5,
        .fail_on = FAIL_ON_REGRESSED,
        .limits = limits_default(),
    };
    adjust_defaults(options, command->flags);
    flags_select_all(options);
    bool operands_only = false;
    for (int i = first, used = 1; i < argc; i += used, used = 1) {
        if (!operands_only && strcmp(argv[i], "--") == 0) {
            operands_only = true;
        } else if (!operands_only && argv[i][0] == '-' && argv[i][1] != '\0') {
            const char *next = i + 1 < argc ? argv[i + 1] : NULL;
            int status = take_argument(options, argv[i], next, &used, diag);
            if (status != DIAG_OK)
                return status;
        } else if (options->operand_count == OPTIONS_LIST_MAX) {
            return diag_usage(diag, "%s: more than %d operands", argv[i], OPTIONS_LIST_MAX);
        } else {
            if ((command->flags & FLAGS_COMPARE) &&
                contestants_take(options, argv[i], diag) != DIAG_OK)
                return DIAG_USAGE;
            options->operands[options->operand_count++] = argv[i];
        }
    }
    if (plugin_flag_select(options, diag) != DIAG_OK)
        return DIAG_USAGE;
    if (options->preset)
        apply_preset(options);
    if (options->setup.counts_only)
        options->setup.runs = options->setup.warmup = 0;
    return check_together(options, diag);
}

struct pairing_wishes options_pairing(const struct options *options)
{
    return (struct pairing_wishes){
        .setup = &options->setup,
        .selection =
            {
                .designs = options->designs,
                .design_count = options->design_count,
                .workloads = options->workloads,
                .workload_count = options->workload_count,
                .workload_directory = options->setup.workload_directory,
                .tasks = options->tasks,
                .task_count = options->task_count,
                .sweeps = options->sweeps,
                .sweep_count = options->sweep_count,
            },
        .pairs = options->pairs,
        .max_pairs = options->max_pairs,
        .samples = options->samples,
        .limits = &options->limits,
    };
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < options->plugin_count; i++)
        plugins_close(options->plugins[i]);
    lists_release(&options->memory);
}

static void help_row(FILE *out, const char *name, const char *value, const char *help)
{
    char left[48];
    snprintf(left, sizeof left, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    fprintf(out, "  %-24s %s\n", left, help);
}

static void help_params(FILE *out, const struct tw_design *design)
{
    for (const struct tw_param *param = design->timed->params; param->name; param++)
        if (param == param_find(NULL, 0, param->name))
            help_row(out, param->name, param->values_max > 1 ? "A,B,../C,D,.." : "N,M|A..B",
                     param->help);
}

static void help_exports(FILE *out, enum export_kind kind)
{
    if (kind != EXPORT_NOTHING)
        fprintf(out, "\nThe same in other formats (a file, or - for stdout):\n");
    for (size_t i = 0; i < export_format_count; i++)
        if (export_offered(i, kind))
            help_row(out, export_formats[i].flag, "FILE|-", export_formats[i].help);
}

void options_help(FILE *out, const struct command *command)
{
    fprintf(out, "usage: twbench %s %s\n\n%s\n", command->name, command->usage, command->summary);
    fprintf(out, "\n");
    for (size_t i = 0; i < flag_count; i++)
        if ((flags[i].groups & command->flags) &&
            flag_find(flags[i].name, command->flags) == &flags[i])
            help_row(out, flags[i].name, flags[i].value, flags[i].help);
    help_exports(out, flags_export_kind(command->flags));
    if (!(command->flags & FLAGS_DESIGNS))
        return;
    fprintf(out, "\nParameters of designs (several values make several cells):\n");
    for (size_t i = 0; i < designs_count(); i++)
        if (designs_at(i))
            help_params(out, designs_at(i));
}
