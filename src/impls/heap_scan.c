/*
 * heap_scan.c - binary heap without a back-index: stop and re-arm search for their timer, as
 * java.util.PriorityQueue.remove(Object) does.
 *
 *     slot       1   2   3   4   5   6
 *     dues       5   9   6  12   9   8         the children of slot s are 2s and 2s + 1
 *     ids        2   0   4   1   5   3
 *                ------------------->          where is 5?
 *
 * The heap of heap.c, less the one array that tells where a timer is.  What is saved is a write for
 * each entry moved, and 4 bytes a timer; what it costs is that heaps order parents before children
 * and nothing else, so that a timer can be anywhere and only a look at every slot will find it.
 * "A heap cancels in O(log n)" is true of a heap with a back-index and not of this one.
 *
 *             average     worst
 *     start   O(1)        O(n)        O(log n) of an idle timer; one that runs is searched for first
 *     stop    O(n)        O(n)        n / 2 slots on average, front to back, however soon it is due
 *     advance O(log n)    O(log n)    per expired timer; O(1) when nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 13 bytes per id (a due tick of 8, an id of 4, whether it runs), all taken at open.
 *
 * Invariants, in the order in which heap_scan_check tests them:
 *   1. The guard in slot 0 is due at tick 0, before every timer, and is no timer's.
 *   2. There are at most `capacity` entries.
 *   3. Each entry names an id below the capacity, and that id runs.
 *   4. No entry is due on a processed tick or beyond TW_DEADLINE_MAX.
 *   5. No entry is due before its parent.
 *   6. As many ids run as there are entries.
 *
 * Departures from java.util.PriorityQueue.  Whether a timer runs is kept beside the heap, as any
 * caller of it keeps the task's state, so that a stop of an idle timer searches nothing.  Due ticks
 * and ids are in arrays of their own, as there an array of references is: a search passes sixteen
 * ids per cache line.  It compares a line at a time without a branch, which compilers turn into
 * vector instructions; and since what is searched for is there, nothing asks where the heap ends.
 * Sifts move a hole and ask for the lines three levels down, as in heap.c.
 *
 * It loses wherever timers are stopped or re-armed and more than some hundred run: that is what it
 * is here to show.  Where all fire, it is as good as a heap with a back-index or better.
 */
#include "arrays.h"
#include "design.h"

#define HEAP_SCAN_GUARD  0u
#define HEAP_SCAN_ROOT   1u
#define HEAP_SCAN_LINE   64u
#define HEAP_SCAN_NOBODY UINT32_MAX /* the guard's id: beyond every capacity */
/* Ids that are compared at a time: those of a line. */
#define HEAP_SCAN_STRIDE (HEAP_SCAN_LINE / sizeof(tw_id))

TW_NO_SETTINGS(heap_scan, TW_DEADLINE_MAX);

struct tw_timers {
    tw_tick *dues; /* [0] guard, [1 .. count] heap, and room for one more behind it */
    tw_id *ids;    /* of the same slots; up to the end of the last line, where old ones may stand */
    bool *runs;    /* by id */
    uint32_t count;
    uint32_t capacity;
    tw_tick now;
    TW_WORK_FIELD
};

/* Slots to hold: the guard, the entries, one behind them (see heap_scan_sift_down), in lines. */
static size_t heap_scan_slots(uint32_t capacity)
{
    return ((size_t)capacity + 2 + HEAP_SCAN_STRIDE - 1) & ~(size_t)(HEAP_SCAN_STRIDE - 1);
}

/* Asks for the eight entries three levels below `slot`.  Where the heap ends before them there is
 * nothing to ask for, and a prefetch must not go astray into unmapped pages. */
__attribute__((always_inline)) static inline void heap_scan_prefetch(const struct tw_timers *timers,
                                                                     size_t slot)
{
    if (slot * 8 + 4 > timers->count)
        return;
    __builtin_prefetch(&timers->dues[slot * 8]);
    __builtin_prefetch(&timers->ids[slot * 8]);
}

