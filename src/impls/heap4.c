/*
 * heap4.c - 4-ary heap with cached keys and a back-index: the timer heap of libev.
 *
 *     line 0    slot  -      -      2: guard 3: root, due 5
 *     line 1    slot  4: 9   5: 6   6: 12    7: 7                        children of 3
 *     line 2    slot  8: 9   9: 30 10: 11   11: 14     (of 4)
 *     line 3    slot 12: 8  13: 40 14: 6    15: 10     (of 5)            and so on
 *
 *     first child of slot s   4 (s - 2)      always the first of a cache line: 4 entries of 16 bytes
 *     parent of slot s        s / 4 + 2      of the root: slot 2, where the guard is
 *
 * Of d children all have to be looked at on the way down and none but itself on the way up, so a
 * wider heap has cheaper starts and comparisons that are dearer in number; but here four children
 * cost one miss, and there are half as many levels, so half as many misses and entries moved.
 *
 *             average     worst
 *     start   O(1)        O(log n)    at most half the levels of a binary heap; a running timer
 *                                     moves from where it is, by one sift
 *     stop    O(1)        O(log n)    found by its back-index; three of four timers are leaves
 *     advance O(log n)    O(log n)    per expired timer: four comparisons a level; O(1) when
 *                                     nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 20 bytes per id (an entry of 16, a back-index of 4), all taken at open.
 *
 * Invariants, in the order in which heap4_check tests them:
 *   1. The guard in slot 2 is due at tick 0, before every timer.
 *   2. There are at most `capacity` entries.
 *   3. Each entry names an id below the capacity.
 *   4. The back-index of that id is the entry's slot.  (So no id is there twice.)
 *   5. No entry is due on a processed tick or beyond TW_DEADLINE_MAX.
 *   6. No entry is due before its parent.
 *   7. What is left of the last entry's line is never due, so that every line has four to compare.
 *   8. As many ids have a back-index as there are entries.  (So idle timers have none.)
 *
 * The source is ev.c of libev 4 (Marc Lehmann): DHEAP 4, the root in slot 3 for the sake of the
 * lines, and EV_HEAP_CACHE_AT, the key kept beside the pointer; D. B. Johnson, "Priority queues
 * with update and finding minimum spanning trees" (1975) has d-ary heaps, LaMarca & Ladner, "The
 * Influence of Caches on the Performance of Heaps" (1996) the alignment.  Departures: libev tells
 * full lines from the last one, here the last is filled up; libev looks for the earliest of four
 * with three branches, here they are arithmetic; and the lines two levels down are asked for ahead.
 *
 * It loses to any wheel where very many timers run and fire.  Against heap.c, which asks for its
 * lines one comparison earlier, it starts, stops and re-arms faster at every size (stop and re-arm
 * 1.3 to 1.6 times), but fires faster only up to some thousand timers; from 10^5 on an expiry with
 * its restart costs 1.2 times as much, waiting for one line after another.  (Not kept, for lack of
 * a gain: asking for the sixteen lines three levels down, six independent comparisons instead of
 * three that wait for each other, conditional moves instead of arithmetic.)
 */
#include "arrays.h"
#include "design.h"

#define HEAP4_ARITY 4u
#define HEAP4_GUARD 2u
#define HEAP4_ROOT  3u
#define HEAP4_IDLE  0u /* in positions; no entry lives in slot 0 */
#define HEAP4_LINE  64u

TW_NO_SETTINGS(heap4, TW_DEADLINE_MAX);

struct heap4_entry {
    tw_tick due;
    tw_id id;
};

struct tw_timers {
    struct heap4_entry *entries; /* [2] guard, [3 .. last] heap, and the rest of the last line */
    uint32_t *positions;         /* by id: slot of its entry, or HEAP4_IDLE */
    uint32_t last;               /* slot of the last entry; HEAP4_GUARD when there is none */
    uint32_t capacity;
    tw_tick now;
    TW_WORK_FIELD
};

/* Slots to hold: two unused, the guard, the entries, and the last line to its end. */
static size_t heap4_slots(uint32_t capacity)
{
    return ((size_t)capacity + HEAP4_ROOT + HEAP4_ARITY - 1) & ~(size_t)(HEAP4_ARITY - 1);
}

static inline uint32_t heap4_parent(uint32_t slot)
{
    return slot / HEAP4_ARITY + HEAP4_GUARD;
}

