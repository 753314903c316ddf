/* test_jiffies.c - the jiffy of a time, and HZ, from events that say what jiffies was. */
#include "labs/traces/import/jiffies.h"
#include "testing.h"

enum { EVENTS = 400 };

/* Every 0.7 ms or so an event; jiffies has grown `late_ns` after the tick is due. */
static void events_make(struct jiffies_known *known, uint64_t hz, uint64_t late_ns)
{
    uint64_t tick = jiffies_tick_ns(hz);
    for (uint64_t i = 0; i < EVENTS; i++) {
        known[i].ns = 1000000000 + i * 712345;
        known[i].jiffies = 4294937296 + (known[i].ns - late_ns) / tick;
    }
}

TEST(test_tick)
{
    assert_int_equal(jiffies_tick_ns(250), 4000000);
    assert_int_equal(jiffies_tick_ns(300), 3333333);
    assert_int_equal(jiffies_tick_ns(1024), 976563);
}

TEST(test_at)
{
    struct jiffies fit;
    jiffies_init(&fit, 250);
    jiffies_learn(&fit, (struct jiffies_known){10003000000, 1000});
    /* An event nearer to the beginning of its jiffy moves the base. */
    assert_int_equal(jiffies_at(&fit, 10006999999), 1000);
    assert_int_equal(jiffies_at(&fit, 10007000000), 1001);
    jiffies_learn(&fit, (struct jiffies_known){10020001000, 1005});
    assert_int_equal(jiffies_at(&fit, 10004000999), 1000);
    assert_int_equal(jiffies_at(&fit, 10004001000), 1001);
    assert_int_equal(jiffies_at(&fit, 10000000999), 999);
    /* One further from it does not, and is how far the kernel's tick was behind. */
    struct jiffies_known late = {10033000000, 1006};
    jiffies_learn(&fit, late);
    assert_int_equal(jiffies_at(&fit, 10004000999), 1000);
    assert_int_equal(jiffies_error(&fit, late), 2);
    assert_int_equal(jiffies_error(&fit, (struct jiffies_known){10003000000, 1000}), 0);
}

TEST(test_find_hz)
{
    static const uint64_t kernels[] = {100, 128, 200, 250, 256, 300, 500, 1000, 1024, 1200};
    struct jiffies_known known[EVENTS];
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        uint64_t other = 1;
        events_make(known, kernels[i], 5000);
        assert_int_equal(jiffies_find_hz(known, EVENTS, &other), kernels[i]);
        assert_int_equal(other, 0);
    }
}

/* Two jiffies: a slower tick fits as well. */
TEST(test_short_log)
{
    static const struct jiffies_known known[] = {{1000000, 7}, {3000000, 7}, {4100000, 8}};
    uint64_t other;
    assert_int_equal(jiffies_find_hz(known, 3, &other), JIFFIES_HZ_DEFAULT);
    assert_int_not_equal(other, 0);
    assert_int_equal(jiffies_find_hz(known, 0, &other), JIFFIES_HZ_DEFAULT);
}

/* A burst within one jiffy fits whatever HZ is, and must not outvote the ticks beside it. */
TEST(test_burst)
{
    struct jiffies_known known[EVENTS + 100];
    uint64_t other;
    events_make(known, 1000, 0);
    for (size_t i = 100; i < EVENTS + 100; i++)
        known[i] = (struct jiffies_known){known[99].ns + i, known[99].jiffies};
    assert_int_equal(jiffies_find_hz(known, EVENTS + 100, &other), 1000);
    assert_int_equal(other, 0);
}

TEST_MAIN(NULL, NULL)
