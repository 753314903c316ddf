/*
 * list.c - sorted doubly linked list: scheme 2 of Varghese & Lauck.
 *
 *          front                                                        back
 *        +-------+     +-------+     +-------+     +-------+     +-------+
 *        | due 0 | <-> | due 5 | <-> | due 9 | <-> | due 9 | <-> | never |
 *        +-------+     | id 2  |     | id 0  |     | id 7  |     +-------+
 *                      +-------+     +-------+     +-------+
 *       a start searches  ----->    where it     <-----  from both ends at once
 *
 *             average     worst
 *     start   O(n)        O(n)     min(k, n - k) steps to the k-th place of n
 *     stop    O(1)        O(1)
 *     advance O(1)        O(1)     per expired timer, and when nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 16 bytes per id, all taken at open.
 *
 * Which end to search from depends on the workload: with a constant delay the place is at the back,
 * with descending deadlines at the front, with uniform or exponential delays anywhere.  So a start
 * walks from both ends in turn, and whichever walk arrives decides.  That visits at most twice the
 * nodes of the better end, but the two walks do not wait for each other's cache misses, so it takes
 * the time of the better end alone, without having to guess which one that is.
 *
 * Invariants, in the order in which list_check tests them:
 *   1. The front is due at tick 0 and the back never, so that every search ends.
 *   2. Following `next` from the front leads to the back, over running timers only.
 *   3. `prev` of each node on the way is the node before.
 *   4. No node is due before the one before it.
 *   5. No running timer is due on a processed tick or beyond TW_DEADLINE_MAX.
 *   6. Every running timer is on the way.
 *
 * Departures from the paper: the search from both ends (it names search from the rear as the way to
 * O(1) for equal intervals, and this keeps it), and 32-bit indices in one node with the deadline,
 * so that a step of the search touches one cache line and a line holds four timers.  Equal
 * deadlines stay in order of their starts, which costs nothing: the place is behind the last of
 * them.
 *
 * It loses wherever more than some hundred timers run, because each start walks; the walk is one
 * cache miss per step once the nodes leave the cache.  It wins when starts go to an end.
 */
#include "arrays.h"
#include "design.h"

/* No setting: the capacity is all there is to choose.  32-bit indices suffice for
 * TW_CAPACITY_MAX = 10^9 timers and the two ends. */
TW_NO_SETTINGS(list, TW_DEADLINE_MAX);

/* Timers are nodes 0 .. capacity-1 by their id; the two ends come after them. */
struct list_node {
    tw_tick due; /* 0: idle, and then the links mean nothing */
    uint32_t prev, next;
};

struct tw_timers {
    struct list_node *nodes;
    uint32_t front, back;
    uint32_t capacity;
    tw_tick now;
    TW_WORK_FIELD
};

static inline bool list_runs(const struct tw_timers *timers, tw_id id)
{
    return timers->nodes[id].due != 0;
}

static inline void list_unlink(struct tw_timers *timers, tw_id id)
{
    struct list_node *nodes = timers->nodes;
    struct list_node node = nodes[id];
    nodes[node.prev].next = node.next;
    nodes[node.next].prev = node.prev;
    TW_COUNT(timers, link_writes, 2);
}

static inline void list_link_after(struct tw_timers *timers, uint32_t prev, tw_id id, tw_tick due)
{
    struct list_node *nodes = timers->nodes;
    uint32_t next = nodes[prev].next;
    nodes[id] = (struct list_node){due, prev, next};
    nodes[prev].next = id;
    nodes[next].prev = id;
    TW_COUNT(timers, link_writes, 4);
}

/* The last node that is not due later than `due`.  Both ends stop the walk that comes to them: the
 * front is due before everything, the back after everything. */
static uint32_t list_search(struct tw_timers *timers, tw_tick due)
{
    const struct list_node *nodes = timers->nodes;
    uint32_t earlier = nodes[timers->back].prev;
    uint32_t later = nodes[timers->front].next;
    for (;;) {
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (nodes[earlier].due <= due)
            return earlier;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (nodes[later].due > due)
            return nodes[later].prev;
        earlier = nodes[earlier].prev;
        later = nodes[later].next;
    }
}

static void list_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

static struct tw_footprint list_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + 2 * sizeof *timers->nodes,
        .capacity_bytes = (uint64_t)timers->capacity * sizeof *timers->nodes,
    };
}

