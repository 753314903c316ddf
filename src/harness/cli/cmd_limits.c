/*
 * cmd_limits.c - limits: what the machine can do at best, and what designs took as multiples of it.
 */
#include "harness/ask/limits/limits_json.h"
#include "harness/cli/cli.h"
#include "harness/cli/outputs.h"
#include "harness/measure/run/cycles.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/progress.h"
#include "harness/tell/report/limits_multiple.h"
#include "harness/tell/result/json.h"

#include <stdlib.h>

/* A stream holds a multiple of what its timers do, and what a call costs does not depend on their number. */
#define NULL_WORKLOAD  "standard"
#define NULL_TASKS_MAX 1000000u

struct limiting {
    struct options options; /* with the tasks filled in */
    struct pool *pool;
    struct result_origin origin;
    struct origin_watch watch;
    struct limits_method method;
    struct cycles cycles;
    double pace_ns;
    uint64_t begin_ns;
    struct plan_cell null_cell;
    struct stream *streams[OPTIONS_LIST_MAX];
    size_t stream_count;
    struct limit_result *results;
    size_t result_count;
    struct progress progress;
};

/* ---- Before anything runs. --------------------------------------------------------------------- */

static int check(const struct options *options, struct diag *diag)
{
    if (options->operand_count > 0)
        return diag_usage(diag, "%s: limits takes no operands; --of=RESULT.json for a result",
                          options->operands[0]);
    if (options->plots && options->plot_format == PLOT_DUMB)
        return diag_usage(diag, "--plot-format: dumb given; expected svg, png or pdf");
    for (size_t i = 0; i < options->task_count; i++)
        if (options->tasks[i] < LIMIT_TASKS_MIN)
            return diag_usage(diag, "--tasks: %llu given; expected at least %u nodes",
                              (unsigned long long)options->tasks[i], LIMIT_TASKS_MIN);
    return outputs_check(options, diag);
}

static void default_tasks(struct options *options)
{
    static const uint64_t tasks[] = {1000, 10000, 100000, 1000000, 10000000};
    if (options->task_count > 0)
        return;
    options->task_count = sizeof tasks / sizeof *tasks;
    for (size_t i = 0; i < options->task_count; i++)
        options->tasks[i] = tasks[i];
}

/* ---- Measuring. -------------------------------------------------------------------------------- */

static void show_progress(void *ctx, const struct limit_progress *progress)
{
    progress_step(ctx, "limits", progress->done, progress->total);
}

static int make_points(struct limiting *limiting, struct diag *diag)
{
    const struct options *options = &limiting->options;
    struct limit_pages pages = {.small = options->page_count == 0};
    struct limit_point *points;
    for (size_t i = 0; i < options->page_count; i++)
        *(options->pages[i] == PLAN_PAGES_HUGE ? &pages.huge : &pages.small) = true;
    if (!limit_points_make(options->tasks, options->task_count, NULL_TASKS_MAX, pages, &points,
                           &limiting->result_count))
        return diag_run(diag, "no memory for the list of limits");
    limiting->method.huge_pages = pages.huge;
    limiting->results = calloc(limiting->result_count, sizeof *limiting->results);
    for (size_t i = 0; limiting->results && i < limiting->result_count; i++)
        limiting->results[i].point = points[i];
    free(points);
    return limiting->results ? DIAG_OK : diag_run(diag, "no memory for the limits");
}

static int make_streams(struct limiting *limiting, struct diag *diag)
{
    const struct options *options = &limiting->options;
    int status = DIAG_OK;
    for (size_t i = 0; i < options->task_count && status == DIAG_OK; i++) {
        struct workload_request request = {
            .workload = NULL_WORKLOAD,
            .directory = options->setup.workload_directory,
            .tasks = options->tasks[i],
            .seed = options->setup.seed,
        };
        if (options->tasks[i] > NULL_TASKS_MAX)
            continue;
        status = workload_stream(&request, &limiting->streams[limiting->stream_count], diag);
        limiting->stream_count += status == DIAG_OK;
    }
    return status;
}

static int open_pool(struct limiting *limiting, struct diag *diag)
{
    const struct options *options = &limiting->options;
    struct pool_bounds limits = {.budget_ns = options->setup.budget_ns,
                                 .memory_bytes = options->setup.memory_limit_bytes};
    origin_fill(&limiting->origin, &options->setup);
    int cpu = origin_watch_begin(&limiting->watch, &limiting->origin, &options->setup);
    origin_warn(&limiting->origin, &options->setup);
    limiting->method.pin_cpu = cpu;
    return pool_open(&limiting->pool, &cpu, 1, &limits, diag);
}

