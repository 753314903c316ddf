/*
 * fast.c - a hierarchical wheel that leaves its timers alone: stop and re-arm write one word, and a
 * timer is only moved when the slot it lies in comes up.
 *
 *     node of a timer, 16 bytes, four to a cache line
 *
 *         prev : 32 | next : 32 | due, low bits : 48 | running | far | - - | home : 12
 *                                                                            '- ring and slot
 *     rings of slots, each slot one list, or eight side by side              now = 5000
 *
 *         ring 0     512 slots of 1 tick           5000 [5001] 5002 ... 5511
 *         ring 1    2048 slots of 512 ticks        4608 [5120] 5632 ... 1052672
 *         ring 2     256 slots of 2^20 ticks          0 [2^20] 2^21 ... 255 * 2^20
 *         ring 3..5  256 slots of 2^28, 2^36, 2^44
 *
 *     A timer due at 9000 lies in the slot of 8704 in ring 1.  It is
 *
 *         stopped             running = 0, and that is all: it stays in the list
 *         started for 9999    due = 9999: it stays too, because its home begins before that
 *         started for 5400    taken out and put into slot 5400 of ring 0: its home comes too late
 *
 *     When 8704 comes up, whoever is found there is let go if it was stopped, or else goes to
 *     where its due tick is by now.  Who is found in ring 0 and due now fires.
 *
 *              average                            worst
 *     start    O(1)                               O(1), and 16 bytes cleared for each id below a new highest
 *     stop     O(1), one word                     O(1)
 *     tick     O(1), moves spread over ticks      O(n), when a slot holds all
 *     advance  O(rings) a timer and a slot in use; nothing for empty ones, however long the jump
 *     next     O(1), a lower bound
 *     memory   16 bytes a timer up to the highest id in use, 113 KiB of lists; 16 to 32 bytes more
 *              for a timer 2^47 ticks away and more (39 hours of ns, 4,460 years of ms)
 *
 * Why it is fast.  With a million timers and more, what costs is the cache: a node that nobody has
 * touched lately is a miss.  To unlink from a list is three of them, and the second and third wait
 * for the first; to write one word is one, which waits for nothing, so that many are under way at
 * once.  Most timers of a server are stopped or re-armed before they are due, and most re-arms are
 * for later: these never touch a list.  What they put off - taking the node out, or moving it - is
 * done when its slot comes up, for a whole slot at a time and along eight lists in turn with
 * prefetches, so that eight misses are under way there too.  Each timer is in one list at most,
 * whatever happened to it, so there is never more to clean up than there are timers: no marks that
 * pile up, no compaction.
 *
 * As long as all nodes in use fit into a core's own cache there are no misses to hide, and a slot has
 * one list only.
 *
 * The ring of a timer goes by the length of its delay, the slot by its due tick; a slot further than
 * the ring reaches becomes the last of it.  So a slot that comes up has only timers that were started
 * a ring's length before, and there is no tick on which everything moves at once.  A word of bits for
 * each 64 slots says where something may be; the earliest begin of such a slot is `wake`, before which
 * a tick is one comparison.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is linked both ways and leads to timers only, each in a list of its home.
 *  2. A slot that holds a timer is marked, begins after now, and not before `wake`.
 *  3. A timer that runs and is not far has a home, which begins by its due tick; that is after now.
 *  4. The lists hold exactly the timers that have a home.
 *  5. A far timer and its place among the far know each other, and it is not due before the look.
 *  6. `running` is the number of running timers.
 *
 * Ideas from elsewhere: rings by delay are Linux 2.6's (linux26.c), marks hier_bitmap.c's, lists side
 * by side hier.c's; re-arming late is what nginx does within 300 ms, and Linux's TCP by looking again
 * when its timer fires: here every timer has it.
 *
 * It loses where few timers run, and all expire: a callout wheel with a slot for each then does half
 * as much.  Timers that are stopped soon and started again for an earlier tick pay for the list
 * after all.  And the tick on which a well-filled slot comes up is long, if eight times shorter than
 * along one list.
 */
