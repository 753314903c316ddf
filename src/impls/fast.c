/*
 * fast.c - three layouts: for short horizons, for a handful of timers, and for all other loads.
 *
 * Where the horizon is known and short against the number of timers it is one ring with a slot for every
 * delay: fast_single.h.  Elsewhere it is an array while no more than 32 timers run: fast_handful.h.  All that
 * follows is about the third layout.
 *
 * It is a wheel of rings that leaves its timers alone: a stop writes one word, so does a re-arm for
 * later, and the clock goes from one marked slot to the next.
 *
 *     node of a timer, 16 bytes, four to a cache line
 *
 *         next : 32 | from : 32 | due, low bits : 62 | listed | running
 *                        |
 *                        '- the place of the link that leads here: a `next`, or the head of a list
 *
 *     rings of slots, each slot a list and a bit that marks it; how many depends on the capacity
 *
 *         timers       ring 0, of 1 tick    ring 1                          rings 2, 3, ...
 *         .. 256              512            64 slots of 256 ticks           64 slots, 32 times wider
 *         .. 4096           16384          1024 slots of 4096 ticks         256 slots, 128 times wider
 *         .. 131072         32768          1024 to 8192 slots, 2^22 in all  256 slots, 128 times wider
 *         more              65536          8192 slots of 512 ticks         4096 slots, 2048 times wider
 *
 *     now = 5000, ring 0 of 16384 slots, ring 1 of 1024 slots of 4096 ticks: a timer due at 30000 lies in
 *     the slot of 28672 in ring 1.  It is
 *
 *         stopped              running = 0, and that is all: it stays in the list
 *         re-armed for 40000   due = 40000: it stays too
 *         started for 9000     unlinked, and put into slot 9000 of ring 0
 *
 *     When its slot comes up, each timer there goes to where its due tick is by now; one that was
 *     stopped is let go.  Who is found in ring 0 and due now fires.
 *
 *              average                            worst
 *     start    O(1)                               O(1), and 16 bytes cleared for each id below a new highest
 *     stop     O(1), one word                     O(1)
 *     expiry   O(1)                               O(n), when its tick brings up a slot of all
 *     tick     O(1)                               O(n), likewise
 *     advance  O(rings) a timer and a slot in use; nothing for empty ones, however long the jump
 *     next     O(1), a lower bound; exactly: a slot of each ring, and who was left behind since the last time
 *     memory   16 bytes a timer up to the highest id in use, from 2 MiB on in steps of 2 MiB; the rings
 *              take 7 KiB (up to 256 timers), 75 to 180 KiB (up to 131072) or 370 KiB, of which
 *              only what is used is touched; nothing is allocated after open
 *
 * How long an advance can take.  A tick empties its slot of ring 0 and at most one slot of each upper
 * ring.  A slot of w ticks of an upper ring holds only timers that were put there at least 2w - 1 ticks
 * before they were due, for due ticks of the same w ticks: the ring below reaches 2w, and a shorter
 * delay goes there.  So an advance by one tick makes at most
 *
 *     F + S1 + S2 + ... + LOOKS x FEW x rings
 *
 * visits: F timers that were put into ring 0 for this tick, Sk into the same slot of ring k (whatever
 * has become of them since), and a few looks ahead; once in 1024 starts HANDFUL_LOOKS more, for the way back
 * to the array.  A timer that is visited in ring k goes to a ring below, unless it was re-armed.  Timers
 * spread over the reach of ring k give Sk <= n / (slots of k), and Sk = 0 above the ring of the longest
 * delay.  With more than 131072 timers delays below 65536 never leave ring 0, a slot of ring 1 has the load of 512
 * ticks, and each tick on which F fire takes F + 1 from the slot that comes up next.  So S1 is at most what
 * lies there less what fired in the 512 ticks before, and less the ticks on which it did: nothing under a
 * steady load, and the bound is 2F + 1.  (A callout wheel visits F, and who shares the slot in later
 * revolutions.)
 *
 * Why it is fast.  Up to a hundred thousand timers what costs is instructions and wrong guesses.
 * Ring 0 is wide, so that the branch between it and ring 1 is rarely a surprise.  Heads and nodes are
 * one block of memory, so that every link has a number, and a timer is unlinked without asking whether
 * a node or a head leads to it.  An empty tick is one comparison with `wake`, and the next one does not
 * wait for what it stores.  A start that needs nothing special knows so after three: its id with
 * `quick`, its delay with `middle`, its word with 0.
 *
 * Where ticks are far finer than the delays it is the way from one wake-up to the next.  A mark word
 * has a bit in a summary, so that the next slot is two searches for a bit away, and of a slot with
 * few timers in it the first due tick is looked up (`slot_look`): a lone timer wakes the clock once.
 *
 * With a million timers and more it is the cache: a node that nobody has touched lately is a miss.
 * To unlink from a list is three of them, and the second and third wait for the first; to write
 * one word is one, which waits for nothing, so that many are under way at once.  Most timers of a
 * server are stopped or re-armed before they are due, and most re-arms are for later: these never
 * touch a list.  What they put off is done when the slot comes up.  From half a
 * megabyte of nodes on, with each timer looked at there, a scout goes one on in the list of a slot to come:
 *
 *                  now      now+1    now+2    ...   now+8
 *                   #        #        #              x       # in the cache
 *                   #        #        x              .       x where the scout is
 *                   .        #        .              .       . not seen yet
 *
 * From 2 MiB of nodes on they ask for pages of 2 MiB (`madvise`): the nodes of 10^7 timers lie on 39,000
 * pages of 4 KiB, and a processor keeps the places of one or two thousand.
 *
 * A start of a timer that lies in a list already, for no earlier tick, needs no list: its word is
 * enough (`lazy`).  Where only some starts are like that, nobody can guess which, and a wrong guess costs more than
 * the list.  So the design counts them: between a sixteenth and two thirds of 1024 starts it takes the
 * list each time, without asking, and tries again later.  It also counts visits: where most find a timer that was
 * stopped or re-armed, long delays go to ring 1, whose wide slots find many such timers at once.
 *
 * The ring of a timer goes by the length of its delay, the slot by its due tick.  So a slot that
 * comes up has only timers that were started a ring's length before, and there is no tick on which
 * everything moves at once.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. Every marked list is linked both ways and leads to listed timers only.
 *  2. A mark word has its bit in the summary exactly if it is not zero.
 *  3. A running timer is listed, and due after now and not before `wake`; its slot comes up by then.
 *  4. The marked lists hold exactly the listed timers.
 *  5. `fresh` and `lazies` less `gone` are the running timers.
 *
 * Ideas from elsewhere: rings by delay are Linux 2.6's (linux26.c), links to links its hlist's, marks
 * and the look into a slot of few hier_bitmap.c's; a wide ring of single ticks is the callout wheel
 * (callwheel.c); re-arming late is what nginx does within 300 ms, and Linux's TCP by looking again
 * when its timer fires.  What each idea is worth: docs/FAST.md, by the flags FAST_NO_ below.
 *
 * It loses where few timers are started and nothing else happens: a callout wheel's start has fewer
 * instructions.  All timers on one tick are one list, walked a miss at a time.  And a deadline 2^61 ticks away or more (73 years of ns) is refused.
 */
