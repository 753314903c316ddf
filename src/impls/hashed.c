/*
 * hashed.c - hashed wheel with unsorted buckets: scheme 6 of Varghese & Lauck, in the variant that
 * stores the absolute deadline and compares it (section 6.1.2; the callout wheel of 4.4BSD).
 *
 *     slot = due mod slots                       now = 10, slots = 8
 *
 *       0        1        2        3        4        5        6        7
 *     +----+   +----+   +----+   +----+   +----+   +----+   +----+   +----+
 *     |    |   |    |   |    |   | 19 |   | 12 |   |    |   |    |   | 15 |
 *     +----+   +----+   +-^--+   | 11 |   +----+   +----+   +----+   +----+
 *                         |      +----+
 *                   slot of now    ^ visited next, at tick 11: 11 fires, 19 is looked at and stays
 *
 *              average                       worst
 *     start    O(1)                          O(1)
 *     stop     O(1)                          O(1)
 *     tick     O(1 + n / slots)              O(n), when all share a slot
 *     advance  one tick after another; O(slots + n) for any jump beyond one revolution
 *     next     O(slots / n)                  O(slots + n), when nothing is due in this revolution
 *     memory   16 bytes a timer, 8 bytes a slot; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is a ring: forward and back links agree and lead to running timers only.
 *  2. Nothing is on the list of the due, and no jump is under way.
 *  3. A timer is in the slot of its due tick.
 *  4. Every due tick is later than now.
 *  5. The timers in the slots are as many as run, and all others are idle.
 *
 * Departures from the paper.  The due timers of a slot first move to a list of their own and then
 * fire from its head, so that a callback may stop or restart anything, also into the slot that was
 * just visited, without the walk noticing.  A jump of more than one revolution does not turn the
 * wheel: it visits every slot once and takes everything due by the end of the jump; what callbacks
 * start within the jumped span joins the list of the due directly.  The first timer of a slot is
 * prefetched some ticks before its turn, and the others while the timers of the slot before it
 * fire, which hides most of the cache misses.
 *
 * It loses when slots are few against the timers and the delays long: then each tick looks at
 * n / slots timers, one cache miss after another, most of which stay.  And it steps through empty
 * slots: nothing tells it where the next timer is.
 */
#include "backend.h"
#include "links.h"

/* More would leave no room for as many timers and the list of the due in a 32-bit index space. */
#define SLOTS_MAX (UINT64_C(1) << 30)
/* Fewer slots by default would save less than 2 KiB. */
#define SLOTS_DEFAULT_MIN 256
/* Ticks between the prefetch of a slot's first timer and its turn: about one memory latency at the
 * few nanoseconds that a tick takes. */
#define PREFETCH_TICKS 8

static const struct tw_param hashed_params[] = {
    {"slots",
     "slots of the wheel, rounded up to a power of two (default: as many as timers, at least 256, "
     "at most the horizon)",
     1, SLOTS_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links;  /* timers, then the slots, then the list of the due */
    tw_tick *dues;       /* of running timers */
    tw_tick now;         /* the tick being processed; during a jump that of the timer that fires */
    tw_tick swept;       /* slots hold nothing due up to here: now, or the end of the jump */
    uint32_t mask;       /* slots - 1 */
    uint32_t slot_heads; /* index of slot 0: the capacity */
    uint32_t due_head;   /* index of the list of the due */
    uint32_t running;
    TW_WORK_FIELD
};

static inline uint32_t slot_head(const struct tw_timers *timers, tw_tick tick)
{
    return timers->slot_heads + ((uint32_t)tick & timers->mask);
}

/* The list that a timer with this due tick belongs to. */
static inline uint32_t list_of(const struct tw_timers *timers, tw_tick due)
{
    return __builtin_expect(due <= timers->swept, 0) ? timers->due_head : slot_head(timers, due);
}

static inline void slot_prefetch(const struct tw_timers *timers, tw_tick tick)
{
    uint32_t first = timers->links[slot_head(timers, tick)].next;
    __builtin_prefetch(&timers->links[first]);
    if (first < timers->slot_heads)
        __builtin_prefetch(&timers->dues[first]);
}

/* Moves what is due by the swept tick from a slot to the list of the due. */
static void slot_collect(struct tw_timers *timers, uint32_t head)
{
    struct link *links = timers->links;
    for (uint32_t node = links[head].next, next; node != head; node = next) {
        next = links[node].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->dues[node] > timers->swept)
            continue;
        links_remove(links, node);
        links_append(links, timers->due_head, node);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + LINKS_APPEND_WRITES);
    }
}

/* Fires the list of the due.  For each it takes a step along the list of the coming slot, so that
 * the cache misses of that walk are under way together with those of the callbacks. */
static void due_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct link *links = timers->links;
    uint32_t coming = links[slot_head(timers, timers->now + 1)].next;
    for (uint32_t id; (id = links[timers->due_head].next) != timers->due_head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        timers->now = timers->dues[id];
        if (coming < timers->slot_heads) {
            __builtin_prefetch(&timers->dues[coming]);
            coming = links[coming].next;
        }
        expire(ctx, id, timers->now);
    }
}

/* Fires what is due in the slot of now.  Kept out of line, so that the step over an empty slot, by
 * far the most frequent call, saves no registers. */
__attribute__((noinline)) static void slot_fire(struct tw_timers *timers, uint32_t head,
                                                tw_expire_fn *expire, void *ctx)
{
    slot_collect(timers, head);
    TW_COUNT(timers, empty_ticks, links_is_empty(timers->links, timers->due_head));
    due_fire(timers, expire, ctx);
}

