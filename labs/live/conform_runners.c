/* conform_runners.c - conform --runner: proves runners, and says what broke and how to see it again. */
#include "labs/live/live.h"

#include "harness/command/setup_flags.h"
#include "labs/live/race/race.h"
#include "labs/live/runner_plugins.h"
#include "labs/live/runners/moment.h"

/* --thorough: so many times the operations. */
#define THOROUGH        10u
#define DEFAULT_CALLERS 4u

struct conform_options {
    struct clock_flags clock;
    struct designs designs;
    uint64_t seed, operations, patience_ns;
    bool thorough;
};

struct proof {
    const struct conform_options *options;
    const struct tw_backend *designs[DESIGNS_MAX];
    struct race_options race;
};

/* The designs that are fit; one that was asked for by name and is not is an error. */
static int take_designs(struct proof *proof, const struct tw_runner *runner, struct diag *diag)
{
    const struct conform_options *options = proof->options;
    struct race_options *race = &proof->race;
    bool own = runner->flags & TW_RUNNER_OWN_TIMERS;
    race->designs = proof->designs;
    race->design_count = 0;
    if (own && options->designs.given && options->clock.runner_count == 1)
        return diag_usage(diag, "--impl: runner %s keeps its timers itself and takes no design",
                          runner->name);
    for (size_t i = 0; i < options->designs.count && !own; i++) {
        const struct tw_backend *design = options->designs.chosen[i]->timed;
        if (race_is_fit(design))
            proof->designs[race->design_count++] = design;
        else if (options->designs.given && options->designs.count == 1)
            return diag_usage(diag,
                              "--impl=%s: it waits for a clock, keeps nothing or fires late by "
                              "rounding; a runner is proved over a design that is exact",
                              design->name);
    }
    if (race->design_count == 0 && !own)
        return diag_usage(diag, "--impl: none of these designs is exact; a runner is proved over "
                                "those that are");
    return DIAG_OK;
}

/* How to call conform again, at the seed that broke the runner. */
static void print_again(const struct proof *proof, const struct tw_runner_entry *entry,
                        const struct race_report *report)
{
    const struct race_options *race = &proof->race;
    const char *path = runner_plugins_path(entry);
    printf("To see it again (a race may take several tries):\n  twbench conform --%s=%s",
           path ? "plugin" : "runner", path ? path : entry->timed->name);
    if (proof->options->designs.given && proof->race.design_count > 0) {
        printf(" --impl=");
        for (size_t i = 0; i < race->design_count; i++)
            printf("%s%s", i > 0 ? "," : "", race->designs[i]->name);
    }
    for (size_t i = 0; i < race->design_setting_count; i++) {
        printf(" --%s=", race->design_settings[i].name);
        for (uint32_t v = 0; v < race->design_settings[i].count; v++)
            printf("%s%" PRIu64, v > 0 ? "," : "", race->design_settings[i].values[v]);
    }
    for (size_t i = 0; i < race->setting_count; i++)
        printf(" --%s=%" PRIu64, race->settings[i].name, race->settings[i].values[0]);
    if (race->threads != DEFAULT_CALLERS)
        printf(" --threads=%u", race->threads);
    printf(" --seed=%" PRIu64 " --operations=%d\n", report->seed, report->case_name[0] ? 0 : 1);
}

static void print_broken(const struct proof *proof, const struct tw_runner_entry *entry,
                         const struct race_report *report)
{
    printf("%s: BROKEN: %s\n  %s\n", entry->timed->name, race_rule_names[report->rule],
           report->detail);
    if (report->case_name[0])
        printf("in the case '%s', %s, seed %" PRIu64 "\n", report->case_name, report->service,
               report->seed);
    else
        printf("%s, seed %" PRIu64 "\n", report->service, report->seed);
    print_again(proof, entry, report);
}

static void print_held(const struct proof *proof, const struct tw_runner *runner,
                       const struct race_report *report, double seconds)
{
    const struct race_sums *sums = &report->sums;
    printf("%s: the contract holds (%" PRIu64 " operations, %.1f s)\n", runner->name,
           sums->operations, seconds);
    printf("  %" PRIu64 " cases and %" PRIu64 " services over %zu designs, up to %u callers\n",
           report->cases, report->services, proof->race.design_count, proof->race.threads);
    printf("  %" PRIu64 " timers accepted = %" PRIu64 " ran + %" PRIu64 " stopped + %" PRIu64
           " returned; %" PRIu64 " refused; %" PRIu64 " runs\n",
           sums->accepted, sums->ran, sums->stopped, sums->returned, sums->refused, sums->runs);
    if (sums->points > 0)
        printf("  %" PRIu64 " points passed; threads delayed at %" PRIu64
               " of them, held at %" PRIu64 "\n",
               sums->points, sums->delays, sums->holds);
    else
        printf("  no points: threads were delayed nowhere (TW_RUNNER_POINT in runner.h)\n");
    if (sums->cut > 0)
        printf("  the orders of %" PRIu64
               " pairs of callers were not all tried: no time was left\n",
               sums->cut);
}

