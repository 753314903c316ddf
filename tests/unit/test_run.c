/*
 * test_run.c - what becomes of a cell: right, wrong, refused, crashed, hung, out of memory.
 *
 * The misbehaving designs are heap's table with one hook replaced.
 */
#include "harness/measure/run/group.h"
#include "testing.h"

#include "harness/measure/workload/oracle.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* 1000 timers due 1..1000; half stopped; a phase of ticks; a phase of hold by jumps of three. */
static struct stream *make_stream(void)
{
    uint32_t restart[STREAM_RESTART_SIZE];
    for (uint32_t i = 0; i < STREAM_RESTART_SIZE; i++)
        restart[i] = 1 + i % 50;
    struct stream *stream = stream_new("test");
    struct diag diag;
    assert_non_null(stream);
    stream->tasks = stream->capacity = 1000;
    stream->tick_ns = 1000000;
    stream_phase_begin(stream, "start", NULL);
    for (tw_id id = 0; id < 1000; id++)
        stream_append_start(stream, id, 1 + (int64_t)id);
    stream_phase_begin(stream, "stop", NULL);
    for (tw_id id = 0; id < 1000; id += 2)
        stream_append_stop(stream, id);
    stream_phase_begin(stream, "expire", NULL);
    stream_append_ticks(stream, 500);
    stream_phase_begin(stream, "hold", restart);
    for (int i = 0; i < 200; i++)
        stream_append_advance(stream, 3);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

static const struct tw_backend *heap_timed(void)
{
    return registry_find("heap")->timed;
}

static int crashing_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers;
    if (id == 100)
        raise(SIGSEGV);
    return TW_OK;
}

static int hanging_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    while (pause() != 0)
        continue;
    return TW_OK;
}

static int lazy_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_OK;
}

static int refusing_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (id == 999)
        return TW_REFUSED_RANGE;
    return heap_timed()->start(timers, id, deadline);
}

static int early_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return heap_timed()->start(timers, id, deadline > 10 ? deadline - 1 : deadline);
}

static int greedy_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    /* Touched page by page, so that nothing can be promised and not given. */
    for (size_t bytes = 0; bytes < (size_t)8 << 30; bytes += 1 << 20) {
        volatile char *block = malloc(1 << 20);
        if (!block) {
            strcpy(error->text, "no memory");
            return TW_REFUSED_MEMORY;
        }
        block[0] = 1;
    }
    return heap_timed()->open(out, config, error);
}

static void assert_outcome(const struct outcome *outcome, enum outcome_status status,
                           const char *reason)
{
    if (outcome->status != status || !strstr(outcome->reason, reason))
        fail_msg("%s, '%s', and not %s, '%s'", outcome_status_name(outcome->status),
                 outcome->reason, outcome_status_name(status), reason);
}

/* Runs one design beside heap and hands back its outcome; heap itself has to come out right.  Answers false when
 * the machine did not let heap end in its budget. */
static bool run_beside_heap(const struct tw_backend *timed, const struct tw_backend *counted,
                            uint64_t budget_ns, struct outcome *out)
{
    struct stream *stream = make_stream();
    struct tw_design entry = {.timed = timed, .counted = counted};
    struct plan_cell cells[2] = {{.design = &entry}, {.design = registry_find("heap")}};
    struct outcome *outcomes = calloc(2, sizeof *outcomes);
    struct group_options options = {.runs = 3, .warmup = 1, .min_time_ns = 100000, .seed = 1};
    struct pool_bounds limits = {.budget_ns = budget_ns, .memory_bytes = (uint64_t)256 << 20};
    struct cycles cycles = cycles_calibrate();
    struct pool *pool;
    struct diag diag;
    int cpu = -1;
    assert_int_equal(pool_open(&pool, &cpu, 1, &limits, &diag), DIAG_OK);
    assert_int_equal(
        group_run(pool, cells, 2, stream, &cycles, &options, outcomes, NULL, NULL, &diag), DIAG_OK);
    pool_close(pool);
    bool in_time = outcomes[1].status != OUTCOME_TIMEOUT &&
                   !strstr(outcomes[1].reason, "did not return within");
    if (in_time) {
        assert_outcome(&outcomes[1], OUTCOME_OK, "");
        assert_int_equal(outcomes[1].sample_count, 3);
    }
    *out = outcomes[0];
    free(outcomes);
    stream_free(stream);
    return in_time;
}

