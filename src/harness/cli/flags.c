/* flags.c - the table of flags: what each takes, its limits, and where it goes. */
#include "harness/cli/flags.h"

#include "harness/ask/compare/blocks.h"
#include "harness/base/lists.h"
#include "harness/base/nearest.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/clock_flags.h"
#include "harness/cli/plugin_flag.h"
#include "harness/cli/store_flags.h"
#include "harness/measure/run/outcome.h"
#include "harness/measure/run/sample.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Words and numbers. ---------------------------------------------------------------------- */

static int take_word(const char *flag, const char *value, const char *const *words, int *out,
                     struct diag *diag)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0) {
            *out = i;
            return DIAG_OK;
        }
    char expected[200], hint[NEAREST_HINT];
    struct text list = text_in(expected, sizeof expected);
    for (int i = 0; words[i]; i++)
        text_add_item(&list, ", ", "%s", words[i]);
    return diag_usage(diag, "%s: '%s' given; expected one of %s%s", flag, value, expected,
                      nearest_listed(value, expected, hint, sizeof hint));
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

/* A name twice is once. */
static void add_design(struct options *options, const struct tw_design *design)
{
    for (size_t i = 0; i < options->design_count; i++)
        if (options->designs[i] == design)
            return;
    options->designs[options->design_count++] = design;
}

void flags_select_all(struct options *options)
{
    for (size_t i = 0; i < registry_count; i++)
        if (!keeps_nothing(&registry[i]))
            add_design(options, &registry[i]);
}

static int select_design(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    struct diag reason;
    const struct tw_design *contested = options->contested;
    bool is_contested = contested && strcmp(name, contested->timed->name) == 0;
    if (strcmp(name, "all") == 0) {
        flags_select_all(options);
        return DIAG_OK;
    }
    const struct tw_design *design = is_contested ? contested : designs_find(name, &reason);
    if (!design)
        return diag_usage(diag, "%s: %s", flag, reason.text);
    add_design(options, design);
    return DIAG_OK;
}

static int take_impl(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->design_count = 0;
    options->designs_given = true;
    return lists_split(value, ',', flag, OPTIONS_LIST_MAX, select_design, options, diag);
}

