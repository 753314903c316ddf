/* import_libevent.c - imports uprobes on libevent, as timers of microseconds.
 *
 *     event_add_nolock_:    (0x...) ev=0x... tv=0x7f... sec=0 usec=50000 abs=0
 *     event_del_nolock_:    (0x...) ev=0x... blocking=2
 *     event_active_nolock_: (0x...) ev=0x... res=1
 *
 * tv=0x0 adds interest in a descriptor and no timer (sec and usec say nothing then).  abs=1: a time of the
 * monotonic clock, not from now; bits of usec above 20 mark common timeouts.  A timer fires as a del with an
 * active of the same event, res=1, right behind it in its thread: at the time of the del.  Any other del
 * of an armed event is a cancel, and most dels are of events without a timeout.
 *
 * libevent's own clock is coarse and cached, so what fires before the deadline computed here had an earlier
 * one: it is pulled in to the firing.
 */
#include "labs/traces/import/import.h"

enum { TV_USEC_MASK = 0xfffff, EV_TIMEOUT = 1 };

/* One thread, which has an event base of its own. */
struct libevent {
    bool has_del; /* the line before was a del, which waits to see what comes behind it */
    uint64_t del_event, del_time;
    uint64_t adds, dels, actives;
    uint64_t add_without_timeout, del_without_timeout, absolute;
    uint64_t cancels, fired, pulled_in, active_without_del;
};

enum call_kind { CALL_ADD, CALL_DEL, CALL_ACTIVE, CALL_NONE };

struct call {
    enum call_kind kind;
    uint64_t event;
    uint64_t time;    /* of the line, in microseconds */
    bool has_timeout; /* of add, with the next two */
    bool is_absolute;
    int64_t timeout;
    uint64_t result; /* of active */
};

/* ---- Lines --------------------------------------------------------------------------------------- */

static enum call_kind call_kind_of(const struct ftrace_record *record)
{
    if (span_is(record->event, "event_add_nolock_"))
        return CALL_ADD;
    if (span_is(record->event, "event_del_nolock_"))
        return CALL_DEL;
    if (span_is(record->event, "event_active_nolock_"))
        return CALL_ACTIVE;
    return CALL_NONE;
}

/* What is missing, or NULL. */
static const char *timeout_read(const struct ftrace_record *record, struct call *call)
{
    uint64_t tv, absolute;
    int64_t seconds, microseconds;
    if (!ftrace_address(record, "tv", &tv))
        return "the timeout's address, tv=0x...";
    call->has_timeout = tv != 0;
    if (!call->has_timeout)
        return NULL;
    if (!ftrace_signed(record, "sec", &seconds) || seconds > INT64_MAX / 2000000 ||
        seconds < -(INT64_MAX / 2000000))
        return "the timeout's sec=";
    if (!ftrace_signed(record, "usec", &microseconds))
        return "the timeout's usec=";
    if (!ftrace_unsigned(record, "abs", &absolute))
        return "abs=0 or abs=1";
    call->is_absolute = absolute != 0;
    call->timeout = seconds * 1000000 + (microseconds & TV_USEC_MASK);
    return NULL;
}

static const char *call_read(const struct ftrace_record *record, struct call *call)
{
    call->time = record->ns / 1000;
    if (!ftrace_address(record, "ev", &call->event))
        return "the event, ev=0x...";
    if (call->kind == CALL_ADD)
        return timeout_read(record, call);
    if (call->kind == CALL_ACTIVE && !ftrace_unsigned(record, "res", &call->result))
        return "the result, res=";
    return NULL;
}

static bool libevent_recognise(struct span line)
{
    struct ftrace_record record;
    return ftrace_read(line, &record) == FTRACE_RECORD && call_kind_of(&record) != CALL_NONE;
}

/* ---- What they mean ------------------------------------------------------------------------------ */

/* The del that waits was not followed by its firing. */
static void del_settle(struct libevent *libevent, struct builder *builder)
{
    if (!libevent->has_del)
        return;
    libevent->has_del = false;
    enum builder_state state = builder_state(builder, libevent->del_event);
    if (state != BUILDER_ARMED && state != BUILDER_DUE) {
        libevent->del_without_timeout++;
        return;
    }
    libevent->cancels++;
    builder_clock(builder, libevent->del_time);
    builder_cancel(builder, libevent->del_event);
}

