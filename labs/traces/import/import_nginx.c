/* import_nginx.c - imports nginx's error_log at level debug_event, as timers of milliseconds.
 *
 *     ... [debug] 22937#22937: *1 event timer add: 262: 3000:889885     fd: timeout: deadline
 *     ... [debug] 22937#22937: *1 event timer: 262, old: 889885, new: 889900    refresh, left undone
 *     ... [debug] 22937#22937: *968 event timer del: 785: 897477        cancel, re-arm, or expiry
 *     ... [debug] 22937#22937: timer delta: 4                           how far the clock went
 *     ... [debug] 22937#22937: epoll timer: 5000                        the next pass begins
 *
 * The time of a log line is whole seconds; the clock is in the numbers.  Between two "epoll timer:" it
 * stands still, at deadline - timeout of any add, and at the time of the pass before plus the delta.  The
 * delta is written after the events that it belongs to, so a pass is held back until it is complete.
 *
 * The number of a timer is that of its connection, which has two: fd and deadline say which is meant.  What
 * nginx has in its tree is kept here as slots of an fd; an object is (fd, slot).  A slot is free when its
 * "del" has been seen and not before, whatever the trace's rule has expired meanwhile.
 */
#include "harness/base/memory.h"
#include "labs/traces/import/import.h"

enum event_kind { EVENT_ADD, EVENT_DEL, EVENT_LAZY, EVENT_DELTA, EVENT_PASS, EVENT_NONE };

struct event {
    enum event_kind kind;
    uint32_t ident;    /* of add, del, lazy: the fd, or whatever stands in its place */
    uint64_t timeout;  /* of add, delta */
    uint64_t old;      /* of del, lazy: the deadline in the tree */
    uint64_t deadline; /* of add, lazy */
};

/* A timer that nginx has, or had, in its tree. */
struct slot {
    uint64_t deadline;
    uint32_t number; /* 0, 1 ... of its fd */
    uint32_t next;   /* of its fd; SLOT_NONE: there are no more */
    bool in_tree;
};

#define SLOT_NONE UINT32_MAX

struct nginx_counts {
    uint64_t adds, rearms, cancels, expiries, lazy, lazy_unmatched, del_unmatched;
    uint64_t passes_clock_checked, passes_clock_disagree, passes_clock_unknown, slots_abandoned;
};

/* One worker. */
struct nginx {
    struct event *events; /* of the pass */
    size_t count, room;
    bool has_delta; /* the pass */
    bool has_now;
    uint64_t now;
    uint64_t settled; /* what was due by then is out of the tree */
    struct keymap idents;
    uint32_t *firsts; /* by number of the ident: its first slot */
    size_t first_room;
    struct slot *slots;
    uint32_t slot_count;
    size_t slot_room;
    struct nginx_counts counts;
};

/* A pass has some thousands of timer lines at most: a log with more has lost its "epoll timer:" lines. */
enum { PASS_MAX = 1 << 20 };

static void nginx_close(void *state)
{
    struct nginx *nginx = state;
    free(nginx->events);
    keymap_close(&nginx->idents);
    free(nginx->firsts);
    free(nginx->slots);
}

/* ---- Lines --------------------------------------------------------------------------------------- */

/* Takes "2026/11/21 01:36:03 [debug] 22937#22937: *1 " off the front, and what syslog puts before it. */
static bool prefix_read(struct span *line, uint64_t *pid)
{
    enum { DATE = 19, SYSLOG_MAX = 120 };
    static const char level[] = " [debug] ";
    const size_t size = sizeof level - 1;
    struct span rest = *line;
    uint64_t number;
    if (span_length(rest) < DATE + size)
        return false;
    const char *at = rest.at + DATE;
    if (memcmp(at, level, size) != 0) {
        size_t length = span_length(rest) < SYSLOG_MAX ? span_length(rest) : SYSLOG_MAX;
        at = memmem(rest.at, length, level, size);
        if (!at)
            return false;
    }
    rest.at = at + size;
    if (!scan_unsigned(&rest, pid) || !scan_literal(&rest, "#") || !scan_unsigned(&rest, &number) ||
        !scan_literal(&rest, ": "))
        return false;
    struct span behind = rest;
    if (scan_literal(&behind, "*") && scan_unsigned(&behind, &number) && scan_literal(&behind, " "))
        rest = behind;
    *line = rest;
    return true;
}

