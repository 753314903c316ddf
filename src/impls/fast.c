/*
 * fast.c - a hierarchical wheel that leaves its timers alone: a stop writes one word, so does a
 * re-arm for later, and most timers go at once to the tick on which they fire.
 *
 *     node of a timer, 16 bytes, four to a cache line
 *
 *         next : 32 | from : 32 | due, low bits : 47 | running | far | home : 15
 *                        |                                             '- number of its list
 *                        '- the link that leads here: a `next`, or the first of a list
 *     lists, 120 KiB of heads                                now = 5000
 *
 *         ring 0     16384 slots of 1 tick, a list each      5000 [5001] 5002 ... 21384
 *         ring 1      1024 slots of 4096 ticks, 8 lists      4096 [8192] 12288 ... 4198400
 *         ring 2..4    256 slots of 2^22, 2^30, 2^38         the slot of now stands for the one
 *                      ticks, 8 lists                        a whole revolution ahead
 *
 *     A timer due at 30000 lies in the slot of 28672 in ring 1, in its list of 29696 to 30207.
 *     It is
 *
 *         stopped              running = 0, and that is all: it stays in the list
 *         re-armed for 40000   due = 40000: it stays too
 *         started for 9000     taken out, and put into slot 9000 of ring 0: its home comes too late
 *
 *     When that slot comes up, at 28672 or later in it, whoever is found there goes to where its
 *     due tick is by now, or was stopped and is let go.  Who is found in ring 0 and due now fires.
 *
 *              average                            worst
 *     start    O(1)                               O(1), and 16 bytes cleared for each id below a
 *                                                 new highest
 *     stop     O(1), one word                     O(1)
 *     expiry   O(1)                               O(n), when its tick brings up a slot of all
 *     tick     O(1)                               O(n), likewise
 *     advance  O(rings) a timer and a slot in use; nothing for empty ones, however long the jump
 *     next     O(1), a lower bound
 *     memory   16 bytes a timer up to the highest id in use, from 2 MiB on in steps of 2 MiB;
 *              124 KiB of lists; 16 to 32 bytes more for a timer 2^46 ticks away and more (19 hours of
 *              ns, 2,230 years of ms)
 *
 * Why it is fast.  Up to a hundred thousand timers what costs is instructions and wrong guesses.
 * So ring 0 is wide: most timers of a server are due within 16384 ticks, and go to their tick at
 * once; those of up to 2^22 ticks are moved once.  Which of the two rings is chosen without a
 * branch.  Heads and nodes are one block of memory, so that every link has a number, and a timer is
 * unlinked without asking whether a node or a head leads to it.  An empty tick is one comparison,
 * with `wake`; a start compares its due tick with the same.
 *
 * With a million timers and more it is the cache: a node that nobody has touched lately is a miss.
 * To unlink from a list is three of them, and the second and third wait for the first; to write
 * one word is one, which waits for nothing, so that many are under way at once.  Most timers of a
 * server are stopped or re-armed before they are due, and most re-arms are for later: these never
 * touch a list.  What they put off is done when the slot comes up, with eight misses under way
 * there too:
 *
 *     ring 1 ..    the lists of the slot are walked in turn, each node prefetched a round ahead
 *     ring 0       with each timer looked at, a scout goes one on in the list of a tick to come
 *
 *                  now      now+1    now+2    ...   now+8
 *                   #        #        #              x       # in the cache
 *                   #        #        x              .       x where the scout is
 *                   .        #        .              .       . not seen yet
 *                   .        x        .              .
 *
 * A slot of ring 1 is short enough for most of its timers to be in the cache still when they fire.
 * Each timer is in one list at most, whatever happened to it, so there is never more to clean up
 * than there are timers: no marks that pile up, no compaction.
 *
 * With ten million timers it is the way to the page besides: their nodes lie on 39,000 pages of 4 KiB,
 * and a processor keeps the places of one or two thousand.  So all but the first 2 MiB of them ask for
 * pages of 2 MiB (`madvise`), of which there are 77.  The price is paid by the start that is the first on
 * such a page: the system clears it in a fraction of a millisecond.
 *
 * As long as the nodes fit a cache (`eager`) there are no misses to hide: no scouts, and a stopped
 * timer that is started again is unlinked and put where it belongs, which takes less than to come
 * across it later.
 *
 * The ring of a timer goes by the length of its delay, the slot by its due tick.  So a slot that
 * comes up has only timers that were started a ring's length before, and there is no tick on which
 * everything moves at once.  A bit for each list says where something may be.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every list is linked both ways and leads to timers only, each with this list for its home.
 *  2. A timer's home is a list that is marked.
 *  3. A timer that runs and is not far has a home, which comes up by its due tick.  That is after
 *     now, and not before `wake`.
 *  4. The lists hold exactly the timers that have a home.
 *  5. A far timer and its place among the far know each other, and it is not due before the look.
 *  6. `running` is the number of running timers.
 *
 * Ideas from elsewhere: rings by delay are Linux 2.6's (linux26.c), links to links its hlist's, marks
 * hier_bitmap.c's, lists side by side hier.c's; a wide ring of single ticks is the callout wheel
 * (callwheel.c); re-arming late is what nginx does within 300 ms, and Linux's TCP by looking again
 * when its timer fires.
 *
 * It loses where few timers are started and nothing else happens: a callout wheel's start has half
 * the instructions.  Timers that are stopped soon and started again for an earlier tick pay for the
 * list after all.  All timers on one tick are one list, walked a miss at a time.  And the tick on
 * which a well-filled slot of ring 1 comes up is long, if eight times shorter than along one list.
 */
