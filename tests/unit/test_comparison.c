/* test_comparison.c - verdicts and their reasons, exit statuses, limits, and the document. */
#include "compare_sample.h"
#include "harness/base/json.h"
#include "harness/base/units.h"
#include "sample.h"

/* ---- Words. ---------------------------------------------------------------------------------- */

TEST(test_verdicts_have_an_order)
{
    static const char *const names[] = {"same", "improved", "inconclusive", "regressed"};
    for (int a = 0; a < 4; a++) {
        assert_string_equal(verdict_name((enum verdict)a), names[a]);
        for (int b = 0; b < 4; b++)
            assert_int_equal(verdict_worse((enum verdict)a, (enum verdict)b), a > b ? a : b);
    }
}

TEST(test_changes_are_written_for_people)
{
    static const struct {
        double share;
        const char *text;
    } cases[] = {{0.333333, "+33.3 %"}, {-0.0042, "-0.4 %"},  {0, "0 %"},
                 {0.0002, "+0.02 %"},   {-0.00099, "-0.1 %"}, {12.5, "+1250 %"},
                 {INFINITY, "-"},       {NAN, "-"},           {0.00094, "+0.094 %"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        units_format_change(text, sizeof text, cases[i].share);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- Limits. --------------------------------------------------------------------------------- */

TEST(test_limits_are_parsed)
{
    struct limits limits = limits_default();
    struct diag diag;
    assert_float_equal(limits.of[METRIC_MEMORY], 0.10, 1e-12);
    assert_float_equal(limits.of[METRIC_ADVANCE_WORK], 0.10, 1e-12);
    assert_float_equal(limits.of[METRIC_TIME], 0.03, 1e-12);
    assert_float_equal(limits.of[METRIC_LAYOUT], 0.10, 1e-12);
    assert_int_equal(limits_parse("work=2%", "--limit", &limits, &diag), DIAG_OK);
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        assert_float_equal(limits.of[i], 0.02, 1e-12);
    assert_float_equal(limits.of[METRIC_INSTRUCTIONS], 0.01, 1e-12);
    assert_int_equal(limits_parse("comparisons=0.5%", "--limit", &limits, &diag), DIAG_OK);
    assert_int_equal(limits_parse("link_writes=0 %", "--limit", &limits, &diag), DIAG_OK);
    assert_int_equal(limits_parse("instructions=off", "--limit", &limits, &diag), DIAG_OK);
    assert_int_equal(limits_parse("layout=20%", "--limit", &limits, &diag), DIAG_OK);
    assert_float_equal(limits.of[METRIC_comparisons], 0.005, 1e-12);
    assert_float_equal(limits.of[METRIC_visits], 0.02, 1e-12);
    assert_float_equal(limits.of[METRIC_link_writes], 0, 0);
    assert_true(isnan(limits.of[METRIC_INSTRUCTIONS]));
    assert_float_equal(limits.of[METRIC_LAYOUT], 0.2, 1e-12);
}

TEST(test_wrong_limits_are_refused)
{
    static const struct {
        const char *text, *named;
    } cases[] = {
        {"", "METRIC=PERCENT"},      {"instructions", "METRIC=PERCENT"},
        {"=1%", "METRIC=PERCENT"},   {"speed=1%", "\"speed\""},
        {"wor=1%", "\"wor\""},       {"works=1%", "\"works\""},
        {"work=", "percentage"},     {"work=1", "percentage"},
        {"work=-1%", "percentage"},  {"work=nan%", "percentage"},
        {"work=1e2%", "percentage"}, {"work=1%%", "percentage"},
        {"work=1001%", "1000%"},     {"work=.5%", "percentage"},
        {"time=off", "--fail-on"},   {"layout=off", "layout"},
        {"memory=OFF", "or off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct limits limits = limits_default(), before = limits;
        struct diag diag = {""};
        assert_int_equal(limits_parse(cases[i].text, "--limit", &limits, &diag), DIAG_USAGE);
        assert_memory_equal(&limits, &before, sizeof limits);
        assert_non_null(strstr(diag.text, "--limit"));
        if (!strstr(diag.text, cases[i].named))
            fail_msg("%s: \"%s\" does not name %s", cases[i].text, diag.text, cases[i].named);
    }
}

/* ---- A cell. --------------------------------------------------------------------------------- */

/* Concludes, expects both, and frees. */
static void expect(struct compared_cell *cell, enum verdict verdict, const char *reason)
{
    struct limits limits = limits_default();
    cell_conclude(cell, &limits);
    assert_string_equal(cell->reason, reason);
    assert_int_equal(cell->verdict, verdict);
    cJSON_Delete(cell->requested);
}

static struct compared_cell tail_cell(enum verdict verdict, size_t pairs)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    cell.tail = (struct compared_tail){
        .known = true,
        .verdict = verdict,
        .phase = "steady",
        .call = 4711,
        .before_ns = 1900,
        .after_ns = 52100,
        .pairs = pairs,
        .agreed = pairs,
    };
    return cell;
}

/* No median and no count shows it. */
TEST(test_a_limit_may_be_of_some_cells_only)
{
    struct diag diag;
    struct limits limits = limits_default();
    struct compared_cell heap = {.impl = "heap", .workload = "keepalive"}, list = heap, hold = heap;
    snprintf(list.impl, sizeof list.impl, "list");
    snprintf(hold.workload, sizeof hold.workload, "hold");
    assert_int_equal(limits_parse("keepalive:work=5%", "--limit", &limits, &diag), DIAG_OK);
    assert_int_equal(limits_parse("heap/*:instructions=25%", "--limit", &limits, &diag), DIAG_OK);
    assert_int_equal(limits_parse("heap/hold:instructions=off", "--limit", &limits, &diag),
                     DIAG_OK);
    assert_true(limits_for(&limits, &heap).of[METRIC_comparisons] == 0.05);
    assert_true(limits_for(&limits, &heap).of[METRIC_INSTRUCTIONS] == 0.25);
    assert_true(limits_for(&limits, &list).of[METRIC_comparisons] == 0.05);
    assert_true(limits_for(&limits, &list).of[METRIC_INSTRUCTIONS] == 0.01);
    assert_true(limits_for(&limits, &hold).of[METRIC_comparisons] == 0.01);
    assert_true(isnan(limits_for(&limits, &hold).of[METRIC_INSTRUCTIONS]));
    size_t count = limits.rule_count;
    assert_int_equal(limits_parse("/hold:work=1%", "--limit", &limits, &diag), DIAG_USAGE);
    assert_int_equal(limits_parse("heap/:work=1%", "--limit", &limits, &diag), DIAG_USAGE);
    assert_int_equal(limits_parse("hold:wurk=1%", "--limit", &limits, &diag), DIAG_USAGE);
    assert_int_equal(limits_parse("hold:time=off", "--limit", &limits, &diag), DIAG_USAGE);
    assert_int_equal(limits.rule_count, count);
}

TEST(test_cell_with_a_tail)
{
    struct compared_cell cell = tail_cell(VERDICT_REGRESSED, 10);
    expect(
        &cell, VERDICT_REGRESSED,
        "tail: advance 4711 of steady takes 52.1 us, before 1.9 us (10 of 10 repetitions agree)");
    cell = tail_cell(VERDICT_INCONCLUSIVE, 0);
    expect(&cell, VERDICT_INCONCLUSIVE,
           "tail: advance 4711 of steady takes 52.1 us, before 1.9 us (not repeated)");
    cell = tail_cell(VERDICT_REGRESSED, 0);
    cell.tail.wanders = true;
    expect(&cell, VERDICT_REGRESSED,
           "tail: an advance in every pass of steady takes 52.1 us, before 1.9 us");
    cell = tail_cell(VERDICT_SAME, 2);
    expect(&cell, VERDICT_SAME, "");
    cell = tail_cell(VERDICT_REGRESSED, 10);
    struct limits limits = limits_default();
    limits.of[METRIC_TAIL] = NAN;
    cell_conclude(&cell, &limits);
    assert_int_equal(cell.verdict, VERDICT_SAME);
    cJSON_Delete(cell.requested);
}

TEST(test_tail_in_the_document)
{
    struct comparison comparison = sample_comparison(2);
    cJSON_Delete(comparison.cells[0].requested);
    comparison.cells[0] = tail_cell(VERDICT_REGRESSED, 10);
    for (size_t i = 0; i < 2; i++)
        cell_conclude(&comparison.cells[i], &comparison.limits);
    comparison_conclude(&comparison);
    cJSON *document = comparison_json(&comparison, NULL, FAIL_ON_REGRESSED);
    const cJSON *cell = json_get(document, "cells")->child;
    assert_string_equal(json_get_text(cell, "gates.tail"), "regressed");
    assert_string_equal(json_get(cell, "decided_by")->child->valuestring, "tail");
    assert_string_equal(json_get_text(cell, "tail.phase"), "steady");
    assert_true(json_get_number(cell, "tail.call") == 4711);
    assert_true(json_get_number(cell, "tail.new_ns") == 52100);
    assert_true(json_get_number(document, "exit_status") == 3);
    assert_null(json_get(cell->next, "gates.tail"));
    assert_null(json_get(cell->next, "tail"));
    assert_true(json_get_number(document, "limits.tail") == 0.5);
    cJSON_Delete(document);
    comparison_free(&comparison);
}

TEST(test_cell_without_change)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    expect(&cell, VERDICT_SAME, "");
}

TEST(test_work_regresses)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    sample_set_work(&cell, METRIC_comparisons, 1333);
    sample_set_work(&cell, METRIC_visits, 2010); /* 0.5 %: a change, within its limit */
    sample_set_work(&cell, METRIC_moves, 2000);  /* improved, which is not the verdict */
    expect(&cell, VERDICT_REGRESSED, "comparisons +33.3 % (limit 1 %)");
}

TEST(test_work_from_nothing)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    cell.changes[METRIC_cascades].before = 0;
    sample_set_work(&cell, METRIC_cascades, 12);
    expect(&cell, VERDICT_REGRESSED, "cascades from 0 to 12 (limit 1 %)");
}