#include "arrays.h"
#include "backend.h"

#define DUE_BITS  48u /* of a due tick in a node */
#define DUE_MASK  ((UINT64_C(1) << DUE_BITS) - 1)
#define FAR_TICKS (UINT64_C(1) << (DUE_BITS - 1)) /* a delay from here on is kept apart */
#define FAR_LOOK  (FAR_TICKS / 2)                 /* the far are looked at on multiples of it */

#define RINGS       6u
#define FINE_BITS   9u /* of the slots of ring 0 */
#define FINE        (1u << FINE_BITS)
#define WIDE_BITS   11u /* of ring 1 */
#define WIDE        (1u << WIDE_BITS)
#define COARSE_BITS 8u /* of rings 2 to 5 */
#define COARSE      (1u << COARSE_BITS)

/* A home is the number of a slot.  Each ring begins at a multiple of its size, so that slot numbers
 * are low bits of a tick: ring 0 at 512, the coarse ones at 1024, ring 1 at 2048 .. 4095. */
#define HOME_FIRST  FINE
#define HOME_COARSE (2 * FINE)
#define HOME_WIDE   (HOME_COARSE + 4 * COARSE)
#define HOME_END    (HOME_WIDE + WIDE)
#define SLOTS       (HOME_END - HOME_FIRST)
/* Lists to a slot: as many as the misses that a core can have under way, about. */
#define LANES 8u
/* Nodes that fit into a core's own cache: 256 KiB of them. */
#define SMALL_DEFAULT (16u * 1024)

/* In `prev` of the first node of a list: the rest is the index of its head. */
#define FROM_HEAD (UINT32_C(1) << 31)
/* Nodes that are made ready at a time. */
#define READY_STEP 1024u

static const struct tw_param fast_params[] = {
    {"small", "timers in use up to which a slot has one list instead of eight (default: 16384)", 0,
     TW_CAPACITY_MAX, 1},
    {NULL, NULL, 0, 0, 0},
};

struct node {
    uint32_t prev, next; /* nodes; node 0 ends every list */
    uint64_t word;       /* see the picture; all zero: idle and in no list */
};

#define HOME_MASK  UINT64_C(0xfff)
#define FAR        (UINT64_C(1) << 14) /* `due` is an index into `far` */
#define RUNNING    (UINT64_C(1) << 15)
#define DUE_SHIFT  16u
#define STATE_MASK ((UINT64_C(1) << DUE_SHIFT) - 1)

struct ring {
    uint32_t first; /* its first slot */
    uint16_t mask;  /* its slots less one */
    uint8_t shift;  /* a slot is worth 1 << shift ticks */
};

#define RING_0                                                                                     \
    {                                                                                              \
        HOME_FIRST, FINE - 1, 0                                                                    \
    }
#define RING_1                                                                                     \
    {                                                                                              \
        HOME_WIDE, WIDE - 1, FINE_BITS                                                             \
    }
#define RING_COARSE(n)                                                                             \
    {                                                                                              \
        HOME_COARSE + (n)*COARSE, COARSE - 1, FINE_BITS + WIDE_BITS + (n)*COARSE_BITS              \
    }

static const struct ring rings[RINGS] = {RING_0,         RING_1,         RING_COARSE(0),
                                         RING_COARSE(1), RING_COARSE(2), RING_COARSE(3)};

/* The same by the highest bit of a delay below FAR_TICKS. */
#define EIGHT(ring) ring, ring, ring, ring, ring, ring, ring, ring
static const struct ring ring_by_bit[] = {EIGHT(RING_0),
                                          RING_0,
                                          EIGHT(RING_1),
                                          RING_1,
                                          RING_1,
                                          RING_1,
                                          EIGHT(RING_COARSE(0)),
                                          EIGHT(RING_COARSE(1)),
                                          EIGHT(RING_COARSE(2)),
                                          EIGHT(RING_COARSE(3))};

struct far {
    tw_tick due;
    uint32_t node;
};