#include "arrays.h"
#include "backend.h"

#define DUE_BITS  47u /* of a due tick in a node */
#define DUE_MASK  ((UINT64_C(1) << DUE_BITS) - 1)
#define FAR_TICKS (UINT64_C(1) << (DUE_BITS - 1)) /* a delay from here on is kept apart */
#define FAR_LOOK  (FAR_TICKS / 2)                 /* the far are looked at on multiples of it */

/* Lists to a slot of the upper rings, and scouts in ring 0: as many as the misses that a core can
 * have under way, about. */
#define LANE_BITS 3u
#define LANES     (1u << LANE_BITS)
#define SCOUTS    LANES

#define FINE_BITS   14u /* of the slots of ring 0 */
#define WIDE_BITS   10u /* of ring 1 */
#define COARSE_BITS 8u  /* of rings 2 to 4 */
#define STEP_BITS   12u /* of the ticks that a slot of ring 1 is worth */
#define STEP        (UINT64_C(1) << STEP_BITS)
#define NEAR_BITS   (STEP_BITS + WIDE_BITS)
#define NEAR_TICKS  (UINT64_C(1) << NEAR_BITS) /* a delay below is for ring 0 or 1 */
#define RINGS       5u

/* Numbers of lists.  Each ring begins at a multiple of its lists, so that the rest of a number is
 * some bits of a tick: the coarse rings at 2048, ring 1 at 8192, ring 0 at 16384.  0 is no list. */
#define HOME_BITS   15u
#define HOME_COARSE (1u << (COARSE_BITS + LANE_BITS))
#define HOME_WIDE   (1u << (WIDE_BITS + LANE_BITS))
#define HOME_FINE   (1u << FINE_BITS)
#define HOME_END    (1u << HOME_BITS)
#define HOME_FIRST  HOME_COARSE
#define LISTS       (HOME_END - HOME_FIRST)

/* Nodes that are made ready at a time. */
#define READY_STEP 1024u

/* Nodes whose neighbours in a list are near enough to unlink them: 2 MiB of them. */
#define EAGER_DEFAULT (128u * 1024)

static const struct tw_param fast_params[] = {
    {"eager",
     "timers in use up to which one that was stopped and is started again is moved at once "
     "(default: 131072)",
     0, TW_CAPACITY_MAX, 1},
    {"madvise",
     "1: ask the system for pages of 2 MiB, but for the first 2 MiB; 0: do not (default: 1)", 0, 1,
     1},
    {NULL, NULL, 0, 0, 0},
};

struct node {
    uint32_t next; /* a node; node 0 ends every list */
    uint32_t from; /* the place of the link that leads here */
    uint64_t word; /* see the picture; all zero: idle and in no list */
};

