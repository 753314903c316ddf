/*
 * options.c - one table of flags; a flag is a row with the function that takes its value.
 *
 * The parameters of the designs (--slots, --levels) are flags too; their rows come from the
 * registry, so that a new design's parameters exist on the command line the moment it is
 * registered.
 */
#include "harness/cli/options.h"

#include "harness/base/units.h"
#include "harness/cli/contestants.h"
#include "harness/cli/lists.h"
#include "harness/cli/plugin_flag.h"
#include "harness/compare/blocks.h"
#include "harness/run/outcome.h"
#include "harness/run/sample.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int take_fn(struct options *options, const char *flag, const char *value,
                    struct diag *diag);

struct flag {
    const char *name;
    const char *value; /* what it takes, for the help; NULL: nothing */
    const char *help;
    unsigned groups; /* that have it */
    take_fn *take;
};

/* ---- Words and numbers. ---------------------------------------------------------------------- */

static int take_word(const char *flag, const char *value, const char *const *words, int *out,
                     struct diag *diag)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0) {
            *out = i;
            return DIAG_OK;
        }
    char expected[200] = "";
    for (int i = 0; words[i]; i++) {
        strncat(expected, i > 0 ? ", " : "", sizeof expected - strlen(expected) - 1);
        strncat(expected, words[i], sizeof expected - strlen(expected) - 1);
    }
    return diag_usage(diag, "%s: '%s' given; expected one of %s", flag, value, expected);
}

static int take_count(const char *flag, const char *value, uint64_t min, uint64_t max,
                      uint64_t *out, struct diag *diag)
{
    int status = units_parse_count(value, flag, out, diag);
    if (status == DIAG_OK && (*out < min || *out > max))
        return diag_usage(diag, "%s: %s given; expected %llu .. %llu", flag, value,
                          (unsigned long long)min, (unsigned long long)max);
    return status;
}

static int take_time(const char *flag, const char *value, uint64_t min_ns, uint64_t *out_ns,
                     struct diag *diag)
{
    int status = units_parse_time(value, flag, out_ns, diag);
    if (status == DIAG_OK && *out_ns < min_ns)
        return diag_usage(diag, "%s: %s given; expected at least %llu ns", flag, value,
                          (unsigned long long)min_ns);
    return status;
}

/* ---- What to run. ---------------------------------------------------------------------------- */

static bool keeps_nothing(const struct tw_design *design)
{
    return (design->timed->traits.flags & TW_KEEPS_NOTHING) != 0;
}

static void select_all(struct options *options)
{
    options->design_count = 0;
    for (size_t i = 0; i < registry_count; i++)
        if (!keeps_nothing(&registry[i]))
            options->designs[options->design_count++] = &registry[i];
}

static int select_design(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    struct diag reason;
    const struct tw_design *design = designs_find(name, &reason);
    if (!design)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    for (size_t i = 0; i < options->design_count; i++)
        if (options->designs[i] == design)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    options->designs[options->design_count++] = design;
    return DIAG_OK;
}

static int take_impl(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->design_count = 0;
    options->designs_given = true;
    if (strcmp(value, "all") == 0) {
        select_all(options);
        return DIAG_OK;
    }
    return lists_split(value, ',', flag, OPTIONS_LIST_MAX, select_design, options, diag);
}

static int add_workload(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    if (options->workload_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: more than %d workloads", flag, OPTIONS_LIST_MAX);
    /* A list item is a scratch copy; the names have to last. */
    options->workloads[options->workload_count] = lists_keep(&options->memory, name);
    if (!options->workloads[options->workload_count++])
        return diag_run(diag, "no memory for the command line");
    return DIAG_OK;
}

static int take_workload(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    return lists_split(value, ',', flag, OPTIONS_LIST_MAX, add_workload, options, diag);
}

static int take_tasks(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = TW_CAPACITY_MAX, .factor = 10},
                         options->tasks, OPTIONS_LIST_MAX, &options->task_count, diag);
}

static int take_set(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUE", flag, value);
    if (options->set_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, OPTIONS_LIST_MAX);
    char *name = lists_keep(&options->memory, value);
    if (!name)
        return diag_run(diag, "no memory for the command line");
    name[equals - value] = '\0';
    options->sets[options->set_count++] =
        (struct workload_setting){.name = name, .value = name + (equals - value) + 1};
    return DIAG_OK;
}