static int add_workload(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct options *options = ctx;
    if (options->workload_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: more than %d workloads", flag, OPTIONS_LIST_MAX);
    for (size_t i = 0; i < options->workload_count; i++)
        if (strcmp(options->workloads[i], name) == 0)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
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

static int take_batch(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return lists_numbers(value, flag,
                         &(struct lists_range){.min = 1, .max = PLAN_BATCH_MAX, .factor = 10},
                         options->batches, OPTIONS_LIST_MAX, &options->batch_count, diag);
}

static int take_set(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return diag_usage(diag, "%s: '%s' given; expected NAME=VALUE", flag, value);
    if (options->setup.set_count == OPTIONS_LIST_MAX)
        return diag_usage(diag, "%s: given more than %d times", flag, OPTIONS_LIST_MAX);
    char *name = lists_keep(&options->memory, value);
    if (!name)
        return diag_run(diag, "no memory for the command line");
    name[equals - value] = '\0';
    options->sets[options->setup.set_count++] =
        (struct workload_setting){.name = name, .value = name + (equals - value) + 1};
    return DIAG_OK;
}

static int take_preset(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    char names[200], hint[NEAREST_HINT];
    struct text list = text_in(names, sizeof names);
    options->preset = preset_find(value);
    for (size_t i = 0; i < preset_count; i++)
        text_add_item(&list, ", ", "%s", presets[i].name);
    if (!options->preset)
        return diag_usage(diag, "%s: '%s' given; expected one of %s%s", flag, value, names,
                          nearest_listed(value, names, hint, sizeof hint));
    return DIAG_OK;
}

/* ---- How. ------------------------------------------------------------------------------------ */

/* A list of words, each once: the places of those given, in their order. */
struct word_list {
    const char *const *words; /* ended by NULL */
    int places[4];
    size_t count;
};

static int add_word(void *ctx, const char *flag, const char *name, struct diag *diag)
{
    struct word_list *list = ctx;
    int word = 0;
    int status = take_word(flag, name, list->words, &word, diag);
    if (status != DIAG_OK)
        return status;
    for (size_t i = 0; i < list->count; i++)
        if (list->places[i] == word)
            return diag_usage(diag, "%s: '%s' is given twice", flag, name);
    list->places[list->count++] = word;
    return DIAG_OK;
}

static int take_runs(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->runs_given = true;
    return take_count(flag, value, 1, OUTCOME_SAMPLES_MAX, &options->setup.runs, diag);
}

static int take_sampling_time(struct options *options, const char *flag, const char *value,
                              struct diag *diag)
{
    options->time_given = true;
    return units_parse_time(value, flag, &options->setup.time_ns, diag);
}

static int take_drive(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    static const char *const words[] = {"ticks", "next", NULL};
    struct word_list list = {.words = words};
    int status = lists_split(value, ',', flag, PLAN_DRIVES, add_word, &list, diag);
    options->drive_count = list.count;
    for (size_t i = 0; i < list.count; i++)
        options->drives[i] = (enum plan_drive)list.places[i];
    return status;
}

static int take_huge_pages(struct options *options, const char *flag, const char *value,
                           struct diag *diag)
{
    static const char *const words[] = {"off", "on", NULL};
    struct word_list list = {.words = words};
    int status = lists_split(value, ',', flag, 2, add_word, &list, diag);
    options->page_count = list.count;
    for (size_t i = 0; i < list.count; i++)
        options->pages[i] = list.places[i] ? PLAN_PAGES_HUGE : PLAN_PAGES_SMALL;
    return status;
}

static int take_pin(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    if (strcmp(value, "none") == 0) {
        options->setup.pin_none = true;
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
    options->setup.pin_none = false;
    options->setup.pin_cpu = (int)cpu;
    return DIAG_OK;
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

static int take_pace(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    uint64_t pace_ns;
    int status = take_time(flag, value, 0, &pace_ns, diag);
    if (status == DIAG_OK)
        options->pace_ns = (double)pace_ns;
    return status;
}

static int take_drag(struct options *options, const char *flag, const char *value,
                     struct diag *diag)
{
    options->dragged = true;
    return take_count(flag, value, 0, UINT64_C(1) << 32, &options->drag_links, diag);
}

static int take_limit(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    return limits_parse(value, flag, &options->limits, diag);
}

/* "3/8" */
static int take_shard(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    struct setup *setup = &options->setup;
    char index[24];
    size_t length = strcspn(value, "/");
    if (length == 0 || length >= sizeof index || value[length] != '/')
        return diag_usage(diag, "%s: '%s' given; expected I/N, such as 3/8", flag, value);
    snprintf(index, sizeof index, "%.*s", (int)length, value);
    int status = take_count(flag, value + length + 1, 1, 100000, &setup->shard_of, diag);
    return status == DIAG_OK ? take_count(flag, index, 1, setup->shard_of, &setup->shard, diag)
                             : status;
}

static int take_least(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    if (!share_parse(value, &options->history.least) || !(options->history.least > 0))
        return diag_usage(diag, "%s: '%s' given; expected a percentage above 0, such as 2%%", flag,
                          value);
    return DIAG_OK;
}

static int take_baseline_name(const char **out, const char *flag, const char *value,
                              struct diag *diag)
{
    if (*value == '\0' || *value == '.' || strchr(value, '/'))
        return diag_usage(diag,
                          "%s=%s: expected a plain name: the file is NAME.json in --baseline-dir",
                          flag, value);
    *out = value;
    return DIAG_OK;
}

static int take_baseline(struct options *options, const char *flag, const char *value,
                         struct diag *diag)
{
    return take_baseline_name(&options->baseline, flag, value, diag);
}

static int take_save_baseline(struct options *options, const char *flag, const char *value,
                              struct diag *diag)
{
    return take_baseline_name(&options->save_baseline, flag, value, diag);
}

/* ---- What to leave. -------------------------------------------------------------------------- */

static int take_text(const char **out, const char *flag, const char *value, const char *expected,
                     struct diag *diag)
{
    if (*value == '\0')
        return diag_usage(diag, "%s: empty; expected %s", flag, expected);
    *out = value;
    return DIAG_OK;
}

static int take_export(struct options *options, const char *flag, const char *value,
                       struct diag *diag)
{
    return take_text(&options->exports[export_find(flag + 2)], flag, value, "FILE|-", diag);
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

static int take_for(struct options *options, const char *flag, const char *value, struct diag *diag)
{
    options->wishes.goal_given = true;
    return wishes_parse_goal(value, flag, &options->wishes.goal, diag);
}

static int take_clock(struct options *options, const char *flag, const char *value,
                      struct diag *diag)
{
    options->wishes.on_clock = strcmp(value, "real") == 0;
    if (options->wishes.on_clock || strcmp(value, "virtual") == 0)
        return DIAG_OK;
    return diag_usage(diag, "%s: '%s' given; expected virtual or real", flag, value);
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

/* ---- The table. ------------------------------------------------------------------------------ */

/* What a flag of words expects, in the order of the enum that it fills in. */
static const char *const counters_words[] = {"auto", "off", "required", "step", NULL};
static const char *const ci_fail_on_words[] = {"project", "work", "regressed", "inconclusive",
                                               NULL};
static const char *const fail_on_words[] = {"work", "regressed", "inconclusive", NULL};
static const char *const progress_words[] = {"auto", "bar", "lines", "never", NULL};
static const char *const style_words[] = {"auto", "color", "plain", NULL};

/* A seed travels through JSON numbers, which are exact up to 2^53. */
#define SEED_MAX (UINT64_C(1) << 53)

/* How a row takes its value.  A field of another type than the row says does not compile.
 * NOLINTBEGIN(bugprone-macro-parentheses): names of fields and types take no parentheses. */
#define FIELD(field, type)                                                                         \
    (offsetof(struct options, field) +                                                             \
     0 * sizeof(char[_Generic(((struct options *)0)->field, type : 1)]))
/* NOLINTEND(bugprone-macro-parentheses) */
#define SWITCH(field)                                                                              \
    {                                                                                              \
        TAKE_SWITCH, FIELD(field, bool), 0, 0, NULL, NULL                                          \
    }
#define COUNT(field, low, high)                                                                    \
    {                                                                                              \
        TAKE_COUNT, FIELD(field, uint64_t), low, high, NULL, NULL                                  \
    }
#define TIME(field, least_ns)                                                                      \
    {                                                                                              \
        TAKE_TIME, FIELD(field, uint64_t), least_ns, 0, NULL, NULL                                 \
    }
#define WORD(field, words)                                                                         \
    {                                                                                              \
        TAKE_WORD, offsetof(struct options, field), 0, 0, words, NULL                              \
    }
#define FILE_NAME(field)                                                                           \
    {                                                                                              \
        TAKE_FILE, FIELD(field, const char *), 0, 0, NULL, NULL                                    \
    }
#define TEXT(field) FILE_NAME(field)
#define DIRECTORY(field)                                                                           \
    {                                                                                              \
        TAKE_DIRECTORY, FIELD(field, const char *), 0, 0, NULL, NULL                               \
    }
#define BY(function)                                                                               \
    {                                                                                              \
        TAKE_BY, 0, 0, 0, NULL, function                                                           \
    }
#define EACH_BY(function)                                                                          \
    {                                                                                              \
        TAKE_EACH, 0, 0, 0, NULL, function                                                         \
    }
#define NAMED_BY(function)                                                                         \
    {                                                                                              \
        TAKE_NAMED, 0, 0, 0, NULL, function                                                        \
    }

const struct flag flags[] = {
    {"impl", "A,B|all", "designs to run (default: all of the list but null)",
     FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_ADVISE, BY(take_impl)},
    {"impl", "NAME", "the design to show (default: hashed)", FLAGS_SHOW, BY(take_impl)},
    {"plugin", "FILE[,NAME=VALUES]",
     "a design from a shared object, with parameters of its own; run, replay and conform take a "
     "runner too; may be repeated",
     FLAGS_DESIGNS | FLAGS_ADVISE, EACH_BY(plugin_flag_take)},
    {"plugin", "FILE",
     "describe the design or runner of a shared object, and nothing else; may be repeated",
     FLAGS_LIST, EACH_BY(plugin_flag_take)},
    {"workload", "A,B",
     "workloads: names of the list, .json files, traces (default: standard); may be repeated",
     FLAGS_MATRIX, EACH_BY(take_workload)},
    {"tasks", "N,M|A..B", "numbers of timers: 1e3,1e6 or 1e3..1e6 (steps of 10; A..B*2 of 2)",
     FLAGS_MATRIX, BY(take_tasks)},
    {"tasks", "N|A..B", "number of timers; of several the last, the others being looked at too",
     FLAGS_ADVISE, BY(take_tasks)},
    {"tasks", "N,M|A..B", "numbers of nodes: 1e3..1e8 (steps of 10; default 1e3..1e7)",
     FLAGS_LIMITS, BY(take_tasks)},
    {"tasks", "N,M|A..B", "numbers of messages: 1e3,1e6 or 1e3..1e6 (default 2e4)", FLAGS_STORES,
     BY(take_tasks)},
    {"stores", "A,B|all", "stores to run (default: all of the list but null and memory)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_stores)},
    {"sync", "P,Q", "when is a put acknowledged: always (default), group, interval:10ms, none",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_sync)},
    {"kills", "K", "end store or server by kill -9 at so many random moments (default 0; advise 5)",
     FLAGS_STORES | FLAGS_DURABLE, COUNT(storing.kills, 0, 1000000)},
    {"producers", "N,M", "threads that put and cancel (default 1)", FLAGS_STORES | FLAGS_DURABLE,
     BY(store_flags_producers)},
    {"batch", "N,M", "messages of one put (default 1)", FLAGS_STORES | FLAGS_DURABLE,
     BY(store_flags_batch)},
    {"payload", "BYTES|MIN..MAX", "size of the payloads, log-uniform in a range (default 100)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_payload)},
    {"rate", "N", "puts a second, paced; 0: as fast as they go (default)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_rate)},
    {"clock", "CLOCK", "virtual (default): ten days in moments; real: the wall clock", FLAGS_STORES,
     BY(store_flags_clock)},
    {"span", "TIME", "longest delay of a message (default 10d; on the real clock 4s)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_span)},
    {"cancels", "SHARE", "share of the messages that are cancelled: 0.02 (default)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_cancels)},
    {"hot", "SHARE", "share that is due at the next turn of 1/240 of the span (default 0.1)",
     FLAGS_STORES | FLAGS_DURABLE, BY(store_flags_hot)},
    {"no-tend", NULL, "let the stores do nothing ahead of time: no preloading",
     FLAGS_STORES | FLAGS_DURABLE, SWITCH(storing.no_tend)},
    {"no-drain", NULL,
     "end a run when the first messages after its recovery are handed out; the rest stays pending",
     FLAGS_STORES, SWITCH(storing.no_drain)},
    {"cold", NULL,
     "recover once more without page cache, as after a reboot: it forgets the files first",
     FLAGS_STORES, SWITCH(storing.is_cold)},
    {"store-set", "NAME=VALUE", "a setting of the stores that have it; may be repeated",
     FLAGS_STORES | FLAGS_CONFORM | FLAGS_DURABLE, NAMED_BY(store_flags_set)},
    {"directory", "DIR", "where the stores' files are while they run (default: here)",
     FLAGS_STORES | FLAGS_CONFORM | FLAGS_DURABLE, DIRECTORY(storing.directory)},
    {"store", "A,B|FILE", "prove stores of delayed messages instead of designs: crashes, power",
     FLAGS_CONFORM, BY(store_flags_names)},
    {"part", "PART", "with --store: of the proof only even, kills, power, errors or flips",
     FLAGS_CONFORM, BY(store_flags_part)},
    {"of", "RESULT.json", "show this result's designs as multiples of the limit", FLAGS_LIMITS,
     FILE_NAME(of)},
    {"limits", "FILE|-", "take the limits from this document; nothing is measured", FLAGS_LIMITS,
     FILE_NAME(limits_file)},
    {"huge-pages", "off,on", "nodes on pages of 4 KiB, of 2 MiB, or both (default off)",
     FLAGS_LIMITS, BY(take_huge_pages)},
    {"durable", NULL, "which store, for messages that a crash must not lose", FLAGS_DURABLE,
     SWITCH(durable)},
    {"pending", "N", "with --durable: messages that are pending at once (default 1e5)",
     FLAGS_DURABLE, COUNT(pending, 100, DURABLE_TASKS_MAX)},
    {"for", "GOAL",
     "what matters most: cost (default), memory, tail, wakeups, late (default of real)",
     FLAGS_ADVISE | FLAGS_DURABLE, BY(take_for)},
    {"exact", NULL, "only designs that are never late, at the load's own tick (default)",
     FLAGS_ADVISE, SWITCH(exact)},
    {"late", "TIME|SHARE", "lateness that may be: 10ms, also of coarser ticks; or 12.5% of a delay",
     FLAGS_ADVISE | FLAGS_DURABLE, BY(take_late)},
    {"memory", "BYTES", "most memory per task, all of it", FLAGS_ADVISE | FLAGS_DURABLE,
     BY(take_memory)},
    {"tail", "TIME", "no single advance may take longer; of stores, no put (99 %)",
     FLAGS_ADVISE | FLAGS_DURABLE, TIME(wishes.tail_ns, 1)},
    {"anchor", "DESIGN", "times are ratios to this design of the same run (default heap)",
     FLAGS_HISTORY, TEXT(history.anchor)},
    {"since", "COMMIT|DATE", "tell changes from this commit or date (2026-11-22) on only",
     FLAGS_HISTORY, TEXT(history.since)},
    {"commits", "FILE|-", "order runs by this list of commits, oldest first (default: by date)",
     FLAGS_HISTORY, FILE_NAME(history.commits)},
    {"least", "PERCENT", "smallest change of a time that is told (default 1%)", FLAGS_HISTORY,
     BY(take_least)},
    {"preset", "NAME", "designs, workloads and tasks that are not given (compare: ci)",
     FLAGS_MATRIX, BY(take_preset)},
    {"set", "NAME=VALUE", "override a parameter of the workloads; may be repeated",
     FLAGS_MATRIX | FLAGS_ADVISE, NAMED_BY(take_set)},
    {"tick", "TIME", "length of a tick: 1ms (default: the workload's; a trace rounds up)",
     FLAGS_MATRIX | FLAGS_ADVISE, TIME(setup.tick_ns, 1)},
    {"tick", "TIME", "length of a tick (default: the script's unit, or else 1s)", FLAGS_SHOW,
     TIME(setup.tick_ns, 1)},
    {"capacity", "N", "timers there may be (default: as many as the script names)", FLAGS_SHOW,
     COUNT(capacity, 1, TW_CAPACITY_MAX)},
    {"every", NULL, "draw every step, also those on which nothing happens", FLAGS_SHOW,
     SWITCH(every_step)},
    {"list", NULL, "name the worked examples", FLAGS_SHOW, SWITCH(list_only)},
    {"figures", NULL, "the catalogue of figures as a table, and nothing else", FLAGS_LIST,
     SWITCH(list_only)},
    {"flags", NULL, "every flag of every command, as lines of fields between tabs", FLAGS_LIST,
     SWITCH(list_flags)},
    {"svg", "FILE|-", "the steps as one picture", FLAGS_SHOW, FILE_NAME(svg)},
    {"html", "FILE|-", "the steps as a page to go through one by one", FLAGS_SHOW, FILE_NAME(html)},
    {"json", "FILE|-", "the steps as data", FLAGS_SHOW, FILE_NAME(setup.json)},
    {"seed", "N", "seed of the operation streams (default 1)",
     FLAGS_MATRIX | FLAGS_CONFORM | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_LIMITS | FLAGS_STORES |
         FLAGS_DURABLE,
     COUNT(setup.seed, 0, SEED_MAX)},
    {"max-pending", "N", "cap on pending timers; starts beyond it are refused and counted",
     FLAGS_MATRIX, COUNT(setup.max_pending, 1, TW_CAPACITY_MAX)},
    {"drive", "ticks,next", "who moves the clock: the stream's ticks (default), or the next expiry",
     FLAGS_RUN, BY(take_drive)},
    {"runner", "A,B|all", "on the real clock: who owns it and the threads (list has the names)",
     FLAGS_RUN, BY(clock_flags_runner)},
    {"original", "A,B", "on the real clock: netty, jdk-timer, jdk-pool, go (make originals)",
     FLAGS_RUN, BY(clock_flags_original)},
    {"clock", "virtual|real", "real: which runner and design, on the machine's clock", FLAGS_ADVISE,
     BY(take_clock)},
    {"runner", "A,B|all", "with --clock=real: runners to choose from (default all)", FLAGS_ADVISE,
     BY(clock_flags_runner)},
    {"threads", "N", "with --clock=real: threads that start and stop timers (default 1)",
     FLAGS_ADVISE, BY(clock_flags_threads)},
    {"speed", "X", "with --clock=real: pace of the load (default 1: its own)", FLAGS_ADVISE,
     BY(clock_flags_speed)},
    {"duration", "TIME", "with --clock=real: how much of the load a run plays (default: by budget)",
     FLAGS_ADVISE, TIME(setup.clock.duration_ns, 1000000)},
    {"runner", "A,B|all", "prove runners, over the designs of --impl, instead of designs",
     FLAGS_CONFORM, BY(clock_flags_runner)},
    {"runner", "R", "with the design, a runner: who owns the clock and the threads", FLAGS_TAKE,
     BY(clock_flags_runner)},
    {"threads", "N,M|A..B", "with --runner: threads that start and stop timers (default 1)",
     FLAGS_RUN, BY(clock_flags_threads)},
    {"threads", "N", "with --runner: most threads that start and stop timers (default 4)",
     FLAGS_CONFORM, BY(clock_flags_threads)},
    {"load", "LOAD", "with --runner: paced (default), closed, burst, storm or idle", FLAGS_RUN,
     WORD(setup.clock.load, clock_flags_loads)},
    {"speed", "X", "with --runner: pace of the workload or trace (default 1: its own)", FLAGS_RUN,
     BY(clock_flags_speed)},
    {"duration", "TIME", "with --runner: length of a load (default: closed and idle 2s, paced all)",
     FLAGS_RUN, TIME(setup.clock.duration_ns, 1000000)},
    {"work", "TIME", "with --runner: how long each task sleeps: 2ms, or exponential(2ms)",
     FLAGS_RUN, BY(clock_flags_work)},
    {"slow-task", "TIME", "with --runner: how long the first task sleeps", FLAGS_RUN,
     TIME(setup.clock.slow_ns, 1)},
    {"failing-every", "N", "with --runner: each N-th task fails", FLAGS_RUN,
     COUNT(setup.clock.failing_every, 1, UINT64_C(1) << 50)},
    {"huge-pages", "off,on", "memory of the designs without or in pages of 2 MiB (default: any)",
     FLAGS_RUN, BY(take_huge_pages)},
    {"batch", "K,...",
     "operations of a call in timed passes: consecutive starts or stops of a tick, and restarts of "
     "what fires "
     "on it (default: single calls)",
     FLAGS_RUN, BY(take_batch)},
    {"plan", NULL, "show the cells and about how long they take, and run nothing", FLAGS_RUN,
     SWITCH(plan_only)},
    {"shard", "I/N", "run the I-th of N parts of the plan; 'twbench merge' puts them together",
     FLAGS_RUN, BY(take_shard)},
    {"partial", NULL, "merge what is there, and name what is missing", FLAGS_MERGE,
     SWITCH(partial)},
    {"time", "DURATION",
     "time for the samples of a design on a load; three are taken at least (default 4s; with "
     "--runs as long as "
     "they take)",
     FLAGS_RUN, BY(take_sampling_time)},
    {"runs", "N", "timed samples per cell (default 7; with --runner 1)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_LIMITS, BY(take_runs)},
    {"runs", "N", "runs of each cell, interleaved over the stores (default 3; with --kills 1)",
     FLAGS_STORES, BY(take_runs)},
    {"counts-only", NULL, "prove, count and look at the memory, but take no times", FLAGS_RUN,
     SWITCH(setup.counts_only)},
    {"warmup", "N", "untimed passes before each sample (default 1)", FLAGS_RUN | FLAGS_CLAIMS,
     COUNT(setup.warmup, 0, 1000)},
    {"min-time", "TIME", "work per sample, counted at 10 ns per operation (default 10ms)",
     FLAGS_RUN, TIME(setup.min_time_ns, 0)},
    {"min-time", "TIME", "work per sample, counted at 10 ns per operation (default 2ms)",
     FLAGS_CLAIMS, TIME(setup.min_time_ns, 0)},
    {"min-time", "TIME", "time one sample takes at least (default 250us)",
     FLAGS_PAIRS | FLAGS_PROBE, TIME(setup.min_time_ns, 0)},
    {"samples", "N", "samples of a process, the fastest of which counts (default 5)",
     FLAGS_PAIRS | FLAGS_PROBE, COUNT(samples, 1, SAMPLE_MAX)},
    {"passes", "N", "passes of a sample (default: as many as --min-time takes here)", FLAGS_PROBE,
     COUNT(passes, 0, UINT64_C(1) << 40)},
    {"patience", "TIME", "longest wait of a process for the core's full pace (default 100ms)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_PROBE | FLAGS_ADVISE | FLAGS_LIMITS,
     TIME(setup.patience_ns, 0)},
    {"pace", "TIME", "the core's full pace, as another probe told it (default: not waited for)",
     FLAGS_PROBE, BY(take_pace)},
    {"drag", "LINKS", "slow the design down by chains of LINKS multiplications, for selftest",
     FLAGS_PROBE, BY(take_drag)},
    {"pairs", "N", "pairs of processes per cell (default 30); 0: no times, counts only",
     FLAGS_PAIRS, BY(take_pairs)},
    {"max-pairs", "N", "pairs of a cell that is inconclusive, added once (default 150)",
     FLAGS_PAIRS, COUNT(max_pairs, PAIRS_MIN, PAIRS_MAX)},
    {"fail-on", "WHAT",
     "work, regressed or inconclusive: what ends in status 3 or 4 (default regressed)",
     FLAGS_COMPARE, WORD(fail_on, fail_on_words)},
    {"limit", "METRIC=SHARE",
     "how far a metric may move: instructions=1%, time=5%, memory=off; may be repeated",
     FLAGS_COMPARE, NAMED_BY(take_limit)},
    {"fail-on", "WHAT",
     "project, work, regressed or inconclusive: what ends in status 3 or 4 (default project: as "
     "the "
     "file says)",
     FLAGS_CI, WORD(ci_fail_on, ci_fail_on_words)},
    {"config", "FILE", "the project file (default twbench.json)", FLAGS_CI, FILE_NAME(project)},
    {"base", "DIR|OLD.so",
     "compare with this checkout of the base, built the same way, or with this plugin", FLAGS_CI,
     FILE_NAME(base)},
    {"save-baseline", NULL, "save the plugin's counts as the baseline; compares nothing", FLAGS_CI,
     SWITCH(save_result)},
    {"baseline", "NAME", "compare the one result given with the baseline NAME", FLAGS_COMPARE,
     BY(take_baseline)},
    {"save-baseline", "NAME", "save the one result given as the baseline NAME; compares nothing",
     FLAGS_COMPARE, BY(take_save_baseline)},
    {"baseline-dir", "DIR", "where baselines are: NAME.json (default results)", FLAGS_COMPARE,
     FILE_NAME(baseline_directory)},
    {"budget", "TIME", "processor time one child may take (default 10s)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_COMPARE | FLAGS_LIMITS, TIME(setup.budget_ns, 1000000)},
    {"budget", "TIME", "time for all of it (default 10m)", FLAGS_SELFTEST,
     TIME(setup.budget_ns, 1000000)},
    {"budget", "TIME", "time for all of it (default 60s)", FLAGS_ADVISE | FLAGS_DURABLE,
     TIME(setup.budget_ns, 1000000)},
    {"budget", "TIME", "time one run of a store may take (default 10m)", FLAGS_STORES,
     TIME(setup.budget_ns, 1000000)},
    {"memory-limit", "BYTES", "memory one child may take (default 4Gi)",
     FLAGS_STORES | FLAGS_RUN | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_LIMITS | FLAGS_DURABLE,
     COUNT(setup.memory_limit_bytes, 1 << 20, UINT64_C(1) << 50)},
    {"pin", "CORE|none", "core for timed runs (default: the last one allowed)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_LIMITS, BY(take_pin)},
    {"jobs", "N", "children at a time, each on a core of its own (default 1)",
     FLAGS_RUN | FLAGS_CLAIMS, COUNT(setup.jobs, 1, CPU_SETSIZE)},
    {"counters", "WHEN", "auto, off, required, step: instructions, cache misses (default auto)",
     FLAGS_RUN, WORD(setup.counters, counters_words)},
    {"no-system-check", NULL, "do not look for what could disturb the times",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_LIMITS,
     SWITCH(setup.no_system_check)},
    {"operations", "N", "random operations per design or runner (default 1e6)", FLAGS_CONFORM,
     COUNT(operations, 0, UINT64_C(1) << 50)},
    {"patience", "TIME",
     "with --runner: a call hangs that takes longer, a timer is lost (default 20s)", FLAGS_CONFORM,
     TIME(proof_patience_ns, 1000000000)},
    {"thorough", NULL, "larger instances, longer lives, ten times the operations", FLAGS_CONFORM,
     SWITCH(thorough)},
    {"operations-file", "FILE|-", "only this operation list, as conform prints them", FLAGS_CONFORM,
     FILE_NAME(operations_file)},
    {"json", "FILE|-", "write the result document", FLAGS_JSON, FILE_NAME(setup.json)},
    {"force", NULL, "overwrite FILE of --json", FLAGS_JSON, SWITCH(force)},
    {"json", "FILE|-", "what is in the trace, as data", FLAGS_TRACE, FILE_NAME(setup.json)},
    {"fit", "FILE|-",
     "write a workload file of the same mix, which scales to other numbers of tasks", FLAGS_TRACE,
     FILE_NAME(fit)},
    {"json", "FILE|-", "what was made of the log, as data", FLAGS_IMPORT, FILE_NAME(setup.json)},
    {"json", "FILE|-", "all of it as data, for programs", FLAGS_LIST, FILE_NAME(setup.json)},
    {"force", NULL, "overwrite files",
     FLAGS_SHOW | FLAGS_OLD | FLAGS_TRACE | FLAGS_IMPORT | FLAGS_LIST | FLAGS_TAKE | FLAGS_RECORD,
     SWITCH(force)},
    {"resume", NULL, "go on with FILE of --json, or begin it: run only the cells it lacks",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_ADVISE | FLAGS_STORES, SWITCH(setup.resume)},
    {"duration", "TIME", "end the command after it (default: when it ends, or by Ctrl-C)",
     FLAGS_RECORD, TIME(recording.duration_ns, 1000000)},
    {"log", "FILE", "where the log stays (default: it is removed once the trace is written)",
     FLAGS_RECORD, FILE_NAME(recording.log)},
    {"library", "FILE", "libuv, libevent: the library's file (default: the one that is installed)",
     FLAGS_RECORD, FILE_NAME(recording.library)},
    {"buffer", "KB", "tracefs: memory for events, per processor (default 200000)", FLAGS_RECORD,
     COUNT(recording.buffer_kb, 1, UINT64_C(1) << 40)},
    {"plots", "DIR", "draw pictures into DIR",
     FLAGS_REPORT | FLAGS_CLAIMS | FLAGS_PLOT | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS |
         FLAGS_HISTORY | FLAGS_STORES | FLAGS_DURABLE,
     FILE_NAME(plots)},
    {"plot-format", "FORMAT", "svg, png, pdf, or dumb for the terminal (default svg)",
     FLAGS_REPORT | FLAGS_CLAIMS | FLAGS_PLOT | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS |
         FLAGS_HISTORY | FLAGS_STORES | FLAGS_DURABLE,
     BY(take_plot_format)},
    {"html", "FILE|-", "all of it as one page of HTML that loads nothing; also -o FILE", FLAGS_PAGE,
     FILE_NAME(html)},
    {"assert", "CLAIM", "'heap.start<=O(log n)': status 3 when counts break it; may be repeated",
     FLAGS_REPORT, EACH_BY(take_assert)},
    {"progress", "WHEN", "auto, bar, lines, never (default: a bar on a terminal)",
     FLAGS_RUN | FLAGS_CLAIMS | FLAGS_PAIRS | FLAGS_ADVISE | FLAGS_CI | FLAGS_IMPORT |
         FLAGS_LIMITS | FLAGS_STORES | FLAGS_DURABLE,
     WORD(setup.progress, progress_words)},
    {"style", "STYLE", "auto, color, plain (NO_COLOR is honoured)", FLAGS_STYLE,
     WORD(color, style_words)},
    {"workloads-dir", "DIR", "where workloads are looked up by name",
     FLAGS_MATRIX | FLAGS_DATA | FLAGS_CLAIMS | FLAGS_TRACE | FLAGS_ADVISE | FLAGS_LIMITS,
     DIRECTORY(setup.workload_directory)},
    {"claims-dir", "DIR", "where the experiment files are", FLAGS_CLAIMS,
     DIRECTORY(claims_directory)},
    {"quick", NULL, "counts only: leave out the runs that take times", FLAGS_CLAIMS, SWITCH(quick)},
};
const size_t flag_count = sizeof flags / sizeof flags[0];

/* ---- Taking a value. ------------------------------------------------------------------------- */

static int take_directory(const char **out, const char *flag, const char *value, struct diag *diag)
{
    struct stat info;
    if (stat(value, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    else if (access(value, R_OK | X_OK) == 0) {
        *out = value;
        return DIAG_OK;
    }
    return diag_usage(diag, "%s: '%s' given: %s; expected a directory", flag, value,
                      strerror(errno));
}

int flag_take(const struct flag *flag, struct options *options, const char *shown,
              const char *value, struct diag *diag)
{
    const struct flag_value *row = &flag->taken;
    void *field = (char *)options + row->offset;
    int word = 0, status = DIAG_OK;
    switch (row->kind) {
    case TAKE_SWITCH:
        *(bool *)field = true;
        break;
    case TAKE_COUNT:
        return take_count(shown, value, row->min, row->max, field, diag);
    case TAKE_TIME:
        return take_time(shown, value, row->min, field, diag);
    case TAKE_WORD:
        status = take_word(shown, value, row->words, &word, diag);
        memcpy(field, &word, sizeof word);
        break;
    case TAKE_FILE:
        return take_text(field, shown, value, flag->value, diag);
    case TAKE_DIRECTORY:
        return take_directory(field, shown, value, diag);
    case TAKE_BY:
    case TAKE_EACH:
    case TAKE_NAMED:
        return row->by(options, shown, value, diag);
    }
    return status;
}

enum export_kind flags_export_kind(unsigned groups)
{
    if (groups & FLAGS_COMPARE)
        return EXPORT_COMPARISON;
    if (groups & (FLAGS_REPORT | FLAGS_CLAIMS | FLAGS_ADVISE))
        return EXPORT_RESULT;
    return groups & FLAGS_PAGE ? EXPORT_PAGE : EXPORT_NOTHING;
}

const struct flag *flag_find(const char *name, unsigned groups)
{
    static const struct flag exported = {NULL, "FILE|-", NULL, 0, BY(take_export)};
    for (size_t i = 0; i < flag_count; i++)
        if (strcmp(flags[i].name, name) == 0 && (flags[i].groups & groups))
            return &flags[i];
    return export_offered(export_find(name), flags_export_kind(groups)) ? &exported : NULL;
}