#define HOME_MASK  ((UINT64_C(1) << HOME_BITS) - 1)
#define FAR        (UINT64_C(1) << 15) /* `due` is an index into `far` */
#define RUNNING    (UINT64_C(1) << 16)
#define DUE_SHIFT  17u
#define STATE_MASK ((UINT64_C(1) << DUE_SHIFT) - 1)

struct ring {
    tw_tick align;  /* masks the first tick of a slot */
    uint32_t shift; /* a list is worth 1 << shift ticks, a slot as many times more as it has */
    uint32_t first; /* its first list */
    uint32_t mask;  /* its lists, less one */
    uint32_t slots; /* masks the first list of a slot */
    uint32_t lanes; /* lists of a slot, less one */
    uint32_t level;
};

#define RING(level, first, slot_bits, lane_bits, slot_ticks)                                       \
    {                                                                                              \
        ~UINT64_C(0) << (slot_ticks), (slot_ticks) - (lane_bits), first,                           \
            (1u << ((slot_bits) + (lane_bits))) - 1, ((1u << (slot_bits)) - 1) << (lane_bits),     \
            (1u << (lane_bits)) - 1, level                                                         \
    }
#define RING_0 RING(0, HOME_FINE, FINE_BITS, 0, 0)
#define RING_1 RING(1, HOME_WIDE, WIDE_BITS, LANE_BITS, STEP_BITS)
#define RING_COARSE(n)                                                                             \
    RING(2 + (n), HOME_COARSE * (1 + (n)), COARSE_BITS, LANE_BITS, NEAR_BITS + (n)*COARSE_BITS)

static const struct ring rings[RINGS] = {RING_0, RING_1, RING_COARSE(0), RING_COARSE(1),
                                         RING_COARSE(2)};

/* The same by the highest bits of a list's number. */
#define FOUR(ring) ring, ring, ring, ring
static const struct ring ring_by_home[] = {
    {0}, RING_COARSE(0), RING_COARSE(1), RING_COARSE(2), FOUR(RING_1), FOUR(RING_0), FOUR(RING_0)};

struct far {
    tw_tick due;
    uint32_t node;
};

struct tw_timers {
    tw_tick now;    /* the tick being processed */
    tw_tick wake;   /* nothing is due before it; later than now */
    tw_tick turned; /* the last tick that was woken up for: its slots have been emptied */
    uint32_t running;
    uint32_t ready; /* the highest node that is ready for use: all up to it are */
    uint32_t eager; /* up to so many ready nodes; more are not in the cache */
    bool cached;    /* there are no more: lists are cheap, and nothing is put off */
    bool huge;      /* huge pages were asked for */
    uint32_t capacity;
    uint32_t far_count, far_room; /* running timers FAR_TICKS away and more; elements of `far` */
    struct far *far;              /* NULL without any */
    tw_tick far_wake;             /* when to look at them; TW_NEVER without any */
    uint32_t scouts[SCOUTS];      /* the node where the scout of a tick, modulo SCOUTS, is */
    uint64_t marks[LISTS / 64];   /* of the lists that may hold something */
    uint32_t first[LISTS];        /* first nodes */
    TW_WORK_FIELD
    _Alignas(ARRAYS_LINE) struct node nodes[]; /* timer `id` is node id + 1 */
};

/* The place of a link is its distance from the beginning of the table, in links. */
#define PLACE_OF(what) (offsetof(struct tw_timers, what) / sizeof(uint32_t))
#define PLACE_LIST_0   (PLACE_OF(first) - HOME_FIRST)
#define NODE_LINKS     (sizeof(struct node) / sizeof(uint32_t))
_Static_assert(PLACE_OF(nodes) + NODE_LINKS * (TW_CAPACITY_MAX + UINT64_C(1)) <= UINT32_MAX,
               "every link has a place");

/* ---- Places. --------------------------------------------------------------------------------- */

static inline uint32_t home_of(uint64_t word)
{
    return word & HOME_MASK;
}

static inline const struct ring *home_ring(uint32_t home)
{
    return &ring_by_home[home / HOME_COARSE];
}

/* Does the list come up by this tick?  Its slot is the first of its number to begin after the last
 * wake-up that does not end before the next. */
