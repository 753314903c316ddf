/* limit_sample.c - times stretches of a loop, and first touches of pages. */
#include "labs/advise/limits/limits.h"

#include "harness/base/units.h"
#include "harness/measure/run/arena.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALL_PAGE ((size_t)4096)
/* Faults of a stretch; one of 2 MiB takes as long as a hundred small ones. */
#define FAULTS_SMALL 256u
#define FAULTS_HUGE  2u
/* So many stretches find fresh pages: those that are kept, and some to take again. */
#define FAULT_STRETCHES (2u * LIMIT_STRETCHES)

/* ---- Stretches. ------------------------------------------------------------------------------- */

/* Does a stretch and answers its time per operation; NaN: there can be none any more. */
typedef double stretch_fn(void *ctx, const struct cycles *cycles);

static void take_stretches(const struct limit_task *task, stretch_fn *stretch, void *ctx,
                           struct limit_sample *sample)
{
    double stretches_ns[LIMIT_STRETCHES];
    uint64_t deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + task->patience_ns;
    size_t count = 0;
    stretch(ctx, task->cycles);
    while (count < LIMIT_STRETCHES) {
        bool full = task->pace_ns <= 0 || pace_wait(task->pace_ns, deadline_ns);
        double ns = stretch(ctx, task->cycles);
        if (isnan(ns))
            break;
        if (task->pace_ns > 0)
            full = full && pace_is_full(pace_read_ns(), task->pace_ns);
        if (full || clock_read_ns(CLOCK_MONOTONIC) >= deadline_ns) {
            stretches_ns[count++] = ns;
            sample->slow += !full;
        } else {
            sample->retaken++;
        }
    }
    sample->ns = count > 0 ? summary_of(stretches_ns, count).median : NAN;
}

/* ---- Loops over nodes. ------------------------------------------------------------------------ */

struct walk {
    struct limit_ground ground;
    enum limit_kind kind;
    uint64_t at; /* the next operation */
};

/* The clock stands still while nodes that were used up are restored. */
static double walk_stretch(void *ctx, const struct cycles *cycles)
{
    struct walk *walk = ctx;
    uint64_t room = limit_loop_room(&walk->ground, walk->kind), left = LIMIT_STRETCH_OPERATIONS;
    uint64_t elapsed_ps = 0;
    while (left > 0) {
        uint64_t count = left < room - walk->at ? left : room - walk->at;
        uint64_t begin = cycles_begin();
        limit_loop(&walk->ground, walk->kind, walk->at, count);
        uint64_t end = cycles_end();
        elapsed_ps += cycles_elapsed_ps(cycles, begin, end);
        left -= count;
        walk->at = room == UINT64_MAX ? 0 : walk->at + count;
        if (walk->at == room) {
            limit_ground_restore(&walk->ground, walk->kind, walk->at);
            walk->at = 0;
        }
    }
    return (double)elapsed_ps / 1e3 / LIMIT_STRETCH_OPERATIONS;
}

/* Nothing is restored between turns, and the clock goes on: of a short one its own cost would show. */
static double round_stretch(void *ctx, const struct cycles *cycles)
{
    struct walk *walk = ctx;
    uint64_t room = limit_loop_room(&walk->ground, walk->kind), left = LIMIT_STRETCH_OPERATIONS;
    uint64_t begin = cycles_begin();
    while (left > 0) {
        uint64_t count = left < room - walk->at ? left : room - walk->at;
        limit_loop(&walk->ground, walk->kind, walk->at, count);
        left -= count;
        walk->at = room == UINT64_MAX || walk->at + count == room ? 0 : walk->at + count;
    }
    uint64_t end = cycles_end();
    return (double)cycles_elapsed_ps(cycles, begin, end) / 1e3 / LIMIT_STRETCH_OPERATIONS;
}

