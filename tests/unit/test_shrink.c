/* test_shrink.c - shrinking ends when its time is over, and says how many operations are left. */
#include "harness/prove/shrink.h"
#include "testing.h"

#include <time.h>

#define LONG_LIST 135538u
/* Of processor time; a list of that length takes less than a hundredth of it to give up. */
#define SECONDS_MAX 10.0

static const char rule[] = "a rule";

/* A list breaks the rule when it has so many starts. */
struct need {
    size_t starts;
    unsigned replays_left; /* then there is no time */
};

static bool replay(void *ctx, const struct operations *operations, struct conform_report *report,
                   size_t *steps)
{
    struct need *need = ctx;
    size_t starts = 0;
    if (need->replays_left == 0)
        return false;
    need->replays_left--;
    for (size_t i = 0; i < operations->count; i++)
        starts += operations->list[i].code == OPERATION_START;
    *steps = operations->count;
    if (starts >= need->starts)
        report->rule = rule;
    return true;
}

static size_t shrunk(size_t starts, size_t count, unsigned replays)
{
    struct operations operations;
    struct conform_report report = {.rule = rule};
    struct need need = {starts, replays};
    operations_init(&operations, 1000);
    for (size_t i = 0; i < count; i++) {
        operations_start(&operations, (tw_id)(i % 1000), '+', i);
        operations_advance(&operations, '+', 1);
    }
    shrink(&operations, replay, &need, operations.count, &report);
    assert_int_equal(report.operation_count, operations.count);
    operations_clear(&operations);
    return report.operation_count;
}

TEST(test_a_short_list_is_found)
{
    assert_int_equal(shrunk(3, 500, 100000), 3);
}

TEST(test_a_long_one_says_so)
{
    assert_int_equal(shrunk(30, 500, 100000), 30);
    assert_true(30 > CONFORM_SHORT);
}

TEST(test_nothing_is_done_when_time_is_over)
{
    clock_t begin = clock();
    assert_int_equal(shrunk(LONG_LIST / 2, LONG_LIST / 2, 3), LONG_LIST / 2 * 2);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < SECONDS_MAX);
}

TEST_MAIN(NULL, NULL)
