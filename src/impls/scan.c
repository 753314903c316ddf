/*
 * scan.c - polling scan: every tick looks at every running timer, and no order is kept.  Scheme 1
 * of Varghese & Lauck (section 3.1), comparing deadlines instead of counting intervals down; what
 * "a map from id to last activity, and a periodic scan of it" does.
 *
 *     place        0      1      2      3      4
 *                +------+------+------+------+------+
 *     lows       |  12  |  40  |  11  |  12  |  95  |   lower half of the due tick: all are read
 *                +------+------+------+------+------+
 *     entries    | 0, 7 | 0, 2 | 0, 0 | 0, 4 | 1, 1 |   upper half, id: read where lows say "due"
 *                +------+------+------+------+------+
 *                                           ^ a start goes behind the last, which also fills the
 *                                             gap that a stop leaves
 *     id           0  1  2  3  4  5  6  7
 *     places       2  4  1  -  3  -  -  0
 *
 *              average and worst
 *     start    O(1)
 *     stop     O(1)
 *     tick     O(n), whether anything is due or not
 *     advance  one scan, however long
 *     expire   O(n): a scan finds the timers of one tick
 *     next     O(n)
 *     memory   16 bytes per id, all taken at open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. There are at most `capacity` entries, none is about to fire, and no jump is under way.
 *  2. Each entry names an id below the capacity, whose place it is at.
 *  3. Every due tick is later than now.
 *  4. As many ids have a place as there are entries.  (So idle timers have none.)
 *
 * Departures from the paper.  Running timers are kept dense, so that idle ones cost nothing.  The
 * scan reads only the lower half of each due tick, 4 bytes a timer, whole blocks at a time and
 * without a branch, which compilers turn into vector code; a block in which something may be due is
 * looked at once more, in full.  What is due is moved behind the rest and fires from the end, so
 * that callbacks may start and stop anything.
 *
 * It loses to everything else as soon as some hundred timers run and the clock goes tick by tick.
 * Where it goes in long steps, as for a reaper of idle connections that runs once a second, a scan
 * is paid once a step, and a start costs next to nothing.
 */
#include "arrays.h"
#include "design.h"

/* Entries that are tested as one: two cache lines of lower halves. */
#define BLOCK 32u

#define PLACE_IDLE UINT32_MAX

TW_NO_SETTINGS(scan, TW_DEADLINE_MAX);

struct entry {
    uint32_t high; /* upper half of the due tick */
    tw_id id;
};

struct tw_timers {
    uint32_t *lows;        /* by place: lower half of the due tick; room for whole blocks */
    struct entry *entries; /* by place */
    uint32_t *places;      /* by id: of its entry, or PLACE_IDLE */
    tw_tick now;           /* the tick being processed; during a jump that of what fires */
    tw_tick swept;         /* now, or the end of the jump */
    uint32_t waiting;      /* entries at places below are due after `swept` */
    uint32_t running;      /* entries from there up to here are due, and about to fire */
    uint32_t capacity;
    TW_WORK_FIELD
};

static inline tw_tick entry_due(const struct tw_timers *timers, uint32_t place)
{
    return (tw_tick)timers->entries[place].high << 32 | timers->lows[place];
}

static inline void entry_put(struct tw_timers *timers, uint32_t place, tw_id id, tw_tick due)
{
    timers->lows[place] = (uint32_t)due;
    timers->entries[place] = (struct entry){(uint32_t)(due >> 32), id};
    timers->places[id] = place;
    TW_COUNT(timers, link_writes, 1);
}

static inline void entry_move(struct tw_timers *timers, uint32_t from, uint32_t to)
{
    entry_put(timers, to, timers->entries[from].id, entry_due(timers, from));
    TW_COUNT(timers, moves, 1);
}

/* Closes the gap at a place: if it is among those that wait, by the last of these, and the gap that
 * this leaves by the last of the due. */
static inline void entry_remove(struct tw_timers *timers, uint32_t place)
{
    if (place < timers->waiting) {
        uint32_t last = --timers->waiting;
        if (place != last)
            entry_move(timers, last, place);
        place = last;
    }
    uint32_t last = --timers->running;
    if (place != last)
        entry_move(timers, last, place);
}

/* Adds an entry to those that wait, or to those that are about to fire. */
static inline void entry_add(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t place = timers->running++;
    if (due > timers->swept) {
        uint32_t first_due = timers->waiting++;
        if (place != first_due)
            entry_move(timers, first_due, place);
        place = first_due;
    }
    entry_put(timers, place, id, due);
}

/* Whether anything in a block may be due in the `length` ticks from `begin` on, by the lower halves
 * alone.  Says yes once too often when one is due 2^32 ticks later. */
static inline bool block_may_be_due(const uint32_t *lows, uint32_t begin, uint32_t length)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < BLOCK; i++)
        due |= lows[i] - begin < length;
    return due != 0;
}

/* Moves the due ones of a block behind all that wait.  From its end, so that what takes the place
 * of a due one has been looked at. */
