/*
 * lawn.c - a list for each distinct delay, after A. Lev-Libfeld, "Lawn: an Unbound Low Latency Timer Data
 * Structure for Large Scale, High Throughput Systems" (2019); Node.js keeps its timers the same way.
 *
 *     delay -> list           lists                                    heads in a heap
 *
 *       200                   head -> due 31, id 4 -> due 36, id 1            31
 *      1000                   head -> due 40, id 0                           /  \
 *     30000                   head -> due 52, id 7 -> due 90, id 2         40    52
 *
 *     Whoever starts later with the same delay is due later: an append keeps each list sorted, and only the
 *     first timer of a list can be the next.
 *
 * With d lists in use:
 *
 *              average     worst
 *     start    O(1)        O(n)         a look into a hash table; a delay that is new makes a list, and
 *                                       now and then all lists are gone through for empty ones
 *     stop     O(1)        O(1)         an unlink; the last one that stops gives the memory of lists back
 *     advance  O(1)        O(log d)     per expired timer: O(log d) when the head of its list changes
 *     tick     O(1)        O(n log n)   nothing is due; at worst all lists lost their heads to stops
 *     next     O(1)        O(1)         a bound: the heads of lists that lost theirs to a stop are not known
 *     memory   16 bytes a timer, 57 to 230 bytes a list
 *
 * Invariants, tested by check in this order (between calls):
 *  1. There are at most `room` lists, and no more wait in the heap than that.
 *  2. A list in the heap is marked as waiting; no list is there twice.
 *  3. No entry of the heap is due on a processed tick, or before its parent.
 *  4. A delay is found where its hash leads.
 *  5. Every list is a ring of running timers, and holds nothing unless it waits.
 *  6. Due ticks of a list do not go down, and the first is not before the list's entry in the heap.
 *  7. The lists hold exactly the running timers.
 *
 * Departures from the paper.  It looks at the heads of all lists on each tick on which some list may have
 * something due, which takes as long as there are lists; here the heads stand in a heap of four children.
 * A stop leaves the heap alone: an entry names a tick at or before the first due tick of its list, and is
 * corrected when it comes to the top.  Lists that became empty keep their delay, because it mostly comes
 * back.  When room runs out they are thrown out, and room is doubled if over half is in use, so going
 * through them all costs each new delay O(1).
 *
 * It loses where nearly every delay is another: then it is a heap with a hash table in front.  It wins where
 * servers use it, with a handful of timeouts.
 */
#include "design.h"
#include "links.h"

/* Lists at open. */
#define ROOM_MIN 64u
#define ARITY    4u
#define NO_LIST  UINT32_MAX

/* No setting: lists are made as delays come. */
TW_NO_SETTINGS(lawn, TW_DEADLINE_MAX);

/* A place of the hash table: linear probing, at most half full. */
struct known {
    tw_tick delay; /* 0: free; no timer is started for the tick of now */
    uint32_t list;
};

/* A list that may have timers. */
struct waiting {
    tw_tick first; /* no timer of it is due before */
    uint32_t list;
};

struct tw_timers {
    struct link *links;  /* timers, then the heads of the lists */
    tw_tick *dues;       /* of running timers */
    struct known *known; /* the first of three arrays in one piece of memory */
    struct waiting *heap;
    bool *waits;                /* by list: is it in the heap? */
    struct known *first_tables; /* those taken at open, for ROOM_MIN lists */
    tw_tick now;                /* the tick being processed */
    uint32_t room;              /* lists that there can be without more memory, a power of two */
    uint32_t lists;             /* that have a delay */
    uint32_t count;             /* entries of the heap */
    uint32_t spare;             /* the first list without a delay; the next is its head's prev */
    uint32_t shift;             /* of a hash, to a place of `known` */
    uint32_t capacity;
    uint32_t running;
    TW_WORK_FIELD
};

static inline uint32_t head_of(const struct tw_timers *timers, uint32_t list)
{
    return timers->capacity + list;
}

/* Has it a delay? */
static inline bool list_is_known(const struct tw_timers *timers, uint32_t list)
{
    return !links_is_idle(timers->links, head_of(timers, list));
}

static inline bool list_is_empty(const struct tw_timers *timers, uint32_t list)
{
    return links_is_empty(timers->links, head_of(timers, list));
}

/* ---- The heap of lists. ---------------------------------------------------------------------- */

static void heap_sift_up(struct tw_timers *timers, uint32_t hole, struct waiting entry)
{
    struct waiting *heap = timers->heap;
    while (hole > 0) {
        uint32_t parent = (hole - 1) / ARITY;
        TW_COUNT(timers, comparisons, 1);
        if (heap[parent].first <= entry.first)
            break;
        heap[hole] = heap[parent];
        TW_COUNT(timers, moves, 1);
        hole = parent;
    }
    heap[hole] = entry;
    TW_COUNT(timers, link_writes, 1);
}

