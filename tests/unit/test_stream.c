/* test_stream.c - what is appended is what is read, in as few words as it takes. */
#include "harness/measure/workload/stream.h"
#include "testing.h"

#include "harness/base/rng.h"
#include "harness/measure/workload/oracle.h"

struct operation {
    enum stream_code code;
    tw_id id;
    int64_t delay; /* or ticks of an advance */
};

/* Reads the words of a phase one operation at a time. */
static size_t words_decode(const struct stream *stream, size_t phase, struct operation *out)
{
    const uint32_t *word = stream->words + stream->phases[phase].begin;
    const uint32_t *end = stream->words + stream->phases[phase].end;
    size_t count = 0;
    while (word < end) {
        uint32_t code = *word >> STREAM_COUNT_BITS, repeats = *word & STREAM_COUNT_MAX;
        assert_true(repeats > 0);
        for (word++; repeats > 0; repeats--) {
            struct operation operation = {code, 0, 0};
            if (code != STREAM_TICKS && code != STREAM_JUMP)
                operation.id = *word++;
            if (code == STREAM_START)
                operation.delay = *word++;
            if (code == STREAM_START_FAR || code == STREAM_JUMP) {
                operation.delay = (int64_t)((uint64_t)word[1] << 32 | word[0]);
                word += 2;
            }
            if (code == STREAM_TICKS)
                operation.delay = 1;
            out[count++] = operation;
        }
    }
    assert_ptr_equal(word, end);
    return count;
}

TEST(test_round_trip)
{
    enum { COUNT = 20000 };
    static struct operation given[COUNT], found[COUNT];
    static const int64_t delays[] = {0,  1,         5,        UINT32_MAX, INT64_C(1) << 32,
                                     -1, INT64_MIN, INT64_MAX};
    struct rng rng;
    struct diag diag;
    rng_seed(&rng, 1, 0);
    struct stream *stream = stream_new("round-trip");
    stream_phase_begin(stream, "only", NULL);
    for (size_t i = 0; i < COUNT; i++) {
        struct operation *op = &given[i];
        tw_id id = (tw_id)rng_below(&rng, 100);
        switch (rng_below(&rng, 4)) {
        case 0:
            op->delay = delays[rng_below(&rng, 8)];
            op->id = id;
            op->code = op->delay < 0 || op->delay > UINT32_MAX ? STREAM_START_FAR : STREAM_START;
            stream_append_start(stream, id, op->delay);
            break;
        case 1:
            *op = (struct operation){STREAM_STOP, id, 0};
            stream_append_stop(stream, id);
            break;
        case 2:
            *op = (struct operation){STREAM_TICKS, 0, 1};
            stream_append_advance(stream, 1);
            break;
        default:
            *op = (struct operation){STREAM_JUMP, 0, (int64_t)rng_below(&rng, 1u << 20) * 4096};
            stream_append_advance(stream, (uint64_t)op->delay);
        }
    }
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    assert_int_equal(words_decode(stream, 0, found), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(found[i].code, given[i].code);
        assert_int_equal(found[i].id, given[i].id);
        assert_true(found[i].delay == given[i].delay);
    }
    assert_int_equal(stream->capacity, 100);
    assert_true(stream->horizon == INT64_MAX);
    stream_free(stream);
}

TEST(test_runs_merge_within_a_phase)
{
    struct diag diag;
    struct stream *stream = stream_new("runs");
    stream_phase_begin(stream, "one", NULL);
    for (tw_id id = 0; id < 10; id++)
        stream_append_start(stream, id, 7);
    stream_append_ticks(stream, 5);
    stream_append_advance(stream, 1);
    stream_append_ticks(stream, 0);
    stream_phase_begin(stream, "two", NULL);
    stream_append_ticks(stream, UINT64_C(1) << 30);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    /* A header and 20 operands, a header for 6 ticks; three headers, because a run counts to 2^29
     * - 1. */
    assert_int_equal(stream->word_count, 21 + 1 + 3);
    assert_int_equal(stream->words[21], (uint32_t)STREAM_TICKS << STREAM_COUNT_BITS | 6);
    assert_int_equal(stream->phases[0].counts.starts, 10);
    assert_int_equal(stream->phases[0].counts.advances, 6);
    assert_int_equal(stream->phases[1].begin, 22);
    assert_int_equal(stream->phases[1].counts.ticks, UINT64_C(1) << 30);
    assert_int_equal(stream->expected.fired, 10);
    assert_int_equal(stream->expected.fired_in[1], 10);
    stream_free(stream);
}

static struct stream *small_stream(uint32_t delay, const char *phase, uint32_t capacity)
{
    struct stream *stream = stream_new("small");
    struct diag diag;
    stream->capacity = capacity;
    stream_phase_begin(stream, phase, NULL);
    stream_append_start(stream, 0, delay);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

TEST(test_hash_is_the_identity)
{
    struct stream *streams[] = {
        small_stream(1, "a", 1), small_stream(1, "a", 1), small_stream(2, "a", 1),
        small_stream(1, "b", 1), small_stream(1, "a", 2),
    };
    assert_true(streams[0]->hash == streams[1]->hash);
    for (size_t i = 2; i < 5; i++)
        assert_true(streams[0]->hash != streams[i]->hash);
    for (size_t i = 0; i < 5; i++)
        stream_free(streams[i]);
}

TEST(test_restart_table_is_copied)
{
    struct diag diag;
    uint32_t table[STREAM_RESTART_SIZE];
    for (size_t i = 0; i < STREAM_RESTART_SIZE; i++)
        table[i] = 10;
    table[5] = 99;
    struct stream *stream = stream_new("table");
    stream_phase_begin(stream, "hold", table);
    memset(table, 0, sizeof table);
    stream_append_start(stream, 3, 1);
    stream_append_ticks(stream, 1000);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    assert_int_equal(stream->phases[0].restart[5], 99);
    assert_int_equal(stream->horizon, 99);
    assert_int_equal(stream->capacity, 4);
    assert_in_range(stream->expected.fired, 90, 100);
    stream_free(stream);
}

TEST(test_refusals)
{
    struct diag diag = {""};
    struct stream *stream = stream_new("w");
    stream->capacity = 5;
    stream_phase_begin(stream, "p", NULL);
    stream_append_stop(stream, 5);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "w: id 5, expected ids below the capacity of 5");
    stream_free(stream);

    stream = stream_new("w");
    stream_phase_begin(stream, "p", NULL);
    stream_append_advance(stream, UINT64_MAX - 10);
    assert_false(stream_is_broken(stream));
    stream_append_ticks(stream, 20);
    assert_true(stream_is_broken(stream));
    assert_int_equal(oracle_finish(stream, &diag), DIAG_USAGE);
    assert_string_equal(diag.text, "w: the clock would go past tick 2^64, expected shorter phases");
    stream_free(stream);
}

TEST(test_a_stream_of_nothing)
{
    struct diag diag;
    struct stream *stream = stream_new("nothing");
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    assert_int_equal(stream->capacity, 1);
    assert_int_equal(stream->expected.fired, 0);
    stream_free(stream);
    stream_free(NULL);
}

TEST(test_deadlines_are_clamped)
{
    assert_true(stream_deadline(10, -11) == 0);
    assert_true(stream_deadline(10, -3) == 7);
    assert_true(stream_deadline(10, INT64_MIN) == 0);
    assert_true(stream_deadline(UINT64_MAX - 5, 100) == TW_DEADLINE_MAX);
    assert_true(stream_deadline(5, 100) == 105);
}

TEST_MAIN(NULL, NULL)
