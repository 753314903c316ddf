/* limiting.c - measures what this machine can do at best, and makes the document of it. */
#include "labs/advise/limits/limits.h"

#include "harness/base/memory.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/session/origin.h"

#include <stdio.h>
#include <stdlib.h>

/* A stream holds a multiple of what its timers do, and what a call costs does not depend on their number. */
#define NULL_WORKLOAD  "standard"
#define NULL_TASKS_MAX 1000000u

struct limiting {
    const struct limits_request *request; /* with the tasks filled in */
    struct pool *pool;
    struct result_origin origin;
    struct origin_watch watch;
    struct limits_method method;
    struct cycles cycles;
    double pace_ns;
    uint64_t begin_ns;
    struct plan_cell null_cell;
    struct stream **streams;
    size_t stream_count;
    struct limit_result *results;
    size_t result_count;
    struct progress progress;
};

static void make_points(struct limiting *limiting)
{
    const struct limits_request *request = limiting->request;
    struct limit_point *points =
        limit_points_make(request->tasks, request->task_count, NULL_TASKS_MAX, request->pages,
                          &limiting->result_count);
    limiting->results = memory_take(limiting->result_count, sizeof *limiting->results);
    for (size_t i = 0; i < limiting->result_count; i++)
        limiting->results[i].point = points[i];
    free(points);
}

/* The null call at that size has no stream. */
static void leave_out(struct limiting *limiting, uint64_t tasks, const struct diag *diag)
{
    for (size_t i = 0; i < limiting->result_count; i++) {
        struct limit_result *result = &limiting->results[i];
        if (result->point.kind != LIMIT_NULL_CALL || result->point.tasks != tasks)
            continue;
        result->status = OUTCOME_TIMEOUT;
        snprintf(result->reason, sizeof result->reason, "%.*s", (int)sizeof result->reason - 1,
                 diag->text);
    }
}

static int make_streams(struct limiting *limiting, struct diag *diag)
{
    const struct limits_request *asked = limiting->request;
    int status = DIAG_OK;
    limiting->streams = memory_take(asked->task_count, sizeof *limiting->streams);
    for (size_t i = 0; i < asked->task_count && status == DIAG_OK; i++) {
        struct workload_request request = {
            .workload = NULL_WORKLOAD,
            .directory = asked->setup->workload_directory,
            .tasks = asked->tasks[i],
            .seed = asked->setup->seed,
            .until = setup_making(asked->setup),
        };
        if (asked->tasks[i] > NULL_TASKS_MAX)
            continue;
        status = workload_stream(&request, &limiting->streams[limiting->stream_count], diag);
        limiting->stream_count += status == DIAG_OK;
        if (status != DEADLINE_OVER)
            continue;
        leave_out(limiting, asked->tasks[i], diag);
        status = DIAG_OK;
    }
    return status;
}

static int open_pool(struct limiting *limiting, struct diag *diag)
{
    const struct setup *setup = limiting->request->setup;
    struct pool_bounds limits = {.budget_ns = setup->budget_ns,
                                 .memory_bytes = setup->memory_limit_bytes};
    origin_fill(&limiting->origin, setup);
    int cpu = origin_watch_begin(&limiting->watch, &limiting->origin, setup);
    origin_warn(&limiting->origin, setup);
    limiting->method.pin_cpu = cpu;
    return pool_open(&limiting->pool, &cpu, 1, &limits, diag);
}

static int measure(struct limiting *limiting, struct diag *diag)
{
    const struct setup *setup = limiting->request->setup;
    limiting->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    limiting->null_cell = (struct plan_cell){.design = registry_find("null")};
    make_points(limiting);
    int status = open_pool(limiting, diag);
    if (status == DIAG_OK)
        status = make_streams(limiting, diag);
    if (status != DIAG_OK)
        return status;
    limiting->cycles = cycles_calibrate();
    limiting->pace_ns = setup->patience_ns > 0 ? pace_calibrate_ns() : 0;
    struct limit_request request = {
        .runs = setup->runs,
        .seed = setup->seed,
        .cycles = &limiting->cycles,
        .pace_ns = limiting->pace_ns,
        .patience_ns = setup->patience_ns,
        .null_cell = &limiting->null_cell,
        .streams = limiting->streams,
        .stream_count = limiting->stream_count,
        .min_time_ns = setup->min_time_ns,
        .progress = &limiting->progress,
    };
    progress_begin(&limiting->progress, setup->progress, 1);
    status =
        limit_rounds_run(limiting->pool, &request, limiting->results, limiting->result_count, diag);
    progress_clear(&limiting->progress);
    return status;
}

static void fill_method(struct limiting *limiting)
{
    const struct setup *setup = limiting->request->setup;
    struct limits_method *method = &limiting->method;
    struct origin_disturbance disturbance = origin_watch_end(&limiting->watch);
    method->setup = setup;
    method->huge_pages = limiting->request->pages.huge;
    method->null_workload = NULL_WORKLOAD;
    method->steal_share = disturbance.steal_share;
    method->busy_share = disturbance.busy_share;
    method->load_1min = disturbance.load_1min;
    method->seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - limiting->begin_ns) / 1e9;
}

static cJSON *make_document(struct limiting *limiting, bool complete)
{
    cJSON *head = result_head(&limiting->origin);
    fill_method(limiting);
    cJSON *document =
        limits_json(limiting->results, limiting->result_count, &limiting->method, complete, head);
    cJSON_Delete(head);
    return document;
}

static void close_all(struct limiting *limiting)
{
    if (limiting->pool)
        pool_close(limiting->pool);
    for (size_t i = 0; i < limiting->stream_count; i++)
        stream_free(limiting->streams[i]);
    free(limiting->streams);
    free(limiting->results);
    free(limiting);
}

static const uint64_t default_tasks[] = {1000, 10000, 100000, 1000000, 10000000};

int limits_measure(const struct limits_request *request, cJSON **document, struct diag *diag)
{
    struct limiting *limiting = memory_take(1, sizeof *limiting);
    struct limits_request whole = *request;
    if (whole.task_count == 0) {
        whole.tasks = default_tasks;
        whole.task_count = sizeof default_tasks / sizeof *default_tasks;
    }
    limiting->request = &whole;
    int status = measure(limiting, diag);
    if (status == DIAG_OK || status == POOL_INTERRUPTED)
        *document = make_document(limiting, status == DIAG_OK);
    close_all(limiting);
    return status;
}