#include "arrays.h"
#include "design.h"

/* Each takes one idea out, to measure it. */
#ifndef FAST_NO_LAZY
#define FAST_NO_LAZY 0 /* stop and re-arm by one word */
#endif
#ifndef FAST_NO_CHOICE
#define FAST_NO_CHOICE 0 /* counting whether lazy starts and ring 0 pay */
#endif
#ifndef FAST_NO_SUMMARY
#define FAST_NO_SUMMARY 0 /* a bit for each mark word */
#endif
#ifndef FAST_NO_LOOK
#define FAST_NO_LOOK 0 /* the first due tick of a slot of few */
#endif
#ifndef FAST_NO_SCOUTS
#define FAST_NO_SCOUTS 0 /* prefetching lists of slots to come */
#endif
#ifndef FAST_NO_DEAL
#define FAST_NO_DEAL 0 /* emptying the next slot of ring 1 bit by bit before it comes up */
#endif
#ifndef FAST_NO_WIDE
#define FAST_NO_WIDE 0 /* ring 0 of more than 512 slots */
#endif
#ifndef FAST_NO_HANDFUL
#define FAST_NO_HANDFUL 0 /* an array while a handful of timers runs */
#endif
#ifndef FAST_NO_SINGLE
#define FAST_NO_SINGLE 0 /* one ring for the whole horizon, where that is short */
#endif

#define RUNNING   UINT64_C(1)
#define LISTED    UINT64_C(2)
#define STATE     (RUNNING | LISTED)
#define DUE_SHIFT 2u
#define DUE_MASK  (~UINT64_C(0) >> DUE_SHIFT)
#define SPAN      ((UINT64_C(1) << 61) - 1) /* two due ticks of listed timers are told apart by sign */
#define HALF      (UINT64_C(1) << 63)

#define RINGS   12u
#define SUMS    40u    /* summary words of the largest layout */
#define SCOUTED 32768u /* ready nodes from which slots have scouts: half a megabyte */
#define SCOUTS  8u     /* as many as the misses that a core can have under way, about */
#define NONE    UINT32_MAX

#define FEW        8u     /* timers of a slot that are looked at, at most */
#define LOOKS      8u     /* slots of a ring that are looked into, at most */
#define LOOK_MAX   1024u  /* running timers up to which slots are looked into */
#define READY_STEP 1024u  /* nodes that are made ready at a time */
#define SLOTS_LONE 4u     /* slots of ring 0 a ready node from which lists have one timer, mostly */
#define WINDOW     1024u  /* starts after which `lazy` is judged */
#define CLEARED    49152u /* lists up to which open clears them all */

#define HANDFUL       32u /* timers that lie in an array, at most */
#define HANDFUL_LOOKS 64u /* timers and lists that are looked at to come back to it, at most */

/* Nodes that are near enough to unlink them: 2 MiB of them. */
#define EAGER_DEFAULT (128u * 1024)

static const struct tw_param fast_params[] = {
    {"eager",
     "up to this many timers in use, lists count as cached: no prefetching, lazy only where it "
     "pays "
     "(default: 131072)",
     0, TW_CAPACITY_MAX, 1},
    {"handful", "up to this many timers, keep them in an array; 0: never (default: 32)", 0, HANDFUL,
     1},
    {"share",
     "up to this many slots per timer, use one ring for the whole horizon; 0: always several rings "
     "(default: 64, and several for fewer than 1024 timers)",
     0, 4096, 1},
    {"madvise",
     "1: ask the system for pages of 2 MiB beyond the first 2 MiB; 0: do not (default: 1)", 0, 1,
     1},
    {NULL, NULL, 0, 0, 0},
};

struct node {
    uint32_t next; /* a node; node 0 ends every list */
    uint32_t from; /* the place of the link that leads here; 0, which nobody reads: of none */
    uint64_t word; /* see the picture; all zero: idle and in no list */
};

struct ring {
    tw_tick
        wake; /* of an upper ring: its slots need nothing before it, but for what `fresh` says */
    uint32_t shift; /* a slot is 1 << shift ticks */
    uint32_t mask;  /* its slots, less one */
    uint32_t list;  /* its first */
    bool fresh;     /* something was put into it since `wake` was set */
};

struct handful {
    uint32_t count;
    uint32_t nodes[HANDFUL];
    tw_tick dues[HANDFUL];
};

struct tw_timers {
    uint64_t nowhere; /* the link at place 0: leads to whoever is in no list */
    tw_tick now;      /* the tick being processed */
    tw_tick wake;     /* nothing is due before it; later than now */
    tw_tick upper;    /* the earliest `wake` of the upper rings */
    tw_tick near;     /* a delay up to it is for ring 0; 0 late in time */
    tw_tick middle;   /* a delay up to it, for ring 0 or 1; 0 late in time */
    uint64_t *marks;  /* of the lists that may hold something, by place / 64 */
    uint32_t quick;   /* `ready` while lazy, else 0 */
    uint32_t direct;  /* `ready` while not lazy, else 0 */
    uint32_t heads;   /* the place of list 0 */
    uint32_t lone; /* `heads` while ring 0 has several slots a timer, else more than all places */
    uint32_t mask; /* of ring 0 */
    uint32_t heads_1; /* the place of the first list of ring 1 */
    uint32_t mask_1, shift_1;
    uint32_t fresh;      /* starts so far; while lazy, of timers in no list */
    uint32_t ready;      /* the highest node that is ready for use: all up to it are */
    uint32_t lazies;     /* starts so far that needed no list */
    bool lazy;           /* starts look whether the word is enough */
    bool in_hand;        /* the layout of fast_handful.h; `quick` is 0 */
    uint32_t most;       /* timers of a handful */
    uint32_t share;      /* slots a timer up to which there is one ring */
    bool single;         /* the layout of fast_single.h; `quick`, `ready` and `wake` are 0 */
    uint32_t at_once;    /* single: nodes that are ready for use */
    uint32_t running;    /* single */
    tw_tick *dues;       /* single: of the far list */
    uint8_t *used_words; /* single: per 64 slots, 1 if somebody may be there */
    uint32_t gone;       /* re-arms, stops and expiries so far (apart from the other counters, or a
                         compiler adds to two at once and waits for both) */
    bool cached;         /* lists are cheap */
    uint32_t fired;      /* expiries since the last judgement */
    uint32_t stale;      /* and visits of timers that were stopped or re-armed */
    uint32_t fresh_judged, lazies_judged; /* at the last judgement */
    uint32_t tries;                       /* judgements while not lazy */
    uint32_t eager;                       /* up to so many ready nodes; more are not in the cache */
    bool huge;                            /* huge pages were asked for */
    uint32_t capacity, lists;
    uint32_t top;  /* the last ring */
    uint32_t used; /* the last one that ever held a timer, at least 1 */
    struct ring rings[RINGS];
    uint8_t ring_of[64]; /* by the highest bit of a delay */
    struct handful handful;
    uint32_t dealt;             /* timers that left a slot of ring 1 before it came up */
    uint32_t scouts[2][SCOUTS]; /* of rings 0 and 1: the node where the scout of a slot is */
    uint64_t sums[SUMS];        /* bit per mark word: it is not zero */
    uint64_t cleared[SUMS];     /* bit per mark word: its heads have been cleared once */
    TW_WORK_FIELD
    _Alignas(
        ARRAYS_LINE) struct node nodes[]; /* timer `id` is node id + 1; heads and marks follow */
};

