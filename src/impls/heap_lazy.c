/*
 * heap_lazy.c - binary heap with cancel marks and compaction: stop leaves the entry where it is.
 *
 *     slot          1        2        3        4        5        6
 *     due, id     5, 2     9, 0     6, 4    12, 1     9, 5     8, 2
 *     generation    3        1        5        1        1        5
 *                  dead                                dead
 *     id            0   1   2   3   4   5
 *     generations   1   1   5   0   5   2              odd: runs, and its entry has this generation
 *
 * A start makes an entry, a stop adds one to the generation of the timer and so disowns the entry, a
 * re-arm does both.  What is dead is told by its generation when it comes to the top, or when all
 * entries are gone through:
 *
 *     THE RULE.  When the dead outnumber the living, and are 32 at least, the living are kept and
 *     made a heap again, in O(n).
 *
 * Stop is O(1) amortised: let every dead entry be worth c.  Going through d dead and l < d living
 * ones costs less than c d for a fitting c, and that is what the dead ones, all gone then, were
 * worth; each became dead by one stop or re-arm, which paid c for it.  The array is doubled when it
 * is full and halved when three quarters of it are empty, which starts and expiries pay likewise.
 *
 *             average     worst
 *     start   O(1)        O(n)        when the array grows, or a re-arm makes the dead too many
 *     stop    O(1)        O(n)        a mark; or the one stop that goes through all
 *     advance O(log n)    O(n log n)  per expired timer, and O(log n) for each dead entry that is in
 *                                     its way: at worst as many as live
 *     next    O(1)        O(1)        a bound: the dead are not told from the living, and a caller
 *                                     that sleeps until it wakes up for nothing now and then
 *
 * Memory: 4 bytes per id and 16 per entry, dead ones included, in an array that is up to four times
 * as long as it need be: after a stop nothing is given back until the rule takes hold.
 *
 * Invariants, in the order in which heap_lazy_check tests them:
 *   1. The guard in slot 0 is due at tick 0, before every timer.
 *   2. The array has room for the guard, the entries and one more, and is of the least size or a
 *      quarter full, unless a shorter one got no memory.
 *   3. Each entry names an id below the capacity and has an odd generation.
 *   4. No entry, dead or not, is due on a processed tick or beyond TW_DEADLINE_MAX.
 *   5. No entry is due before its parent.
 *   6. As many entries as timers run are of the generation of their timer, and as many ids have an
 *      odd one.
 *   7. The dead are fewer than 32 or do not outnumber the living.
 *
 * The source is asyncio of Python (base_events.py: cancelled handles stay in the heap until they are
 * over half of it and 100 at least); java.util.Timer marks likewise and leaves the compaction, its
 * purge, to the caller.  Departures: a generation in place of an object per start that the heap
 * would point to; and an array that shrinks.  A generation comes round after 2^31 starts of one
 * timer; that time everything dead is thrown out, or a forgotten entry might pass for a living one.
 * Not done here: leaving the entry of a timer that is re-armed to a later tick, to sink when it
 * comes to the top, as Go's timers did; it would make re-arms a write, and no mark is taught by it.
 *
 * It loses to the heap with a back-index where stopped timers would have been due soon: they come to
 * the top before the rule finds them, and then a stop has cost a descent after all; and wherever
 * memory is short.  It loses to any wheel where very many timers run and fire.
 */
#include "arrays.h"
#include "design.h"

#define HEAP_LAZY_GUARD 0u
#define HEAP_LAZY_ROOT  1u
#define HEAP_LAZY_LINE  64u
/* Length of the array at least, taken at open. */
#define HEAP_LAZY_SLOTS_MIN 64u
/* Fewer dead entries are left alone.  With at most so many an array is of the least length, so that
 * nothing is held for timers when none runs. */
#define HEAP_LAZY_DEAD_MIN 32u

/* The type of a generation; a test narrows it to see it come round. */
#ifndef HEAP_LAZY_GENERATION
#define HEAP_LAZY_GENERATION uint32_t
#endif
typedef HEAP_LAZY_GENERATION heap_lazy_generation;