static enum outcome_status sample_walk(const struct limit_task *task, struct limit_sample *sample,
                                       char *reason, size_t reason_size)
{
    struct walk walk = {.kind = task->point.kind};
    if (!limit_ground_open(&walk.ground, &task->point, task->order)) {
        char bytes[32];
        units_format_bytes(bytes, sizeof bytes, limit_footprint_bytes(&task->point));
        snprintf(reason, reason_size, "no memory for %s of nodes", bytes);
        return OUTCOME_OUT_OF_MEMORY;
    }
    take_stretches(task, limit_uses_up(walk.kind) ? walk_stretch : round_stretch, &walk, sample);
    sample->pages_known = hugepages_count(walk.ground.nodes, walk.ground.bytes,
                                          &sample->touched_bytes, &sample->huge_bytes);
    limit_ground_close(&walk.ground);
    return OUTCOME_OK;
}

/* ---- Page faults, branches. -------------------------------------------------------------------- */

struct fresh {
    volatile unsigned char *area;
    size_t page_bytes, faults, at, bytes;
};

static double fault_stretch(void *ctx, const struct cycles *cycles)
{
    struct fresh *fresh = ctx;
    if (fresh->at == fresh->bytes)
        return NAN;
    uint64_t begin = cycles_begin();
    for (size_t i = 0; i < fresh->faults; i++)
        fresh->area[fresh->at + i * fresh->page_bytes] = 1;
    uint64_t end = cycles_end();
    fresh->at += fresh->faults * fresh->page_bytes;
    return (double)cycles_elapsed_ps(cycles, begin, end) / 1e3 / (double)fresh->faults;
}

static enum outcome_status sample_faults(const struct limit_task *task, struct limit_sample *sample,
                                         char *reason, size_t reason_size)
{
    bool huge = task->point.huge;
    struct fresh fresh = {.page_bytes = huge ? HUGEPAGES_BYTES : SMALL_PAGE,
                          .faults = huge ? FAULTS_HUGE : FAULTS_SMALL};
    fresh.bytes = FAULT_STRETCHES * fresh.faults * fresh.page_bytes;
    void *area = hugepages_map(fresh.bytes, huge);
    if (!area) {
        snprintf(reason, reason_size, "no memory for fresh pages");
        return OUTCOME_OUT_OF_MEMORY;
    }
    fresh.area = area;
    take_stretches(task, fault_stretch, &fresh, sample);
    sample->pages_known =
        hugepages_count(area, fresh.bytes, &sample->touched_bytes, &sample->huge_bytes);
    hugepages_unmap(area, fresh.bytes);
    return OUTCOME_OK;
}

static enum outcome_status sample_branches(struct limit_sample *sample, char *reason,
                                           size_t reason_size)
{
    sample->ns = penalties_branch_miss_ns();
    if (isfinite(sample->ns))
        return OUTCOME_OK;
    snprintf(reason, reason_size, "random branches took no longer than constant ones");
    return OUTCOME_UNSUPPORTED;
}

enum outcome_status limit_sample_take(const struct limit_task *task, struct limit_sample *sample,
                                      char *reason, size_t reason_size)
{
    *sample = (struct limit_sample){.ns = NAN};
    if (task->point.kind == LIMIT_BRANCH_MISS)
        return sample_branches(sample, reason, reason_size);
    if (task->point.kind == LIMIT_PAGE_FAULT)
        return sample_faults(task, sample, reason, reason_size);
    return sample_walk(task, sample, reason, reason_size);
}

void limit_sample_job(const void *task, struct job_report *report)
{
    struct limit_sample sample;
    report->status = (int)limit_sample_take(task, &sample, report->reason, sizeof report->reason);
    const double values[JOB_OTHER_VALUES] = {
        sample.ns,          (double)sample.retaken,       (double)sample.slow,
        sample.pages_known, (double)sample.touched_bytes, (double)sample.huge_bytes};
    memcpy(report->other, values, sizeof values);
}

struct limit_sample limit_sample_of(const struct job_report *report)
{
    const double *values = report->other;
    return (struct limit_sample){.ns = values[0],
                                 .retaken = (uint64_t)values[1],
                                 .slow = (uint64_t)values[2],
                                 .pages_known = values[3] > 0,
                                 .touched_bytes = (uint64_t)values[4],
                                 .huge_bytes = (uint64_t)values[5]};
}
