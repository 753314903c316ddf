/*
 * compare_sample.h - made-up comparisons for the tests of compare/ and of what renders them.
 */
#ifndef TWBENCH_COMPARE_SAMPLE_H
#define TWBENCH_COMPARE_SAMPLE_H

#include "harness/compare/comparison.h"
#include "testing.h"

#include <math.h>

static inline struct interval sample_ratio(double low, double median, double high)
{
    return (struct interval){.low = low, .median = median, .high = high};
}

static inline struct timing sample_timing(double low, double median, double high)
{
    return (struct timing){
        .pairs = 30,
        .confidence = 0.9998,
        .cpu = sample_ratio(low, median, high),
        .wall = sample_ratio(low - 0.001, median, high + 0.002),
        .p_slower = 1,
        .p_faster = 1,
        .margin = 0.03,
    };
}

static inline struct change sample_change(double before, double after, double limit)
{
    struct change change = {.before = before, .after = after};
    change.share = before == after ? 0 : before == 0 ? INFINITY : after / before - 1;
    change.verdict = change.share > limit    ? VERDICT_REGRESSED
                     : change.share < -limit ? VERDICT_IMPROVED
                                             : VERDICT_SAME;
    return change;
}

/* A cell in which nothing changed: every gate was asked. */
static inline struct compared_cell sample_cell(const char *impl, const char *workload,
                                               uint64_t tasks)
{
    struct compared_cell cell = {
        .tasks = tasks,
        .tick_ns = 1000000,
        .seed = UINT64_MAX,
        .requested = cJSON_CreateObject(),
        .instructions_known = true,
        .instructions_source = "processor",
        .time_known = true,
        .time_decides = true,
        .same_program = true,
        .timing = sample_timing(0.996, 1.001, 1.007),
        .control = sample_timing(0.995, 0.999, 1.004),
        .before_ns_per_op = 40,
        .after_ns_per_op = 40.04,
        .phase_count = 1,
        .phases = {{.name = "steady", .cpu_ratio = 1.001, .share = 0.75}},
    };
    snprintf(cell.impl, sizeof cell.impl, "%s", impl);
    snprintf(cell.workload, sizeof cell.workload, "%s", workload);
    for (int i = 0; i < METRIC_WORK_COUNT; i++)
        cell.changes[i] = sample_change(1000 * (i + 1), 1000 * (i + 1), 0.01);
    cell.changes[METRIC_MEMORY] = sample_change(16, 16, NAN);
    cell.changes[METRIC_INSTRUCTIONS] = sample_change(250000, 250001, 0.01);
    return cell;
}

static inline void sample_set_work(struct compared_cell *cell, enum metric metric, double after)
{
    struct change *change = &cell->changes[metric];
    *change = sample_change(change->before, after, 0.01);
    cell->work_changed = true;
    cell->same_program = false;
    cell->work_verdict = verdict_worse(cell->work_verdict, change->verdict);
    cell->phases[0].work_before[metric] = change->before;
    cell->phases[0].work_after[metric] = after;
}

static inline void sample_set_time(struct compared_cell *cell, enum verdict verdict, double low,
                                   double median, double high)
{
    cell->timing = sample_timing(low, median, high);
    cell->time_verdict = verdict;
    cell->after_ns_per_op = cell->before_ns_per_op * median;
}

/* A cell whose work and time both went up, with everything there is to say about it. */
static inline void sample_regress(struct compared_cell *cell)
{
    sample_set_work(cell, METRIC_comparisons, 1333);
    sample_set_work(cell, METRIC_visits, 2010);
    sample_set_time(cell, VERDICT_REGRESSED, 1.081, 1.094, 1.102);
    cell->changes[METRIC_INSTRUCTIONS] = sample_change(250000, 275000, 0.01);
    cell->instructions_verdict = VERDICT_REGRESSED;
    cell->extended = cell->confirm_tried = cell->confirmed = true;
    cell->confirm_cpu = sample_ratio(1.079, 1.09, 1.1);
    cell->phases[0].cpu_ratio = 1.12;
}

/* `count` cells on three workloads, all the same; the caller changes some and then concludes. */
static inline struct comparison sample_comparison(size_t count)
{
    static const char *const impls[] = {"list", "heap", "hashed", "round", "hier"};
    static const char *const workloads[] = {"hold", "standard", "nginx"};
    struct comparison out = {
        .is_binaries = true,
        .complete = true,
        .before = {"build/old/twbench", "0.3.0", "1234567", "gcc 12.2.0", "-O2 -g", "program",
                   "0123456789abcdef"},
        .after = {"build/new/twbench", "0.3.1", "89abcde-dirty", "gcc 12.2.0", "", "program", ""},
        .limits = limits_default(),
        .pairs = 30,
        .pairs_max = 90,
        .confirm_pairs = 30,
        .samples_per_process = 5,
        .min_work_ns = 2000000,
        .seed = 1,
        .alpha = 0.01,
        .pin_cpu = 1,
        .steal_share = 0.002,
        .slow_share = 0.01,
        .busy_share = 0.01,
        .load_1min = NAN,
        .added = 2,
        .cell_count = count,
        .cells = calloc(count + 1, sizeof *out.cells),
    };
    assert_non_null(out.cells);
    out.limits.of[METRIC_MEMORY] = NAN; /* so that the words are about the other gates */
    for (size_t i = 0; i < count; i++) {
        out.cells[i] = sample_cell(impls[i % 5], workloads[i / 5 % 3], 1000);
        if (i % 5 == 2)
            cJSON_AddNumberToObject(out.cells[i].requested, "slots", 512);
    }
    return out;
}

static inline void sample_conclude(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->cell_count; i++)
        cell_conclude(&comparison->cells[i], &comparison->limits);
    comparison_conclude(comparison);
}

/* As two stored results: times advisory, instructions unknown, no method. */
static inline void sample_as_results(struct comparison *comparison)
{
    comparison->is_binaries = false;
    strcpy(comparison->notes, "NEW was interrupted: it may lack cells");
    comparison->steal_share = comparison->busy_share = comparison->slow_share = NAN;
    for (size_t i = 0; i < comparison->cell_count; i++) {
        struct compared_cell *cell = &comparison->cells[i];
        cell->time_decides = cell->instructions_known = cell->same_program = false;
        cell->instructions_source[0] = '\0';
        strcpy(cell->instructions_reason, "no counters: perf_event_paranoid is 4");
        cell->timing.pairs = cell->control.pairs = 0;
        cell->timing.confidence = cell->timing.p_slower = cell->timing.p_faster = NAN;
        cell->timing.margin = NAN;
    }
}

/* 15 cells of which one is worse, one better, one unclear: every key of the format has a value. */
static inline struct comparison sample_mixed(void)
{
    struct comparison out = sample_comparison(15);
    strcpy(out.notes, "NEW was interrupted: it may lack cells");
    sample_regress(&out.cells[1]);
    sample_set_work(&out.cells[7], METRIC_moves, 2400);
    sample_set_time(&out.cells[7], VERDICT_IMPROVED, 0.9, 0.92, 0.95);
    sample_set_time(&out.cells[11], VERDICT_INCONCLUSIVE, 0.99, 1.02, 1.041);
    out.cells[11].same_program = false;
    sample_conclude(&out);
    return out;
}

#endif