/* Zeroed memory is idle timers. */
static int list_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, list_params, config, error);
    if (status != TW_OK)
        return status;
    timers->capacity = config->capacity;
    timers->front = config->capacity;
    timers->back = config->capacity + 1;
    timers->now = config->now;
    timers->nodes = arrays_zeroed((size_t)config->capacity + 2, sizeof *timers->nodes);
    bool is_whole = timers->nodes != NULL;
    if (is_whole) {
        timers->nodes[timers->front].next = timers->back;
        timers->nodes[timers->back] = (struct list_node){.due = TW_NEVER, .prev = timers->front};
    }
    return open_end(out, timers, is_whole, list_footprint, list_close, error);
}

static int list_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    bool was_running = list_runs(timers, id);
    if (was_running)
        list_unlink(timers, id);
    list_link_after(timers, list_search(timers, due), id, due);
    return was_running ? TW_REARMED : TW_OK;
}

static int list_stop(struct tw_timers *timers, tw_id id)
{
    if (!list_runs(timers, id))
        return TW_IDLE;
    list_unlink(timers, id);
    timers->nodes[id].due = 0;
    return TW_OK;
}

/* The back, which is due TW_NEVER, is first when nothing runs. */
static tw_tick list_next(const struct tw_timers *timers)
{
    return timers->nodes[timers->nodes[timers->front].next].due;
}

/* Fires what is due by `to`.  The first timer is taken out before its callback, which may therefore
 * do what it likes with the list; nothing of it is remembered over the call.  Kept out of line, so
 * that a tick on which nothing is due, by far the most frequent call, saves no registers. */
__attribute__((noinline)) static void list_fire(struct tw_timers *timers, tw_tick to,
                                                tw_expire_fn *expire, void *ctx)
{
    const struct list_node *front = &timers->nodes[timers->front];
    while (front->next != timers->back) {
        tw_id id = front->next;
        tw_tick due = timers->nodes[id].due;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (due > to)
            break;
        list_unlink(timers, id);
        timers->nodes[id].due = 0;
        timers->now = due;
        expire(ctx, id, due);
    }
}

static void list_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    if (list_next(timers) <= to) {
        list_fire(timers, to, expire, ctx);
    } else {
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
    }
    timers->now = to;
}

static void list_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    uint32_t place = 0;
    for (uint32_t node = timers->nodes[timers->front].next; node != timers->back;
         node = timers->nodes[node].next) {
        tw_tick due = timers->nodes[node].due;
        visit(ctx, &(struct tw_view){.id = node, .deadline = due, .slot = place++});
    }
}

/* Invariants 2 to 5, for the step from a sound node to its next. */
static const char *list_check_step(const struct tw_timers *timers, uint32_t node)
{
    const struct list_node *nodes = timers->nodes;
    uint32_t next = nodes[node].next;
    if (next != timers->back && (next >= timers->capacity || !list_runs(timers, next)))
        return "a link leads to an idle timer or out of the list";
    if (nodes[next].prev != node)
        return "a back link does not lead to the node before";
    if (nodes[next].due < nodes[node].due)
        return "a timer is due before the one before it";
    if (next != timers->back && (nodes[next].due <= timers->now || nodes[next].due == TW_NEVER))
        return "a timer is due on a processed tick or never";
    return NULL;
}

/* The walk ends on any input: to come to a node twice, from two others, one of its back links would
 * have to be wrong, and nothing leads back to the front. */
static const char *list_check(const struct tw_timers *timers)
{
    if (timers->nodes[timers->front].due != 0 || timers->nodes[timers->back].due != TW_NEVER)
        return "an end of the list lost its due tick";
    uint32_t linked = 0;
    for (uint32_t node = timers->front; node != timers->back; node = timers->nodes[node].next) {
        const char *broken = list_check_step(timers, node);
        if (broken)
            return broken;
        linked += node != timers->front;
    }
    uint32_t running = 0;
    for (tw_id id = 0; id < timers->capacity; id++)
        running += list_runs(timers, id);
    if (running != linked)
        return "a running timer is not in the list";
    return NULL;
}

TW_TELL_WORK(list);
const struct tw_backend TW_BACKEND(list) = {
    .abi_version = TW_ABI_VERSION,
    .name = "list",
    .summary = "sorted doubly linked list, searched from both ends (scheme 2)",
    .traits = {.flags = TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_N, TW_O_N},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(list, list),
};