TEST(test_small_change_of_work_is_the_same)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    sample_set_work(&cell, METRIC_visits, 2010);
    expect(&cell, VERDICT_SAME, "");
}

TEST(test_all_gates_at_once)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    sample_regress(&cell);
    expect(
        &cell, VERDICT_REGRESSED,
        "comparisons +33.3 % (limit 1 %), instructions +10.0 % (limit 1 %); 8.1 .. 10.2 % slower "
        "(margin 3 %), confirmed on a second block");
}

/* Every gate has three answers; the verdict of a cell in which nothing changed, by which of them know. */
TEST(test_some_gate_has_to_know)
{
    static const struct {
        bool work, instructions, time_taken, time;
        enum verdict verdict;
    } cases[] = {
        {true, true, true, true, VERDICT_SAME},
        {true, false, false, false, VERDICT_SAME},
        {false, true, false, false, VERDICT_SAME},
        {false, false, true, true, VERDICT_SAME},
        {false, false, false, false, VERDICT_INCONCLUSIVE},
        {false, false, true, false, VERDICT_INCONCLUSIVE},
        {true, true, true, false, VERDICT_INCONCLUSIVE},
    };
    struct limits limits = limits_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compared_cell cell = sample_cell("heap", "hold", 1000);
        cell.work_verdict = cases[i].work ? VERDICT_SAME : VERDICT_INCONCLUSIVE;
        cell.instructions_known = cases[i].instructions;
        cell.time_decides = cases[i].time_taken;
        cell.time_verdict = cases[i].time ? VERDICT_SAME : VERDICT_INCONCLUSIVE;
        cell_conclude(&cell, &limits);
        assert_int_equal(cell.verdict, cases[i].verdict);
        assert_int_equal(cell.reason[0] != '\0', cases[i].verdict == VERDICT_INCONCLUSIVE);
        bool is_clear = cases[i].verdict == VERDICT_SAME;
        assert_int_equal(cell_decided_by(&cell, GATE_WORK, &limits), is_clear && cases[i].work);
        assert_int_equal(cell_decided_by(&cell, GATE_INSTRUCTIONS, &limits),
                         is_clear && cases[i].instructions);
        assert_int_equal(cell_decided_by(&cell, GATE_TIME, &limits),
                         is_clear && cases[i].time_taken);
        assert_int_equal(cell_decided_by(&cell, GATE_MEMORY, &limits), is_clear);
        cJSON_Delete(cell.requested);
    }
}

