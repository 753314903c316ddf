/*
 * heap.c - binary heap with a back-index: scheme 3 of Varghese & Lauck.
 *
 *                    slot  1: due 5, id 2              entries, slot 0 is a guard
 *                   /                    \
 *        slot 2: due 9, id 0      slot 3: due 6, id 4
 *        /              \
 *  slot 4: due 12, id 1   slot 5: due 9, id 5
 *
 *     id         0  1  2  3  4  5
 *     positions  2  4  1  0  3  5                      0: idle
 *
 * The children of slot s are 2s and 2s + 1.  A change makes a hole and the hole travels: entries on
 * its way are moved once each, never swapped, and the last entry written is the one that fills it.
 *
 *             average     worst
 *     start   O(1)        O(log n)    most deadlines are later than their parent's and stay at the
 *                                     bottom; a running timer moves from where it is, by one sift
 *     stop    O(1)        O(log n)    found by its back-index; half of all timers are leaves, so a
 *                                     random one costs two moves at any n, one near the top log n
 *     advance O(log n)    O(log n)    per expired timer; O(1) when nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 20 bytes per id (an entry of 16, a back-index of 4), all taken at open.
 *
 * Invariants, in the order in which heap_check tests them:
 *   1. The guard in slot 0 is due at tick 0, before every timer.
 *   2. There are at most `capacity` entries.
 *   3. Each entry names an id below the capacity.
 *   4. The back-index of that id is the entry's slot.  (So no id is there twice.)
 *   5. No entry is due on a processed tick or beyond TW_DEADLINE_MAX.
 *   6. No entry is due before its parent.
 *   7. As many ids have a back-index as there are entries.  (So idle timers have none.)
 *
 * Departures from the paper, which only says "heap": the back-index, without which stop would be a
 * search in O(n), and the key kept beside the id, so that a sift never leaves the array.  What is
 * left of its cost is waiting for memory, one dependent miss per level; 16-byte entries in an array
 * aligned to the cache line put the eight great-grandchildren of a slot into two lines, which are
 * asked for while the two levels above them are compared.  (At 10^6 timers this halves the cost of
 * an expiry.  Not kept, for lack of a gain: Wegener's bottom-up descent, which saves comparisons
 * that are predicted well anyway but always walks to the bottom; keys and ids in separate arrays,
 * which saves 4 bytes but touches one more line per level; leaving the root open in the callback
 * for a restart to fill.)
 *
 * It loses to any wheel where very many timers run and fire: each expiry sifts an entry from the
 * top to the bottom, log2 n moves, and each move writes a back-index somewhere else.  Descending
 * deadlines make every start climb to the top.
 */
#include "arrays.h"
#include "design.h"

#define HEAP_GUARD 0u
#define HEAP_ROOT  1u
#define HEAP_IDLE  0u /* in positions; no entry lives in the guard's slot */
#define HEAP_LINE  64u

/* No setting: the capacity is all there is to choose.  32-bit slots suffice, because the child of
 * the last of TW_CAPACITY_MAX = 10^9 slots is still below 2^32. */
TW_NO_SETTINGS(heap, TW_DEADLINE_MAX);

struct heap_entry {
    tw_tick due;
    tw_id id;
};

struct tw_timers {
    struct heap_entry *entries; /* [0] guard, [1 .. count] heap, and room for one more behind it */
    uint32_t *positions;        /* by id: slot of its entry, or HEAP_IDLE */
    uint32_t count;
    uint32_t capacity;
    tw_tick now;
    TW_WORK_FIELD
};

/* Slots to hold: the guard, the entries, and one behind them (see heap_sift_down). */
static size_t heap_slots(uint32_t capacity)
{
    return (size_t)capacity + 2;
}

/* Asks for the eight entries three levels below `slot`, two cache lines.  Where the heap ends
 * before them there is nothing to ask for, and a prefetch must not go astray into unmapped pages.
 */
__attribute__((always_inline)) static inline void heap_prefetch(const struct heap_entry *entries,
                                                                size_t slot, size_t count)
{
    if (slot * 8 + 4 > count)
        return;
    __builtin_prefetch(&entries[slot * 8]);
    __builtin_prefetch(&entries[slot * 8 + 4]);
}

static inline void heap_place(struct tw_timers *timers, uint32_t slot, struct heap_entry entry)
{
    timers->entries[slot] = entry;
    timers->positions[entry.id] = slot;
    TW_COUNT(timers, link_writes, 1);
}

/* The guard is due before everything, so that the climb needs no test for the root.  Inline, because
 * a climb from the bottom after a start and one after a removal have branches of their own then, and
 * each is predicted by its own past. */
static inline void heap_sift_up(struct tw_timers *timers, uint32_t hole, struct heap_entry entry)
{
    const struct heap_entry *entries = timers->entries;
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    while (entry.due < entries[hole / 2].due) {
        heap_place(timers, hole, entries[hole / 2]);
        hole /= 2;
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
    }
    heap_place(timers, hole, entry);
}

/* An only child gets a sibling that is never due, so that every level is two children and no test.
 * Choosing the child is arithmetic: as a branch it would be mispredicted every other time. */
static void heap_sift_down(struct tw_timers *timers, uint32_t hole, struct heap_entry entry)
{
    struct heap_entry *entries = timers->entries;
    uint32_t count = timers->count;
    uint32_t child;
    entries[count + 1].due = TW_NEVER;
    while ((child = hole * 2) <= count) {
        heap_prefetch(entries, hole, count);
        child += entries[child + 1].due < entries[child].due;
        TW_COUNT(timers, comparisons, 2);
        TW_COUNT(timers, visits, 2);
        if (entry.due <= entries[child].due)
            break;
        heap_place(timers, hole, entries[child]);
        hole = child;
        TW_COUNT(timers, moves, 1);
    }
    heap_place(timers, hole, entry);
}

