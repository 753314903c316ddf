/*
 * test_drive.c - what a way of driving costs: pointer moves and wake-ups, counted by real runs.
 */
#include "harness/run/instance.h"
#include "harness/run/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Ticks of 1 s: 3 days, 10 hours, 50 minutes and 30 seconds. */
#define LONG_DELAY 298230

/* One task, and as many ticks as it takes. */
static struct stream *make_long(void)
{
    struct diag diag;
    struct stream *stream = stream_new("long");
    assert_non_null(stream);
    stream->tasks = stream->capacity = 1;
    stream->tick_ns = 1000000000;
    stream_phase_begin(stream, "wait", NULL);
    stream_append_start(stream, 0, LONG_DELAY);
    stream_append_ticks(stream, LONG_DELAY);
    assert_int_equal(stream_finish(stream, &diag), DIAG_OK);
    return stream;
}

/* The proof of the stream on the counted object; the phases are the caller's to free. */
static struct outcome_phase *prove(const char *design, const struct stream *stream)
{
    struct diag diag;
    struct replay_proof proof;
    char reason[INSTANCE_REASON];
    struct instance instance;
    struct plan_cell cell = {.design = registry_find(design)};
    struct outcome_phase *phases = calloc(STREAM_PHASES_MAX, sizeof *phases);
    assert_non_null(phases);
    assert_int_equal(instance_open(&instance, cell.design->counted, &cell, stream, reason),
                     OUTCOME_OK);
    assert_int_equal(replay_prove(instance.design, instance.timers, stream, phases, &proof, &diag),
                     DIAG_OK);
    instance_close(&instance);
    assert_string_equal(proof.broken, "");
    assert_int_equal(proof.digest, stream->expected.digest);
    return phases;
}

/* On one wheel of 1 s the pointer passes every second; no wheel, no pointer. */
static void test_pointer_moves(void **state)
{
    (void)state;
    static const struct {
        const char *design;
        uint64_t moves;
    } rows[] = {{"hashed", LONG_DELAY}, {"round", LONG_DELAY}, {"heap", 0}, {"list", 0}};
    struct stream *stream = make_long();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_phase *phases = prove(rows[i].design, stream);
        assert_int_equal(phases[0].work.pointer_moves, rows[i].moves);
        free(phases);
    }
    stream_free(stream);
}

/* A jump over more than a revolution visits every slot once, and the pointer with it. */
static void test_pointer_jump(void **state)
{
    (void)state;
    struct diag diag;
    struct stream *stream = stream_new("jump");
    assert_non_null(stream);
    stream->tasks = stream->capacity = 1;
    stream->tick_ns = 1000000000;
    stream_phase_begin(stream, "wait", NULL);
    stream_append_start(stream, 0, LONG_DELAY);
    stream_append_advance(stream, LONG_DELAY);
    assert_int_equal(stream_finish(stream, &diag), DIAG_OK);
    struct outcome_phase *phases = prove("hashed", stream);
    assert_int_equal(phases[0].work.pointer_moves, 256);
    free(phases);
    stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pointer_moves),
        cmocka_unit_test(test_pointer_jump),
    };
    return cmocka_run_group_tests_name("drive", tests, NULL, NULL);
}