struct tw_timers {
    tw_tick now;        /* the tick being processed */
    tw_tick wake;       /* no slot that holds anything begins before it; later than now */
    struct node *nodes; /* timer `id` is node id + 1; node 0 is written to and never read */
    uint32_t running;
    uint32_t ready;     /* the highest node that is ready for use: all up to it are */
    uint32_t small;     /* up to so many ready nodes */
    uint32_t lane_mask; /* a slot has one list, which is 0, and then LANES, less one */
    uint32_t capacity;
    uint32_t far_count, far_room; /* running timers FAR_TICKS away and more; elements of `far` */
    struct far *far;              /* NULL without any */
    tw_tick far_wake;             /* when to look at them; TW_NEVER without any */
    uint64_t marks[SLOTS / 64];
    uint32_t
        first[LANES * SLOTS]; /* first nodes, the first list of each slot, then the second ... */
    TW_WORK_FIELD
};

/* ---- Places. --------------------------------------------------------------------------------- */

static inline uint32_t home_of(uint64_t word)
{
    return word & HOME_MASK;
}

static inline const struct ring *home_ring(uint32_t home)
{
    uint32_t above = home < HOME_WIDE ? home / COARSE - HOME_COARSE / COARSE + 2 : 1;
    return &rings[home < HOME_COARSE ? 0 : above];
}

/* The slot's number in its ring, counted from that of now. */
static inline uint32_t home_ahead(const struct tw_timers *timers, uint32_t home,
                                  const struct ring *ring)
{
    return (home - (uint32_t)(timers->now >> ring->shift)) & ring->mask;
}

/* The first tick of the slot. */
static tw_tick home_begin(const struct tw_timers *timers, uint32_t home)
{
    const struct ring *ring = home_ring(home);
    return ((timers->now >> ring->shift) + home_ahead(timers, home, ring)) << ring->shift;
}

static inline bool is_marked(const struct tw_timers *timers, size_t home)
{
    return timers->marks[(home - HOME_FIRST) / 64] >> home % 64 & 1;
}

static inline size_t head_of(size_t home, uint32_t lane)
{
    return lane * SLOTS + home - HOME_FIRST;
}

/* The whole due tick of a timer that is not far. */
static inline tw_tick due_near(const struct tw_timers *timers, uint64_t word)
{
    return timers->now + (((word >> DUE_SHIFT) - timers->now) & DUE_MASK);
}

static tw_tick due_of(const struct tw_timers *timers, uint64_t word)
{
    return word & FAR ? timers->far[word >> DUE_SHIFT].due : due_near(timers, word);
}

static inline uint64_t word_of(tw_tick due, uint64_t home)
{
    return due << DUE_SHIFT | RUNNING | home;
}

/* ---- Lists. ---------------------------------------------------------------------------------- */

/* Puts a timer that is in no list where its due tick, now or later, belongs.  (`next` is written
 * apart from `prev`: as one write of both it would have to be put together first.) */
static inline void node_place(struct tw_timers *timers, uint32_t node, tw_tick due)
{
    tw_tick now = timers->now;
    const struct ring *ring = &ring_by_bit[63 - __builtin_clzll((due - now) | 1)];
    uint64_t current = now >> ring->shift, ahead = (due >> ring->shift) - current;
    uint64_t number = current + (ahead < ring->mask ? ahead : ring->mask);
    size_t home = ring->first + ((uint32_t)number & ring->mask);
    size_t head = head_of(home, node & timers->lane_mask);
    uint32_t first = timers->first[head];
    struct node *nodes = timers->nodes;
    timers->first[head] = node;
    nodes[node].prev = FROM_HEAD + (uint32_t)head;
    nodes[first].prev = node;
    nodes[node].next = first;
    nodes[node].word = word_of(due, home);
    timers->marks[(home - HOME_FIRST) / 64] |= UINT64_C(1) << home % 64;
    tw_tick begin = number << ring->shift;
    if (begin < timers->wake)
        timers->wake = begin;
    TW_COUNT(timers, link_writes, 4);
    TW_COUNT(timers, comparisons, 1);
}