/* May be past the last of all slots, and then past 32 bits. */
static inline size_t heap4_first_child(size_t slot)
{
    return (slot - HEAP4_GUARD) * HEAP4_ARITY;
}

/* Asks for the sixteen entries below the four at `slot`, four lines.  Where the heap ends before
 * them there is nothing to ask for, and a prefetch must not go astray into unmapped pages. */
__attribute__((always_inline)) static inline void heap4_prefetch(const struct heap4_entry *entries,
                                                                 size_t slot, size_t last)
{
    size_t below = heap4_first_child(slot);
    if (below + 3 * HEAP4_ARITY > last)
        return;
    for (size_t line = 0; line < 4; line++)
        __builtin_prefetch(&entries[below + line * HEAP4_ARITY]);
}

/* Which of the four entries of a line is due first.  Choosing is arithmetic: as branches the three
 * comparisons would be mispredicted every other time. */
static inline size_t heap4_earliest(const struct heap4_entry *line)
{
    size_t left = line[1].due < line[0].due;
    size_t right = 2 + (size_t)(line[3].due < line[2].due);
    size_t is_right = line[right].due < line[left].due;
    return left + ((right - left) & (0 - is_right));
}

static inline void heap4_place(struct tw_timers *timers, size_t slot, struct heap4_entry entry)
{
    timers->entries[slot] = entry;
    timers->positions[entry.id] = (uint32_t)slot;
    TW_COUNT(timers, link_writes, 1);
}

/* The guard is due before everything, so that the climb needs no test for the root. */
static void heap4_sift_up(struct tw_timers *timers, uint32_t hole, struct heap4_entry entry)
{
    const struct heap4_entry *entries = timers->entries;
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    for (uint32_t parent; entry.due < entries[parent = heap4_parent(hole)].due; hole = parent) {
        heap4_place(timers, hole, entries[parent]);
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
    }
    heap4_place(timers, hole, entry);
}

static void heap4_sift_down(struct tw_timers *timers, size_t hole, struct heap4_entry entry)
{
    const struct heap4_entry *entries = timers->entries;
    size_t last = timers->last;
    size_t child;
    while ((child = heap4_first_child(hole)) <= last) {
        heap4_prefetch(entries, child, last);
        child += heap4_earliest(&entries[child]);
        TW_COUNT(timers, comparisons, HEAP4_ARITY);
        TW_COUNT(timers, visits, HEAP4_ARITY);
        if (entry.due <= entries[child].due)
            break;
        heap4_place(timers, hole, entries[child]);
        hole = child;
        TW_COUNT(timers, moves, 1);
    }
    heap4_place(timers, hole, entry);
}

/* Fills the hole with `entry`, whichever way that makes the hole go. */
static void heap4_settle(struct tw_timers *timers, uint32_t hole, struct heap4_entry entry)
{
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    if (entry.due < timers->entries[heap4_parent(hole)].due)
        heap4_sift_up(timers, hole, entry);
    else
        heap4_sift_down(timers, hole, entry);
}

/* One slot more, which the caller fills.  The first of a line finds three there that are never
 * due, and leaves them so. */
static uint32_t heap4_extend(struct tw_timers *timers)
{
    uint32_t slot = ++timers->last;
    if (slot % HEAP4_ARITY == 0)
        for (uint32_t beside = 1; beside < HEAP4_ARITY; beside++)
            timers->entries[slot + beside].due = TW_NEVER;
    return slot;
}

/* Makes `id` idle and closes the gap at its slot with the last entry.  Both callers know the slot
 * and the id; reading either from the other would be one more cache miss. */
static void heap4_remove(struct tw_timers *timers, tw_id id, uint32_t slot)
{
    timers->positions[id] = HEAP4_IDLE;
    TW_COUNT(timers, link_writes, 1);
    struct heap4_entry last = timers->entries[timers->last];
    timers->entries[timers->last--].due = TW_NEVER;
    if (slot > timers->last)
        return;
    TW_COUNT(timers, moves, 1);
    heap4_settle(timers, slot, last);
}

static void heap4_close(struct tw_timers *timers)
{
    free(timers->entries);
    free(timers->positions);
    free(timers);
}

