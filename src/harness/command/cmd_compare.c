/* cmd_compare.c - compare: two programs, plugins or results, a verdict and the exit status that goes with it. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/object.h"
#include "harness/command/command.h"
#include "harness/command/labs.h"
#include "harness/command/pair_flags.h"
#include "harness/compare/gate_time.h"
#include "harness/compare/pairing.h"
#include "harness/compare/results.h"
#include "harness/tell/report/compare_view.h"

struct compare_options {
    struct pair_options pair; /* the first member: its groups fill it in */
    enum fail_on fail_on;
    bool ignore_missing, explain;
};

/* ---- Flags. ----------------------------------------------------------------------------------- */

static int take_limit(struct call *call, void *of, const char *flag, const char *value,
                      struct diag *diag)
{
    struct compare_options *options = of;
    (void)call;
    return limits_parse(value, flag, &options->pair.limits, diag);
}

static const char *const fail_on_words[] = {"work", "regressed", "inconclusive", NULL};

#define OF struct compare_options
static const struct flag flags[] = {
    FLAG_WORD("fail-on", "WHAT",
              "work, regressed or inconclusive: what ends in status 3 or 4 (default regressed)", OF,
              fail_on, fail_on_words),
    FLAG_NAMED("limit", "METRIC=SHARE",
               "how far a metric may move: instructions=1%, time=5%, memory=off; of some cells: "
               "heap/hold:work=2%; may be repeated",
               take_limit),
    FLAG_SWITCH("ignore-missing",
                "results: pass despite cells that only one side has; they are listed", OF,
                ignore_missing),
    FLAG_SWITCH("explain",
                "programs, plugins: name the functions whose instructions changed (needs valgrind)",
                OF, explain),
    SETUP_BUDGET(OF, pair.setup, "processor time one child may take (default 10s)"),
};
#undef OF
static const struct flag_group groups[] = {
    {.title = "Verdict", .flags = flags, .count = FLAGS(flags)}, PAIR_GROUPS(0, comparison), {0}};

static void begin(struct call *call)
{
    struct compare_options *options = call->options;
    pair_begin(call, &options->pair);
    options->pair.outputs.kind = OUTPUT_COMPARISON;
    options->fail_on = FAIL_ON_REGRESSED;
}

/* A plugin as OLD is opened at once, so that the flags behind it can name its parameters. */
static int take_operand(struct call *call, const char *path, struct diag *diag)
{
    struct compare_options *options = call->options;
    struct designs *designs = &options->pair.designs;
    if (call->operand_count > 1 || !contestants_is_plugin(path))
        return DIAG_OK;
    if (call->operand_count == 0)
        return designs_open_plugin(designs, path, &designs->contested, diag);
    return designs->contested ? contestants_match(designs->contested, call->operands[0], path, diag)
                              : DIAG_OK;
}

/* What lives as long as the command. */
struct comparing {
    struct call *call;
    const struct compare_options *options;
    const struct contract *contract; /* of ci, or NULL */
    const char *before, *after;      /* paths */
    enum contestants kind;
    struct pairing pairing; /* of programs and plugins; its origin of results too */
    struct comparison comparison;
};

/* ---- What OLD and NEW are. ------------------------------------------------------------------- */