static inline void heap_scan_place(struct tw_timers *timers, uint32_t slot, tw_tick due, tw_id id)
{
    timers->dues[slot] = due;
    timers->ids[slot] = id;
}

/* The guard is due before everything, so that the climb needs no test for the root. */
static void heap_scan_sift_up(struct tw_timers *timers, uint32_t hole, tw_tick due, tw_id id)
{
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    for (uint32_t parent; due < timers->dues[parent = hole / 2]; hole = parent) {
        heap_scan_place(timers, hole, timers->dues[parent], timers->ids[parent]);
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, moves, 1);
    }
    heap_scan_place(timers, hole, due, id);
}

/* An only child gets a sibling that is never due, so that every level is two children and no test.
 * Choosing the child is arithmetic: as a branch it would be mispredicted every other time. */
static void heap_scan_sift_down(struct tw_timers *timers, uint32_t hole, tw_tick due, tw_id id)
{
    tw_tick *dues = timers->dues;
    uint32_t count = timers->count;
    uint32_t child;
    dues[count + 1] = TW_NEVER;
    while ((child = hole * 2) <= count) {
        heap_scan_prefetch(timers, hole);
        child += dues[child + 1] < dues[child];
        TW_COUNT(timers, comparisons, 2);
        TW_COUNT(timers, visits, 2);
        if (due <= dues[child])
            break;
        heap_scan_place(timers, hole, dues[child], timers->ids[child]);
        hole = child;
        TW_COUNT(timers, moves, 1);
    }
    heap_scan_place(timers, hole, due, id);
}

/* Fills the hole with the entry, whichever way that makes the hole go. */
static void heap_scan_settle(struct tw_timers *timers, uint32_t hole, tw_tick due, tw_id id)
{
    TW_COUNT(timers, comparisons, 1);
    TW_COUNT(timers, visits, 1);
    if (due < timers->dues[hole / 2])
        heap_scan_sift_up(timers, hole, due, id);
    else
        heap_scan_sift_down(timers, hole, due, id);
}

/* Is `id` in the line?  Looks at all of it, because sixteen branches would cost more. */
static inline bool heap_scan_line_has(const tw_id *line, tw_id id)
{
    uint32_t found = 0;
    for (size_t i = 0; i < HEAP_SCAN_STRIDE; i++)
        found |= line[i] == id ? UINT32_MAX : 0;
    return found != 0;
}

/* The slot of `id`, which must run.  Slots behind the end may name it, too, where it once was; the
 * first that does is its own. */
static uint32_t heap_scan_find(struct tw_timers *timers, tw_id id)
{
    const tw_id *ids = timers->ids;
    uint32_t slot = HEAP_SCAN_GUARD;
    while (!heap_scan_line_has(&ids[slot], id))
        slot += HEAP_SCAN_STRIDE;
    while (ids[slot] != id)
        slot++;
    TW_COUNT(timers, visits, slot);
    return slot;
}

/* Closes the gap at a slot with the last entry. */
static void heap_scan_remove(struct tw_timers *timers, uint32_t slot)
{
    uint32_t last = timers->count--;
    if (slot == last)
        return;
    TW_COUNT(timers, moves, 1);
    heap_scan_settle(timers, slot, timers->dues[last], timers->ids[last]);
}

static void heap_scan_close(struct tw_timers *timers)
{
    free(timers->dues);
    free(timers->ids);
    free(timers->runs);
    free(timers);
}

/* All arrays or none. */
static bool heap_scan_allocate(struct tw_timers *timers)
{
    size_t slots = heap_scan_slots(timers->capacity), bytes;
    if (__builtin_mul_overflow(slots, sizeof *timers->dues, &bytes))
        return false;
    timers->dues = aligned_alloc(HEAP_SCAN_LINE, bytes);
    timers->ids = arrays_zeroed(slots, sizeof *timers->ids);
    timers->runs = arrays_zeroed(timers->capacity, sizeof *timers->runs);
    if (!timers->dues || !timers->ids || !timers->runs)
        return false;
    heap_scan_place(timers, HEAP_SCAN_GUARD, 0, HEAP_SCAN_NOBODY);
    return true;
}