/* The place of a link is its distance from the beginning of the table, in links. */
#define PLACE_OF(what) (offsetof(struct tw_timers, what) / sizeof(uint32_t))
#define NODE_LINKS     (sizeof(struct node) / sizeof(uint32_t))
#define HEADS_MAX      (1u << 18)
_Static_assert(PLACE_OF(nodes) + NODE_LINKS * (TW_CAPACITY_MAX + UINT64_C(1)) + HEADS_MAX <=
                   UINT32_MAX,
               "every link has a place");

/* ---- Places and marks. ----------------------------------------------------------------------- */

static inline uint32_t *link_at(struct tw_timers *timers, size_t place)
{
    return (uint32_t *)timers + place;
}

static inline uint32_t link_get(const struct tw_timers *timers, size_t place)
{
    return ((const uint32_t *)timers)[place];
}

static inline uint32_t place_of(size_t node)
{
    return (uint32_t)(PLACE_OF(nodes) + node * NODE_LINKS);
}

static inline uint32_t ring_place(const struct tw_timers *timers, const struct ring *ring,
                                  uint32_t slot)
{
    return timers->heads + ring->list + slot;
}

static inline uint32_t slot_of(const struct ring *ring, tw_tick tick)
{
    return (uint32_t)(tick >> ring->shift) & ring->mask;
}

static inline bool is_marked(const struct tw_timers *timers, size_t place)
{
    return timers->marks[place / 64] >> place % 64 & 1;
}

static inline void unmark(struct tw_timers *timers, size_t place)
{
    size_t word = place / 64;
    uint64_t rest = timers->marks[word];
    __asm__("" : "+r"(rest)); /* a bit of a register is cleared by one instruction */
    rest &= ~(UINT64_C(1) << place % 64);
    timers->marks[word] = rest;
    if (rest != 0)
        return;
    word -= timers->heads / 64;
    uint64_t sum = timers->sums[word / 64];
    __asm__("" : "+r"(sum));
    timers->sums[word / 64] = sum & ~(UINT64_C(1) << word % 64);
}

/* The whole due tick of a listed timer. */
static inline tw_tick due_of(const struct tw_timers *timers, uint64_t word)
{
    return timers->now + (((word >> DUE_SHIFT) - timers->now) & DUE_MASK);
}

static inline uint32_t running_of(const struct tw_timers *timers)
{
    return timers->fresh + timers->lazies - timers->gone;
}

/* ---- Lists. ---------------------------------------------------------------------------------- */

/* Puts a timer that is in no list to the front of one.  (The empty lines of assembler keep compilers
 * from holding more in registers than there are.) */
static inline __attribute__((always_inline)) int list_push(struct tw_timers *timers, size_t node,
                                                           tw_tick due, size_t place,
                                                           uint64_t marked, int status)
{
    __asm__("" : "+r"(marked));
    timers->marks[place / 64] = marked | UINT64_C(1) << place % 64;
    uint32_t next = *link_at(timers, place);
    *link_at(timers, place) = (uint32_t)node;
    timers->nodes[node].from = (uint32_t)place;
    timers->nodes[next].from = place_of(node);
    timers->nodes[node].word = due << DUE_SHIFT | STATE;
    timers->nodes[node].next = next;
    TW_COUNT(timers, link_writes, 4);
    TW_COUNT(timers, comparisons, 1);
    return status;
}

/* The same for the first mark of a word.  Heads are memory as it came until a word of theirs is used. */
__attribute__((noinline)) static int push_first(struct tw_timers *timers, size_t node, tw_tick due,
                                                size_t place, int status)
{
    size_t list = place - timers->heads;
    uint64_t bit = UINT64_C(1) << list / 64 % 64;
    if (__builtin_expect(!(timers->cleared[list / 4096] & bit), 0)) {
        timers->cleared[list / 4096] |= bit;
        memset(link_at(timers, place / 64 * 64), 0, 64 * sizeof(uint32_t));
    }
    timers->sums[list / 4096] |= bit;
    return list_push(timers, node, due, place, 0, status);
}

static inline __attribute__((always_inline)) int node_push(struct tw_timers *timers, size_t node,
                                                           tw_tick due, size_t place, int status)
{
    uint64_t marked = timers->marks[place / 64];
    if (marked == 0)
        return push_first(timers, node, due, place, status);
    return list_push(timers, node, due, place, marked, status);
}

/* A due tick in an upper ring before `upper`, which is never before `wake`. */
static inline void wake_lower(struct tw_timers *timers, tw_tick due)
{
    timers->upper = due;
    if (due < timers->wake)
        timers->wake = due;
}

/* Puts a timer with a delay beyond ring 1, or any late in time, into its ring. */
__attribute__((noinline)) static int place_far(struct tw_timers *timers, size_t node, tw_tick due,
                                               int status)
{
    unsigned bit = 63u - (unsigned)__builtin_clzll((due - timers->now) | 1);
    uint32_t which = timers->ring_of[bit];
    struct ring *ring = &timers->rings[which];
    timers->used = which > timers->used ? which : timers->used;
    ring->fresh = true;
    if (ring == timers->rings)
        timers->wake = due < timers->wake ? due : timers->wake;
    else if (due < timers->upper)
        wake_lower(timers, due);
    return node_push(timers, node, due, ring_place(timers, ring, slot_of(ring, due)), status);
}

/* Puts a timer that is in no list where its due tick belongs; `delay` is the ticks until then, or
 * one less.  Answers `status`, for callers that have nothing else to do. */
static inline __attribute__((always_inline)) int node_place(struct tw_timers *timers, size_t node,
                                                            tw_tick due, tw_tick delay, int status)
{
    size_t place;
    if (delay < timers->near) {
        place = timers->heads + ((uint32_t)due & timers->mask);
        if (due < timers->wake)
            timers->wake = due;
    } else if (delay < timers->middle) {
        place = timers->heads_1 + ((uint32_t)(due >> timers->shift_1) & timers->mask_1);
        if (due < timers->upper)
            wake_lower(timers, due);
    } else {
        return place_far(timers, node, due, status);
    }
    return node_push(timers, node, due, place, status);
}

/* Unlinks a timer; one that is in no list writes to the link that is nowhere.  A list without timers keeps its
 * mark, which wakes the clock for nothing, but where most lists have one timer. */
