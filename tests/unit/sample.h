/*
 * sample.h - made-up results for the tests of result/ and report/.
 *
 * No design runs here: times follow simple formulas in the number of tasks, so that tables and
 * pictures look as they do with real figures, and every number is the same on every machine.
 */
#ifndef TWBENCH_TEST_SAMPLE_H
#define TWBENCH_TEST_SAMPLE_H

#include "harness/base/rng.h"
#include "harness/tell/result/document.h"
#include "testing.h"

#include <math.h>

#define SAMPLE_COUNT 10

/* Nanoseconds of an operation on n running timers: fixed + per_log * log2 n + per_n * n, plus what
 * the caches no longer hold. */
struct sample_design {
    const char *name;
    struct tw_traits traits;
    double fixed_ns, log_ns, linear_ns;
    double bytes;
    bool has_slots;
};

static const struct sample_design sample_designs[] = {
    {"null", {.flags = TW_ORDERED | TW_TICKLESS | TW_KEEPS_NOTHING}, 1.3, 0, 0, 0, false},
    {"list", {.flags = TW_ORDERED | TW_FIFO}, 4, 0, 0.12, 16, false},
    {"heap", {.flags = TW_ORDERED}, 6, 3.1, 0, 16, false},
    {"hashed", {.flags = TW_ORDERED}, 5.5, 0, 0, 16, true},
    {"round", {.flags = TW_ORDERED}, 6.2, 0, 0, 20, true},
    {"hier", {.flags = TW_ORDERED}, 8.9, 0, 0, 16, false},
};
#define SAMPLE_DESIGNS (sizeof sample_designs / sizeof *sample_designs)

static inline struct stream sample_stream(const char *workload, uint64_t tasks)
{
    struct stream stream = {
        .tasks_meaning = "timers",
        .tasks = tasks,
        .seed = UINT64_MAX, /* does not fit a double */
        .tick_ns = 1000000,
        .capacity = (uint32_t)tasks,
        .horizon = 3600000,
        .hash = 0x0123456789abcdef ^ tasks,
        .phase_count = 3,
        .phases = {{.name = "fill"}, {.name = "steady"}, {.name = "drain"}},
        .expected = {.digest = 0xfedcba9876543210, .fired = 5 * tasks, .running_max = tasks},
    };
    snprintf(stream.workload, sizeof stream.workload, "%s", workload);
    for (const char *c = workload; *c; c++)
        stream.hash = stream.hash * 31 + (uint64_t)*c;
    return stream;
}

static inline double sample_cost_ns(const struct sample_design *design, double tasks, double slots)
{
    double cost = design->fixed_ns + design->log_ns * log2(tasks) + design->linear_ns * tasks;
    if (design->has_slots && slots > 0)
        cost += 2.5 * tasks / slots;
    return cost + (design->bytes > 0 ? 0.9 * sqrt(tasks / 1000) / (1 + tasks / 3e6) : 0);
}

static inline void sample_latency(struct histogram *to, uint64_t calls, double ns, struct rng *rng)
{
    for (uint64_t i = 0; i < calls && i < 20000; i++)
        histogram_add(to, (uint64_t)(1000 * ns * pow(rng_unit(rng), -0.45)));
}

/* The machine has no share in it: half of what was seen. */
static inline void sample_own(struct outcome_phase *phase)
{
    uint64_t max_ps = phase->latency[OUTCOME_ADVANCE].max_ps / 2;
    phase->own = (struct tail){
        .passes = 5,
        .calls = phase->advances,
        .calls_per_block = 1,
        .slowest_count = 1,
        .slowest = {{77, max_ps}},
        .pass_max_ps = max_ps + 1000,
    };
    histogram_add(&phase->own.least, max_ps);
}