/* Its word is the caller's. */
static inline void node_remove(struct tw_timers *timers, uint32_t node)
{
    uint32_t prev = timers->nodes[node].prev, next = timers->nodes[node].next;
    uint32_t index = prev & ~FROM_HEAD;
    uint32_t *before[2] = {&timers->nodes[index].next, &timers->first[index]};
    *before[prev / FROM_HEAD] = next; /* looked up: nobody can guess whether it is the first */
    timers->nodes[next].prev = prev;
    TW_COUNT(timers, link_writes, 2);
}

/* Gives a timer that is not far, nor about to be, its due tick. */
static inline void node_start(struct tw_timers *timers, uint32_t node, tw_tick due)
{
    uint32_t home = home_of(timers->nodes[node].word);
    if (home != 0) {
        const struct ring *ring = home_ring(home);
        uint64_t ahead = (due >> ring->shift) - (timers->now >> ring->shift);
        TW_COUNT(timers, comparisons, 1);
        if (home_ahead(timers, home, ring) <= ahead) {
            timers->nodes[node].word = word_of(due, home);
            return;
        }
        node_remove(timers, node);
    }
    node_place(timers, node, due);
}

/* A timer whose home has come up goes where it belongs by now: nowhere, when it was stopped or is
 * far. */
static inline void node_settle(struct tw_timers *timers, uint32_t node, uint64_t word)
{
    TW_COUNT(timers, visits, 1);
    if ((word & (RUNNING | FAR)) == RUNNING) {
        TW_COUNT(timers, moves, 1);
        node_place(timers, node, due_near(timers, word));
    } else {
        timers->nodes[node].word = word & FAR ? word & ~HOME_MASK : 0;
    }
}

/* ---- The far: an array that knows due ticks a node cannot tell.  Hardly anybody sets a timer so far
 * ahead.  One that was stopped or re-armed to be far may still lie in a list. ------------------- */

/* When to look at it: less than FAR_TICKS before it is due, on a multiple of FAR_LOOK. */
static inline tw_tick far_look_at(tw_tick due)
{
    return (due - FAR_LOOK) & ~(FAR_LOOK - 1);
}

static void far_await(struct tw_timers *timers, tw_tick due)
{
    tw_tick look = far_look_at(due);
    timers->far_wake = look < timers->far_wake ? look : timers->far_wake;
    timers->wake = look < timers->wake ? look : timers->wake;
}

/* A timer that is not far becomes it; false without memory. */
static bool far_add(struct tw_timers *timers, uint32_t node, tw_tick due)
{
    if (timers->far_count == timers->far_room) {
        uint32_t room = timers->far_room ? 2 * timers->far_room : 16;
        struct far *far = realloc(timers->far, room * sizeof *far);
        TW_COUNT(timers, allocations, 1);
        if (!far)
            return false;
        timers->far = far;
        timers->far_room = room;
    }
    uint32_t home = home_of(timers->nodes[node].word);
    timers->nodes[node].word = word_of(timers->far_count, home) | FAR;
    timers->far[timers->far_count++] = (struct far){due, node};
    far_await(timers, due);
    return true;
}

/* A far timer is idle from now on; the last one takes its place. */
static void far_remove(struct tw_timers *timers, uint32_t node)
{
    uint64_t *word = &timers->nodes[node].word;
    struct far *hole = &timers->far[*word >> DUE_SHIFT], last = timers->far[--timers->far_count];
    uint64_t *moved = &timers->nodes[last.node].word;
    *hole = last;
    *moved = (*word & ~STATE_MASK) | (*moved & STATE_MASK);
    *word &= HOME_MASK;
    if (timers->far_count == 0) {
        free(timers->far);
        timers->far = NULL;
        timers->far_room = 0;
        timers->far_wake = TW_NEVER;
    }
}

