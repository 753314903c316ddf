/*
 * hier_queue.c - overflow wheels driven by a heap of their buckets that are not empty: the timing
 * wheel of Kafka, which is scheme 7 of Varghese & Lauck on top of scheme 3.
 *
 *     levels=4,4, now = 5, in [slot]             heap of buckets, by the tick at which they begin
 *
 *     wheel 0    [5]     6      7      8                       7 (wheel 0)
 *                               o                             /           \
 *     wheel 1   [4..7] 8..11  12..15 16..19          12 (wheel 1)      16 (wheel 1)
 *                              o o     o
 *
 *     The clock goes from 7 straight to 12, where the bucket's two timers go down to wheel 0.
 *
 *              average                       worst
 *     start    O(levels in use), and O(log b) for the first of a bucket; b: buckets not empty
 *     stop     O(1), and O(log b) for the last of a bucket
 *     tick     O(1); O(log b) a bucket       O(n), when all are in the bucket that comes down
 *     advance  O(levels) over any time in which nothing is held; O(log b) a bucket, O(levels) a timer
 *     next     O(1)                          O(1)
 *     memory   16 bytes a timer; 28 a bucket of wheel 0, 84 above; all taken at open
 *
 * Invariants, tested by check (between calls), list by list:
 *  1. The wheels stand where the clock is.
 *  2. Nothing is on the list of the due.
 *  3. Every list is a ring: forward and back links agree and lead to running timers only.
 *  4. Every due tick is later than now and within reach.
 *  5. A timer is in the bucket of its due tick, in the lane of its id, in a wheel no lower than the
 *     lowest that now reaches it.
 *  6. A bucket is in the heap if and only if it is not empty, at the tick at which it begins, and its
 *     place there is known.
 *  7. No entry of the heap is earlier than its parent.
 *  8. The timers in the buckets are as many as run, and all others are idle.
 *
 * Departures from Kafka.  A bucket leaves the heap when its last timer is stopped; there it stays
 * and wakes the thread for nothing.  Wheels follow the clock and not the last bucket, so a timer
 * never starts higher up than it has to.  A bucket of an upper wheel is eight lists (levels.h), so
 * that coming down waits for eight cache misses at once.  A wheel beyond the horizon is not allocated
 * when it is first needed, but until then no start looks at it.
 *
 * It loses against hier where buckets fill and empty all the time with one timer in each: then it
 * is a heap with wheels to look after; and with small wheels timers come down more often.
 */
#include "levels.h"

/* Kafka's. */
#define WHEEL_SIZE 20

static const struct tw_param queue_params[] = {
    {"levels",
     "slots of each wheel, the finest first; any sizes (default: 20 for each, all of the clock)", 2,
     LEVEL_SIZE_MAX, TW_VALUES_MAX},
    {NULL, NULL, 0, 0, 0},
};

struct entry {
    tw_tick begin;
    uint32_t bucket;
};

/* The root of the heap is entry 1. */
#define ROOT 1u
/* Position of a bucket that is not in the heap. */
#define NOWHERE 0u

struct tw_timers {
    struct link *links;    /* timers, then the buckets of all wheels, then the list of the due */
    tw_tick *dues;         /* of running timers */
    struct entry *entries; /* the heap */
    uint32_t *positions;   /* of each bucket in the heap */
    tw_tick now;           /* the tick being processed */
    tw_tick span;
    uint32_t count;      /* entries of the heap */
    uint32_t top;        /* highest wheel that the horizon needs, or that a timer came to */
    uint32_t last;       /* highest wheel */
    uint32_t slot_heads; /* index of the first list: the capacity */
    uint32_t upper;      /* index of the first list of wheel 1 */
    uint32_t fine;       /* buckets of wheel 0, and those that its padding makes */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    /* Of each wheel: first tick that it does not take any more, and first tick of the slot after
     * that of now; TW_NEVER if there is none. */
    tw_tick ends[TW_VALUES_MAX];
    tw_tick turns[TW_VALUES_MAX];
    struct level levels[TW_VALUES_MAX];
    TW_WORK_FIELD
};

/* ---- Buckets and lists ----------------------------------------------------------------------- */

static inline uint32_t bucket_of(const struct tw_timers *timers, uint32_t list)
{
    return list < timers->upper ? list - timers->slot_heads
                                : timers->fine + ((list - timers->upper) >> LANE_BITS);
}

