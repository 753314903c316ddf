/*
 * test_drive.c - what a way of driving costs: pointer moves and wake-ups, counted by real runs.
 */
#include "harness/measure/run/instance.h"
#include "harness/measure/run/replay.h"
#include "harness/measure/workload/oracle.h"
#include "testing.h"

/* Ticks of 1 s: 3 days, 10 hours, 50 minutes and 30 seconds. */
#define LONG_DELAY 298230

static struct stream *stream_begin(const char *name, uint32_t tasks, uint64_t tick_ns,
                                   const char *phase)
{
    struct stream *stream = stream_new(name);
    assert_non_null(stream);
    stream->tasks = stream->capacity = tasks;
    stream->tick_ns = tick_ns;
    stream_phase_begin(stream, phase, NULL);
    return stream;
}

static struct stream *stream_end(struct stream *stream)
{
    struct diag diag;
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

/* One task, and as many ticks as it takes. */
static struct stream *make_long(void)
{
    struct stream *stream = stream_begin("long", 1, 1000000000, "wait");
    stream_append_start(stream, 0, LONG_DELAY);
    stream_append_ticks(stream, LONG_DELAY);
    return stream_end(stream);
}

/* The proof of the stream on that table; the phases are the caller's to free. */
static struct outcome_phase *prove_table(const struct tw_backend *table,
                                         const struct plan_cell *cell, const struct stream *stream,
                                         struct replay_proof *proof)
{
    struct diag diag;
    char reason[INSTANCE_REASON];
    struct instance instance;
    struct outcome_phase *phases = calloc(STREAM_PHASES_MAX, sizeof *phases);
    assert_non_null(phases);
    assert_int_equal(instance_open(&instance, table, cell, stream, reason), OUTCOME_OK);
    assert_int_equal(
        replay_prove(instance.design, instance.timers, stream, cell->drive, phases, proof, &diag),
        DIAG_OK);
    instance_close(&instance);
    return phases;
}

/* The same on the counted object, which is right. */
static struct outcome_phase *prove_cell(const struct plan_cell *cell, const struct stream *stream)
{
    struct replay_proof proof;
    char reason[INSTANCE_REASON];
    struct outcome_phase *phases = prove_table(cell->design->counted, cell, stream, &proof);
    assert_string_equal(proof.broken, "");
    assert_true(
        instance_digest_is_right(cell->design->counted, stream, proof.digest, proof.fired, reason));
    return phases;
}

static struct outcome_phase *prove(const char *design, const struct stream *stream,
                                   enum plan_drive drive)
{
    struct plan_cell cell = {.design = registry_find(design), .drive = drive};
    return prove_cell(&cell, stream);
}

/* On one wheel of 1 s the pointer passes every second; no wheel, no pointer. */
TEST(test_pointer_moves)
{
    static const struct {
        const char *design;
        uint64_t moves;
    } rows[] = {{"hashed", LONG_DELAY}, {"round", LONG_DELAY}, {"heap", 0}, {"list", 0}};
    struct stream *stream = make_long();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome_phase *phases = prove(rows[i].design, stream, PLAN_DRIVE_TICKS);
        assert_int_equal(phases[0].work.pointer_moves, rows[i].moves);
        free(phases);
    }
    stream_free(stream);
}

/* On wheels of seconds, minutes, hours and days, driven by next: 3 + 10 + 50 + 30. */
TEST(test_pointers_of_levels)
{
    struct stream *stream = make_long();
    struct plan_cell cell = {
        .design = registry_find("hier"),
        .drive = PLAN_DRIVE_NEXT,
        .settings = {{.name = "levels", .count = 4, .values = {60, 60, 24, 10}}},
        .setting_count = 1,
    };
    struct outcome_phase *phases = prove_cell(&cell, stream);
    assert_int_equal(phases[0].work.pointer_moves, 93);
    free(phases);
    stream_free(stream);
}

/* A jump over more than a revolution visits every slot once, and the pointer with it. */
TEST(test_pointer_jump)
{
    struct stream *stream = stream_begin("jump", 1, 1000000000, "wait");
    stream_append_start(stream, 0, LONG_DELAY);
    stream_append_advance(stream, LONG_DELAY);
    stream_end(stream);
    struct outcome_phase *phases = prove("hashed", stream, PLAN_DRIVE_TICKS);
    assert_int_equal(phases[0].work.pointer_moves, 256);
    free(phases);
    stream_free(stream);
}

