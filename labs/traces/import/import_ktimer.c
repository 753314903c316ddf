/* import_ktimer.c - imports the Linux timer wheel, from timer:timer_start, timer_cancel and timer_expire_entry.
 *
 *     nginx-29480 [000] d..2. 1240.305121: timer_start: timer=0000000015077741 function=f
 *         expires=4295203600 [timeout=1250] bucket_expiry=4295203648 cpu=0 idx=173 flags=I
 *
 * One tick is a jiffy.  A start says when it was (expires - timeout), a firing too (now); the jiffy of a
 * cancel is fitted (jiffies.h), and lies between those of the events around it, which tell more than
 * the fit where the kernel's tick was late.  mod_timer() of a pending timer logs a cancel and a start,
 * and a firing logs a cancel: kevents.h tells them apart.
 */
#include "harness/base/memory.h"
#include "labs/traces/import/jiffies.h"
#include "labs/traces/import/kevents.h"

enum { ERRORS = 9 }; /* jiffy_fit_-4 .. +4; the outer ones count what is further off, too */

struct ktimer {
    struct kevents events; /* first, see kevents_close */
    bool fitted;           /* HZ is settled; from then on every event that is read is learnt */
    uint64_t hz, hz_other;
    bool hz_found;
    struct jiffies fit;
    bool has_known;
    uint64_t known;      /* jiffies of the last event that told, as the log's first ones count */
    uint64_t next_known; /* place in the window of the next one that tells, or before it */
    bool has_first;
    uint64_t first; /* jiffies as read first */
    uint64_t fits[ERRORS], starts_fitted;
    uint64_t left_selection, not_jiffies;
};

static const struct kevents_source ktimer_events = {
    .prefix = "timer_", .name = "timer", .wheel = true};

/* ---- Jiffies ------------------------------------------------------------------------------------- */

/* On a machine of 32 bits jiffies wraps around, for the first time five minutes after it has booted: behind
 * a start (then expires is less than timeout) or between two events. */
static uint64_t jiffies_unwrap(const struct ktimer *ktimer, uint64_t jiffies)
{
    bool wrapped =
        ktimer->has_first && jiffies < ktimer->first && ktimer->first - jiffies > INT32_MAX;
    return wrapped || jiffies > INT64_MAX ? jiffies + (UINT64_C(1) << 32) : jiffies;
}

/* Makes event->value what jiffies was; false: it cannot be jiffies of one log. */
static bool event_date(struct ktimer *ktimer, struct kevent *event)
{
    if (event->kind == KEVENT_CANCEL)
        return true;
    if (event->kind == KEVENT_START)
        event->value -= (uint64_t)event->timeout;
    event->value = jiffies_unwrap(ktimer, event->value);
    if (!ktimer->has_first)
        ktimer->first = event->value;
    ktimer->has_first = true;
    int64_t since = (int64_t)(event->value - ktimer->first);
    return since > -JIFFIES_SPAN_MAX && since < JIFFIES_SPAN_MAX;
}

static struct jiffies_known known_of(const struct kevent *event)
{
    return (struct jiffies_known){event->ns, event->value};
}

/* All that the window tells, for the first time. */
static void window_learn(struct import *import, struct ktimer *ktimer)
{
    const struct kevents *events = &ktimer->events;
    struct jiffies_known *known = memory_take(kevents_waiting(events), sizeof *known);
    size_t count = 0;
    for (uint64_t at = events->head; at < events->tail; at++)
        if (kevents_at(events, at)->kind != KEVENT_CANCEL)
            known[count++] = known_of(kevents_at(events, at));
    ktimer->hz = import->options->hz;
    if (ktimer->hz == 0)
        ktimer->hz = jiffies_find_hz(known, count, &ktimer->hz_other);
    jiffies_init(&ktimer->fit, ktimer->hz);
    for (size_t i = 0; i < count; i++)
        jiffies_learn(&ktimer->fit, known[i]);
    free(known);
    ktimer->fitted = true;
}

