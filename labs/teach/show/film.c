/* film.c - records the steps of a running design. */
#include "labs/teach/show/film.h"

#include "harness/base/text.h"
#include "harness/base/units.h"

uint64_t film_pointer(const struct film *film, uint32_t level, uint64_t now)
{
    const struct film_level *shown = &film->levels[level];
    return now / shown->unit % shown->size;
}

bool film_is_key(const struct film *film, size_t frame)
{
    const struct film_frame *shown = &film->frames[frame];
    return shown->event_count > 0 || shown->last || frame == 0;
}

/* "link writes" is "link_writes". */
static bool is_called(const char *identifier, const char *words)
{
    while (*identifier && (*identifier == *words || (*identifier == '_' && *words == ' ')))
        identifier++, words++;
    return *identifier == *words;
}

uint64_t film_work(const struct film_frame *frame, const char *counter)
{
#define COUNT_OF(name, since, meaning)                                                             \
    if (is_called(#name, counter))                                                                 \
        return frame->work.name;
    TW_WORK_COUNTERS(COUNT_OF)
#undef COUNT_OF
    return 0;
}

void film_format_rounds(uint64_t rounds, char *out, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, rounds);
    if (rounds >= 100000)
        units_format_count(text, sizeof text, rounds);
    snprintf(out, size, "r%s", text);
}

/* ---- In words. ------------------------------------------------------------------------------- */

/* Parts of a time, the coarsest first, so that nothing is rounded: "3 d 10 h 50 min 30 s". */
static void format_exact(uint64_t ns, char *out, size_t size)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } parts[] = {{"d", UINT64_C(86400000000000)},
                 {"h", UINT64_C(3600000000000)},
                 {"min", UINT64_C(60000000000)},
                 {"s", UINT64_C(1000000000)},
                 {"ms", UINT64_C(1000000)},
                 {"us", UINT64_C(1000)},
                 {"ns", UINT64_C(1)}};
    struct text text = text_in(out, size);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        uint64_t count = ns / parts[i].ns;
        ns %= parts[i].ns;
        if (count > 0)
            text_add_item(&text, " ", "%" PRIu64 " %s", count, parts[i].name);
    }
    if (text.used == 0)
        text_add(&text, "0 s");
}

void film_format_tick(const struct film *film, uint64_t tick, char *out, size_t size)
{
    char time[96];
    if (tick == UINT64_MAX) {
        snprintf(out, size, "never");
    } else if (tick > UINT64_MAX / film->tick_ns) {
        snprintf(out, size, "%" PRIu64, tick);
    } else {
        format_exact(tick * film->tick_ns, time, sizeof time);
        snprintf(out, size, "%" PRIu64 " (%s)", tick, time);
    }
}

static void format_place(const struct film *film, uint32_t level, uint32_t slot, uint64_t rounds,
                         char *out, size_t size)
{
    static const char *const places[] = {"slot", "place", "index", "place"};
    struct text text = text_in(out, size);
    if (film->level_count > 1)
        text_add(&text, "level %u ", level);
    text_add(&text, "%s %u", places[film->shape], slot);
    if (film->shape == FILM_WHEEL && film->level_count == 1)
        text_add(&text, ", round %" PRIu64, rounds);
}

static void format_fired(const struct film_event *event, const char *tick, char *out, size_t size)
{
    if (event->late == 0)
        snprintf(out, size, "fires at %s, on time", tick);
    else
        snprintf(out, size, "fires at %s, %" PRIu64 " ticks late", tick, event->late);
}

void film_format_event(const struct film *film, const struct film_event *event, char *out,
                       size_t size)
{
    char tick[128], place[80], old[80], text[320] = "";
    film_format_tick(film, event->tick, tick, sizeof tick);
    format_place(film, event->level, event->slot, event->rounds, place, sizeof place);
    switch (event->kind) {
    case FILM_STARTED:
        snprintf(text, sizeof text, "starts, due at %s: %s", tick, place);
        break;
    case FILM_REARMED:
        snprintf(text, sizeof text, "is re-armed, due at %s: %s", tick, place);
        break;
    case FILM_STOPPED:
        snprintf(text, sizeof text, "is stopped");
        break;
    case FILM_WAS_IDLE:
        snprintf(text, sizeof text, "does not run: nothing to stop");
        break;
    case FILM_REFUSED:
        snprintf(text, sizeof text, "is refused: %s is beyond the reach", tick);
        break;
    case FILM_FIRED:
        format_fired(event, tick, text, sizeof text);
        break;
    case FILM_MOVED:
        format_place(film, event->old_level, event->old_slot, 0, old, sizeof old);
        snprintf(text, sizeof text, "goes %s from %s to %s",
                 event->level < event->old_level ? "down" : "up", old, place);
        break;
    case FILM_ROUNDED:
        snprintf(text, sizeof text, "asks for no whole number of ticks: rounded up to %" PRIu64,
                 event->tick);
        break;
    }
    snprintf(out, size, "%s %s", film->names[event->timer], text);
}