/* The clock has come to a look: who is not far any more is started. */
static void far_look(struct tw_timers *timers)
{
    timers->far_wake = TW_NEVER;
    for (uint32_t i = 0; i < timers->far_count;) {
        struct far far = timers->far[i];
        TW_COUNT(timers, visits, 1);
        if (far.due - timers->now < FAR_TICKS) {
            far_remove(timers, far.node);
            node_start(timers, far.node, far.due);
        } else {
            far_await(timers, far.due);
            i++;
        }
    }
}

/* ---- The clock. ------------------------------------------------------------------------------ */

/* Empties a slot whose turn has come, its lists in turn, so that the next node of a list has arrived
 * in the cache by the time it is wanted; in ring 0, who is due fires.  A callback cannot disturb the
 * lists: their home begins now, so that whatever it starts among these timers stays where it is. */
static inline __attribute__((always_inline)) void slot_empty(struct tw_timers *timers, size_t home,
                                                             tw_expire_fn *expire, void *ctx)
{
    uint32_t lane[LANES], lanes = 0;
    struct node *nodes = timers->nodes;
    for (uint32_t i = 0; i <= timers->lane_mask; i++) {
        uint32_t *first = &timers->first[head_of(home, i)];
        __builtin_prefetch(&nodes[*first]);
        lane[lanes] = *first;
        lanes += *first != 0;
        *first = 0;
    }
    timers->marks[(home - HOME_FIRST) / 64] &= ~(UINT64_C(1) << home % 64);
    uint64_t due = word_of(timers->now, home);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t node = lane[i], next = nodes[node].next;
            uint64_t word = nodes[node].word;
            __builtin_prefetch(&nodes[next]);
            lane[i] = next != 0 ? next : lane[--lanes];
            if (expire && word == due) {
                nodes[node].word = 0;
                timers->running--;
                TW_COUNT(timers, visits, 1);
                TW_COUNT(timers, comparisons, 1);
                expire(ctx, node - 1, timers->now);
            } else {
                node_settle(timers, node, word);
            }
        }
}

/* The slots of the other rings that begin now, from the highest down, so that what comes down from
 * one is there when it is the turn of the next. */
__attribute__((noinline)) static void rings_turn(struct tw_timers *timers)
{
    if (timers->far_wake == timers->now)
        far_look(timers);
    for (const struct ring *ring = &rings[RINGS - 1]; ring > rings; ring--) {
        uint64_t number = timers->now >> ring->shift;
        size_t home = ring->first + ((uint32_t)number & ring->mask);
        if (number << ring->shift == timers->now && is_marked(timers, home)) {
            TW_COUNT(timers, cascades, 1);
            slot_empty(timers, home, NULL, NULL);
        }
    }
}

/* The earliest begin of a marked slot of the ring.  That of now is not marked. */
static inline tw_tick ring_wake(const struct tw_timers *timers, const struct ring *ring)
{
    uint64_t number = timers->now >> ring->shift;
    uint32_t current = (uint32_t)number & ring->mask, word = current / 64;
    uint32_t words = (ring->mask + 1u) / 64;
    const uint64_t *marks = &timers->marks[(ring->first - HOME_FIRST) / 64];
    uint64_t rest = marks[word] & (~UINT64_C(0) << current % 64);
    for (uint32_t i = 0; rest == 0 && i < words; i++) {
        word = (word + 1) % words;
        rest = marks[word];
    }
    if (rest == 0)
        return TW_NEVER;
    uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(rest);
    return (number + ((slot - current) & ring->mask)) << ring->shift;
}

/* The tick on which the ring begins again, where slots of the rings above may begin. */
static inline tw_tick ring_turn(const struct tw_timers *timers, const struct ring *ring)
{
    return (((timers->now >> ring->shift) | ring->mask) + 1) << ring->shift;
}

/* Does a marked slot of this ring, or one above, begin on that tick? */
static bool rings_begin(const struct tw_timers *timers, const struct ring *ring, tw_tick tick)
{
    for (; ring < rings + RINGS; ring++) {
        uint64_t number = tick >> ring->shift;
        if (number << ring->shift != tick)
            break;
        if (is_marked(timers, ring->first + ((uint32_t)number & ring->mask)))
            return true;
    }
    return false;
}