/* "262" or "-1": printed as an int, so 32 bits are all there are. */
static bool ident_read(struct span *text, uint32_t *ident)
{
    int64_t number;
    if (!scan_signed(text, &number))
        return false;
    *ident = (uint32_t)number;
    return true;
}

static bool add_read(struct span text, struct event *event)
{
    event->kind = EVENT_ADD;
    return ident_read(&text, &event->ident) && scan_literal(&text, ": ") &&
           scan_unsigned(&text, &event->timeout) && scan_literal(&text, ":") &&
           scan_unsigned(&text, &event->deadline) && text.at == text.end &&
           event->deadline >= event->timeout && event->deadline <= INT64_MAX;
}

static bool del_read(struct span text, struct event *event)
{
    event->kind = EVENT_DEL;
    return ident_read(&text, &event->ident) && scan_literal(&text, ": ") &&
           scan_unsigned(&text, &event->old) && text.at == text.end;
}

static bool lazy_read(struct span text, struct event *event)
{
    event->kind = EVENT_LAZY;
    return ident_read(&text, &event->ident) && scan_literal(&text, ", old: ") &&
           scan_unsigned(&text, &event->old) && scan_literal(&text, ", new: ") &&
           scan_unsigned(&text, &event->deadline) && text.at == text.end &&
           event->deadline <= INT64_MAX;
}

static bool delta_read(struct span text, struct event *event)
{
    event->kind = EVENT_DELTA;
    return scan_unsigned(&text, &event->timeout) && text.at == text.end &&
           event->timeout <= INT64_MAX;
}

/* What comes after the prefix.  IMPORT_BROKEN: it begins as a line of ours does and does not go on so. */
static enum import_line message_read(struct span text, struct event *event)
{
    bool whole;
    if (text.at == text.end || !strchr("et", *text.at))
        return IMPORT_OTHER;
    event->kind = EVENT_PASS;
    if (scan_literal(&text, "epoll timer: "))
        whole = true;
    else if (scan_literal(&text, "event timer add: "))
        whole = add_read(text, event);
    else if (scan_literal(&text, "event timer del: "))
        whole = del_read(text, event);
    else if (scan_literal(&text, "event timer: "))
        whole = lazy_read(text, event);
    else if (scan_literal(&text, "timer delta: "))
        whole = delta_read(text, event);
    else
        return IMPORT_OTHER;
    return whole ? IMPORT_USED : IMPORT_BROKEN;
}

static bool nginx_recognise(struct span line)
{
    uint64_t pid;
    struct event event;
    return prefix_read(&line, &pid) && message_read(line, &event) == IMPORT_USED;
}

/* ---- Slots --------------------------------------------------------------------------------------- */

/* Where the chain of an ident's slots begins. */
static uint32_t *chain_of(struct nginx *nginx, uint32_t ident)
{
    uint32_t known = nginx->idents.count;
    memory_room(&nginx->firsts, known, &nginx->first_room, sizeof *nginx->firsts);
    uint32_t number = keymap_add(&nginx->idents, ident);
    if (number == known)
        nginx->firsts[number] = SLOT_NONE;
    return &nginx->firsts[number];
}

static struct slot *slot_find(const struct nginx *nginx, uint32_t ident, uint64_t deadline)
{
    uint32_t number = keymap_find(&nginx->idents, ident);
    uint32_t at = number == KEYMAP_NONE ? SLOT_NONE : nginx->firsts[number];
    for (; at != SLOT_NONE; at = nginx->slots[at].next)
        if (nginx->slots[at].in_tree && nginx->slots[at].deadline == deadline)
            return &nginx->slots[at];
    return NULL;
}

/* A slot whose timer was due before a pass that took all such out of the tree: the line that says so is
 * not in the log. */
static bool slot_is_abandoned(const struct nginx *nginx, const struct slot *slot)
{
    return slot->in_tree && slot->deadline < nginx->settled;
}

/* Appends a slot; `last` is the one before it in its chain, SLOT_NONE when `first` is to name it. */
static struct slot *slot_new(struct nginx *nginx, uint32_t *first, uint32_t last)
{
    memory_room(&nginx->slots, nginx->slot_count, &nginx->slot_room, sizeof *nginx->slots);
    uint32_t at = nginx->slot_count++;
    nginx->slots[at] = (struct slot){.next = SLOT_NONE};
    if (last == SLOT_NONE) {
        *first = at;
    } else {
        nginx->slots[at].number = nginx->slots[last].number + 1;
        nginx->slots[last].next = at;
    }
    return &nginx->slots[at];
}