static int take_preset(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    char names[200] = "";
    options->preset = preset_find(value);
    for (size_t i = 0; i < preset_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 presets[i].name);
    if (!options->preset)
        return diag_usage(diag, "%s: '%s' given; expected one of %s", flag, value, names);
    return DIAG_OK;
}

static int take_tick(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_time(flag, value, 1, &options->tick_ns, diag);
}

static int take_seed(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    /* A seed travels through JSON numbers, which are exact up to 2^53. */
    return take_count(flag, value, 0, UINT64_C(1) << 53, &options->seed, diag);
}

static int take_max_pending(struct options *options, const char *flag, const char *value,
                            struct diag *diag)
{
    return take_count(flag, value, 1, TW_CAPACITY_MAX, &options->max_pending, diag);
}

/* ---- How. ------------------------------------------------------------------------------------ */

static int take_runs(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_count(flag, value, 1, OUTCOME_SAMPLES_MAX, &options->runs, diag);
}

static int add_drive(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    static const char *const words[] = {"ticks", "next", NULL};
    struct options *options = ctx;
    int word = 0;
    int status = take_word(flag, name, words, &word, diag);
    if (status != DIAG_OK)
        return status;
    for (size_t i = 0; i < options->drive_count; i++)
        if (options->drives[i] == (enum plan_drive)word)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    options->drives[options->drive_count++] = (enum plan_drive)word;
    return DIAG_OK;
}

static int take_drive(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    options->drive_count = 0;
    return lists_split(value, ',', flag, PLAN_DRIVES, add_drive, options, diag);
}

static int add_pages(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    static const char *const words[] = {"off", "on", NULL};
    struct options *options = ctx;
    int word = 0;
    int status = take_word(flag, name, words, &word, diag);
    enum plan_pages pages = word ? PLAN_PAGES_HUGE : PLAN_PAGES_SMALL;
    if (status != DIAG_OK)
        return status;
    for (size_t i = 0; i < options->page_count; i++)
        if (options->pages[i] == pages)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    options->pages[options->page_count++] = pages;
    return DIAG_OK;
}

static int take_huge_pages(struct options *options, const char *flag, const char *value,
                           struct diag *diag)
{
    options->page_count = 0;
    return lists_split(value, ',', flag, 2, add_pages, options, diag);
}

static int take_counts_only(struct options *options, const char *flag, const char *value,
                            struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->counts_only = true;
    return DIAG_OK;
}

static int take_warmup(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    return take_count(flag, value, 0, 1000, &options->warmup, diag);
}

static int take_min_time(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    return take_time(flag, value, 0, &options->min_time_ns, diag);
}

static int take_budget(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    return take_time(flag, value, 1000000, &options->budget_ns, diag);
}

static int take_memory_limit(struct options *options, const char *flag, const char *value,
                             struct diag *diag)
{
    return take_count(flag, value, 1 << 20, UINT64_C(1) << 50, &options->memory_limit_bytes, diag);
}

static int take_jobs(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_count(flag, value, 1, CPU_SETSIZE, &options->jobs, diag);
}

static int take_pin(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    if (strcmp(value, "none") == 0) {
        options->pin_none = true;
        return DIAG_OK;
    }
    uint64_t cpu;
    int status = take_count(flag, value, 0, CPU_SETSIZE - 1, &cpu, diag);
    if (status != DIAG_OK)
        return diag_usage(diag, "%s: '%s' given; expected the number of a core, or none", flag,
                          value);
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && !CPU_ISSET(cpu, &allowed))
        return diag_usage(diag, "%s: core %s is not one this process may run on", flag, value);
    options->pin_none = false;
    options->pin_cpu = (int)cpu;
    return DIAG_OK;
}

static int take_counters(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    static const char *const words[] = {"auto", "off", "required", "step", NULL};
    int word = 0;
    int status = take_word(flag, value, words, &word, diag);
    options->counters = (enum options_counters)word;
    return status;
}

static int take_no_system_check(struct options *options, const char *flag, const char *value,
                                struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->no_system_check = true;
    return DIAG_OK;
}

static int take_operations(struct options *options, const char *flag, const char *value,
                           struct diag *diag)
{
    return take_count(flag, value, 0, UINT64_C(1) << 50, &options->operations, diag);
}

/* ---- Paired samples. -------------------------------------------------------------------------- */