/* The earliest begin of a marked slot, when it is not that of a slot of ring 0 before its turn. */
__attribute__((noinline)) static tw_tick wake_above(const struct tw_timers *timers, tw_tick wake)
{
    const struct ring *ring = rings;
    for (;;) {
        tw_tick turn = ring_turn(timers, ring);
        if (wake < turn)
            return wake;
        if (++ring == rings + RINGS)
            return wake;
        if (rings_begin(timers, ring, turn))
            return turn;
        if (wake != TW_NEVER)
            return wake;
        wake = ring_wake(timers, ring);
    }
}

static inline tw_tick wake_find(const struct tw_timers *timers)
{
    tw_tick wake = ring_wake(timers, &rings[0]);
    if (wake >= ring_turn(timers, &rings[0]))
        wake = wake_above(timers, wake);
    return wake < timers->far_wake ? wake : timers->far_wake;
}

__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->wake <= to) {
        timers->now = timers->wake;
        TW_COUNT(timers, pointer_moves, 1);
        if (timers->now % FINE == 0)
            rings_turn(timers);
        size_t home = HOME_FIRST + timers->now % FINE;
        if (is_marked(timers, home))
            slot_empty(timers, home, expire, ctx);
        timers->wake = wake_find(timers);
    }
    if (timers->now < to)
        timers->now = to;
}

/* ---- The table's functions. ------------------------------------------------------------------ */

static void fast_close(struct tw_timers *timers)
{
    free(timers->nodes);
    free(timers->far);
    free(timers);
}

/* No node is touched before it is used: memory follows use. */
static int fast_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(fast_params, config, error);
    if (status != TW_OK)
        return status;
    uint64_t bytes = ((uint64_t)config->capacity + 1) * sizeof(struct node);
    struct tw_timers *timers = arrays_zeroed(1, sizeof *timers);
    if (!timers)
        return params_no_memory(error, sizeof *timers);
    timers->now = config->now;
    timers->wake = timers->far_wake = TW_NEVER;
    timers->capacity = config->capacity;
    const struct tw_setting *small = params_find(config, "small");
    timers->small = small ? (uint32_t)small->values[0] : SMALL_DEFAULT;
    timers->nodes = malloc(bytes);
    if (!timers->nodes) {
        fast_close(timers);
        return params_no_memory(error, bytes);
    }
    *out = timers;
    return TW_OK;
}

/* Makes the nodes up to this one idle, and some more. */
static void nodes_ready(struct tw_timers *timers, uint32_t node)
{
    uint32_t rest = timers->capacity - node;
    uint32_t ready = node + (rest < READY_STEP ? rest : READY_STEP);
    memset(&timers->nodes[timers->ready + 1], 0, (ready - timers->ready) * sizeof(struct node));
    timers->ready = ready;
    if (ready > timers->small)
        timers->lane_mask = LANES - 1;
}

/* Any start that is not for a timer in use, near, and later than what is there. */
__attribute__((noinline)) static int start_any(struct tw_timers *timers, uint32_t node,
                                               tw_tick deadline)
{
    if (deadline <= timers->now) {
        if (timers->now >= TW_DEADLINE_MAX)
            return TW_REFUSED_RANGE;
        deadline = timers->now + 1;
    }
    if (node > timers->ready)
        nodes_ready(timers, node);
    uint64_t word = timers->nodes[node].word;
    bool is_far = deadline - timers->now >= FAR_TICKS;
    if (word & FAR && is_far) {
        timers->far[word >> DUE_SHIFT].due = deadline;
        far_await(timers, deadline);
        return TW_REARMED;
    }
    if (word & FAR)
        far_remove(timers, node);
    if (!is_far)
        node_start(timers, node, deadline);
    else if (!far_add(timers, node, deadline))
        return TW_REFUSED_MEMORY;
    timers->running += !(word & RUNNING);
    return word & RUNNING ? TW_REARMED : TW_OK;
}

