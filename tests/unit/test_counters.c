/*
 * test_counters.c - counts that are there, missing, shared, forbidden; and what the result says.
 *
 * Many machines have no counters in hardware, so the same code counts events of the kernel here.
 * Where even those are forbidden the tests that need them are skipped.
 */
#include "harness/base/json.h"
#include "harness/base/paths.h"
#include "harness/measure/run/job.h"
#include "harness/measure/workload/oracle.h"
#include "sample.h"
#include "sample_page.h"

#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLOCK                                                                                      \
    {                                                                                              \
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK                                               \
    }
#define FAULTS                                                                                     \
    {                                                                                              \
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS                                              \
    }
#define MISSING                                                                                    \
    {                                                                                              \
        0x7fffffff, 0                                                                              \
    }
#define COUNTED_CPU 20000000 /* ns */

static const struct counters_event kernel_events[OUTCOME_COUNTERS] = {CLOCK, FAULTS, CLOCK, CLOCK,
                                                                      CLOCK};
static const struct counters_event some_events[OUTCOME_COUNTERS] = {CLOCK, FAULTS, MISSING, CLOCK,
                                                                    MISSING};
static const struct counters_event no_events[OUTCOME_COUNTERS] = {MISSING, MISSING, MISSING,
                                                                  MISSING, MISSING};

static void open_or_skip(struct counters *counters, const struct counters_event *events)
{
    if (counters_open(counters, events))
        return;
    print_message("%s\n", counters->reason);
    counters_close(counters);
    skip();
}

static void burn_cpu(uint64_t ns)
{
    uint64_t end = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        continue;
}

TEST(test_what_lies_between_the_readings_is_counted)
{
    struct counters counters;
    struct counters_reading begin, total = {.of = {{.value = 0}}};
    struct outcome_count counts[OUTCOME_COUNTERS];
    uint64_t passed_ns = 0;
    open_or_skip(&counters, kernel_events);
    burn_cpu(COUNTED_CPU);
    for (int pass = 0; pass < 2; pass++) {
        uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
        counters_begin(&counters, &begin);
        burn_cpu(COUNTED_CPU);
        counters_end(&counters, &begin, &total);
        passed_ns += clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    }
    counters_close(&counters);
    assert_string_equal(counters.reason, "");
    counters_outcome(&total, 2, counts);
    assert_true(counts[OUTCOME_INSTRUCTIONS].known);
    /* One pass, not two, and not what was burnt outside: a thread runs no longer than the time that passes,
     * on whatever machine. */
    assert_true(counts[OUTCOME_INSTRUCTIONS].per_pass > 0.9 * COUNTED_CPU); /* two clocks */
    assert_true(counts[OUTCOME_INSTRUCTIONS].per_pass * 2 < 1.01 * (double)passed_ns);
    assert_true(counts[OUTCOME_INSTRUCTIONS].share > 0.999);
    assert_true(counts[OUTCOME_CYCLES].known); /* page faults: 0 is a count too */
}

TEST(test_an_event_can_be_missing_alone)
{
    struct counters counters;
    struct counters_reading begin, total = {.of = {{.value = 0}}};
    struct outcome_count counts[OUTCOME_COUNTERS];
    open_or_skip(&counters, some_events);
    counters_begin(&counters, &begin);
    burn_cpu(1000000);
    counters_end(&counters, &begin, &total);
    counters_close(&counters);
    counters_outcome(&total, 1, counts);
    assert_true(counts[OUTCOME_INSTRUCTIONS].known);
    assert_true(counts[OUTCOME_BRANCH_MISSES].known);
    assert_false(counts[OUTCOME_CACHE_MISSES].known);
    assert_false(counts[OUTCOME_DTLB_MISSES].known);
    assert_int_equal(strncmp(counters.reason, "cache_misses, dtlb_misses: ", 27), 0);
}

TEST(test_none_is_unknown_not_zero)
{
    struct counters counters;
    struct counters_reading begin, total = {.of = {{.value = 0}}};
    struct outcome_count counts[OUTCOME_COUNTERS];
    assert_false(counters_open(&counters, no_events));
    counters_begin(&counters, &begin);
    counters_end(&counters, &begin, &total);
    counters_close(&counters);
    counters_outcome(&total, 1, counts);
    for (size_t i = 0; i < OUTCOME_COUNTERS; i++)
        assert_false(counts[i].known);
    assert_int_equal(strncmp(counters.reason, "no performance counters: ", 25), 0);
}

TEST(test_a_shared_counter_is_scaled_and_says_so)
{
    struct counters_reading total = {.of = {{100, 2000, 1000}, {100, 2000, 0}}};
    struct outcome_count counts[OUTCOME_COUNTERS];
    counters_outcome(&total, 4, counts);
    assert_true(counts[0].known);
    assert_true(fabs(counts[0].per_pass - 50) < 1e-9);
    assert_true(fabs(counts[0].share - 0.5) < 1e-9);
    assert_false(counts[1].known);
}