static inline void sample_phase(struct outcome_phase *phase, size_t index, double tasks,
                                double cost_ns, bool fires, struct rng *rng)
{
    static const double factors[] = {0.7, 1.4, 1.0};
    uint64_t count = (uint64_t)tasks;
    phase->starts = index < 2 ? count : 0;
    phase->stops = index == 2 ? count / 2 : 0;
    /* Five times as many as there are tasks, as sample_stream expects. */
    phase->expires = index == 0 || !fires ? 0
                     : index == 1         ? 4 * count + count / 2
                                          : count - count / 2;
    phase->advances = index == 0 ? 0 : 10000;
    phase->ticks = phase->advances;
    phase->is_counted = true;
    double operations = (double)(phase->starts + phase->stops + phase->expires);
    for (size_t s = 0; s < SAMPLE_COUNT; s++) {
        double noise = 0.97 + 0.08 * rng_unit(rng);
        phase->wall_ns[s] = operations * cost_ns * factors[index] * noise;
        phase->cpu_ns[s] = phase->wall_ns[s] * 0.99;
    }
    if (phase->starts > 0)
        sample_latency(&phase->latency[OUTCOME_START], phase->starts, cost_ns, rng);
    if (phase->stops > 0)
        sample_latency(&phase->latency[OUTCOME_STOP], phase->stops, cost_ns, rng);
    if (phase->advances > 0) {
        sample_latency(&phase->latency[OUTCOME_ADVANCE], phase->advances,
                       cost_ns * (1 + tasks / 1e4), rng);
        sample_own(phase);
    }
    phase->work = (struct tw_work){.comparisons = 3 * count, .visits = 2 * count};
}

/* The caller frees it. */
static inline struct outcome *sample_outcome(const struct sample_design *design,
                                             const struct stream *stream, uint64_t slots)
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    assert_non_null(outcome);
    struct rng rng;
    rng_seed(&rng, stream->tasks, slots + (uint64_t)(design - sample_designs));
    double tasks = (double)stream->tasks;
    bool fires = !(design->traits.flags & TW_KEEPS_NOTHING);
    outcome->digest = stream->expected.digest;
    outcome->fired = fires ? stream->expected.fired : 0;
    outcome->span_ticks = TW_DEADLINE_MAX;
    outcome->sample_count = SAMPLE_COUNT;
    outcome->passes_per_sample = 3;
    outcome->phase_count = stream->phase_count;
    if (design->has_slots) {
        outcome->setting_count = 1;
        outcome->settings[0] = (struct outcome_setting){"slots", 1, {slots}};
    } else if (strcmp(design->name, "hier") == 0) {
        outcome->setting_count = 1;
        outcome->settings[0] = (struct outcome_setting){"levels", 4, {256, 64, 64, 64}};
    }
    for (size_t i = 0; i < stream->phase_count; i++)
        sample_phase(&outcome->phases[i], i, tasks, sample_cost_ns(design, tasks, (double)slots),
                     fires, &rng);
    double bytes = design->bytes * tasks;
    outcome->memory = (struct outcome_memory){
        .measured = true,
        .fixed_bytes = 4096 + 8 * slots,
        .capacity_bytes = (uint64_t)bytes,
        .allocated_bytes = (uint64_t)bytes + 4096 + 8 * slots,
        .resident_bytes = (uint64_t)bytes + 65536,
        .peak_bytes = (uint64_t)bytes + 4096 + 8 * slots,
        .bytes_per_task = bytes / tasks,
    };
    if (design->has_slots)
        outcome->memory.pages = (struct outcome_pages){
            .asked = true, .known = true, .huge_bytes = 4 << 20, .touched_bytes = 6 << 20};
    outcome->stepped = (struct outcome_stepped){
        .known = true,
        .tasks = 32,
        .calls = 100,
        .instructions = (uint64_t)(1000 * design->fixed_ns),
    };
    outcome->schedule_count = 2;
    outcome->schedules[0] = (struct outcome_schedule){OUTCOME_SKIP, 1, 900, 100, 40, 30, 0.5, 0.75};
    outcome->schedules[1] =
        (struct outcome_schedule){OUTCOME_BURST, 2, 1000, 0, 140, 2000, 25.0, 0.8};
    return outcome;
}

