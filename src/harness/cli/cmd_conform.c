/* cmd_conform.c - the contract's tests for the selected designs. */
#include "harness/cli/cli.h"

#include "harness/conform/conform.h"
#include "harness/run/cycles.h"

#include <inttypes.h>
#include <string.h>

/* The settings given that this design has, one value of each. */
static int settings_of(const struct options *options, const struct tw_backend *design,
                       struct tw_setting *settings, size_t *count, struct diag *diag)
{
    *count = 0;
    for (size_t i = 0; i < options->sweep_count; i++) {
        const struct plan_sweep *sweep = &options->sweeps[i];
        if (sweep->count != 1)
            return diag_usage(diag, "--%s: conform takes one value at a time",
                              sweep->settings[0].name);
        for (const struct tw_param *param = design->params; param->name; param++)
            if (strcmp(param->name, sweep->settings[0].name) == 0)
                settings[(*count)++] = sweep->settings[0];
    }
    return DIAG_OK;
}

static bool conform_design(const struct options *options, const struct tw_backend *design,
                           const struct tw_setting *settings, size_t count)
{
    struct conform_report report = {0};
    struct conform_options conform = {
        .settings = settings,
        .setting_count = count,
        .seed = options->seed,
        .operations = options->operations,
        .check_always = true,
    };
    if (design->traits.flags & TW_KEEPS_NOTHING) {
        printf("%s: keeps nothing, so there is nothing to prove\n", design->name);
        return true;
    }
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    bool holds = conform_run(design, &conform, &report) == 0;
    double seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
    if (holds) {
        printf("%s: the contract holds (%" PRIu64 " operations, %.1f s)\n", design->name,
               report.operations_run, seconds);
        return true;
    }
    printf("%s: BROKEN: %s\n  %s\n", design->name, report.rule, report.detail);
    if (report.operations[0] != '\0')
        printf("shortest operations that show it (seed %" PRIu64 "):\n%s\n", report.seed,
               report.operations);
    return false;
}

int cmd_conform(const struct options *options)
{
    struct diag diag;
    int exit_status = EXIT_OK;
    if (options->operand_count > 0) {
        diag_usage(&diag, "%s: conform takes no operands; did you mean --impl=%s?",
                   options->operands[0], options->operands[0]);
        return cli_fail(DIAG_USAGE, &diag);
    }
    for (size_t i = 0; i < options->design_count; i++) {
        struct tw_setting settings[PLAN_SETTINGS_MAX];
        size_t count = 0;
        const struct tw_backend *design = options->designs[i]->timed;
        int status = settings_of(options, design, settings, &count, &diag);
        if (status != DIAG_OK)
            return cli_fail(status, &diag);
        if (!conform_design(options, design, settings, count))
            exit_status = EXIT_FAILED;
        fflush(stdout);
    }
    return exit_status;
}