static void block_collect(struct tw_timers *timers, uint32_t first)
{
    uint32_t place = first + BLOCK < timers->waiting ? first + BLOCK : timers->waiting;
    while (place-- > first) {
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        tw_tick due = entry_due(timers, place);
        if (due > timers->swept)
            continue;
        uint32_t last = --timers->waiting;
        tw_id id = timers->entries[place].id;
        entry_move(timers, last, place);
        entry_put(timers, last, id, due);
    }
}

/* Looks at all that run, from the last block to the first. */
static void scan_collect(struct tw_timers *timers)
{
    tw_tick length = timers->swept - timers->now;
    uint32_t begin = (uint32_t)timers->now + 1;
    TW_COUNT(timers, visits, timers->waiting);
    TW_COUNT(timers, comparisons, timers->waiting);
    for (uint32_t first = (timers->waiting + BLOCK - 1) / BLOCK * BLOCK; first > 0;) {
        first -= BLOCK;
        if (length > UINT32_MAX || block_may_be_due(timers->lows + first, begin, (uint32_t)length))
            block_collect(timers, first);
    }
}

/* Fires from the end, where a callback changes least. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    TW_COUNT(timers, empty_ticks, timers->waiting == timers->running);
    while (timers->running > timers->waiting) {
        uint32_t place = --timers->running;
        tw_id id = timers->entries[place].id;
        timers->now = entry_due(timers, place);
        timers->places[id] = PLACE_IDLE;
        TW_COUNT(timers, link_writes, 1);
        expire(ctx, id, timers->now);
    }
}

static void scan_close(struct tw_timers *timers)
{
    free(timers->lows);
    free(timers->entries);
    free(timers->places);
    free(timers);
}

static struct tw_footprint scan_footprint(const struct tw_timers *timers)
{
    const size_t id_bytes = sizeof *timers->lows + sizeof *timers->entries + sizeof *timers->places;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + BLOCK * sizeof *timers->lows,
        .capacity_bytes = (uint64_t)timers->capacity * id_bytes,
    };
}

/* All arrays or none of them. */
static bool scan_allocate(struct tw_timers *timers)
{
    size_t capacity = timers->capacity;
    timers->lows = arrays_zeroed(capacity + BLOCK, sizeof *timers->lows);
    timers->entries = arrays_zeroed(capacity, sizeof *timers->entries);
    timers->places = malloc(capacity * sizeof *timers->places);
    if (!timers->lows || !timers->entries || !timers->places)
        return false;
    memset(timers->places, 0xff, capacity * sizeof *timers->places);
    return true;
}

static int scan_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, scan_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->now = timers->swept = config->now;
    return open_end(out, timers, scan_allocate(timers), scan_footprint, scan_close, error);
}

static int scan_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    uint32_t place = timers->places[id];
    if (place == PLACE_IDLE) {
        entry_add(timers, id, deadline);
        return TW_OK;
    }
    if (place < timers->waiting && deadline > timers->swept) {
        timers->lows[place] = (uint32_t)deadline;
        timers->entries[place].high = (uint32_t)(deadline >> 32);
    } else {
        entry_remove(timers, place);
        entry_add(timers, id, deadline);
    }
    return TW_REARMED;
}

static int scan_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t place = timers->places[id];
    if (place == PLACE_IDLE)
        return TW_IDLE;
    entry_remove(timers, place);
    timers->places[id] = PLACE_IDLE;
    TW_COUNT(timers, link_writes, 1);
    return TW_OK;
}

static void scan_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    timers->swept = to;
    scan_collect(timers);
    due_fire(timers, expire, ctx);
    timers->now = to;
}

static tw_tick scan_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    for (uint32_t place = 0; place < timers->running; place++) {
        tw_tick due = entry_due(timers, place);
        earliest = due < earliest ? due : earliest;
    }
    return earliest;
}

static void scan_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t place = 0; place < timers->running; place++) {
        struct tw_view view = {
            .id = timers->entries[place].id, .deadline = entry_due(timers, place), .slot = place};
        visit(ctx, &view);
    }
}

static const char *scan_check(const struct tw_timers *timers)
{
    if (timers->running > timers->capacity)
        return "there are more entries than ids";
    if (timers->waiting != timers->running || timers->swept != timers->now)
        return "a timer is still about to fire";
    for (uint32_t place = 0; place < timers->running; place++) {
        tw_id id = timers->entries[place].id;
        if (id >= timers->capacity || timers->places[id] != place)
            return "an entry is not at the place of its id";
        if (entry_due(timers, place) <= timers->now)
            return "a timer is still held after its due tick";
    }
    uint32_t placed = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        placed += timers->places[id] != PLACE_IDLE;
    if (placed != timers->running)
        return "an idle timer has a place";
    return NULL;
}

TW_TELL_WORK(scan);
const struct tw_backend TW_BACKEND(scan) = {
    .abi_version = TW_ABI_VERSION,
    .name = "scan",
    .summary = "polling scan: every tick looks at every running timer (scheme 1)",
    .traits = {.flags = TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_N, TW_O_N},
               .tick = {TW_O_N, TW_O_N}},
    TW_HOOKS(scan, scan),
};
