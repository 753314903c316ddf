/* test_claims.c - experiment files, expressions, figures and predicates, on made-up cells. */
#include "labs/teach/claims/claims.h"
#include "labs/teach/claims/quantity.h"
#include "testing.h"

#include <glob.h>
#include <math.h>

/* ---- Expressions. ---------------------------------------------------------------------------- */

static bool seven(void *ctx, const char *name, double *value)
{
    (void)ctx;
    *value = 7;
    return strcmp(name, "seven") == 0;
}

TEST(test_expressions)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7},  {"(1 + 2) * 3", 9},    {"seven / 2 - 1", 2.5},
                 {"8 / 2 / 2", 2},  {"log2(8) + 1", 4},    {"ceil(seven / 2)", 4},
                 {"floor(3.5)", 3}, {"10 - 3 - 2", 5},     {"1e3", 1000},
                 {"((seven))", 7},  {"2 * (1 + 1) - 4", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        struct diag diag;
        assert_int_equal(expression_evaluate(cases[i].text, "it", seven, NULL, &value, &diag), 0);
        assert_true(fabs(value - cases[i].value) < 1e-12);
    }
    double value = 0;
    struct diag diag;
    assert_int_equal(expression_evaluate("1 / (seven - 7)", "it", seven, NULL, &value, &diag), 0);
    assert_true(isnan(value));
}

TEST(test_expressions_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"1 +", "it: column 4: expected a number"},
                 {"seven eight", "it: column 7: expected an operator"},
                 {"eight", "it: column 1: no figure 'eight'"},
                 {"(1 + 2", "it: column 7: expected ')'"},
                 {"sqrt(4)", "it: column 1: no such function"},
                 {"-1", "it: column 1: expected a number"},
                 {"", "it: column 1: expected a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 42;
        struct diag diag;
        assert_int_equal(expression_evaluate(cases[i].text, "it", seven, NULL, &value, &diag),
                         DIAG_USAGE);
        assert_true(strncmp(diag.text, cases[i].says, strlen(cases[i].says)) == 0);
        assert_true(value > 41);
    }
    char deep[200];
    double value;
    struct diag diag;
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(expression_evaluate(deep, "it", seven, NULL, &value, &diag), DIAG_USAGE);
}

/* ---- Files. ---------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\",\"runs\":{"           \
    "\"fill\":{\"designs\":[\"list\",\"heap\"],\"workload\":\"hold\","                             \
    "\"tasks\":[1000,\"2k\",\"4k\",\"8k\"],\"measure\":\"counts\"},"                               \
    "\"time\":{\"designs\":[\"list\",\"heap\"],\"workload\":\"hold\",\"tasks\":1000,"              \
    "\"measure\":\"times\"}},\"parts\":["
#define TAIL "]}"
#define PART "{\"id\":\"p\",\"statement\":\"s\","

static struct experiment *parse(const char *parts)
{
    char text[4000];
    struct experiment *experiment = NULL;
    struct diag diag = {""};
    snprintf(text, sizeof text, HEAD "%s" TAIL, parts);
    if (experiment_parse(text, "x.json", &experiment, &diag) != DIAG_OK)
        fail_msg("%s", diag.text);
    return experiment;
}

static void refuse_text(const char *text, const char *says)
{
    struct experiment *experiment = NULL;
    struct diag diag = {""};
    assert_int_equal(experiment_parse(text, "x.json", &experiment, &diag), DIAG_USAGE);
    assert_null(experiment);
    if (!strstr(diag.text, says))
        fail_msg("'%s' lacks '%s'", diag.text, says);
}

static void refuse_part(const char *part, const char *says)
{
    char text[4000];
    snprintf(text, sizeof text, HEAD PART "%s}" TAIL, part);
    refuse_text(text, says);
}

TEST(test_a_file)
{
    struct experiment *experiment = parse(
        PART "\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"impl\":\"list\",\"phase\":\"steady\","
             "\"figure\":\"work / op\",\"at\":\"2k\"},\"is\":\"above\",\"times\":2,"
             "\"to\":{\"impl\":\"heap\"}}");
    const struct experiment_part *part = &experiment->parts[0];
    assert_int_equal(experiment->run_count, 2);
    assert_int_equal(experiment->runs[0].point_count, 4);
    assert_int_equal(experiment->runs[0].points[1].tasks, 2000);
    assert_false(experiment->runs[0].timed);
    assert_true(experiment->runs[1].timed);
    assert_ptr_equal(part->to.run, &experiment->runs[0]);
    assert_string_equal(part->to.figure, "work / op");
    assert_string_equal(part->to.impls[0], "heap");
    assert_true(part->of.at >= 2000 && part->of.at <= 2000);
    assert_false(part->is_reading);
    experiment_free(experiment);
}

/* ---- Labels. --------------------------------------------------------------------------------- */