TEST(test_gates_that_are_off_decide_nothing)
{
    struct limits limits = limits_default();
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    cell.time_decides = false;
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        limits.of[i] = NAN;
    cell_conclude(&cell, &limits);
    assert_int_equal(cell.verdict, VERDICT_SAME);
    assert_false(cell_decided_by(&cell, GATE_WORK, &limits));
    limits.of[METRIC_INSTRUCTIONS] = NAN;
    cell_conclude(&cell, &limits);
    assert_int_equal(cell.verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(cell.reason, "work: not judged; instructions: not judged");
    cJSON_Delete(cell.requested);
}

TEST(test_unknown_instructions_do_not_judge)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    cell.instructions_known = false;
    cell.instructions_verdict = VERDICT_REGRESSED;
    expect(&cell, VERDICT_SAME, "");
}

TEST(test_memory_judges_only_with_a_limit)
{
    struct limits limits = limits_default();
    limits.of[METRIC_MEMORY] = NAN;
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    cell.changes[METRIC_MEMORY] = sample_change(16, 24, 0.05);
    cell_conclude(&cell, &limits);
    assert_int_equal(cell.verdict, VERDICT_SAME);
    limits.of[METRIC_MEMORY] = 0.05;
    cell_conclude(&cell, &limits);
    assert_int_equal(cell.verdict, VERDICT_REGRESSED);
    assert_string_equal(cell.reason, "memory +50.0 % (limit 5 %)");
    cJSON_Delete(cell.requested);
}