static void heap_sift_down(struct tw_timers *timers, uint32_t hole, struct waiting entry)
{
    struct waiting *heap = timers->heap;
    uint32_t count = timers->count;
    for (uint32_t child; (child = hole * ARITY + 1) < count;) {
        uint32_t end = count - child < ARITY ? count : child + ARITY;
        uint32_t least = child;
        for (uint32_t i = child + 1; i < end; i++)
            least = heap[i].first < heap[least].first ? i : least;
        TW_COUNT(timers, comparisons, end - child);
        if (entry.first <= heap[least].first)
            break;
        heap[hole] = heap[least];
        TW_COUNT(timers, moves, 1);
        hole = least;
    }
    heap[hole] = entry;
    TW_COUNT(timers, link_writes, 1);
}

/* Takes the first list out, which holds nothing. */
static void heap_pop(struct tw_timers *timers)
{
    timers->waits[timers->heap[0].list] = false;
    struct waiting last = timers->heap[--timers->count];
    if (timers->count > 0)
        heap_sift_down(timers, 0, last);
}

/* Fills the empty heap with the entries of the old one whose lists hold something. */
static void heap_move(struct tw_timers *timers, const struct waiting *old, uint32_t count)
{
    TW_COUNT(timers, visits, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!list_is_known(timers, old[i].list))
            continue;
        timers->waits[old[i].list] = true;
        heap_sift_up(timers, timers->count++, old[i]);
    }
}

/* ---- The table of delays. -------------------------------------------------------------------- */

/* The place of a delay, or the free one where it would have to be. */
static inline struct known *known_find(const struct tw_timers *timers, tw_tick delay)
{
    uint32_t mask = timers->room * 2 - 1;
    uint64_t place = delay * UINT64_C(0x9e3779b97f4a7c15) >> timers->shift;
    while (timers->known[place].delay != 0 && timers->known[place].delay != delay)
        place = (place + 1) & mask;
    return &timers->known[place];
}

static void list_spare(struct tw_timers *timers, uint32_t list)
{
    timers->links[head_of(timers, list)] = (struct link){timers->spare, LINKS_IDLE};
    timers->spare = list;
}

/* Fills an empty table with the delays of the old one whose lists hold something; the others become spare. */
static void known_move(struct tw_timers *timers, const struct known *old, size_t places)
{
    timers->lists = 0;
    for (size_t i = 0; i < places; i++) {
        if (old[i].delay == 0)
            continue;
        TW_COUNT(timers, visits, 1);
        if (list_is_empty(timers, old[i].list)) {
            list_spare(timers, old[i].list);
        } else {
            *known_find(timers, old[i].delay) = old[i];
            timers->lists++;
        }
    }
}

/* ---- Memory of the lists. -------------------------------------------------------------------- */

static uint64_t tables_bytes(uint32_t room)
{
    return (uint64_t)room * (2 * sizeof(struct known) + sizeof(struct waiting) + sizeof(bool));
}

/* Takes tables of zeros for so many lists into use. */
static void tables_use(struct tw_timers *timers, struct known *known, uint32_t room)
{
    timers->known = known;
    timers->heap = (struct waiting *)(known + (size_t)room * 2);
    timers->waits = (bool *)(timers->heap + room);
    timers->room = room;
    timers->shift = 63 - (uint32_t)__builtin_ctz(room);
    timers->lists = timers->count = 0;
    timers->spare = NO_LIST;
}

static bool links_resize(struct tw_timers *timers, uint32_t room)
{
    size_t count = (size_t)timers->capacity + room;
    struct link *links = realloc(timers->links, count * sizeof *links);
    if (links)
        timers->links = links;
    return links != NULL;
}

/* Makes the lists from `first` on spare. */
static void lists_fresh(struct tw_timers *timers, uint32_t first)
{
    for (uint32_t list = timers->room; list-- > first;)
        list_spare(timers, list);
}

/* Throws out the empty lists, and doubles the room if more than half is in use still.  False when there is no
 * memory, and then nothing has changed. */
static bool room_make(struct tw_timers *timers)
{
    const struct tw_timers old = *timers;
    uint32_t used = 0;
    for (uint32_t i = 0; i < old.count; i++)
        used += !list_is_empty(timers, old.heap[i].list);
    uint32_t room = used > old.room / 2 ? old.room * 2 : old.room;
    struct known *known = calloc(1, tables_bytes(room));
    TW_COUNT(timers, allocations, 1);
    if (!known || (room > old.room && !links_resize(timers, room))) {
        free(known);
        return false;
    }
    tables_use(timers, known, room);
    lists_fresh(timers, old.room);
    known_move(timers, old.known, (size_t)old.room * 2);
    heap_move(timers, old.heap, old.count);
    if (old.known != timers->first_tables)
        free(old.known);
    return true;
}

