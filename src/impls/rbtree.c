/*
 * rbtree.c - red-black tree with the earliest timer cached: what nginx and the hrtimers of Linux run on.
 *
 *                  4: due 9 b                  a walk down goes left of what is due later, else right
 *                 /          \
 *         2: due 5 r        7: due 12 b        b: black, r: red
 *         /        \                 \
 *   0: due 3 b   5: due 9 b        1: due 20 r
 *      ^ first
 *
 *     nodes      due, left, right      16 bytes by id; the walk of a start reads nothing else
 *     uppers     parent and colour      4 bytes by id; read and written only where the tree is mended
 *
 *             average     worst
 *     start   O(log n)    O(log n)    a walk from the root to a leaf, and at most two rotations
 *     stop    O(1)        O(log n)    half of all timers have a free side; the others give their place to the
 *                                     next in order.  At most three rotations
 *     advance O(1)        O(log n)    per expired timer: the first has no left child, and the next first is its
 *                                     right child or its parent; O(1) when nothing is due, however long
 *     next    O(1)        O(1)
 *
 * Memory: 20 bytes per id, all taken at open.
 *
 * Invariants, in the order in which rbtree_check tests them:
 *   1. Nil, the node after the last id, is black; the root is black and has no parent.
 *   2. Each child names the node above it as its parent, and is a running timer.
 *   3. A red node has no red child.
 *   4. All ways from the root to a free side pass as many black nodes.
 *   5. Nobody is due before the one before in order, on a processed tick, or beyond TW_DEADLINE_MAX.
 *   6. The cached first is the leftmost node, or nil.
 *   7. Every running timer is in the tree.
 *
 * Equal deadlines go right, so they fire in the order of their starts: nginx (ngx_rbtree_insert_timer_value)
 * and Linux (timerqueue_add) do the same.  The algorithms are Guibas & Sedgewick's (1978) in the form of Cormen et
 * al.  Departures: links are 32-bit indices, and left and right are sides 0 and 1, so that each case is written
 * once; parent and colour lie in an array of their own, so that a walk touches a quarter of a line per level (nginx
 * has 40 bytes a node); the first is cached as in Linux since 5.2 (rb_root_cached), while nginx walks down to it; a
 * timer is re-armed by taking it out and putting it in.  nginx does not even do that when the new deadline is within
 * 300 ms of the old one: that is slack, and not exact.
 *
 * It loses to a heap wherever timers do not need all their order: a start walks log n lines where a heap's mostly
 * stays at the bottom.  It wins over a heap where many timers expire, or with ties that have to keep their order.
 */
#include "arrays.h"
#include "design.h"

#define RED  1u
#define LEFT 0u
/* Of `uppers`: the parent shifted by one, and the colour.  TW_CAPACITY_MAX = 10^9 leaves room for it. */
#define UPPER(parent, colour) ((parent) << 1 | (colour))
/* In visit: deeper than a picture can number. */
#define TOO_DEEP 0u

TW_NO_SETTINGS(rbtree, TW_DEADLINE_MAX);

struct node {
    tw_tick due;       /* 0: idle, and then the links mean nothing */
    uint32_t child[2]; /* earlier ones, later ones; nil where there are none */
};

struct tw_timers {
    struct node *nodes;
    uint32_t *uppers;
    uint32_t root, first; /* nil when nothing runs */
    uint32_t nil; /* the capacity: index of a black node that is everybody's missing child */
    tw_tick now;
    TW_WORK_FIELD
};

static inline uint32_t parent_of(const struct tw_timers *timers, uint32_t node)
{
    return timers->uppers[node] >> 1;
}

static inline bool is_red(const struct tw_timers *timers, uint32_t node)
{
    return timers->uppers[node] & RED;
}

static inline void colour_set(struct tw_timers *timers, uint32_t node, uint32_t colour)
{
    timers->uppers[node] = (timers->uppers[node] & ~RED) | colour;
    TW_COUNT(timers, link_writes, 1);
}

static inline void parent_set(struct tw_timers *timers, uint32_t node, uint32_t parent)
{
    timers->uppers[node] = UPPER(parent, timers->uppers[node] & RED);
    TW_COUNT(timers, link_writes, 1);
}

/* 1 when the node is the right child of `parent`. */
static inline uint32_t side_of(const struct tw_timers *timers, uint32_t parent, uint32_t node)
{
    return timers->nodes[parent].child[LEFT] != node;
}

/* Puts `new` below `parent` where `old` is; at the top when there is no parent. */
static inline void child_replace(struct tw_timers *timers, uint32_t parent, uint32_t old,
                                 uint32_t heir)
{
    if (parent == timers->nil)
        timers->root = heir;
    else
        timers->nodes[parent].child[side_of(timers, parent, old)] = heir;
    TW_COUNT(timers, link_writes, 1);
}

