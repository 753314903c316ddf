/* cmd_conform.c - conform: tests designs against the contract, and runners against theirs. */
#include "harness/cli/cli.h"

#include "harness/base/file.h"
#include "harness/cli/conform_runners.h"
#include "harness/cli/conform_stores.h"
#include "harness/measure/run/cycles.h"
#include "harness/prove/conform/findings.h"

#include <stdlib.h>

/* --thorough: so many times the random operations and the processor time of what ends by it. */
#define THOROUGH 10u

/* The settings given that this design has, one value of each. */
static int settings_of(const struct options *options, const struct tw_design *design,
                       struct tw_setting *settings, size_t *count, struct diag *diag)
{
    *count = 0;
    for (size_t i = 0; i < options->sweep_count; i++) {
        const struct plan_sweep *sweep = &options->sweeps[i];
        bool applies = plan_sweep_is_for(options->sweeps, options->sweep_count, i, design);
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

/* All of the contract, or the one list that `text` has.  0, 1 when it is broken, or a status. */
static int conform_design(const struct options *options, const struct tw_design *design,
                          const struct conform_options *conform, const char *text,
                          struct diag *diag)
{
    struct conform_report report = {0};
    const struct tw_backend *timed = design->timed;
    FILE *out = options->heard ? options->heard->out : stdout;
    if (timed->traits.flags & TW_KEEPS_NOTHING) {
        fprintf(out, "%s: keeps nothing, so there is nothing to prove\n", timed->name);
        return 0;
    }
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int broken = findings_of(design, conform, text, &report);
    double seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
    if (broken < 0)
        return text ? diag_usage(diag, "--operations-file=%s: %s", options->operations_file,
                                 report.detail)
                    : diag_run(diag, "%s: %s", timed->name, report.detail);
    if (broken)
        findings_print_broken(out, timed, &report);
    else
        findings_print_held(out, timed, &report, seconds, text != NULL);
    return broken;
}

static int conform_one(const struct options *options, size_t index, const char *text,
                       struct diag *diag)
{
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t count = 0;
    const struct tw_design *design = options->designs[index];
    int status = settings_of(options, design, settings, &count, diag);
    if (status != DIAG_OK)
        return status;
    uint32_t deeper = options->thorough ? THOROUGH : 1;
    const struct conform_options conform = {
        .settings = settings,
        .setting_count = count,
        .seed = options->setup.seed,
        .operations = options->operations * deeper,
        .check_always = true,
        .vary = count == 0,
        .with_huge = true,
        .patience = deeper,
        .many_max = options->thorough ? 1u << 22 : 1u << 20,
        .life_starts = options->thorough ? 1u << 24 : 1u << 20,
    };
    status = conform_design(options, design, &conform, text, diag);
    fflush(stdout);
    return status;
}

/* Runners; settings of a design are for the only one. */
static int conform_on_clock(const struct options *options, struct diag *diag)
{
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t count = 0;
    int status = DIAG_OK;
    if (options->sweep_count > 0 && options->design_count != 1)
        return diag_usage(diag, "--%s: with --runner it needs one design, by --impl=NAME",
                          options->sweeps[0].settings[0].name);
    if (options->sweep_count > 0)
        status = settings_of(options, options->designs[0], settings, &count, diag);
    return status == DIAG_OK ? conform_runners(options, settings, count, diag) : status;
}

int cmd_conform(const struct options *options)
{
    struct diag diag;
    int exit_status = EXIT_OK, status = DIAG_OK;
    char *text = NULL;
    size_t size = 0;
    if (options->operand_count > 0) {
        diag_usage(&diag, "%s: conform takes no operands; did you mean --impl=%s?",
                   options->operands[0], options->operands[0]);
        return cli_fail(DIAG_USAGE, &diag);
    }
    if (options->runner_count > 0 || options->store_name_count > 0) {
        status = options->store_name_count > 0 ? conform_stores(options, &diag)
                                               : conform_on_clock(options, &diag);
        return status < DIAG_OK   ? cli_fail(status, &diag)
               : status > DIAG_OK ? EXIT_FAILED
                                  : EXIT_OK;
    }
    if (options->operations_file)
        status = file_read(options->operations_file, &text, &size, &diag);
    for (size_t i = 0; i < options->design_count && status >= DIAG_OK; i++) {
        status = conform_one(options, i, text, &diag);
        if (status > DIAG_OK)
            exit_status = EXIT_FAILED;
        if (status > DIAG_OK && options->heard)
            options->heard->broken = true;
    }
    free(text);
    return status < DIAG_OK ? cli_fail(status, &diag) : exit_status;
}
