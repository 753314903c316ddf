/* import_khrtimer.c - imports Linux hrtimers, from timer:hrtimer_start, hrtimer_cancel and hrtimer_expire_entry.
 *
 *     python3-32726 [000] d..1. 1742.411871: hrtimer_start: hrtimer=00000000d1d1970e function=f
 *         expires=1742422925258 softexpires=1742422870259 mode=ABS was_armed=0
 *
 * One tick is a nanosecond of the log, which is on CLOCK_MONOTONIC; a delay is expires minus the line's
 * time, so it can be below 0.  expires is on the timer's own clock, which no line names for sure:
 *
 *     CLOCK_REALTIME  nearer to the log's time with the offset of clocks=FILE taken off than without.
 *                     Without the file: years ahead of it; the offset is then what firings show (`now` of
 *                     expire_entry is on the timer's clock), and before the first one starts are left out
 *     CLOCK_BOOTTIME  hrtimer_setup (or _init) of that address said so, and the file has an offset
 *     CLOCK_MONOTONIC all others
 *
 * A re-arm is a cancel and a start, or one start with was_armed=1 (Linux 6.18).  A firing has a cancel
 * before it or not, as kernels go.
 */
#include "labs/traces/import/kevents.h"

/* Three years: no monotonic clock is that far, and no clock that was set so near to 1970. */
#define REALTIME_AHEAD_NS INT64_C(100000000000000000)
/* A firing's `now` is read before its line is written; tracefs cuts lines' times to microseconds. */
#define AHEAD_NS  INT64_C(10000)
#define BEHIND_NS INT64_C(100000)

struct khrtimer {
    struct kevents events; /* first, see kevents_close */
    struct clocks clocks;  /* clocks=, or found */
    struct diag wrong;     /* with the file beside the log; "" = nothing */
    bool found;            /* realtime was found in the log */
    uint64_t realtime_starts, boottime_starts, unknown_starts;
    uint64_t firings, ahead; /* that were not on CLOCK_REALTIME; of them, impossibly early */
    int64_t nearest;         /* their greatest now - time of the line */
    uint64_t left_selection;
};

static const struct kevents_source khrtimer_events = {.prefix = "hrtimer_", .name = "hrtimer"};

/* ---- Clocks -------------------------------------------------------------------------------------- */

static uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static int64_t as_signed(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static bool is_realtime(const struct clocks *clocks, int64_t time, int64_t ns)
{
    if (time == INT64_MAX) /* KTIME_MAX: never */
        return false;
    if (!clocks->has_realtime)
        return time - ns > REALTIME_AHEAD_NS;
    return distance(time - clocks->realtime, ns) < distance(time, ns);
}

/* A firing shows the time of its timer's clock, some microseconds before the line was written. */
static void firing_learn(struct khrtimer *khrtimer, const struct kevent *event)
{
    int64_t now = as_signed(event->value), ns = as_signed(event->ns), ahead = now - ns;
    if (is_realtime(&khrtimer->clocks, now, ns)) {
        if (!khrtimer->clocks.has_realtime ||
            (khrtimer->found && ahead > khrtimer->clocks.realtime))
            khrtimer->clocks.realtime = ahead;
        khrtimer->found |= !khrtimer->clocks.has_realtime;
        khrtimer->clocks.has_realtime = true;
        return;
    }
    if (khrtimer->firings == 0 || ahead > khrtimer->nearest)
        khrtimer->nearest = ahead;
    khrtimer->firings++;
    khrtimer->ahead += ahead > AHEAD_NS;
}

/* When the timer is to fire on the log's clock; false: nobody knows. */
static bool start_deadline(struct khrtimer *khrtimer, const struct kevent *event, int64_t *deadline)
{
    const struct clocks *clocks = &khrtimer->clocks;
    int64_t expires = as_signed(event->value), ns = as_signed(event->ns);
    *deadline = expires;
    if (event->boottime && clocks->has_boottime && expires != INT64_MAX) {
        khrtimer->boottime_starts++;
        *deadline -= clocks->boottime;
    } else if (is_realtime(clocks, expires, ns)) {
        khrtimer->realtime_starts += clocks->has_realtime;
        khrtimer->unknown_starts += !clocks->has_realtime;
        *deadline -= clocks->realtime;
        return clocks->has_realtime;
    }
    return true;
}

/* ---- Events -------------------------------------------------------------------------------------- */

/* A start that is not wanted, or on a clock that is not known, of a timer that is armed in the trace. */
static void start_leaves(struct khrtimer *khrtimer, struct builder *builder,
                         const struct kevent *event)
{
    if (builder_state(builder, event->name) != BUILDER_ARMED)
        return;
    builder_clock(builder, event->ns);
    if (builder_state(builder, event->name) != BUILDER_ARMED)
        return;
    builder_cancel(builder, event->name);
    khrtimer->left_selection++;
}

static void event_take(struct import *import, struct khrtimer *khrtimer, const struct kevent *event)
{
    struct import_track *track = import_single(import);
    int64_t deadline = 0;
    struct builder *builder = &track->builder;
    if (event->kind == KEVENT_START &&
        (!event->selected || !start_deadline(khrtimer, event, &deadline))) {
        start_leaves(khrtimer, builder, event);
        return;
    }
    if (!event->selected)
        return;
    track->lines++;
    if (event->kind == KEVENT_CANCEL && event->fate != KEVENT_IS_CANCEL)
        return; /* half of a re-arm or a firing, which is dated by its other half */
    builder_clock(builder, event->ns);
    if (event->kind == KEVENT_START)
        builder_start(builder, event->name, deadline - as_signed(builder_time(builder)));
    else if (event->kind == KEVENT_EXPIRE)
        builder_fired(builder, event->name);
    else
        builder_cancel(builder, event->name);
}

static void khrtimer_open(struct import *import, struct khrtimer *khrtimer)
{
    char path[sizeof import->name + 8];
    khrtimer->clocks = import->options->clocks;
    bool given = khrtimer->clocks.has_realtime || khrtimer->clocks.has_boottime;
    if (!given && clocks_beside(import->name, path, sizeof path) &&
        clocks_read(&khrtimer->clocks, path, &khrtimer->wrong) == DIAG_OK)
        import_note(import, "the clocks are those of %s, which lies beside it", path);
    kevents_open(&khrtimer->events, &khrtimer_events);
}

static enum import_line khrtimer_line(struct import *import, struct span line)
{
    struct khrtimer *khrtimer = import->state;
    struct kevents *events = &khrtimer->events;
    struct kevent event;
    if (!events->ring)
        khrtimer_open(import, khrtimer);
    enum import_line answer = kevents_read(events, import, line, &event);
    if (answer != IMPORT_USED || event.kind == KEVENT_SETUP)
        return answer;
    if (kevents_waiting(events) == KEVENTS_WINDOW)
        event_take(import, khrtimer, kevents_pop(events));
    if (event.kind == KEVENT_EXPIRE)
        firing_learn(khrtimer, &event);
    kevents_push(events, import, &event);
    return IMPORT_USED;
}

/* ---- The end ------------------------------------------------------------------------------------- */

static void clocks_say(struct import *import, const struct khrtimer *khrtimer)
{
    if (khrtimer->found && khrtimer->realtime_starts > 0)
        import_note(import,
                    "%llu starts are on CLOCK_REALTIME: it is %lld ns ahead of the log as firings "
                    "show, to some microseconds (clocks=)",
                    (unsigned long long)khrtimer->realtime_starts,
                    (long long)khrtimer->clocks.realtime);
    if (khrtimer->unknown_starts > 0)
        import_note(import,
                    "%llu starts are on CLOCK_REALTIME and were left out: nothing says how far it "
                    "is ahead of the log (clocks=)",
                    (unsigned long long)khrtimer->unknown_starts);
    if (khrtimer->ahead * 2 > khrtimer->firings ||
        (khrtimer->firings > 100 && khrtimer->nearest < -BEHIND_NS))
        import_note(import,
                    "firings are %lld us from the times of their lines: was trace_clock not mono "
                    "(perf record -k CLOCK_MONOTONIC)?  Delays are wrong by that much",
                    (long long)(khrtimer->nearest / 1000));
    else if (khrtimer->ahead > 0)
        import_note(import,
                    "%llu of %llu firings are on a clock that is up to %lld us ahead of the log's: "
                    "CLOCK_BOOTTIME after the machine slept (clocks=)?",
                    (unsigned long long)khrtimer->ahead, (unsigned long long)khrtimer->firings,
                    (long long)(khrtimer->nearest / 1000));
}

static int khrtimer_finish(struct import *import, struct diag *diag)
{
    struct khrtimer *khrtimer = import->state;
    struct kevents *events = &khrtimer->events;
    if (khrtimer->wrong.text[0])
        return diag_usage(diag, "%s", khrtimer->wrong.text);
    if (events->backwards[0])
        return diag_usage(diag, "%s", events->backwards);
    while (kevents_waiting(events) > 0)
        event_take(import, khrtimer, kevents_pop(events));
    clocks_say(import, khrtimer);
    return DIAG_OK;
}

static void khrtimer_count(struct import *import, const struct import_track *track)
{
    const struct khrtimer *khrtimer = import->state;
    const struct kevents *events = &khrtimer->events;
    struct tally *counts = &import->converter;
    (void)track;
    tally_add_text(counts, "hrtimer_start", events->counts[KEVENT_START]);
    tally_add_text(counts, "hrtimer_cancel", events->counts[KEVENT_CANCEL]);
    tally_add_text(counts, "hrtimer_expire_entry", events->counts[KEVENT_EXPIRE]);
    tally_add_text(counts, "start_was_armed", events->was_armed);
    tally_add_text(counts, "start_realtime", khrtimer->realtime_starts);
    tally_add_text(counts, "start_boottime", khrtimer->boottime_starts);
    tally_add_text(counts, "drop_start_clock_unknown", khrtimer->unknown_starts);
    tally_add_text(counts, "cancel_is_expiry", events->fates[KEVENT_IS_FIRING]);
    tally_add_text(counts, "cancel_is_rearm", events->fates[KEVENT_IS_REARM]);
    tally_add_text(counts, "cancel_is_cancel", events->fates[KEVENT_IS_CANCEL]);
    tally_add_text(counts, "sorted", events->sorted);
    tally_add_text(counts, "left_selection", khrtimer->left_selection);
}

static bool khrtimer_recognise(struct span line)
{
    return kevents_recognise(&khrtimer_events, line);
}

/* The kernel's version is not in a log; the name is that of the format, which is known by its fields. */
static void khrtimer_source(const struct import *import, char *out, size_t size)
{
    const struct kevents *events = &((const struct khrtimer *)import->state)->events;
    snprintf(out, size, "Linux%s timer:hrtimer_* tracepoints, CLOCK_MONOTONIC ns, deadline=expires",
             events->was_armed_printed > 0 ? " 6.18" : "");
}

const struct import_kind import_khrtimer = {
    .name = "khrtimer",
    .reads = "timer:hrtimer_* of Linux, from tracefs or perf script",
    .expected = "'TASK-PID [CPU] ... TIME: hrtimer_start: hrtimer=... expires=...'",
    .keys = IMPORT_CPU | IMPORT_CLOCKS,
    .state_size = sizeof(struct khrtimer),
    .source_write = khrtimer_source,
    .unit_ns = 1,
    .recognise = khrtimer_recognise,
    .line = khrtimer_line,
    .finish = khrtimer_finish,
    .count = khrtimer_count,
    .close = kevents_close,
};
