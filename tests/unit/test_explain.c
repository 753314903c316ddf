/*
 * test_explain.c - a difference whose parts are known beforehand, and penalties within reason.
 */
#include "harness/compare/pairing.h"
#include "testing.h"

#include <math.h>

/* A miss of the cache 100 ns, of a branch 5 ns. */
static const struct penalties known_penalties = {100, 5};

/* A cell of two phases, 100 calls and 300, with the same rates in both; below 0: null. */
static cJSON *make_cell(double cache_misses, double branch_misses)
{
    char text[512], cache[32] = "null", branch[32] = "null";
    if (cache_misses >= 0)
        snprintf(cache, sizeof cache, "%g", cache_misses);
    if (branch_misses >= 0)
        snprintf(branch, sizeof branch, "%g", branch_misses);
    snprintf(text, sizeof text,
             "{\"phases\": [{\"operations\": {\"start\": 100, \"stop\": 0, \"expire\": 0}, "
             "\"counters\": {\"cache_misses_per_op\": %s, \"branch_misses_per_op\": %s}}, "
             "{\"operations\": {\"start\": 0, \"stop\": 200, \"expire\": 100}, "
             "\"counters\": {\"cache_misses_per_op\": %s, \"branch_misses_per_op\": %s}}]}",
             cache, branch, cache, branch);
    cJSON *cell = cJSON_Parse(text);
    assert_non_null(cell);
    return cell;
}

/* What a test varies: ns per call, the share of instructions (NAN: unknown), misses per call. */
struct given {
    double before_ns, after_ns, instructions;
    double old_cache, new_cache, old_branch, new_branch;
};

