/*
 * test_walk.c - a right design that walks from tick to tick holds the contract, and what it was not
 * asked for is said.
 */
#include "../plugins/walks.c"
#include "testing.h"

#include "harness/prove/conform.h"

/* Without a limit this test does not end: there are jumps of 2^60 ticks among the cases. */
TEST(test_a_walker_holds)
{
    static struct conform_report report;
    const struct conform_options options = {.seed = 1, .operations = 20000, .check_always = true};
    if (conform_run(&right, &options, &report) != 0)
        fail_msg("%s: %s\n%s", report.rule, report.detail, report.operations);
    assert_non_null(strstr(report.coverage.remarks, "it is not TW_TICKLESS"));
    assert_true(report.coverage.longest_advances > 1000);
}

/* With the flag it has promised not to walk, and nothing is left out. */
TEST(test_a_tickless_design_is_asked_for_all)
{
    static struct conform_report report;
    struct tw_backend tickless = {HONEST("skeleton"), TRAITS(0)};
    const struct conform_options options = {.seed = 1, .operations = 1000};
    assert_int_equal(conform_run(&tickless, &options, &report), 0);
    assert_string_equal(report.coverage.remarks, "");
}

TEST_MAIN(NULL, NULL)
