/*
 * fast_handful.h - the layout of fast.c for a handful of timers: an array of due ticks, in no order.
 *
 *     nodes of all ids, 16 bytes each           a place for each timer that runs, 32 at most
 *
 *          next       word                             0      1      2      3
 *        +------+---------------+                   +------+------+------+------+-- - -
 *        |   0  |       0       |  id 0 is idle     | 9000 |  700 |  800 |      |       due
 *        +------+---------------+                   +------+------+------+------+-- - -
 *        |   2  |    RUNNING    |  id 1: place 2    |    7 |    3 |    2 |      |       node
 *        +------+---------------+                   +------+------+------+------+-- - -
 *
 * An instance begins with it, and leaves it for the rings with the start that finds no free place.  Every 1024
 * starts it comes back, if no more than half a handful runs by then.
 *
 *              worst
 *     start    O(1), and with the 33rd timer 32 go to the rings
 *     stop     O(1): the last one takes the free place
 *     advance  32 looks to find the next due tick after a tick on which something fires or may
 *     next     O(1), a lower bound: that of a timer that was stopped may still be told
 *
 * What a due tick costs is that search, a few lines of memory in order, however fine the ticks are and however far away
 * the due ticks: rings have marks to search there, and upper rings to empty.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Each place's node knows it.
 *  2. Nobody is due before `wake`, which is after now.
 *  3. Exactly the timers that run have a place.
 *
 * The idea is the unordered list of Varghese & Lauck's scheme 1 (scan.c), with the earliest due tick remembered.
 *
 * fast.c includes it behind its rings.
 */
#ifndef TWBENCH_FAST_HANDFUL_H
#define TWBENCH_FAST_HANDFUL_H

static inline void handful_set(struct tw_timers *timers, uint32_t place, uint32_t node, tw_tick due)
{
    timers->handful.dues[place] = due;
    timers->handful.nodes[place] = node;
    timers->nodes[node].next = place;
}

/* Makes the timer of that place idle. */
static inline void handful_free(struct tw_timers *timers, uint32_t place)
{
    struct handful *handful = &timers->handful;
    uint32_t last = --handful->count;
    memset(&timers->nodes[handful->nodes[place]], 0, sizeof timers->nodes[0]);
    timers->gone++;
    TW_COUNT(timers, link_writes, 2);
    if (place != last)
        handful_set(timers, place, handful->nodes[last], handful->dues[last]);
}

/* All that have a place go to the rings. */
static void handful_deal(struct tw_timers *timers)
{
    struct handful *handful = &timers->handful;
    for (uint32_t place = 0; place < handful->count; place++) {
        uint32_t node = handful->nodes[place];
        tw_tick due = handful->dues[place];
        TW_COUNT(timers, moves, 1);
        memset(&timers->nodes[node], 0, sizeof timers->nodes[0]);
        node_place(timers, node, due, due - timers->now, 0);
    }
    handful->count = 0;
}

/* To the rings, which are empty. */
__attribute__((noinline)) static void handful_leave(struct tw_timers *timers)
{
    bool is_late = timers->now >= HALF;
    timers->in_hand = false;
    quick_set(timers);
    timers->wake = timers->upper = is_late ? TW_NEVER : HALF;
    if (is_late)
        limits_set(timers, true);
    timers->fresh_judged = timers->fresh;
    timers->lazies_judged = timers->lazies;
    handful_deal(timers);
}

/* A start of a timer that is ready, due after now and in reach. */
static inline int handful_start(struct tw_timers *timers, uint32_t node, tw_tick due)
{
    struct handful *handful = &timers->handful;
    uint32_t running = (uint32_t)timers->nodes[node].word;
    uint32_t place = running ? timers->nodes[node].next : handful->count;
    timers->fresh++;
    timers->gone += running;
    handful->count += 1 - running;
    timers->nodes[node].word = RUNNING;
    handful_set(timers, place, node, due);
    TW_COUNT(timers, link_writes, 2);
    TW_COUNT(timers, comparisons, 1);
    if (due < timers->wake)
        timers->wake = due;
    return (int)running;
}

/* Fires who is due now.  A callback may free any place and take any: whoever is passed over by that is found by the
 * next search. */