static void add_take(struct libevent *libevent, struct builder *builder, const struct call *call)
{
    if (!call->has_timeout) {
        libevent->add_without_timeout++;
        return;
    }
    libevent->absolute += call->is_absolute;
    builder_clock(builder, call->time);
    builder_start(builder, call->event,
                  call->is_absolute ? call->timeout - (int64_t)builder_time(builder)
                                    : call->timeout);
}

static void active_take(struct libevent *libevent, struct builder *builder, const struct call *call)
{
    if (!(call->result & EV_TIMEOUT) || !libevent->has_del || libevent->del_event != call->event) {
        del_settle(libevent, builder);
        libevent->active_without_del++;
        return;
    }
    libevent->has_del = false;
    libevent->fired++;
    libevent->pulled_in += builder_pull_in(builder, call->event, libevent->del_time) > 0;
    builder_clock(builder, libevent->del_time);
    builder_fired(builder, call->event);
}

static void call_take(struct libevent *libevent, struct builder *builder, const struct call *call)
{
    libevent->adds += call->kind == CALL_ADD;
    libevent->dels += call->kind == CALL_DEL;
    libevent->actives += call->kind == CALL_ACTIVE;
    if (call->kind == CALL_ACTIVE) {
        active_take(libevent, builder, call);
        return;
    }
    del_settle(libevent, builder);
    if (call->kind == CALL_ADD) {
        add_take(libevent, builder, call);
    } else {
        libevent->has_del = true;
        libevent->del_event = call->event;
        libevent->del_time = call->time;
    }
}

/* ---- The log ------------------------------------------------------------------------------------- */

static enum import_line libevent_line(struct import *import, struct span line)
{
    const struct import_options *options = import->options;
    struct ftrace_record record;
    struct call call;
    enum import_line answer = import_ftrace(import, line, &record);
    if (answer != IMPORT_USED)
        return answer;
    call.kind = call_kind_of(&record);
    if (call.kind == CALL_NONE)
        return IMPORT_OTHER;
    import->broken = call_read(&record, &call);
    if (import->broken)
        return IMPORT_BROKEN;
    if (options->by_cpu && options->cpu != record.cpu)
        return IMPORT_USED;
    struct import_track *track =
        import_track(import, (uint64_t)record.pid, !options->by_pid || options->pid == record.pid);
    track->lines++;
    if (track->converted)
        call_take(track->state, &track->builder, &call);
    return IMPORT_USED;
}

static void libevent_track_end(const struct import *import, struct import_track *track)
{
    (void)import;
    del_settle(track->state, &track->builder);
}

static void libevent_count(struct import *import, const struct import_track *track)
{
    const struct libevent *libevent = track->state;
    struct tally *converter = &import->converter;
    tally_add_text(converter, "add", libevent->adds);
    tally_add_text(converter, "del", libevent->dels);
    tally_add_text(converter, "active", libevent->actives);
    tally_add_text(converter, "add_without_timeout", libevent->add_without_timeout);
    tally_add_text(converter, "del_without_timeout", libevent->del_without_timeout);
    tally_add_text(converter, "absolute", libevent->absolute);
    tally_add_text(converter, "cancels", libevent->cancels);
    tally_add_text(converter, "fired", libevent->fired);
    tally_add_text(converter, "pulled_in", libevent->pulled_in);
    tally_add_text(converter, "active_without_del", libevent->active_without_del);
}

const struct import_kind import_libevent = {
    .name = "libevent",
    .reads = "uprobes on libevent's event_add_nolock_, event_del_nolock_, event_active_nolock_",
    .expected = "'event_add_nolock_: (...) ev=0x... tv=0x... sec=0 usec=50000 abs=0'",
    .keys = IMPORT_PID | IMPORT_CPU,
    .recycles = true,
    .track = "pid",
    .track_size = sizeof(struct libevent),
    .source = "libevent 2.1.12 event_add/event_del timeouts in unbound 1.17.1",
    .unit_ns = 1000,
    .recognise = libevent_recognise,
    .line = libevent_line,
    .track_end = libevent_track_end,
    .count = libevent_count,
};