TW_NO_SETTINGS(heap_lazy, TW_DEADLINE_MAX);

struct heap_lazy_entry {
    tw_tick due;
    tw_id id;
    heap_lazy_generation generation;
};

struct tw_timers {
    struct heap_lazy_entry *entries;   /* [0] guard, [1 .. count] heap, room for one more behind */
    heap_lazy_generation *generations; /* by id: odd when it runs */
    size_t slots;                      /* of entries: a power of two */
    size_t count;                      /* entries, the dead ones included; up to 2^31 of them */
    size_t running;
    uint32_t capacity;
    bool is_long; /* a shorter array got no memory */
    tw_tick now;
    TW_WORK_FIELD
};

static inline bool heap_lazy_lives(const struct tw_timers *timers, struct heap_lazy_entry entry)
{
    return timers->generations[entry.id] == entry.generation;
}

/* Asks for the eight entries three levels below `slot`, two cache lines.  Where the heap ends
 * before them there is nothing to ask for, and a prefetch must not go astray into unmapped pages.
 */
__attribute__((always_inline)) static inline void heap_lazy_prefetch(
    const struct heap_lazy_entry *entries, size_t slot, size_t count)
{
    if (slot * 8 + 4 > count)
        return;
    __builtin_prefetch(&entries[slot * 8]);
    __builtin_prefetch(&entries[slot * 8 + 4]);
}

/* ---- The heap, to which dead entries are as good as living ones. ----------------------------- */

/* The guard is due before everything, so that the climb needs no test for the root. */
static void heap_lazy_sift_up(struct tw_timers *timers, size_t hole, struct heap_lazy_entry entry)
{
    struct heap_lazy_entry *entries = timers->entries;
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    while (entry.due < entries[hole / 2].due) {
        entries[hole] = entries[hole / 2];
        hole /= 2;
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
    }
    entries[hole] = entry;
}

/* An only child gets a sibling that is never due, so that every level is two children and no test.
 * Choosing the child is arithmetic: as a branch it would be mispredicted every other time. */
static void heap_lazy_sift_down(struct tw_timers *timers, size_t hole, struct heap_lazy_entry entry)
{
    struct heap_lazy_entry *entries = timers->entries;
    size_t count = timers->count;
    size_t child;
    entries[count + 1].due = TW_NEVER;
    while ((child = hole * 2) <= count) {
        heap_lazy_prefetch(entries, hole, count);
        child += entries[child + 1].due < entries[child].due;
        TW_COUNT(timers, comparisons, 2);
        TW_COUNT(timers, visits, 2);
        if (entry.due <= entries[child].due)
            break;
        entries[hole] = entries[child];
        hole = child;
        TW_COUNT(timers, moves, 1);
    }
    entries[hole] = entry;
}

/* ---- The array: doubled when full, halved when a quarter full. ------------------------------- */

static struct heap_lazy_entry *heap_lazy_array(size_t slots)
{
    struct heap_lazy_entry *entries = aligned_alloc(HEAP_LAZY_LINE, slots * sizeof *entries);
    if (entries)
        entries[HEAP_LAZY_GUARD] = (struct heap_lazy_entry){.due = 0};
    return entries;
}

/* False, and nothing changed, when there is no memory. */
static bool heap_lazy_resize(struct tw_timers *timers, size_t slots)
{
    struct heap_lazy_entry *entries = heap_lazy_array(slots);
    if (!entries)
        return false;
    TW_COUNT(timers, allocations, 1);
    TW_COUNT(timers, moves, timers->count);
    memcpy(&entries[HEAP_LAZY_ROOT], &timers->entries[HEAP_LAZY_ROOT],
           timers->count * sizeof *entries);
    free(timers->entries);
    timers->entries = entries;
    timers->slots = slots;
    return true;
}