/* ---- Wake-ups. ------------------------------------------------------------------------------- */

/* A task 500 ticks away; with `earlier`, one that is added at 100 and due at 150. */
static struct stream *make_distant(bool earlier)
{
    struct stream *stream = stream_begin("distant", 2, 1000000000, "wait");
    stream_append_start(stream, 0, 500);
    stream_append_ticks(stream, 100);
    if (earlier)
        stream_append_start(stream, 1, 50);
    stream_append_ticks(stream, 400);
    return stream_end(stream);
}

static void assert_wakeups(const struct outcome_phase *phase, uint64_t count, uint64_t useful,
                           uint64_t to_moment, uint64_t next_calls)
{
    assert_int_equal(phase->advances, count);
    assert_int_equal(phase->wakeups.useful, useful);
    assert_int_equal(phase->wakeups.to_moment, to_moment);
    assert_int_equal(phase->wakeups.next_calls, next_calls);
}

/* One wake-up, not 500, of every exact design that names its next expiry exactly. */
TEST(test_distant)
{
    struct stream *stream = make_distant(false);
    struct outcome_phase *phases = prove("heap", stream, PLAN_DRIVE_TICKS);
    assert_wakeups(&phases[0], 500, 1, 0, 0);
    free(phases);
    size_t tried = 0;
    for (size_t i = 0; i < registry_count; i++) {
        const struct tw_traits *traits = &registry[i].timed->traits;
        bool late = traits->late_ticks > 0 || traits->late_shift > 0;
        if (!(traits->flags & TW_NEXT_EXACT) || (traits->flags & TW_KEEPS_NOTHING) || late)
            continue;
        phases = prove(registry[i].timed->name, stream, PLAN_DRIVE_NEXT);
        assert_wakeups(&phases[0], 1, 1, 0, 1);
        free(phases);
        tried++;
    }
    assert_true(tried >= 3);
    stream_free(stream);
}

/* The driver goes to where the start is, asks again, and wakes up for the earlier task first. */
TEST(test_earlier_start)
{
    struct stream *stream = make_distant(true);
    struct outcome_phase *phases = prove("heap", stream, PLAN_DRIVE_NEXT);
    assert_wakeups(&phases[0], 3, 2, 1, 3);
    free(phases);
    stream_free(stream);
}

/* Starts, re-arms and stops, a hold, jumps of odd lengths: whatever a stream may do. */
static struct stream *make_mixed(void)
{
    uint32_t restart[STREAM_RESTART_SIZE];
    for (uint32_t i = 0; i < STREAM_RESTART_SIZE; i++)
        restart[i] = 1 + i * 7 % 3000;
    struct stream *stream = stream_begin("mixed", 200, 1000000, "start");
    for (tw_id id = 0; id < 200; id++) {
        stream_append_start(stream, id, 1 + (int64_t)id * 37 % 5000);
        stream_append_advance(stream, 1 + id % 3);
        if (id % 5 == 0)
            stream_append_stop(stream, id / 2);
        if (id % 7 == 0)
            stream_append_start(stream, id / 3, 4);
    }
    stream_phase_begin(stream, "hold", restart);
    stream_append_ticks(stream, 3000);
    stream_append_advance(stream, 500);
    stream_append_ticks(stream, 7);
    stream_phase_begin(stream, "end", NULL);
    stream_append_advance(stream, 9000);
    return stream_end(stream);
}

/* prove() holds the digest to the oracle's, whoever drives. */
TEST(test_every_design)
{
    struct stream *stream = make_mixed();
    for (size_t i = 0; i < registry_count; i++) {
        const struct tw_traits *traits = &registry[i].timed->traits;
        if (traits->flags & TW_KEEPS_NOTHING)
            continue;
        struct outcome_phase *ticks = prove(registry[i].timed->name, stream, PLAN_DRIVE_TICKS);
        struct outcome_phase *next = prove(registry[i].timed->name, stream, PLAN_DRIVE_NEXT);
        for (size_t p = 0; p < stream->phase_count; p++) {
            assert_int_equal(next[p].ticks, ticks[p].ticks);
            assert_int_equal(next[p].wakeups.next_calls, next[p].advances);
            assert_true(next[p].wakeups.useful + next[p].wakeups.to_moment <= next[p].advances);
        }
        free(ticks);
        free(next);
    }
    stream_free(stream);
}