#define SECOND UINT64_C(1000000000)

/* A budget that no stall exhausts, for what is meant to end. */
#define AMPLE (100 * SECOND)

static void assert_faulty(const struct tw_backend *faulty, enum outcome_status status,
                          const char *reason)
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    assert_non_null(outcome);
    assert_true(run_beside_heap(faulty, faulty, AMPLE, outcome));
    assert_outcome(outcome, status, reason);
    free(outcome);
}

/* The step is what two empty pairs differ by, or how far they spread. */
TEST(test_the_step_of_the_clock)
{
    assert_int_equal(cycles_step((const uint64_t[]){26, 26, 52, 78}, 4), 26);
    assert_int_equal(cycles_step((const uint64_t[]){20, 21, 22, 30, 900}, 5), 10);
    assert_int_equal(cycles_step((const uint64_t[]){52, 52, 52}, 3), 52);
}

TEST(test_crash)
{
    struct tw_backend faulty = *heap_timed();
    faulty.stop = crashing_stop;
    assert_faulty(&faulty, OUTCOME_CRASHED, "Segmentation fault");
}

/* What takes all of its budget gets a short one; a machine on which heap needs more gives more. */
static void assert_too_long(int (*stop)(struct tw_timers *, tw_id), enum outcome_status status,
                            const char *before, double share)
{
    struct tw_backend faulty = *heap_timed();
    struct outcome *outcome = calloc(1, sizeof *outcome);
    char reason[64];
    uint64_t budget_ns = SECOND / 2;
    assert_non_null(outcome);
    faulty.stop = stop;
    while (!run_beside_heap(&faulty, &faulty, budget_ns, outcome) || outcome->status != status) {
        budget_ns *= 4;
        assert_true(budget_ns < AMPLE);
    }
    snprintf(reason, sizeof reason, "%s %.3g s", before, share * (double)budget_ns / 1e9);
    assert_outcome(outcome, status, reason);
    free(outcome);
}

TEST(test_hang)
{
    assert_too_long(hanging_stop, OUTCOME_CRASHED, "stop did not return within", 0.5);
}

static int slow_stop(struct tw_timers *timers, tw_id id)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return heap_timed()->stop(timers, id);
}

/* It returns each time, and there are many times. */
TEST(test_slow)
{
    assert_too_long(slow_stop, OUTCOME_TIMEOUT, "budget of", 1);
}

TEST(test_wrong_stop)
{
    struct tw_backend faulty = *heap_timed();
    faulty.stop = lazy_stop;
    assert_faulty(&faulty, OUTCOME_MISMATCH, "an idle timer fired");
}

TEST(test_early)
{
    struct tw_backend faulty = *heap_timed();
    faulty.start = early_start;
    assert_faulty(&faulty, OUTCOME_MISMATCH, "fired early");
}

TEST(test_refused)
{
    struct tw_backend faulty = *heap_timed();
    faulty.start = refusing_start;
    assert_faulty(&faulty, OUTCOME_UNSUPPORTED, "delay of 1000 ticks");
}

TEST(test_out_of_memory)
{
#ifndef TWB_JEMALLOC
    skip(); /* the limit is on address space, which the sanitizers need for themselves */
#endif
    struct tw_backend faulty = *heap_timed();
    faulty.open = greedy_open;
    assert_faulty(&faulty, OUTCOME_OUT_OF_MEMORY, "no memory; the limit of a run is");
}

