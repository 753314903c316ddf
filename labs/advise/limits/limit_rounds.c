/* limit_rounds.c - measures the limits in rounds, a child for each point. */
#include "labs/advise/limits/limits.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"
#include "harness/measure/run/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Separate sequences of the seed. */
enum { SEED_ORDER = 71, SEED_ROUNDS };

struct rounds {
    const struct limit_request *request;
    struct limit_result *results;
    size_t count;
    struct limit_task *tasks; /* by point */
    uint32_t *
        *orders; /* by point; points of as many tasks share one, which the first of them owns */
    struct job *jobs;   /* of a round */
    size_t done, total; /* samples */
};

/* ---- Before the first round. ------------------------------------------------------------------ */

/* Fisher and Yates, from the inside out (Knuth, TAOCP 2, 3.4.2). */
static uint32_t *make_order(uint64_t tasks, uint64_t seed)
{
    struct rng rng;
    uint32_t *order = memory_take(tasks, sizeof *order);
    rng_seed(&rng, seed, SEED_ORDER);
    for (uint64_t i = 0; i < tasks; i++) {
        uint64_t other = rng_below(&rng, i + 1);
        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
    return order;
}

static const struct limit_point *point_of(const struct rounds *rounds, size_t i)
{
    return &rounds->results[i].point;
}

static bool has_nodes(const struct limit_point *point)
{
    return point->node_bytes > 0;
}

static const uint32_t *order_of(struct rounds *rounds, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (has_nodes(point_of(rounds, j)) &&
            point_of(rounds, j)->tasks == point_of(rounds, i)->tasks)
            return rounds->tasks[j].order;
    return rounds->orders[i] = make_order(point_of(rounds, i)->tasks, rounds->request->seed);
}

static void rounds_open(struct rounds *rounds)
{
    const struct limit_request *request = rounds->request;
    rounds->tasks = memory_take(rounds->count, sizeof *rounds->tasks);
    rounds->orders = memory_take(rounds->count, sizeof *rounds->orders);
    rounds->jobs = memory_take(rounds->count, sizeof *rounds->jobs);
    for (size_t i = 0; i < rounds->count; i++)
        rounds->tasks[i] = (struct limit_task){
            .point = *point_of(rounds, i),
            .order = has_nodes(point_of(rounds, i)) ? order_of(rounds, i) : NULL,
            .cycles = request->cycles,
            .pace_ns = request->pace_ns,
            .patience_ns = request->patience_ns,
        };
}

static void rounds_close(struct rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++)
        free(rounds->orders[i]);
    free(rounds->tasks);
    free(rounds->orders);
    free(rounds->jobs);
}

/* ---- A round. ---------------------------------------------------------------------------------- */

static const struct stream *stream_of(const struct rounds *rounds, size_t i)
{
    for (size_t s = 0; s < rounds->request->stream_count; s++)
        if (rounds->request->streams[s]->tasks == point_of(rounds, i)->tasks)
            return rounds->request->streams[s];
    return NULL;
}

static struct job make_job(const struct rounds *rounds, size_t i)
{
    const struct limit_request *request = rounds->request;
    struct job job = {
        .kind = JOB_OTHER, .cell = i, .other = limit_sample_job, .task = &rounds->tasks[i]};
    if (point_of(rounds, i)->kind != LIMIT_NULL_CALL)
        return job;
    job = (struct job){
        .kind = JOB_TIME,
        .cell = i,
        .plan = request->null_cell,
        .stream = stream_of(rounds, i),
        .cycles = request->cycles,
        .warmup = 1,
        .pace_ns = request->pace_ns,
        .patience_ns = request->patience_ns,
    };
    job.passes = group_passes(job.stream, request->min_time_ns);
    return job;
}

static void shuffle(struct job *jobs, size_t count, struct rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i);
        struct job swap = jobs[i - 1];
        jobs[i - 1] = jobs[j];
        jobs[j] = swap;
    }
}

/* CPU time per call, as group_ns_per_call has it. */
static double ns_per_call(const struct job *job, const struct job_report *report)
{
    double total_ns = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < job->stream->phase_count; i++) {
        const struct stream_phase *phase = &job->stream->phases[i];
        total_ns += report->total.phases[i].cpu_ns;
        calls += phase->counts.starts + phase->counts.stops + phase->counts.advances;
    }
    return calls > 0 ? total_ns / (double)job->passes / (double)calls : 0;
}

static void take_pages(struct limit_result *result, const struct limit_sample *sample)
{
    bool first = result->sample_count == 0;
    result->pages_known = (first || result->pages_known) && sample->pages_known;
    if (first || sample->touched_bytes < result->touched_bytes)
        result->touched_bytes = sample->touched_bytes;
    if (first || sample->huge_bytes < result->huge_bytes)
        result->huge_bytes = sample->huge_bytes;
}

/* A pool_done_fn. */
static void take_report(void *ctx, const struct job *job, const struct job_report *report)
{
    struct rounds *rounds = ctx;
    struct limit_result *result = &rounds->results[job->cell];
    const struct limit_request *request = rounds->request;
    result->status = (enum outcome_status)report->status;
    rounds->done++;
    if (result->status == OUTCOME_OK) {
        bool timed = job->kind == JOB_TIME;
        struct limit_sample sample = limit_sample_of(report);
        if (timed)
            sample = (struct limit_sample){
                .ns = ns_per_call(job, report), .retaken = report->retaken, .slow = report->slow};
        take_pages(result, &sample);
        result->samples_ns[result->sample_count++] = sample.ns;
        result->retaken += sample.retaken;
        result->slow += sample.slow;
    } else {
        snprintf(result->reason, sizeof result->reason, "%.*s", (int)sizeof result->reason - 1,
                 report->reason);
    }
    if (request->progress)
        progress_step(request->progress, "limits", rounds->done, rounds->total);
}

static int run_round(struct rounds *rounds, struct pool *pool, uint64_t rounds_left,
                     struct rng *rng, struct diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < rounds->count; i++)
        if (rounds->results[i].status == OUTCOME_OK)
            rounds->jobs[count++] = make_job(rounds, i);
    shuffle(rounds->jobs, count, rng);
    rounds->total = rounds->done + count * rounds_left;
    return pool_run(pool, rounds->jobs, count, take_report, rounds, diag);
}

int limit_rounds_run(struct pool *pool, const struct limit_request *request,
                     struct limit_result *results, size_t count, struct diag *diag)
{
    struct rounds rounds = {.request = request, .results = results, .count = count};
    struct rng rng;
    rng_seed(&rng, request->seed, SEED_ROUNDS);
    int status = DIAG_OK;
    rounds_open(&rounds);
    for (uint64_t run = 0; run < request->runs && status == DIAG_OK; run++)
        status = run_round(&rounds, pool, request->runs - run, &rng, diag);
    rounds_close(&rounds);
    return status;
}