/* The other side's child of `node` rises to its place, and `node` becomes that one's child on `side`. */
static void rotate(struct tw_timers *timers, uint32_t node, uint32_t side)
{
    struct node *nodes = timers->nodes;
    uint32_t riser = nodes[node].child[!side], inner = nodes[riser].child[side];
    uint32_t parent = parent_of(timers, node);
    nodes[node].child[!side] = inner;
    if (inner != timers->nil)
        parent_set(timers, inner, node);
    child_replace(timers, parent, node, riser);
    parent_set(timers, riser, parent);
    nodes[riser].child[side] = node;
    parent_set(timers, node, riser);
    TW_COUNT(timers, link_writes, 2);
    TW_COUNT(timers, moves, 1);
}

/* Mends the tree above a red node whose parent may be red. */
static void insert_mend(struct tw_timers *timers, uint32_t node)
{
    uint32_t parent;
    while (is_red(timers, parent = parent_of(timers, node))) {
        uint32_t grand = parent_of(timers, parent), side = side_of(timers, grand, parent);
        uint32_t uncle = timers->nodes[grand].child[!side];
        TW_COUNT(timers, visits, 2);
        if (is_red(timers, uncle)) {
            colour_set(timers, parent, 0);
            colour_set(timers, uncle, 0);
            colour_set(timers, grand, RED);
            node = grand;
            continue;
        }
        if (side_of(timers, parent, node) != side) {
            rotate(timers, parent, side);
            parent = node;
        }
        colour_set(timers, parent, 0);
        colour_set(timers, grand, RED);
        rotate(timers, grand, !side);
        break;
    }
    timers->uppers[timers->root] &= ~RED;
}

static void tree_insert(struct tw_timers *timers, tw_id id, tw_tick due)
{
    struct node *nodes = timers->nodes;
    uint32_t nil = timers->nil, parent = nil, side = LEFT, is_first = 1;
    for (uint32_t at = timers->root; at != nil; at = nodes[at].child[side]) {
        parent = at;
        side = due >= nodes[at].due;
        is_first &= !side;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
    }
    nodes[id] = (struct node){due, {nil, nil}};
    timers->uppers[id] = UPPER(parent, RED);
    if (parent == nil)
        timers->root = id;
    else
        nodes[parent].child[side] = id;
    if (is_first)
        timers->first = id;
    TW_COUNT(timers, link_writes, 4);
    insert_mend(timers, id);
}

/* The ways through `side` of `parent` lack a black node.  The sibling is not nil, because they lack it. */
static void remove_mend(struct tw_timers *timers, uint32_t parent, uint32_t side)
{
    struct node *nodes = timers->nodes;
    for (;;) {
        uint32_t sibling = nodes[parent].child[!side];
        TW_COUNT(timers, visits, 2);
        if (is_red(timers, sibling)) {
            colour_set(timers, sibling, 0);
            colour_set(timers, parent, RED);
            rotate(timers, parent, side);
            sibling = nodes[parent].child[!side];
        }
        uint32_t inner = nodes[sibling].child[side], outer = nodes[sibling].child[!side];
        if (is_red(timers, inner) && !is_red(timers, outer)) {
            colour_set(timers, inner, 0);
            colour_set(timers, sibling, RED);
            rotate(timers, sibling, !side);
            outer = sibling;
            sibling = inner;
        }
        if (is_red(timers, outer)) {
            colour_set(timers, sibling, timers->uppers[parent] & RED);
            colour_set(timers, parent, 0);
            colour_set(timers, outer, 0);
            rotate(timers, parent, side);
            return;
        }
        colour_set(timers, sibling, RED);
        uint32_t grand = parent_of(timers, parent);
        if (is_red(timers, parent) || grand == timers->nil) {
            colour_set(timers, parent, 0);
            return;
        }
        side = side_of(timers, grand, parent);
        parent = grand;
    }
}

/* The next in order takes the place, the children and the colour of a node with two children.  Answers
 * below whom, and in *side where, a node is missing now; *child is what stood below it. */
static uint32_t successor_raise(struct tw_timers *timers, uint32_t node, uint32_t *side,
                                uint32_t *child, uint32_t *colour)
{
    struct node *nodes = timers->nodes;
    uint32_t next = nodes[node].child[!LEFT], hole = next;
    *side = !LEFT;
    while (nodes[next].child[LEFT] != timers->nil) {
        next = nodes[next].child[LEFT];
        *side = LEFT;
        TW_COUNT(timers, visits, 1);
    }
    *child = nodes[next].child[!LEFT];
    *colour = timers->uppers[next] & RED;
    if (*side == LEFT) {
        hole = parent_of(timers, next);
        nodes[hole].child[LEFT] = *child;
        nodes[next].child[!LEFT] = nodes[node].child[!LEFT];
        parent_set(timers, nodes[next].child[!LEFT], next);
    }
    nodes[next].child[LEFT] = nodes[node].child[LEFT];
    parent_set(timers, nodes[next].child[LEFT], next);
    child_replace(timers, parent_of(timers, node), node, next);
    timers->uppers[next] = timers->uppers[node];
    TW_COUNT(timers, link_writes, 4);
    return hole;
}

