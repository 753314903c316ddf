/* kevents.c - selects kernel events by time, CPU and function. */
#include "labs/traces/import/kevents.h"

#include "harness/base/memory.h"

#define PENDING_NONE UINT64_MAX

void kevents_open(struct kevents *events, const struct kevents_source *source)
{
    *events = (struct kevents){.source = source};
    events->ring = memory_take(KEVENTS_WINDOW, sizeof *events->ring);
}

void kevents_close(void *state)
{
    struct kevents *events = state;
    free(events->ring);
    free(events->timers);
    keymap_close(&events->names);
    *events = (struct kevents){0};
}

/* ---- Fields -------------------------------------------------------------------------------------- */

enum field {
    FIELD_TIMER,
    FIELD_EXPIRES,
    FIELD_FUNCTION,
    FIELD_TIMEOUT,
    FIELD_HRTIMER,
    FIELD_CPU,
    FIELD_FLAGS,
    FIELD_NOW,
    FIELD_BUCKET,
    FIELD_MODE,
    FIELD_WAS_ARMED,
    FIELD_CLOCKID,
    FIELDS
};

static const struct {
    size_t length;
    const char *name;
} field_names[FIELDS] = {{5, "timer"},          {7, "expires"}, {8, "function"},  {7, "timeout"},
                         {7, "hrtimer"},        {3, "cpu"},     {5, "flags"},     {3, "now"},
                         {13, "bucket_expiry"}, {4, "mode"},    {9, "was_armed"}, {7, "clockid"}};

/* Their values; NULL where there is no such field. */
struct fields {
    struct span values[FIELDS];
};

static enum field field_find(const char *key, size_t length)
{
    enum field field = 0;
    while (field < FIELDS && (field_names[field].length != length ||
                              memcmp(field_names[field].name, key, length) != 0))
        field++;
    return field;
}

/* "key=value" and "[key=value]"; a function of a module has a "[module]" behind it, which is no field. */
static void fields_read(struct span text, struct fields *fields)
{
    *fields = (struct fields){0};
    const char *at = text.at;
    while (at < text.end) {
        while (at < text.end && *at == ' ')
            at++;
        bool bracket = at < text.end && *at == '[';
        const char *key = at += bracket;
        while (at < text.end && *at != ' ' && *at != '=')
            at++;
        if (at == text.end || *at == ' ')
            continue;
        enum field field = field_find(key, (size_t)(at - key));
        const char *value = ++at;
        while (at < text.end && *at != ' ')
            at++;
        if (field != FIELDS && !fields->values[field].at)
            fields->values[field] = (struct span){value, at - (bracket && at[-1] == ']')};
    }
}

static bool unsigned_read(struct span value, uint64_t *out)
{
    return value.at && scan_unsigned(&value, out) && value.at == value.end;
}

/* ---- Selection ----------------------------------------------------------------------------------- */

/* A cancel has no cpu of the wheel: it is its timer's, and when that was not started here it is nobody's. */
static bool event_select(const struct import_options *options, struct kevents_timer *timer,
                         const struct kevent *event, uint32_t wheel_cpu)
{
    if (!options->by_cpu)
        return true;
    if (event->kind == KEVENT_CANCEL || (event->kind == KEVENT_EXPIRE && timer->known))
        return timer->known && timer->selected;
    bool selected = wheel_cpu == options->cpu;
    if (event->kind == KEVENT_START) {
        timer->known = true;
        timer->selected = selected;
    }
    return selected;
}

/* ---- Lines --------------------------------------------------------------------------------------- */

/* The number of an address, made if need be. */
static uint32_t timer_number(struct kevents *events, uint64_t name)
{
    uint32_t known = events->names.count;
    memory_room(&events->timers, known, &events->timer_room, sizeof *events->timers);
    uint32_t number = keymap_add(&events->names, name);
    if (number == known)
        events->timers[number] = (struct kevents_timer){.pending = PENDING_NONE};
    return number;
}