/* The first free slot of an ident, made if need be. */
static struct slot *slot_take(struct nginx *nginx, uint32_t ident)
{
    uint32_t *first = chain_of(nginx, ident), last = SLOT_NONE;
    for (uint32_t at = *first; at != SLOT_NONE; at = nginx->slots[at].next) {
        struct slot *slot = &nginx->slots[at];
        bool abandoned = slot_is_abandoned(nginx, slot);
        nginx->counts.slots_abandoned += abandoned;
        if (abandoned || !slot->in_tree)
            return slot;
        last = at;
    }
    return slot_new(nginx, first, last);
}

static uint64_t object_name(uint32_t ident, const struct slot *slot)
{
    return (uint64_t)ident << 32 | slot->number;
}

/* ---- A pass -------------------------------------------------------------------------------------- */

/* The time of the pass.  The delta is believed when an add says the same; else the adds are, because then
 * passes are missing before this one. */
static void pass_clock(struct nginx *nginx)
{
    bool has_add = false, agrees = false, disagrees = false;
    uint64_t delta = 0, latest = 0;
    for (size_t i = 0; i < nginx->count; i++)
        if (nginx->events[i].kind == EVENT_DELTA)
            delta = nginx->events[i].timeout;
    uint64_t told = nginx->now + delta;
    bool is_told = nginx->has_now && nginx->has_delta;
    for (size_t i = 0; i < nginx->count; i++) {
        const struct event *event = &nginx->events[i];
        if (event->kind != EVENT_ADD)
            continue;
        uint64_t now = event->deadline - event->timeout;
        disagrees |= (has_add && now != latest) || (is_told && now != told);
        agrees |= is_told && now == told;
        latest = !has_add || now > latest ? now : latest;
        has_add = true;
    }
    nginx->counts.passes_clock_checked += has_add;
    nginx->counts.passes_clock_disagree += disagrees;
    if (has_add && !agrees)
        nginx->now = latest;
    else if (is_told)
        nginx->now = told;
    nginx->has_now |= has_add;
}

static void add_take(struct nginx *nginx, struct builder *builder, const struct event *event)
{
    struct slot *slot = slot_take(nginx, event->ident);
    slot->in_tree = true;
    slot->deadline = event->deadline;
    nginx->counts.adds++;
    builder_start(builder, object_name(event->ident, slot),
                  (int64_t)(event->deadline - builder_time(builder)));
}

static void lazy_take(struct nginx *nginx, struct builder *builder, const struct event *event,
                      bool skip)
{
    const struct slot *slot = slot_find(nginx, event->ident, event->old);
    nginx->counts.lazy++;
    if (!slot)
        nginx->counts.lazy_unmatched++;
    else if (!skip)
        builder_start(builder, object_name(event->ident, slot),
                      (int64_t)(event->deadline - builder_time(builder)));
}

/* True when the event behind it was taken as well: the second half of a re-arm. */
static bool del_take(struct nginx *nginx, struct builder *builder, const struct event *event,
                     const struct event *behind, bool after_delta)
{
    struct slot *slot = slot_find(nginx, event->ident, event->old);
    if (!slot) {
        nginx->counts.del_unmatched++;
        return false;
    }
    uint64_t name = object_name(event->ident, slot);
    if (after_delta && event->old <= nginx->now) {
        slot->in_tree = false;
        nginx->counts.expiries++;
        builder_fired(builder, name);
        return false;
    }
    if (behind && behind->kind == EVENT_ADD && behind->ident == event->ident) {
        slot->deadline = behind->deadline;
        nginx->counts.rearms++;
        builder_start(builder, name, (int64_t)(behind->deadline - builder_time(builder)));
        return true;
    }
    slot->in_tree = false;
    nginx->counts.cancels++;
    builder_cancel(builder, name);
    return false;
}

/* Before the first add nothing is known to be armed, and so nothing can be matched. */
static void pass_skip(struct nginx *nginx)
{
    for (size_t i = 0; i < nginx->count; i++) {
        nginx->counts.del_unmatched += nginx->events[i].kind == EVENT_DEL;
        nginx->counts.lazy += nginx->events[i].kind == EVENT_LAZY;
        nginx->counts.lazy_unmatched += nginx->events[i].kind == EVENT_LAZY;
    }
}