/* Gives back what was taken for lists since open.  Nothing runs. */
static void room_reset(struct tw_timers *timers)
{
    if (timers->known == timers->first_tables)
        return;
    TW_COUNT(timers, visits, ROOM_MIN);
    free(timers->known);
    memset(timers->first_tables, 0, tables_bytes(ROOM_MIN));
    tables_use(timers, timers->first_tables, ROOM_MIN);
    (void)links_resize(timers, ROOM_MIN); /* shorter: at worst they stay as they are */
    lists_fresh(timers, 0);
}

/* The list of a delay, which is made if need be; NO_LIST when there is no memory. */
static inline uint32_t list_of(struct tw_timers *timers, tw_tick delay)
{
    struct known *known = known_find(timers, delay);
    TW_COUNT(timers, comparisons, 1);
    if (__builtin_expect(known->delay != 0, 1))
        return known->list;
    if (timers->spare == NO_LIST) {
        if (!room_make(timers))
            return NO_LIST;
        known = known_find(timers, delay);
    }
    uint32_t list = timers->spare;
    timers->spare = timers->links[head_of(timers, list)].prev;
    links_clear(timers->links, head_of(timers, list));
    *known = (struct known){delay, list};
    timers->lists++;
    return list;
}

/* ---- The hooks. ------------------------------------------------------------------------------ */

static void lawn_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->dues);
    if (timers->known != timers->first_tables)
        free(timers->known);
    free(timers->first_tables);
    free(timers);
}

static struct tw_footprint lawn_footprint(const struct tw_timers *timers)
{
    uint64_t more_heads = (timers->room - ROOM_MIN) * (uint64_t)sizeof(struct link);
    bool has_more = timers->known != timers->first_tables;
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + tables_bytes(ROOM_MIN) + ROOM_MIN * sizeof(struct link),
        .capacity_bytes = timers->capacity * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
        .pending_bytes = has_more ? tables_bytes(timers->room) + more_heads : 0,
    };
}

static int lawn_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, lawn_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    timers->capacity = config->capacity;
    timers->room = ROOM_MIN;
    timers->known = calloc(1, tables_bytes(ROOM_MIN));
    timers->first_tables = timers->known;
    timers->links = links_new(config->capacity, ROOM_MIN);
    timers->dues = malloc(config->capacity * sizeof *timers->dues);
    bool is_whole = timers->known && timers->links && timers->dues;
    if (is_whole) {
        tables_use(timers, timers->first_tables, ROOM_MIN);
        lists_fresh(timers, 0);
    }
    return open_end(out, timers, is_whole, lawn_footprint, lawn_close, error);
}

static int lawn_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    if (due > TW_DEADLINE_MAX || due == 0)
        return TW_REFUSED_RANGE; /* or the clock itself is at its end, where no tick follows */
    uint32_t list = list_of(timers, due - timers->now);
    if (list == NO_LIST)
        return TW_REFUSED_MEMORY;
    struct link *links = timers->links;
    int status = TW_OK;
    if (links_is_idle(links, id)) {
        timers->running++;
    } else {
        status = TW_REARMED;
        links_remove(links, id);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES);
    }
    timers->dues[id] = due;
    links_append(links, head_of(timers, list), id);
    TW_COUNT(timers, link_writes, LINKS_APPEND_WRITES);
    if (!timers->waits[list]) {
        timers->waits[list] = true;
        heap_sift_up(timers, timers->count++, (struct waiting){due, list});
    }
    return status;
}

/* Takes a running timer out. */
static inline void timer_leave(struct tw_timers *timers, tw_id id)
{
    links_remove(timers->links, id);
    links_set_idle(timers->links, id);
    TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + 1);
    timers->running--;
}

static int lawn_stop(struct tw_timers *timers, tw_id id)
{
    if (links_is_idle(timers->links, id))
        return TW_IDLE;
    timer_leave(timers, id);
    if (timers->running == 0)
        room_reset(timers);
    return TW_OK;
}

/* Fires what is due by `to`.  Nothing is remembered over a callback, which may do what it likes.  Kept out of
 * line, so that a tick on which nothing is due, by far the most frequent call, saves no registers. */