static void tree_remove(struct tw_timers *timers, tw_id id)
{
    struct node *nodes = timers->nodes;
    uint32_t nil = timers->nil, left = nodes[id].child[LEFT], right = nodes[id].child[!LEFT];
    uint32_t colour = timers->uppers[id] & RED, parent = parent_of(timers, id), side, child;
    if (id == timers->first)
        timers->first = right != nil ? right : parent;
    if (left != nil && right != nil) {
        parent = successor_raise(timers, id, &side, &child, &colour);
    } else {
        child = left != nil ? left : right;
        side = parent != nil && side_of(timers, parent, id);
        child_replace(timers, parent, id, child);
    }
    nodes[id].due = 0;
    TW_COUNT(timers, visits, 1);
    TW_COUNT(timers, link_writes, 1);
    if (child != nil) /* it is red, and stands alone below a black node */
        timers->uppers[child] = UPPER(parent, 0);
    else if (colour != RED && parent != nil)
        remove_mend(timers, parent, side);
}

static void rbtree_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers->uppers);
    free(timers);
}

static struct tw_footprint rbtree_footprint(const struct tw_timers *timers)
{
    const size_t id_bytes = sizeof *timers->nodes + sizeof *timers->uppers;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + id_bytes,
        .capacity_bytes = (uint64_t)timers->nil * id_bytes,
    };
}

/* Zeroed memory is idle timers, and a black nil. */
static int rbtree_open(struct tw_timers **out, const struct tw_config *config,
                       struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, rbtree_params, config, error);
    if (status != TW_OK)
        return status;
    timers->root = timers->first = timers->nil = config->capacity;
    timers->now = config->now;
    timers->nodes = arrays_zeroed((size_t)config->capacity + 1, sizeof *timers->nodes);
    timers->uppers = arrays_zeroed((size_t)config->capacity + 1, sizeof *timers->uppers);
    bool is_whole = timers->nodes && timers->uppers;
    if (is_whole)
        timers->nodes[timers->nil] = (struct node){TW_NEVER, {timers->nil, timers->nil}};
    return open_end(out, timers, is_whole, rbtree_footprint, rbtree_close, error);
}

static int rbtree_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    TW_COUNT(timers, comparisons, 1);
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    bool was_running = timers->nodes[id].due != 0;
    if (was_running)
        tree_remove(timers, id);
    tree_insert(timers, id, due);
    return was_running ? TW_REARMED : TW_OK;
}

static int rbtree_stop(struct tw_timers *timers, tw_id id)
{
    if (timers->nodes[id].due == 0)
        return TW_IDLE;
    tree_remove(timers, id);
    return TW_OK;
}

/* Nil, which is due TW_NEVER, is first when nothing runs. */
static tw_tick rbtree_next(const struct tw_timers *timers)
{
    return timers->nodes[timers->first].due;
}

/* Fires what is due by `to`.  Kept out of line, so that a tick on which nothing is due, by far the most
 * frequent call, saves no registers. */
__attribute__((noinline)) static void rbtree_fire(struct tw_timers *timers, tw_tick to,
                                                  tw_expire_fn *expire, void *ctx)
{
    while (timers->first != timers->nil) {
        tw_id id = timers->first;
        tw_tick due = timers->nodes[id].due;
        TW_COUNT(timers, comparisons, 1);
        if (due > to)
            break;
        tree_remove(timers, id);
        timers->now = due;
        expire(ctx, id, due);
    }
}

static void rbtree_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    TW_COUNT(timers, visits, 1);
    TW_COUNT(timers, comparisons, 1);
    if (rbtree_next(timers) <= to)
        rbtree_fire(timers, to, expire, ctx);
    timers->now = to;
}

/* The first in order of those below and at `node`. */
static uint32_t leftmost(const struct tw_timers *timers, uint32_t node)
{
    while (timers->nodes[node].child[LEFT] != timers->nil)
        node = timers->nodes[node].child[LEFT];
    return node;
}

/* The next in order; nil after the last. */
static uint32_t following(const struct tw_timers *timers, uint32_t node)
{
    uint32_t right = timers->nodes[node].child[!LEFT];
    if (right != timers->nil)
        return leftmost(timers, right);
    uint32_t parent = parent_of(timers, node);
    while (parent != timers->nil && side_of(timers, parent, node)) {
        node = parent;
        parent = parent_of(timers, node);
    }
    return parent;
}