/* Room for one entry more, besides the guard and the one behind. */
static inline bool heap_lazy_reserve(struct tw_timers *timers)
{
    return timers->count + 3 <= timers->slots || heap_lazy_resize(timers, timers->slots * 2);
}

static void heap_lazy_shrink(struct tw_timers *timers)
{
    size_t slots = timers->slots;
    while (slots > HEAP_LAZY_SLOTS_MIN && timers->count < slots / 4)
        slots /= 2;
    timers->is_long = slots < timers->slots && !heap_lazy_resize(timers, slots);
}

/* ---- Marks and the rule. --------------------------------------------------------------------- */

/* Keeps the living, in the order in which they stand, without a branch for the processor to guess;
 * then makes them a heap from the last parent up (Floyd's construction). */
static void heap_lazy_compact(struct tw_timers *timers)
{
    struct heap_lazy_entry *entries = timers->entries;
    size_t kept = 0;
    TW_COUNT(timers, visits, timers->count);
    for (size_t slot = HEAP_LAZY_ROOT; slot <= timers->count; slot++) {
        struct heap_lazy_entry entry = entries[slot];
        entries[kept + 1] = entry;
        kept += heap_lazy_lives(timers, entry);
    }
    TW_COUNT(timers, moves, kept);
    timers->count = kept;
    for (size_t parent = kept / 2; parent >= HEAP_LAZY_ROOT; parent--)
        heap_lazy_sift_down(timers, parent, entries[parent]);
    heap_lazy_shrink(timers);
}

static inline size_t heap_lazy_dead(const struct tw_timers *timers)
{
    return timers->count - timers->running;
}

static inline void heap_lazy_tidy(struct tw_timers *timers)
{
    size_t dead = heap_lazy_dead(timers);
    if (dead > timers->running && dead >= HEAP_LAZY_DEAD_MIN)
        heap_lazy_compact(timers);
}

/* Makes a running timer idle, and its entry, if it is still there, dead.  When the generations
 * begin anew, no entry of an old one may be left. */
static inline void heap_lazy_retire(struct tw_timers *timers, tw_id id)
{
    TW_COUNT(timers, link_writes, 1);
    timers->running--;
    if (++timers->generations[id] == 0)
        heap_lazy_compact(timers);
}

static inline bool heap_lazy_runs(const struct tw_timers *timers, tw_id id)
{
    return timers->generations[id] % 2 != 0;
}

/* ---- The contract. --------------------------------------------------------------------------- */

static void heap_lazy_close(struct tw_timers *timers)
{
    free(timers->entries);
    free(timers->generations);
    free(timers);
}

static struct tw_footprint heap_lazy_footprint(const struct tw_timers *timers)
{
    const size_t entry_bytes = sizeof *timers->entries;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + HEAP_LAZY_SLOTS_MIN * entry_bytes,
        .capacity_bytes = (uint64_t)timers->capacity * sizeof *timers->generations,
        .pending_bytes = (timers->slots - HEAP_LAZY_SLOTS_MIN) * entry_bytes,
    };
}

static int heap_lazy_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, heap_lazy_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    timers->slots = HEAP_LAZY_SLOTS_MIN;
    timers->entries = heap_lazy_array(timers->slots);
    timers->generations = arrays_zeroed(timers->capacity, sizeof *timers->generations);
    return open_end(out, timers, timers->entries && timers->generations, heap_lazy_footprint,
                    heap_lazy_close, error);
}

static int heap_lazy_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    if (!heap_lazy_reserve(timers))
        return TW_REFUSED_MEMORY;
    bool runs = heap_lazy_runs(timers, id);
    if (runs)
        heap_lazy_retire(timers, id);
    TW_COUNT(timers, link_writes, 1);
    struct heap_lazy_entry entry = {due, id, ++timers->generations[id]};
    timers->running++;
    heap_lazy_sift_up(timers, ++timers->count, entry);
    if (!runs)
        return TW_OK;
    heap_lazy_tidy(timers);
    return TW_REARMED;
}