static inline void handful_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    struct handful *handful = &timers->handful;
    for (uint32_t place = 0; place < handful->count;) {
        TW_COUNT(timers, comparisons, 1);
        if (handful->dues[place] != timers->now) {
            place++;
            continue;
        }
        uint32_t node = handful->nodes[place];
        handful_free(timers, place);
        TW_COUNT(timers, visits, 1);
        expire(ctx, node - 1, timers->now);
    }
}

static inline tw_tick handful_first(const struct tw_timers *timers)
{
    const struct handful *handful = &timers->handful;
    tw_tick first = TW_NEVER;
    for (uint32_t place = 0; place < handful->count; place++)
        first = handful->dues[place] < first ? handful->dues[place] : first;
    return first;
}

/* Moves the clock to `to`, or to where a callback started one timer too many. */
static void handful_move(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    while (timers->in_hand && timers->wake <= to) {
        timers->now = timers->wake;
        TW_COUNT(timers, pointer_moves, 1);
        handful_fire(timers, expire, ctx);
        if (timers->in_hand)
            timers->wake = handful_first(timers);
    }
    if (timers->in_hand && timers->now < to)
        timers->now = to;
}

/* ---- Back from the rings. --------------------------------------------------------------------- */

/* Empties a marked list into the hand, but for who was stopped; false: there are too many. */
static bool list_take(struct tw_timers *timers, uint32_t place, uint32_t *looks)
{
    struct handful *handful = &timers->handful;
    for (uint32_t node; (node = *link_at(timers, place)) != 0;) {
        if (++*looks > HANDFUL_LOOKS || handful->count == timers->most)
            return false;
        uint64_t word = timers->nodes[node].word;
        TW_COUNT(timers, visits, 1);
        node_remove(timers, node);
        memset(&timers->nodes[node], 0, sizeof timers->nodes[0]);
        if (!(word & RUNNING))
            continue;
        TW_COUNT(timers, moves, 1);
        timers->nodes[node].word = RUNNING;
        handful_set(timers, handful->count++, node, due_of(timers, word));
    }
    unmark(timers, place);
    return ++*looks <= HANDFUL_LOOKS;
}

static bool lists_take(struct tw_timers *timers)
{
    uint32_t looks = 0;
    for (uint32_t sum = 0; sum < SUMS; sum++)
        while (timers->sums[sum] != 0) {
            uint32_t word = sum * 64 + (uint32_t)__builtin_ctzll(timers->sums[sum]);
            uint64_t marks = timers->marks[timers->heads / 64 + word];
            uint32_t list = word * 64 + (uint32_t)__builtin_ctzll(marks);
            if (!list_take(timers, timers->heads + list, &looks))
                return false;
        }
    return true;
}

/* From the rings, with few that run, if few others are listed besides. */
__attribute__((noinline)) static void handful_return(struct tw_timers *timers)
{
    if (!lists_take(timers)) {
        handful_deal(timers);
        return;
    }
    for (uint32_t k = 0; k <= timers->top; k++) {
        timers->rings[k].wake = TW_NEVER;
        timers->rings[k].fresh = false;
    }
    timers->used = 1;
    timers->in_hand = true;
    quick_set(timers);
    timers->wake = handful_first(timers);
}

/* ---- Looking at it. --------------------------------------------------------------------------- */

static void handful_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t place = 0; place < timers->handful.count; place++) {
        struct tw_view view = {timers->handful.nodes[place] - 1, timers->handful.dues[place], 0,
                               place, 0};
        visit(ctx, &view);
    }
}

static const char *place_check(const struct tw_timers *timers, uint32_t place)
{
    uint32_t node = timers->handful.nodes[place];
    if (node == 0 || node > timers->ready || timers->nodes[node].next != place)
        return "a place of the handful is not known to its timer";
    if (timers->handful.dues[place] < timers->wake)
        return "a timer is due before the next wake-up";
    return NULL;
}

static const char *handful_check(const struct tw_timers *timers)
{
    const struct handful *handful = &timers->handful;
    const char *broken = timers->wake <= timers->now ? "the next wake-up is over" : NULL;
    uint32_t running = 0;
    for (uint32_t place = 0; !broken && place < handful->count; place++)
        broken = place_check(timers, place);
    if (broken)
        return broken;
    for (uint32_t node = 1; node <= timers->ready; node++)
        running += timers->nodes[node].word == RUNNING;
    if (running != handful->count || running != running_of(timers))
        return "the handful does not hold exactly the running timers";
    return NULL;
}

#endif
