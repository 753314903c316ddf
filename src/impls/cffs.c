/*
 * cffs.c - circular hierarchical find-first-set queue, after A. Saeed, Y. Zhao, N. Dukkipati, M. Ammar,
 * E. Zegura, K. Harras, A. Vahdat, "Eiffel: Efficient and Flexible Software Packet Scheduling" (NSDI 2019).
 *
 *     bucket = due mod 64^height     two windows of 64^height ticks; height = 2, now = 70
 *
 *                                word of words     words               buckets of one tick
 *     this window, 0 .. 4095     .x.....           x..x... (64..127)   64: passed  67: due 67 ..
 *     the coming, 4096 .. 8191   x......           .x..... (0..63)     1: due 4097
 *     overflow                   due 8192 and later, unsorted, in 8 lanes
 *
 *     A bit says that a bucket may hold something, a bit one level up that a word has a bit.  As many
 *     find-first-set instructions as there are levels lead to the next timer.
 *
 *              average                        worst
 *     start    O(1)                           O(1)
 *     stop     O(1)                           O(1)
 *     tick     O(1 + n / 64^height)           O(n), on which the windows turn
 *     advance  O(1) for a bucket in use and a turn; nothing for empty buckets, however long the jump
 *     next     O(1)                           O(n), when all buckets were left by stops
 *     memory   16 bytes a timer, 16 bytes for each of the 64^height buckets; nothing is allocated after open
 *
 * Invariants, tested by check in this order (between calls):
 *  1. The window that lies in is that of now.
 *  2. Every list is a ring: forward and back links agree and lead to running timers only.
 *  3. A bucket that holds something is marked at every level, one that the clock has passed is not, and a mark
 *     leads to a mark below.
 *  4. A timer is in the bucket of its due tick, or in the lane of its id in the overflow.
 *  5. Every due tick is later than now; in the overflow beyond both windows, and not before `first_over`.
 *  6. The lists hold exactly the running timers.
 *
 * Departures from the paper.  There the last bucket takes what lies beyond both windows and such packets
 * leave in the order in which they came, for the time of a packet scheduler is at most seconds away; here
 * they wait in an overflow, and those that belong to the two windows are dealt out when the windows turn.
 * The overflow is walked in 8 lanes with prefetches, and only when something in it may be due in the two
 * windows.  A stop leaves the marks; whoever comes to an empty bucket wipes them.  A jump goes from
 * bucket to bucket, and turns straight to the next window with something in it.
 *
 * It loses where delays are long against a window: then each turn goes through the whole overflow.  More height
 * shortens that and costs memory, of which each start touches another cache line.
 */
#include "design.h"
#include "lanes.h"
#include "links.h"

#define WORD_BITS  6u
#define WORD       (1u << WORD_BITS)
#define HEIGHT_MAX 3u /* 2 x 262,144 buckets: 4 MiB */

