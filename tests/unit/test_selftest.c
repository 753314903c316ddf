/* test_selftest.c - how the calibration of a selftest is judged; `test_selftest sample` makes documents up. */
#include "harness/base/json.h"
#include "harness/compare/selftest.h"
#include "harness/measure/plan/plan.h"
#include "harness/tell/result/document.h"
#include "sample.h"

static struct selftest sample_selftest(void)
{
    return (struct selftest){
        .complete = true,
        .false_alarms = {.trials = 200, .hits = 1, .inconclusive = 4},
        .presets = 20,
        .presets_alarmed = 1,
        .sizes = {{2, 2.1, {40, 2, 3}, 20}, {5, 4.9, {120, 117, 3}, 120}, {10, 10.2, {0, 0, 0}, 0}},
        .smallest_percent = 4.7,
        .harness_ns_per_op = 1.31,
        .cell_count = 10,
        .seconds = 250,
        .budget_seconds = 260,
        .pair_spread_percent = 0.9,
        .calibration = {{20, 5.4, 5.42, 0.998, 0.997, 0.999, "ok"},
                        {100, 26.1, 27.1, 0.963, 0.94, 0.98, "inconclusive"}},
        .left_out = {"slowdowns of 10 %: there was no time to inject them"},
        .left_out_count = 1,
    };
}

/* The caller deletes it.  The machine is the one that runs the test, as it is in a real selftest. */
static cJSON *make_selftest(const struct selftest *selftest)
{
    struct plan plan = {.group_count = 2, .cell_count = 5};
    struct limits limits = limits_default();
    struct binaries_request request = {
        .matrix = {.plan = &plan, .seed = 1, .samples = 5, .min_time_ns = 2000000},
        .pairs = 30,
        .max_pairs = 90,
        .cpu = 1,
        .limits = &limits,
    };
    struct selftest found = *selftest;
    found.timer_overhead_ns = 21.25, found.steal_share = NAN;
    found.busy_share = 0.02, found.load_1min = 0.5;
    struct result_origin origin = sample_origin();
    struct result_document *head = NULL;
    machine_read(&origin.machine, "");
    origin.tool.date_utc = "2024-04-30T18:00:00Z";
    head = result_new(&origin);
    cJSON *document = selftest_json(&found, &request, result_json(head));
    result_free(head);
    return document;
}

/* Rounds of planted times: within the tolerance, beyond it, and both. */
TEST(test_calibration_is_judged)
{
    static const struct {
        double from, to;
        const char *status;
    } cases[] = {{0.97, 1.04, "ok"},
                 {0.80, 0.94, "wrong"},
                 {1.06, 1.2, "wrong"},
                 {0.90, 1.00, "inconclusive"},
                 {0.98, 1.12, "inconclusive"}};
    double told[60], expected[60];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct calibration out = {.additions = 20};
        for (size_t round = 0; round < 60; round++) {
            expected[round] = 5 + (double)(round % 7);
            told[round] = expected[round] *
                          (cases[i].from + (cases[i].to - cases[i].from) * (double)round / 59);
        }
        calibration_judge(&out, told, expected, 60);
        assert_string_equal(out.status, cases[i].status);
        assert_true(out.ratio_low <= out.ratio && out.ratio <= out.ratio_high);
        calibration_judge(&out, told, expected, 3); /* too few for any interval */
        assert_string_equal(out.status, "inconclusive");
    }
}

/* ---- For tests/selftest_format.sh. ----------------------------------------------------------------- */

static void print_selftest(const char *path, const struct selftest *selftest)
{
    struct diag diag;
    cJSON *document = make_selftest(selftest);
    assert_int_equal(json_save(path, document, &diag), DIAG_OK);
    cJSON_Delete(document);
}

/* One that found something, and one interrupted at once. */
static int print_samples(const char *found, const char *empty)
{
    struct selftest selftest = sample_selftest();
    print_selftest(found, &selftest);
    selftest = (struct selftest){
        .sizes = {{2, NAN, {0, 0, 0}, 0}, {5, NAN, {0, 0, 0}, 0}, {10, NAN, {0, 0, 0}, 0}},
        .smallest_percent = NAN,
        .harness_ns_per_op = NAN,
        .cell_count = 10,
        .pair_spread_percent = NAN,
    };
    print_selftest(empty, &selftest);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "sample") == 0)
        return print_samples(argv[2], argv[3]);
    return run_listed_tests(NULL, NULL);
}