static int take_pairs(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    int status = take_count(flag, value, 0, PAIRS_MAX, &options->pairs, diag);
    if (status == DIAG_OK && options->pairs > 0 && options->pairs < PAIRS_MIN)
        return diag_usage(diag, "%s: %s given; expected %d .. %d, or 0 for no times at all", flag,
                          value, PAIRS_MIN, PAIRS_MAX);
    return status;
}

static int take_max_pairs(struct options *options, const char *flag, const char *value,
                          struct diag *diag)
{
    return take_count(flag, value, PAIRS_MIN, PAIRS_MAX, &options->max_pairs, diag);
}

static int take_samples(struct options *options, const char *flag, const char *value,
                        struct diag *diag)
{
    return take_count(flag, value, 1, SAMPLE_MAX, &options->samples, diag);
}

static int take_passes(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    return take_count(flag, value, 0, UINT64_C(1) << 40, &options->passes, diag);
}

static int take_pace(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    uint64_t pace_ns;
    int status = take_time(flag, value, 0, &pace_ns, diag);
    if (status == DIAG_OK)
        options->pace_ns = (double)pace_ns;
    return status;
}

static int take_patience(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    return take_time(flag, value, 0, &options->patience_ns, diag);
}

static int take_drag(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->dragged = true;
    return take_count(flag, value, 0, UINT64_C(1) << 32, &options->drag_links, diag);
}

static int take_fail_on(struct options *options, const char *flag, const char *value,
                        struct diag *diag)
{
    static const char *const words[] = {"work", "regressed", "inconclusive", NULL};
    int word = 0;
    int status = take_word(flag, value, words, &word, diag);
    options->fail_on = (enum fail_on)word;
    return status;
}

static int take_limit(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return limits_parse(value, flag, &options->limits, diag);
}

static int take_baseline(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    if (*value == '\0' || *value == '.' || strchr(value, '/'))
        return diag_usage(diag, "%s: '%s' given; expected a plain name, kept as results/NAME.json",
                          flag, value);
    options->baseline = value;
    return DIAG_OK;
}

/* ---- What to leave. -------------------------------------------------------------------------- */

static int take_file(const char **out, const char *flag, const char *value, struct diag *diag)
{
    if (*value == '\0')
        return diag_usage(diag, "%s: empty; expected a file name, or - for stdout", flag);
    *out = value;
    return DIAG_OK;
}

static int take_json(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_file(&options->json, flag, value, diag);
}

static int take_export(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    return take_file(&options->exports[export_find(flag + 2)], flag, value, diag);
}

static int take_plots(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return take_file(&options->plots, flag, value, diag);
}

static int take_fit(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    return take_file(&options->fit, flag, value, diag);
}

static int take_of(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    return take_file(&options->of, flag, value, diag);
}

static int take_limits_file(struct options *options, const char *flag, const char *value,
                            struct diag *diag)
{
    return take_file(&options->limits_file, flag, value, diag);
}

static int take_plot_format(struct options *options, const char *flag, const char *value,
                            struct diag *diag)
{
    return plot_parse_format(value, flag, &options->plot_format, diag);
}

static int take_assert(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    if (options->claim_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, OPTIONS_LIST_MAX);
    return sweep_parse_claim(value, flag, &options->claims[options->claim_count++], diag);
}

static int take_svg(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    return take_file(&options->svg, flag, value, diag);
}

static int take_html(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_file(&options->html, flag, value, diag);
}

static int take_capacity(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    return take_count(flag, value, 1, TW_CAPACITY_MAX, &options->capacity, diag);
}

static int take_list(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->list_only = true;
    return DIAG_OK;
}

static int take_every(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->every_step = true;
    return DIAG_OK;
}

static int take_force(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->force = true;
    return DIAG_OK;
}

static int take_resume(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->resume = true;
    return DIAG_OK;
}

static int take_progress(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    static const char *const words[] = {"auto", "bar", "lines", "never", NULL};
    int word = 0;
    int status = take_word(flag, value, words, &word, diag);
    options->progress = (enum options_progress)word;
    return status;
}

static int take_style(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    static const char *const words[] = {"auto", "color", "plain", NULL};
    int word = 0;
    int status = take_word(flag, value, words, &word, diag);
    options->color = (enum style_color)word;
    return status;
}