static inline void node_remove(struct tw_timers *timers, size_t node)
{
    uint32_t from = timers->nodes[node].from, next = timers->nodes[node].next;
    *link_at(timers, from) = next;
    timers->nodes[next].from = from;
    TW_COUNT(timers, link_writes, from != 0 ? 2 : 0);
    if (from >= timers->lone && next == 0)
        unmark(timers, from);
}

/* A timer that has been taken out of its list goes where it belongs by now, or nowhere. */
static inline void node_settle(struct tw_timers *timers, uint32_t node, uint64_t word)
{
    tw_tick due = due_of(timers, word);
    TW_COUNT(timers, moves, word & RUNNING);
    if (word & RUNNING)
        node_place(timers, node, due, due - timers->now, 0);
    else
        memset(&timers->nodes[node], 0, sizeof timers->nodes[node]);
}

/* ---- Search for the next marked slot. -------------------------------------------------------- */

/* The first mark word of a ring that is not zero, from one on and round; NONE if all are.  A ring's words lie
 * within one word of the summary, or fill several. */
static uint32_t sums_find(const struct tw_timers *timers, const struct ring *ring, uint32_t from)
{
    uint32_t first = ring->list / 64, words = ring->mask / 64 + 1;
    if (words < 64) {
        uint64_t all = (UINT64_C(1) << words) - 1;
        uint64_t used = timers->sums[first / 64] >> first % 64 & all;
        uint64_t rest = used & ~UINT64_C(0) << from;
        rest = rest != 0 ? rest : used;
        return rest != 0 ? (uint32_t)__builtin_ctzll(rest) : NONE;
    }
    const uint64_t *sums = &timers->sums[first / 64];
    uint32_t at = from / 64, last = words / 64 - 1;
    uint64_t rest = sums[at] & ~UINT64_C(0) << from % 64;
    for (uint32_t i = 0; rest == 0; i++) {
        if (i > last)
            return NONE;
        at = (at + 1) & last;
        rest = sums[at];
    }
    return at * 64 + (uint32_t)__builtin_ctzll(rest);
}

/* The same without the summary. */
static inline uint32_t marks_find(const uint64_t *marks, uint32_t words, uint32_t from)
{
    for (uint32_t i = 0; i < words; i++)
        if (marks[(from + i) & (words - 1)] != 0)
            return (from + i) & (words - 1);
    return NONE;
}