/* What no gate sees keeps a cell from being the same; what was answered otherwise, from being better. */
TEST(test_apart_is_never_the_same)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000), faster = cell, worse = cell;
    faster.requested = worse.requested = NULL;
    strcpy(cell.apart, "longest delay, ticks: 10 in OLD, 20 in NEW");
    expect(&cell, VERDICT_INCONCLUSIVE, "longest delay, ticks: 10 in OLD, 20 in NEW");
    sample_set_time(&faster, VERDICT_IMPROVED, 0.9, 0.92, 0.95);
    faster.same_program = false;
    struct compared_cell refusing = faster;
    strcpy(faster.apart, "settings: a=1 in OLD, a=2 in NEW");
    expect(&faster, VERDICT_IMPROVED, "5.0 .. 10.0 % faster (margin 3 %)");
    strcpy(refusing.apart, "starts refused: 0 in OLD, 9 in NEW");
    refusing.apart_in_answer = true;
    expect(&refusing, VERDICT_INCONCLUSIVE, "starts refused: 0 in OLD, 9 in NEW");
    sample_set_work(&worse, METRIC_comparisons, 1333);
    strcpy(worse.apart, "settings: a=1 in OLD, a=2 in NEW");
    expect(&worse, VERDICT_REGRESSED,
           "comparisons +33.3 % (limit 1 %); settings: a=1 in OLD, a=2 in NEW");
}

TEST(test_time_is_told_as_slower_or_faster)
{
    struct compared_cell slower = sample_cell("heap", "hold", 1000), faster = slower;
    slower.same_program = faster.same_program = false;
    faster.requested = NULL;
    sample_set_time(&slower, VERDICT_REGRESSED, 1.031, 1.04, 1.052);
    slower.confirm_tried = slower.confirmed = true;
    expect(&slower, VERDICT_REGRESSED,
           "3.1 .. 5.2 % slower (margin 3 %), confirmed on a second block");
    sample_set_time(&faster, VERDICT_IMPROVED, 0.9, 0.92, 0.95);
    expect(&faster, VERDICT_IMPROVED, "5.0 .. 10.0 % faster (margin 3 %)");
}

TEST(test_advisory_time_does_not_judge)
{
    struct compared_cell cell = sample_cell("heap", "hold", 1000);
    sample_set_time(&cell, VERDICT_REGRESSED, 1.9, 2, 2.1);
    cell.time_decides = false;
    struct compared_cell apart = cell;
    apart.requested = NULL;
    expect(&cell, VERDICT_SAME, "");
    apart.stored_times_differ = true;
    expect(
        &apart, VERDICT_INCONCLUSIVE,
        "89.9 .. 110.2 % slower (margin 3 %), but not measured side by side: compare the programs");
}