static int measure(struct limiting *limiting, struct diag *diag)
{
    const struct options *options = &limiting->options;
    limiting->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    limiting->null_cell = (struct plan_cell){.design = registry_find("null")};
    int status = make_points(limiting, diag);
    if (status == DIAG_OK)
        status = open_pool(limiting, diag);
    if (status == DIAG_OK)
        status = make_streams(limiting, diag);
    if (status != DIAG_OK)
        return status;
    limiting->cycles = cycles_calibrate();
    limiting->pace_ns = options->setup.patience_ns > 0 ? pace_calibrate_ns() : 0;
    struct limit_request request = {
        .runs = options->setup.runs,
        .seed = options->setup.seed,
        .cycles = &limiting->cycles,
        .pace_ns = limiting->pace_ns,
        .patience_ns = options->setup.patience_ns,
        .null_cell = &limiting->null_cell,
        .streams = limiting->streams,
        .stream_count = limiting->stream_count,
        .min_time_ns = options->setup.min_time_ns,
        .progress = show_progress,
        .progress_ctx = &limiting->progress,
    };
    progress_begin(&limiting->progress, options->setup.progress, 1);
    status =
        limit_rounds_run(limiting->pool, &request, limiting->results, limiting->result_count, diag);
    progress_clear(&limiting->progress);
    return status;
}

static void fill_method(struct limiting *limiting)
{
    const struct options *options = &limiting->options;
    struct limits_method *method = &limiting->method;
    struct origin_disturbance disturbance = origin_watch_end(&limiting->watch);
    method->runs = options->setup.runs;
    method->seed = options->setup.seed;
    method->memory_limit_bytes = options->setup.memory_limit_bytes;
    method->budget_ns = options->setup.budget_ns;
    method->patience_ns = options->setup.patience_ns;
    method->null_workload = NULL_WORKLOAD;
    method->steal_share = disturbance.steal_share;
    method->busy_share = disturbance.busy_share;
    method->load_1min = disturbance.load_1min;
    method->seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - limiting->begin_ns) / 1e9;
}

static int make_document(struct limiting *limiting, bool complete, cJSON **document,
                         struct diag *diag)
{
    struct result_document *head = NULL;
    fill_method(limiting);
    int status = result_new(&limiting->origin, &head, diag);
    if (status != DIAG_OK)
        return status;
    *document = limits_json(limiting->results, limiting->result_count, &limiting->method, complete,
                            result_json(head));
    result_free(head);
    return DIAG_OK;
}

static void close_all(struct limiting *limiting)
{
    if (limiting->pool)
        pool_close(limiting->pool);
    for (size_t i = 0; i < limiting->stream_count; i++)
        stream_free(limiting->streams[i]);
    free(limiting->results);
    free(limiting);
}

/* DIAG_OK or POOL_INTERRUPTED, with a document; or another status. */
static int measure_document(const struct options *options, cJSON **document, struct diag *diag)
{
    struct limiting *limiting = calloc(1, sizeof *limiting);
    if (!limiting)
        return diag_run(diag, "no memory for the limits");
    limiting->options = *options;
    default_tasks(&limiting->options);
    int status = measure(limiting, diag);
    if (status == DIAG_OK || status == POOL_INTERRUPTED) {
        int made = make_document(limiting, status == DIAG_OK, document, diag);
        status = made == DIAG_OK ? status : made;
    }
    close_all(limiting);
    return status;
}

/* ---- The command. ------------------------------------------------------------------------------ */

static void attach_multiples(const struct options *options, const struct result_document *result,
                             cJSON *document)
{
    cJSON_DeleteItemFromObjectCaseSensitive(document, "multiples");
    if (result)
        json_add(document, "multiples",
                 limits_multiples_json(document, result_json(result), options->of));
}

int cmd_limits(const struct options *options)
{
    struct diag diag;
    struct result_document *result = NULL;
    cJSON *document = NULL;
    int status = check(options, &diag);
    if (status == DIAG_OK && options->of)
        status = result_load(options->of, &result, &diag);
    if (status == DIAG_OK)
        status = options->limits_file ? limits_load(options->limits_file, &document, &diag)
                                      : measure_document(options, &document, &diag);
    bool interrupted = status == POOL_INTERRUPTED;
    if (status == DIAG_OK || interrupted) {
        attach_multiples(options, result, document);
        status = outputs_document(options, document, &diag);
    }
    cJSON_Delete(document);
    result_free(result);
    if (status != DIAG_OK)
        return cli_fail(status, &diag);
    return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}