static int fast_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    uint32_t node = id + 1;
    tw_tick now = timers->now;
    if (__builtin_expect(deadline <= now || deadline - now >= FAR_TICKS || node > timers->ready, 0))
        return start_any(timers, node, deadline);
    uint64_t word = timers->nodes[node].word;
    if (word == 0) {
        timers->running++;
        node_place(timers, node, deadline);
        return TW_OK;
    }
    if (__builtin_expect((word & FAR) != 0, 0))
        return start_any(timers, node, deadline);
    uint32_t home = home_of(word);
    const struct ring *ring = home_ring(home);
    uint64_t ahead = (deadline >> ring->shift) - (now >> ring->shift);
    TW_COUNT(timers, comparisons, 1);
    if (home_ahead(timers, home, ring) > ahead)
        return start_any(timers, node, deadline);
    int status = word & RUNNING ? TW_REARMED : TW_OK;
    timers->running += !status;
    timers->nodes[node].word = word_of(deadline, home);
    return status;
}

static int fast_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t node = id + 1;
    if (__builtin_expect(node > timers->ready, 0))
        return TW_IDLE;
    uint64_t word = timers->nodes[node].word;
    if (!(word & RUNNING))
        return TW_IDLE;
    timers->running--;
    TW_COUNT(timers, link_writes, 1);
    if (__builtin_expect((word & FAR) != 0, 0))
        far_remove(timers, node);
    else
        timers->nodes[node].word = word & HOME_MASK;
    return TW_OK;
}

static void fast_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (__builtin_expect(to < timers->wake, 1)) {
        TW_COUNT(timers, empty_ticks, to > timers->now);
        TW_COUNT(timers, pointer_moves, to > timers->now);
        timers->now = to > timers->now ? to : timers->now;
        return;
    }
    clock_move(timers, to, expire, ctx);
}

/* A slot that holds stopped timers only, or none any more, may make it too early. */
static tw_tick fast_next(const struct tw_timers *timers)
{
    return timers->running > 0 ? timers->wake : TW_NEVER;
}

/* A far timer is shown without a slot, as rings + 1 level. */
static void fast_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t node = 1; node <= timers->ready; node++) {
        uint64_t word = timers->nodes[node].word;
        if (!(word & RUNNING))
            continue;
        struct tw_view view = {.id = node - 1, .deadline = due_of(timers, word), .level = RINGS};
        if (!(word & FAR)) {
            const struct ring *ring = home_ring(home_of(word));
            view.level = (uint32_t)(ring - rings);
            view.slot = home_of(word) & ring->mask;
        }
        visit(ctx, &view);
    }
}

/* Invariant 1, for one list; adds its length to *held.  Ends on any input: a node that is met twice
 * would need two different predecessors. */
static const char *list_check(const struct tw_timers *timers, uint32_t home, size_t head,
                              uint64_t *held)
{
    uint32_t prev = FROM_HEAD + (uint32_t)head;
    for (uint32_t node = timers->first[head]; node != 0; node = timers->nodes[node].next) {
        if (node > timers->ready)
            return "a list leads to what is no timer";
        if (timers->nodes[node].prev != prev)
            return "a back link does not lead to the timer before";
        if (home_of(timers->nodes[node].word) != home)
            return "a timer is in a list that is not of its home";
        prev = node;
        ++*held;
    }
    return NULL;
}

/* Invariants 1 and 2, for one marked slot. */
static const char *slot_check(const struct tw_timers *timers, uint32_t home, uint64_t *held)
{
    uint64_t before = *held;
    for (uint32_t lane = 0; lane <= timers->lane_mask; lane++) {
        const char *broken = list_check(timers, home, head_of(home, lane), held);
        if (broken)
            return broken;
    }
    if (*held == before)
        return NULL;
    if (home_begin(timers, home) <= timers->now)
        return "a slot that has come up still holds a timer";
    if (home_begin(timers, home) < timers->wake)
        return "a slot that holds a timer begins before the next wake-up";
    return NULL;
}