TEST(test_unclear_time_names_its_cause)
{
    struct compared_cell noisy = sample_cell("heap", "hold", 1000);
    noisy.same_program = false;
    sample_set_time(&noisy, VERDICT_INCONCLUSIVE, 0.988, 1.02, 1.041);
    struct compared_cell moved = noisy, unconfirmed = noisy;
    moved.requested = unconfirmed.requested = NULL;
    noisy.timing.pairs = 90;
    expect(&noisy, VERDICT_INCONCLUSIVE,
           "too few pairs for this noise: -1.2 .. 4.1 % slower after 90 pairs (margin 3 %)");
    struct compared_cell unmeasured = unconfirmed;
    sample_set_time(&unmeasured, VERDICT_INCONCLUSIVE, NAN, NAN, NAN);
    unmeasured.timing.pairs = 0;
    expect(&unmeasured, VERDICT_INCONCLUSIVE, "too few pairs for an interval: 0");
    moved.control_moved = true;
    moved.control.cpu.median = 1.04;
    expect(&moved, VERDICT_INCONCLUSIVE,
           "the control moved by +4.0 % (OLD against a copy of OLD): load, steal or layout");
    unconfirmed.timing.cpu = sample_ratio(1.031, 1.04, 1.052);
    unconfirmed.confirm_tried = true;
    unconfirmed.confirm_cpu = sample_ratio(0.995, 1.01, 1.02);
    expect(&unconfirmed, VERDICT_INCONCLUSIVE,
           "3.1 .. 5.2 % slower at first, -0.5 .. 2.0 % on a second block: not confirmed");
}

TEST(test_layout_is_told)
{
    struct compared_cell within = sample_cell("heap", "hold", 1000), beyond = within;
    beyond.requested = NULL;
    struct compared_cell around = beyond, faster = beyond;
    sample_set_time(&within, VERDICT_INCONCLUSIVE, 1.034, 1.06, 1.08);
    within.layout_may_explain = true;
    expect(
        &within, VERDICT_INCONCLUSIVE,
        "3.4 .. 8.0 % slower (margin 3 %) with the same work, instructions and memory: layout may "
        "explain up to 10 %");
    sample_set_time(&faster, VERDICT_INCONCLUSIVE, 0.92, 0.94, 0.966);
    faster.layout_may_explain = true;
    expect(
        &faster, VERDICT_INCONCLUSIVE,
        "3.4 .. 8.0 % faster (margin 3 %) with the same work, instructions and memory: layout may "
        "explain up to 10 %");
    sample_set_time(&around, VERDICT_SAME, 0.98, 1.02, 1.05);
    expect(&around, VERDICT_SAME,
           "-2.0 .. 5.0 % slower (margin 10 %: the same work, instructions and memory)");
    sample_set_time(&beyond, VERDICT_REGRESSED, 1.16, 1.18, 1.2);
    expect(&beyond, VERDICT_REGRESSED,
           "16.0 .. 20.0 % slower (margin 10 %: the same work, instructions and memory)");
}

TEST(test_given_reason_stays)
{
    struct compared_cell absent = {.reason = "NEW has no such cell",
                                   .verdict = VERDICT_INCONCLUSIVE};
    expect(&absent, VERDICT_INCONCLUSIVE, "NEW has no such cell");
    struct compared_cell wrong = {.reason = "NEW: mismatch: 3 early", .failed = true};
    expect(&wrong, VERDICT_REGRESSED, "NEW: mismatch: 3 early");
    struct compared_cell silent = {.failed = true};
    expect(&silent, VERDICT_REGRESSED, "NEW fails where OLD does not");
}

/* ---- The whole. ------------------------------------------------------------------------------ */

TEST(test_nothing_changed)
{
    struct comparison comparison = sample_comparison(15);
    sample_conclude(&comparison);
    assert_int_equal(comparison.verdict, VERDICT_SAME);
    assert_int_equal(comparison.reason_count, 0);
    for (int i = FAIL_ON_WORK; i <= FAIL_ON_INCONCLUSIVE; i++)
        assert_int_equal(comparison_exit_status(&comparison, (enum fail_on)i), 0);
    comparison_free(&comparison);
    assert_null(comparison.cells);
}

