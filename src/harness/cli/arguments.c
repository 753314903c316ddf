/*
 * arguments.c - reads the command line by the table of flags (flags.h), and checks what flags say together.
 *
 * The parameters of the designs (--slots, --levels) are flags too; their rows come from the
 * registry, so that a new design's parameters exist on the command line the moment it is
 * registered.
 */
#include "harness/cli/arguments.h"

#include "harness/ask/compare/contestants.h"
#include "harness/base/lists.h"
#include "harness/base/nearest.h"
#include "harness/cli/clock_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/plugin_flag.h"
#include "harness/cli/store_flags.h"

#include <stddef.h>
#include <string.h>

/* Time for the samples of a design on a load, unless their number is given. */
#define SAMPLES_TIME_NS UINT64_C(4000000000)

/* The parameter of that name of any design, those of the plugins given so far first; NULL: none.  Libraries are
 * loaded only for a name that no design in the program has. */
static const struct tw_param *param_of_designs(const struct options *options, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < options->plugin_count && !param; i++)
        param = param_find(options->plugins[i]->timed->params, name);
    for (size_t i = 0; i < designs_count() && !param; i++) {
        const struct tw_design *design = designs_at(i);
        param = design ? param_find(design->timed->params, name) : NULL;
    }
    return param;
}

static int refuse_flag(const struct options *options, const char *name, struct diag *diag)
{
    const struct command *command = options->command;
    char hint[80] = ";";
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < flag_count; i++)
        if (flags[i].groups & command->flags)
            nearest_offer(&nearest, flags[i].name);
    for (size_t i = 0; i < export_format_count; i++)
        if (export_offered(i, flags_export_kind(command->flags)))
            nearest_offer(&nearest, export_formats[i].flag);
    for (size_t i = 0; (command->flags & FLAGS_DESIGNS) && i < designs_count(); i++) {
        const struct tw_design *design = designs_at(i);
        for (const struct tw_param *p = design ? design->timed->params : NULL; p && p->name; p++)
            nearest_offer(&nearest, p->name);
    }
    if (nearest.word[0])
        snprintf(hint, sizeof hint, "; did you mean '--%s'?", nearest.word);
    return diag_usage(diag, "--%s: 'twbench %s' has no such flag%s see 'twbench %s --help'", name,
                      command->name, hint, command->name);
}

/* advise has flags of designs, flags of stores, and flags of both. */
static void note_side(struct options *options, const struct flag *flag)
{
    if (!flag || !(options->command->flags & FLAGS_ADVISE))
        return;
    unsigned side = flag->groups & ((unsigned)FLAGS_ADVISE | FLAGS_DURABLE);
    if (side == FLAGS_ADVISE && !options->design_flag)
        options->design_flag = flag->name;
    if (side == FLAGS_DURABLE && !options->store_flag)
        options->store_flag = flag->name;
}

/* What was given so far. */
struct given {
    char key[160]; /* what it sets: the flag's name, "set=delay", "html" of "-o" */
    const char *value;
    char shown[66];
};

struct reading {
    struct options *options;
    struct given *given;
    size_t count;
};

/* The last of two values would silently be the only one. */
static int refuse_repeated(const struct given *before, const struct given *now, char separator,
                           struct diag *diag)
{
    const char *equals = strchr(now->key, '=');
    if (strcmp(before->shown, now->shown) != 0)
        return diag_usage(diag, "%s and %s: '%s' and '%s' given; expected one of them",
                          before->shown, now->shown, before->value, now->value);
    if (separator)
        return diag_usage(diag, "%s: given twice, '%s' and '%s'; expected one list: %s=%s%c%s",
                          now->shown, before->value, now->value, now->shown, before->value,
                          separator, now->value);
    return diag_usage(diag, "%s: %s%sgiven twice, '%s' and '%s'; expected one value", now->shown,
                      equals ? equals + 1 : "", equals ? " is " : "", before->value, now->value);
}

