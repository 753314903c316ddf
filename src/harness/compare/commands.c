/* commands.c - builds the command lines of the children. */
#include "harness/compare/pairing.h"

#include "harness/base/text.h"

size_t matrix_count(const struct matrix *matrix)
{
    return matrix->plan->group_count * matrix->plan->cell_count;
}

/* "512" or "256,64,64" */
static void append_values(struct text *text, const struct tw_setting *setting)
{
    for (uint32_t i = 0; i < setting->count; i++)
        text_add(text, "%s%" PRIu64, i > 0 ? "," : "", setting->values[i]);
}

static void add_streams(struct probe_command *command, const struct matrix *matrix)
{
    probe_add(command, "--workloads-dir=%s", matrix->workload_directory);
    probe_add(command, "--seed=%" PRIu64, matrix->seed);
    if (matrix->tick_ns > 0)
        probe_add(command, "--tick=%" PRIu64 "ns", matrix->tick_ns);
    if (matrix->max_pending > 0)
        probe_add(command, "--max-pending=%" PRIu64, matrix->max_pending);
    for (size_t i = 0; i < matrix->set_count; i++)
        probe_add(command, "--set=%s=%s", matrix->sets[i].name, matrix->sets[i].value);
}

/* "WORD --impl=.. --workload=..", with all that makes the cell. */
static void begin_cell(struct probe_command *command, const char *word, const struct matrix *matrix,
                       size_t cell)
{
    const struct plan_group *group = &matrix->plan->groups[cell / matrix->plan->cell_count];
    const struct plan_cell *plan = &matrix->plan->cells[cell % matrix->plan->cell_count];
    const char *path = plugins_path(plan->design);
    probe_begin(command, word);
    if (path)
        probe_add(command, "--plugin=%s", path);
    else
        probe_add(command, "--impl=%s", plan->design->timed->name);
    probe_add(command, "--workload=%s", group->workload);
    if (group->tasks > 0)
        probe_add(command, "--tasks=%" PRIu64, group->tasks);
    for (size_t i = 0; i < plan->setting_count; i++) {
        char values[PROBE_ARGUMENT / 2];
        struct text text = text_in(values, sizeof values);
        append_values(&text, &plan->settings[i]);
        probe_add(command, "--%s=%s", plan->settings[i].name, values);
    }
    add_streams(command, matrix);
}

void command_of_probe(struct probe_command *command, const struct matrix *matrix, size_t cell)
{
    begin_cell(command, "probe", matrix, cell);
    probe_add(command, "--samples=%" PRIu64, matrix->samples);
    probe_add(command, "--min-time=%" PRIu64 "ns", matrix->min_time_ns);
    probe_add(command, "--patience=%" PRIu64 "ns", matrix->patience_ns);
}

/* Does the parameter take lists?  Then the comma is theirs, even where each has but one value. */
static bool takes_lists(const struct plan *plan, const char *name)
{
    const struct tw_param *param = NULL;
    for (size_t i = 0; i < plan->cell_count && !param; i++)
        param = param_find(plan->cells[i].design->timed->params, name);
    return param && param->values_max > 1;
}

static void append_sweep(struct text *text, const struct plan *plan, const struct plan_sweep *sweep)
{
    const char *separator = takes_lists(plan, sweep->settings[0].name) ? "/" : ",";
    for (size_t i = 0; i < sweep->count; i++) {
        text_add(text, "%s", i > 0 ? separator : "");
        append_values(text, &sweep->settings[i]);
    }
}

/* What was given for all designs that have the parameter. */
static void add_sweep(struct probe_command *command, const struct plan *plan,
                      const struct plan_sweep *sweep)
{
    char values[PROBE_ARGUMENT - 64];
    struct text text = text_in(values, sizeof values);
    if (sweep->only)
        return;
    append_sweep(&text, plan, sweep);
    probe_add(command, "--%s=%s", sweep->settings[0].name, values);
}

/* " ... ,slots=64,512" for what was given for the plugin alone. */
static void add_plugin(struct probe_command *command, const struct matrix *matrix,
                       const struct tw_design *plugin, const char *path)
{
    char value[PROBE_ARGUMENT - 16];
    struct text text = text_in(value, sizeof value);
    text_add(&text, "%s", path);
    for (size_t i = 0; i < matrix->sweep_count; i++) {
        if (matrix->sweeps[i].only != plugin)
            continue;
        text_add(&text, ",%s=", matrix->sweeps[i].settings[0].name);
        append_sweep(&text, matrix->plan, &matrix->sweeps[i]);
    }
    probe_add(command, "--plugin=%s", value);
}

/* Names joined by commas, each once: a design has several cells when parameters are swept. */
static void add_designs(struct probe_command *command, const struct matrix *matrix,
                        const char *plugin)
{
    const struct plan *plan = matrix->plan;
    char names[PROBE_ARGUMENT - 16];
    struct text text = text_in(names, sizeof names);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct tw_design *design = plan->cells[i].design;
        if (i > 0 && design == plan->cells[i - 1].design)
            continue;
        const char *path = plugins_path(design);
        if (path)
            add_plugin(command, matrix, design, plugin ? plugin : path);
        else
            text_add_item(&text, ",", "%s", design->timed->name);
    }
    if (names[0])
        probe_add(command, "--impl=%s", names);
}

/* Workloads once each, all of them with the same numbers of tasks; but traces have none. */
static void add_groups(struct probe_command *command, const struct plan *plan)
{
    const char *first = NULL; /* that has tasks */
    char tasks[PROBE_ARGUMENT - 16];
    struct text text = text_in(tasks, sizeof tasks);
    for (size_t i = 0; i < plan->group_count; i++) {
        const struct plan_group *group = &plan->groups[i];
        if (i == 0 || group->workload != plan->groups[i - 1].workload)
            probe_add(command, "--workload=%s", group->workload);
        if (group->tasks > 0 && !first)
            first = group->workload;
        if (group->tasks > 0 && group->workload == first)
            text_add_item(&text, ",", "%" PRIu64, group->tasks);
    }
    if (tasks[0])
        probe_add(command, "--tasks=%s", tasks);
}

/* One sample, as short as can be: the rest of a run is wanted. */
static void add_short_run(struct probe_command *command, const char *counters, uint64_t budget_ns)
{
    probe_add(command, "--runs=1");
    probe_add(command, "--warmup=0");
    probe_add(command, "--min-time=1ns");
    probe_add(command, "--counters=%s", counters);
    probe_add(command, "--budget=%" PRIu64 "ns", budget_ns);
    probe_add(command, "--no-system-check");
    probe_add(command, "--progress=never");
    probe_add(command, "--json=-");
}

void command_of_run(struct probe_command *command, const struct matrix *matrix, const char *plugin,
                    uint64_t budget_ns)
{
    probe_begin(command, "run");
    add_designs(command, matrix, plugin);
    add_groups(command, matrix->plan);
    for (size_t i = 0; i < matrix->sweep_count; i++)
        add_sweep(command, matrix->plan, &matrix->sweeps[i]);
    add_streams(command, matrix);
    add_short_run(command, "step", budget_ns);
}

void command_of_cell(struct probe_command *command, const struct matrix *matrix, size_t cell,
                     uint64_t budget_ns)
{
    begin_cell(command, "run", matrix, cell);
    add_short_run(command, "off", budget_ns);
}