char film_event_sign(enum film_event_kind kind)
{
    static const char signs[] = "++-.!*v~";
    return signs[kind];
}

int film_timer_event(const struct film_frame *frame, uint32_t timer)
{
    for (size_t i = 0; i < frame->event_count; i++) {
        enum film_event_kind kind = frame->events[i].kind;
        if (frame->events[i].timer == timer && (kind <= FILM_REARMED || kind == FILM_MOVED))
            return (int)kind;
    }
    return -1;
}

/* ---- Slots. ---------------------------------------------------------------------------------- */

/* The first timer not before (level, slot). */
static size_t timers_from(const struct film_frame *frame, uint32_t level, uint64_t slot)
{
    size_t low = 0, high = frame->timer_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct film_timer *timer = &frame->timers[middle];
        bool before = timer->level < level || (timer->level == level && timer->slot < slot);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct film_timer *film_slot(const struct film_frame *frame, uint32_t level, uint64_t slot,
                                   size_t *count)
{
    size_t from = timers_from(frame, level, slot);
    *count = timers_from(frame, level, slot + 1) - from;
    return &frame->timers[from];
}

uint64_t film_distance(const struct film_frame *frame, size_t i)
{
    return frame->timers[i].due - (i > 0 ? frame->timers[i - 1].due : frame->now);
}

bool film_is_free(const struct film *film, const struct film_frame *frame, uint64_t index)
{
    size_t count;
    film_slot(frame, 0, index, &count);
    return film->sparse && count == 0;
}

uint64_t film_first_child(const struct film *film, uint64_t index)
{
    return (index - film->root) * film->arity + 1 + film->root;
}

/* A sorted set of slots that are drawn each for itself. */
struct slots {
    uint64_t *slots;
    size_t count, max;
};

static void slots_add(struct slots *set, uint64_t slot)
{
    size_t at = 0;
    while (at < set->count && set->slots[at] < slot)
        at++;
    if (set->count == set->max || (at < set->count && set->slots[at] == slot))
        return;
    memmove(&set->slots[at + 1], &set->slots[at], (set->count - at) * sizeof set->slots[0]);
    set->slots[at] = slot;
    set->count++;
}

/* What matters most first, as long as there is room. */
static void slots_choose(struct slots *set, const struct film *film, const struct film_frame *frame,
                         uint32_t level)
{
    uint64_t size = film->levels[level].size, pointer = film_pointer(film, level, frame->now);
    slots_add(set, pointer);
    for (size_t i = timers_from(frame, level, 0); i < frame->timer_count; i++)
        if (frame->timers[i].level == level && frame->timers[i].slot < size)
            slots_add(set, frame->timers[i].slot);
    slots_add(set, (pointer + 1) % size);
    slots_add(set, (pointer + size - 1) % size);
    slots_add(set, 0);
    slots_add(set, size - 1);
    for (uint64_t i = 2; set->count < set->max; i++) {
        slots_add(set, (pointer + i) % size);
        slots_add(set, (pointer + size - i % size) % size);
    }
}

static size_t timers_between(const struct film_frame *frame, uint32_t level, uint64_t first,
                             uint64_t last)
{
    return timers_from(frame, level, last + 1) - timers_from(frame, level, first);
}

size_t film_fold(const struct film *film, const struct film_frame *frame, uint32_t level,
                 struct film_cell *cells, size_t max)
{
    uint64_t size = film->levels[level].size, kept[64], at = 0;
    size_t count = 0;
    /* Between any two slots, and at both ends, there may be a gap. */
    struct slots set = {.slots = kept, .max = (max - 1) / 2 < 64 ? (max - 1) / 2 : 64};
    if (size > max)
        slots_choose(&set, film, frame, level);
    while (at < size && count < max) {
        size_t i = 0;
        while (i < set.count && set.slots[i] < at)
            i++;
        uint64_t until = size <= max || (i < set.count && set.slots[i] == at) ? at
                         : i < set.count                                      ? set.slots[i] - 1
                                                                              : size - 1;
        cells[count++] = (struct film_cell){at, until, timers_between(frame, level, at, until)};
        at = until + 1;
    }
    return count;
}

/* ---- Memory. --------------------------------------------------------------------------------- */

void film_free(struct film *film)
{
    if (!film)
        return;
    for (size_t i = 0; i < film->frame_count; i++) {
        free(film->frames[i].timers);
        free(film->frames[i].events);
    }
    free(film->frames);
    free(film->names);
    free(film);
}