/* The kind behind "timer_" or "hrtimer_"; false: not ours. */
static bool kind_read(const struct kevents_source *source, struct span event,
                      enum kevent_kind *kind)
{
    if (!scan_literal(&event, source->prefix))
        return false;
    if (span_is(event, "start"))
        *kind = KEVENT_START;
    else if (span_is(event, "cancel"))
        *kind = KEVENT_CANCEL;
    else if (span_is(event, "expire_entry"))
        *kind = KEVENT_EXPIRE;
    else if (span_is(event, "setup") || span_is(event, "init") || span_is(event, "expire_exit"))
        *kind = KEVENT_SETUP;
    else
        return false;
    return true;
}

/* What is missing, or NULL. */
static const char *values_read(const struct kevents_source *source, const struct fields *fields,
                               struct kevent *event)
{
    struct span address = fields->values[source->wheel ? FIELD_TIMER : FIELD_HRTIMER];
    if (!address.at || !scan_hex(&address, &event->name) || address.at != address.end)
        return source->wheel ? "timer=ADDRESS" : "hrtimer=ADDRESS";
    if (event->kind == KEVENT_EXPIRE && !unsigned_read(fields->values[FIELD_NOW], &event->value))
        return "now=NUMBER";
    if (event->kind != KEVENT_START)
        return NULL;
    if (!unsigned_read(fields->values[FIELD_EXPIRES], &event->value))
        return "expires=NUMBER";
    struct span timeout = fields->values[FIELD_TIMEOUT];
    if (source->wheel &&
        (!timeout.at || !scan_signed(&timeout, &event->timeout) || timeout.at != timeout.end))
        return "[timeout=NUMBER]";
    return NULL;
}

static void start_count(struct kevents *events, struct import *import, const struct fields *fields)
{
    struct span flags = fields->values[FIELD_FLAGS], mode = fields->values[FIELD_MODE];
    struct span armed = fields->values[FIELD_WAS_ARMED];
    if (fields->values[FIELD_FUNCTION].at)
        tally_add(&import->functions, fields->values[FIELD_FUNCTION], 1);
    if (events->source->wheel && flags.at)
        tally_add(&import->flags, flags.at == flags.end ? span_of("-", 1) : flags, 1);
    events->bucket_missing += fields->values[FIELD_BUCKET].at == NULL;
    events->was_armed_printed += armed.at != NULL;
    events->was_armed += armed.at && span_is(armed, "1");
    if (mode.at) {
        char name[64];
        int length = snprintf(name, sizeof name, "mode %.*s", (int)span_length(mode), mode.at);
        tally_add(&import->converter, span_of(name, strnlen(name, (size_t)length)), 1);
    }
}

/* Whose event it is, and whether that is selected. */
static void event_number(struct kevents *events, struct import *import, const struct fields *fields,
                         struct kevent *event)
{
    uint64_t wheel_cpu = event->cpu;
    if (events->source->wheel)
        (void)unsigned_read(fields->values[FIELD_CPU], &wheel_cpu);
    event->timer = timer_number(events, event->name);
    event->selected =
        event_select(import->options, &events->timers[event->timer], event, (uint32_t)wheel_cpu);
    events->counts[event->kind]++;
    event->boottime = events->timers[event->timer].boottime;
    if (event->kind == KEVENT_START && event->selected)
        start_count(events, import, fields);
}

/* Remembers addresses that are on CLOCK_BOOTTIME, and forgets those that are so no longer. */
static void setup_read(struct kevents *events, const struct fields *fields, uint64_t name)
{
    struct span clock = fields->values[FIELD_CLOCKID];
    bool boottime = clock.at && span_is(clock, "CLOCK_BOOTTIME");
    if (!clock.at || (!boottime && keymap_find(&events->names, name) == KEYMAP_NONE))
        return;
    uint32_t number = timer_number(events, name);
    events->timers[number].boottime = boottime;
}

