/* test_company.c - the leader of a group commit waits for those that are expected, and learns when they do not come. */
#include "labs/durable/stores/store_parts.h"
#include "testing.h"

#include <time.h>

#define LONG_NS    UINT64_C(1000000000) /* a sync that took so long allows the longest wait */
#define PATIENCE_S 60

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned leave(struct store_company *company)
{
    pthread_mutex_lock(&lock);
    unsigned went = store_company_leave(company, &lock);
    pthread_mutex_unlock(&lock);
    return went;
}

TEST(a_leader_that_waited_in_vain_is_followed_by_two_that_do_not_wait)
{
    struct store_company company;
    store_company_init(&company, true);
    store_company_join(&company);
    assert_int_equal(leave(&company), 1);
    assert_int_equal(company.unwaited, 0); /* nobody was expected */
    store_company_back(&company, 2, LONG_NS);
    static const unsigned left[] = {2, 1, 0, 2};
    for (size_t i = 0; i < 4; i++) {
        store_company_join(&company);
        assert_int_equal(leave(&company), 1);
        assert_int_equal(company.unwaited, left[i]);
        store_company_back(&company, 2, LONG_NS);
    }
    store_company_destroy(&company);
}

TEST(nobody_waits_who_is_not_to_or_has_all_that_are_expected_or_has_a_fast_disk)
{
    struct store_company company;
    for (unsigned round = 0; round < 3; round++) {
        store_company_init(&company, round != 0);
        store_company_back(&company, 2, round == 2 ? 1000 : LONG_NS);
        store_company_join(&company);
        if (round == 1)
            store_company_join(&company);
        assert_int_equal(leave(&company), round == 1 ? 2 : 1);
        assert_int_equal(company.unwaited, 0);
        assert_int_equal(company.joined, 0);
        store_company_destroy(&company);
    }
}

TEST(those_that_come_while_a_group_is_synced_are_expected_with_it)
{
    struct store_company company;
    store_company_init(&company, false);
    store_company_join(&company);
    unsigned went = leave(&company);
    store_company_join(&company);
    store_company_join(&company);
    store_company_back(&company, went, LONG_NS);
    assert_int_equal(company.expected, 3);
    store_company_destroy(&company);
}

static void *leads(void *argument)
{
    struct store_company *company = argument;
    pthread_mutex_lock(&lock);
    unsigned went = store_company_leave(company, &lock);
    pthread_mutex_unlock(&lock);
    return went == 2 ? argument : NULL;
}

/* Joins while the leader waits; it may be over before this thread is there. */
static void join_beside(struct store_company *company)
{
    for (bool over = false; !over;) {
        pthread_mutex_lock(&lock);
        if (company->waiting)
            store_company_join(company);
        over = company->joined != 1;
        pthread_mutex_unlock(&lock);
    }
}

TEST(one_that_comes_goes_with_the_leader_that_waits)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t until = now.tv_sec + PATIENCE_S;
    void *went = NULL;
    while (!went && now.tv_sec < until) {
        struct store_company company;
        pthread_t leader;
        store_company_init(&company, true);
        store_company_back(&company, 2, LONG_NS);
        store_company_join(&company);
        assert_int_equal(pthread_create(&leader, NULL, leads, &company), 0);
        join_beside(&company);
        assert_int_equal(pthread_join(leader, &went), 0);
        assert_false(company.waiting);
        store_company_destroy(&company);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    assert_non_null(went);
}

TEST_MAIN(NULL, NULL)
