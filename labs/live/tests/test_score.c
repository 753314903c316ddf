/*
 * test_score.c - a stream dealt out to producers: every operation once, in its timer's order, at its tick.
 */
#include "labs/live/clock/performance.h"
#include "testing.h"

static struct stream *sample(void)
{
    struct stream *stream = stream_new("sample");
    struct diag diag;
    assert_non_null(stream);
    stream_phase_begin(stream, "first", NULL);
    stream_append_start(stream, 0, 5);
    stream_append_start(stream, 1, (int64_t)1 << 40);
    stream_append_advance(stream, 2);
    stream_append_stop(stream, 0);
    stream_append_start(stream, 3, -1);
    stream_phase_begin(stream, "second", NULL);
    stream_append_ticks(stream, 3);
    stream_append_start(stream, 0, 7);
    stream_append_advance(stream, (uint64_t)1 << 33);
    stream_append_stop(stream, 1);
    assert_int_equal(stream_seal(stream, &diag), DIAG_OK);
    return stream;
}

static void holds(const struct score_operation *operation, uint32_t id, uint64_t tick,
                  bool is_start, uint64_t deadline)
{
    assert_int_equal(operation->id, id);
    assert_int_equal(operation->tick, tick);
    assert_int_equal(operation->is_start, is_start);
    assert_int_equal(operation->deadline, deadline);
}

TEST(test_operations_are_dealt_by_id)
{
    struct stream *stream = sample();
    struct score score;
    assert_true(score_make(&score, stream, 2, SCORE_ALL));
    assert_int_equal(score.parts[0].count, 3);
    holds(&score.parts[0].operations[0], 0, 0, true, 5);
    holds(&score.parts[0].operations[1], 0, 2, false, 0);
    holds(&score.parts[0].operations[2], 0, 5, true, 12);
    assert_int_equal(score.parts[1].count, 3);
    holds(&score.parts[1].operations[0], 1, 0, true, (uint64_t)1 << 40);
    holds(&score.parts[1].operations[1], 3, 2, true, 1);
    holds(&score.parts[1].operations[2], 1, 5 + ((uint64_t)1 << 33), false, 0);
    assert_int_equal(score.ticks, 5 + ((uint64_t)1 << 33));
    score_free(&score);
    stream_free(stream);
}

TEST(test_ticks_have_their_phase)
{
    struct stream *stream = sample();
    struct score score;
    assert_true(score_make(&score, stream, 1, SCORE_ALL));
    assert_int_equal(score.parts[0].count, 6);
    assert_ptr_equal(score_phase(&score, 0), &stream->phases[0]);
    assert_ptr_equal(score_phase(&score, 1), &stream->phases[0]);
    assert_ptr_equal(score_phase(&score, 2), &stream->phases[1]);
    assert_ptr_equal(score_phase(&score, (uint64_t)1 << 50), &stream->phases[1]);
    score_free(&score);
    stream_free(stream);
}

/* A stretch ends between two ticks, at its speed. */
TEST(test_a_part_is_played)
{
    struct stream *stream = sample();
    struct score score;
    stream->tick_ns = 1000;
    assert_int_equal(score_last(stream, 1, 0), SCORE_ALL);
    assert_int_equal(score_last(stream, 1, 4999), 4);
    assert_int_equal(score_last(stream, 2, 2500), 5);
    assert_true(score_make(&score, stream, 1, score_last(stream, 1, 4999)));
    assert_int_equal(score.parts[0].count, 4);
    assert_int_equal(score.ticks, 4);
    score_free(&score);
    assert_true(score_make(&score, stream, 1, score_last(stream, 1, 5000)));
    assert_int_equal(score.parts[0].count, 5);
    score_free(&score);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
