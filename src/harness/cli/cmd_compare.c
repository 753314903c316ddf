/*
 * cmd_compare.c - compare: two programs, plugins or results, a verdict and the exit status that goes with it.
 */
#include "harness/ask/compare/contestants.h"
#include "harness/ask/compare/gate_time.h"
#include "harness/ask/compare/pairing.h"
#include "harness/ask/compare/results.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/cli/cli.h"
#include "harness/cli/compare_stores.h"
#include "harness/cli/outputs.h"
#include "harness/tell/report/plot.h"

#include <math.h>
#include <unistd.h>

/* What lives as long as the command. */
struct comparing {
    const struct options *options;
    const char *before, *after; /* paths */
    char baseline[4096];        /* path of --baseline, or "" */
    enum contestants kind;
    struct pairing pairing; /* of programs and plugins; its origin of results too */
    struct comparison comparison;
};

/* ---- Baselines. ------------------------------------------------------------------------------ */

static const char *baseline_directory(const struct options *options)
{
    return options->baseline_directory ? options->baseline_directory : "results";
}

static void baseline_path(char *out, size_t size, const struct options *options, const char *name)
{
    snprintf(out, size, "%s/%s.json", baseline_directory(options), name);
}

/* What was never saved is not equal to anything. */
static int require_baseline(const struct comparing *comparing, struct diag *diag)
{
    const struct options *options = comparing->options;
    const char *directory = options->baseline_directory;
    if (access(comparing->baseline, F_OK) == 0)
        return DIAG_OK;
    return diag_usage(diag,
                      "compare: %s: there is no such baseline; save one: twbench compare "
                      "--save-baseline=%s%s%s RESULT",
                      comparing->baseline, options->baseline, directory ? " --baseline-dir=" : "",
                      directory ? directory : "");
}

static bool leaves_something(const struct options *options)
{
    bool any = options->setup.json || options->html;
    for (size_t i = 0; i < EXPORTS_MAX; i++)
        any = any || options->exports[i];
    return any;
}

static int check_saving(const struct options *options, const char *path, struct diag *diag)
{
    if (options->baseline)
        return diag_usage(diag, "compare: --baseline and --save-baseline: only one of them can be "
                                "meant; compare first, then save");
    if (options->operand_count != 1)
        return diag_usage(diag,
                          "compare: %zu operands given; expected RESULT alone, beside "
                          "--save-baseline",
                          options->operand_count);
    if (leaves_something(options))
        return diag_usage(diag,
                          "compare: --json, --html, --export: --save-baseline compares nothing and "
                          "leaves no document; leave them out");
    if (options->force)
        return DIAG_OK;
    return file_refuse_existing(path, "choose another name, or --force to replace it", diag);
}

static int save_baseline(const struct options *options, struct diag *diag)
{
    char path[4096];
    struct result_document *document = NULL;
    baseline_path(path, sizeof path, options, options->save_baseline);
    int status = check_saving(options, path, diag);
    if (status == DIAG_OK)
        status = result_load(options->operands[0], &document, diag);
    if (status == DIAG_OK)
        status = gnuplot_directory(baseline_directory(options), diag);
    if (status == DIAG_OK)
        status = result_write(document, path, diag);
    if (status == DIAG_OK)
        fprintf(stderr, "twbench: %s is saved as %s\n", options->operands[0], path);
    result_free(document);
    return status;
}

/* ---- What OLD and NEW are. ------------------------------------------------------------------- */