static inline bool home_is_by(const struct tw_timers *timers, uint32_t home, tw_tick due)
{
    const struct ring *ring = home_ring(home);
    bool is_new = ((timers->turned ^ timers->wake) & ring->align) != 0;
    tw_tick before = is_new ? (timers->wake & ring->align) - 1 : timers->turned;
    uint32_t last = (home & ~ring->lanes) - 1; /* the last list of the slot before */
    uint32_t between = (last - (uint32_t)(before >> ring->shift)) & ring->slots;
    tw_tick begin = ((tw_tick)between << ring->shift) + (before | ~ring->align) + 1;
    return begin <= due;
}

static inline uint32_t *first_of(struct tw_timers *timers, size_t list)
{
    return &timers->first[list - HOME_FIRST];
}

static inline uint64_t *marks_of(struct tw_timers *timers, size_t list)
{
    return &timers->marks[list / 64 - HOME_FIRST / 64];
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

static inline uint32_t *link_at(struct tw_timers *timers, size_t place)
{
    return (uint32_t *)timers + place;
}

static inline void wake_by(struct tw_timers *timers, tw_tick due)
{
    if (due < timers->wake)
        timers->wake = due;
}

/* Puts a timer that is in no list to the front of one.  `state` is what its word has below the due
 * tick from now on: RUNNING, and the list, its home.  (`next` is written apart from `from`: as one
 * write of both it would have to be put together first.  And the empty line of assembler has the
 * mark set in a register, in one instruction, where compilers shift a bit there and change memory.) */
static inline void node_push(struct tw_timers *timers, size_t node, tw_tick due, size_t state)
{
    size_t place = PLACE_LIST_0 + state - RUNNING;
    uint32_t next = *link_at(timers, place);
    *link_at(timers, place) = (uint32_t)node;
    timers->nodes[node].from = (uint32_t)place;
    timers->nodes[next].from = (uint32_t)(PLACE_OF(nodes) + node * NODE_LINKS);
    timers->nodes[node].word = due << DUE_SHIFT | state;
    uint64_t *marks = marks_of(timers, state - RUNNING), marked = *marks;
    __asm__("" : "+r"(marked));
    *marks = marked | UINT64_C(1) << state % 64;
    timers->nodes[node].next = next;
    wake_by(timers, due);
    TW_COUNT(timers, link_writes, 4);
    TW_COUNT(timers, comparisons, 1);
}

/* Puts a timer that is in no list where its due tick, now or later, belongs: the usual, less than
 * NEAR_TICKS from now.  Both lists are worked out, for nobody can guess which it is; the empty line
 * of assembler keeps compilers from making a branch of the choice. */
static inline void node_place_near(struct tw_timers *timers, size_t node, tw_tick due)
{
    size_t fine = RUNNING | HOME_FINE | (due & (HOME_FINE - 1));
    size_t wide = RUNNING | HOME_WIDE | (due >> (STEP_BITS - LANE_BITS) & (HOME_WIDE - 1));
    __asm__("" : "+r"(fine), "+r"(wide));
    node_push(timers, node, due, due - timers->now < HOME_FINE ? fine : wide);
}

/* The same for any that is not far. */
static inline void node_place(struct tw_timers *timers, size_t node, tw_tick due)
{
    tw_tick wait = due - timers->now;
    if (wait < NEAR_TICKS) {
        node_place_near(timers, node, due);
        return;
    }
    unsigned bit = 63u - (unsigned)__builtin_clzll(wait);
    const struct ring *ring = &rings[2 + (bit - NEAR_BITS) / COARSE_BITS];
    node_push(timers, node, due, RUNNING | (ring->first + (due >> ring->shift & ring->mask)));
}

/* Its word is the caller's. */
static inline void node_remove(struct tw_timers *timers, size_t node)
{
    uint32_t from = timers->nodes[node].from, next = timers->nodes[node].next;
    *link_at(timers, from) = next;
    timers->nodes[next].from = from;
    TW_COUNT(timers, link_writes, 2);
}

/* Gives a timer that is not far, nor about to be, its due tick. */
static void node_start(struct tw_timers *timers, uint32_t node, tw_tick due)
{
    uint32_t home = home_of(timers->nodes[node].word);
    TW_COUNT(timers, comparisons, home != 0);
    if (home != 0 && home_is_by(timers, home, due)) {
        timers->nodes[node].word = word_of(due, home);
        wake_by(timers, due);
        return;
    }
    if (home != 0)
        node_remove(timers, node);
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
    wake_by(timers, look);
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

/* Empties a slot of an upper ring whose turn has come, its lists in turn, so that the next node of a
 * list has arrived in the cache by the time it is wanted. */
static void slot_settle(struct tw_timers *timers, uint32_t home)
{
    uint32_t lane[LANES], lanes = 0;
    struct node *nodes = timers->nodes;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t *first = first_of(timers, home + i);
        __builtin_prefetch(&nodes[*first]);
        lane[lanes] = *first;
        lanes += *first != 0;
        *first = 0;
    }
    *marks_of(timers, home) &= ~(((UINT64_C(1) << LANES) - 1) << home % 64);
    while (lanes > 0)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t node = lane[i], next = nodes[node].next;
            __builtin_prefetch(&nodes[next]);
            lane[i] = next != 0 ? next : lane[--lanes];
            node_settle(timers, node, nodes[node].word);
        }
}