TEST(test_reasons_have_the_gravest_first)
{
    struct comparison comparison = sample_mixed();
    assert_int_equal(comparison.verdict, VERDICT_REGRESSED);
    assert_int_equal(comparison.reason_count, 3);
    assert_string_equal(comparison.reasons[0],
                        "heap/hold/1000: regressed: comparisons +33.3 % (limit 1 %), instructions "
                        "+10.0 % (limit 1 %); 8.1 .. 10.2 % slower (margin 3 %), confirmed on a "
                        "second block");
    assert_string_equal(
        comparison.reasons[1],
        "heap/nginx/1000: inconclusive: too few pairs for this noise: -1.0 .. 4.1 % "
        "slower after 30 pairs (margin 3 %)");
    assert_string_equal(
        comparison.reasons[2],
        "hashed/standard/1000 (slots=512): improved: moves -20.0 % (limit 1 %); 5.0 "
        ".. 10.0 % faster (margin 3 %)");
    comparison_free(&comparison);
}

TEST(test_many_reasons_are_counted)
{
    struct comparison comparison = sample_comparison(40);
    for (size_t i = 0; i < 16; i++)
        sample_set_work(&comparison.cells[i], METRIC_moves, 9000);
    sample_conclude(&comparison);
    assert_int_equal(comparison.reason_count, 16);
    assert_non_null(strstr(comparison.reasons[15], "list/hold/1000: regressed"));
    for (size_t i = 16; i < 40; i++)
        sample_set_work(&comparison.cells[i], METRIC_moves, 9000);
    sample_conclude(&comparison);
    assert_int_equal(comparison.reason_count, 16);
    assert_non_null(strstr(comparison.reasons[14], "hier/nginx/1000: regressed"));
    assert_string_equal(comparison.reasons[15], "and 25 more");
    comparison_free(&comparison);
}

TEST(test_disturbances_are_named_when_times_are_unclear)
{
    struct comparison comparison = sample_comparison(2);
    comparison.steal_share = 0.07, comparison.busy_share = 0.25;
    sample_conclude(&comparison);
    assert_int_equal(comparison.reason_count, 0);
    sample_set_time(&comparison.cells[1], VERDICT_INCONCLUSIVE, 0.9, 1, 1.1);
    sample_conclude(&comparison);
    assert_int_equal(comparison.verdict, VERDICT_INCONCLUSIVE);
    assert_int_equal(comparison.reason_count, 3);
    assert_non_null(strstr(comparison.reasons[0], "the host took 7 %"));
    assert_non_null(strstr(comparison.reasons[1], "others used 25 %"));
    comparison.steal_share = 0.049, comparison.busy_share = NAN;
    comparison.slow_share = 0.12;
    comparison_conclude(&comparison);
    assert_int_equal(comparison.reason_count, 2);
    assert_non_null(strstr(comparison.reasons[0], "on 12 % of the samples the core was slow"));
    comparison.slow_share = 0.09;
    comparison_conclude(&comparison);
    assert_int_equal(comparison.reason_count, 1);
    comparison_free(&comparison);
}

TEST(test_interrupted_is_not_the_same)
{
    struct comparison comparison = sample_comparison(2);
    comparison.complete = false;
    sample_conclude(&comparison);
    assert_int_equal(comparison.verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(comparison.reasons[0], "interrupted; cells compared: 2"));
    comparison_free(&comparison);
    comparison.complete = true;
    comparison_conclude(&comparison);
    assert_int_equal(comparison.verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(comparison.reasons[0], "nothing to compare"));
}

/* The statuses for --fail-on=work, regressed, inconclusive. */
static void expect_statuses(struct comparison *comparison, int work, int regressed, int unclear)
{
    sample_conclude(comparison);
    assert_int_equal(comparison_exit_status(comparison, FAIL_ON_WORK), work);
    assert_int_equal(comparison_exit_status(comparison, FAIL_ON_REGRESSED), regressed);
    assert_int_equal(comparison_exit_status(comparison, FAIL_ON_INCONCLUSIVE), unclear);
    comparison_free(comparison);
}

