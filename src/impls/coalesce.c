/*
 * coalesce.c - the fewest wake-ups that windows allow: greedy interval stabbing, by two heaps.
 *
 *     timer 0     [=====]                  a window: due, and due + slack
 *     timer 1       [=====]
 *     timer 2          [==]
 *     timer 3              [=======]
 *     tick      0  5 8    12  16  20
 *     wake-up         ^            ^       at 8, the first end: 0, 1 and 2 fire.  At 20: 3
 *
 *     ends   heap by the end of the window      its top says when
 *     dues   heap by due                        its tops up to that tick say who
 *
 * The clock sleeps until the first end of all windows.  Nothing can be put off longer, and whoever is due by then
 * joins in.  That is the greedy way to stab intervals with the fewest points.  It is optimal here too, where windows
 * become known while the clock runs: one that opens by the first end was started before it, or could not be due.
 *
 *             average     worst
 *     start   O(1)        O(log n)    in both heaps; a running timer moves from where it is, by one sift in each
 *     stop    O(1)        O(log n)    found by its places
 *     advance O(log n)    O(log n)    per expired timer; O(1) when no window ends
 *     next    O(1)        O(1)
 *
 * Memory: 40 bytes per id (in each heap an entry of 16 and a place of 4), all taken at open.
 *
 * Invariants, in the order in which coalesce_check tests them:
 *   1. Both heaps have as many entries, at most `capacity`.
 *   2. Each entry names an id below the capacity, whose place is the entry's slot.
 *   3. No entry has an earlier tick than its parent.
 *   4. Each timer is in both heaps, due no later than its window ends; the end is to come and can be named.
 *   5. As many ids have a place as there are entries.
 *
 * The stabbing is textbook (earliest end first).  Linux's hrtimers sleep until the first end as well, but walk the tree of
 * ends from there and give up at the first timer that is not due: whoever is due behind it is woken up for again.
 * A second heap costs as much as the first and misses nobody.  4-ary heaps as in heap4.c, without its guard and fences.
 *
 * It loses to every exact design where nobody grants slack: each start and expiry is paid twice.
 */
#include "arrays.h"
#include "design.h"

#define ARITY    4u
#define NO_PLACE 0u /* slot 0 stays free: places are zeroed memory */
#define ROOT     1u

TW_NO_SETTINGS(coalesce, TW_DEADLINE_MAX);

struct entry {
    tw_tick tick;
    tw_id id;
};

struct heap {
    struct entry *entries; /* from ROOT on */
    uint32_t *places;      /* by id: slot of its entry, or NO_PLACE */
    uint32_t last;         /* slot of the last entry; 0: none */
};

struct tw_timers {
    struct heap ends, dues;
    uint32_t capacity;
    tw_tick now;
    TW_WORK_FIELD
};

/* ---- A heap. --------------------------------------------------------------------------------- */

static inline uint32_t parent_of(uint32_t slot)
{
    return (slot - ROOT - 1) / ARITY + ROOT;
}

/* May be past 32 bits. */
static inline size_t first_child_of(uint32_t slot)
{
    return (size_t)(slot - ROOT) * ARITY + ROOT + 1;
}

static inline void entry_place(struct tw_timers *timers, struct heap *heap, uint32_t slot,
                               struct entry entry)
{
    heap->entries[slot] = entry;
    heap->places[entry.id] = slot;
    (void)timers;
    TW_COUNT(timers, link_writes, 1);
}

static void sift_up(struct tw_timers *timers, struct heap *heap, uint32_t hole, struct entry entry)
{
    while (hole > ROOT) {
        uint32_t parent = parent_of(hole);
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        if (heap->entries[parent].tick <= entry.tick)
            break;
        entry_place(timers, heap, hole, heap->entries[parent]);
        TW_COUNT(timers, moves, 1);
        hole = parent;
    }
    entry_place(timers, heap, hole, entry);
}

