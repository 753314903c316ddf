/*
 * cmd_selftest.c - selftest: this program compared with itself, as it is and slowed down.
 */
#include "harness/ask/compare/pairing.h"
#include "harness/ask/compare/selftest.h"
#include "harness/base/paths.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/tell/result/selftest_record.h"

/* Of one sample; --budget is that of the whole. */
#define PROBE_BUDGET_NS UINT64_C(10000000000)

static int write_selftest(const struct options *options, struct pairing *pairing,
                          const struct selftest *selftest, struct diag *diag)
{
    cJSON *document = NULL;
    int status = selftest_document(selftest, pairing, &document, diag);
    if (status == DIAG_OK)
        status = outputs_document(options, document, diag);
    if (status == DIAG_OK && selftest->presets > 0 &&
        selftest_record_write(document, diag) != DIAG_OK)
        fprintf(stderr, "warning: later results will not know of this selftest: %s\n", diag->text);
    cJSON_Delete(document);
    return status;
}

int cmd_selftest(const struct options *options)
{
    struct diag diag;
    struct pairing pairing;
    struct pairing_wishes wishes = options_pairing(options);
    struct selftest selftest = {.presets = 0};
    char self[4096];
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int status = options->operand_count == 0
                     ? outputs_check(options, &diag)
                     : diag_usage(&diag, "%s: selftest takes no operands", options->operands[0]);
    if (status == DIAG_OK)
        status = paths_program(self, sizeof self, &diag);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    status = pairing_open(&pairing, &wishes, &diag);
    if (status == DIAG_OK) {
        pairing.request.before = self;
        pairing.request.budget_ns = PROBE_BUDGET_NS;
        status =
            selftest_run(&pairing.request, begin_ns, options->setup.budget_ns, &selftest, &diag);
    }
    bool interrupted = status == BINARIES_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = write_selftest(options, &pairing, &selftest, &diag);
    pairing_close(&pairing);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}
