/* test_tail.c - the own tail: the least time of each call over passes, in bounded memory. */
#include "harness/measure/stats/histogram.h"
#include "testing.h"

#define OWN_PS   UINT64_C(100000)
#define STALL_PS UINT64_C(8388608)  /* of the design: in each pass, at the same call */
#define NOISE_PS UINT64_C(16777216) /* of the machine: once a pass, each time elsewhere */

struct recorded {
    struct tail_recorder recorder;
    struct tail *tail;
};

static struct recorded recorded_open(uint64_t blocks)
{
    struct recorded recorded = {.tail = calloc(1, sizeof *recorded.tail)};
    assert_non_null(recorded.tail);
    assert_true(tail_open(&recorded.recorder, blocks));
    return recorded;
}

static void recorded_close(struct recorded *recorded)
{
    tail_close(&recorded->recorder);
    free(recorded->tail);
}

/* One pass: `stall` is the number of the design's slow call, `noise` of the one that the machine hit. */
static void add_pass(struct recorded *recorded, uint64_t calls, uint64_t stall, uint64_t noise)
{
    uint64_t longest = 0;
    for (uint64_t i = 0; i < calls; i++) {
        uint64_t ps = (i == stall ? STALL_PS : OWN_PS + i % 7) + (i == noise ? NOISE_PS : 0);
        longest = ps > longest ? ps : longest;
        tail_add(&recorded->recorder, ps);
    }
    tail_end_pass(&recorded->recorder, longest);
}

TEST(test_noise_goes_and_the_stall_stays)
{
    struct recorded recorded = recorded_open(1000);
    for (uint64_t pass = 0; pass < 3; pass++)
        add_pass(&recorded, 1000, 123, 300 + 17 * pass);
    const struct tail *tail = recorded.tail;
    tail_finish(&recorded.recorder, recorded.tail);
    assert_int_equal(tail->passes, 3);
    assert_int_equal(tail->calls, 1000);
    assert_int_equal(tail->calls_per_block, 1);
    assert_int_equal(tail->least.count, 1000);
    assert_int_equal(tail->least.max_ps, STALL_PS);
    assert_int_equal(tail->slowest_count, TAIL_SLOWEST);
    assert_int_equal(tail->slowest[0].block, 123);
    assert_int_equal(tail->slowest[0].least_ps, STALL_PS);
    assert_int_equal(tail->slowest[1].least_ps, OWN_PS + 6);
    assert_int_equal(tail->slowest[1].block, 6);
    recorded_close(&recorded);
}

/* Each pass has a slow call, and never the same: no call is slow by itself, but no pass goes without. */
TEST(test_a_stall_that_wanders_is_in_each_pass)
{
    struct recorded recorded = recorded_open(1000);
    for (uint64_t pass = 0; pass < 5; pass++)
        add_pass(&recorded, 1000, 100 + 50 * pass, UINT64_MAX);
    tail_finish(&recorded.recorder, recorded.tail);
    assert_int_equal(recorded.tail->least.max_ps, OWN_PS + 6);
    assert_int_equal(recorded.tail->pass_max_ps, STALL_PS);
    recorded_close(&recorded);
}

TEST(test_long_passes_share_places)
{
    struct recorded recorded = recorded_open(16);
    for (uint64_t pass = 0; pass < 4; pass++)
        add_pass(&recorded, 101, 77, 10 + 20 * pass);
    tail_finish(&recorded.recorder, recorded.tail);
    assert_int_equal(recorded.tail->calls, 101);
    assert_int_equal(recorded.tail->calls_per_block, 8);
    assert_int_equal(recorded.tail->least.count, 13);
    assert_int_equal(recorded.tail->slowest_count, 13);
    assert_int_equal(recorded.tail->slowest[0].block, 77 / 8);
    assert_int_equal(recorded.tail->slowest[0].least_ps, STALL_PS);
    assert_int_equal(recorded.tail->slowest[1].least_ps, OWN_PS + 6);
    recorded_close(&recorded);
}

/* Exactly full, one less, one more: every call is in some block. */
TEST(test_no_call_is_lost_where_places_end)
{
    for (uint64_t calls = 1; calls < 70; calls++) {
        struct recorded recorded = recorded_open(16);
        for (uint64_t pass = 0; pass < 3; pass++)
            add_pass(&recorded, calls, calls - 1, UINT64_MAX);
        tail_finish(&recorded.recorder, recorded.tail);
        assert_int_equal(recorded.tail->slowest[0].least_ps, STALL_PS);
        assert_int_equal(recorded.tail->slowest[0].block,
                         (calls - 1) / recorded.tail->calls_per_block);
        recorded_close(&recorded);
    }
}

TEST(test_unknown_where_it_cannot_be_known)
{
    struct recorded few = recorded_open(100), other = recorded_open(100), none = recorded_open(2);
    for (uint64_t pass = 0; pass + 1 < TAIL_PASSES_MIN; pass++)
        add_pass(&few, 100, 1, UINT64_MAX);
    for (uint64_t pass = 0; pass < TAIL_PASSES_MIN; pass++) {
        add_pass(&other, pass == 1 ? 99 : 100, 1, UINT64_MAX);
        add_pass(&none, 0, 1, UINT64_MAX);
    }
    struct recorded *all[] = {&few, &other, &none};
    for (size_t i = 0; i < 3; i++) {
        tail_finish(&all[i]->recorder, all[i]->tail);
        assert_int_equal(all[i]->tail->passes, 0);
        assert_int_equal(all[i]->tail->least.count, 0);
        recorded_close(all[i]);
    }
}

TEST_MAIN(NULL, NULL)