/* The place in a tree without gaps, as a heap numbers it: the root is 1, the children of s are 2s and 2s + 1. */
static uint32_t place_of(const struct tw_timers *timers, uint32_t node)
{
    uint32_t place = 0, depth = 0;
    for (; node != timers->root && depth < 31; depth++) {
        uint32_t parent = parent_of(timers, node);
        place |= side_of(timers, parent, node) << depth;
        node = parent;
    }
    return node == timers->root ? place | UINT32_C(1) << depth : TOO_DEEP;
}

static void rbtree_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t node = timers->first; node != timers->nil; node = following(timers, node)) {
        tw_tick due = timers->nodes[node].due;
        visit(ctx, &(struct tw_view){.id = node, .deadline = due, .slot = place_of(timers, node)});
    }
}

/* Invariants 2 and 3, for the links down from a node to which a sound way leads. */
static const char *links_down_check(const struct tw_timers *timers, uint32_t node)
{
    const uint32_t *child = timers->nodes[node].child;
    for (uint32_t side = 0; side < 2; side++) {
        if (child[side] == timers->nil)
            continue;
        if (child[side] > timers->nil || timers->nodes[child[side]].due == 0)
            return "a link leads to an idle timer or out of the tree";
        if (parent_of(timers, child[side]) != node || child[0] == child[1])
            return "a child does not name the node above it as its parent";
        if (is_red(timers, node) && is_red(timers, child[side]))
            return "a red node has a red child";
    }
    return NULL;
}

/* The black nodes on the way up from a node to which a sound way leads. */
static uint32_t blacks_above(const struct tw_timers *timers, uint32_t node)
{
    uint32_t blacks = 0;
    for (; node != timers->nil; node = parent_of(timers, node))
        blacks += !is_red(timers, node);
    return blacks;
}

/* Invariants 2 to 4, from the root down and back up.  Ends on any input: links down lead to nodes that name the
 * one above, so that nobody is come to twice. */
static const char *shape_check(const struct tw_timers *timers)
{
    uint32_t nil = timers->nil, node = timers->root, from = nil, blacks = 0;
    while (node != nil) {
        const uint32_t *child = timers->nodes[node].child;
        uint32_t came_from = from;
        const char *broken =
            came_from == parent_of(timers, node) ? links_down_check(timers, node) : NULL;
        if (broken)
            return broken;
        if (child[0] == nil || child[1] == nil) {
            uint32_t above = blacks_above(timers, node);
            if (blacks && above != blacks)
                return "two ways to a free side pass different numbers of black nodes";
            blacks = above;
        }
        from = node;
        if (came_from == parent_of(timers, node) && child[0] != nil)
            node = child[0];
        else if (came_from != child[1] && child[1] != nil)
            node = child[1];
        else
            node = parent_of(timers, node);
    }
    return NULL;
}

static const char *rbtree_check(const struct tw_timers *timers)
{
    if (is_red(timers, timers->nil) || timers->root > timers->nil || is_red(timers, timers->root))
        return "nil or the root is not black";
    if (timers->root != timers->nil && parent_of(timers, timers->root) != timers->nil)
        return "the root has a parent";
    const char *broken = shape_check(timers);
    if (broken)
        return broken;
    uint32_t linked = 0, running = 0, first = leftmost(timers, timers->root);
    tw_tick before = timers->now + 1;
    for (uint32_t node = first; node != timers->nil; node = following(timers, node), linked++) {
        if (timers->nodes[node].due < before || timers->nodes[node].due > TW_DEADLINE_MAX)
            return "a timer is due before the one before it, on a processed tick or never";
        before = timers->nodes[node].due;
    }
    if (timers->first != first)
        return "the cached first is not the leftmost";
    for (tw_id id = 0; id < timers->nil; id++)
        running += timers->nodes[id].due != 0;
    return running == linked ? NULL : "a running timer is not in the tree";
}

TW_TELL_WORK(rbtree);
const struct tw_backend TW_BACKEND(rbtree) = {
    .abi_version = TW_ABI_VERSION,
    .name = "rbtree",
    .summary = "red-black tree with the earliest cached (nginx, Linux hrtimers)",
    .traits = {.flags = TW_ORDERED | TW_FIFO | TW_TICKLESS | TW_NEXT_EXACT,
               .start = {TW_O_LOG_N, TW_O_LOG_N},
               .stop = {TW_O_1, TW_O_LOG_N},
               .expire = {TW_O_1, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_1}},
    TW_HOOKS(rbtree, rbtree),
};
