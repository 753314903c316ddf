/* conform_runners.c - prints what the proof of a runner found, with the command that repeats it. */
#include "labs/live/conform_runners.h"

#include "labs/live/runner_plugins.h"
#include "labs/live/race/race.h"
#include "labs/live/runners/moment.h"

#include <inttypes.h>
#include <string.h>

/* --thorough: so many times the operations. */
#define THOROUGH        10u
#define DEFAULT_CALLERS 4u

struct proof {
    const struct options *options;
    const struct tw_backend *designs[OPTIONS_LIST_MAX];
    struct race_options race;
};

/* The designs that are fit; one that was asked for by name and is not is an error. */
static int take_designs(struct proof *proof, const struct tw_runner *runner, struct diag *diag)
{
    const struct options *options = proof->options;
    struct race_options *race = &proof->race;
    bool own = runner->flags & TW_RUNNER_OWN_TIMERS;
    race->designs = proof->designs;
    race->design_count = 0;
    if (own && options->designs_given && options->runner_count == 1)
        return diag_usage(diag, "--impl: runner %s keeps its timers itself and takes no design",
                          runner->name);
    for (size_t i = 0; i < options->design_count && !own; i++) {
        const struct tw_backend *design = options->designs[i]->timed;
        if (race_is_fit(design))
            proof->designs[race->design_count++] = design;
        else if (options->designs_given && options->design_count == 1)
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
    if (proof->options->designs_given && proof->race.design_count == 1)
        printf(" --impl=%s", report->design->name);
    else if (proof->options->designs_given && proof->race.design_count > 1) {
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
    printf("%s: BROKEN: %s\n  %s\n", entry->timed->name, race_rule_name(report->rule),
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

int conform_runners(const struct options *options, const struct tw_setting *settings, size_t count,
                    struct diag *diag)
{
    const struct clock_wishes *wishes = &options->setup.clock;
    struct proof proof = {
        .options = options,
        .race = {.design_settings = settings,
                 .design_setting_count = count,
                 .settings = wishes->settings,
                 .setting_count = wishes->setting_count,
                 .seed = options->setup.seed,
                 .operations = options->operations * (options->thorough ? THOROUGH : 1),
                 .threads = DEFAULT_CALLERS,
                 .patience_s = (uint32_t)((options->proof_patience_ns + 999999999) / 1000000000)},
    };
    int broken = 0;
    if (options->operations_file)
        return diag_usage(diag, "--operations-file: a list of operations is for a design; a runner "
                                "is proved by --seed");
    if (options->thread_count > 1 ||
        (options->thread_count == 1 && options->threads[0] > RACE_THREADS_MAX))
        return diag_usage(diag, "--threads: conform takes one number, 1 .. %d", RACE_THREADS_MAX);
    if (options->thread_count == 1)
        proof.race.threads = (uint32_t)options->threads[0];
    for (size_t i = 0; i < options->runner_count; i++) {
        int status = conform_runner(&proof, options->runners[i], diag);
        if (status < DIAG_OK)
            return status;
        broken |= status;
    }
    return broken;
}