/* The slots of the upper rings that have begun, from the highest down, so that what comes down from
 * one is there when it is the turn of the next. */
__attribute__((noinline)) static void rings_turn(struct tw_timers *timers)
{
    if (timers->far_wake <= timers->now)
        far_look(timers);
    for (const struct ring *ring = &rings[RINGS - 1]; ring > rings; ring--) {
        bool has_begun = ((timers->turned ^ timers->now) & ring->align) != 0;
        uint32_t home =
            (ring->first + ((uint32_t)(timers->now >> ring->shift) & ring->mask)) & ~ring->lanes;
        if (has_begun && *marks_of(timers, home) >> home % 64 & ((1u << LANES) - 1)) {
            TW_COUNT(timers, cascades, 1);
            slot_settle(timers, home);
        }
    }
}

/* Sends a scout to the list of the tick that is SCOUTS ahead: the one whose tick is now is free. */
static inline void scout_send(struct tw_timers *timers)
{
    uint32_t ahead = (uint32_t)(timers->now + SCOUTS) % HOME_FINE;
    uint32_t node = *first_of(timers, HOME_FINE + ahead);
    timers->scouts[timers->now % SCOUTS] = node;
    __builtin_prefetch(&timers->nodes[node]);
}

/* The next scout goes one timer on.  Whoever is moved meanwhile takes its scout along: no harm. */
static inline void scout_go(struct tw_timers *timers, uint32_t turn)
{
    uint32_t *scout = &timers->scouts[turn % SCOUTS];
    *scout = timers->nodes[*scout].next;
    __builtin_prefetch(&timers->nodes[*scout]);
}

/* Empties the slot of ring 0 that is now's: who is due fires.  Each is taken out before its callback
 * runs, which may take out any of the others. */
static inline void slot_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint32_t home = HOME_FINE + (uint32_t)timers->now % HOME_FINE, turn = 0;
    uint32_t *first = first_of(timers, home);
    uint64_t due = word_of(timers->now, home);
    struct node *nodes = timers->nodes;
    bool scouted = !timers->cached;
    *marks_of(timers, home) &= ~(UINT64_C(1) << home % 64);
    if (scouted)
        scout_send(timers);
    for (uint32_t node; (node = *first) != 0;) {
        uint32_t next = nodes[node].next;
        uint64_t word = nodes[node].word;
        if (scouted)
            scout_go(timers, turn++);
        *first = next;
        nodes[next].from = (uint32_t)PLACE_LIST_0 + home;
        TW_COUNT(timers, link_writes, 2);
        if (word == due) {
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

/* The earliest begin of a slot of the ring with a marked list, now's own being the last. */
static inline tw_tick ring_wake(const struct tw_timers *timers, const struct ring *ring)
{
    uint32_t words = (ring->mask + 1) / 64;
    uint32_t from = (((uint32_t)(timers->now >> ring->shift) | ring->lanes) + 1) & ring->mask;
    uint32_t word = from / 64;
    const uint64_t *marks = &timers->marks[(ring->first - HOME_FIRST) / 64];
    uint64_t rest = marks[word] & (~UINT64_C(0) << from % 64);
    for (uint32_t i = 0; rest == 0 && i < words; i++) {
        word = (word + 1) % words;
        rest = marks[word];
    }
    if (rest == 0)
        return TW_NEVER;
    uint32_t list = word * 64 + (uint32_t)__builtin_ctzll(rest);
    tw_tick between = (list - from) & ring->slots;
    return (timers->now | ~ring->align) + 1 + (between << ring->shift);
}

/* The earliest begin of all. */
__attribute__((noinline)) static tw_tick wake_above(const struct tw_timers *timers, tw_tick wake)
{
    for (const struct ring *ring = rings + 1; ring < rings + RINGS; ring++) {
        tw_tick begin = ring_wake(timers, ring);
        wake = begin < wake ? begin : wake;
    }
    return wake < timers->far_wake ? wake : timers->far_wake;
}

/* A slot of ring 0 before the next turn of the upper ones is the earliest. */
static inline tw_tick wake_find(const struct tw_timers *timers)
{
    tw_tick wake = ring_wake(timers, &rings[0]);
    return wake <= (timers->now | (STEP - 1)) ? wake : wake_above(timers, wake);
}

__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->wake <= to) {
        timers->now = timers->wake;
        TW_COUNT(timers, pointer_moves, 1);
        if ((timers->turned ^ timers->now) >= STEP)
            rings_turn(timers);
        timers->turned = timers->now;
        slot_fire(timers, expire, ctx);
        timers->wake = wake_find(timers);
    }
    if (timers->now < to)
        timers->now = to;
}