/* The same for all.  Slots that are not marked need no look: every timer has to be in a marked one. */
static const char *slots_check(const struct tw_timers *timers, uint64_t *held)
{
    const char *broken = NULL;
    for (uint32_t word = 0; !broken && word < SLOTS / 64; word++) {
        uint64_t marks = timers->marks[word];
        for (; !broken && marks != 0; marks &= marks - 1)
            broken =
                slot_check(timers, HOME_FIRST + word * 64 + (uint32_t)__builtin_ctzll(marks), held);
    }
    return broken;
}

/* Invariant 5, for one timer. */
static const char *far_check(const struct tw_timers *timers, uint32_t node)
{
    uint64_t at = timers->nodes[node].word >> DUE_SHIFT;
    if (at >= timers->far_count || timers->far[at].node != node)
        return "a far timer is not where it says among the far";
    if (timers->far_wake <= timers->now || timers->far_wake < timers->wake)
        return "the look at the far is over, or comes before the next wake-up";
    if (timers->far[at].due - timers->far_wake < FAR_LOOK)
        return "a far timer is due before the look at it";
    return NULL;
}

/* Invariants 2, 3 and 5, for one timer. */
static const char *timer_check(const struct tw_timers *timers, uint32_t node)
{
    uint64_t word = timers->nodes[node].word;
    uint32_t home = home_of(word);
    if (home != 0 && (home < HOME_FIRST || home >= HOME_END))
        return "a timer's home is no slot";
    if (home != 0 && !is_marked(timers, home))
        return "a slot that holds a timer is not marked";
    if (!(word & RUNNING))
        return NULL;
    if (word & FAR)
        return far_check(timers, node);
    if (home == 0)
        return "a running timer has no home";
    if (due_near(timers, word) <= timers->now)
        return "a timer is still held after its due tick";
    if (home_begin(timers, home) > due_near(timers, word))
        return "a timer's home comes up after its due tick";
    return NULL;
}

static const char *fast_check(const struct tw_timers *timers)
{
    uint64_t held = 0, placed = 0;
    uint32_t running = 0, far = 0;
    if (timers->wake <= timers->now)
        return "the next wake-up is over";
    const char *broken = slots_check(timers, &held);
    for (uint32_t node = 1; !broken && node <= timers->ready; node++) {
        uint64_t word = timers->nodes[node].word;
        placed += home_of(word) != 0;
        running += (word & RUNNING) != 0;
        far += (word & FAR) != 0;
        broken = timer_check(timers, node);
    }
    if (!broken && held != placed)
        broken = "the lists do not hold exactly the timers that have a home";
    if (!broken && far != timers->far_count)
        broken = "there are not as many far timers as places among the far";
    if (!broken && running != timers->running)
        broken = "the number of running timers is not that of those that run";
    return broken;
}

static struct tw_footprint fast_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + sizeof(struct node),
        .capacity_bytes = timers->capacity * (uint64_t)sizeof(struct node),
        .pending_bytes = timers->far_room * (uint64_t)sizeof *timers->far,
    };
}

static void fast_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = TW_DEADLINE_MAX,
        .setting_count = 1,
        .settings = {{.name = "small", .count = 1, .values = {timers->small}}},
    };
}

static const struct tw_work *fast_work(const struct tw_timers *timers)
{
    (void)timers;
    return TW_WORK_OF(timers);
}

const struct tw_backend TW_BACKEND(fast) = {
    .abi_version = TW_ABI_VERSION,
    .name = "fast",
    .summary = "hierarchical wheel that leaves stopped and re-armed timers where they lie",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_ALLOCATES,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_1},
               .tick = {TW_O_1, TW_O_N}},
    .params = fast_params,
    .open = fast_open,
    .close = fast_close,
    .start = fast_start,
    .stop = fast_stop,
    .advance = fast_advance,
    .next = fast_next,
    .visit = fast_visit,
    .check = fast_check,
    .footprint = fast_footprint,
    .describe = fast_describe,
    .work = fast_work,
};