static inline void sample_fail(struct outcome *outcome, enum outcome_status status,
                               const char *reason)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->status = status;
    snprintf(outcome->reason, sizeof outcome->reason, "%s", reason);
}

static inline struct cell_identity sample_identity(const struct sample_design *design,
                                                   const struct tw_setting *setting)
{
    return (struct cell_identity){
        .impl = design->name,
        .traits = &design->traits,
        .settings = setting,
        .setting_count = setting ? 1 : 0,
        .runs = SAMPLE_COUNT,
        .warmup = 1,
        .budget_ns = 10000000000,
        .pin_cpu = 1,
    };
}

static inline struct result_origin sample_origin(void)
{
    static char *argv[] = {(char *)(uintptr_t) "twbench", (char *)(uintptr_t) "--impl=all"};
    struct result_origin origin = {
        .argc = 2,
        .argv = argv,
        .tool = {.name = "twbench",
                 .version = "0.1.0",
                 .commit = "1234567",
                 .compiler = "gcc 12.2.0",
                 .flags = "-O2",
                 .allocator = "jemalloc 5.3.0",
                 .date_utc = "2024-05-01T12:00:00Z"},
        .machine =
            {.cpu_model = "Example CPU @ 3.00GHz",
             .kernel = "Linux 6.1.0",
             .cores = 2,
             .memory_bytes = UINT64_C(17179869184),
             .cache_count = 1,
             .caches = {{.level = 1, .type = "Data", .size_bytes = 32768, .line_bytes = 64}}},
        .harness = {.timer = "tsc", .timer_overhead_ns = 21.25},
    };
    return origin;
}

static inline struct result_document *sample_empty(void)
{
    struct result_origin origin = sample_origin();
    struct result_document *document = NULL;
    document = result_new(&origin);
    return document;
}

/* One cell of that outcome, which it frees. */
static inline void sample_put(struct result_document *document, const struct sample_design *design,
                              const struct stream *stream, struct outcome *outcome)
{
    struct cell_identity identity = sample_identity(design, NULL);
    struct diag diag;
    assert_int_equal(result_add_cell(document, &identity, stream, outcome, 1, &diag), DIAG_OK);
    free(outcome);
}

/* One cell; list is hopeless from a million tasks on.  Slots of 0: the design's own choice. */
static inline void sample_add(struct result_document *document, const struct sample_design *design,
                              const char *workload, uint64_t tasks, uint64_t slots)
{
    struct stream stream = sample_stream(workload, tasks);
    struct tw_setting setting = {"slots", 1, {slots}};
    struct cell_identity identity = sample_identity(design, slots ? &setting : NULL);
    uint64_t derived = tasks < 64 ? 64 : tasks;
    struct outcome *outcome = sample_outcome(design, &stream, slots ? slots : derived);
    if (strcmp(design->name, "list") == 0 && tasks >= 1000000)
        sample_fail(outcome, OUTCOME_TIMEOUT, "over its time budget of 10 s");
    struct diag diag;
    assert_int_equal(result_add_cell(document, &identity, &stream, outcome, 1.31, &diag), DIAG_OK);
    free(outcome);
}

/* A sweep over tasks, a trace, and a sweep over slots: everything a report has to show. */
static inline struct result_document *sample_document(void)
{
    struct result_document *document = sample_empty();
    for (uint64_t tasks = 1000; tasks <= 1000000; tasks *= 10)
        for (size_t i = 0; i < SAMPLE_DESIGNS; i++)
            sample_add(document, &sample_designs[i], "hold", tasks, 0);
    for (size_t i = 0; i < SAMPLE_DESIGNS; i++)
        sample_add(document, &sample_designs[i], "nginx", 40213, 0);
    for (uint64_t slots = 64; slots <= 65536; slots *= 4)
        for (size_t i = 3; i <= 4; i++)
            sample_add(document, &sample_designs[i], "long-horizon", 10000, slots);
    result_set_complete(document, true);
    return document;
}

#endif