__attribute__((noinline)) static void lists_fire(struct tw_timers *timers, tw_tick to,
                                                 tw_expire_fn *expire, void *ctx)
{
    while (timers->count > 0 && timers->heap[0].first <= to) {
        struct waiting top = timers->heap[0];
        uint32_t id = timers->links[head_of(timers, top.list)].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (id >= timers->capacity) {
            heap_pop(timers);
        } else if (timers->dues[id] != top.first) {
            top.first = timers->dues[id];
            heap_sift_down(timers, 0, top);
        } else {
            uint32_t next = timers->links[id].next;
            timer_leave(timers, id);
            if (next < timers->capacity) {
                __builtin_prefetch(&timers->links[timers->links[next].next]);
                __builtin_prefetch(&timers->dues[next]);
            }
            timers->now = top.first;
            expire(ctx, id, top.first);
        }
    }
    if (timers->running == 0)
        room_reset(timers);
}

static void lawn_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    if (to <= timers->now)
        return;
    TW_COUNT(timers, comparisons, 1);
    if (timers->count > 0 && timers->heap[0].first <= to)
        lists_fire(timers, to, expire, ctx);
    timers->now = to;
}

/* The first list tells its first due tick, the others no more than a bound. */
static tw_tick lawn_next(const struct tw_timers *timers)
{
    if (timers->running == 0)
        return TW_NEVER;
    uint32_t id = timers->links[head_of(timers, timers->heap[0].list)].next;
    tw_tick first = id < timers->capacity ? timers->dues[id] : TW_NEVER;
    for (uint32_t i = 1; i < timers->count && i <= ARITY; i++)
        if (timers->heap[i].first < first)
            first = timers->heap[i].first;
    return first;
}

static void lawn_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t i = 0; i < timers->count; i++) {
        uint32_t list = timers->heap[i].list, head = head_of(timers, list);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next)
            visit(ctx, &(struct tw_view){.id = id, .deadline = timers->dues[id], .slot = list});
    }
}

/* Invariants 5 and 6, for one list in the heap; adds its length to *held. */
static const char *list_check(const struct tw_timers *timers, const struct waiting *waiting,
                              uint64_t *held)
{
    uint32_t head = head_of(timers, waiting->list);
    const char *broken = links_check(timers->links, timers->capacity, head, held);
    if (broken)
        return broken;
    tw_tick before = waiting->first;
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        if (timers->dues[id] < before)
            return "a timer is due before the one ahead of it, or before its list's place in the "
                   "heap";
        before = timers->dues[id];
    }
    return NULL;
}

/* Invariants 2, 3, 5 and 6. */
static const char *heap_check(const struct tw_timers *timers, uint64_t *held)
{
    uint32_t marked = 0;
    for (uint32_t list = 0; list < timers->room; list++)
        marked += timers->waits[list];
    if (marked != timers->count)
        return "not exactly the lists of the heap are marked as waiting";
    for (uint32_t i = 0; i < timers->count; i++) {
        const struct waiting *waiting = &timers->heap[i];
        if (waiting->list >= timers->room || !timers->waits[waiting->list])
            return "the heap has a list that is not marked as waiting";
        if (waiting->first <= timers->now)
            return "an entry of the heap is due on a processed tick";
        if (i > 0 && waiting->first < timers->heap[(i - 1) / ARITY].first)
            return "an entry of the heap is due before its parent";
        const char *broken = list_check(timers, waiting, held);
        if (broken)
            return broken;
    }
    return NULL;
}

/* Invariants 4 and 5: delays are found, and lists that do not wait are empty. */
static const char *known_check(const struct tw_timers *timers)
{
    uint32_t lists = 0;
    for (size_t i = 0; i < (size_t)timers->room * 2; i++) {
        const struct known *known = &timers->known[i];
        if (known->delay == 0)
            continue;
        lists++;
        if (known->list >= timers->room || known_find(timers, known->delay) != known)
            return "a delay is not found where its hash leads";
        if (!timers->waits[known->list] && !list_is_empty(timers, known->list))
            return "a list holds timers and does not wait";
    }
    return lists == timers->lists ? NULL : "the table has not as many delays as there are lists";
}

static const char *lawn_check(const struct tw_timers *timers)
{
    if (timers->lists > timers->room || timers->count > timers->lists)
        return "there are more lists than room, or more in the heap than there are";
    uint64_t held = 0;
    const char *broken = heap_check(timers, &held);
    if (!broken)
        broken = known_check(timers);
    return links_check_held(timers->links, timers->capacity, held, timers->running, broken);
}

TW_TELL_WORK(lawn);
const struct tw_backend TW_BACKEND(lawn) = {
    .abi_version = TW_ABI_VERSION,
    .name = "lawn",
    .summary = "a list for each distinct delay, the heads of lists in a heap",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_ALLOCATES,
               .start = {TW_O_1, TW_O_N},
               .stop = {TW_O_1, TW_O_1},
               .expire = {TW_O_LOG_N, TW_O_LOG_N},
               .tick = {TW_O_1, TW_O_N_LOG_N}},
    TW_HOOKS(lawn, lawn),
};