/* The first marked slot of a ring from one on and round; NONE if there is none. */
static inline uint32_t ring_find(const struct tw_timers *timers, const struct ring *ring,
                                 uint32_t from)
{
    const uint64_t *marks = &timers->marks[ring_place(timers, ring, 0) / 64];
    uint32_t word = from / 64, last = ring->mask / 64;
    uint64_t rest = marks[word] & ~UINT64_C(0) << from % 64;
    if (rest == 0) {
        word = (word + 1) & last;
        if (marks[word] == 0)
            word =
                FAST_NO_SUMMARY ? marks_find(marks, last + 1, word) : sums_find(timers, ring, word);
        if (word == NONE)
            return NONE;
        rest = marks[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(rest);
}

/* ---- Scouts. --------------------------------------------------------------------------------- */

/* Sends a scout to the slot that is SCOUTS ahead: the one of the slot that is up is free. */
static inline void scout_send(struct tw_timers *timers, uint32_t which, uint32_t slot)
{
    const struct ring *ring = &timers->rings[which];
    uint32_t place = ring_place(timers, ring, (slot + SCOUTS) & ring->mask);
    uint32_t node = is_marked(timers, place) ? *link_at(timers, place) : 0;
    timers->scouts[which][slot % SCOUTS] = node;
    __builtin_prefetch(&timers->nodes[node]);
}

/* The next scout goes one timer on.  Whoever is moved meanwhile takes its scout along: no harm. */
static inline void scout_go(struct tw_timers *timers, uint32_t which, uint32_t turn)
{
    uint32_t *scout = &timers->scouts[which][turn % SCOUTS];
    *scout = timers->nodes[*scout].next;
    __builtin_prefetch(&timers->nodes[*scout]);
}

/* ---- The clock. ------------------------------------------------------------------------------ */

/* Empties a slot of an upper ring. */
static void slot_settle(struct tw_timers *timers, const struct ring *ring, uint32_t slot)
{
    uint32_t place = ring_place(timers, ring, slot), *first = link_at(timers, place);
    uint32_t node = *first, turn = 0;
    bool scouted = !FAST_NO_SCOUTS && timers->ready > SCOUTED && ring == &timers->rings[1];
    TW_COUNT(timers, cascades, 1);
    *first = 0;
    unmark(timers, place);
    if (scouted)
        scout_send(timers, 1, slot);
    while (node != 0) {
        uint32_t next = timers->nodes[node].next;
        if (scouted)
            scout_go(timers, 1, turn++);
        __builtin_prefetch(&timers->nodes[next]);
        TW_COUNT(timers, visits, 1);
        uint64_t word = timers->nodes[node].word;
        bool is_due = word & RUNNING && (due_of(timers, word) ^ timers->now) >> ring->shift == 0;
        timers->stale += !is_due;
        node_settle(timers, node, word);
        node = next;
    }
}

/* Takes so many timers from the slot of ring 1 that comes up next: little is left of it when it does.  The last miss of
 * each was a scout's, of whom one goes on with each timer as in slot_settle. */
static inline void slot_deal(struct tw_timers *timers, uint32_t count)
{
    const struct ring *ring = &timers->rings[1];
    tw_tick turn = (timers->now >> ring->shift) + 1;
    uint32_t place = ring_place(timers, ring, (uint32_t)turn & ring->mask);
    uint32_t *first = link_at(timers, place);
    for (uint32_t node; count > 0 && is_marked(timers, place) && (node = *first) != 0; count--) {
        uint32_t next = timers->nodes[node].next;
        uint64_t word = timers->nodes[node].word;
        *first = next;
        timers->nodes[next].from = place;
        __builtin_prefetch(&timers->nodes[next]);
        scout_go(timers, 1, timers->dealt++);
        TW_COUNT(timers, visits, 1);
        timers->stale += !(word & RUNNING) || due_of(timers, word) >> ring->shift != turn;
        node_settle(timers, node, word);
    }
}

/* The first due tick of a slot of few timers, its begin if there are many, TW_NEVER if nobody stays:
 * whoever was stopped or is due after the slot goes at once. */
static tw_tick slot_look(struct tw_timers *timers, uint32_t place, tw_tick begin, tw_tick last)
{
    tw_tick first = TW_NEVER;
    uint32_t seen = 0;
    for (uint32_t node = *link_at(timers, place), next; node != 0; node = next) {
        uint64_t word = timers->nodes[node].word;
        tw_tick due = due_of(timers, word);
        next = timers->nodes[node].next;
        if (seen++ == FEW)
            return begin;
        TW_COUNT(timers, visits, 1);
        if (!(word & RUNNING) || due > last) {
            node_remove(timers, node);
            node_settle(timers, node, word);
        } else if (due < first) {
            first = due;
        }
    }
    return first;
}

/* When a slot of an upper ring next needs something, now's own being the last of the round. */
static tw_tick ring_alarm(struct tw_timers *timers, const struct ring *ring)
{
    for (uint32_t looks = 0;; looks++) {
        tw_tick turn = timers->now >> ring->shift;
        uint32_t slot = ring_find(timers, ring, (uint32_t)(turn + 1) & ring->mask);
        if (slot == NONE)
            return TW_NEVER;
        tw_tick begin = (turn + 1 + ((slot - turn - 1) & ring->mask)) << ring->shift;
        if (FAST_NO_LOOK || looks == LOOKS || !timers->cached || running_of(timers) > LOOK_MAX)
            return begin;
        uint32_t place = ring_place(timers, ring, slot);
        tw_tick last = begin | ((UINT64_C(1) << ring->shift) - 1);
        tw_tick first = slot_look(timers, place, begin, last);
        if (first != TW_NEVER)
            return first;
        unmark(timers, place);
    }
}

/* Sets up to which delay timers go to ring 0, and up to which to ring 1. */
static void limits_set(struct tw_timers *timers, bool is_wide)
{
    bool is_late = timers->now >= HALF;
    tw_tick wide = timers->mask, narrow = UINT64_C(2) << timers->shift_1;
    tw_tick middle = ((tw_tick)timers->mask_1 + 1) << timers->shift_1;
    timers->near = is_late ? 0 : is_wide || narrow > wide ? wide : narrow;
    timers->middle = is_late ? 0 : middle - 1;
}

/* Where few timers that are visited fire, the wide slots of ring 1 find many of the others at once: ring 0 is
 * for short delays only.  Not in a cache: there a slot of many is a long advance. */
static void near_judge(struct tw_timers *timers)
{
    limits_set(timers, !timers->cached || timers->stale <= 2 * timers->fired);
    timers->stale = timers->fired = 0;
}

static inline void quick_set(struct tw_timers *timers)
{
    timers->quick = timers->lazy && !timers->in_hand ? timers->ready : 0;
    timers->direct = timers->lazy || timers->in_hand ? 0 : timers->ready;
}

/* Is lazy worth it?  It is where misses are to be saved; else where most starts need no list. */
static void lazy_judge(struct tw_timers *timers, uint32_t starts)
{
    uint32_t lazies = timers->lazies - timers->lazies_judged;
    if (!timers->cached)
        timers->lazy = true;
    else if (timers->lazy)
        timers->lazy = lazies > starts / 3 * 2 || lazies < starts / 16;
    else
        timers->lazy = ++timers->tries % 16 == 0;
    quick_set(timers);
    timers->fresh_judged = timers->fresh;
    timers->lazies_judged = timers->lazies;
}

/* Sets `upper`.  A look may put timers into rings that are done: these are fresh again.  What a ring
 * had to wake for before holds on, but in ring 1, whose slot of now is empty by now. */
static void upper_find(struct tw_timers *timers)
{
    struct ring *rings = timers->rings;
    rings[1].wake = TW_NEVER;
    rings[1].fresh = true;
    for (bool again = true; again;) {
        tw_tick upper = timers->now < HALF ? HALF : TW_NEVER;
        again = false;
        for (uint32_t k = timers->used; k > 0; k--)
            if (rings[k].fresh) {
                rings[k].fresh = false;
                tw_tick alarm = ring_alarm(timers, &rings[k]);
                rings[k].wake = alarm < rings[k].wake ? alarm : rings[k].wake;
            }
        for (uint32_t k = timers->used; k > 0; k--) {
            again |= rings[k].fresh;
            upper = rings[k].wake < upper ? rings[k].wake : upper;
        }
        timers->upper = upper;
    }
}

/* The slots of the upper rings that need something now, from the highest ring down, so that what comes
 * down from one is there when it is the turn of the next. */
__attribute__((noinline)) static void rings_turn(struct tw_timers *timers)
{
    if (timers->now >= HALF && timers->middle != 0)
        limits_set(timers, true);
    for (uint32_t k = timers->used; k > 0; k--) {
        struct ring *ring = &timers->rings[k];
        if (ring->wake > timers->now && !ring->fresh && k > 1)
            continue;
        uint32_t slot = slot_of(ring, timers->now);
        ring->fresh = true;
        ring->wake = TW_NEVER;
        if (is_marked(timers, ring_place(timers, ring, slot)))
            slot_settle(timers, ring, slot);
    }
    upper_find(timers);
}

/* Empties the slot of ring 0 that is now's: who is due fires.  Each is taken out before its callback
 * runs, which may take out any of the others. */
static inline void slot_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    uint32_t slot = (uint32_t)timers->now & timers->mask, place = timers->heads + slot, turn = 0;
    uint32_t *first = link_at(timers, place);
    uint64_t due = timers->now << DUE_SHIFT | STATE;
    struct node *nodes = timers->nodes;
    bool scouted = !FAST_NO_SCOUTS && timers->ready > SCOUTED;
    uint64_t *marks = &timers->marks[place / 64], bit = UINT64_C(1) << slot % 64;
    if (!(*marks & bit))
        return;
    if ((*marks -= bit) == 0)
        timers->sums[slot / 4096] &= ~(UINT64_C(1) << slot / 64 % 64);
    if (scouted)
        scout_send(timers, 0, slot);
    for (uint32_t node; (node = *first) != 0;) {
        uint32_t next = nodes[node].next;
        uint64_t word = nodes[node].word;
        if (scouted)
            scout_go(timers, 0, turn++);
        *first = next;
        nodes[next].from = place;
        TW_COUNT(timers, link_writes, 2);
        TW_COUNT(timers, visits, 1);
        if (word == due) {
            memset(&nodes[node], 0, sizeof nodes[node]);
            timers->gone++;
            timers->fired++;
            TW_COUNT(timers, comparisons, 1);
            expire(ctx, node - 1, timers->now);
        } else {
            timers->stale++;
            node_settle(timers, node, word);
        }
    }
}

#include "fast_handful.h"

static inline void wake_find(struct tw_timers *timers)
{
    tw_tick from = timers->now + 1;
    uint32_t slot = ring_find(timers, &timers->rings[0], (uint32_t)from & timers->mask);
    tw_tick wake = slot == NONE ? TW_NEVER : from + ((slot - (uint32_t)from) & timers->mask);
    timers->wake = wake < timers->upper ? wake : timers->upper;
}

__attribute__((noinline)) static void clock_move(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->wake <= to) {
        timers->now = timers->wake;
        TW_COUNT(timers, pointer_moves, 1);
        if (timers->upper <= timers->now)
            rings_turn(timers);
        uint32_t fired = timers->fired;
        slot_fire(timers, expire, ctx);
        if (!FAST_NO_DEAL && !timers->cached)
            slot_deal(timers, timers->fired - fired + 1);
        wake_find(timers);
    }
    if (timers->now < to)
        timers->now = to;
    uint32_t starts = timers->fresh - timers->fresh_judged + timers->lazies - timers->lazies_judged;
    /* Two switches of an ablation; NOLINTNEXTLINE(misc-redundant-expression): both are 0 by default. */
    if (!FAST_NO_LAZY && !FAST_NO_CHOICE && starts >= WINDOW) {
        near_judge(timers);
        lazy_judge(timers, starts);
        if (running_of(timers) < timers->most / 2)
            handful_return(timers);
    }
}