TEST(test_figures)
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    const struct tw_design *heap = registry_find("heap");
    assert_true(run_beside_heap(heap->timed, heap->counted, AMPLE, outcome));
    assert_int_equal(outcome->phase_count, 4);
    assert_int_equal(outcome->phases[0].starts, 1000);
    assert_int_equal(outcome->phases[1].stops, 500);
    assert_int_equal(outcome->phases[2].expires, 250);
    assert_int_equal(outcome->phases[2].advances, 500);
    assert_int_equal(outcome->phases[3].advances, 200);
    assert_int_equal(outcome->phases[3].ticks, 600);
    assert_int_equal(outcome->phases[3].starts, outcome->phases[3].expires);
    assert_true(outcome->phases[3].expires > 250);
    assert_int_equal(outcome->early, 0);
    assert_int_equal(outcome->late_max_ticks, 0);
    assert_int_equal(outcome->phases[2].latency[OUTCOME_ADVANCE].count, 500);
    assert_in_range(outcome->phases[0].latency[OUTCOME_START].count, 50, 70);
    assert_true(outcome->phases[0].work.comparisons > 0);
    assert_true(outcome->phases[0].wall_ns[0] > 0);
#ifdef TWB_JEMALLOC
    assert_true(outcome->memory.measured);
    assert_true(outcome->memory.peak_bytes >=
                outcome->memory.fixed_bytes + outcome->memory.capacity_bytes);
    assert_int_equal(outcome->memory.retained_bytes, 0);
#endif
    free(outcome);
}

/* ---- The own tail. ------------------------------------------------------------------------------- */

#define OWN_STALL_NS     300000u
#define PASSING_STALL_NS 5000000u

static void spin(uint64_t ns)
{
    uint64_t until = clock_read_ns(CLOCK_MONOTONIC) + ns;
    while (clock_read_ns(CLOCK_MONOTONIC) < until)
        continue;
}

/* Slow by itself where the clock passes tick 100, in each pass; and once in 997 calls over all passes, as an
 * interruption is. */
static void stalling_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    static unsigned calls;
    if (to == 100)
        spin(OWN_STALL_NS);
    if (++calls % 997 == 0)
        spin(PASSING_STALL_NS);
    heap_timed()->advance(timers, to, expire, ctx);
}

TEST(test_own_tail_is_the_designs)
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    struct tw_backend stalling = *heap_timed();
    stalling.advance = stalling_advance;
    assert_true(run_beside_heap(&stalling, &stalling, AMPLE, outcome));
    assert_outcome(outcome, OUTCOME_OK, "");
    uint64_t own_ps = 0;
    for (size_t i = 0; i < outcome->phase_count; i++) {
        const struct tail *own = &outcome->phases[i].own;
        if (outcome->phases[i].advances == 0) {
            assert_int_equal(own->passes, 0);
            continue;
        }
        assert_in_range(own->passes, TAIL_PASSES_MIN, 7);
        assert_int_equal(own->calls, outcome->phases[i].advances);
        assert_int_equal(own->calls_per_block, 1);
        own_ps = own->least.max_ps > own_ps ? own->least.max_ps : own_ps;
    }
    assert_true(own_ps >= 1000 * OWN_STALL_NS && own_ps / 1000 < PASSING_STALL_NS);
    free(outcome);
}

/* The design hangs, its budget is ample: the deadline ends the child all the same, and nothing is said of it. */
TEST(test_a_deadline_ends_what_is_in_flight)
{
    struct stream *stream = make_stream();
    struct tw_backend hanging = *heap_timed();
    hanging.stop = hanging_stop;
    struct tw_design entry = {.timed = &hanging, .counted = &hanging};
    struct plan_cell cell = {.design = &entry};
    struct group_options options = {.seed = 1};
    struct pool_bounds limits = {.budget_ns = AMPLE};
    struct outcome *outcome = calloc(1, sizeof *outcome);
    struct pool *pool;
    struct diag diag;
    int cpu = -1;
    assert_non_null(outcome);
    assert_int_equal(pool_open(&pool, &cpu, 1, &limits, &diag), DIAG_OK);
    pool_set_deadline(pool, deadline_after(clock_read_ns(CLOCK_MONOTONIC), 200000000));
    assert_int_equal(group_run(pool, &cell, 1, stream, NULL, &options, outcome, NULL, NULL, &diag),
                     DEADLINE_OVER);
    assert_int_equal(outcome->status, OUTCOME_OK);
    pool_close(pool);
    free(outcome);
    stream_free(stream);
}