static int heap_lazy_stop(struct tw_timers *timers, tw_id id)
{
    if (!heap_lazy_runs(timers, id))
        return TW_IDLE;
    heap_lazy_retire(timers, id);
    heap_lazy_tidy(timers);
    return TW_OK;
}

static void heap_lazy_pop(struct tw_timers *timers)
{
    struct heap_lazy_entry last = timers->entries[timers->count--];
    TW_COUNT(timers, moves, 1);
    if (timers->count > 0)
        heap_lazy_sift_down(timers, HEAP_LAZY_ROOT, last);
    heap_lazy_shrink(timers);
}

/* The heap is whole again before each callback, which may therefore do what it likes with it. */
static void heap_lazy_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    while (timers->count > 0) {
        struct heap_lazy_entry top = timers->entries[HEAP_LAZY_ROOT];
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        if (top.due > to)
            break;
        heap_lazy_pop(timers);
        if (!heap_lazy_lives(timers, top))
            continue;
        heap_lazy_retire(timers, top.id);
        heap_lazy_tidy(timers);
        timers->now = top.due;
        expire(ctx, top.id, top.due);
    }
    timers->now = to;
}

static tw_tick heap_lazy_next(const struct tw_timers *timers)
{
    return timers->running > 0 ? timers->entries[HEAP_LAZY_ROOT].due : TW_NEVER;
}

static void heap_lazy_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (size_t slot = HEAP_LAZY_ROOT; slot <= timers->count; slot++) {
        struct heap_lazy_entry entry = timers->entries[slot];
        if (heap_lazy_lives(timers, entry))
            visit(ctx,
                  &(struct tw_view){.id = entry.id, .deadline = entry.due, .slot = (uint32_t)slot});
    }
}

/* Invariants 3 to 5, for one slot. */
static const char *heap_lazy_check_slot(const struct tw_timers *timers, size_t slot)
{
    struct heap_lazy_entry entry = timers->entries[slot];
    if (entry.id >= timers->capacity || entry.generation % 2 == 0)
        return "an entry names an id beyond the capacity, or has the generation of an idle timer";
    if (entry.due <= timers->now || entry.due > TW_DEADLINE_MAX)
        return "an entry is due on a processed tick or never";
    if (entry.due < timers->entries[slot / 2].due)
        return "an entry is due before its parent";
    return NULL;
}

static const char *heap_lazy_check(const struct tw_timers *timers)
{
    if (timers->entries[HEAP_LAZY_GUARD].due != 0)
        return "the guard before the root is not due at tick 0";
    if (timers->count + 2 > timers->slots ||
        (!timers->is_long && timers->slots > HEAP_LAZY_SLOTS_MIN &&
         timers->count < timers->slots / 4))
        return "the array is too short or too long for its entries";
    size_t living = 0, running = 0;
    for (size_t slot = HEAP_LAZY_ROOT; slot <= timers->count; slot++) {
        const char *broken = heap_lazy_check_slot(timers, slot);
        if (broken)
            return broken;
        living += heap_lazy_lives(timers, timers->entries[slot]);
    }
    for (tw_id id = 0; id < timers->capacity; id++)
        running += heap_lazy_runs(timers, id);
    if (living != timers->running || running != timers->running)
        return "a running timer has no living entry";
    if (heap_lazy_dead(timers) > timers->running && heap_lazy_dead(timers) >= HEAP_LAZY_DEAD_MIN)
        return "the dead outnumber the living";
    return NULL;
}

TW_TELL_WORK(heap_lazy);
const struct tw_backend TW_BACKEND(heap_lazy) = {
    .abi_version = TW_ABI_VERSION,
    .name = "heap-lazy",
    .summary = "binary heap with cancel marks, compacted when the dead outnumber the living",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_ALLOCATES,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_1, TW_O_N},
               .expire = {TW_O_LOG_N, TW_O_N_LOG_N},
               .tick = {TW_O_1, TW_O_N_LOG_N}},
    TW_HOOKS(heap_lazy, heap_lazy),
};
