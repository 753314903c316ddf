/* import_libuv.c - imports uprobes on uv_timer_start and uv_timer_stop, as timers of milliseconds.
 *
 *     uv_timer_start: (0x...) h=0x7f... loop=0x7f... flags=8  now=2082660 timeout=1200 repeat=0
 *     uv_timer_stop:  (0x...) h=0x7f... loop=0x7f... flags=13 now=2082660 deadline=2083860
 *
 * `now` is the loop's clock, which stands still while callbacks run.  flags & 4: the handle is active as
 * the function is entered.  A start of an active handle stops it inside, and a probe at the entry has that
 * stop after the start: one re-arm.  A stop of an inactive handle does nothing.  A stop on or after its
 * deadline is uv__run_timers about to call back: an expiry.  A start of a handle that is being closed
 * (flags & 3) is refused by libuv.
 */
#include "labs/traces/import/import.h"

enum { HANDLE_CLOSING = 1, HANDLE_CLOSED = 2, HANDLE_ACTIVE = 4 };

/* One loop. */
struct libuv_loop {
    bool restarts;      /* the line before was the start of an active handle, ... */
    uint64_t restarted; /* ... this one */
    uint64_t stop_of_inactive, stop_at_expiry, stop_in_start, start_of_closing;
};

/* The log: all loops. */
struct libuv {
    uint64_t starts, stops;
};

struct call {
    bool is_start;
    uint64_t handle, loop, flags, now;
    uint64_t time; /* timeout of a start, deadline of a stop */
};

/* What is missing, or NULL. */
static const char *call_read(const struct ftrace_record *record, struct call *call)
{
    if (!ftrace_address(record, "h", &call->handle))
        return "the handle, h=0x...";
    if (!ftrace_address(record, "loop", &call->loop))
        return "the loop, loop=0x...";
    if (!ftrace_unsigned(record, "flags", &call->flags))
        return "the handle's flags=";
    if (!ftrace_unsigned(record, "now", &call->now))
        return "the loop's now=";
    if (!ftrace_unsigned(record, call->is_start ? "timeout" : "deadline", &call->time))
        return call->is_start ? "timeout= in milliseconds" : "the handle's deadline=";
    return NULL;
}

static bool event_is_call(const struct ftrace_record *record, bool *is_start)
{
    *is_start = span_is(record->event, "uv_timer_start");
    return *is_start || span_is(record->event, "uv_timer_stop");
}

static bool libuv_recognise(struct span line)
{
    struct ftrace_record record;
    bool is_start;
    return ftrace_read(line, &record) == FTRACE_RECORD && event_is_call(&record, &is_start);
}

static void start_take(struct libuv_loop *loop, struct builder *builder, const struct call *call)
{
    if (call->flags & (HANDLE_CLOSING | HANDLE_CLOSED)) {
        loop->start_of_closing++;
        return;
    }
    loop->restarts = call->flags & HANDLE_ACTIVE;
    loop->restarted = call->handle;
    builder_clock(builder, call->now);
    builder_start(builder, call->handle, call->time > INT64_MAX ? INT64_MAX : (int64_t)call->time);
}

static void stop_take(struct libuv_loop *loop, struct builder *builder, const struct call *call)
{
    bool in_start = loop->restarts && loop->restarted == call->handle;
    loop->restarts = false;
    if (!(call->flags & HANDLE_ACTIVE)) {
        loop->stop_of_inactive++;
    } else if (in_start) {
        loop->stop_in_start++;
    } else {
        builder_clock(builder, call->now);
        if (call->time <= call->now) {
            loop->stop_at_expiry++;
            builder_fired(builder, call->handle);
        } else {
            builder_cancel(builder, call->handle);
        }
    }
}

static void call_take(struct import *import, const struct call *call)
{
    const struct import_options *options = import->options;
    struct libuv *log = import->state;
    log->starts += call->is_start;
    log->stops += !call->is_start;
    struct import_track *track =
        import_track(import, call->loop, !options->by_loop || options->loop == call->loop);
    track->lines++;
    if (track->converted && call->is_start)
        start_take(track->state, &track->builder, call);
    else if (track->converted)
        stop_take(track->state, &track->builder, call);
}

static enum import_line libuv_line(struct import *import, struct span line)
{
    const struct import_options *options = import->options;
    struct ftrace_record record;
    struct call call;
    enum import_line answer = import_ftrace(import, line, &record);
    if (answer != IMPORT_USED)
        return answer;
    if (!event_is_call(&record, &call.is_start))
        return IMPORT_OTHER;
    import->broken = call_read(&record, &call);
    if (import->broken)
        return IMPORT_BROKEN;
    if (import_selects(options, &record))
        call_take(import, &call);
    return IMPORT_USED;
}

static void libuv_count(struct import *import, const struct import_track *track)
{
    const struct libuv *log = import->state;
    const struct libuv_loop *loop = track->state;
    tally_add_text(&import->converter, "start", log->starts);
    tally_add_text(&import->converter, "stop", log->stops);
    tally_add_text(&import->converter, "stop_of_inactive", loop->stop_of_inactive);
    tally_add_text(&import->converter, "stop_at_expiry", loop->stop_at_expiry);
    tally_add_text(&import->converter, "stop_in_start", loop->stop_in_start);
    tally_add_text(&import->converter, "start_of_closing", loop->start_of_closing);
}

const struct import_kind import_libuv = {
    .name = "libuv",
    .reads = "uprobes on libuv's uv_timer_start and uv_timer_stop",
    .expected = "'uv_timer_start: (...) h=0x... loop=0x... flags=8 now=... timeout=...'",
    .keys = IMPORT_PID | IMPORT_CPU | IMPORT_LOOP,
    .track = "loop",
    .track_size = sizeof(struct libuv_loop),
    .state_size = sizeof(struct libuv),
    .source = "libuv 1.44.2 uv_timer_start/stop in BIND 9.18 named, one loop",
    .unit_ns = 1000000,
    .recognise = libuv_recognise,
    .line = libuv_line,
    .count = libuv_count,
};