static void label_of(const struct experiment_part *part, char label[EXPERIMENT_LABEL_SIZE])
{
    size_t count;
    experiment_label(label, &part->of, experiment_impls(&part->of, &count)[0]);
}

TEST(test_labels_name_what_differs)
{
    char label[EXPERIMENT_LABEL_SIZE];
    struct experiment *experiment = parse(
        PART "\"kind\":\"order\",\"is\":\"rising\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"}},"
             "{\"id\":\"q\",\"statement\":\"s\",\"kind\":\"order\",\"is\":\"rising\","
             "\"of\":{\"run\":\"time\",\"impl\":\"list\",\"figure\":\"work\"}},"
             "{\"id\":\"r\",\"statement\":\"s\",\"kind\":\"order\",\"is\":\"rising\","
             "\"of\":{\"run\":\"time\",\"phase\":\"steady\",\"figure\":\"work\"}},"
             "{\"id\":\"t\",\"statement\":\"s\",\"kind\":\"order\",\"is\":\"rising\","
             "\"of\":{\"run\":\"time\",\"figure\":\"visits\"}}");
    static const char *const expected[] = {
        "work of list (run fill)", "work of list (run time, all phases)",
        "work of list (run time, phase steady)", "visits of list"};
    for (size_t i = 0; i < 4; i++) {
        label_of(&experiment->parts[i], label);
        assert_string_equal(label, expected[i]);
    }
    experiment_free(experiment);
}

struct labelled {
    char label[EXPERIMENT_LABEL_SIZE];
    const struct experiment_selector *selector;
};

static bool means_same(const struct experiment_selector *a, const struct experiment_selector *b)
{
    return a->run == b->run && !a->phase == !b->phase &&
           (!a->phase || strcmp(a->phase, b->phase) == 0) && strcmp(a->figure, b->figure) == 0;
}

/* Adds a label for each design of the selector, and compares it with those before it. */
static size_t add_labels(const char *claim, const struct experiment_selector *selector,
                         struct labelled *all, size_t count)
{
    size_t designs;
    const char *const *impls = experiment_impls(selector, &designs);
    for (size_t d = 0; d < designs; d++) {
        struct labelled *new = &all[count++];
        new->selector = selector;
        experiment_label(new->label, selector, impls[d]);
        for (size_t i = 0; i + 1 < count; i++)
            if (strcmp(all[i].label, new->label) == 0 && !means_same(all[i].selector, selector))
                fail_msg("%s: two figures are both called '%s'", claim, new->label);
    }
    return count;
}

static void check_labels(const struct experiment *experiment, struct labelled *all)
{
    size_t count = 0;
    for (size_t p = 0; p < experiment->part_count; p++) {
        const struct experiment_part *part = &experiment->parts[p];
        if (part->kind != KIND_FORMULA)
            count = add_labels(experiment->id, &part->of, all, count);
        if (part->has_to)
            count = add_labels(experiment->id, &part->to, all, count);
    }
}