static inline uint32_t bucket_list(const struct tw_timers *timers, uint32_t bucket)
{
    return bucket < timers->fine ? timers->slot_heads + bucket
                                 : timers->upper + ((bucket - timers->fine) << LANE_BITS);
}

static inline uint32_t bucket_lanes(const struct tw_timers *timers, uint32_t bucket)
{
    return bucket < timers->fine ? 1 : LANES;
}

static bool bucket_is_empty(const struct tw_timers *timers, uint32_t bucket)
{
    uint32_t list = bucket_list(timers, bucket), end = list + bucket_lanes(timers, bucket);
    while (list < end && links_is_empty(timers->links, list))
        list++;
    return list == end;
}

/* ---- The heap -------------------------------------------------------------------------------- */

/* Of buckets that begin with the same tick the higher one comes first: what it holds for this very
 * tick goes down to the bucket of wheel 0, which then fires once. */
static inline bool entry_before(const struct entry *a, const struct entry *b)
{
    return a->begin < b->begin || (a->begin == b->begin && a->bucket > b->bucket);
}

static inline void entry_put(struct tw_timers *timers, uint32_t position, struct entry entry)
{
    timers->entries[position] = entry;
    timers->positions[entry.bucket] = position;
    TW_COUNT(timers, link_writes, 1);
}

static void entry_climb(struct tw_timers *timers, uint32_t position, struct entry entry)
{
    for (; position > ROOT; position /= 2) {
        TW_COUNT(timers, comparisons, 1);
        if (!entry_before(&entry, &timers->entries[position / 2]))
            break;
        TW_COUNT(timers, moves, 1);
        entry_put(timers, position, timers->entries[position / 2]);
    }
    entry_put(timers, position, entry);
}

static void entry_sink(struct tw_timers *timers, uint32_t position, struct entry entry)
{
    for (uint32_t child; (child = 2 * position) <= timers->count; position = child) {
        TW_COUNT(timers, comparisons, 2);
        if (child < timers->count &&
            entry_before(&timers->entries[child + 1], &timers->entries[child]))
            child++;
        if (!entry_before(&timers->entries[child], &entry))
            break;
        TW_COUNT(timers, moves, 1);
        entry_put(timers, position, timers->entries[child]);
    }
    entry_put(timers, position, entry);
}

static void bucket_enter(struct tw_timers *timers, uint32_t bucket, tw_tick begin)
{
    entry_climb(timers, ++timers->count, (struct entry){begin, bucket});
}

static void bucket_leave(struct tw_timers *timers, uint32_t bucket)
{
    uint32_t position = timers->positions[bucket];
    struct entry last = timers->entries[timers->count--];
    timers->positions[bucket] = NOWHERE;
    if (last.bucket == bucket)
        return;
    if (position > ROOT && entry_before(&last, &timers->entries[position / 2]))
        entry_climb(timers, position, last);
    else
        entry_sink(timers, position, last);
}

/* ---- Timers ---------------------------------------------------------------------------------- */

static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t wheel = level_of(timers->ends, timers->top, due);
    TW_COUNT(timers, comparisons, timers->top);
    while (__builtin_expect(wheel < timers->last && due >= timers->ends[wheel], 0))
        timers->top = ++wheel;
    const struct level *level = &timers->levels[wheel];
    uint64_t steps = level_steps(level, due);
    uint32_t list = level_list(level, steps), bucket = bucket_of(timers, list);
    if (timers->positions[bucket] == NOWHERE)
        bucket_enter(timers, bucket, level->begin + steps * level->unit);
    links_append(timers->links, list + (id & level->lane_mask), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

/* Takes a timer out of its list; the last of a bucket takes the bucket out of the heap. */
static inline void timer_unlink(struct tw_timers *timers, tw_id id)
{
    struct link link = timers->links[id];
    links_remove(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    if (link.prev != link.next || link.prev == timers->due_head)
        return;
    uint32_t bucket = bucket_of(timers, link.prev);
    if (bucket < timers->fine || bucket_is_empty(timers, bucket))
        bucket_leave(timers, bucket);
}

/* ---- The clock ------------------------------------------------------------------------------- */

/* The latest multiple of the period by now, from one that is not later: mostly that one. */
static inline tw_tick multiple_by(tw_tick now, tw_tick period, tw_tick known)
{
    if (now - known < period)
        return known;
    return period > 1 ? now - now % period : now;
}

/* Sets the clock, and turns the wheels to it: those whose slot of now is over. */
static void clock_set(struct tw_timers *timers, tw_tick now)
{
    timers->now = now;
    for (uint32_t i = 0; i <= timers->last && now >= timers->turns[i]; i++) {
        struct level *level = &timers->levels[i];
        tw_tick slot = multiple_by(now, level->unit, timers->turns[i]);
        level->begin = multiple_by(now, level->revolution, level->begin);
        timers->turns[i] = tick_add(slot, level->unit);
        timers->ends[i] = tick_add(slot, level->revolution);
    }
}

/* Moves all timers of a bucket of an upper wheel down, lane by lane in turn. */
static void bucket_demote(struct tw_timers *timers, uint32_t list)
{
    uint32_t lane[LANES];
    uint32_t lanes = lanes_take(timers->links, timers->dues, list, lane);
    TW_COUNT(timers, cascades, 1);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t id =
                lane_step(timers->links, timers->dues, timers->slot_heads, lane, &lanes, i);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, moves, 1);
            timer_place(timers, id, timers->dues[id]);
        }
}