static inline uint32_t bits_of(uint64_t value)
{
    return value <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(value - 1);
}

/* A due tick that is not after now becomes the next one.  False: it is too late in time, or too far away. */
static inline bool due_settle(const struct tw_timers *timers, tw_tick *due)
{
    if (*due <= timers->now) {
        if (timers->now >= TW_DEADLINE_MAX)
            return false;
        *due = timers->now + 1;
    }
    return *due - timers->now <= SPAN;
}

#include "fast_single.h"

/* ---- The table's functions. ------------------------------------------------------------------ */

static void fast_close(struct tw_timers *timers)
{
    free(timers);
}

static inline uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Slots of a ring, as bits. */
static uint32_t slot_bits(uint32_t ring, uint32_t capacity_bits)
{
    bool tiny = capacity_bits <= 8, many = capacity_bits > 17;
    if (ring == 0)
        return tiny || FAST_NO_WIDE ? 9 : many ? 16 : capacity_bits > 12 ? 15 : 14;
    if (ring == 1)
        return tiny ? 6 : between(10, capacity_bits - 4, 13);
    return tiny ? 6 : many ? 12 : 8;
}

/* Lays the rings out; answers the last one.  Each reaches twice as far as a slot of the next is long, and the
 * last to the end of the span. */
static uint32_t rings_lay_out(struct ring *rings, uint8_t *ring_of, uint32_t capacity)
{
    uint32_t bits = bits_of(capacity), list = 0, reach = 0, ring = 0;
    for (uint32_t bit = 0; reach < 61; ring++) {
        uint32_t own = slot_bits(ring, bits);
        uint32_t shift = ring == 0 ? 0 : reach - 1;
        if (ring == 1 && bits > 8 && !FAST_NO_WIDE)
            shift = 22 - own;
        reach = shift + own;
        rings[ring] = (struct ring){TW_NEVER, shift, (1u << own) - 1, list, false};
        list += 1u << own;
        for (; bit < reach && bit < 64; bit++)
            ring_of[bit] = (uint8_t)ring;
    }
    return ring - 1;
}

static void geometry_set(struct tw_timers *timers, size_t heads)
{
    const struct ring *rings = timers->rings;
    timers->heads = (uint32_t)heads;
    timers->heads_1 = timers->heads + rings[1].list;
    timers->marks = (uint64_t *)link_at(timers, heads + timers->lists) - heads / 64;
    timers->dues = (tw_tick *)&timers->nodes[0] + timers->capacity;
    timers->mask = rings[0].mask;
    timers->mask_1 = rings[1].mask;
    timers->shift_1 = rings[1].shift;
    limits_set(timers, FAST_NO_CHOICE || FAST_NO_LAZY || timers->capacity > SCOUTED);
}

/* What does not grow with the capacity. */
static uint64_t fixed_bytes(uint32_t lists)
{
    return sizeof(struct tw_timers) + sizeof(struct node) + lists * sizeof(uint32_t) + lists / 8;
}

/* No node is touched before it is used, nor is a head of many: memory follows use. */
static int fast_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    int status = params_check(fast_params, config, error);
    if (status != TW_OK)
        return status;
    struct ring rings[RINGS] = {{0}};
    uint8_t ring_of[64] = {0};
    uint32_t single = single_bits(config);
    uint32_t top = single ? 0 : rings_lay_out(rings, ring_of, config->capacity);
    if (single)
        rings[0].mask = (1u << single) - 1;
    uint32_t lists = rings[top].list + rings[top].mask + 1 + (single ? 64 : 0);
    uint64_t nodes_end =
        offsetof(struct tw_timers, nodes) + (config->capacity + UINT64_C(1)) * sizeof(struct node);
    uint64_t heads = (nodes_end + 255) / 256 * 64; /* a mark word's heads begin a line */
    uint64_t bytes = (heads + lists) * sizeof(uint32_t) + lists / 8;
    bool is_huge = setting_of(config, "madvise", 1);
    struct tw_timers *timers = bytes <= SIZE_MAX ? arrays_raw((size_t)bytes, is_huge) : NULL;
    if (!timers)
        return params_no_memory(error, bytes);
    memset(timers, 0, sizeof *timers + sizeof(struct node));
    timers->now = config->now;
    timers->wake = timers->upper = config->now < HALF ? HALF : TW_NEVER;
    timers->capacity = config->capacity;
    timers->eager = (uint32_t)setting_of(config, "eager", EAGER_DEFAULT);
    timers->huge = is_huge;
    timers->share = single_share(config);
    timers->cached = true;
    timers->lazy = !FAST_NO_LAZY;
    timers->lists = lists;
    timers->top = top;
    timers->used = 1;
    timers->most = (uint32_t)setting_of(config, "handful", FAST_NO_HANDFUL ? 0 : HANDFUL);
    timers->in_hand = !single && timers->most > 0;
    memcpy(timers->rings, rings, sizeof rings);
    memcpy(timers->ring_of, ring_of, sizeof ring_of);
    geometry_set(timers, (size_t)heads);
    memset(&timers->marks[heads / 64], 0, lists / 8);
    if (!single && lists <= CLEARED) {
        memset(link_at(timers, heads), 0, lists * sizeof(uint32_t));
        memset(timers->cleared, 0xff, sizeof timers->cleared);
    }
    if (single)
        single_set(timers);
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
    timers->lone = ready <= timers->mask / SLOTS_LONE ? timers->heads : UINT32_MAX;
    quick_set(timers);
    timers->cached = ready <= timers->eager;
}

/* A start of a timer in a list, while lazy: for no earlier tick its word is enough. */
__attribute__((noinline)) static int start_listed(struct tw_timers *timers, size_t node,
                                                  uint64_t word, tw_tick due)
{
    int status = (int)(word & RUNNING);
    timers->gone += (uint32_t)status;
    TW_COUNT(timers, comparisons, 1);
    if ((int64_t)((due << DUE_SHIFT) - (word & ~STATE)) >= 0) {
        timers->lazies++;
        timers->nodes[node].word = due << DUE_SHIFT | STATE;
        return status;
    }
    timers->fresh++;
    node_remove(timers, node);
    return node_place(timers, node, due, due - timers->now, status);
}

/* A start of a timer that is ready, after now and in reach, while not lazy: it does not ask whether the
 * timer is listed, which nobody can guess. */