/* T17 asks for libraries, which are not beside a unit test. */
TEST(test_no_claim_has_two_equal_labels)
{
    glob_t files;
    struct labelled *all = calloc(2 * EXPERIMENT_PARTS_MAX * EXPERIMENT_DESIGNS_MAX, sizeof *all);
    assert_non_null(all);
    assert_int_equal(glob("labs/teach/experiments/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct experiment *experiment = NULL;
        struct diag diag = {""};
        if (strcmp(files.gl_pathv[i], "labs/teach/experiments/T17.json") == 0)
            continue;
        if (experiment_load(files.gl_pathv[i], &experiment, &diag) != DIAG_OK)
            fail_msg("%s", diag.text);
        check_labels(experiment, all);
        experiment_free(experiment);
    }
    globfree(&files);
    free(all);
}

TEST(test_points)
{
    struct experiment *experiment = NULL;
    struct diag diag = {""};
    int status = experiment_parse(
        "{\"id\":\"T9\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\",\"runs\":{\"r\":{"
        "\"designs\":[\"hashed\"],\"workload\":\"hold\",\"tasks\":\"1k\",\"tick\":\"10ms\","
        "\"set\":{\"turns\":0.5,\"delay\":\"1s\"},\"settings\":{\"slots\":64},\"measure\":"
        "\"counts\","
        "\"points\":[{\"x\":1},{\"x\":2,\"settings\":{\"slots\":128},\"set\":{\"delay\":\"2s\"},"
        "\"tick\":\"1ms\",\"drive\":\"next\",\"tasks\":5}]}},\"parts\":[" PART
        "\"kind\":\"order\",\"of\":{\"run\":\"r\",\"figure\":\"fixed_bytes\"},\"is\":\"rising\"}]}",
        "x.json", &experiment, &diag);
    assert_int_equal(status, DIAG_OK);
    const struct experiment_point *points = experiment->runs[0].points;
    assert_int_equal(points[0].settings[0].values[0], 64);
    assert_int_equal(points[1].settings[0].values[0], 128);
    assert_int_equal(points[1].setting_count, 1);
    assert_string_equal(points[0].sets[0].value, "0.5");
    assert_string_equal(points[0].sets[1].value, "1s");
    assert_string_equal(points[1].sets[1].value, "2s");
    assert_int_equal(points[0].tick_ns, 10000000);
    assert_int_equal(points[1].tick_ns, 1000000);
    assert_int_equal(points[0].drive, PLAN_DRIVE_TICKS);
    assert_int_equal(points[1].drive, PLAN_DRIVE_NEXT);
    assert_int_equal(points[1].tasks, 5);
    experiment_free(experiment);
}

TEST(test_files_refused)
{
    refuse_text("{\n  \"id\": T1\n}", "x.json:2:9: not JSON");
    refuse_text("[]", "x.json: expected an object");
    refuse_text("{\"id\":\"T1\"}", "x.json: statement: missing");
    refuse_text("{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[],\"waits_for\":\"x\"}",
                "x.json: documents: expected an array");
    refuse_text("{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\","
                "\"runs\":{\"r\":{\"designs\":[\"quick\"]}}}",
                "x.json: runs.r.designs[0]: 'quick' is not a design");
    refuse_text(
        "{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\","
        "\"runs\":{\"r\":{\"designs\":[\"heap\"],\"workload\":\"hold\",\"measure\":\"counts\","
        "\"settings\":{\"slots\":8}}}}",
        "x.json: runs.r.settings.slots: no parameter");
    refuse_text(
        "{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\","
        "\"runs\":{\"r\":{\"designs\":[\"heap\"],\"workload\":\"hold\",\"measure\":\"counts\","
        "\"tasks\":[1,\"two\"]}}}",
        "x.json: runs.r.tasks[1]");
    refuse_text(
        "{\"id\":\"T1\",\"statement\":\"s\",\"documents\":[\"A\"],\"test\":\"t\","
        "\"runs\":{\"r\":{\"designs\":[\"heap\"],\"workload\":\"hold\",\"measure\":\"counts\","
        "\"points\":[{\"x\":2},{\"x\":1}]}}}",
        "x.json: runs.r.points[1]: expected x to rise");
    refuse_text("{\"id\":\"T1\",\"id\":\"T2\"}", "x.json: id: there twice");
    refuse_text("{\"id\":\"T1\",\"colour\":\"red\"}", "x.json: colour: unknown key");
}

TEST(test_parts_refused)
{
    refuse_part("\"kind\":\"guess\"", "parts[0].kind: 'guess', expected one of growth");
    refuse_part("\"kind\":\"growth\",\"of\":{\"run\":\"no\",\"figure\":\"work\"}",
                "parts[0].of.run: there is no run 'no'");
    refuse_part("\"kind\":\"growth\",\"of\":{\"run\":\"fill\",\"figure\":\"wrok\"}",
                "of.figure: column 1: no figure 'wrok'");
    refuse_part("\"kind\":\"growth\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"}",
                "parts[0]: expected \"at_most\"");
    refuse_part("\"kind\":\"growth\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"},"
                "\"at_most\":\"O(n^3)\"",
                "parts[0].at_most: 'O(n^3)'");
    refuse_part("\"kind\":\"growth\",\"of\":{\"run\":\"time\",\"figure\":\"work\"},"
                "\"at_most\":\"O(1)\"",
                "at least 3 sizes");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"ns / op\"},"
                "\"is\":\"above\",\"predict\":1",
                "parts[0].of.figure: rests on time");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"},"
                "\"is\":\"rising\",\"predict\":1",
                "parts[0].is: expected above, below or equal");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"},"
                "\"is\":\"equal\",\"predict\":1",
                "\"within\"");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"work\",\"at\":5},"
                "\"is\":\"above\",\"predict\":1",
                "parts[0].of.at: run 'fill' has no such x");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"work\","
                "\"impl\":\"hashed\"},\"is\":\"above\",\"predict\":1",
                "parts[0].of.impl: not among the designs");
    refuse_part("\"kind\":\"compare\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"},"
                "\"is\":\"above\"",
                "expected one of \"to\" and \"predict\"");
    refuse_part("\"kind\":\"formula\",\"name\":\"pi\"", "parts[0].name: there is no formula 'pi'");
    refuse_part("\"kind\":\"formula\",\"name\":\"slot-printed\",\"is\":\"above\"",
                "parts[0].is: unknown key");
}