/* ---- A next that is wrong is found. ---------------------------------------------------------- */

static tw_tick late_next(const struct tw_timers *timers)
{
    tw_tick next = registry_find("heap")->counted->next(timers);
    return next == TW_NEVER ? next : next + 1;
}

static tw_tick standing_next(const struct tw_timers *timers)
{
    (void)timers;
    return 0;
}

static tw_tick never_next(const struct tw_timers *timers)
{
    (void)timers;
    return TW_NEVER;
}

static tw_tick early_next(const struct tw_timers *timers)
{
    tw_tick next = registry_find("heap")->counted->next(timers);
    return next == 500 ? 499 : next;
}

TEST(test_wrong_next)
{
    static const struct {
        tw_tick (*next)(const struct tw_timers *timers);
        const char *broken;
    } rows[] = {
        {late_next, "behind an expiry"},
        {standing_next, "a tick that is over"},
        {never_next, "never though timers run"},
        {early_next, "a tick on which nothing fired"},
    };
    struct stream *stream = make_distant(true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct replay_proof proof;
        struct tw_backend faulty = *registry_find("heap")->counted;
        struct plan_cell cell = {.design = registry_find("heap"), .drive = PLAN_DRIVE_NEXT};
        faulty.next = rows[i].next;
        free(prove_table(&faulty, &cell, stream, &proof));
        if (!strstr(proof.broken, rows[i].broken))
            fail_msg("'%s' does not say '%s'", proof.broken, rows[i].broken);
    }
    stream_free(stream);
}

/* ---- The work of one advance. ---------------------------------------------------------------- */

/* 1000 timers due on one tick among 1000 ticks: one call does all the work. */
TEST(test_advance_work)
{
    struct stream *stream = stream_begin("burst", 1000, 1000000, "start");
    for (tw_id id = 0; id < 1000; id++)
        stream_append_start(stream, id, 500);
    stream_phase_begin(stream, "burst", NULL);
    stream_append_ticks(stream, 1000);
    stream_end(stream);
    struct outcome_phase *phases = prove("hashed", stream, PLAN_DRIVE_TICKS);
    assert_int_equal(phases[0].advance_work.max, 0);
    assert_int_equal(phases[1].advance_work.max, 1000);
    assert_int_equal(phases[1].advance_work.p99, 0);
    free(phases);
    stream_free(stream);
}

/* ---- Precision. ------------------------------------------------------------------------------ */

/* Ticks of 10 ms; deadlines asked for at 1 ms .. 10 ms, of which only the last is a tick's. */
static struct stream *make_rounded(void)
{
    struct stream *stream = stream_begin("rounded", 10, 10000000, "wait");
    for (tw_id id = 0; id < 10; id++)
        stream_append_rounded(stream, id, 1, (9 - id) * 1000000);
    stream->below_tick = 9;
    stream_append_stop(stream, 1);
    stream_append_start(stream, 0, 2);
    stream_append_ticks(stream, 3);
    return stream_end(stream);
}

/* 1 was stopped and does not count; 0 was started again, for an exact deadline. */
TEST(test_precision)
{
    struct replay_proof proof;
    struct plan_cell cell = {.design = registry_find("heap")};
    struct stream *stream = make_rounded();
    struct outcome_phase *phases = prove_table(cell.design->counted, &cell, stream, &proof);
    assert_string_equal(proof.broken, "");
    assert_int_equal(proof.late_max_ticks, 0);
    assert_int_equal(proof.precision.late_max_ns, 7000000);
    assert_true(proof.precision.late_mean_ns == (7 + 6 + 5 + 4 + 3 + 2 + 1) * 1e6 / 9);
    assert_int_equal(proof.precision.below_tick, 9);
    free(phases);
    stream_free(stream);
}

TEST_MAIN(NULL, NULL)