static inline __attribute__((always_inline)) int start_unasked(struct tw_timers *timers,
                                                               size_t node, tw_tick due,
                                                               tw_tick delay)
{
    uint32_t status = (uint32_t)timers->nodes[node].word & RUNNING;
    timers->fresh++;
    timers->gone += status;
    node_remove(timers, node);
    return node_place(timers, node, due, delay, (int)status);
}

/* A start that is not after now, or far, or the first of its timer. */
__attribute__((noinline)) static int start_rare(struct tw_timers *timers, tw_id id, tw_tick due)
{
    size_t node = (size_t)id + 1;
    if (!due_settle(timers, &due))
        return TW_REFUSED_RANGE;
    if (id >= timers->ready)
        nodes_ready(timers, id + 1);
    if (!timers->lazy)
        return start_unasked(timers, node, due, due - timers->now);
    if (timers->nodes[node].word != 0)
        return start_listed(timers, node, timers->nodes[node].word, due);
    timers->fresh++;
    return node_place(timers, node, due, due - timers->now, TW_OK);
}

__attribute__((noinline)) static int start_any(struct tw_timers *timers, tw_id id, tw_tick due);

/* A start while a handful of timers runs; the one that finds no place is the first of the rings. */
static inline int start_in_hand(struct tw_timers *timers, tw_id id, tw_tick due)
{
    if (!due_settle(timers, &due))
        return TW_REFUSED_RANGE;
    if (id >= timers->ready)
        nodes_ready(timers, id + 1);
    if (timers->handful.count < timers->most || timers->nodes[id + (size_t)1].word)
        return handful_start(timers, id + 1, due);
    handful_leave(timers);
    return start_any(timers, id, due);
}

/* Any start that is not quick. */
__attribute__((noinline)) static int start_any(struct tw_timers *timers, tw_id id, tw_tick due)
{
    if (timers->in_hand)
        return start_in_hand(timers, id, due);
    if (timers->single)
        return single_start_rare(timers, id, due);
    return start_rare(timers, id, due);
}

/* A start of a timer that is ready, while not lazy. */
__attribute__((noinline)) static int start_direct(struct tw_timers *timers, tw_id id, tw_tick due)
{
    tw_tick delay = due - timers->now - 1;
    if (__builtin_expect(id >= timers->direct || delay >= timers->middle, 0))
        return start_any(timers, id, due);
    return start_unasked(timers, (size_t)id + 1, due, delay);
}

/* (What is not after now makes a huge delay, or finds limits of 0.) */
static int fast_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick delay = deadline - timers->now - 1;
    if (__builtin_expect(id < timers->at_once && delay < timers->near, 1))
        return single_start(timers, id, deadline);
    if (__builtin_expect(id >= timers->quick || delay >= timers->middle, 0))
        return start_direct(timers, id, deadline);
    size_t node = (size_t)id + 1;
    uint64_t word = timers->nodes[node].word;
    if (word != 0)
        return start_listed(timers, node, word, deadline);
    timers->fresh++;
    return node_place(timers, node, deadline, delay, TW_OK);
}

static int stop_unlisted(struct tw_timers *timers, size_t node, uint64_t word)
{
    if (!(word & RUNNING))
        return TW_IDLE;
    handful_free(timers, timers->nodes[node].next);
    return TW_OK;
}

static int fast_stop(struct tw_timers *timers, tw_id id)
{
    size_t node = (size_t)id + 1;
    if (__builtin_expect(id >= timers->ready, 0))
        return single_stop(timers, id); /* without that layout it knows of no timer */
    uint64_t word = timers->nodes[node].word;
    if (__builtin_expect((word & STATE) != STATE, 0))
        return stop_unlisted(timers, node, word);
    timers->gone++;
    TW_COUNT(timers, link_writes, 1);
    timers->nodes[node].word = word - RUNNING;
    if (FAST_NO_LAZY) {
        node_remove(timers, node);
        memset(&timers->nodes[node], 0, sizeof timers->nodes[node]);
    }
    return TW_OK;
}

/* A callback may start one timer too many for the array: the rings go on then. */
__attribute__((noinline)) static void hand_move(struct tw_timers *timers, tw_tick to,
                                                tw_expire_fn *expire, void *ctx)
{
    handful_move(timers, to, expire, ctx);
    if (!timers->in_hand)
        clock_move(timers, to, expire, ctx);
}

/* All that follows an empty tick is a jump to another function: no register is saved for it. */
static void fast_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (__builtin_expect(to < timers->wake, 1)) {
        TW_COUNT(timers, empty_ticks, to > timers->now);
        TW_COUNT(timers, pointer_moves, to > timers->now);
        if (__builtin_expect(to > timers->now, 1)) /* a branch, which nothing waits for */
            timers->now = to;
        return;
    }
    if (__builtin_expect(timers->single, 1))
        single_advance(timers, to, expire, ctx);
    else if (timers->in_hand)
        hand_move(timers, to, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

/* Too early when it is that of a timer that was stopped or re-armed. */
static tw_tick fast_next(const struct tw_timers *timers)
{
    if (timers->single)
        return timers->running > 0 ? single_next(timers) : TW_NEVER;
    return running_of(timers) > 0 ? timers->wake : TW_NEVER;
}

/* The earliest due tick of a slot's timers, TW_NEVER of none.  Who was stopped, or is due in another slot by now, goes there at
 * once, as the clock would see to it: each start and stop pays for one such visit. */
static tw_tick slot_exact(struct tw_timers *timers, const struct ring *ring, uint32_t slot)
{
    uint32_t place = ring_place(timers, ring, slot);
    tw_tick first = TW_NEVER;
    for (uint32_t node = *link_at(timers, place), next; node != 0; node = next) {
        uint64_t word = timers->nodes[node].word;
        tw_tick due = word & RUNNING ? due_of(timers, word) : TW_NEVER;
        next = timers->nodes[node].next;
        TW_COUNT(timers, visits, 1);
        first = due < first ? due : first;
        if (due == TW_NEVER || slot_of(ring, due) != slot) {
            node_remove(timers, node);
            node_settle(timers, node, word);
        }
    }
    if (*link_at(timers, place) == 0)
        unmark(timers, place);
    return first;
}

/* From the slot of now on, which may be one that is up, while a slot may have somebody earlier. */
static tw_tick ring_exact(struct tw_timers *timers, const struct ring *ring, tw_tick first)
{
    tw_tick turn = timers->now >> ring->shift;
    for (uint32_t passed = 0; passed <= ring->mask;) {
        uint32_t slot = ring_find(timers, ring, (uint32_t)(turn + passed) & ring->mask);
        uint32_t offset = (slot - (uint32_t)turn) & ring->mask;
        if (slot == NONE || offset < passed || (turn + offset) << ring->shift > first)
            break;
        tw_tick earliest = slot_exact(timers, ring, slot);
        first = earliest < first ? earliest : first;
        passed = offset + 1;
    }
    return first;
}

static tw_tick fast_exact(struct tw_timers *timers)
{
    tw_tick first = TW_NEVER;
    if (timers->single)
        return single_exact(timers);
    if (timers->in_hand)
        return handful_first(timers);
    for (uint32_t k = 0; running_of(timers) > 0 && k <= timers->used; k++)
        first = ring_exact(timers, &timers->rings[k], first);
    return first;
}

static void fast_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    if (timers->in_hand) {
        handful_visit(timers, visit, ctx);
        return;
    }
    if (timers->single) {
        single_visit(timers, visit, ctx);
        return;
    }
    for (uint32_t k = 0; k <= timers->top; k++)
        for (uint32_t slot = 0; slot <= timers->rings[k].mask; slot++) {
            uint32_t place = ring_place(timers, &timers->rings[k], slot);
            uint32_t node = is_marked(timers, place) ? link_get(timers, place) : 0;
            for (; node != 0; node = timers->nodes[node].next) {
                uint64_t word = timers->nodes[node].word;
                struct tw_view view = {node - 1, due_of(timers, word), k, slot, 0};
                if (word & RUNNING)
                    visit(ctx, &view);
            }
        }
}

