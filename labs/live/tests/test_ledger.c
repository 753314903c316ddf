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

TEST(test_adds_up)
{
    struct case_state books;
    fill(&books);
    judged(&books, CLOCK_OK, "");
    assert_string_equal(books.report.reason, "");
}

TEST(test_a_lost_timer_is_told)
{
    struct case_state books;
    fill(&books);
    accept_timer(&books, 1, 104);
    judged(&books, CLOCK_MISMATCH, "1 lost");
}

TEST(test_a_timer_that_ends_twice_is_told)
{
    struct case_state books;
    fill(&books);
    run_timer(&books, 1, 102);
    judged(&books, CLOCK_MISMATCH, "1 too many");
}

/* One that fires twice hides one that is lost from the sums, but not from the accounts. */
TEST(test_a_twin_does_not_hide_a_loss)
{
    struct case_state books;
    fill(&books);
    accept_timer(&books, 1, 104);
    run_timer(&books, 1, 102);
    judged(&books, CLOCK_MISMATCH, "first of id 1");
}

TEST(test_an_early_task_is_told)
{
    struct case_state books;
    fill(&books);
    books.report.ledger.early = 1;
    judged(&books, CLOCK_MISMATCH, "1 timers fired early");
}

TEST(test_books_add_up)
{
    struct clock_ledger sum = {.accepted = 1, .too_late = 2}, more, expected = sum;
    uint64_t count = 3;
#define FILL(name) expected.name += more.name = count++;
    CLOCK_LEDGER(FILL)
#undef FILL
    ledger_add(&sum, &more);
    assert_memory_equal(&sum, &expected, sizeof sum);
}

TEST_MAIN(NULL, NULL)
