/* progress.c - shows progress: a bar with the time left, or a line per group. */
#include "harness/measure/session/progress.h"

#include "harness/base/units.h"

#include <unistd.h>

static bool can_move_cursor(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void progress_begin(struct progress *progress, enum setup_progress mode, double weight_total)
{
    if (mode == PROGRESS_AUTO)
        mode = can_move_cursor() ? PROGRESS_BAR : PROGRESS_NEVER;
    *progress = (struct progress){
        .mode = mode,
        .begin_ns = clock_read_ns(CLOCK_MONOTONIC),
        .weight_total = weight_total,
    };
}

void progress_group(struct progress *progress, const struct stream *stream, double weight)
{
    char tasks[32];
    units_format_count(tasks, sizeof tasks, stream->tasks);
    snprintf(progress->title, sizeof progress->title, "%s%s%s, %s tasks",
             progress->stage ? progress->stage : "", progress->stage ? ": " : "", stream->workload,
             tasks);
    progress->weight = weight;
    progress->group_begin_ns = clock_read_ns(CLOCK_MONOTONIC);
}

static void format_left(char *out, size_t size, double seconds)
{
    if (seconds < 60)
        snprintf(out, size, "%.0f s", seconds);
    else
        snprintf(out, size, "%.0f min %02.0f s", (double)(int)(seconds / 60),
                 seconds - 60 * (double)(int)(seconds / 60));
}

void progress_job(void *ctx, const struct group_progress *group)
{
    static const char *const kinds[] = {
        [JOB_PROVE] = "checked",     [JOB_MEMORY] = "memory", [JOB_LATENCY] = "latency",
        [JOB_COUNT] = "counted",     [JOB_STEP] = "stepped",  [JOB_TIME] = "timed",
        [JOB_SCHEDULE] = "scheduled"};
    struct progress *progress = ctx;
    if (progress->mode != PROGRESS_BAR)
        return;
    double of_group = (double)group->done / (double)group->total;
    double done = (progress->weight_done + progress->weight * of_group) / progress->weight_total;
    double elapsed = (double)(clock_read_ns(CLOCK_MONOTONIC) - progress->begin_ns) / 1e9;
    char left[32];
    format_left(left, sizeof left, elapsed * (1 - done) / done);
    fprintf(stderr, "\r\033[K%3.0f %%  %s  %zu/%zu %s %s  about %s left", 100 * done,
            progress->title, group->done, group->total, group->job->plan->design->timed->name,
            kinds[group->job->kind], left);
    fflush(stderr);
}

void progress_clear(struct progress *progress)
{
    if (progress->mode == PROGRESS_BAR)
        fprintf(stderr, "\r\033[K");
}

void progress_group_end(struct progress *progress, size_t cells)
{
    progress->weight_done += progress->weight;
    if (progress->mode == PROGRESS_LINES)
        fprintf(stderr, "%s: %zu cells in %.1f s\n", progress->title, cells,
                (double)(clock_read_ns(CLOCK_MONOTONIC) - progress->group_begin_ns) / 1e9);
}

/* A step says how long it will take itself; of those that may follow nobody knows yet. */
void progress_step(struct progress *progress, const char *what, size_t done, size_t total)
{
    uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
    if (progress->step != what) {
        progress->step = what;
        progress->step_begin_ns = now_ns;
        if (progress->mode == PROGRESS_LINES)
            fprintf(stderr, "%s\n", what);
    }
    if (progress->mode != PROGRESS_BAR)
        return;
    char left[32] = "?";
    double elapsed = (double)(now_ns - progress->step_begin_ns) / 1e9;
    if (done > 0)
        format_left(left, sizeof left, elapsed * (double)(total - done) / (double)done);
    fprintf(stderr, "\r\033[K%s  %zu/%zu  about %s left", what, done, total, left);
    fflush(stderr);
}