/* The jiffy of the event that was just taken out of the window. */
static uint64_t event_jiffy(struct ktimer *ktimer, const struct kevent *event)
{
    const struct kevents *events = &ktimer->events;
    if (event->kind != KEVENT_CANCEL) {
        ktimer->known = event->value;
        ktimer->has_known = true;
        return event->value;
    }
    uint64_t jiffy = jiffies_at(&ktimer->fit, event->ns);
    if (ktimer->next_known < events->head)
        ktimer->next_known = events->head;
    while (ktimer->next_known < events->tail &&
           kevents_at(events, ktimer->next_known)->kind == KEVENT_CANCEL)
        ktimer->next_known++;
    if (ktimer->next_known < events->tail) {
        uint64_t next = kevents_at(events, ktimer->next_known)->value;
        jiffy = (int64_t)(next - jiffy) < 0 ? next : jiffy;
    }
    bool is_before = ktimer->has_known && (int64_t)(jiffy - ktimer->known) < 0;
    return is_before ? ktimer->known : jiffy;
}

static void fit_count(struct ktimer *ktimer, const struct kevent *event)
{
    int64_t error = jiffies_error(&ktimer->fit, known_of(event));
    int64_t most = ERRORS / 2;
    error = error < -most ? -most : error > most ? most : error;
    ktimer->fits[error + most]++;
    ktimer->starts_fitted++;
}

/* ---- Events -------------------------------------------------------------------------------------- */

static void event_take(struct import *import, struct ktimer *ktimer, const struct kevent *event)
{
    struct import_track *track = import_single(import);
    uint64_t jiffy = event_jiffy(ktimer, event);
    if (event->kind == KEVENT_START)
        fit_count(ktimer, event);
    struct builder *builder = &track->builder;
    bool leaves = event->kind == KEVENT_START && !event->selected &&
                  builder_state(builder, event->name) == BUILDER_ARMED;
    if (!event->selected && !leaves)
        return;
    track->lines++;
    /* Half of a firing or a re-arm: its jiffy is computed, the other half's is in the log. */
    if (event->kind == KEVENT_CANCEL && event->fate != KEVENT_IS_CANCEL)
        return;
    builder_clock(builder, jiffy);
    if (leaves && builder_state(builder, event->name) == BUILDER_ARMED) {
        builder_cancel(builder, event->name);
        ktimer->left_selection++;
    } else if (event->kind == KEVENT_START && event->selected) {
        /* The deadline stays what it is when the clock has gone past the jiffy that the start read. */
        builder_start(builder, event->name,
                      event->timeout - (int64_t)(builder_time(builder) - jiffy));
    } else if (event->kind == KEVENT_EXPIRE) {
        builder_fired(builder, event->name);
    } else if (event->kind == KEVENT_CANCEL) {
        builder_cancel(builder, event->name);
    }
}

static void oldest_take(struct import *import, struct ktimer *ktimer)
{
    if (!ktimer->fitted)
        window_learn(import, ktimer);
    event_take(import, ktimer, kevents_pop(&ktimer->events));
}

static void event_wait(struct import *import, struct ktimer *ktimer, const struct kevent *event)
{
    struct kevents *events = &ktimer->events;
    if (kevents_waiting(events) == KEVENTS_WINDOW)
        oldest_take(import, ktimer);
    uint64_t sorted = events->sorted;
    kevents_push(events, import, event);
    if (events->sorted != sorted)
        ktimer->next_known = events->head;
    if (ktimer->fitted && event->kind != KEVENT_CANCEL)
        jiffies_learn(&ktimer->fit, known_of(event));
}

static enum import_line ktimer_line(struct import *import, struct span line)
{
    struct ktimer *ktimer = import->state;
    struct kevent event;
    if (!ktimer->events.ring)
        kevents_open(&ktimer->events, &ktimer_events);
    enum import_line answer = kevents_read(&ktimer->events, import, line, &event);
    if (answer != IMPORT_USED || event.kind == KEVENT_SETUP)
        return answer;
    if (!event_date(ktimer, &event)) {
        import->broken = "jiffies near those of the lines before";
        return IMPORT_BROKEN;
    }
    event_wait(import, ktimer, &event);
    return IMPORT_USED;
}