/* ---- The table's functions. ------------------------------------------------------------------ */

static void fast_close(struct tw_timers *timers)
{
    free(timers->far);
    free(timers);
}

/* No node is touched before it is used: memory follows use. */
static int fast_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(fast_params, config, error);
    if (status != TW_OK)
        return status;
    uint64_t bytes =
        sizeof(struct tw_timers) + (config->capacity + UINT64_C(1)) * sizeof(struct node);
    const struct tw_setting *eager = params_find(config, "eager");
    const struct tw_setting *advice = params_find(config, "madvise");
    bool is_huge = !advice || advice->values[0];
    struct tw_timers *timers = arrays_raw(bytes, is_huge);
    if (!timers)
        return params_no_memory(error, bytes);
    memset(timers, 0, sizeof *timers + sizeof(struct node));
    timers->now = timers->turned = config->now;
    timers->wake = timers->far_wake = TW_NEVER;
    timers->capacity = config->capacity;
    timers->eager = eager ? (uint32_t)eager->values[0] : EAGER_DEFAULT;
    timers->huge = is_huge;
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
    timers->cached = ready <= timers->eager;
}

/* Any start that is not of a timer in use, or not for a near tick. */
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

/* A start of a timer that is far, or in a list that it leaves only if it has to. */
__attribute__((noinline)) static int start_listed(struct tw_timers *timers, uint32_t node,
                                                  uint64_t word, tw_tick deadline)
{
    if (word & FAR)
        return start_any(timers, node, deadline);
    int status = word & RUNNING ? TW_REARMED : TW_OK;
    timers->running += !status;
    if (!timers->cached) {
        node_start(timers, node, deadline);
        return status;
    }
    node_remove(timers, node);
    node_place_near(timers, node, deadline);
    return status;
}

static int fast_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    size_t node = (size_t)id + 1;
    bool is_near = deadline > timers->now && deadline - timers->now < NEAR_TICKS;
    if (__builtin_expect(!is_near || id >= timers->ready, 0))
        return start_any(timers, id + 1, deadline);
    uint64_t word = timers->nodes[node].word;
    if (word != 0) {
        if (word & RUNNING) {
            uint64_t later = (deadline << DUE_SHIFT) - (word & ~STATE_MASK);
            if (word & FAR || later >= UINT64_C(1) << 63)
                return start_listed(timers, id + 1, word, deadline);
            TW_COUNT(timers, comparisons, 1);
            timers->nodes[node].word = word + later;
            return TW_REARMED;
        }
        if (!timers->cached)
            return start_listed(timers, id + 1, word, deadline);
        node_remove(timers, node);
    }
    timers->running++;
    node_place_near(timers, node, deadline);
    return TW_OK;
}

/* A stop of a timer that is idle or far. */
__attribute__((noinline)) static int stop_any(struct tw_timers *timers, uint32_t node)
{
    uint64_t word = timers->nodes[node].word;
    if (!(word & RUNNING))
        return TW_IDLE;
    timers->running--;
    far_remove(timers, node);
    return TW_OK;
}