TEST(test_exit_statuses)
{
    struct comparison slower = sample_comparison(3), work = sample_comparison(3),
                      unclear = sample_comparison(3), failed = sample_comparison(3),
                      better = sample_comparison(3), counted = sample_comparison(3),
                      larger = sample_comparison(3);
    sample_set_time(&slower.cells[2], VERDICT_REGRESSED, 1.2, 1.3, 1.4);
    expect_statuses(&slower, 0, 3, 3);
    sample_set_work(&work.cells[2], METRIC_moves, 9000);
    sample_set_time(&work.cells[1], VERDICT_INCONCLUSIVE, 0.9, 1, 1.1);
    expect_statuses(&work, 3, 3, 3);
    sample_set_time(&unclear.cells[0], VERDICT_INCONCLUSIVE, 0.9, 1, 1.1);
    expect_statuses(&unclear, 0, 0, 4);
    failed.cells[1].failed = true;
    expect_statuses(&failed, 3, 3, 3);
    sample_set_time(&better.cells[1], VERDICT_IMPROVED, 0.7, 0.8, 0.9);
    expect_statuses(&better, 0, 0, 0);
    counted.cells[1].instructions_verdict = VERDICT_REGRESSED;
    expect_statuses(&counted, 3, 3, 3);
    larger.limits.of[METRIC_MEMORY] = 0.05;
    larger.cells[1].changes[METRIC_MEMORY] = sample_change(16, 24, 0.05);
    expect_statuses(&larger, 3, 3, 3);
}

/* ---- The document. --------------------------------------------------------------------------- */

/* As a reader gets it: printed and parsed.  The caller deletes it. */
static cJSON *document_of(const struct comparison *comparison, const cJSON *head)
{
    cJSON *made = comparison_json(comparison, head, FAIL_ON_REGRESSED);
    char *text = cJSON_Print(made);
    assert_non_null(text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    cJSON *out = cJSON_Parse(text);
    assert_non_null(out);
    cJSON_Delete(made);
    cJSON_free(text);
    return out;
}

static void expect_text(const cJSON *object, const char *path, const char *text)
{
    assert_string_equal(json_get_text(object, path), text);
}

static void expect_number(const cJSON *object, const char *path, double number)
{
    if (json_get_number(object, path) != number)
        fail_msg("%s is %.15g", path, json_get_number(object, path));
}

/* There, and null: unknown is not left out. */
static void expect_null(const cJSON *object, const char *parent, const char *key)
{
    const cJSON *from = parent[0] ? json_get(object, parent) : object;
    if (!cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(from, key)))
        fail_msg("%s.%s is not null", parent, key);
}

TEST(test_document_has_the_figures)
{
    struct comparison comparison = sample_mixed();
    cJSON *document = document_of(&comparison, NULL);
    const cJSON *cell = cJSON_GetArrayItem(json_get(document, "cells"), 1);
    expect_number(document, "schema_version", 1);
    expect_text(document, "mode", "binaries");
    expect_text(document, "verdict", "regressed");
    expect_text(document, "fail_on", "regressed");
    expect_text(document, "notes", "NEW was interrupted: it may lack cells");
    expect_number(document, "added", 2);
    expect_number(document, "exit_status", 3);
    expect_text(document, "new.commit", "89abcde-dirty");
    expect_null(document, "new", "flags");
    expect_null(document, "limits", "memory");
    expect_number(document, "limits.layout", 0.1);
    expect_number(document, "method.min_work_ns", 2000000);
    expect_number(document, "method.pin_cpu", 1);
    expect_number(document, "disturbance.steal_share", 0.002);
    expect_number(document, "disturbance.slow_share", 0.01);
    expect_null(document, "disturbance", "load_1min");
    assert_int_equal(cJSON_GetArraySize(json_get(document, "cells")), 15);
    assert_int_equal(cJSON_GetArraySize(json_get(document, "reasons")), 3);
    expect_text(cell, "impl", "heap");
    expect_text(cell, "verdict", "regressed");
    expect_number(cell, "ratio.median", 1.094);
    assert_true(cJSON_IsTrue(json_get(cell, "work_changed")));
    expect_text(cell, "gates.time", "regressed");
    expect_number(cell, "timing.wall_ratio.high", 1.104);
    expect_number(cell, "confirmation.cpu_ratio.low", 1.079);
    expect_number(cell, "instructions.change", 0.1);
    expect_null(cell, "", "instructions_reason");
    const cJSON *work = json_get(cell, "work"), *phase = json_get(cell, "phases")->child;
    assert_int_equal(cJSON_GetArraySize(work), 2);
    expect_text(work->child, "metric", "comparisons");
    expect_number(work->child, "new", 1333);
    expect_text(work->child->next, "verdict", "same");
    assert_int_equal(cJSON_GetArraySize(json_get(phase, "work")), 2);
    const cJSON *hashed = cJSON_GetArrayItem(json_get(document, "cells"), 2);
    expect_number(hashed, "params.slots", 512);
    expect_null(hashed, "", "confirmation");
    expect_null(hashed, "", "reason");
    cJSON_Delete(document);
    comparison_free(&comparison);
}

