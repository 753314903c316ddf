/*
 * delta.c - delta list: each timer holds its distance to the one before, as in Xinu and in textbooks.
 *
 *     now = 20             +2              +3              +0              +9
 *       end ------------> id 2 ---------> id 0 ---------> id 7 ---------> id 4 ---------> end
 *                         (22)            (25)            (25)            (34) = last
 *
 *     A tick takes one from the first distance, and nobody else's changes.  A start walks and adds, or from the
 *     last one on takes off; it splits the distance where it stays.  A stop adds its distance to the next one's.
 *
 *             average     worst
 *     start   O(n)        O(n)     min(k, n - k) steps to the k-th place of n
 *     stop    O(1)        O(1)
 *     advance O(1)        O(1)     per expired timer, and when nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 12 bytes per id, a quarter less than list.c; all taken at open.
 *
 * Invariants, in the order in which delta_check tests them:
 *   1. Following `next` from the end leads back to it, over running timers only.
 *   2. `prev` of each node on the way is the node before.
 *   3. The first is at least a tick away: no running timer is due on a processed tick.
 *   4. The distances add up to that of `last` from now, and do not pass TW_DEADLINE_MAX.
 *   5. Every running timer is on the way.
 *
 * The source is Xinu (D. Comer, "Operating System Design: The Xinu Approach", 1984: insertd, clkhandler).  A tick
 * handler touches one small counter, no deadline and no clock, which is why systems with 16-bit words had it; there
 * is no absolute time that could wrap around.  So the reach is that of a distance: 2^32 - 1 ticks.  Departures:
 * Xinu searches from the first only; here `last`, the one absolute time, lets a start walk from both ends in
 * turn, as list.c does.  A jump takes off all its ticks at once, and a stop finds its timer by its id.
 *
 * It loses where list.c does, to everything else, as soon as some hundred timers run.  For what it saves against
 * list.c it pays with a write of the first distance at each advance and of the next one's at each
 * stop.
 */
#include "arrays.h"
#include "design.h"

#define DISTANCE_MAX UINT32_MAX
#define NODE_IDLE    UINT32_MAX /* `next` of a timer that does not run */

TW_NO_SETTINGS(delta, DISTANCE_MAX);

struct node {
    uint32_t distance; /* ticks from the one before; of the first: from now */
    uint32_t prev, next;
};

struct tw_timers {
    struct node *nodes; /* by id, and the end behind them, which closes the ring */
    uint32_t end;       /* the capacity */
    tw_tick last;       /* when the last one is due; means nothing when nothing runs */
    tw_tick now;
    TW_WORK_FIELD
};

static inline bool delta_runs(const struct tw_timers *timers, tw_id id)
{
    return timers->nodes[id].next != NODE_IDLE;
}

/* Takes a timer out.  What is left of its distance is the next one's. */
static inline void delta_unlink(struct tw_timers *timers, tw_id id)
{
    struct node *nodes = timers->nodes, node = nodes[id];
    nodes[node.prev].next = node.next;
    nodes[node.next].prev = node.prev;
    if (node.next == timers->end)
        timers->last -= node.distance;
    else
        nodes[node.next].distance += node.distance;
    TW_COUNT(timers, link_writes, 3);
}

/* A place in the list: before `next`, and so far behind the one in front of it. */
struct place {
    uint32_t next, distance;
};

/* Before the first that is due later than `due`, looked for from both ends. */
static struct place delta_search(struct tw_timers *timers, tw_tick due)
{
    const struct node *nodes = timers->nodes;
    uint32_t later = nodes[timers->end].next, earlier = nodes[timers->end].prev;
    tw_tick before = timers->now, at = timers->last; /* of the one before `later`; of `earlier` */
    for (;;) {
        TW_COUNT(timers, visits, 2);
        TW_COUNT(timers, comparisons, 2);
        if (later == timers->end || before + nodes[later].distance > due)
            return (struct place){later, (uint32_t)(due - before)};
        if (at <= due)
            return (struct place){nodes[earlier].next, (uint32_t)(due - at)};
        before += nodes[later].distance;
        later = nodes[later].next;
        at -= nodes[earlier].distance;
        earlier = nodes[earlier].prev;
    }
}

static void delta_link(struct tw_timers *timers, tw_id id, tw_tick due)
{
    struct node *nodes = timers->nodes;
    struct place place = delta_search(timers, due);
    uint32_t prev = nodes[place.next].prev;
    nodes[id] = (struct node){place.distance, prev, place.next};
    nodes[prev].next = id;
    nodes[place.next].prev = id;
    if (place.next == timers->end)
        timers->last = due;
    else
        nodes[place.next].distance -= place.distance;
    TW_COUNT(timers, link_writes, 6);
}