static int conform_runner(struct proof *proof, const struct tw_runner_entry *entry,
                          struct diag *diag)
{
    struct race_report report;
    int status = take_designs(proof, entry->timed, diag);
    if (status != DIAG_OK)
        return status;
    uint64_t began = moment_now();
    status = race_run(entry, &proof->race, &report, diag);
    double seconds = (double)(moment_now() - began) / 1e9;
    if (status != DIAG_OK)
        return status;
    if (report.rule != RACE_HOLDS)
        print_broken(proof, entry, &report);
    else
        print_held(proof, entry->timed, &report, seconds);
    fflush(stdout);
    return report.rule != RACE_HOLDS;
}

/* Settings of a design are for the only one. */
static int design_settings(const struct conform_options *options, struct tw_setting *settings,
                           size_t *count, struct diag *diag)
{
    const struct designs *designs = &options->designs;
    *count = 0;
    if (designs->sweep_count == 0)
        return DIAG_OK;
    if (designs->count != 1)
        return diag_usage(diag, "--%s: with --runner it needs one design, by --impl=NAME",
                          designs->sweeps[0].settings[0].name);
    return designs_settings(designs, designs->chosen[0], settings, count, diag);
}

static int finish(const struct call *call, struct conform_options *options, struct diag *diag)
{
    const struct clock_flags *clock = &options->clock;
    int status = designs_finish(&options->designs, false, diag);
    if (status == DIAG_OK)
        status = clock_flags_finish(&options->clock, diag);
    if (status != DIAG_OK)
        return status;
    if (call->operand_count > 0)
        return diag_usage(diag, "%s: conform takes no operands; did you mean --impl=%s?",
                          call->operands[0], call->operands[0]);
    if (clock->thread_count > 1 ||
        (clock->thread_count == 1 && clock->threads[0] > RACE_THREADS_MAX))
        return diag_usage(diag, "--threads: conform takes one number, 1 .. %d", RACE_THREADS_MAX);
    return DIAG_OK;
}

/* 0, 1 when a runner is broken, or a status. */
static int conform_all(const struct conform_options *options, struct diag *diag)
{
    const struct clock_flags *clock = &options->clock;
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    struct proof proof = {
        .options = options,
        .race = {.design_settings = settings,
                 .settings = clock->wishes.settings,
                 .setting_count = clock->wishes.setting_count,
                 .seed = options->seed,
                 .operations = options->operations * (options->thorough ? THOROUGH : 1),
                 .threads = clock->thread_count > 0 ? (uint32_t)clock->threads[0] : DEFAULT_CALLERS,
                 .patience_s = (uint32_t)((options->patience_ns + 999999999) / 1000000000)},
    };
    int status = design_settings(options, settings, &proof.race.design_setting_count, diag);
    int found = DIAG_OK;
    for (size_t i = 0; i < clock->runner_count && status >= DIAG_OK; i++) {
        status = conform_runner(&proof, clock->runners[i], diag);
        found = status > DIAG_OK ? status : found;
    }
    return status < DIAG_OK ? status : found;
}

/* ---- The command. -------------------------------------------------------------------------------- */

#define OF struct conform_options
static const struct flag clock_rows[] = {
    FLAG_BY("runner", "A,B|all", "prove runners, over the designs of --impl, instead of designs",
            clock_flag_runner),
    FLAG_EACH("plugin", "FILE[,NAME=VALUES]",
              "a runner or a design from a shared object; may be repeated", clock_flag_plugin),
    FLAG_BY("threads", "N", "most threads that start and stop timers (default 4)",
            clock_flag_threads),
};
static const struct flag flags[] = {
    FLAG_COUNT("seed", "N", "seed of the services (default 1)", OF, seed, 0, SEED_MAX),
    FLAG_COUNT("operations", "N", "random operations per runner (default 3e5)", OF, operations, 0,
               UINT64_C(1) << 50),
    FLAG_SWITCH("thorough", "ten times the operations", OF, thorough),
    FLAG_TIME("patience", "a call hangs that takes longer, a timer is lost (default 20s)", OF,
              patience_ns, 1000000000),
};
#undef OF
static const struct flag_group groups[] = {
    {.flags = clock_rows,
     .count = FLAGS(clock_rows),
     .offset = offsetof(struct conform_options, clock)},
    {.flags = flags, .count = FLAGS(flags)},
    DESIGN_FLAGS(offsetof(struct conform_options, designs)),
    CLOCK_SETTINGS(offsetof(struct conform_options, clock)),
    {0},
};

static void begin(struct call *call)
{
    struct conform_options *options = call->options;
    options->seed = 1;
    options->operations = 300000;
    options->patience_ns = UINT64_C(20000000000);
    options->clock.designs = &options->designs;
    designs_select_all(&options->designs);
}

static int run(struct call *call)
{
    struct diag diag;
    struct conform_options *options = call->options;
    int status = finish(call, options, &diag);
    if (status == DIAG_OK)
        status = conform_all(options, &diag);
    designs_close(&options->designs);
    return status < DIAG_OK   ? command_fail(status, &diag)
           : status > DIAG_OK ? EXIT_FAILED
                              : EXIT_OK;
}

const struct command cmd_conform_runners = {
    .name = "conform",
    .usage = "--runner=NAME|--plugin=FILE [FLAGS]",
    .summary = "Prove runners by cases and by races; prints the first broken rule.",
    .groups = groups,
    .size = sizeof(struct conform_options),
    .begin = begin,
    .run = run,
};