static const struct tw_param cffs_params[] = {
    {"height",
     "levels of words of 64 bits: a window has 64^height buckets of one tick (default: 2, or 3 "
     "where the horizon is "
     "unknown or more than 8192 ticks)",
     1, HEIGHT_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct tw_timers {
    struct link *links; /* timers, the buckets of two windows, the lanes of the overflow */
    tw_tick *dues;      /* of running timers */
    uint64_t *marks;    /* of two windows: level by level, from the buckets up */
    tw_tick now;        /* the tick being processed */
    tw_tick window;     /* the one that lies in: now / 64^height */
    tw_tick first_over; /* nothing in the overflow is due before; TW_NEVER: nothing is there */
    uint32_t height;
    uint32_t bits;      /* log2 of the buckets of a window */
    uint32_t words;     /* of marks of one window */
    uint32_t capacity;  /* also the index of the first bucket */
    uint32_t over_head; /* index of the first lane of the overflow */
    uint32_t running;
    TW_WORK_FIELD
};

#include "wheel.h"

static inline uint32_t bucket_count(const struct tw_timers *timers)
{
    return 1u << timers->bits;
}

/* The list of a tick in one of the two windows. */
static inline uint32_t bucket_head(const struct tw_timers *timers, tw_tick tick)
{
    return timers->capacity + ((uint32_t)tick & (2 * bucket_count(timers) - 1));
}

static inline uint64_t *window_marks(const struct tw_timers *timers, tw_tick window)
{
    return timers->marks + (window & 1) * timers->words;
}

/* ---- Marks. ---------------------------------------------------------------------------------- */

static inline void bucket_mark(struct tw_timers *timers, tw_tick due)
{
    uint64_t *level = window_marks(timers, due >> timers->bits);
    uint32_t index = (uint32_t)due & (bucket_count(timers) - 1);
    uint32_t words = bucket_count(timers);
    for (uint32_t i = 0; i < timers->height; i++) {
        uint64_t *word = &level[index >> WORD_BITS];
        uint64_t bit = UINT64_C(1) << index % WORD, before = *word;
        *word = before | bit;
        if (before != 0)
            return; /* so the levels above are marked already */
        words >>= WORD_BITS;
        level += words;
        index >>= WORD_BITS;
    }
}

static inline void bucket_wipe(struct tw_timers *timers, tw_tick tick)
{
    uint64_t *level = window_marks(timers, tick >> timers->bits);
    uint32_t index = (uint32_t)tick & (bucket_count(timers) - 1);
    uint32_t words = bucket_count(timers);
    for (uint32_t i = 0; i < timers->height; i++) {
        uint64_t *word = &level[index >> WORD_BITS];
        *word &= ~(UINT64_C(1) << index % WORD);
        if (*word != 0)
            return;
        words >>= WORD_BITS;
        level += words;
        index >>= WORD_BITS;
    }
}

static inline bool bucket_is_marked(const struct tw_timers *timers, tw_tick tick)
{
    uint32_t index = (uint32_t)tick & (bucket_count(timers) - 1);
    return window_marks(timers, tick >> timers->bits)[index >> WORD_BITS] >> index % WORD & 1;
}

/* The first marked tick of a window, TW_NEVER if there is none. */
static inline tw_tick window_first(const struct tw_timers *timers, tw_tick window)
{
    const uint64_t *level = window_marks(timers, window) + timers->words - 1;
    if (*level == 0)
        return TW_NEVER;
    uint32_t index = (uint32_t)__builtin_ctzll(*level), words = 1;
    for (uint32_t i = 1; i < timers->height; i++) {
        words <<= WORD_BITS;
        level -= words;
        index = index << WORD_BITS | (uint32_t)__builtin_ctzll(level[index]);
    }
    return window << timers->bits | index;
}

/* The first marked tick of a window at or after `tick`, which lies in it; TW_NEVER if there is none. */
static tw_tick window_first_from(const struct tw_timers *timers, tw_tick tick)
{
    const uint64_t *level = window_marks(timers, tick >> timers->bits);
    uint32_t index = (uint32_t)tick & (bucket_count(timers) - 1), words = bucket_count(timers);
    uint32_t up = 0;
    uint64_t word = level[index >> WORD_BITS] & UINT64_MAX << index % WORD;
    while (word == 0) {
        if (++up == timers->height)
            return TW_NEVER;
        words >>= WORD_BITS;
        level += words;
        index >>= WORD_BITS;
        word = level[index >> WORD_BITS] & UINT64_MAX << index % WORD << 1;
    }
    for (;; up--) {
        index = index >> WORD_BITS << WORD_BITS | (uint32_t)__builtin_ctzll(word);
        if (up == 0)
            return tick >> timers->bits << timers->bits | index;
        level -= words;
        words <<= WORD_BITS;
        word = level[index];
        index <<= WORD_BITS;
    }
}

/* ---- Where timers go. ------------------------------------------------------------------------ */

static inline void timer_place(struct tw_timers *timers, tw_id id, tw_tick due)
{
    uint32_t head;
    if (__builtin_expect((due >> timers->bits) - timers->window < 2, 1)) {
        head = bucket_head(timers, due);
        bucket_mark(timers, due);
    } else {
        head = timers->over_head + id % LANES;
        timers->first_over = due < timers->first_over ? due : timers->first_over;
    }
    links_append(timers->links, head, id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
}

static inline void timer_enter(struct tw_timers *timers, tw_id id, tw_tick due)
{
    timers->dues[id] = due;
    timer_place(timers, id, due);
}

/* Goes through the overflow and moves what belongs to the two windows.  The lanes take turns, so that the
 * next timer of a lane has arrived in the cache by the time its turn comes. */
static void overflow_deal(struct tw_timers *timers)
{
    uint32_t lane[LANES];
    uint32_t lanes = lanes_take(timers->links, timers->dues, timers->over_head, lane);
    TW_COUNT(timers, cascades, lanes != 0);
    timers->first_over = TW_NEVER;
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t id = lane_step(timers->links, timers->dues, timers->capacity, lane, &lanes, i);
            TW_COUNT(timers, visits, 1);
            TW_COUNT(timers, moves, 1);
            timer_place(timers, id, timers->dues[id]);
        }
}

/* The window that lies in has nothing left: goes to the next one that may have something, at most to that of
 * `to`, which lies behind. */
static void windows_turn(struct tw_timers *timers, tw_tick to)
{
    tw_tick last = to >> timers->bits, window = timers->window + 1;
    if (window_first(timers, window) == TW_NEVER) {
        tw_tick over = timers->first_over >> timers->bits;
        window = over < last ? over : last;
    }
    timers->window = window;
    timers->now = window << timers->bits;
    TW_COUNT(timers, pointer_moves, 1);
    if ((timers->first_over >> timers->bits) - window < 2)
        overflow_deal(timers);
}

/* ---- The clock. ------------------------------------------------------------------------------ */

/* Fires the bucket of now, from where it is: no start can link into it.  Kept out of line, so that the step
 * over an empty bucket, by far the most frequent call, saves no registers. */
__attribute__((noinline)) static void bucket_fire(struct tw_timers *timers, tw_expire_fn *expire,
                                                  void *ctx)
{
    struct link *links = timers->links;
    tw_tick now = timers->now;
    uint32_t head = bucket_head(timers, now);
    bucket_wipe(timers, now);
    TW_COUNT(timers, empty_ticks, links_is_empty(links, head));
    for (uint32_t id; (id = links[head].next) != head;) {
        links_remove(links, id);
        links_set_idle(links, id);
        __builtin_prefetch(&links[links[head].next]);
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
        timers->running--;
        expire(ctx, id, now);
    }
}

/* From one bucket in use to the next, until the clock is at `to`. */
__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick first = window_first(timers, timers->window);
        TW_COUNT(timers, pointer_moves, 1);
        if (first <= to && first != TW_NEVER) {
            timers->now = first;
            bucket_fire(timers, expire, ctx);
        } else if (to >> timers->bits == timers->window) {
            timers->now = to;
            TW_COUNT(timers, empty_ticks, 1);
        } else {
            windows_turn(timers, to);
            if (bucket_is_marked(timers, timers->now))
                bucket_fire(timers, expire, ctx);
        }
    }
}