/* Both arrays or neither. */
static bool heap4_allocate(struct tw_timers *timers)
{
    size_t bytes;
    if (__builtin_mul_overflow(heap4_slots(timers->capacity), sizeof *timers->entries, &bytes))
        return false;
    timers->entries = aligned_alloc(HEAP4_LINE, bytes);
    timers->positions = arrays_zeroed(timers->capacity, sizeof *timers->positions);
    if (!timers->entries || !timers->positions)
        return false;
    timers->entries[HEAP4_GUARD] = (struct heap4_entry){.due = 0};
    timers->last = HEAP4_GUARD;
    return true;
}

static struct tw_footprint heap4_footprint(const struct tw_timers *timers)
{
    const size_t entry_bytes = sizeof *timers->entries;
    const size_t id_bytes = entry_bytes + sizeof *timers->positions;
    const size_t other_slots = heap4_slots(timers->capacity) - timers->capacity;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + other_slots * entry_bytes,
        .capacity_bytes = (uint64_t)timers->capacity * id_bytes,
    };
}

static int heap4_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, heap4_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    return open_end(out, timers, heap4_allocate(timers), heap4_footprint, heap4_close, error);
}

static int heap4_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    struct heap4_entry entry = {due, id};
    uint32_t slot = timers->positions[id];
    if (slot != HEAP4_IDLE) {
        heap4_settle(timers, slot, entry);
        return TW_REARMED;
    }
    heap4_sift_up(timers, heap4_extend(timers), entry);
    return TW_OK;
}

static int heap4_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t slot = timers->positions[id];
    if (slot == HEAP4_IDLE)
        return TW_IDLE;
    heap4_remove(timers, id, slot);
    return TW_OK;
}

/* The heap is whole again before each callback, which may therefore do what it likes with it. */
static void heap4_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    while (timers->last >= HEAP4_ROOT) {
        struct heap4_entry top = timers->entries[HEAP4_ROOT];
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        if (top.due > to)
            break;
        heap4_remove(timers, top.id, HEAP4_ROOT);
        timers->now = top.due;
        expire(ctx, top.id, top.due);
    }
    timers->now = to;
}

static tw_tick heap4_next(const struct tw_timers *timers)
{
    return timers->last >= HEAP4_ROOT ? timers->entries[HEAP4_ROOT].due : TW_NEVER;
}

static void heap4_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = HEAP4_ROOT; slot <= timers->last; slot++) {
        struct heap4_entry entry = timers->entries[slot];
        visit(ctx, &(struct tw_view){.id = entry.id, .deadline = entry.due, .slot = slot});
    }
}

/* Invariants 3 to 6, for one slot. */
static const char *heap4_check_slot(const struct tw_timers *timers, uint32_t slot)
{
    struct heap4_entry entry = timers->entries[slot];
    if (entry.id >= timers->capacity)
        return "an entry names an id beyond the capacity";
    if (timers->positions[entry.id] != slot)
        return "a back-index is not the slot of the entry";
    if (entry.due <= timers->now || entry.due > TW_DEADLINE_MAX)
        return "an entry is due on a processed tick or never";
    if (entry.due < timers->entries[heap4_parent(slot)].due)
        return "an entry is due before its parent";
    return NULL;
}

static const char *heap4_check(const struct tw_timers *timers)
{
    if (timers->entries[HEAP4_GUARD].due != 0)
        return "the guard before the root is not due at tick 0";
    if (timers->last - HEAP4_GUARD > timers->capacity)
        return "there are more entries than ids";
    for (uint32_t slot = HEAP4_ROOT; slot <= timers->last; slot++) {
        const char *broken = heap4_check_slot(timers, slot);
        if (broken)
            return broken;
    }
    if (timers->last > HEAP4_ROOT)
        for (uint32_t slot = timers->last + 1; slot % HEAP4_ARITY != 0; slot++)
            if (timers->entries[slot].due != TW_NEVER)
                return "a slot behind the last entry is due";
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += timers->positions[id] != HEAP4_IDLE;
    if (running != timers->last - HEAP4_GUARD)
        return "an idle timer has a back-index";
    return NULL;
}

TW_TELL_WORK(heap4);
const struct tw_backend TW_BACKEND(heap4) = {
    .abi_version = TW_ABI_VERSION,
    .name = "heap4",
    .summary = "4-ary heap with cached keys and a back-index, four children to a cache line",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_LOG_N},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(heap4, heap4),
};