static struct tw_footprint heap_scan_footprint(const struct tw_timers *timers)
{
    const size_t entry_bytes = sizeof *timers->dues + sizeof *timers->ids;
    const size_t id_bytes = entry_bytes + sizeof *timers->runs;
    const size_t other_slots = heap_scan_slots(timers->capacity) - timers->capacity;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + other_slots * entry_bytes,
        .capacity_bytes = (uint64_t)timers->capacity * id_bytes,
    };
}

static int heap_scan_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, heap_scan_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = config->now;
    return open_end(out, timers, heap_scan_allocate(timers), heap_scan_footprint, heap_scan_close,
                    error);
}

static int heap_scan_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    if (timers->runs[id]) {
        heap_scan_settle(timers, heap_scan_find(timers, id), due, id);
        return TW_REARMED;
    }
    timers->runs[id] = true;
    heap_scan_sift_up(timers, ++timers->count, due, id);
    return TW_OK;
}

static int heap_scan_stop(struct tw_timers *timers, tw_id id)
{
    if (!timers->runs[id])
        return TW_IDLE;
    timers->runs[id] = false;
    heap_scan_remove(timers, heap_scan_find(timers, id));
    return TW_OK;
}

/* The heap is whole again before each callback, which may therefore do what it likes with it. */
static void heap_scan_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    while (timers->count > 0) {
        tw_tick due = timers->dues[HEAP_SCAN_ROOT];
        tw_id id = timers->ids[HEAP_SCAN_ROOT];
        TW_COUNT(timers, comparisons, 1);
        TW_COUNT(timers, visits, 1);
        if (due > to)
            break;
        timers->runs[id] = false;
        heap_scan_remove(timers, HEAP_SCAN_ROOT);
        timers->now = due;
        expire(ctx, id, due);
    }
    timers->now = to;
}

static tw_tick heap_scan_next(const struct tw_timers *timers)
{
    return timers->count > 0 ? timers->dues[HEAP_SCAN_ROOT] : TW_NEVER;
}

static void heap_scan_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t slot = HEAP_SCAN_ROOT; slot <= timers->count; slot++)
        visit(ctx, &(struct tw_view){
                       .id = timers->ids[slot], .deadline = timers->dues[slot], .slot = slot});
}

/* Invariants 3 to 5, for one slot. */
static const char *heap_scan_check_slot(const struct tw_timers *timers, uint32_t slot)
{
    if (timers->ids[slot] >= timers->capacity)
        return "an entry names an id beyond the capacity";
    if (!timers->runs[timers->ids[slot]])
        return "an entry is that of an idle timer";
    if (timers->dues[slot] <= timers->now || timers->dues[slot] > TW_DEADLINE_MAX)
        return "an entry is due on a processed tick or never";
    if (timers->dues[slot] < timers->dues[slot / 2])
        return "an entry is due before its parent";
    return NULL;
}

static const char *heap_scan_check(const struct tw_timers *timers)
{
    if (timers->dues[HEAP_SCAN_GUARD] != 0 || timers->ids[HEAP_SCAN_GUARD] != HEAP_SCAN_NOBODY)
        return "the guard before the root is not due at tick 0, or is somebody's";
    if (timers->count > timers->capacity)
        return "there are more entries than ids";
    for (uint32_t slot = HEAP_SCAN_ROOT; slot <= timers->count; slot++) {
        const char *broken = heap_scan_check_slot(timers, slot);
        if (broken)
            return broken;
    }
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += timers->runs[id];
    if (running != timers->count)
        return "a running timer is not in the heap";
    return NULL;
}

TW_TELL_WORK(heap_scan);
const struct tw_backend TW_BACKEND(heap_scan) = {
    .abi_version = TW_ABI_VERSION,
    .name = "heap-scan",
    .summary = "binary heap without a back-index: stop and re-arm search for their timer",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_N, TW_O_N},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(heap_scan, heap_scan),
};