/* Without a run there are the proof and the memory, and nothing that was timed. */
TEST(test_counts_only)
{
    struct stream *stream = make_stream();
    struct plan_cell cell = {.design = registry_find("heap")};
    struct group_options options = {.seed = 1, .count = true, .small = stream};
    struct pool_bounds limits = {.budget_ns = AMPLE};
    struct outcome *outcome = calloc(1, sizeof *outcome);
    struct pool *pool;
    struct diag diag;
    int cpu = -1;
    assert_non_null(outcome);
    assert_int_equal(pool_open(&pool, &cpu, 1, &limits, &diag), DIAG_OK);
    assert_int_equal(group_run(pool, &cell, 1, stream, NULL, &options, outcome, NULL, NULL, &diag),
                     DIAG_OK);
    pool_close(pool);
    assert_int_equal(outcome->status, OUTCOME_OK);
    assert_int_equal(outcome->sample_count, 0);
    assert_int_equal(outcome->digest, stream->expected.digest);
    assert_int_equal(outcome->phases[0].starts, 1000);
    assert_int_equal(outcome->phases[2].expires, 250);
    assert_int_equal(outcome->phases[2].latency[OUTCOME_ADVANCE].count, 0);
    assert_true(outcome->phases[0].work.comparisons > 0);
    assert_true(outcome->memory.fixed_bytes > 0);
    assert_false(outcome->stepped.known);
    free(outcome);
    stream_free(stream);
}

TEST(test_passes)
{
    struct stream *stream = make_stream();
    uint64_t passes = group_passes(stream, 10000000);
    assert_in_range(passes, 100, 1000);
    assert_int_equal(group_passes(stream, 0), 1);
    stream_free(stream);
}

static struct job_report *report_of(double pass_ms, double rest_ms, double cpu_ms)
{
    static struct job_report report;
    report = (struct job_report){.rest_wall_ns = rest_ms * 1e6, .rest_cpu_ns = rest_ms * 1e6};
    report.total.phases[0] =
        (struct replay_phase){.wall_ns = pass_ms * 1e6, .cpu_ns = cpu_ms * 1e6};
    return &report;
}

/* 10 ms in passes and 5 in between, by the clock outside, whatever the process says. */
TEST(times_are_held_to_the_clock_outside)
{
    const struct {
        double pass_ms, rest_ms, cpu_ms;
        enum outcome_status status;
    } told[] = {
        {10, 5, 10, OUTCOME_OK},       {9, 5, 9, OUTCOME_OK},        {400, 5, 10, OUTCOME_OK},
        {7, 5, 10, OUTCOME_MISMATCH},  {10, 5, 7, OUTCOME_MISMATCH}, {5, 2.5, 5, OUTCOME_MISMATCH},
        {20, 5, 20, OUTCOME_MISMATCH},
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        struct job_report *report = report_of(told[i].pass_ms, told[i].rest_ms, told[i].cpu_ms);
        job_report_check_clock(report, 15000000);
        assert_int_equal(report->status, told[i].status);
    }
    struct job_report *brief = report_of(0.01, 0.3, 0.01);
    job_report_check_clock(brief, 700000);
    assert_int_equal(brief->status, OUTCOME_OK); /* what cannot be told */
    brief->marks_cpu_ns = 2e6;                   /* the machine stood still while the parent read */
    job_report_check_clock(brief, 2300000);
    assert_int_equal(brief->status, OUTCOME_OK);
}

TEST_MAIN(NULL, NULL)
