/* sample.c - times passes of one sample. */
#include "harness/measure/run/sample.h"

#include "harness/base/isolate.h"
#include "harness/base/process_state.h"
#include "harness/base/text.h"
#include "harness/measure/run/arena.h"
#include "harness/measure/run/instance.h"
#include "harness/measure/run/pace.h"
#include "harness/measure/run/replay.h"

#include <math.h>

uint64_t sample_warmup(uint64_t passes)
{
    return passes == 0 ? 2 : 1;
}

static uint64_t count_calls(const struct stream *stream, const struct replay_pass *pass)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < stream->phase_count; i++) {
        const struct stream_phase *phase = &stream->phases[i];
        calls += phase->counts.starts + phase->counts.stops + phase->counts.advances;
        calls += pass->phases[i].fired * (stream_restarts(phase) ? 2u : 1u);
    }
    return calls;
}

/* The pass of that number; false with the series' status and reason set when it went wrong. */
static bool take_pass(const struct sample_request *request, uint64_t number,
                      struct replay_pass *pass, struct sample_series *series)
{
    struct instance instance;
    const struct stream *stream =
        stream_of_pass(request->stream, number, sample_warmup(request->passes));
    const struct tw_backend *design = request->plan->design->timed;
    series->status = instance_open(&instance, design, request->plan, stream, series->reason);
    if (series->status == OUTCOME_OK && request->dragged)
        series->status = instance_drag(&instance, request->drag_share, series->reason);
    if (series->status != OUTCOME_OK)
        return false;
    replay_time(instance.design, instance.timers, stream, request->plan, NULL, pass);
    instance_close(&instance);
    series->calls += count_calls(stream, pass);
    if (instance_digest_is_right(design, stream, pass->digest, pass->fired, series->reason))
        return true;
    series->status = OUTCOME_MISMATCH;
    return false;
}

uint64_t sample_passes(uint64_t min_time_ns, double pass_ns)
{
    uint64_t passes = (uint64_t)ceil((double)min_time_ns / fmax(pass_ns, 1));
    return passes > 0 ? passes : 1;
}

static bool warm_up(const struct sample_request *request, struct sample_series *series)
{
    struct replay_pass pass = {0};
    double pass_ns = 0;
    series->passes = request->passes;
    for (uint64_t i = 0; i < sample_warmup(request->passes); i++)
        if (!take_pass(request, i, &pass, series))
            return false;
    series->calls /= sample_warmup(request->passes);
    for (size_t i = 0; i < request->stream->phase_count; i++)
        pass_ns += pass.phases[i].wall_ns;
    if (request->passes == 0)
        series->passes = sample_passes(request->min_time_ns, pass_ns);
    return true;
}

/* All passes of one sample into its place, whatever was there. */
static bool take_sample(const struct sample_request *request, struct sample_series *series,
                        uint64_t sample)
{
    uint64_t first = sample_warmup(request->passes) + sample * series->passes;
    memset(series->cpu_ns[sample], 0, sizeof series->cpu_ns[sample]);
    memset(series->wall_ns[sample], 0, sizeof series->wall_ns[sample]);
    series->calls = 0;
    for (uint64_t i = 0; i < series->passes; i++) {
        struct replay_pass pass = {0};
        if (!take_pass(request, first + i, &pass, series))
            return false;
        for (size_t phase = 0; phase < request->stream->phase_count; phase++) {
            series->cpu_ns[sample][phase] += pass.phases[phase].cpu_ns;
            series->wall_ns[sample][phase] += pass.phases[phase].wall_ns;
        }
    }
    series->calls /= series->passes;
    return true;
}

static void take_samples(const struct sample_request *request, struct sample_series *series)
{
    if (!warm_up(request, series))
        return;
    uint64_t deadline_ns = clock_read_ns(CLOCK_MONOTONIC) + request->patience_ns;
    double full_ns = request->pace_ns;
    series->pace_ns = pace_read_ns();
    for (uint64_t sample = 0; sample < request->samples;) {
        bool full = full_ns <= 0 || pace_wait(full_ns, deadline_ns);
        if (!take_sample(request, series, sample))
            return;
        double pace_ns = pace_read_ns();
        series->pace_ns = fmin(series->pace_ns, pace_ns);
        full = full && (full_ns <= 0 || pace_is_full(pace_ns, full_ns));
        if (full || clock_read_ns(CLOCK_MONOTONIC) >= deadline_ns) {
            series->slow += !full;
            sample++;
        }
    }
}

void sample_take(const struct sample_request *request, struct sample_series *series)
{
    memset(series, 0, sizeof *series);
    arena_enter(false, request->plan->pages);
    void *pads = arena_pad(request->heap);
    take_samples(request, series);
    arena_unpad(pads);
}

/* ---- Plugins --------------------------------------------------------------------------------- */

static void series_fail(struct sample_series *series, const char *reason)
{
    *series = (struct sample_series){.status = OUTCOME_CRASHED};
    snprintf(series->reason, sizeof series->reason, "%.*s", (int)sizeof series->reason - 1, reason);
}

static void take_in_child(void *ctx, void *record)
{
    const struct sample_request *request = ctx;
    struct sample_series *series = record;
    struct diag diag;
    struct process_state before, now;
    char changed[PROCESS_STATE_TEXT];
    process_state_take(&before);
    if (plugins_load(request->plan->design->timed, &diag) == DIAG_OK)
        sample_take(request, series);
    else
        series_fail(series, diag.text);
    process_state_take(&now);
    if (series->status == OUTCOME_OK && process_state_changed(&before, &now, false, changed))
        series_fail(series, changed);
}

void sample_take_apart(const struct sample_request *request, uint64_t memory_bytes,
                       struct sample_series *series)
{
    char reason[200];
    struct sample_request copy = *request;
    const struct isolate isolate = {
        .memory_bytes = memory_bytes, .out_fd = ISOLATE_NOWHERE, .err_fd = ISOLATE_NOWHERE};
    *series = (struct sample_series){.status = OUTCOME_OK};
    if (!plugins_is_unloaded(request->plan->design->timed)) {
        sample_take(request, series);
        return;
    }
    if (!isolate_run(&isolate, SAMPLE_SECONDS, take_in_child, &copy, series, sizeof *series, reason,
                     sizeof reason))
        series_fail(series, reason);
    else if ((unsigned)series->status > OUTCOME_CRASHED)
        series_fail(series, "the record of its process is damaged");
    utf8_make_printable(series->reason, sizeof series->reason);
}