/* A single step within a window needs one look at a mark. */
static void cffs_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now == 1 && to >> timers->bits == timers->window) {
        timers->now = to;
        TW_COUNT(timers, pointer_moves, 1);
        if (bucket_is_marked(timers, to))
            bucket_fire(timers, expire, ctx);
        else
            TW_COUNT(timers, empty_ticks, 1);
    } else {
        clock_move(timers, to, expire, ctx);
    }
}

/* ---- The other hooks. ------------------------------------------------------------------------ */

static void cffs_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->dues);
    free(timers->marks);
    free(timers);
}

static struct tw_footprint cffs_footprint(const struct tw_timers *timers)
{
    uint64_t heads = 2 * (uint64_t)bucket_count(timers) + LANES;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + heads * sizeof(struct link) +
                       2 * (uint64_t)timers->words * sizeof *timers->marks,
        .capacity_bytes = timers->capacity * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

/* The heights of the paper: the smaller one where no delay is longer than its two windows. */
static uint32_t height_resolve(const struct tw_config *config)
{
    const tw_tick reach = UINT64_C(2) << 2 * WORD_BITS;
    return (uint32_t)setting_of(config, "height",
                                config->horizon == 0 || config->horizon > reach ? 3 : 2);
}

static int cffs_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, cffs_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    timers->capacity = config->capacity;
    timers->first_over = TW_NEVER;
    timers->height = height_resolve(config);
    timers->bits = timers->height * WORD_BITS;
    timers->window = timers->now >> timers->bits;
    for (uint32_t words = bucket_count(timers); (words >>= WORD_BITS) > 0;)
        timers->words += words;
    timers->over_head = config->capacity + 2 * bucket_count(timers);
    timers->links = links_new(config->capacity, 2 * bucket_count(timers) + LANES);
    timers->dues = malloc(config->capacity * sizeof *timers->dues);
    timers->marks = calloc((size_t)timers->words * 2, sizeof *timers->marks);
    return open_end(out, timers, timers->links && timers->dues && timers->marks, cffs_footprint,
                    cffs_close, error);
}

/* The first tick from `from` on with a timer in its bucket, within one window; TW_NEVER if there is none. */
static tw_tick window_next(const struct tw_timers *timers, tw_tick from)
{
    tw_tick last = from | (bucket_count(timers) - 1), tick = from;
    for (;; tick++) {
        tick = window_first_from(timers, tick);
        if (tick == TW_NEVER || !links_is_empty(timers->links, bucket_head(timers, tick)))
            return tick;
        if (tick == last)
            return TW_NEVER;
    }
}