/* Fires a bucket of wheel 0, which has left the heap: by a list of its own, so that the stop of the
 * last one does not take the bucket out again. */
static void bucket_fire(struct tw_timers *timers, uint32_t list, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    links_take(links, list, timers->due_head);
    TW_COUNT(timers, link_writes, LINKS_TAKE_WRITES);
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, id, timers->now);
    }
}

/* Goes to the tick at which the first bucket begins, and empties it. */
static void bucket_run(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct entry first = timers->entries[ROOT];
    uint32_t list = bucket_list(timers, first.bucket);
    bucket_leave(timers, first.bucket);
    TW_COUNT(timers, pointer_moves, 1);
    clock_set(timers, first.begin);
    if (first.bucket < timers->fine) {
        bucket_fire(timers, list, expire, ctx);
    } else {
        bucket_demote(timers, list);
        TW_COUNT(timers, empty_ticks, timers->entries[ROOT].begin != timers->now);
    }
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

static void queue_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->dues);
    free(timers->entries);
    free(timers->positions);
    free(timers);
}

static uint32_t bucket_count(const struct tw_timers *timers)
{
    return bucket_of(timers, timers->due_head);
}

static bool arrays_new(struct tw_timers *timers)
{
    uint32_t capacity = timers->slot_heads, buckets = bucket_count(timers);
    timers->links = links_new(capacity, timers->due_head + 1 - capacity);
    timers->dues = malloc(capacity * sizeof *timers->dues);
    timers->entries = calloc((size_t)buckets + ROOT, sizeof *timers->entries);
    timers->positions = calloc(buckets, sizeof *timers->positions);
    return timers->links && timers->dues && timers->entries && timers->positions;
}

static struct tw_footprint queue_footprint(const struct tw_timers *timers)
{
    uint64_t lists = (uint64_t)timers->due_head + 1 - timers->slot_heads;
    uint64_t buckets = bucket_count(timers);
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link) +
                       (buckets + ROOT) * sizeof(struct entry) +
                       buckets * sizeof *timers->positions,
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

static int queue_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, queue_params, config, error);
    if (status != TW_OK)
        return status;
    struct tw_setting sizes;
    levels_resolve(config, 0, WHEEL_SIZE, WHEEL_SIZE, &sizes);
    timers->slot_heads = config->capacity;
    timers->last = sizes.count - 1;
    status = levels_lay_out(timers->levels, &sizes, 1, config->capacity, &timers->due_head, error);
    timers->upper = timers->last > 0 ? timers->levels[1].heads : timers->due_head;
    timers->fine = timers->upper - timers->slot_heads;
    if (status != TW_OK) {
        free(timers);
        return status;
    }
    const struct level *last = &timers->levels[timers->last];
    timers->span = last->revolution == TW_NEVER ? TW_DEADLINE_MAX : last->revolution - last->unit;
    while (timers->top < timers->last && config->horizon >= timers->levels[timers->top].revolution)
        timers->top++;
    clock_set(timers, config->now);
    return open_end(out, timers, arrays_new(timers), queue_footprint, queue_close, error);
}

static int queue_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    if (deadline - timers->now > timers->span)
        return TW_REFUSED_RANGE;
    int status = TW_OK;
    if (links_is_idle(timers->links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        timer_unlink(timers, id);
    }
    timers->dues[id] = deadline;
    timer_place(timers, id, deadline);
    return status;
}