enum import_line kevents_read(struct kevents *events, struct import *import, struct span line,
                              struct kevent *event)
{
    struct ftrace_record record;
    struct fields fields;
    enum kevent_kind kind;
    enum import_line answer = import_ftrace(import, line, &record);
    if (answer == IMPORT_USED && !kind_read(events->source, record.event, &kind))
        answer = IMPORT_OTHER;
    if (answer == IMPORT_OTHER)
        tally_add_text(&import->converter, "unparsed", 1);
    if (answer != IMPORT_USED)
        return answer;
    *event = (struct kevent){
        .ns = record.ns, .pid = record.pid, .cpu = record.cpu, .kind = (uint8_t)kind};
    fields_read(record.fields, &fields);
    import->broken = values_read(events->source, &fields, event);
    if (import->broken)
        return IMPORT_BROKEN;
    if (kind == KEVENT_SETUP) {
        tally_add(&import->converter, record.event, 1);
        setup_read(events, &fields, event->name);
    } else {
        event_number(events, import, &fields, event);
    }
    return IMPORT_USED;
}

bool kevents_recognise(const struct kevents_source *source, struct span line)
{
    struct ftrace_record record;
    enum kevent_kind kind;
    return ftrace_read(line, &record) == FTRACE_RECORD && kind_read(source, record.event, &kind);
}

/* ---- The window ---------------------------------------------------------------------------------- */

/* The place for an event of that time: behind all that are not younger.  PENDING_NONE: too far back. */
static uint64_t place_make(struct kevents *events, uint64_t ns)
{
    uint64_t place = events->tail;
    uint64_t first = kevents_waiting(events) > KEVENTS_SORT ? place - KEVENTS_SORT : events->head;
    while (place > first && kevents_at(events, place - 1)->ns > ns)
        place--;
    if (place > events->head && kevents_at(events, place - 1)->ns > ns)
        return PENDING_NONE;
    for (uint64_t at = events->tail; at > place; at--) {
        struct kevent *moved = kevents_at(events, at);
        *moved = *kevents_at(events, at - 1);
        if (events->timers[moved->timer].pending == at - 1)
            events->timers[moved->timer].pending = at;
    }
    events->sorted += place < events->tail;
    return place;
}

static enum kevent_fate fate_of(const struct kevent *cancel, const struct kevent *next)
{
    if (next->kind == KEVENT_EXPIRE && next->cpu == cancel->cpu)
        return KEVENT_IS_FIRING;
    if (next->kind == KEVENT_START && next->cpu == cancel->cpu && next->pid == cancel->pid &&
        next->ns - cancel->ns < KEVENTS_REARM_NS)
        return KEVENT_IS_REARM;
    return KEVENT_IS_CANCEL;
}

static void backwards_say(struct kevents *events, const struct import *import, uint64_t ns)
{
    uint64_t last = kevents_at(events, events->tail - 1)->ns;
    if (events->backwards[0])
        return;
    snprintf(
        events->backwards, sizeof events->backwards,
        "%.200s:%llu: time goes back from %.6f s to %.6f s, expected the events of all cpus merged "
        "by time, as tracefs' trace and perf script print them",
        import->name, (unsigned long long)import->lines, (double)last * 1e-9, (double)ns * 1e-9);
}

void kevents_push(struct kevents *events, const struct import *import, const struct kevent *event)
{
    struct kevents_timer *timer = &events->timers[event->timer];
    uint64_t place = place_make(events, event->ns);
    if (place == PENDING_NONE) {
        backwards_say(events, import, event->ns);
        return;
    }
    *kevents_at(events, place) = *event;
    events->tail++;
    if (timer->pending != PENDING_NONE && timer->pending > place)
        return;
    if (timer->pending != PENDING_NONE) {
        struct kevent *cancel = kevents_at(events, timer->pending);
        cancel->fate = (uint8_t)fate_of(cancel, event);
    }
    timer->pending = event->kind == KEVENT_CANCEL ? place : PENDING_NONE;
}

const struct kevent *kevents_pop(struct kevents *events)
{
    const struct kevent *event = kevents_at(events, events->head);
    struct kevents_timer *timer = &events->timers[event->timer];
    if (timer->pending == events->head)
        timer->pending = PENDING_NONE;
    if (event->kind == KEVENT_CANCEL)
        events->fates[event->fate]++;
    events->head++;
    return event;
}
