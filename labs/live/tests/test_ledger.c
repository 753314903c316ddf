/*
 * test_ledger.c - the account of every timer on the real clock: what adds up, and each way in which it does not.
 */
#include "labs/live/clock/performance.h"
#include "testing.h"

#define IDS 3

struct case_state {
    struct account accounts[IDS];
    struct clock_report report;
};

static void accept_timer(struct case_state *state, size_t id, tw_timer timer)
{
    ledger_accept(&state->accounts[id], timer);
    state->report.ledger.accepted++;
}

static void run_timer(struct case_state *state, size_t id, tw_timer timer)
{
    ledger_end(&state->accounts[id], timer);
    state->report.ledger.ran++;
}

/* Four timers of three ids, one of them ended in each way. */
static void fill(struct case_state *state)
{
    memset(state, 0, sizeof *state);
    accept_timer(state, 0, 100);
    accept_timer(state, 0, 101);
    accept_timer(state, 1, 102);
    accept_timer(state, 2, 103);
    run_timer(state, 0, 101);
    run_timer(state, 0, 100);
    ledger_end(&state->accounts[1], 102);
    state->report.ledger.stopped++;
    ledger_end(&state->accounts[2], 103);
    state->report.ledger.returned++;
}

static void judged(struct case_state *state, enum clock_end end, const char *word)
{
    ledger_judge(state->accounts, IDS, &state->report);
    assert_int_equal(state->report.end, end);
    if (!strstr(state->report.reason, word))
        fail_msg("'%s' does not say '%s'", state->report.reason, word);
}

static void test_adds_up(void **unused)
{
    struct case_state state;
    fill(&state);
    judged(&state, CLOCK_OK, "");
    assert_string_equal(state.report.reason, "");
}

static void test_a_lost_timer_is_told(void **unused)
{
    struct case_state state;
    fill(&state);
    accept_timer(&state, 1, 104);
    judged(&state, CLOCK_MISMATCH, "1 lost");
}

static void test_a_timer_that_ends_twice_is_told(void **unused)
{
    struct case_state state;
    fill(&state);
    run_timer(&state, 1, 102);
    judged(&state, CLOCK_MISMATCH, "1 too many");
}

/* One that fires twice hides one that is lost from the sums, but not from the accounts. */
static void test_a_twin_does_not_hide_a_loss(void **unused)
{
    struct case_state state;
    fill(&state);
    accept_timer(&state, 1, 104);
    run_timer(&state, 1, 102);
    judged(&state, CLOCK_MISMATCH, "first of id 1");
}

static void test_an_early_task_is_told(void **unused)
{
    struct case_state state;
    fill(&state);
    state.report.ledger.early = 1;
    judged(&state, CLOCK_MISMATCH, "1 timers fired early");
}

static void test_books_add_up(void **unused)
{
    struct clock_ledger sum = {.accepted = 1, .too_late = 2};
    const struct clock_ledger more = {.accepted = 3,
                                      .refused = 4,
                                      .ran = 5,
                                      .stopped = 6,
                                      .returned = 7,
                                      .early = 8,
                                      .refused_full = 9,
                                      .refused_closed = 10,
                                      .refused_range = 11,
                                      .refused_memory = 12,
                                      .too_late = 13,
                                      .idle = 14};
    const struct clock_ledger expected = {.accepted = 4,
                                          .refused = 4,
                                          .ran = 5,
                                          .stopped = 6,
                                          .returned = 7,
                                          .early = 8,
                                          .refused_full = 9,
                                          .refused_closed = 10,
                                          .refused_range = 11,
                                          .refused_memory = 12,
                                          .too_late = 15,
                                          .idle = 14};
    ledger_add(&sum, &more);
    assert_memory_equal(&sum, &expected, sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adds_up),
        cmocka_unit_test(test_a_lost_timer_is_told),
        cmocka_unit_test(test_a_timer_that_ends_twice_is_told),
        cmocka_unit_test(test_a_twin_does_not_hide_a_loss),
        cmocka_unit_test(test_an_early_task_is_told),
        cmocka_unit_test(test_books_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