/* The earliest of the children from `child` on. */
static inline uint32_t earliest_of(struct tw_timers *timers, const struct heap *heap,
                                   uint32_t child)
{
    (void)timers;
    uint32_t end = heap->last - child < ARITY ? heap->last : child + ARITY - 1, earliest = child;
    for (uint32_t slot = child + 1; slot <= end; slot++)
        earliest = heap->entries[slot].tick < heap->entries[earliest].tick ? slot : earliest;
    TW_COUNT(timers, comparisons, end - child);
    TW_COUNT(timers, visits, end - child + 1);
    return earliest;
}

static void sift_down(struct tw_timers *timers, struct heap *heap, uint32_t hole,
                      struct entry entry)
{
    size_t child;
    while ((child = first_child_of(hole)) <= heap->last) {
        uint32_t earliest = earliest_of(timers, heap, (uint32_t)child);
        TW_COUNT(timers, comparisons, 1);
        if (entry.tick <= heap->entries[earliest].tick)
            break;
        entry_place(timers, heap, hole, heap->entries[earliest]);
        TW_COUNT(timers, moves, 1);
        hole = earliest;
    }
    entry_place(timers, heap, hole, entry);
}

/* Fills the hole, whichever way that makes it go. */
static void settle(struct tw_timers *timers, struct heap *heap, uint32_t hole, struct entry entry)
{
    if (hole > ROOT && entry.tick < heap->entries[parent_of(hole)].tick)
        sift_up(timers, heap, hole, entry);
    else
        sift_down(timers, heap, hole, entry);
}

/* Puts a timer in, or where it belongs now. */
static void heap_put(struct tw_timers *timers, struct heap *heap, tw_id id, tw_tick tick)
{
    struct entry entry = {tick, id};
    if (heap->places[id] != NO_PLACE)
        settle(timers, heap, heap->places[id], entry);
    else
        sift_up(timers, heap, ++heap->last, entry);
}

static void heap_remove(struct tw_timers *timers, struct heap *heap, tw_id id)
{
    uint32_t slot = heap->places[id];
    struct entry last = heap->entries[heap->last--];
    heap->places[id] = NO_PLACE;
    TW_COUNT(timers, link_writes, 1);
    if (slot <= heap->last)
        settle(timers, heap, slot, last);
}

static inline tw_tick heap_first(const struct heap *heap)
{
    return heap->last >= ROOT ? heap->entries[ROOT].tick : TW_NEVER;
}

static bool heap_open(struct heap *heap, uint32_t capacity)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)capacity + ROOT, sizeof *heap->entries, &bytes))
        return false;
    heap->entries = arrays_raw(bytes, false);
    heap->places = arrays_zeroed(capacity, sizeof *heap->places);
    return heap->entries && heap->places;
}

static void heap_close(struct heap *heap)
{
    free(heap->entries);
    free(heap->places);
}

/* ---- The backend. ---------------------------------------------------------------------------- */

static void coalesce_close(struct tw_timers *timers)
{
    heap_close(&timers->ends);
    heap_close(&timers->dues);
    free(timers);
}

static struct tw_footprint coalesce_footprint(const struct tw_timers *timers)
{
    const uint64_t id_bytes = 2 * (sizeof(struct entry) + sizeof(uint32_t));
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + 2 * ROOT * sizeof(struct entry),
        .capacity_bytes = timers->capacity * id_bytes,
    };
}

static int coalesce_open(struct tw_timers **out, const struct tw_config *config,
                         struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, coalesce_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    return open_end(out, timers,
                    heap_open(&timers->ends, config->capacity) &&
                        heap_open(&timers->dues, config->capacity),
                    coalesce_footprint, coalesce_close, error);
}