/* Invariant 3, for one timer of a slot that comes up at `begin`. */
static const char *timer_check(const struct tw_timers *timers, uint64_t word, tw_tick begin)
{
    if (!(word & RUNNING))
        return NULL;
    if (due_of(timers, word) <= timers->now)
        return "a timer is still held after its due tick";
    if (due_of(timers, word) < timers->wake)
        return "a timer is due before the next wake-up";
    if (due_of(timers, word) < begin)
        return "a timer's slot comes up after its due tick";
    return NULL;
}

/* Invariants 1 and 3, for one list; adds its length to *held.  Ends on any input: a node that is met
 * twice would need two different predecessors. */
static const char *list_check(const struct tw_timers *timers, uint32_t place, tw_tick begin,
                              uint64_t *held)
{
    uint32_t from = place;
    const char *broken = NULL;
    for (uint32_t node = link_get(timers, place); !broken && node != 0;
         node = timers->nodes[node].next) {
        if (node > timers->ready)
            return "a list leads to what is no timer";
        if (timers->nodes[node].from != from)
            return "a back link does not lead to the timer before";
        if (!(timers->nodes[node].word & LISTED))
            return "a timer is in a list and does not know it";
        broken = timer_check(timers, timers->nodes[node].word, begin);
        from = place_of(node);
        ++*held;
    }
    return broken;
}

/* The slot of now of an upper ring may be one that is up, or stand for the one a round ahead. */
static const char *slot_check(const struct tw_timers *timers, const struct ring *ring,
                              uint32_t slot, uint64_t *held)
{
    tw_tick turn = timers->now >> ring->shift;
    return list_check(timers, ring_place(timers, ring, slot),
                      (turn + ((slot - turn) & ring->mask)) << ring->shift, held);
}

static const char *ring_check(const struct tw_timers *timers, const struct ring *ring,
                              uint64_t *held)
{
    const char *broken = NULL;
    for (uint32_t slot = 0; !broken && slot <= ring->mask; slot++) {
        uint32_t place = ring_place(timers, ring, slot), list = ring->list + slot;
        if (slot % 64 == 0 &&
            (timers->marks[place / 64] != 0) != (timers->sums[list / 4096] >> list / 64 % 64 & 1))
            return "a mark word and its bit in the summary do not agree";
        if (is_marked(timers, place))
            broken = slot_check(timers, ring, slot, held);
    }
    return broken;
}

static const char *fast_check(const struct tw_timers *timers)
{
    if (timers->single)
        return single_check(timers);
    if (timers->in_hand)
        return handful_check(timers);
    uint64_t held = 0, listed = 0;
    uint32_t running = 0;
    const char *broken = timers->wake <= timers->now ? "the next wake-up is over" : NULL;
    for (uint32_t k = 0; !broken && k <= timers->top; k++)
        broken = ring_check(timers, &timers->rings[k], &held);
    for (uint32_t node = 1; node <= timers->ready; node++) {
        listed += (timers->nodes[node].word & LISTED) != 0;
        running += timers->nodes[node].word & RUNNING;
    }
    if (!broken && held != listed)
        broken = "the lists do not hold exactly the timers that are listed";
    if (!broken && running != running_of(timers))
        broken = "the number of running timers is not that of those that run";
    return broken;
}

/* Goes back to the head of its list, which is then checked.  A place has `from` behind it in both layouts. */
static const char *fast_spot(const struct tw_timers *timers, tw_id id)
{
    size_t at = timers->single ? single_place(id) : place_of(id + 1u), from;
    uint32_t left = timers->capacity;
    uint64_t held = 0;
    if (id >= (timers->single ? timers->at_once : timers->ready))
        return NULL;
    if (timers->single ? link_get(timers, at + 1) == 0 : timers->nodes[id + 1].word == 0)
        return NULL;
    if (timers->in_hand) {
        uint32_t place = link_get(timers, at);
        return place < timers->handful.count ? place_check(timers, place) : "it has no place";
    }
    for (;; at = from) {
        from = link_get(timers, at + 1);
        size_t leads = timers->single ? at : (at - PLACE_OF(nodes)) / NODE_LINKS;
        if (from < PLACE_OF(nodes) || from >= timers->heads + timers->lists || left-- == 0 ||
            link_get(timers, from) != leads)
            return "a timer is in a list without a head, or whose links do not agree";
        if (from >= timers->heads)
            break;
    }
    uint32_t list = (uint32_t)from - timers->heads, k = 0;
    if (timers->single)
        return single_list_check(timers, list, &held);
    while (k < timers->top && list >= timers->rings[k + 1].list)
        k++;
    return slot_check(timers, &timers->rings[k], list - timers->rings[k].list, &held);
}

static struct tw_footprint fast_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = fixed_bytes(timers->lists),
        .capacity_bytes = timers->capacity * (uint64_t)sizeof(struct node),
    };
}

static void fast_describe(const struct tw_timers *timers, struct tw_description *out)
{
    *out = (struct tw_description){
        .span = SPAN,
        .setting_count = 4,
        .settings = {{.name = "eager", .count = 1, .values = {timers->eager}},
                     {.name = "handful", .count = 1, .values = {timers->most}},
                     {.name = "share", .count = 1, .values = {timers->share}},
                     {.name = "madvise", .count = 1, .values = {timers->huge}}},
    };
}

const struct tw_exact TW_EXACT(fast) = {fast_exact};
const struct tw_spot TW_SPOT(fast) = {fast_spot};

TW_TELL_WORK(fast);
const struct tw_backend TW_BACKEND(fast) = {
    .abi_version = TW_ABI_VERSION,
    .name = "fast",
    .summary = "rings of marked slots that leave stopped and re-armed timers where they lie",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS,
               .start = {TW_O_1, TW_O_1},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_1, TW_O_N},
               .tick = {TW_O_1, TW_O_N}},
    TW_HOOKS(fast, fast),
};