static int take_workloads_dir(struct options *options, const char *flag, const char *value,
                              struct diag *diag)
{
    if (access(value, R_OK | X_OK) != 0)
        return diag_usage(diag, "%s: %s: %s", flag, value, strerror(errno));
    options->workload_directory = value;
    return DIAG_OK;
}

static int take_claims_dir(struct options *options, const char *flag, const char *value,
                           struct diag *diag)
{
    if (access(value, R_OK | X_OK) != 0)
        return diag_usage(diag, "%s: %s: %s", flag, value, strerror(errno));
    options->claims_directory = value;
    return DIAG_OK;
}

static int take_operations_file(struct options *options, const char *flag, const char *value,
                                struct diag *diag)
{
    (void)flag, (void)diag;
    options->operations_file = value;
    return DIAG_OK;
}

static int take_quick(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->quick = true;
    return DIAG_OK;
}

static int take_for(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    return wishes_parse_goal(value, flag, &options->wishes.goal, diag);
}

static int take_exact(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    (void)flag, (void)value, (void)diag;
    options->exact = true;
    return DIAG_OK;
}

static int take_late(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return wishes_parse_late(value, flag, &options->wishes, diag);
}

static int take_memory(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    uint64_t bytes = 0;
    int status = take_count(flag, value, 1, UINT64_C(1) << 40, &bytes, diag);
    options->wishes.memory_bytes = (double)bytes;
    return status;
}

static int take_tail(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    return take_time(flag, value, 1, &options->wishes.tail_ns, diag);
}

/* ---- The table. ------------------------------------------------------------------------------ */

#define FLAGS_DESIGNS (FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_SHOW)