static int find_sides(struct comparing *comparing, struct diag *diag)
{
    const struct call *call = comparing->call;
    const struct compare_options *options = comparing->options;
    const struct designs *designs = &options->pair.designs;
    struct contestants_wish contest = {designs->contested, designs->chosen, designs->count,
                                       designs->matrix_given || options->pair.loads.given};
    if (call->operand_count != 2)
        return command_operands(call, "OLD and NEW", diag);
    comparing->before = call->operands[0];
    comparing->after = call->operands[1];
    return contestants_find(&contest, comparing->before, comparing->after, &comparing->kind, diag);
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static int run_binaries(struct comparing *comparing, struct diag *diag)
{
    struct pairing *pairing = &comparing->pairing;
    struct pairing_wishes wishes = pair_wishes(&comparing->options->pair);
    wishes.explain = comparing->options->explain;
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
    *comparison = (struct comparison){.is_binaries = true,
                                      .limits = comparing->options->pair.limits,
                                      .alpha = GATE_ALPHA,
                                      .pin_cpu = -1,
                                      .steal_share = NAN,
                                      .busy_share = NAN,
                                      .load_1min = NAN,
                                      .slow_share = NAN};
    comparison->before.kind = comparison->after.kind = "plugin";
    snprintf(comparison->before.path, sizeof comparison->before.path, "%s",
             comparing->contract->old);
    snprintf(comparison->after.path, sizeof comparison->after.path, "%s",
             comparing->call->operands[0]);
    comparison->complete = true;
}

/* Of ci, with a document that has all that is left out. */
static bool is_short(const struct comparing *comparing)
{
    return comparing->contract && comparing->contract->status != CONTRACT_BROKEN &&
           comparing->options->pair.outputs.json;
}

static bool is_broken(const struct comparing *comparing)
{
    return comparing->contract && comparing->contract->status == CONTRACT_BROKEN;
}

static cJSON *copy_array(const cJSON *array)
{
    return array ? cJSON_Duplicate(array, true) : cJSON_CreateArray();
}

/* Whose commit: the plugin's, not that of the program which judges it. */
static void name_side(cJSON *document, const char *key, const char *commit)
{
    cJSON *side = cJSON_GetObjectItemCaseSensitive(document, key);
    if (!side || !commit || !commit[0])
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(side, "version", cJSON_CreateNull());
    cJSON_ReplaceItemInObjectCaseSensitive(side, "commit", json_text(commit));
}

/* The answer in at most twenty lines; the documents have the whole. */
#define SHORT_REASONS 14
static void say_short(const struct comparing *comparing, const cJSON *document)
{
    char headline[COMPARE_LINE_SIZE], summary[COMPARE_LINE_SIZE];
    const struct outputs *outputs = &comparing->options->pair.outputs;
    size_t count = 0;
    compare_headline(headline, sizeof headline, document);
    compare_summary(summary, sizeof summary, document);
    printf("%s: %s\n", json_get_text(document, "verdict"), headline[0] ? headline : summary);
    if (headline[0])
        printf("%s\n", summary);
    json_each(reason, document, "reasons")
        if (count++ < SHORT_REASONS)
            printf("- %.240s\n", reason->valuestring);
    if (count > SHORT_REASONS)
        printf("- and %zu more\n", count - SHORT_REASONS);
    json_each(accepted, document, "contract.accepted")
        if (count++ < SHORT_REASONS)
            printf("- accepted until %s: %.100s: %.100s\n", json_get_text(accepted, "until"),
                   json_get_text(accepted, "of"), json_get_text(accepted, "reason"));
    printf("contract: %s\n", json_get_text(document, "contract.status"));
    printf("the whole: twbench report %s\n", outputs->json);
}

/* What conform found is part of the document, and decides over the comparison. */
static void add_contract(cJSON *document, const struct comparing *comparing)
{
    static const char *const words[] = {"held", "broken", "not-tested"};
    if (!comparing->contract)
        return;
    cJSON *contract = cJSON_CreateObject();
    json_add_text(contract, "status", words[comparing->contract->status]);
    json_add_text(contract, "text", comparing->contract->text);
    json_add(contract, "changed", copy_array(comparing->contract->changed));
    json_add(contract, "accepted", copy_array(comparing->contract->accepted));
    json_add(document, "contract", contract);
    name_side(document, "old", comparing->contract->old_commit);
    name_side(document, "new", comparing->contract->new_commit);
    if (is_broken(comparing))
        cJSON_SetNumberHelper(cJSON_GetObjectItemCaseSensitive(document, "exit_status"),
                              EXIT_FAILED);
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static int comparing_write(struct comparing *comparing, struct diag *diag)
{
    if (comparing->options->ignore_missing)
        comparison_ignore_missing(&comparing->comparison);
    comparison_conclude(&comparing->comparison);
    cJSON *head = result_head(&comparing->pairing.origin);
    cJSON *document = comparison_json(&comparing->comparison, head, comparing->options->fail_on);
    add_contract(document, comparing);
    if (is_short(comparing))
        say_short(comparing, document);
    int status = outputs_document(&comparing->options->pair.outputs, document, diag);
    cJSON_Delete(document);
    cJSON_Delete(head);
    return status;
}

/* Documents of a lab's kind are compared by the lab's program; returns when there is no such lab. */
static int hand_over(const struct call *call, struct diag *diag)
{
    char *text = NULL;
    size_t size;
    struct diag unused;
    if (call->operand_count == 0 || object_kind(call->operands[0]) != OBJECT_NONE ||
        strcmp(call->operands[0], "-") == 0 ||
        file_read(call->operands[0], &text, &size, &unused) != DIAG_OK)
        return DIAG_OK;
    const struct lab_row *row = lab_for_document(text, size);
    free(text);
    return row ? lab_become(row, call->argv, diag) : DIAG_OK;
}

static int compare(struct comparing *comparing, struct diag *diag)
{
    const struct compare_options *options = comparing->options;
    origin_fill(&comparing->pairing.origin, &options->pair.setup);
    int status = is_broken(comparing) ? DIAG_OK : find_sides(comparing, diag);
    if (status == DIAG_OK)
        status = outputs_check(comparing->call, &options->pair.outputs, diag);
    if (status != DIAG_OK)
        return status;
    if (options->ignore_missing && comparing->kind != CONTESTANTS_RESULTS && !is_broken(comparing))
        return diag_usage(diag,
                          "compare: --ignore-missing: expected two results; programs and plugins "
                          "run the same cells");
    if (options->explain && comparing->kind == CONTESTANTS_RESULTS && !is_broken(comparing))
        return diag_usage(diag, "compare: --explain: expected two programs or two plugins; results "
                                "are not run");
    if (options->explain && !functions_known())
        return diag_usage(diag, "compare: --explain: no " FUNCTIONS_VALGRIND
                                " here: apt install valgrind, or leave the flag out");
    if (is_broken(comparing)) {
        refuse_broken(comparing);
        return DIAG_OK;
    }
    return comparing->kind == CONTESTANTS_RESULTS
               ? compare_results(comparing->before, comparing->after, &options->pair.limits,
                                 &comparing->comparison, diag)
               : run_binaries(comparing, diag);
}

static int judge(struct comparing *comparing)
{
    struct diag diag;
    int status = compare(comparing, &diag);
    bool interrupted = status == BINARIES_INTERRUPTED;
    if (status == DIAG_OK || interrupted)
        status = comparing_write(comparing, &diag);
    int exit_status = status == DIAG_OK ? comparison_exit_status(&comparing->comparison,
                                                                 comparing->options->fail_on)
                                        : command_fail(status, &diag);
    if (status == DIAG_OK && is_broken(comparing))
        exit_status = EXIT_FAILED;
    comparison_free(&comparing->comparison);
    return interrupted && status == DIAG_OK ? EXIT_INTERRUPTED : exit_status;
}

static int run(struct call *call)
{
    struct diag diag;
    struct compare_options *options = call->options;
    struct comparing comparing = {.call = call, .options = options, .contract = call->given};
    options->pair.outputs.silent = is_broken(&comparing) || is_short(&comparing);
    int status = pair_finish(&options->pair, &diag);
    if (status == DIAG_OK)
        status = hand_over(call, &diag);
    int exit_status = status == DIAG_OK ? judge(&comparing) : command_fail(status, &diag);
    designs_close(&options->pair.designs);
    return exit_status;
}

const struct command cmd_compare = {
    .name = "compare",
    .usage = "[FLAGS] OLD NEW",
    .summary = "Did it get slower? OLD and NEW: programs, plugins or results.",
    .topic = "My CI",
    .groups = groups,
    .common = " impl workload tasks pairs max-pairs fail-on limit layouts "
              "json force html export-markdown ",
    .size = sizeof(struct compare_options),
    .begin = begin,
    .run = run,
    .operand = take_operand,
};