/* A bound once only the overflow has timers: stops may have taken the one that `first_over` was of. */
static tw_tick cffs_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    tw_tick next = window_next(timers, timers->window << timers->bits);
    tw_tick coming = timers->window + 1;
    if (next == TW_NEVER && coming <= TW_DEADLINE_MAX >> timers->bits)
        next = window_next(timers, coming << timers->bits);
    return next == TW_NEVER ? timers->first_over : next;
}

static void list_visit(const struct tw_timers *timers, uint32_t head, struct tw_view view,
                       tw_visit_fn *visit, void *ctx)
{
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        view.id = id;
        view.deadline = timers->dues[id];
        view.rounds = ((view.deadline >> timers->bits) - timers->window) / 2;
        visit(ctx, &view);
    }
}

static void cffs_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t half = 0; half < 2; half++) {
        tw_tick begin = (timers->window + half) << timers->bits;
        tw_tick last = begin | (bucket_count(timers) - 1);
        tw_tick tick = window_first_from(timers, begin);
        while (tick != TW_NEVER) {
            uint32_t head = bucket_head(timers, tick);
            list_visit(timers, head, (struct tw_view){.slot = head - timers->capacity}, visit, ctx);
            tick = tick == last ? TW_NEVER : window_first_from(timers, tick + 1);
        }
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        list_visit(timers, timers->over_head + lane, (struct tw_view){.level = 1}, visit, ctx);
}

/* Invariants 2, 4 and 5, for one list; adds its length to *held. */
static const char *list_check(const struct tw_timers *timers, uint32_t head, uint64_t *held)
{
    const char *broken = links_check(timers->links, timers->capacity, head, held);
    if (broken)
        return broken;
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        tw_tick due = timers->dues[id];
        bool is_over = (due >> timers->bits) - timers->window >= 2;
        if (due <= timers->now)
            return "a timer is still held after its due tick";
        if (head != (is_over ? timers->over_head + id % LANES : bucket_head(timers, due)))
            return "a timer is not in the bucket of its due tick, or in the lane of its id";
        if (is_over && due < timers->first_over)
            return "a timer in the overflow is due before the first";
    }
    return NULL;
}

/* Invariants 2 to 5, for the buckets of a window below one word of marks, `up` levels above the buckets.  Buckets
 * that are not marked need no look: all timers that run have to be found in the marked ones. */
static const char *word_check(const struct tw_timers *timers, tw_tick window, uint32_t up,
                              uint32_t index, uint64_t *held)
{
    const uint64_t *level = window_marks(timers, window);
    for (uint32_t i = 0, words = bucket_count(timers); i < up; i++)
        level += words >>= WORD_BITS;
    uint64_t word = level[index];
    if (word == 0 && up + 1 < timers->height)
        return "a mark leads to a word without marks";
    const char *broken = NULL;
    for (; !broken && word != 0; word &= word - 1) {
        uint32_t below = index << WORD_BITS | (uint32_t)__builtin_ctzll(word);
        tw_tick tick = window << timers->bits | below;
        if (up > 0)
            broken = word_check(timers, window, up - 1, below, held);
        else if (tick <= timers->now)
            broken = "a bucket is marked that the clock has passed";
        else
            broken = list_check(timers, bucket_head(timers, tick), held);
    }
    return broken;
}

static const char *cffs_check(const struct tw_timers *timers)
{
    if (timers->window != timers->now >> timers->bits)
        return "the window that lies in is not that of now";
    uint64_t held = 0;
    const char *broken = word_check(timers, timers->window, timers->height - 1, 0, &held);
    if (!broken && timers->window < TW_NEVER >> timers->bits)
        broken = word_check(timers, timers->window + 1, timers->height - 1, 0, &held);
    for (uint32_t lane = 0; !broken && lane < LANES; lane++)
        broken = list_check(timers, timers->over_head + lane, &held);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

static void cffs_describe(const struct tw_timers *timers, struct tw_description *out)
{
    describe_one(out, TW_DEADLINE_MAX, "height", timers->height);
}

TW_TELL_WORK(cffs);
const struct tw_backend TW_BACKEND(cffs) = {
    .abi_version = TW_ABI_VERSION,
    .name = "cffs",
    .summary = "find-first-set queue of Eiffel: two windows of marked buckets and an overflow",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(cffs, wheel),
};
