/* test_agenda.c - what the oracle's tests do not reach: growing, order, the far end of time. */
#include "harness/measure/workload/agenda.h"
#include "testing.h"

#include "harness/base/rng.h"

struct log {
    tw_tick last;
    uint64_t fired;
    bool in_order;
};

static void log_fire(void *ctx, tw_id id, tw_tick due)
{
    struct log *log = ctx;
    (void)id;
    log->in_order = log->in_order && due >= log->last;
    log->last = due;
    log->fired++;
}

TEST(test_fires_in_order_after_many_rearms)
{
    enum { IDS = 1000 };
    struct agenda agenda;
    struct rng rng;
    struct log log = {.in_order = true};
    rng_seed(&rng, 3, 0);
    agenda_open(&agenda, IDS);
    for (int round = 0; round < 50; round++)
        for (tw_id id = 0; id < IDS; id++)
            agenda_start(&agenda, id, 1 + rng_below(&rng, UINT64_C(1) << (round % 60 + 1)));
    for (tw_id id = 0; id < IDS; id += 2)
        assert_true(agenda_stop(&agenda, id));
    assert_false(agenda_stop(&agenda, 0));
    assert_int_equal(agenda.running, IDS / 2);
    agenda_advance(&agenda, UINT64_MAX - 1, log_fire, &log);
    assert_int_equal(log.fired, IDS / 2);
    assert_true(log.in_order);
    assert_int_equal(agenda.running, 0);
    agenda_close(&agenda);
}

TEST(test_growing_keeps_what_runs)
{
    struct agenda agenda;
    struct log log = {.in_order = true};
    agenda_open(&agenda, 1);
    agenda_start(&agenda, 0, 5);
    agenda_grow(&agenda, 5000);
    assert_true(agenda_is_running(&agenda, 0));
    assert_false(agenda_is_running(&agenda, 4999));
    agenda_start(&agenda, 4999, 4);
    agenda_advance(&agenda, 4, log_fire, &log);
    assert_int_equal(log.fired, 1);
    assert_int_equal(log.last, 4);
    agenda_advance(&agenda, 5, log_fire, &log);
    assert_int_equal(log.fired, 2);
    agenda_close(&agenda);
}

TEST_MAIN(NULL, NULL)
