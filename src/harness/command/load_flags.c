/* load_flags.c - takes --workload, --tasks, --preset and --set. */
#include "harness/command/load_flags.h"

#include "harness/base/text.h"
#include "harness/base/units.h"

struct adding {
    struct call *call;
    struct loads *loads;
};

static int add_workload(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    const struct adding *adding = ctx;
    struct loads *loads = adding->loads;
    if (loads->workload_count == LOADS_MAX)
        return diag_usage(diag, "%s: more than %d workloads", flag, LOADS_MAX);
    for (size_t i = 0; i < loads->workload_count; i++)
        if (strcmp(loads->workloads[i], name) == 0)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    /* A list item is a scratch copy; the names have to last. */
    loads->workloads[loads->workload_count++] = lists_keep(&adding->call->memory, name);
    return DIAG_OK;
}

static int take_workload(struct call *call, void *of, const char *flag, const char *value,
                         struct diag *diag)
{
    struct adding adding = {call, of};
    adding.loads->given = true;
    return lists_split(value, ',', flag, LOADS_MAX, add_workload, &adding, diag);
}

static int take_tasks(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct loads *loads = of;
    (void)call;
    loads->given = true;
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = TW_CAPACITY_MAX, .factor = 10},
                         loads->tasks, LOADS_MAX, &loads->task_count, diag);
}

int load_flag_set(struct call *call, void *of, const char *flag, const char *value,
                  struct diag *diag)
{
    struct loads *loads = of;
    const char *equals = strchr(value, '=');
    loads->given = true;
    if (!equals || equals == value)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUE", flag, value);
    if (loads->set_count == LOADS_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, LOADS_MAX);
    char *name = lists_keep(&call->memory, value);
    name[equals - value] = '\0';
    loads->sets[loads->set_count++] =
        (struct workload_setting){.name = name, .value = name + (equals - value) + 1};
    return DIAG_OK;
}

static int take_preset(struct call *call, void *of, const char *flag, const char *value,
                       struct diag *diag)
{
    struct loads *loads = of;
    char names[200], hint[NEAREST_HINT];
    struct text list = text_in(names, sizeof names);
    (void)call;
    loads->given = true;
    loads->preset = preset_find(value);
    for (size_t i = 0; i < preset_count; i++)
        text_add_item(&list, ", ", "%s", presets[i].name);
    if (!loads->preset)
        return diag_usage(diag, "%s: '%s' given; expected one of %s%s", flag, value, names,
                          nearest_listed(value, names, hint, sizeof hint));
    return DIAG_OK;
}

const struct flag load_flags[LOAD_FLAG_COUNT] = {
    FLAG_EACH(
        "workload", "A,B",
        "workloads: names from list, .json files, traces (default: standard); may be repeated",
        take_workload),
    FLAG_BY("tasks", "N,M|A..B",
            "numbers of timers: 1e3,1e6 or 1e3..1e6 (steps of 10; A..B*2 of 2)", take_tasks),
    FLAG_BY("preset", "NAME", "designs, workloads and tasks unless given (compare: ci)",
            take_preset),
    FLAG_NAMED("set", "NAME=VALUE", "override a parameter of the workloads; may be repeated",
               load_flag_set),
};

void loads_finish(struct loads *loads, struct designs *designs, bool only_designs)
{
    const struct preset *preset = loads->preset;
    if (!preset)
        return;
    if (!designs->given) {
        designs->count = 0;
        for (size_t i = 0; preset->designs[i]; i++)
            designs->chosen[designs->count++] = registry_find(preset->designs[i]);
    }
    if (only_designs)
        return;
    if (loads->workload_count == 0)
        for (; preset->workloads[loads->workload_count]; loads->workload_count++)
            loads->workloads[loads->workload_count] = preset->workloads[loads->workload_count];
    if (loads->task_count == 0)
        for (; preset->tasks[loads->task_count]; loads->task_count++)
            loads->tasks[loads->task_count] = preset->tasks[loads->task_count];
}

struct plan_selection loads_selection(const struct loads *loads, const struct designs *designs,
                                      const char *workload_directory)
{
    return (struct plan_selection){
        .designs = designs->chosen,
        .design_count = designs->count,
        .workloads = loads->workloads,
        .workload_count = loads->workload_count,
        .workload_directory = workload_directory,
        .tasks = loads->tasks,
        .task_count = loads->task_count,
        .sweeps = designs->sweeps,
        .sweep_count = designs->sweep_count,
    };
}
