/* cmd_conform.c - conform: tests designs against the contract. */
#include "harness/base/file.h"
#include "harness/command/command.h"
#include "harness/command/design_flags.h"
#include "harness/command/setup_flags.h"
#include "harness/prove/findings.h"

#define OPERATIONS 1000000u
/* --thorough: so many times the random operations and the processor time of what ends by it. */
#define THOROUGH 10u

struct conform_flags {
    struct designs designs;
    uint64_t seed, operations;
    bool thorough;
    const char *operations_file;
};

static const struct flag flags[] = {
    FLAG_COUNT("seed", "N", "seed of the operation streams (default 1)", struct conform_flags, seed,
               0, SEED_MAX),
    FLAG_COUNT(
        "operations", "N",
        "random operations per design (default 1e6); fewer: no millions of timers and starts, "
        "either",
        struct conform_flags, operations, 0, UINT64_C(1) << 50),
    FLAG_SWITCH("thorough", "larger instances, longer lives, ten times the operations",
                struct conform_flags, thorough),
    FLAG_FILE("operations-file", "FILE|-", "only this operation list, as conform prints them",
              struct conform_flags, operations_file),
};
static const struct flag_group groups[] = {
    DESIGN_FLAGS(offsetof(struct conform_flags, designs)),
    {.flags = flags, .count = FLAGS(flags)},
    {0},
};

static void begin(struct call *call)
{
    struct conform_flags *options = call->options;
    options->seed = 1;
    options->operations = OPERATIONS;
    designs_select_all(&options->designs);
}

/* The options, and who listens. */
struct conforming {
    const struct conform_flags *options;
    struct conform_heard *heard; /* NULL: nobody */
};

/* All of the contract, or the one list that `text` has.  0, 1 when it is broken, EXIT_INCONCLUSIVE when the machine ran out
 * of time or memory, or a status. */
static int conform_design(const struct conforming *conforming, const struct tw_design *design,
                          const struct conform_options *conform, const char *text,
                          struct diag *diag)
{
    struct conform_report report = {0};
    const struct tw_backend *timed = design->timed;
    FILE *out = conforming->heard ? conforming->heard->out : stdout;
    if (timed->traits.flags & TW_KEEPS_NOTHING) {
        fprintf(out, "%s: keeps nothing, so there is nothing to test\n", timed->name);
        return 0;
    }
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int broken = findings_of(design, conform, text, &report);
    double seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
    if (broken < 0)
        return text ? diag_usage(diag, "--operations-file=%s: %s",
                                 conforming->options->operations_file, report.detail)
                    : diag_run(diag, "%s: %s", timed->name, report.detail);
    if (broken)
        findings_print_broken(out, timed, &report);
    else
        findings_print_held(out, timed, &report, seconds, text != NULL);
    return broken && rule_is_machine(report.rule) ? EXIT_INCONCLUSIVE : broken;
}

static int conform_one(const struct conforming *conforming, size_t index, const char *text,
                       struct diag *diag)
{
    struct tw_setting settings[PLAN_SETTINGS_MAX];
    size_t count = 0;
    const struct conform_flags *options = conforming->options;
    const struct tw_design *design = options->designs.chosen[index];
    int status = designs_settings(&options->designs, design, settings, &count, diag);
    if (status != DIAG_OK)
        return status;
    uint32_t deeper = options->thorough ? THOROUGH : 1;
    bool in_millions = options->operations >= OPERATIONS;
    const struct conform_options conform = {
        .settings = settings,
        .setting_count = count,
        .seed = options->seed,
        .operations = options->operations * deeper,
        .check_always = true,
        .vary = count == 0,
        .with_huge = true,
        .patience = deeper,
        .many_max = !in_millions        ? 0
                    : options->thorough ? 1u << 24
                                        : 1u << 22,
        .life_starts = !in_millions        ? 0
                       : options->thorough ? 1u << 26
                                           : 1u << 24,
    };
    status = conform_design(conforming, design, &conform, text, diag);
    fflush(stdout);
    return status;
}

static int conform_all(const struct call *call, const struct conforming *conforming,
                       struct diag *diag)
{
    const struct conform_flags *options = conforming->options;
    char *text = NULL;
    size_t size = 0;
    int status = DIAG_OK, found = DIAG_OK;
    if (call->operand_count > 0)
        return diag_usage(diag, "%s: conform takes no operands; did you mean --impl=%s?",
                          call->operands[0], call->operands[0]);
    if (options->operations_file)
        status = file_read(options->operations_file, &text, &size, diag);
    for (size_t i = 0; i < options->designs.count && status >= DIAG_OK; i++) {
        status = conform_one(conforming, i, text, diag);
        found = status > DIAG_OK && found != EXIT_FAILED ? status : found;
    }
    free(text);
    return status < DIAG_OK ? status : found;
}

static int run(struct call *call)
{
    struct diag diag;
    struct conform_flags *options = call->options;
    const struct conforming conforming = {options, (struct conform_heard *)(uintptr_t)call->given};
    int status = designs_finish(&options->designs, false, &diag);
    if (status == DIAG_OK)
        status = conform_all(call, &conforming, &diag);
    if (status == EXIT_FAILED && conforming.heard)
        conforming.heard->broken = true;
    designs_close(&options->designs);
    return status < DIAG_OK ? command_fail(status, &diag) : status > DIAG_OK ? status : EXIT_OK;
}

const struct command cmd_conform = {
    .name = "conform",
    .usage = "[FLAGS]",
    .summary = "Test designs against the contract; prints the first broken rule.",
    .topic = "Compare timer designs",
    .groups = groups,
    .common = " impl plugin operations operations-file seed thorough ",
    .size = sizeof(struct conform_flags),
    .begin = begin,
    .run = run,
};