static int queue_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    timer_unlink(timers, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, 1);
    timers->running--;
    return TW_OK;
}

static void queue_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->count > 0 && timers->entries[ROOT].begin <= to)
        bucket_run(timers, expire, ctx);
    if (to > timers->now)
        clock_set(timers, to);
}

/* Exact when the first bucket is one of wheel 0, else the tick at which it comes down. */
static tw_tick queue_next(const struct tw_timers *timers)
{
    return timers->count > 0 ? timers->entries[ROOT].begin : TW_NEVER;
}

static void queue_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    levels_visit(timers->levels, timers->links, timers->dues, timers->running, visit, ctx);
}

/* Invariant 1. */
static const char *levels_check(const struct tw_timers *timers)
{
    for (uint32_t i = 0; i <= timers->last; i++) {
        const struct level *level = &timers->levels[i];
        if (level->begin != timers->now - timers->now % level->revolution)
            return "a wheel is not in the revolution of now";
        tw_tick slot = timers->now - timers->now % level->unit;
        if (timers->turns[i] != tick_add(slot, level->unit) ||
            timers->ends[i] != tick_add(slot, level->revolution))
            return "a wheel does not stand where the clock is";
    }
    return NULL;
}

/* Invariants 4 to 6, for one list whose links are known to be sound. */
static const char *list_check(const struct tw_timers *timers, uint32_t head)
{
    uint32_t index = level_with(timers->levels, timers->last, head);
    const struct level *level = &timers->levels[index];
    uint32_t position = timers->positions[bucket_of(timers, head)];
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick due = timers->dues[id];
        if (due <= timers->now)
            return "a timer is still held after its due tick";
        if (due - timers->now > timers->span)
            return "a timer is held beyond the reach of the wheels";
        if (level_list_of(level, id, due) != head ||
            level_of(timers->ends, timers->last, due) > index)
            return "a timer is not in a bucket and lane of its due tick";
        if (position == NOWHERE || position > timers->count)
            return "a bucket that holds a timer is not in the heap";
        if (timers->entries[position].begin != due - due % level->unit)
            return "a bucket is in the heap for another tick than that at which it begins";
    }
    return NULL;
}

/* Invariants 6 and 7. */
static const char *heap_check(const struct tw_timers *timers)
{
    uint32_t known = 0;
    for (uint32_t bucket = 0; bucket < bucket_count(timers); bucket++)
        known += timers->positions[bucket] != NOWHERE;
    if (known != timers->count)
        return "there are not as many buckets in the heap as know their place";
    for (uint32_t i = ROOT; i <= timers->count; i++) {
        const struct entry *entry = &timers->entries[i];
        if (entry->bucket >= bucket_count(timers) || timers->positions[entry->bucket] != i)
            return "a bucket does not know its place in the heap";
        if (bucket_is_empty(timers, entry->bucket))
            return "an empty bucket is in the heap";
        if (i > ROOT && entry_before(entry, &timers->entries[i / 2]))
            return "an entry of the heap is earlier than its parent";
    }
    return NULL;
}

static const char *queue_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken = levels_check(timers);
    if (!broken && !links_is_empty(timers->links, timers->due_head))
        broken = "a timer was left on the list of the due";
    if (!broken)
        broken =
            links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                              level_end(&timers->levels[timers->last]), &held, timers, list_check);
    if (!broken)
        broken = heap_check(timers);
    return links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
}

static void queue_describe(const struct tw_timers *timers, struct tw_description *out)
{
    struct tw_setting levels = {.name = "levels", .count = timers->last + 1};
    for (uint32_t i = 0; i <= timers->last; i++)
        levels.values[i] = timers->levels[i].size;
    *out = (struct tw_description){.span = timers->span, .setting_count = 1, .settings = {levels}};
}

TW_TELL_WORK(queue);
LINKS_SPOT(hier_queue, timers->slot_heads, level_end(&timers->levels[timers->last]), list_check);
const struct tw_spot TW_SPOT(hier_queue) = {hier_queue_spot};
const struct tw_backend TW_BACKEND(hier_queue) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hier-queue",
    .summary = "overflow wheels driven by a heap of the buckets that are not empty (Kafka's)",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_LOG_N, TW_O_N}},
    TW_HOOKS(queue, queue),
};