/* ---- Made-up cells. -------------------------------------------------------------------------- */

/* A cell with one phase, "steady": `work` comparisons, and samples of the time of an operation. */
static cJSON *cell_of(double tasks, double work, const double *samples, size_t count)
{
    char text[1200], list[400] = "";
    for (size_t i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%g", i ? "," : "", samples[i]);
    snprintf(text, sizeof text,
             "{\"status\":\"ok\",\"tasks\":%g,\"params\":{\"slots\":8,\"levels\":[4,2]},"
             "\"stream\":{\"hash\":\"%g\"},\"memory\":{\"peak_bytes\":640},\"phases\":[{"
             "\"name\":\"steady\",\"operations\":{\"start\":5,\"stop\":0,\"advance\":20,"
             "\"expire\":5,\"ticks\":40},\"work\":{\"comparisons\":%g,\"visits\":0,\"moves\":0,"
             "\"link_writes\":0},\"advance_work\":{\"max\":3},"
             "\"ns_per_op\":{\"median\":1,\"low\":1,\"high\":1,\"samples\":[%s]}}]}",
             tasks, tasks, work, list);
    cJSON *cell = cJSON_Parse(text);
    assert_non_null(cell);
    return cell;
}

/* What list and heap cost at 1k, 2k, 4k, 8k of the run "fill", and at 1k of "time". */
struct made {
    struct evidence_cell cells[10];
    struct evidence evidence;
};

typedef double cost_fn(double n);

static double cost_one(double n)
{
    (void)n;
    return 100;
}
static double cost_linear(double n)
{
    return 3 * n;
}
static double cost_square(double n)
{
    return n * n;
}

static void make(struct made *made, const struct experiment *experiment, cost_fn *list,
                 cost_fn *heap, const double *list_ns, const double *heap_ns, size_t samples)
{
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        double x = experiment->runs[0].points[i].x;
        made->cells[count++] =
            (struct evidence_cell){&experiment->runs[0], "list", x, cell_of(x, list(x), NULL, 0)};
        made->cells[count++] =
            (struct evidence_cell){&experiment->runs[0], "heap", x, cell_of(x, heap(x), NULL, 0)};
    }
    made->cells[count++] = (struct evidence_cell){&experiment->runs[1], "list", 1000,
                                                  cell_of(1000, 1, list_ns, samples)};
    made->cells[count++] = (struct evidence_cell){&experiment->runs[1], "heap", 1000,
                                                  cell_of(1000, 1, heap_ns, samples)};
    made->evidence = (struct evidence){made->cells, count, false};
}

static void unmake(struct made *made)
{
    for (size_t i = 0; i < made->evidence.count; i++) {
        cJSON *cell;
        memcpy(&cell, &made->cells[i].cell, sizeof cell);
        cJSON_Delete(cell);
    }
}