static int coalesce_start_within(struct tw_timers *timers, tw_id id, tw_tick deadline,
                                 tw_tick slack)
{
    if (timers->now >= TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX)
        return TW_REFUSED_RANGE;
    int status = timers->ends.places[id] == NO_PLACE ? TW_OK : TW_REARMED;
    heap_put(timers, &timers->ends, id,
             slack < TW_DEADLINE_MAX - due ? due + slack : TW_DEADLINE_MAX);
    heap_put(timers, &timers->dues, id, due);
    return status;
}

static int coalesce_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    return coalesce_start_within(timers, id, deadline, 0);
}

static int coalesce_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->ends.places[id] == NO_PLACE)
        return TW_IDLE;
    heap_remove(timers, &timers->ends, id);
    heap_remove(timers, &timers->dues, id);
    return TW_OK;
}

/* Both heaps are whole before each callback.  What it starts is due after the wake-up, and stays. */
static void coalesce_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    while (timers->ends.last >= ROOT && timers->ends.entries[ROOT].tick <= to) {
        tw_tick end = timers->now = timers->ends.entries[ROOT].tick;
        while (heap_first(&timers->dues) <= end) {
            tw_id id = timers->dues.entries[ROOT].id;
            heap_remove(timers, &timers->dues, id);
            heap_remove(timers, &timers->ends, id);
            TW_COUNT(timers, comparisons, 1);
            expire(ctx, id, end);
        }
    }
    timers->now = to;
}

static tw_tick coalesce_next(const struct tw_timers *timers)
{
    return heap_first(&timers->ends);
}

/* With the place among the ends, which is the one that a picture follows. */
static void coalesce_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = ROOT; slot <= timers->ends.last; slot++) {
        tw_id id = timers->ends.entries[slot].id;
        tw_tick due = timers->dues.entries[timers->dues.places[id]].tick;
        visit(ctx, &(struct tw_view){.id = id, .deadline = due, .slot = slot});
    }
}

/* Invariants 2 and 3. */
static const char *heap_check(const struct heap *heap, uint32_t capacity)
{
    for (uint32_t slot = ROOT; slot <= heap->last; slot++) {
        struct entry entry = heap->entries[slot];
        if (entry.id >= capacity)
            return "an entry names an id beyond the capacity";
        if (heap->places[entry.id] != slot)
            return "a place is not the slot of the entry";
        if (slot > ROOT && entry.tick < heap->entries[parent_of(slot)].tick)
            return "an entry has an earlier tick than its parent";
    }
    return NULL;
}

static const char *coalesce_check(const struct tw_timers *timers)
{
    const struct heap *ends = &timers->ends, *dues = &timers->dues;
    if (ends->last != dues->last || ends->last > timers->capacity)
        return "the heaps have not as many entries, or more than there are ids";
    const char *broken = heap_check(ends, timers->capacity);
    if (!broken)
        broken = heap_check(dues, timers->capacity);
    for (uint32_t slot = ROOT; !broken && slot <= ends->last; slot++) {
        struct entry end = ends->entries[slot];
        uint32_t place = dues->places[end.id];
        if (place == NO_PLACE)
            broken = "a timer has an end and is never due";
        else if (dues->entries[place].tick > end.tick)
            broken = "a window ends before it begins";
        else if (end.tick <= timers->now || end.tick > TW_DEADLINE_MAX)
            broken = "a window ended on a processed tick, or never does";
    }
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += (uint32_t)(ends->places[id] != NO_PLACE) + (dues->places[id] != NO_PLACE);
    if (!broken && running != ends->last + dues->last)
        broken = "an idle timer has a place";
    return broken;
}

const struct tw_slack TW_SLACK(coalesce) = {coalesce_start_within};

TW_TELL_WORK(coalesce);
const struct tw_backend TW_BACKEND(coalesce) = {
    .abi_version = TW_ABI_VERSION,
    .name = "coalesce",
    .summary =
        "heaps by the end and by the begin of windows: the fewest wake-ups that slack allows",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_LOG_N},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(coalesce, coalesce),
};