/* Fills the hole with `entry`, whichever way that makes the hole go. */
static void heap_settle(struct tw_timers *timers, uint32_t hole, struct heap_entry entry)
{
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    if (entry.due < timers->entries[hole / 2].due)
        heap_sift_up(timers, hole, entry);
    else
        heap_sift_down(timers, hole, entry);
}

/* Makes `id` idle and closes the gap at its slot with the last entry.  Both callers know the slot
 * and the id; reading either from the other would be one more cache miss. */
static void heap_remove(struct tw_timers *timers, tw_id id, uint32_t slot)
{
    timers->positions[id] = HEAP_IDLE;
    TW_COUNT(timers, link_writes, 1);
    struct heap_entry last = timers->entries[timers->count--];
    if (slot > timers->count)
        return;
    TW_COUNT(timers, moves, 1);
    heap_settle(timers, slot, last);
}

static void heap_close(struct tw_timers *timers)
{
    free(timers->entries);
    free(timers->positions);
    free(timers);
}

/* Both arrays or neither. */
static bool heap_allocate(struct tw_timers *timers)
{
    size_t bytes;
    if (__builtin_mul_overflow(heap_slots(timers->capacity), sizeof *timers->entries, &bytes) ||
        __builtin_add_overflow(bytes, HEAP_LINE - 1, &bytes))
        return false;
    timers->entries = aligned_alloc(HEAP_LINE, bytes & ~(size_t)(HEAP_LINE - 1));
    timers->positions = arrays_zeroed(timers->capacity, sizeof *timers->positions);
    if (!timers->entries || !timers->positions)
        return false;
    timers->entries[HEAP_GUARD] = (struct heap_entry){.due = 0};
    return true;
}

static struct tw_footprint heap_footprint(const struct tw_timers *timers)
{
    const size_t id_bytes = sizeof *timers->entries + sizeof *timers->positions;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + heap_slots(0) * sizeof *timers->entries,
        .capacity_bytes = (uint64_t)timers->capacity * id_bytes,
    };
}

static int heap_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, heap_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    return open_end(out, timers, heap_allocate(timers), heap_footprint, heap_close, error);
}

static int heap_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    struct heap_entry entry = {due, id};
    uint32_t slot = timers->positions[id];
    if (slot != HEAP_IDLE) {
        heap_settle(timers, slot, entry);
        return TW_REARMED;
    }
    heap_sift_up(timers, ++timers->count, entry);
    return TW_OK;
}

static int heap_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t slot = timers->positions[id];
    if (slot == HEAP_IDLE)
        return TW_IDLE;
    heap_remove(timers, id, slot);
    return TW_OK;
}

static tw_tick heap_next(const struct tw_timers *timers)
{
    return timers->count > 0 ? timers->entries[HEAP_ROOT].due : TW_NEVER;
}

/* Fires what is due by `to`.  The heap is whole again before each callback, which may therefore do
 * what it likes with it.  Kept out of line, so that a tick on which nothing is due, by far the most
 * frequent call, saves no registers. */
__attribute__((noinline)) static void heap_fire(struct tw_timers *timers, tw_tick to,
                                                tw_expire_fn *expire, void *ctx)
{
    while (timers->count > 0) {
        struct heap_entry top = timers->entries[HEAP_ROOT];
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        if (top.due > to)
            break;
        heap_remove(timers, top.id, HEAP_ROOT);
        timers->now = top.due;
        expire(ctx, top.id, top.due);
    }
}

static void heap_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (heap_next(timers) <= to) {
        heap_fire(timers, to, expire, ctx);
    } else {
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
    }
    timers->now = to;
}

static void heap_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = HEAP_ROOT; slot <= timers->count; slot++) {
        struct heap_entry entry = timers->entries[slot];
        visit(ctx, &(struct tw_view){.id = entry.id, .deadline = entry.due, .slot = slot});
    }
}

/* Invariants 3 to 6, for one slot. */
static const char *heap_check_slot(const struct tw_timers *timers, uint32_t slot)
{
    struct heap_entry entry = timers->entries[slot];
    if (entry.id >= timers->capacity)
        return "an entry names an id beyond the capacity";
    if (timers->positions[entry.id] != slot)
        return "a back-index is not the slot of the entry";
    if (entry.due <= timers->now || entry.due > TW_DEADLINE_MAX)
        return "an entry is due on a processed tick or never";
    if (entry.due < timers->entries[slot / 2].due)
        return "an entry is due before its parent";
    return NULL;
}

static const char *heap_check(const struct tw_timers *timers)
{
    if (timers->entries[HEAP_GUARD].due != 0)
        return "the guard before the root is not due at tick 0";
    if (timers->count > timers->capacity)
        return "there are more entries than ids";
    for (uint32_t slot = HEAP_ROOT; slot <= timers->count; slot++) {
        const char *broken = heap_check_slot(timers, slot);
        if (broken)
            return broken;
    }
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += timers->positions[id] != HEAP_IDLE;
    if (running != timers->count)
        return "an idle timer has a back-index";
    return NULL;
}

TW_TELL_WORK(heap);
const struct tw_backend TW_BACKEND(heap) = {
    .abi_version = TW_ABI_VERSION,
    .name = "heap",
    .summary = "binary heap with a back-index (scheme 3)",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_LOG_N},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(heap, heap),
};