static const struct flag flags[] = {
    {"impl", "A,B|all", "designs to run (default: all of the list but null)",
     FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_ADVISE, take_impl},
    {"impl", "NAME", "the design to show (default: hashed)", FLAGS_SHOW, take_impl},
    {"plugin", "FILE[,NAME=VALUES]", "a design from a shared object, with parameters of its own",
     FLAGS_DESIGNS | FLAGS_ADVISE, plugin_flag_take},
    {"workload", "A,B", "workloads: names of the list, .json files, traces (default: standard)",
     FLAGS_MATRIX, take_workload},
    {"tasks", "N,M|A..B", "numbers of timers: 1e3,1e6 or 1e3..1e6 (steps of 10; A..B*2 of 2)",
     FLAGS_MATRIX, take_tasks},
    {"tasks", "N|A..B", "number of timers; of several the last, the others being looked at too",
     FLAGS_ADVISE, take_tasks},
    {"tasks", "N,M|A..B", "numbers of nodes: 1e3..1e8 (steps of 10; default 1e3..1e7)",
     FLAGS_LIMITS, take_tasks},
    {"of", "RESULT.json", "show this result's designs as multiples of the limit", FLAGS_LIMITS,
     take_of},
    {"limits", "FILE|-", "take the limits from this document; nothing is measured", FLAGS_LIMITS,
     take_limits_file},
    {"huge-pages", "off,on", "nodes on pages of 4 KiB, of 2 MiB, or both (default off)",
     FLAGS_LIMITS, take_huge_pages},
    {"export-markdown", "FILE|-", "the same as Markdown tables", FLAGS_LIMITS, take_export},
    {"export-csv", "FILE|-", "a row for each point, as comma-separated values", FLAGS_LIMITS,
     take_export},
    {"html", "FILE|-", "the same as one page", FLAGS_LIMITS, take_html},
    {"for", "GOAL", "what matters most: cost, memory, tail or wakeups (default cost)", FLAGS_ADVISE,
     take_for},
    {"exact", NULL, "only designs that are never late, at the load's own tick (default)",
     FLAGS_ADVISE, take_exact},
    {"late", "TIME|SHARE", "lateness that may be: 10ms, also of coarser ticks; or 12.5% of a delay",
     FLAGS_ADVISE, take_late},
    {"memory", "BYTES", "most memory per task, all of it", FLAGS_ADVISE, take_memory},
    {"tail", "TIME", "no single advance may take longer", FLAGS_ADVISE, take_tail},
    {"preset", "NAME", "designs, workloads and tasks that are not given (compare: ci)",
     FLAGS_MATRIX, take_preset},
    {"set", "NAME=VALUE", "override a parameter of the workloads; may be repeated",
     FLAGS_MATRIX | FLAGS_ADVISE, take_set},
    {"tick", "TIME", "length of a tick: 1ms (default: the workload's; a trace rounds up)",
     FLAGS_MATRIX | FLAGS_ADVISE, take_tick},
    {"tick", "TIME", "length of a tick (default: the script's unit, or else 1s)", FLAGS_SHOW,
     take_tick},
    {"capacity", "N", "timers there may be (default: as many as the script names)", FLAGS_SHOW,
     take_capacity},
    {"every", NULL, "draw every step, also those on which nothing happens", FLAGS_SHOW, take_every},
    {"list", NULL, "name the worked examples", FLAGS_SHOW, take_list},
    {"svg", "FILE|-", "the steps as one picture", FLAGS_SHOW, take_svg},
    {"html", "FILE|-", "the steps as a page to go through one by one", FLAGS_SHOW, take_html},
    {"json", "FILE|-", "the steps as data", FLAGS_SHOW, take_json},
    {"seed", "N", "seed of the operation streams (default 1)",
     FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_LIMITS, take_seed},
    {"max-pending", "N", "cap on pending timers; starts beyond it are refused and counted",
     FLAGS_MATRIX, take_max_pending},
    {"drive", "ticks,next", "who moves the clock: the stream's ticks (default), or the next expiry",
     FLAGS_RUN, take_drive},
    {"huge-pages", "off,on", "memory of the designs without or in pages of 2 MiB (default: any)",
     FLAGS_RUN, take_huge_pages},
    {"runs", "N", "timed samples per cell (default 7)", FLAGS_RUN | FLAGS_CLAIMS | FLAGS_LIMITS,
     take_runs},
    {"counts-only", NULL, "prove, count and look at the memory, but take no times", FLAGS_RUN,
     take_counts_only},
    {"warmup", "N", "untimed passes before each sample (default 1)", FLAGS_RUN | FLAGS_CLAIMS,
     take_warmup},
    {"min-time", "TIME", "work per sample, counted at 10 ns per operation (default 10ms)",
     FLAGS_RUN, take_min_time},
    {"min-time", "TIME", "work per sample, counted at 10 ns per operation (default 2ms)",
     FLAGS_CLAIMS, take_min_time},
    {"min-time", "TIME", "time one sample takes at least (default 250us)",
     FLAGS_PAIRS | FLAGS_PROBE, take_min_time},
    {"samples", "N", "samples of a process, the fastest of which counts (default 5)",
     FLAGS_PAIRS | FLAGS_PROBE, take_samples},
    {"passes", "N", "passes of a sample (default: as many as --min-time takes here)", FLAGS_PROBE,
     take_passes},
    {"patience", "TIME", "longest wait of a process for the core's full pace (default 100ms)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_PROBE | FLAGS_ADVISE | FLAGS_LIMITS,
     take_patience},
    {"pace", "TIME", "the core's full pace, as another probe told it (default: not waited for)",
     FLAGS_PROBE, take_pace},
    {"drag", "LINKS", "slow the design down by chains of LINKS multiplications, for selftest",
     FLAGS_PROBE, take_drag},
    {"pairs", "N", "pairs of processes per cell (default 30); 0: no times, counts only",
     FLAGS_PAIRS, take_pairs},
    {"max-pairs", "N", "pairs of a cell that is inconclusive, added once (default 150)",
     FLAGS_PAIRS, take_max_pairs},
    {"fail-on", "WHAT",
     "work, regressed or inconclusive: what ends in status 3 or 4 (default regressed)",
     FLAGS_COMPARE, take_fail_on},
    {"limit", "METRIC=SHARE", "how far a metric may move: instructions=1%, time=5%, memory=off",
     FLAGS_COMPARE, take_limit},
    {"baseline", "NAME", "compare with results/NAME.json; kept there when it is not there yet",
     FLAGS_COMPARE, take_baseline},
    {"budget", "TIME", "wall time one child may take (default 10s)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_COMPARE | FLAGS_LIMITS, take_budget},
    {"budget", "TIME", "time for all of it (default 10m)", FLAGS_SELFTEST, take_budget},
    {"budget", "TIME", "time for all of it (default 60s)", FLAGS_ADVISE, take_budget},
    {"memory-limit", "BYTES", "memory one child may take (default 4Gi)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_LIMITS, take_memory_limit},
    {"pin", "CORE|none", "core for timed runs (default: the last one allowed)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_LIMITS, take_pin},
    {"jobs", "N", "children at a time, each on a core of its own (default 1)",
     FLAGS_RUN | FLAGS_CLAIMS, take_jobs},
    {"counters", "WHEN", "auto, off, required, step: instructions, cache misses (default auto)",
     FLAGS_RUN, take_counters},
    {"no-system-check", NULL, "do not look for what could disturb the times",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_LIMITS, take_no_system_check},
    {"operations", "N", "random operations per design (default 1e6)", FLAGS_CONFORM,
     take_operations},
    {"operations-file", "FILE|-", "only this operation list, as conform prints them", FLAGS_CONFORM,
     take_operations_file},
    {"json", "FILE|-", "write the result document", FLAGS_JSON, take_json},
    {"force", NULL, "overwrite FILE of --json", FLAGS_JSON, take_force},
    {"json", "FILE|-", "what is in the trace, as data", FLAGS_TRACE, take_json},
    {"fit", "FILE|-",
     "write a workload file of the same mix, which scales to other numbers of tasks", FLAGS_TRACE,
     take_fit},
    {"json", "FILE|-", "what was made of the log, as data", FLAGS_IMPORT, take_json},
    {"force", NULL, "overwrite files", FLAGS_SHOW | FLAGS_OLD | FLAGS_TRACE | FLAGS_IMPORT,
     take_force},
    {"resume", NULL, "go on with FILE of --json, or begin it: run only the cells it lacks",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_ADVISE, take_resume},
    {"plots", "DIR", "draw pictures into DIR",
     FLAGS_REPORT | FLAGS_CLAIMS | FLAGS_PLOT | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS,
     take_plots},
    {"plot-format", "FORMAT", "svg, png, pdf, or dumb for the terminal (default svg)",
     FLAGS_REPORT | FLAGS_CLAIMS | FLAGS_PLOT | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS,
     take_plot_format},
    {"html", "FILE|-", "one page with claims, pictures, tables, machine; of report the same as -o",
     FLAGS_REPORT | FLAGS_CLAIMS, take_html},
    {"assert", "CLAIM", "'heap.start<=O(log n)': status 3 when counts break it; may be repeated",
     FLAGS_REPORT, take_assert},
    {"progress", "WHEN", "auto, bar, lines, never (default: a bar on a terminal)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_IMPORT | FLAGS_LIMITS,
     take_progress},
    {"style", "STYLE", "auto, color, plain (NO_COLOR is honoured)", FLAGS_STYLE, take_style},
    {"workloads-dir", "DIR", "where workloads are looked up by name",
     FLAGS_MATRIX | FLAGS_DATA | FLAGS_CLAIMS | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS,
     take_workloads_dir},
    {"claims-dir", "DIR", "where the experiment files are", FLAGS_CLAIMS, take_claims_dir},
    {"quick", NULL, "counts only: leave out the runs that take times", FLAGS_CLAIMS, take_quick},
};

#define FLAG_COUNT (sizeof flags / sizeof flags[0])

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

/* The formats of the export table are flags as well, all of one kind. */
static const struct flag *flag_find(const char *name, unsigned groups)
{
    static const struct flag exported = {NULL, "FILE|-", NULL, 0, take_export};
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (strcmp(flags[i].name, name) == 0 && (flags[i].groups & groups))
            return &flags[i];
    return export_offered(export_find(name), groups & FLAGS_COMPARE) &&
                   (groups & (FLAGS_REPORT | FLAGS_COMPARE | FLAGS_CLAIMS | FLAGS_ADVISE))
               ? &exported
               : NULL;
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
        return flag->take(options, shown, NULL, diag);
    }
    const char *value = equals ? equals + 1 : following;
    if (!value)
        return diag_usage(diag, "%s: a value is missing; expected %s", shown,
                          flag ? flag->value : "N,M");
    *used = equals ? 1 : 2;
    options->matrix_given |= !flag || (flag->groups & FLAGS_MATRIX);
    return flag ? flag->take(options, shown, value, diag)
                : take_param(options, param, shown, value, diag);
}

/* A flag; or "-o FILE", as compilers take it: where a report or a trace goes. */
static int take_argument(struct options *options, const char *argument, const char *following,
                         int *used, struct diag *diag)
{
    const struct command *command = options->command;
    if (argument[1] == '-')
        return take_flag(options, argument, following, used, diag);
    if (strcmp(argument, "-o") != 0 || !(command->flags & (FLAGS_OLD | FLAGS_IMPORT)))
        return diag_usage(diag, "%s: flags begin with two dashes; see 'twbench %s --help'",
                          argument, command->name);
    if (!following)
        return diag_usage(diag, "-o: a value is missing; expected FILE|-");
    *used = 2;
    return take_file(command->flags & FLAGS_IMPORT ? &options->trace : &options->html, "-o",
                     following, diag);
}

/* Two documents in one file would leave one of them, or neither. */
static int check_files(const struct options *options, struct diag *diag)
{
    const char *flag_of[EXPORTS_MAX + 2] = {"json", "html"};
    const char *files[EXPORTS_MAX + 2] = {options->json, options->html};
    for (size_t i = 0; i < export_format_count; i++) {
        flag_of[i + 2] = export_formats[i].flag;
        files[i + 2] = options->exports[i];
    }
    for (size_t i = 1; i <= export_format_count + 1; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i] && files[j] && strcmp(files[i], files[j]) == 0)
                return diag_usage(diag, "--%s and --%s: only one of them can go to %s", flag_of[j],
                                  flag_of[i], strcmp(files[i], "-") == 0 ? "stdout" : files[i]);
    return DIAG_OK;
}

static int check_together(const struct options *options, struct diag *diag)
{
    if (options->resume && (!options->json || strcmp(options->json, "-") == 0))
        return diag_usage(diag, "--resume: --json=FILE must name the file to go on with");
    if (options->resume && options->force)
        return diag_usage(diag, "--resume and --force: only one of them can be meant");
    if (options->counts_only && options->counters >= COUNTERS_REQUIRED)
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
        options->min_time_ns = 250000;
    if (groups & FLAGS_PAIRS)
        options->preset = preset_find("ci");
    if (groups & FLAGS_SELFTEST)
        options->budget_ns = UINT64_C(600000000000);
    if (groups & FLAGS_ADVISE) {
        options->counters = COUNTERS_OFF;
        options->min_time_ns = 2000000;
        options->budget_ns = UINT64_C(60000000000);
    }
    if (groups & FLAGS_CLAIMS) {
        options->counters = COUNTERS_OFF;
        options->min_time_ns = 2000000;
        options->jobs = 0;
    }
}

int options_parse(int argc, char **argv, int first, const struct command *command,
                  struct options *options, struct diag *diag)
{
    *options = (struct options){
        .argc = argc,
        .argv = argv,
        .command = command,
        .seed = 1,
        .runs = 7,
        .warmup = 1,
        .min_time_ns = 10000000,
        .budget_ns = UINT64_C(10000000000),
        .memory_limit_bytes = UINT64_C(4) << 30,
        .pin_cpu = -1,
        .jobs = 1,
        .operations = 1000000,
        .pairs = 30,
        .max_pairs = 150,
        .samples = 5,
        .patience_ns = 100000000,
        .fail_on = FAIL_ON_REGRESSED,
        .limits = limits_default(),
    };
    adjust_defaults(options, command->flags);
    select_all(options);
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
    if (options->counts_only)
        options->runs = options->warmup = 0;
    return check_together(options, diag);
}

void options_free(struct options *options)
{
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

void options_help(FILE *out, const struct command *command)
{
    fprintf(out, "usage: twbench %s %s\n\n%s\n", command->name, command->usage, command->summary);
    fprintf(out, "\n");
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (flags[i].groups & command->flags)
            help_row(out, flags[i].name, flags[i].value, flags[i].help);
    if (command->flags & (FLAGS_REPORT | FLAGS_COMPARE | FLAGS_CLAIMS | FLAGS_ADVISE)) {
        fprintf(out, "\nThe result in other formats (a file, or - for stdout):\n");
        for (size_t i = 0; i < export_format_count; i++)
            if (export_offered(i, command->flags & FLAGS_COMPARE))
                help_row(out, export_formats[i].flag, "FILE|-", export_formats[i].help);
    }
    if (!(command->flags & FLAGS_DESIGNS))
        return;
    fprintf(out, "\nParameters of designs (several values make several cells):\n");
    for (size_t i = 0; i < designs_count(); i++)
        if (designs_at(i))
            help_params(out, designs_at(i));
}