/* `name`: what the flag sets; `separator`: of its list, 0 where it takes one value. */
static int note_given(struct reading *reading, const struct flag *flag, const char *name,
                      const char *shown, const char *value, char separator, struct diag *diag)
{
    struct given *given = &reading->given[reading->count];
    if (flag && flag->taken.kind == TAKE_EACH)
        return DIAG_OK;
    given->value = value;
    snprintf(given->shown, sizeof given->shown, "%s", shown);
    snprintf(given->key, sizeof given->key, "%s", name);
    if (flag && flag->taken.kind == TAKE_NAMED)
        snprintf(given->key, sizeof given->key, "%s=%.*s", name, (int)strcspn(value, "="), value);
    for (size_t i = 0; i < reading->count; i++)
        if (strcmp(reading->given[i].key, given->key) == 0)
            return refuse_repeated(&reading->given[i], given, separator, diag);
    reading->count++;
    return DIAG_OK;
}

/* What stands between the values of a flag or a design's parameter; 0: it takes one value. */
static char separator_of(const struct flag *flag, const struct tw_param *param)
{
    if (param)
        return param->values_max > 1 ? '/' : ',';
    return flag && flag->taken.kind != TAKE_NAMED && strchr(flag->value, ',') ? ',' : '\0';
}

/* One "--name=value" or "--name value"; *used is the number of arguments it took. */
static int take_flag(struct reading *reading, const char *argument, const char *following,
                     int *used, struct diag *diag)
{
    struct options *options = reading->options;
    char name[64], shown[66];
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60) - 2, argument + 2);
    snprintf(shown, sizeof shown, "--%s", name);
    unsigned groups = options->command->flags;
    const struct flag *flag = flag_find(name, groups);
    const struct tw_param *param =
        (groups & FLAGS_DESIGNS) && !flag ? param_of_designs(options, name) : NULL;
    const struct tw_param *of_runner = (groups & (FLAGS_RUN | FLAGS_CONFORM)) && !flag && !param
                                           ? clock_flags_param(options, name)
                                           : NULL;
    *used = 1;
    note_side(options, flag);
    if (!flag && !param && !of_runner)
        return refuse_flag(options, name, diag);
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
    if (note_given(reading, flag, name, shown, value, separator_of(flag, param), diag) != DIAG_OK)
        return DIAG_USAGE;
    options->matrix_given |= !flag || (flag->groups & FLAGS_MATRIX);
    if (of_runner)
        return clock_flags_setting(options, of_runner, shown, value, diag);
    return flag ? flag_take(flag, options, shown, value, diag)
                : plugin_flag_sweep(options, NULL, param, shown, value, diag);
}

/* "-o FILE", as compilers take it: where a page, a trace or the sources of a design go.  The row's name is what it
 * sets: --html, or a place that no other flag sets. */
static const struct flag *output_flag(unsigned groups)
{
    static const struct flag page = {
        "html", "FILE|-", NULL, 0, {TAKE_FILE, offsetof(struct options, html), 0, 0, NULL, NULL}};
    static const struct flag trace = {
        "-o", "FILE|-", NULL, 0, {TAKE_FILE, offsetof(struct options, trace), 0, 0, NULL, NULL}};
    static const struct flag sources = {
        "-o",
        "DIR",
        NULL,
        0,
        {TAKE_FILE, offsetof(struct options, take_directory), 0, 0, NULL, NULL}};
    if (groups & FLAGS_TAKE)
        return &sources;
    if (groups & (FLAGS_IMPORT | FLAGS_RECORD))
        return &trace;
    return groups & FLAGS_PAGE ? &page : NULL;
}