static inline void clock_step(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    tw_tick now = timers->now + 1;
    uint32_t head = slot_head(timers, now);
    timers->now = timers->swept = now;
    TW_COUNT(timers, pointer_moves, 1);
    slot_prefetch(timers, now + PREFETCH_TICKS);
    if (links_is_empty(timers->links, head))
        TW_COUNT(timers, empty_ticks, 1);
    else
        slot_fire(timers, head, expire, ctx);
}

/* A jump over every slot at least once: one visit of each is enough. */
static void clock_jump(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->swept = to;
    for (uint64_t i = 1; i <= (uint64_t)timers->mask + 1; i++) {
        slot_prefetch(timers, timers->now + i + PREFETCH_TICKS);
        TW_COUNT(timers, pointer_moves, 1);
        slot_collect(timers, slot_head(timers, timers->now + i));
    }
    due_fire(timers, expire, ctx);
    timers->now = to;
}

/* As many slots as timers, the rule of 4.4BSD, keeps buckets at about one timer; beyond the horizon
 * every slot would already hold timers of one tick only. */
static uint64_t slots_default(const struct tw_config *config)
{
    uint64_t slots = config->capacity;
    if (slots < SLOTS_DEFAULT_MIN)
        slots = SLOTS_DEFAULT_MIN;
    if (config->horizon != 0 && slots > config->horizon)
        slots = config->horizon;
    return slots;
}

static void hashed_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->dues);
    free(timers);
}

static int hashed_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    int status = params_check(hashed_params, config, error);
    if (status != TW_OK)
        return status;
    const struct tw_setting *given = params_find(config, "slots");
    uint32_t slots =
        (uint32_t)params_power_of_two(given ? given->values[0] : slots_default(config));
    struct tw_timers *timers = calloc(1, sizeof *timers);
    if (!timers)
        return params_no_memory(error, sizeof *timers);
    timers->now = timers->swept = config->now;
    timers->mask = slots - 1;
    timers->slot_heads = config->capacity;
    timers->due_head = config->capacity + slots;
    timers->links = links_new(config->capacity, slots + 1);
    timers->dues = malloc(config->capacity * sizeof *timers->dues);
    if (!timers->links || !timers->dues) {
        hashed_close(timers);
        return params_no_memory(error,
                                ((uint64_t)config->capacity + slots + 1) * sizeof(struct link) +
                                    (uint64_t)config->capacity * sizeof(tw_tick));
    }
    *out = timers;
    return TW_OK;
}

static int hashed_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    if (__builtin_expect(deadline <= timers->now, 0)) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    int status = TW_OK;
    if (links_is_idle(timers->links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        links_remove(timers->links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    }
    timers->dues[id] = deadline;
    links_append(timers->links, list_of(timers, deadline), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
    return status;
}

static int hashed_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    links_remove(timers->links, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
    timers->running--;
    return TW_OK;
}

/* Any advance but a single step. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (timers->running == 0)
        timers->now = timers->swept = to;
    else if (to - timers->now > (uint64_t)timers->mask + 1)
        clock_jump(timers, to, expire, ctx);
    else
        while (timers->now != to)
            clock_step(timers, expire, ctx);
}

static void hashed_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

/* Slots in the order of their turns; the first timer that is due at its slot's turn is the next. */
static tw_tick hashed_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    uint32_t seen = 0;
    for (uint64_t i = 1; seen < timers->running && earliest - timers->now >= i; i++) {
        uint32_t head = slot_head(timers, timers->now + i);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            seen++;
            if (timers->dues[id] < earliest)
                earliest = timers->dues[id];
        }
    }
    return earliest;
}

static void hashed_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            tw_tick due = timers->dues[id];
            struct tw_view view = {
                .id = id,
                .deadline = due,
                .slot = head - timers->slot_heads,
                .rounds = (due - timers->now - 1) / ((uint64_t)timers->mask + 1),
            };
            visit(ctx, &view);
        }
}

/* Invariants 3 and 4, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        if (slot_head(timers, timers->dues[id]) != head)
            return "a timer is not in the slot of its due tick";
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its due tick";
    }
    return NULL;
}

static const char *hashed_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    const char *broken =
        links_check_all(timers->links, timers->slot_heads, timers->due_head + 1, &held);
    if (broken)
        return broken;
    if (!links_is_empty(timers->links, timers->due_head) || timers->swept != timers->now)
        return "a timer was left on the list of the due";
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++) {
        broken = slot_check(timers, head);
        if (broken)
            return broken;
    }
    if (held != timers->running || links_count(timers->links, timers->slot_heads) != held)
        return "the slots do not hold exactly the running timers";
    return NULL;
}

static struct tw_footprint hashed_footprint(const struct tw_timers *timers)
{
    uint64_t lists = (uint64_t)timers->mask + 2;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + lists * sizeof(struct link),
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

static void hashed_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{.name = "slots", .count = 1, .values = {(uint64_t)timers->mask + 1}}},
    };
}

static const struct tw_work *hashed_work(const struct tw_timers *timers)
{
    (void)timers;
    return TW_WORK_OF(timers);
}

const struct tw_backend TW_BACKEND(hashed) = {
    .abi_version = TW_ABI_VERSION,
    .name = "hashed",
    .summary = "hashed wheel, unsorted buckets, absolute deadline compared (scheme 6)",
    .traits = {.flags = TW_FIFO | TW_NEXT_EXACT,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    .params = hashed_params,
    .open = hashed_open,
    .close = hashed_close,
    .start = hashed_start,
    .stop = hashed_stop,
    .advance = hashed_advance,
    .next = hashed_next,
    .visit = hashed_visit,
    .check = hashed_check,
    .footprint = hashed_footprint,
    .describe = hashed_describe,
    .work = hashed_work,
};
