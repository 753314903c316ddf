/* cmd_selftest.c - selftest: this program compared with itself, as it is and slowed down. */
#include "harness/base/paths.h"
#include "harness/command/command.h"
#include "harness/command/pair_flags.h"
#include "harness/compare/selftest.h"

/* Of one sample; --budget is that of the whole. */
#define PROBE_BUDGET_NS UINT64_C(10000000000)

static const struct flag flags[] = {
    SETUP_BUDGET(struct pair_options, setup, "time for all of it (default 10m)")};
static const struct flag_group groups[] = {
    {.flags = flags, .count = FLAGS(flags)}, PAIR_GROUPS(0, page), {0}};

static void begin(struct call *call)
{
    struct pair_options *options = call->options;
    pair_begin(call, options);
    options->setup.budget_ns = UINT64_C(600000000000);
}

static int write_selftest(struct call *call, struct pairing *pairing, struct selftest *selftest,
                          struct diag *diag)
{
    const struct pair_options *options = call->options;
    cJSON *document = selftest_document(selftest, pairing);
    int status = outputs_document(&options->outputs, document, diag);
    cJSON_Delete(document);
    return status;
}

static int test(struct call *call, const char *self, uint64_t begin_ns, struct diag *diag)
{
    struct pairing pairing;
    const struct pair_options *options = call->options;
    struct pairing_wishes wishes = pair_wishes(options);
    struct selftest selftest = {.presets = 0};
    int status = pairing_open(&pairing, &wishes, diag);
    if (status == DIAG_OK) {
        pairing.request.before = self;
        pairing.request.budget_ns = PROBE_BUDGET_NS;
        status =
            selftest_run(&pairing.request, begin_ns, options->setup.budget_ns, &selftest, diag);
    }
    bool interrupted = status == BINARIES_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = write_selftest(call, &pairing, &selftest, diag);
    pairing_close(&pairing);
    return status == DIAG_OK && interrupted ? BINARIES_INTERRUPTED : status;
}

static int run(struct call *call)
{
    struct diag diag;
    char self[4096];
    struct pair_options *options = call->options;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int status = call->operand_count == 0
                     ? pair_finish(options, &diag)
                     : diag_usage(&diag, "%s: selftest takes no operands", call->operands[0]);
    if (status == DIAG_OK)
        status = outputs_check(call, &options->outputs, &diag);
    if (status == DIAG_OK)
        status = paths_program(self, sizeof self, &diag);
    if (status == DIAG_OK)
        status = test(call, self, begin_ns, &diag);
    designs_close(&options->designs);
    if (status == BINARIES_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return status == DIAG_OK ? EXIT_OK : command_fail(status, &diag);
}

const struct command cmd_selftest = {
    .name = "selftest",
    .usage = "[FLAGS]",
    .summary = "Measure how often compare is wrong here, and the smallest slowdown it finds.",
    .topic = "My CI",
    .groups = groups,
    .common = " budget impl workload tasks pairs json html ",
    .size = sizeof(struct pair_options),
    .begin = begin,
    .run = run,
};