static const double slow_ns[] = {20, 21, 20, 22, 20, 21, 20};
static const double fast_ns[] = {10, 10, 11, 10, 10, 10, 11};
static const double mixed_ns[] = {10, 30, 11, 31, 12, 32, 29};

static enum claim_verdict judge(const char *part, cost_fn *list, cost_fn *heap,
                                const double *list_ns, size_t samples, char *why)
{
    char text[1500];
    struct made made;
    struct judgement judgement;
    snprintf(text, sizeof text, PART "%s}", part);
    struct experiment *experiment = parse(text);
    make(&made, experiment, list, heap, list_ns, fast_ns, samples);
    predicate_judge(&experiment->parts[0], &made.evidence, &judgement);
    if (why)
        snprintf(why, PREDICATE_WHY_SIZE, "%s", judgement.why);
    assert_true(judgement.why[0] != '\0');
    cJSON_Delete(judgement.figures);
    unmake(&made);
    experiment_free(experiment);
    return judgement.verdict;
}

/* By counts alone. */
static enum claim_verdict judge_counts(const char *part, cost_fn *list, cost_fn *heap)
{
    return judge(part, list, heap, slow_ns, 7, NULL);
}

#define OF_FILL "\"of\":{\"run\":\"fill\",\"impl\":\"list\",\"figure\":\"work\"},"

TEST(test_quantities)
{
    cJSON *cell = cell_of(1000, 50, slow_ns, 7);
    struct quantity work = quantity_of(cell, "steady", "work / op");
    assert_true(work.median >= 5 && work.median <= 5 && !work.timed && work.count == 0);
    struct quantity ns = quantity_of(cell, NULL, "ns / op");
    assert_true(ns.timed && ns.count == 7);
    assert_true(ns.median >= 20 && ns.median <= 20 && ns.low <= 20 && ns.high <= 22);
    struct quantity setting = quantity_of(cell, NULL, "slots * levels");
    assert_true(setting.median >= 16 && setting.median <= 16);
    assert_true(isnan(quantity_of(cell, "other", "work").median));
    assert_true(isnan(quantity_of(cell, NULL, "late_max_ticks").median));
    struct quantity ratio = quantity_ratio(&ns, &ns, true);
    assert_true(ratio.count == 7 && ratio.low >= 1 && ratio.high <= 1);
    ratio = quantity_ratio(&ns, &ns, false);
    assert_true(ratio.count == 0 && ratio.low < 1 && ratio.high > 1);
    cJSON_Delete(cell);
}

/* Each run is a sample; a bound is the same for all of them. */
TEST(test_quantities_of_the_clock)
{
    cJSON *cell = cJSON_Parse(
        "{\"clock\":{\"wakeups_per_s\":10,\"rounds\":[{\"wakeups_per_s\":9},{\"wakeups_per_s\":10},"
        "{\"wakeups_per_s\":10},{\"wakeups_per_s\":10},{\"wakeups_per_s\":10},"
        "{\"wakeups_per_s\":12}]}}");
    struct quantity rate = quantity_of(cell, NULL, "clock.wakeups_per_s / 2");
    assert_true(rate.timed && rate.count == 6 && rate.low >= 4.5 && rate.low <= 4.5);
    assert_true(rate.high >= 6 && rate.high <= 6 && rate.confidence >= 0.95);
    struct quantity bound = quantity_of(cell, NULL, "5");
    struct quantity ratio = quantity_ratio(&rate, &bound, true);
    assert_true(ratio.count == 6 && ratio.median >= 1 && ratio.median <= 1);
    assert_true(isnan(quantity_of(cell, NULL, "clock.cpu_share").median));
    cJSON_Delete(cell);
}

