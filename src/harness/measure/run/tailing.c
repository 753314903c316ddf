/* tailing.c - repeats a stream, and keeps the least time of each advance. */
#include "harness/measure/run/sample.h"

#include "harness/measure/run/instance.h"
#include "harness/measure/run/replay.h"

static bool open_recorders(const struct tailing_request *request, struct tail_recorder *recorders)
{
    bool opened = true;
    memset(recorders, 0, STREAM_PHASES_MAX * sizeof *recorders);
    for (size_t i = 0; i < request->stream->phase_count && opened; i++) {
        /* Driven by next, the design says how many there will be. */
        bool by_ticks = request->plan->drive == PLAN_DRIVE_TICKS;
        uint64_t advances = request->stream->phases[i].counts.advances;
        opened = tail_open(&recorders[i], by_ticks ? advances + 1 : TAIL_BLOCKS);
    }
    return opened;
}

static void close_recorders(struct tail_recorder *recorders)
{
    for (size_t i = 0; i < STREAM_PHASES_MAX; i++)
        tail_close(&recorders[i]);
}

static enum outcome_status take_pass(const struct tailing_request *request,
                                     struct tail_recorder *recorders, char *reason)
{
    struct instance instance;
    struct replay_pass pass;
    const struct tw_backend *design = request->plan->design->timed;
    enum outcome_status status =
        instance_open(&instance, design, request->plan, request->stream, reason);
    if (status != OUTCOME_OK)
        return status;
    replay_tail(instance.design, instance.timers, request->stream, request->plan->drive,
                request->cycles, recorders, &pass);
    instance_close(&instance);
    return instance_digest_is_right(design, request->stream, pass.digest, pass.fired, reason)
               ? OUTCOME_OK
               : OUTCOME_MISMATCH;
}

/* Before the stream comes again the processor has others to learn, for a share of the time. */
static enum outcome_status forget(const struct tailing_request *request, char *reason)
{
    const struct stream *stream = request->stream;
    const struct tw_backend *design = request->plan->design->timed;
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC), operations = 0;
    enum outcome_status status = OUTCOME_OK;
    for (uint64_t i = 1;
         stream->passes && status == OUTCOME_OK && operations < STREAM_FRESH_OPERATIONS;
         i = i % (stream->passes->count - 1) + 1) {
        struct instance instance;
        struct replay_pass pass = {0};
        const struct stream *other = stream_of_pass(stream, i, 0);
        if ((clock_read_ns(CLOCK_MONOTONIC) - begin_ns) * request->passes > request->time_ns)
            break;
        status = instance_open(&instance, design, request->plan, other, reason);
        if (status != OUTCOME_OK)
            break;
        replay_time(instance.design, instance.timers, other, request->plan, NULL, &pass);
        instance_close(&instance);
        operations += stream_operations(other);
    }
    return status;
}

static bool is_possible(const struct tailing_request *request)
{
    bool waits = request->plan->design->timed->traits.flags & TW_REAL_CLOCK;
    bool is_long = request->long_ns > 0 && request->pass_ns * TAIL_PASSES_MIN > request->long_ns;
    return !waits && !is_long;
}

enum outcome_status tailing_take(const struct tailing_request *request, struct tail *tails,
                                 char *reason)
{
    struct tail_recorder recorders[STREAM_PHASES_MAX];
    enum outcome_status status = OUTCOME_OK;
    memset(tails, 0, request->stream->phase_count * sizeof *tails);
    if (!is_possible(request))
        return OUTCOME_OK;
    bool opened = open_recorders(request, recorders);
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < request->passes && opened && status == OUTCOME_OK; i++) {
        uint64_t spent_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
        if (i >= TAIL_PASSES_MIN && request->time_ns > 0 && spent_ns > request->time_ns)
            break;
        status = i > 0 ? forget(request, reason) : OUTCOME_OK;
        if (status == OUTCOME_OK)
            status = take_pass(request, recorders, reason);
    }
    for (size_t i = 0; i < request->stream->phase_count && opened && status == OUTCOME_OK; i++)
        tail_finish(&recorders[i], &tails[i]);
    close_recorders(recorders);
    return status;
}