TEST(test_document_of_results)
{
    struct comparison comparison = sample_comparison(3);
    sample_as_results(&comparison);
    comparison.cells[1].time_known = false;
    comparison.cells[2].changes[METRIC_MEMORY] = sample_change(NAN, NAN, NAN);
    sample_conclude(&comparison);
    cJSON *document = document_of(&comparison, NULL);
    const cJSON *cell = json_get(document, "cells")->child;
    expect_text(document, "mode", "results");
    expect_null(document, "", "method");
    expect_number(cell, "ratio.low", 0.996);
    expect_number(cell, "timing.pairs", 0);
    expect_null(cell, "timing", "confidence");
    expect_null(cell, "", "control");
    expect_null(cell, "", "instructions");
    expect_null(cell, "gates", "instructions");
    expect_text(cell, "instructions_reason", "no counters: perf_event_paranoid is 4");
    expect_null(cell->next, "ratio", "median");
    expect_null(cell->next, "", "timing");
    expect_null(cell->next, "gates", "time");
    expect_null(cell->next->next, "", "memory");
    cJSON_Delete(document);
    comparison_free(&comparison);
}

/* One more in a large count is not rounded away; no core is no number. */
TEST(test_document_keeps_exact_counts)
{
    struct comparison comparison = sample_comparison(1);
    comparison.cells[0].changes[METRIC_visits].before = 9007199254740990;
    comparison.pin_cpu = -1;
    sample_set_work(&comparison.cells[0], METRIC_visits, 9007199254740991);
    cJSON *document = document_of(&comparison, NULL);
    const cJSON *work = json_get(json_get(document, "cells")->child, "work");
    expect_number(work->child, "old", 9007199254740990);
    expect_number(work->child, "new", 9007199254740991);
    expect_null(document, "method", "pin_cpu");
    cJSON_Delete(document);
    comparison_free(&comparison);
}

TEST(test_head_is_copied)
{
    struct comparison comparison = sample_comparison(1);
    struct result_document *result = sample_document();
    cJSON *document = document_of(&comparison, result_json(result));
    assert_true(
        cJSON_Compare(json_get(document, "tool"), json_get(result_json(result), "tool"), true));
    assert_true(json_get(document, "machine.caches") && json_get(document, "command"));
    cJSON_Delete(document);
    result_free(result);
    comparison_free(&comparison);
}

/* ---- For tests/schema.sh. -------------------------------------------------------------------- */

static int write_document(const char *path, const struct comparison *comparison)
{
    struct result_document *result = sample_document();
    cJSON *made = comparison_json(comparison, result_json(result), FAIL_ON_REGRESSED);
    char *text = cJSON_Print(made);
    FILE *out = fopen(path, "w");
    bool written = out && text && fputs(text, out) >= 0;
    written = out && fclose(out) == 0 && written;
    cJSON_free(text);
    cJSON_Delete(made);
    result_free(result);
    return written ? 0 : 1;
}

static int write_samples(const char *binaries_path, const char *results_path)
{
    struct comparison binaries = sample_mixed(), results = sample_comparison(3);
    sample_as_results(&results);
    sample_conclude(&results);
    for (size_t i = 0; i < binaries.cell_count; i++) {
        binaries.cells[i].functions_known = true;
        binaries.cells[i].function_count = 1;
        binaries.cells[i].functions[0] = (struct compared_function){"node_link", 462170, 1435450};
    }
    int failed = write_document(binaries_path, &binaries) | write_document(results_path, &results);
    comparison_free(&binaries);
    comparison_free(&results);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "sample") == 0)
        return write_samples(argv[2], argv[3]);
    return run_listed_tests(NULL, NULL);
}