static int find_sides(struct comparing *comparing, struct diag *diag)
{
    const struct options *options = comparing->options;
    struct contest contest = {options->contested, options->designs, options->design_count,
                              options->matrix_given};
    size_t wanted = options->baseline ? 1 : 2;
    if (options->baseline_directory && !options->baseline)
        return diag_usage(diag, "compare: --baseline-dir: expected --baseline or --save-baseline "
                                "beside it");
    if (options->operand_count != wanted)
        return diag_usage(diag, "compare: %zu operands given; expected %s", options->operand_count,
                          options->baseline ? "NEW alone, beside --baseline" : "OLD and NEW");
    comparing->after = options->operands[wanted - 1];
    comparing->before = options->operands[0];
    if (!options->baseline)
        return contestants_find(&contest, comparing->before, comparing->after, &comparing->kind,
                                diag);
    baseline_path(comparing->baseline, sizeof comparing->baseline, options, options->baseline);
    comparing->before = comparing->baseline;
    return require_baseline(comparing, diag);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static int run_binaries(struct comparing *comparing, struct diag *diag)
{
    struct pairing *pairing = &comparing->pairing;
    struct pairing_wishes wishes = options_pairing(comparing->options);
    struct pairing_sides sides = {comparing->before, comparing->after,
                                  comparing->kind == CONTESTANTS_PLUGINS};
    int status = pairing_open(pairing, &wishes, diag);
    if (status == DIAG_OK)
        status = pairing_compare(pairing, &sides, &comparing->comparison, diag);
    pairing_close(pairing);
    return status;
}

/* ---- Called by ci. --------------------------------------------------------------------------- */

/* NEW breaks the contract: a document that says so and compares nothing. */
static void refuse_broken(struct comparing *comparing)
{
    struct comparison *comparison = &comparing->comparison;
    const struct options *options = comparing->options;
    *comparison = (struct comparison){.is_binaries = true,
                                      .limits = options->limits,
                                      .alpha = GATE_ALPHA,
                                      .pin_cpu = -1,
                                      .steal_share = NAN,
                                      .busy_share = NAN,
                                      .load_1min = NAN,
                                      .slow_share = NAN};
    comparison->before.kind = comparison->after.kind = "plugin";
    snprintf(comparison->before.path, sizeof comparison->before.path, "%s", options->contract->old);
    snprintf(comparison->after.path, sizeof comparison->after.path, "%s", options->operands[0]);
    comparison->complete = true;
}

static bool is_broken(const struct options *options)
{
    return options->contract && options->contract->status == CONTRACT_BROKEN;
}

/* What conform found is part of the document, and decides over the comparison. */
static void add_contract(cJSON *document, const struct options *options)
{
    static const char *const words[] = {"held", "broken", "not-tested"};
    if (!options->contract)
        return;
    cJSON *contract = cJSON_CreateObject();
    json_add_text(contract, "status", words[options->contract->status]);
    json_add_text(contract, "text", options->contract->text);
    json_add(document, "contract", contract);
    if (is_broken(options))
        cJSON_SetNumberHelper(cJSON_GetObjectItemCaseSensitive(document, "exit_status"),
                              EXIT_FAILED);
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static int comparing_write(struct comparing *comparing, struct diag *diag)
{
    struct result_document *head = NULL;
    comparison_conclude(&comparing->comparison);
    int status = result_new(&comparing->pairing.origin, &head, diag);
    if (status != DIAG_OK)
        return status;
    cJSON *document =
        comparison_json(&comparing->comparison, result_json(head), comparing->options->fail_on);
    if (document)
        add_contract(document, comparing->options);
    status = document ? outputs_document(comparing->options, document, diag)
                      : diag_run(diag, "no memory for the comparison");
    cJSON_Delete(document);
    result_free(head);
    return status;
}

int cmd_compare(const struct options *options)
{
    struct diag diag;
    struct comparing comparing = {.options = options};
    if (options->save_baseline) {
        int saved = save_baseline(options, &diag);
        return saved == DIAG_OK ? 0 : cli_fail(saved, &diag);
    }
    if (compare_stores_applies(options))
        return compare_stores(options);
    origin_fill(&comparing.pairing.origin, &options->setup);
    int status = is_broken(options) ? DIAG_OK : find_sides(&comparing, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK && is_broken(options))
        refuse_broken(&comparing);
    else if (status == DIAG_OK)
        status = comparing.kind == CONTESTANTS_RESULTS
                     ? compare_results(comparing.before, comparing.after, &options->limits,
                                       &comparing.comparison, &diag)
                     : run_binaries(&comparing, &diag);
    bool interrupted = status == BINARIES_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = comparing_write(&comparing, &diag);
    int exit_status = status == DIAG_OK
                          ? comparison_exit_status(&comparing.comparison, options->fail_on)
                          : cli_fail(status, &diag);
    if (status == DIAG_OK && is_broken(options))
        exit_status = EXIT_FAILED;
    comparison_free(&comparing.comparison);
    return interrupted && status == DIAG_OK ? EXIT_INTERRUPTED : exit_status;
}