/* ---- The end ------------------------------------------------------------------------------------- */

/* A wrong HZ fits next to nothing; ticks that come late on a busy virtual machine cost some in 100. */
static void fit_say(struct import *import, const struct ktimer *ktimer)
{
    uint64_t exact = ktimer->fits[ERRORS / 2];
    if (import->options->hz == 0 && ktimer->hz_other)
        import_note(import,
                    "HZ is not in the log, which is too short to tell %llu from %llu: took %llu "
                    "(hz=)",
                    (unsigned long long)ktimer->hz, (unsigned long long)ktimer->hz_other,
                    (unsigned long long)ktimer->hz);
    else if (import->options->hz == 0)
        import_note(import, "HZ is not in the log: took %llu, which fits (hz=)",
                    (unsigned long long)ktimer->hz);
    if (exact * 10 < ktimer->starts_fitted * 9)
        import_note(import,
                    "HZ=%llu fits %llu of %llu starts only: was it another (hz=), or "
                    "trace_clock not mono?",
                    (unsigned long long)ktimer->hz, (unsigned long long)exact,
                    (unsigned long long)ktimer->starts_fitted);
}

static int ktimer_finish(struct import *import, struct diag *diag)
{
    struct ktimer *ktimer = import->state;
    struct kevents *events = &ktimer->events;
    if (events->backwards[0])
        return diag_usage(diag, "%s", events->backwards);
    while (kevents_waiting(events) > 0)
        oldest_take(import, ktimer);
    fit_say(import, ktimer);
    return DIAG_OK;
}

static void ktimer_count(struct import *import, const struct import_track *track)
{
    const struct ktimer *ktimer = import->state;
    const struct kevents *events = &ktimer->events;
    struct tally *counts = &import->converter;
    (void)track;
    tally_add_text(counts, "timer_start", events->counts[KEVENT_START]);
    tally_add_text(counts, "timer_cancel", events->counts[KEVENT_CANCEL]);
    tally_add_text(counts, "timer_expire_entry", events->counts[KEVENT_EXPIRE]);
    for (int i = 0; i < ERRORS; i++) {
        char name[32];
        snprintf(name, sizeof name, "jiffy_fit_%+d", i - ERRORS / 2);
        tally_add_text(counts, name, ktimer->fits[i]);
    }
    tally_add_text(counts, "cancel_is_expiry", events->fates[KEVENT_IS_FIRING]);
    tally_add_text(counts, "cancel_is_mod", events->fates[KEVENT_IS_REARM]);
    tally_add_text(counts, "cancel_is_del", events->fates[KEVENT_IS_CANCEL]);
    tally_add_text(counts, "sorted", events->sorted);
    tally_add_text(counts, "left_selection", ktimer->left_selection);
}

static bool ktimer_recognise(struct span line)
{
    return kevents_recognise(&ktimer_events, line);
}

/* The kernel's version is not in a log; the name is that of the format, which is known by its fields. */
static void ktimer_source(const struct import *import, char *out, size_t size)
{
    const struct ktimer *ktimer = import->state;
    snprintf(out, size, "Linux%s timer:timer_* tracepoints, HZ=%llu, deadline=expires",
             ktimer->events.bucket_missing == 0 ? " 6.18" : "", (unsigned long long)ktimer->hz);
}

static uint64_t ktimer_unit_ns(const struct import *import)
{
    return ((const struct ktimer *)import->state)->fit.tick_ns;
}

const struct import_kind import_ktimer = {
    .name = "ktimer",
    .reads = "timer:timer_* of Linux, from tracefs or perf script",
    .expected = "'TASK-PID [CPU] ... TIME: timer_start: timer=... expires=... [timeout=...]'",
    .keys = IMPORT_CPU | IMPORT_HZ,
    .state_size = sizeof(struct ktimer),
    .source_write = ktimer_source,
    .unit_find = ktimer_unit_ns,
    .recognise = ktimer_recognise,
    .line = ktimer_line,
    .finish = ktimer_finish,
    .count = ktimer_count,
    .close = kevents_close,
};