static void delta_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers);
}

static struct tw_footprint delta_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + sizeof *timers->nodes,
        .capacity_bytes = (uint64_t)timers->end * sizeof *timers->nodes,
    };
}

static int delta_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, delta_params, config, error);
    if (status != TW_OK)
        return status;
    timers->end = config->capacity;
    timers->now = config->now;
    timers->nodes = arrays_raw(((size_t)config->capacity + 1) * sizeof *timers->nodes, false);
    bool is_whole = timers->nodes != NULL;
    if (is_whole) {
        for (tw_id id = 0; id < timers->end; id++)
            timers->nodes[id].next = NODE_IDLE;
        timers->nodes[timers->end] = (struct node){0, timers->end, timers->end};
    }
    return open_end(out, timers, is_whole, delta_footprint, delta_close, error);
}

static int delta_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due - timers->now - 1 >= DISTANCE_MAX)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    bool was_running = delta_runs(timers, id);
    if (was_running)
        delta_unlink(timers, id);
    delta_link(timers, id, due);
    return was_running ? TW_REARMED : TW_OK;
}

static int delta_stop(struct tw_timers *timers, tw_id id)
{
    if (!delta_runs(timers, id))
        return TW_IDLE;
    delta_unlink(timers, id);
    timers->nodes[id].next = NODE_IDLE;
    return TW_OK;
}

static tw_tick delta_next(const struct tw_timers *timers)
{
    uint32_t first = timers->nodes[timers->end].next;
    return first == timers->end ? TW_NEVER : timers->now + timers->nodes[first].distance;
}

/* Fires what is due by `to`.  The first timer is taken out before its callback, which may therefore do what it
 * likes with the list; those due on the same tick stand behind it at no distance. */
__attribute__((noinline)) static void delta_fire(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    struct node *nodes = timers->nodes;
    for (uint32_t id; (id = nodes[timers->end].next) != timers->end;) {
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (nodes[id].distance > to - timers->now)
            break;
        timers->now += nodes[id].distance;
        nodes[id].distance = 0;
        delta_unlink(timers, id);
        nodes[id].next = NODE_IDLE;
        expire(ctx, id, timers->now);
    }
}

static void delta_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    TW_COUNT(timers, visits, 1);
    TW_COUNT(timers, comparisons, 1);
    if (delta_next(timers) <= to)
        delta_fire(timers, to, expire, ctx);
    uint32_t first = timers->nodes[timers->end].next;
    if (first != timers->end) {
        timers->nodes[first].distance -= (uint32_t)(to - timers->now);
        TW_COUNT(timers, link_writes, 1);
    }
    timers->now = to;
}

static void delta_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    uint32_t place = 0;
    tw_tick due = timers->now;
    for (uint32_t node = timers->nodes[timers->end].next; node != timers->end;
         node = timers->nodes[node].next) {
        due += timers->nodes[node].distance;
        visit(ctx, &(struct tw_view){.id = node, .deadline = due, .slot = place++});
    }
}

/* The walk ends on any input: to come to a node twice, from two others, one of its back links would have to be
 * wrong. */
static const char *delta_check(const struct tw_timers *timers)
{
    const struct node *nodes = timers->nodes;
    uint32_t linked = 0, running = 0;
    tw_tick due = timers->now;
    for (uint32_t node = timers->end, next;; node = next, linked++) {
        next = nodes[node].next;
        if (next != timers->end && (next > timers->end || !delta_runs(timers, next)))
            return "a link leads to an idle timer or out of the list";
        if (nodes[next].prev != node)
            return "a back link does not lead to the node before";
        if (next == timers->end)
            break;
        if (node == timers->end && nodes[next].distance == 0)
            return "the first is due on a processed tick";
        if (nodes[next].distance > TW_DEADLINE_MAX - due)
            return "a timer is due never";
        due += nodes[next].distance;
    }
    if (linked > 0 && due != timers->last)
        return "the distances do not add up to the last one's deadline";
    for (tw_id id = 0; id < timers->end; id++)
        running += delta_runs(timers, id);
    return running == linked ? NULL : "a running timer is not in the list";
}

TW_TELL_WORK(delta);
const struct tw_backend TW_BACKEND(delta) = {
    .abi_version = TW_ABI_VERSION,
    .name = "delta",
    .summary = "sorted list in which each holds its distance to the one before (Xinu)",
    .traits = {.flags = TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_N, TW_O_N},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(delta, delta),
};