static int fast_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t node = id + 1;
    if (__builtin_expect(node > timers->ready, 0))
        return TW_IDLE;
    uint64_t word = timers->nodes[node].word;
    if (__builtin_expect((word & (RUNNING | FAR)) != RUNNING, 0))
        return stop_any(timers, node);
    timers->running--;
    TW_COUNT(timers, link_writes, 1);
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

/* Too early when it is that of a timer that was stopped or re-armed. */
static tw_tick fast_next(const struct tw_timers *timers)
{
    return timers->running > 0 ? timers->wake : TW_NEVER;
}

/* A far timer is shown without a slot, on a level behind the last. */
static void fast_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t node = 1; node <= timers->ready; node++) {
        uint64_t word = timers->nodes[node].word;
        if (!(word & RUNNING))
            continue;
        struct tw_view view = {.id = node - 1, .deadline = due_of(timers, word), .level = RINGS};
        if (!(word & FAR)) {
            const struct ring *ring = home_ring(home_of(word));
            view.level = ring->level;
            view.slot = (home_of(word) & ring->mask) / (ring->lanes + 1);
        }
        visit(ctx, &view);
    }
}

/* Invariant 1, for one list; adds its length to *held.  Ends on any input: a node that is met twice
 * would need two different predecessors. */
static const char *list_check(const struct tw_timers *timers, uint32_t list, uint64_t *held)
{
    uint32_t from = (uint32_t)PLACE_LIST_0 + list;
    for (uint32_t node = timers->first[list - HOME_FIRST]; node != 0;
         node = timers->nodes[node].next) {
        if (node > timers->ready)
            return "a list leads to what is no timer";
        if (timers->nodes[node].from != from)
            return "a back link does not lead to the timer before";
        uint32_t home = home_of(timers->nodes[node].word);
        if (home != list)
            return "a timer is in a list that is not of its home";
        from = (uint32_t)(PLACE_OF(nodes) + node * NODE_LINKS);
        ++*held;
    }
    return NULL;
}

/* The same for all.  Lists that are not marked need no look: every timer has to be in a marked one. */
static const char *lists_check(const struct tw_timers *timers, uint64_t *held)
{
    const char *broken = NULL;
    for (uint32_t word = 0; !broken && word < LISTS / 64; word++) {
        uint64_t marks = timers->marks[word];
        for (; !broken && marks != 0; marks &= marks - 1)
            broken =
                list_check(timers, HOME_FIRST + word * 64 + (uint32_t)__builtin_ctzll(marks), held);
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

/* Invariant 2, for one timer. */
static const char *home_check(const struct tw_timers *timers, uint32_t home)
{
    if (home < HOME_FIRST)
        return "a timer's home is no list";
    if (!(timers->marks[(home - HOME_FIRST) / 64] >> home % 64 & 1))
        return "a list that holds a timer is not marked";
    return NULL;
}

/* Invariants 2, 3 and 5, for one timer. */
static const char *timer_check(const struct tw_timers *timers, uint32_t node)
{
    uint64_t word = timers->nodes[node].word;
    uint32_t home = home_of(word);
    const char *broken = home != 0 ? home_check(timers, home) : NULL;
    if (broken || !(word & RUNNING))
        return broken;
    if (word & FAR)
        return far_check(timers, node);
    if (home == 0)
        return "a running timer has no home";
    if (due_near(timers, word) <= timers->now)
        return "a timer is still held after its due tick";
    if (due_near(timers, word) < timers->wake)
        return "a timer is due before the next wake-up";
    if (!home_is_by(timers, home, due_near(timers, word)))
        return "a timer's home comes up after its due tick";
    return NULL;
}

static const char *fast_check(const struct tw_timers *timers)
{
    uint64_t held = 0, placed = 0;
    uint32_t running = 0, far = 0;
    if (timers->wake <= timers->now)
        return "the next wake-up is over";
    const char *broken = lists_check(timers, &held);
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
        .setting_count = 2,
        .settings = {{.name = "eager", .count = 1, .values = {timers->eager}},
                     {.name = "madvise", .count = 1, .values = {timers->huge}}},
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
               .expire = {TW_O_1, TW_O_N},
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
