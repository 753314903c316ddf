/*
 * cmd_compare.c - compare: two programs, plugins or results, a verdict and the exit status that goes with it.
 */
#include "harness/base/paths.h"
#include "harness/cli/cli.h"
#include "harness/cli/contestants.h"
#include "harness/cli/outputs.h"
#include "harness/cli/pairing.h"
#include "harness/compare/results.h"
#include "harness/result/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What lives as long as the command. */
struct comparing {
    const struct options *options;
    const char *before, *after; /* paths */
    char baseline[128];         /* path of --baseline, or "" */
    enum contestants kind;
    struct pairing pairing; /* of programs and plugins; its origin of results too */
    struct comparison comparison;
};

/* ---- What OLD and NEW are. ------------------------------------------------------------------- */

static int find_sides(struct comparing *comparing, struct diag *diag)
{
    const struct options *options = comparing->options;
    size_t wanted = options->baseline ? 1 : 2;
    if (options->operand_count != wanted)
        return diag_usage(diag, "compare: %zu operands given; expected %s", options->operand_count,
                          options->baseline ? "NEW alone, beside --baseline" : "OLD and NEW");
    comparing->after = options->operands[wanted - 1];
    comparing->before = options->operands[0];
    if (options->baseline) {
        snprintf(comparing->baseline, sizeof comparing->baseline, "results/%.100s.json",
                 options->baseline);
        comparing->before = comparing->baseline;
        return DIAG_OK;
    }
    return contestants_find(options, comparing->before, comparing->after, &comparing->kind, diag);
}

/* ---- Programs and plugins. ------------------------------------------------------------------- */

static int run_binaries(struct comparing *comparing, struct diag *diag)
{
    struct pairing *pairing = &comparing->pairing;
    char self[4096];
    int status = paths_program(self, sizeof self, diag);
    if (status == DIAG_OK)
        status = pairing_open(pairing, comparing->options, diag);
    if (status == DIAG_OK) {
        pairing->request.loader = comparing->kind == CONTESTANTS_PLUGINS ? self : NULL;
        pairing->request.before = comparing->before;
        pairing->request.after = comparing->after;
        status = compare_binaries(&pairing->request, &comparing->comparison, diag);
        struct origin_disturbance disturbance = pairing_disturbance(pairing);
        comparing->comparison.steal_share = disturbance.steal_share;
        comparing->comparison.busy_share = disturbance.busy_share;
        comparing->comparison.load_1min = disturbance.load_1min;
    }
    pairing_close(pairing);
    return status;
}

/* ---- Results. -------------------------------------------------------------------------------- */

/* The first result that is compared with a baseline that is not there yet becomes it. */
static int keep_baseline(const struct comparing *comparing, const struct result_document *document,
                         struct diag *diag)
{
    if (!comparing->baseline[0] || access(comparing->baseline, F_OK) == 0)
        return DIAG_OK;
    if (mkdir("results", 0777) != 0 && errno != EEXIST)
        return diag_run(diag, "results: %s", strerror(errno));
    int status = result_write(document, comparing->baseline, diag);
    if (status == DIAG_OK)
        fprintf(stderr, "twbench: %s is kept as %s\n", comparing->after, comparing->baseline);
    return status;
}

static int compare_files(struct comparing *comparing, struct diag *diag)
{
    struct result_document *before = NULL, *after = NULL;
    struct comparison *comparison = &comparing->comparison;
    int status = result_load(comparing->after, &after, diag);
    if (status == DIAG_OK)
        status = keep_baseline(comparing, after, diag);
    if (status == DIAG_OK)
        status = result_load(comparing->before, &before, diag);
    if (status == DIAG_OK)
        status = compare_documents(result_json(before), comparing->before, result_json(after),
                                   comparing->after, &comparing->options->limits, comparison, diag);
    for (size_t i = 0; i < comparison->cell_count; i++)
        cell_conclude(&comparison->cells[i], &comparing->options->limits);
    comparison->complete = status == DIAG_OK;
    comparison->limits = comparing->options->limits;
    comparison->steal_share = comparison->busy_share = comparison->load_1min = NAN;
    comparison->slow_share = NAN;
    comparison->before.kind = comparison->after.kind = "result";
    snprintf(comparison->before.path, sizeof comparison->before.path, "%s", comparing->before);
    snprintf(comparison->after.path, sizeof comparison->after.path, "%s", comparing->after);
    result_free(before);
    result_free(after);
    return status;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static int comparing_write(struct comparing *comparing, struct diag *diag)
{
    struct result_document *head = NULL;
    comparison_conclude(&comparing->comparison);
    int status = result_new(&comparing->pairing.origin, &head, diag);
    if (status != DIAG_OK)
        return status;
    cJSON *document =
        comparison_json(&comparing->comparison, result_json(head), comparing->options->fail_on);
    status = document ? outputs_comparison(comparing->options, document, diag)
                      : diag_run(diag, "no memory for the comparison");
    cJSON_Delete(document);
    result_free(head);
    return status;
}

int cmd_compare(const struct options *options)
{
    struct diag diag;
    struct comparing comparing = {.options = options};
    origin_fill(&comparing.pairing.origin, options);
    int status = find_sides(&comparing, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK)
        status = comparing.kind == CONTESTANTS_RESULTS ? compare_files(&comparing, &diag)
                                                       : run_binaries(&comparing, &diag);
    bool interrupted = status == BINARIES_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = comparing_write(&comparing, &diag);
    int exit_status = status == DIAG_OK
                          ? comparison_exit_status(&comparing.comparison, options->fail_on)
                          : cli_fail(status, &diag);
    comparison_free(&comparing.comparison);
    return interrupted && status == DIAG_OK ? EXIT_INTERRUPTED : exit_status;
}