/* A flag, or "-o". */
static int take_argument(struct reading *reading, const char *argument, const char *following,
                         int *used, struct diag *diag)
{
    struct options *options = reading->options;
    const struct command *command = options->command;
    if (argument[1] == '-')
        return take_flag(reading, argument, following, used, diag);
    const struct flag *output = output_flag(command->flags);
    if (strcmp(argument, "-o") != 0 || !output)
        return diag_usage(diag, "%s: flags begin with two dashes; see 'twbench %s --help'",
                          argument, command->name);
    if (!following)
        return diag_usage(diag, "-o: a value is missing; expected %s", output->value);
    *used = 2;
    if (note_given(reading, output, output->name, "-o", following, '\0', diag) != DIAG_OK)
        return DIAG_USAGE;
    return flag_take(output, options, "-o", following, diag);
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
    /* A trace is its own load. */
    if (strcmp(options->command->name, "replay") == 0)
        return;
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

#define DURABLE_KILLS 5 /* of the small run in which advise proves a store's ledger */

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
    if (groups & FLAGS_STORES) {
        options->setup.budget_ns = UINT64_C(600000000000);
    }
    if (groups & (FLAGS_STORES | FLAGS_DURABLE))
        store_flags_default(options);
    if (groups & FLAGS_DURABLE)
        options->storing.kills = DURABLE_KILLS;
    if (groups & FLAGS_CLAIMS) {
        options->setup.counters = COUNTERS_OFF;
        options->setup.min_time_ns = 2000000;
        options->setup.jobs = 0;
    }
}

/* A plugin as OLD is opened at once, so that the flags behind it can name its parameters. */
static int take_contestant(struct options *options, const char *path, struct diag *diag)
{
    if (options->operand_count > 1 || !contestants_is_plugin(path))
        return DIAG_OK;
    if (options->operand_count == 0)
        return plugin_flag_open(options, path, &options->contested, diag);
    return options->contested
               ? contestants_match(options->contested, options->operands[0], path, diag)
               : DIAG_OK;
}

/* How many samples there are, and how long they may take, once all flags are known. */
static void bound_samples(struct options *options)
{
    if (options->setup.counts_only)
        options->setup.runs = options->setup.warmup = 0;
    if ((options->command->flags & FLAGS_RUN) && !options->runs_given && !options->time_given)
        options->setup.time_ns = SAMPLES_TIME_NS;
}

/* Names of files, loads and claims; those of record are a command's, which may be empty. */
static int take_operand(struct options *options, const struct command *command, const char *operand,
                        struct diag *diag)
{
    if (operand[0] == '\0' && !(command->flags & FLAGS_RECORD))
        return diag_usage(diag, "%s: operand %zu is empty; expected a name", command->name,
                          options->operand_count + 1);
    if (options->operand_count == OPTIONS_OPERANDS_MAX)
        return diag_usage(diag, "%s: more than %d operands", operand, OPTIONS_OPERANDS_MAX);
    if ((command->flags & FLAGS_COMPARE) && take_contestant(options, operand, diag) != DIAG_OK)
        return DIAG_USAGE;
    options->operands[options->operand_count++] = operand;
    return DIAG_OK;
}

int arguments_parse(int argc, char **argv, int first, const struct command *command,
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
                .clock = {.speed = 1},
                .jobs = 1,
            },
        .command = command,
        .operations = 1000000,
        .proof_patience_ns = UINT64_C(20000000000),
        .pairs = 30,
        .max_pairs = 150,
        .samples = 5,
        .fail_on = FAIL_ON_REGRESSED,
        .limits = limits_default(),
    };
    adjust_defaults(options, command->flags);
    flags_select_all(options);
    struct reading reading = {
        .options = options,
        .given = lists_keep_bytes(&options->memory, (size_t)argc, sizeof *reading.given)};
    if (!reading.given)
        return diag_run(diag, "no memory for the command line");
    bool operands_only = false;
    for (int i = first, used = 1; i < argc; i += used, used = 1) {
        if (!operands_only && strcmp(argv[i], "--") == 0) {
            operands_only = true;
        } else if (!operands_only && argv[i][0] == '-' && argv[i][1] != '\0') {
            const char *next = i + 1 < argc ? argv[i + 1] : NULL;
            int status = take_argument(&reading, argv[i], next, &used, diag);
            if (status != DIAG_OK)
                return status;
        } else if (take_operand(options, command, argv[i], diag) != DIAG_OK) {
            return DIAG_USAGE;
        }
    }
    if (plugin_flag_select(options, diag) != DIAG_OK)
        return DIAG_USAGE;
    if (options->preset)
        apply_preset(options);
    if (clock_flags_finish(options, diag) != DIAG_OK)
        return DIAG_USAGE;
    bound_samples(options);
    return check_together(options, diag);
}