static struct explanation explain(struct given given, const struct penalties *penalties)
{
    struct compared_cell *cell = calloc(1, sizeof *cell);
    assert_non_null(cell);
    cell->before_ns_per_op = given.before_ns;
    cell->after_ns_per_op = given.after_ns;
    cell->changes[METRIC_INSTRUCTIONS].share = given.instructions;
    cell->instructions_known = !isnan(given.instructions);
    cJSON *before = make_cell(given.old_cache, given.old_branch);
    cJSON *after = make_cell(given.new_cache, given.new_branch);
    explain_cell(cell, before, after, penalties);
    struct explanation out = cell->explanation;
    assert_true(cell->explained);
    cJSON_Delete(before);
    cJSON_Delete(after);
    free(cell);
    return out;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* OLD waits 0.1 * 100 + 2 * 5 = 20 of its 100 ns; 10 % more instructions are 10 % of the other
 * 80. */
TEST(test_each_part)
{
    struct explanation parts =
        explain((struct given){100, 140, 0.1, 0.1, 0.3, 2, 3}, &known_penalties);
    assert_true(is_near(parts.total_ns, 40));
    assert_true(is_near(parts.instructions_ns, 8));
    assert_true(is_near(parts.cache_misses_ns, 20));
    assert_true(is_near(parts.branch_misses_ns, 5));
    assert_true(is_near(parts.rest_ns, 7));
}

TEST(test_layout_alone)
{
    struct explanation parts = explain((struct given){20, 22, 0, 0, 0, 0, 0}, &known_penalties);
    assert_true(is_near(parts.total_ns, 2) && is_near(parts.rest_ns, 2));
    assert_true(parts.instructions_ns == 0 && parts.cache_misses_ns == 0);
}

TEST(test_improvements_are_negative)
{
    struct explanation parts = explain((struct given){100, 60, -0.2, 0, 0, 2, 0}, &known_penalties);
    assert_true(is_near(parts.total_ns, -40));
    assert_true(is_near(parts.instructions_ns, -18));
    assert_true(is_near(parts.branch_misses_ns, -10));
    assert_true(is_near(parts.rest_ns, -12));
}

TEST(test_unknown_counters_go_to_the_rest)
{
    struct explanation parts =
        explain((struct given){100, 140, 0.1, 0.1, -1, 2, 3}, &known_penalties);
    assert_true(isnan(parts.cache_misses_ns));
    assert_true(is_near(parts.instructions_ns, 8)); /* what OLD waited for is known */
    assert_true(is_near(parts.rest_ns, 40 - 8 - 5));
    parts = explain((struct given){100, 140, NAN, -1, -1, -1, -1}, &known_penalties);
    assert_true(isnan(parts.instructions_ns) && isnan(parts.branch_misses_ns));
    assert_true(is_near(parts.total_ns, 40) && is_near(parts.rest_ns, 40));
    parts = explain((struct given){100, 140, INFINITY, 0, 0, 0, 0}, &known_penalties);
    assert_true(isnan(parts.instructions_ns) && is_near(parts.rest_ns, 40));
}

TEST(test_unknown_penalties_go_to_the_rest)
{
    struct penalties unknown = {NAN, NAN};
    struct explanation parts = explain((struct given){100, 140, 0.1, 0.1, 0.3, 2, 3}, &unknown);
    assert_true(isnan(parts.cache_misses_ns) && isnan(parts.branch_misses_ns));
    assert_true(is_near(parts.instructions_ns, 10) && is_near(parts.rest_ns, 30));
}

/* More time spent in misses than there was time: nothing is left for instructions. */
TEST(test_no_negative_time_for_instructions)
{
    struct explanation parts = explain((struct given){10, 20, 0.5, 1, 1, 0, 0}, &known_penalties);
    assert_true(parts.instructions_ns == 0);
}

TEST(test_two_digits_and_no_more)
{
    struct explanation parts =
        explain((struct given){50, 62.3456, 0.0333, 0, 0.0123, 0, 0}, &known_penalties);
    assert_true(is_near(parts.total_ns, 12));
    assert_true(is_near(parts.instructions_ns, 2));
    assert_true(is_near(parts.cache_misses_ns, 1));
    assert_true(is_near(parts.rest_ns, 9));
    parts = explain((struct given){1, 1.2345, 0, 0, 0, 0, 0}, &known_penalties);
    assert_true(is_near(parts.total_ns, 0.23));
    parts = explain((struct given){50, 50, 0, 0, 0, 0, 0}, &known_penalties);
    assert_true(parts.total_ns == 0 && parts.rest_ns == 0);
}

TEST(test_without_times_nothing_is_explained)
{
    struct compared_cell *cell = calloc(1, sizeof *cell);
    assert_non_null(cell);
    cJSON *before = make_cell(0, 0);
    cell->before_ns_per_op = NAN;
    cell->explained = true;
    cell->explanation.rest_ns = 7;
    explain_cell(cell, before, before, &known_penalties);
    assert_false(cell->explained);
    assert_true(cell->explanation.rest_ns == 7); /* not touched */
    cJSON_Delete(before);
    free(cell);
}

static bool is_between(double value, double low, double high)
{
    return value >= low && value <= high;
}

/* A processor at 1 .. 6 GHz: a flush of the pipeline takes 5 cycles or more, memory 10 ns or more.  Each figure
 * is a difference of two loops, either of which may be disturbed: then it is unknown, or wrong, and measured
 * again; a figure that is not what it is called stays wrong. */
TEST(test_penalties_of_this_machine)
{
    bool cache = false, branch = false;
    for (int round = 0; round < 200 && !(cache && branch); round++) {
        struct penalties penalties;
        penalties_measure(&penalties);
        assert_true(isnan(penalties.cache_miss_ns) ||
                    is_between(penalties.cache_miss_ns, 0.2, 5000));
        assert_true(isnan(penalties.branch_miss_ns) ||
                    is_between(penalties.branch_miss_ns, 0.2, 5000));
        cache = cache || is_between(penalties.cache_miss_ns, 10, 1000);
        branch = branch || is_between(penalties.branch_miss_ns, 1, 1000);
    }
    assert_true(cache && branch);
}

TEST_MAIN(NULL, NULL)