TEST(test_growth)
{
    const char *most = "\"kind\":\"growth\"," OF_FILL "\"at_most\":\"O(n)\"";
    const char *least = "\"kind\":\"growth\"," OF_FILL "\"at_least\":\"O(n)\"";
    assert_int_equal(judge_counts(most, cost_one, cost_one), CLAIM_HOLDS);
    assert_int_equal(judge_counts(most, cost_square, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(least, cost_one, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(least, cost_square, cost_one), CLAIM_HOLDS);
    /* A factor of 8 cannot tell n from n log n within 5 %. */
    assert_int_equal(judge_counts("\"kind\":\"growth\"," OF_FILL "\"at_least\":\"O(n log n)\"",
                                  cost_linear, cost_one),
                     CLAIM_INCONCLUSIVE);
    /* Both designs are tried when none is named. */
    assert_int_equal(
        judge_counts("\"kind\":\"growth\",\"of\":{\"run\":\"fill\",\"figure\":\"work\"},"
                     "\"at_most\":\"O(n)\"",
                     cost_one, cost_square),
        CLAIM_REFUTED);
}

TEST(test_compare_counts)
{
    const char *above =
        "\"kind\":\"compare\"," OF_FILL "\"is\":\"above\",\"to\":{\"impl\":\"heap\"}";
    const char *below =
        "\"kind\":\"compare\"," OF_FILL "\"is\":\"below\",\"to\":{\"impl\":\"heap\"}";
    const char *equal = "\"kind\":\"compare\"," OF_FILL "\"is\":\"equal\",\"within\":0.01,"
                        "\"predict\":\"3 * tasks\"";
    assert_int_equal(judge_counts(above, cost_linear, cost_one), CLAIM_HOLDS);
    assert_int_equal(judge_counts(above, cost_one, cost_linear), CLAIM_REFUTED);
    assert_int_equal(judge_counts(above, cost_one, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(below, cost_one, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(below, cost_one, cost_linear), CLAIM_HOLDS);
    assert_int_equal(judge_counts(equal, cost_linear, cost_one), CLAIM_HOLDS);
    assert_int_equal(judge_counts(equal, cost_one, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts("\"kind\":\"compare\"," OF_FILL
                                  "\"is\":\"above\",\"times\":31,\"to\":{\"impl\":\"heap\"}",
                                  cost_linear, cost_one),
                     CLAIM_REFUTED);
    /* Against nothing. */
    assert_int_equal(judge_counts("\"kind\":\"compare\"," OF_FILL
                                  "\"is\":\"equal\",\"within\":0,\"predict\":0",
                                  cost_one, cost_one),
                     CLAIM_REFUTED);
    assert_int_equal(judge_counts("\"kind\":\"compare\"," OF_FILL "\"is\":\"above\",\"predict\":0",
                                  cost_one, cost_one),
                     CLAIM_HOLDS);
}

TEST(test_compare_times)
{
    char why[PREDICATE_WHY_SIZE];
    const char *above = "\"kind\":\"compare\",\"of\":{\"run\":\"time\",\"impl\":\"list\","
                        "\"figure\":\"ns / op\"},\"is\":\"above\",\"to\":{\"impl\":\"heap\"}";
    assert_int_equal(judge(above, cost_one, cost_one, slow_ns, 7, why), CLAIM_HOLDS);
    assert_int_equal(judge(above, cost_one, cost_one, mixed_ns, 7, why), CLAIM_INCONCLUSIVE);
    assert_int_equal(judge(above, cost_one, cost_one, fast_ns, 7, why), CLAIM_REFUTED);
    /* Five samples have no interval of 95 %. */
    assert_int_equal(judge(above, cost_one, cost_one, slow_ns, 5, why), CLAIM_INCONCLUSIVE);
    assert_non_null(strstr(why, "too few samples"));
}

TEST(test_order)
{
    const char *rising = "\"kind\":\"order\"," OF_FILL "\"is\":\"rising\"";
    const char *falling = "\"kind\":\"order\"," OF_FILL "\"is\":\"falling\"";
    const char *flat = "\"kind\":\"order\"," OF_FILL "\"is\":\"flat\",\"within\":0.1";
    assert_int_equal(judge_counts(rising, cost_linear, cost_one), CLAIM_HOLDS);
    assert_int_equal(judge_counts(rising, cost_one, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(falling, cost_linear, cost_one), CLAIM_REFUTED);
    assert_int_equal(judge_counts(flat, cost_one, cost_one), CLAIM_HOLDS);
    assert_int_equal(judge_counts(flat, cost_linear, cost_one), CLAIM_REFUTED);
}

/* A cell that is not there, or did not end well, decides nothing: neither way. */
TEST(test_missing_cells)
{
    struct made made;
    struct judgement judgement;
    struct experiment *experiment =
        parse(PART "\"kind\":\"compare\"," OF_FILL "\"is\":\"above\",\"to\":{\"impl\":\"heap\"}}");
    make(&made, experiment, cost_linear, cost_one, slow_ns, fast_ns, 7);
    const cJSON *kept = made.cells[0].cell;
    made.cells[0].cell = NULL;
    predicate_judge(&experiment->parts[0], &made.evidence, &judgement);
    assert_int_equal(judgement.verdict, CLAIM_INCONCLUSIVE);
    assert_string_equal(judgement.why, "list at 1k was not run");
    cJSON_Delete(judgement.figures);
    made.cells[0].cell = cJSON_Parse("{\"status\":\"timeout\",\"reason\":\"over 10 s\"}");
    predicate_judge(&experiment->parts[0], &made.evidence, &judgement);
    assert_int_equal(judgement.verdict, CLAIM_INCONCLUSIVE);
    assert_string_equal(judgement.why, "list at 1k: timeout: over 10 s");
    cJSON_Delete(judgement.figures);
    /* But what refutes elsewhere still refutes. */
    experiment->parts[0].relation = IS_BELOW;
    predicate_judge(&experiment->parts[0], &made.evidence, &judgement);
    assert_int_equal(judgement.verdict, CLAIM_REFUTED);
    cJSON_Delete(judgement.figures);
    unmake(&made);
    made.cells[0].cell = kept;
    made.evidence.count = 1;
    unmake(&made);
    experiment_free(experiment);
}

TEST(test_quick_leaves_times_open)
{
    struct judgement judgement;
    struct experiment *experiment =
        parse(PART "\"kind\":\"compare\",\"of\":{\"run\":\"time\",\"impl\":\"list\","
                   "\"figure\":\"ns / op\"},\"is\":\"above\",\"to\":{\"impl\":\"heap\"}}");
    struct evidence evidence = {NULL, 0, true};
    predicate_judge(&experiment->parts[0], &evidence, &judgement);
    assert_int_equal(judgement.verdict, CLAIM_INCONCLUSIVE);
    assert_non_null(strstr(judgement.why, "--quick"));
    cJSON_Delete(judgement.figures);
    experiment_free(experiment);
}

TEST(test_verdicts_add_up)
{
    assert_int_equal(claim_verdict_and(CLAIM_HOLDS, CLAIM_HOLDS), CLAIM_HOLDS);
    assert_int_equal(claim_verdict_and(CLAIM_HOLDS, CLAIM_INCONCLUSIVE), CLAIM_INCONCLUSIVE);
    assert_int_equal(claim_verdict_and(CLAIM_REFUTED, CLAIM_INCONCLUSIVE), CLAIM_REFUTED);
    assert_string_equal(claim_verdict_name(CLAIM_HOLDS), "holds");
    assert_string_equal(claim_verdict_name(CLAIM_REFUTED), "does-not-hold");
    assert_string_equal(claim_verdict_name(CLAIM_INCONCLUSIVE), "inconclusive");
}

/* ---- Formulas. ------------------------------------------------------------------------------- */

TEST(test_formulas)
{
    static const char *const right[] = {"slot-corrected", "walk-corrected"};
    static const char *const wrong[] = {"slot-printed", "walk-printed"};
    for (size_t i = 0; i < 2; i++) {
        struct formula_outcome outcome = {0};
        formula_find(right[i])->run(&outcome);
        assert_int_equal(outcome.wrong, 0);
        assert_true(outcome.cases > 100);
        outcome = (struct formula_outcome){0};
        formula_find(wrong[i])->run(&outcome);
        assert_true(outcome.wrong > 0 && outcome.wrong < outcome.cases && outcome.first[0]);
    }
    assert_null(formula_find("slot"));
}

/* Those of C that a pointer at 0 has: the printed formula is right there, which is why it was printed. */
TEST(test_printed_slot_leaves_the_ring)
{
    struct formula_outcome outcome = {0};
    formula_find("slot-printed")->run(&outcome);
    assert_string_equal(outcome.first, "pointer at 1, delay 59: slot 60 of 0 .. 59, expected 0");
}

TEST_MAIN(NULL, NULL)