static void pass_take(struct nginx *nginx, struct builder *builder, bool skip_lazy)
{
    bool after_delta = false;
    builder_clock(builder, nginx->now);
    for (size_t i = 0; i < nginx->count; i++) {
        const struct event *event = &nginx->events[i];
        const struct event *behind = i + 1 < nginx->count ? event + 1 : NULL;
        if (event->kind == EVENT_ADD)
            add_take(nginx, builder, event);
        else if (event->kind == EVENT_LAZY)
            lazy_take(nginx, builder, event, skip_lazy);
        else if (event->kind == EVENT_DEL)
            i += del_take(nginx, builder, event, behind, after_delta);
        else
            after_delta = true;
    }
    if (nginx->has_delta)
        nginx->settled = nginx->now;
}

static void pass_end(struct nginx *nginx, struct builder *builder, bool skip_lazy)
{
    pass_clock(nginx);
    if (nginx->has_now)
        pass_take(nginx, builder, skip_lazy);
    else
        pass_skip(nginx);
    nginx->counts.passes_clock_unknown += !nginx->has_now && nginx->count > 0;
    nginx->count = 0;
    nginx->has_delta = false;
}

/* ---- The log ------------------------------------------------------------------------------------- */

static void event_keep(struct nginx *nginx, const struct event *event)
{
    memory_room(&nginx->events, nginx->count, &nginx->room, sizeof *nginx->events);
    nginx->events[nginx->count++] = *event;
    nginx->has_delta |= event->kind == EVENT_DELTA;
}

static enum import_line nginx_line(struct import *import, struct span line)
{
    const struct import_options *options = import->options;
    uint64_t pid;
    struct event event;
    if (!prefix_read(&line, &pid))
        return IMPORT_OTHER;
    enum import_line answer = message_read(line, &event);
    import->broken = "FD: TIMEOUT:DEADLINE in milliseconds";
    if (answer != IMPORT_USED)
        return answer;
    struct import_track *track =
        import_track(import, pid, !options->by_pid || (uint64_t)options->pid == pid);
    track->lines += event.kind < EVENT_DELTA;
    if (!track->converted)
        return IMPORT_USED;
    struct nginx *nginx = track->state;
    /* A second delta: the line that begins its pass is missing. */
    if (event.kind == EVENT_PASS || (event.kind == EVENT_DELTA && nginx->has_delta) ||
        nginx->count == PASS_MAX)
        pass_end(nginx, &track->builder, options->lazy_skip);
    if (event.kind != EVENT_PASS)
        event_keep(nginx, &event);
    return IMPORT_USED;
}

static void nginx_track_end(const struct import *import, struct import_track *track)
{
    pass_end(track->state, &track->builder, import->options->lazy_skip);
}

static void nginx_count(struct import *import, const struct import_track *track)
{
    const struct nginx_counts *counts = &((const struct nginx *)track->state)->counts;
    struct tally *converter = &import->converter;
    tally_add_text(converter, "lines", import->lines);
    tally_add_text(converter, "passes_clock_checked", counts->passes_clock_checked);
    tally_add_text(converter, "passes_clock_disagree", counts->passes_clock_disagree);
    tally_add_text(converter, "passes_clock_unknown", counts->passes_clock_unknown);
    tally_add_text(converter, "del_unmatched", counts->del_unmatched);
    tally_add_text(converter, "adds", counts->adds);
    tally_add_text(converter, "rearms", counts->rearms);
    tally_add_text(converter, "lazy", counts->lazy);
    tally_add_text(converter, "lazy_unmatched", counts->lazy_unmatched);
    tally_add_text(converter, "cancels", counts->cancels);
    tally_add_text(converter, "expiries", counts->expiries);
    tally_add_text(converter, "slots_abandoned", counts->slots_abandoned);
}

static void nginx_source(const struct import *import, char *out, size_t size)
{
    snprintf(out, size, "nginx 1.22.1 error_log debug_event, one worker, lazy=%s",
             import->options->lazy_skip ? "skip" : "apply");
}

const struct import_kind import_nginx = {
    .name = "nginx",
    .reads = "nginx's error_log at level debug_event",
    .expected = "'DATE TIME [debug] PID#TID: event timer add: FD: TIMEOUT:DEADLINE'",
    .keys = IMPORT_PID | IMPORT_LAZY,
    .track = "pid",
    .track_size = sizeof(struct nginx),
    .source_write = nginx_source,
    .unit_ns = 1000000,
    .recognise = nginx_recognise,
    .line = nginx_line,
    .track_end = nginx_track_end,
    .count = nginx_count,
    .track_close = nginx_close,
};