TEST(test_the_reason_says_what_to_do)
{
    char root[64], path[256], text[OUTCOME_COUNTERS_REASON];
    paths_temporary(root, sizeof root, "test_counters");
    assert_non_null(mkdtemp(root));
    static const char *const parts[] = {"/proc", "/proc/sys", "/proc/sys/kernel"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", root, parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/proc/sys/kernel/perf_event_paranoid", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("3\n", file);
    fclose(file);
    counters_explain(text, sizeof text, EACCES, root);
    assert_non_null(strstr(text, "perf_event_paranoid is 3, 2 or less"));
    counters_explain(text, sizeof text, EPERM, root);
    assert_non_null(strstr(text, "container"));
    counters_explain(text, sizeof text, EPERM, "/nowhere");
    assert_non_null(strstr(text, "is unknown"));
    counters_explain(text, sizeof text, ENOSYS, root);
    assert_non_null(strstr(text, "no perf_event_open"));
    counters_explain(text, sizeof text, ENOENT, root);
    assert_non_null(strstr(text, "does not offer it"));
    counters_explain(text, sizeof text, EMFILE, root);
    assert_non_null(strstr(text, "Too many open files"));
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* 2000 starts, then 2000 ticks in which they fire. */
static struct stream *make_stream(void)
{
    struct stream *stream = stream_new("test");
    struct diag diag;
    assert_non_null(stream);
    stream->tasks = stream->capacity = 2000;
    stream->tick_ns = 1000000;
    stream_phase_begin(stream, "start", NULL);
    for (tw_id id = 0; id < 2000; id++)
        stream_append_start(stream, id, 1 + (int64_t)id);
    stream_phase_begin(stream, "expire", NULL);
    stream_append_ticks(stream, 2000);
    assert_int_equal(oracle_finish(stream, &diag), DIAG_OK);
    return stream;
}

TEST(test_a_job_counts_each_phase)
{
    struct counters counters;
    open_or_skip(&counters, kernel_events);
    counters_close(&counters);
    struct stream *stream = make_stream();
    struct plan_cell cell = {.design = registry_find("heap")};
    struct job job = {
        .kind = JOB_COUNT,
        .plan = &cell,
        .stream = stream,
        .events = kernel_events,
        .warmup = 1,
        .passes = 3,
    };
    struct job_report *report = calloc(1, sizeof *report);
    assert_non_null(report);
    job_do(&job, report);
    assert_true(report->done);
    assert_int_equal(report->status, OUTCOME_OK);
    assert_string_equal(report->counters_reason, "");
    for (size_t i = 0; i < 2; i++) {
        struct outcome_count counts[OUTCOME_COUNTERS];
        counters_outcome(&report->counts[i], (double)job.passes, counts);
        assert_true(counts[OUTCOME_INSTRUCTIONS].known);
        assert_true(counts[OUTCOME_INSTRUCTIONS].per_pass > 2000); /* ns for 2000 operations */
    }
    free(report);
    stream_free(stream);
}

/* A document of one cell of heap, whose every phase has the counts. */
static struct result_document *make_document(const struct outcome_count *counts, const char *reason)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    for (size_t i = 0; i < stream.phase_count; i++)
        memcpy(outcome->phases[i].counts, counts, sizeof outcome->phases[i].counts);
    snprintf(outcome->counters_reason, sizeof outcome->counters_reason, "%s", reason);
    sample_put(document, &sample_designs[2], &stream, outcome);
    return document;
}

static const cJSON *first_phase(const struct result_document *document)
{
    return cJSON_GetArrayItem(
        json_get(cJSON_GetArrayItem(json_get(result_json(document), "cells"), 0), "phases"), 0);
}

TEST(test_the_result_has_them_per_operation)
{
    const struct outcome_count counts[OUTCOME_COUNTERS] = {
        [OUTCOME_INSTRUCTIONS] = {true, 52000, 1}, [OUTCOME_CYCLES] = {true, 31000, 0.75}};
    struct result_document *document = make_document(counts, "cache_misses: not here");
    const cJSON *phase = first_phase(document);
    double operations = json_get_number(phase, "operations.start");
    double instructions = json_get_number(phase, "counters.instructions_per_op");
    assert_true(fabs(instructions - 52000 / operations) < 1e-3);
    assert_true(fabs(json_get_number(phase, "counters.running_share") - 0.75) < 1e-9);
    assert_null(json_get(phase, "counters.cache_misses_per_op"));
    assert_non_null(cJSON_GetObjectItem(json_get(phase, "counters"), "cache_misses_per_op"));
    assert_string_equal(json_get_text(phase, "counters_reason"), "cache_misses: not here");
    result_free(document);
}

TEST(test_the_result_says_why_there_are_none)
{
    const struct outcome_count counts[OUTCOME_COUNTERS] = {{.known = false}};
    struct result_document *document = make_document(counts, "--counters=off");
    assert_null(json_get(first_phase(document), "counters"));
    assert_string_equal(json_get_text(first_phase(document), "counters_reason"), "--counters=off");
    result_free(document);
    document = make_document(counts, "");
    assert_string_equal(json_get_text(first_phase(document), "counters_reason"),
                        "the counters never ran");
    result_free(document);
}

/* The card of the only cell, as text; the caller frees it. */
static char *make_card(const struct outcome_count *counts)
{
    struct result_document *document = make_document(counts, "");
    char *text = sample_page(page_run, result_json(document), SAMPLE_TERMINAL,
                             (struct report_style){.columns = 100});
    result_free(document);
    return text;
}

TEST(test_the_card_shows_instructions_where_there_are_any)
{
    const struct outcome_count counts[OUTCOME_COUNTERS] = {
        [OUTCOME_INSTRUCTIONS] = {true, 52000, 1}};
    const struct outcome_count none[OUTCOME_COUNTERS] = {{.known = false}};
    char *card = make_card(counts);
    assert_non_null(strstr(card, "instr"));
    assert_non_null(strstr(card, "52"));
    free(card);
    card = make_card(none);
    assert_null(strstr(card, "instr"));
    free(card);
}

TEST_MAIN(NULL, NULL)
