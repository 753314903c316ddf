/*
 * fast_single.h - the layout of fast.c for short horizons: a slot for every delay, starts and stops unlink at once, and
 * no timer moves.
 *
 *     one block of links, 4 bytes each; a link holds the place of another, 0 ends a list
 *
 *        0      1                      node of timer id      heads, one a tick             marks, a byte
 *     +------+------+-- - - --+------+------+------+------+------+------+-- - - --+-----+  for 64 heads
 *     | to nowhere  | struct  | next | from | next | from |      |      |         | far |
 *     +------+------+-- - - --+------+--|---+------+------+------+------+-- - - --+-----+
 *                                       '- the place of the link that leads here; 0: idle
 *
 * It is taken when the horizon is known and at most 130,944 ticks, for 1024 timers and more, with at most 64 slots a
 * timer (parameter `share`).  Its heads take 2 to 512 KiB.  A timer takes 8 bytes, and 8 more elsewhere, which only a delay
 * beyond the horizon touches: its slot says when it is due.  So a re-arm writes two links of its neighbours and two
 * of its new list, reads nothing but its node and the head, and has no branch that depends on the load.
 *
 * The clock looks at one head a tick.  For long jumps a mark says of 64 slots that somebody may be there: a start
 * sets it unasked, the clock clears it when the 64 ticks are over.  No delay in the ring is longer than its slots less
 * 128, so that no start sets a mark that is about to be cleared.
 *
 * A delay beyond that was not expected.  Such timers wait in one list, `far`, each with its due tick.  At the last half
 * round before one of them is due the clock goes over that list, and takes to the ring who is near enough.
 *
 *              average                                 worst
 *     start    O(1)                                    O(1), and the heads cleared by the first one
 *     stop     O(1)                                    O(1)
 *     tick     O(1), and O(1) for each that fires      the same, and O(far) at every half round
 *     next     64 heads, an eighth of the marks        a lower bound
 *
 * So an advance by one tick visits who fires then and nobody else, as long as no delay is beyond the horizon.
 *
 * Invariants, tested by check in this order (between calls):
 *  1. The far list is gone over after now.
 *  2. A list that is not empty has its mark set.
 *  3. Every list is linked both ways and leads to nodes in use only.
 *  4. No timer of the ring is due beyond its reach.
 *  5. A timer of the far list is due after now, and not before that list is gone over.
 *  6. The lists hold exactly the timers that run.
 *
 * The idea is scheme 4 of Varghese & Lauck (simple.c), with links to links as in Linux's hlist.
 *
 * It loses among few timers that are re-armed again and again: there the rings' lazy re-arm is one word (P3 at 1e3).
 *
 * fast.c includes it behind its struct tw_timers.
 */
#ifndef TWBENCH_FAST_SINGLE_H
#define TWBENCH_FAST_SINGLE_H

#define SINGLE_LINKS  2u    /* of a node */
#define SINGLE_LEAST  1024u /* timers: fewer may be re-armed so often that rings are better */
#define SINGLE_SHARE  64u   /* slots a timer, at most */
#define SINGLE_FEWEST 9u    /* slots, as bits */
/* A ring for it has 2^17 slots: half a megabyte of heads, which stay in a second cache. */
#define SINGLE_HORIZON ((UINT64_C(1) << 17) - 2 * WORD_TICKS)
#define WORD_TICKS     64u /* slots that share a mark */
#define STEPS          32u /* ticks that are passed one by one, without a search */

static inline size_t single_place(size_t id)
{
    return PLACE_OF(nodes) + SINGLE_LINKS * id;
}

static inline tw_id single_id(size_t place)
{
    return (tw_id)((place - PLACE_OF(nodes)) / SINGLE_LINKS);
}

/* The links of a timer by its id, which takes fewer instructions than by its place. */
static inline uint32_t *single_links(struct tw_timers *timers, size_t id)
{
    return (uint32_t *)timers->nodes + SINGLE_LINKS * id;
}

static inline void single_idle(uint32_t *links)
{
    links[0] = links[1] = 0;
}

/* One that is idle writes to the link that is nowhere. */
static inline uint32_t single_unlink(struct tw_timers *timers, const uint32_t *links)
{
    uint32_t next = links[0], from = links[1];
    *link_at(timers, from) = next;
    *link_at(timers, next + (size_t)1) = from;
    TW_COUNT(timers, link_writes, from != 0 ? 2 : 0);
    return from;
}

static inline void single_link(struct tw_timers *timers, tw_id id, uint32_t head)
{
    uint32_t *links = single_links(timers, id), place = (uint32_t)single_place(id);
    uint32_t next = *link_at(timers, head);
    *link_at(timers, head) = place;
    *link_at(timers, next + (size_t)1) = place;
    links[0] = next;
    __asm__("" ::: "memory"); /* two stores: gcc would make one of them, by way of vectors */
    links[1] = head;
    TW_COUNT(timers, link_writes, 4);
}

static inline uint32_t single_slot(const struct tw_timers *timers, tw_tick tick)
{
    return (uint32_t)tick & timers->mask;
}

static inline size_t single_head(const struct tw_timers *timers, tw_tick due)
{
    return timers->heads + single_slot(timers, due);
}

/* The mark of a slot and the 63 beside it: somebody may be there. */
static inline uint8_t *single_mark(const struct tw_timers *timers, uint32_t slot)
{
    return &timers->used_words[slot / WORD_TICKS];
}

/* The longest delay of the ring. */
static inline tw_tick single_reach(const struct tw_timers *timers)
{
    return timers->mask + 1 - 2 * WORD_TICKS;
}

/* Late in time no start is quick: a deadline long over would pass for one to come. */
static inline void single_limits(struct tw_timers *timers)
{
    timers->near = timers->now < HALF ? single_reach(timers) : 0;
    timers->upper = timers->now < HALF ? HALF : TW_NEVER;
}

/* The far list lies behind the slots. */
static inline uint32_t far_slot(const struct tw_timers *timers)
{
    return timers->mask + 1;
}

/* The far list is gone over at the last half round before somebody there is due. */
static inline void far_wait(struct tw_timers *timers, tw_tick due)
{
    tw_tick turn = (due - 1) & ~(tw_tick)(timers->mask >> 1);
    timers->upper = turn < timers->upper ? turn : timers->upper;
}

/* Puts a timer that is in no list where it belongs. */
static void single_put(struct tw_timers *timers, tw_id id, tw_tick due)
{
    bool is_near = due - timers->now <= single_reach(timers);
    uint32_t slot = is_near ? single_slot(timers, due) : far_slot(timers);
    *single_mark(timers, slot) = 1;
    single_link(timers, id, timers->heads + slot);
    if (is_near)
        return;
    timers->dues[id] = due;
    far_wait(timers, due);
}

/* Makes the nodes up to this one idle, and some more; the first time it clears the heads, too. */
static void single_ready(struct tw_timers *timers, tw_id id)
{
    if (timers->at_once == 0) {
        memset(link_at(timers, timers->heads), 0, timers->lists * sizeof(uint32_t));
        timers->wake = 0;
        single_limits(timers); /* until now the clock has moved without them */
    }
    uint32_t rest = timers->capacity - id;
    uint32_t ready = id + (rest < READY_STEP ? rest : READY_STEP);
    memset(single_links(timers, timers->at_once), 0,
           (ready - timers->at_once) * SINGLE_LINKS * sizeof(uint32_t));
    timers->at_once = ready;
}

/* A start within the reach of the ring, of a timer that is ready. */
static inline __attribute__((always_inline)) int single_start(struct tw_timers *timers, tw_id id,
                                                              tw_tick due)
{
    uint32_t slot = single_slot(timers, due), head = timers->heads + slot;
    uint32_t from = single_unlink(timers, single_links(timers, id));
    *single_mark(timers, slot) = 1;
    timers->running += from == 0;
    single_link(timers, id, head);
    return from != 0;
}

/* A start that is not after now, or far, or the first of its timer. */
static int single_start_rare(struct tw_timers *timers, tw_id id, tw_tick due)
{
    if (!due_settle(timers, &due))
        return TW_REFUSED_RANGE;
    if (id >= timers->at_once)
        single_ready(timers, id);
    uint32_t from = single_unlink(timers, single_links(timers, id));
    timers->running += from == 0;
    single_put(timers, id, due);
    return from != 0 ? TW_REARMED : TW_OK;
}

static inline int single_stop(struct tw_timers *timers, tw_id id)
{
    uint32_t *links = single_links(timers, id);
    if (id >= timers->at_once || links[1] == 0)
        return TW_IDLE;
    single_unlink(timers, links);
    single_idle(links);
    timers->running--;
    return TW_OK;
}

/* ---- The clock. ------------------------------------------------------------------------------ */

/* Takes what is near enough from the far list to ring 0. */
__attribute__((noinline)) static void far_deal(struct tw_timers *timers)
{
    uint32_t next;
    single_limits(timers);
    for (uint32_t place = *link_at(timers, timers->heads + far_slot(timers)); place != 0;
         place = next) {
        tw_id id = single_id(place);
        tw_tick due = timers->dues[id];
        next = *link_at(timers, place);
        TW_COUNT(timers, visits, 1);
        if (due - timers->now > single_reach(timers)) {
            far_wait(timers, due);
            continue;
        }
        TW_COUNT(timers, moves, 1);
        single_unlink(timers, single_links(timers, id));
        single_put(timers, id, due);
    }
}

/* Sends a scout to the slot that is SCOUTS ahead. */
static inline void single_scout_send(struct tw_timers *timers)
{
    uint32_t place = *link_at(timers, single_head(timers, timers->now + SCOUTS));
    timers->scouts[0][timers->now % SCOUTS] = place;
    __builtin_prefetch(link_at(timers, place));
}

static inline void single_scout_go(struct tw_timers *timers, uint32_t turn)
{
    uint32_t *scout = &timers->scouts[0][turn % SCOUTS];
    *scout = *link_at(timers, *scout);
    __builtin_prefetch(link_at(timers, *scout));
}

/* Everybody in the slot of now is due.  Each is taken out before its callback runs. */
static void single_fire(struct tw_timers *timers, tw_expire_fn *expire, void *ctx)
{
    size_t head = single_head(timers, timers->now), place;
    bool scouted = !FAST_NO_SCOUTS && timers->at_once > SCOUTED;
    if (scouted)
        single_scout_send(timers);
    for (uint32_t turn = 0; (place = *link_at(timers, head)) != 0; turn++) {
        uint32_t next = *link_at(timers, place);
        if (scouted)
            single_scout_go(timers, turn);
        *link_at(timers, head) = next;
        *link_at(timers, next + (size_t)1) = (uint32_t)head;
        single_idle(link_at(timers, place));
        timers->running--;
        TW_COUNT(timers, link_writes, 3);
        TW_COUNT(timers, visits, 1);
        expire(ctx, single_id(place), timers->now);
    }
}

/* The mark of the slots before those that share one with this tick: they are over. */
static inline void mark_clear(struct tw_timers *timers, tw_tick tick)
{
    *single_mark(timers, single_slot(timers, tick - WORD_TICKS)) = 0;
}

/* A tick on which somebody is due or the far list is gone over. */
__attribute__((noinline)) static void single_turn(struct tw_timers *timers, tw_expire_fn *expire,
                                                  void *ctx)
{
    if (timers->upper <= timers->now)
        far_deal(timers);
    single_fire(timers, expire, ctx);
}

/* The first tick after now whose mark is set; TW_NEVER if there is none.  Eight marks at a time. */
static tw_tick marked_find(const struct tw_timers *timers)
{
    tw_tick from = timers->now + 1, turn = from / WORD_TICKS;
    uint32_t words = (timers->mask + 1) / WORD_TICKS, word = (uint32_t)turn & (words - 1);
    if (timers->used_words[word])
        return from;
    for (uint32_t i = 1; i < words; i++) {
        uint32_t at = (word + i) & (words - 1);
        uint64_t eight;
        memcpy(&eight, &timers->used_words[at & ~7u], sizeof eight);
        if (eight == 0)
            i += 7 - at % 8;
        else if (timers->used_words[at])
            return (turn + i) * WORD_TICKS;
    }
    return TW_NEVER;
}

/* The first tick from that one on, with the same mark, that needs something; TW_NEVER if none does. */
static tw_tick single_find(const struct tw_timers *timers, tw_tick base)
{
    do {
        if (base >= timers->upper || link_get(timers, single_head(timers, base)) != 0)
            return base;
    } while (++base % WORD_TICKS != 0);
    return TW_NEVER;
}

/* Too early when the first marked slots have been left by all of their timers. */
static tw_tick single_next(const struct tw_timers *timers)
{
    tw_tick base = marked_find(timers);
    if (base >= timers->upper)
        return timers->upper;
    tw_tick next = single_find(timers, base);
    return next == TW_NEVER ? (base | (WORD_TICKS - 1)) + 1 : next;
}

/* A far timer is due after `upper`. */
static tw_tick single_exact(const struct tw_timers *timers)
{
    tw_tick first = TW_NEVER, reach = single_reach(timers);
    for (tw_tick delay = 1; timers->running > 0 && delay <= reach && first == TW_NEVER; delay++) {
        uint32_t slot = single_slot(timers, timers->now + delay);
        if (!*single_mark(timers, slot))
            delay += WORD_TICKS - 1 - slot % WORD_TICKS;
        else if (link_get(timers, timers->heads + slot) != 0)
            first = timers->now + delay;
    }
    if (timers->running == 0 || first <= timers->upper)
        return first;
    for (size_t place = link_get(timers, timers->heads + far_slot(timers)); place != 0;
         place = link_get(timers, place)) {
        tw_tick due = timers->dues[single_id(place)];
        first = due < first ? due : first;
    }
    return first;
}

/* Moves the clock over ticks that need nothing. */
static void single_pass(struct tw_timers *timers, tw_tick to)
{
    if (to / WORD_TICKS != timers->now / WORD_TICKS) {
        mark_clear(timers, timers->now);
        mark_clear(timers, timers->now + WORD_TICKS);
    }
    timers->now = to;
}

__attribute__((noinline)) static void single_jump(struct tw_timers *timers, tw_tick to,
                                                  tw_expire_fn *expire, void *ctx)
{
    while (timers->now < to) {
        tw_tick base = marked_find(timers);
        base = base < timers->upper ? base : timers->upper;
        tw_tick next = base > to ? base : single_find(timers, base);
        tw_tick end = base | (WORD_TICKS - 1);
        if (next > to) {
            single_pass(timers, base > to || to < end ? to : end);
            continue;
        }
        single_pass(timers, next);
        TW_COUNT(timers, pointer_moves, 1);
        single_turn(timers, expire, ctx);
    }
}

/* The next tick, which its caller knows: to read the clock would wait for the step before.  An empty tick jumps
 * nowhere. */
static inline void single_step(struct tw_timers *timers, tw_tick next, tw_expire_fn *expire,
                               void *ctx)
{
    timers->now = next;
    TW_COUNT(timers, pointer_moves, 1);
    if (__builtin_expect(next % WORD_TICKS == 0, 0))
        mark_clear(timers, next);
    bool is_used = *link_at(timers, single_head(timers, next)) != 0;
    if (__builtin_expect(is_used || timers->upper <= next, 0))
        single_turn(timers, expire, ctx);
    else
        TW_COUNT(timers, empty_ticks, 1);
}

/* Any advance but a single step; a short one is made of steps. */
__attribute__((noinline)) static void single_move(struct tw_timers *timers, tw_tick to,
                                                  tw_expire_fn *expire, void *ctx)
{
    if (to > timers->now && to - timers->now > STEPS)
        single_jump(timers, to, expire, ctx);
    while (timers->now < to)
        single_step(timers, timers->now + 1, expire, ctx);
}

static inline void single_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire,
                                  void *ctx)
{
    if (__builtin_expect(to - timers->now == 1, 1))
        single_step(timers, to, expire, ctx);
    else
        single_move(timers, to, expire, ctx);
}

/* ---- Looking at it. -------------------------------------------------------------------------- */

static tw_tick single_due(const struct tw_timers *timers, size_t place, uint32_t list)
{
    if (list > timers->mask)
        return timers->dues[single_id(place)];
    return timers->now + ((list - (uint32_t)timers->now) & timers->mask);
}

static void single_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t list = 0; timers->at_once > 0 && list <= timers->mask + 1; list++) {
        size_t head = timers->heads + list;
        for (size_t place = link_get(timers, head); place != 0; place = link_get(timers, place)) {
            bool is_far = list > timers->mask;
            struct tw_view view = {single_id(place), single_due(timers, place, list), is_far,
                                   is_far ? 0 : list, 0};
            visit(ctx, &view);
        }
    }
}

/* Invariants 1, 3 and 4, for one list; adds its length to *held. */
static const char *single_list_check(const struct tw_timers *timers, uint32_t list, uint64_t *held)
{
    size_t from = timers->heads + list, end = single_place(timers->at_once);
    for (size_t place; (place = link_get(timers, from)) != 0; from = place) {
        if (place < single_place(0) || place >= end || (place - single_place(0)) % SINGLE_LINKS)
            return "a list leads to what is no timer";
        if (link_get(timers, place + 1) != from)
            return "a back link does not lead to the timer before";
        tw_tick delay = single_due(timers, place, list) - timers->now;
        if (list <= timers->mask && (delay == 0 || delay > single_reach(timers)))
            return "a timer lies beyond the reach of its ring";
        if (list > timers->mask && (delay == 0 || timers->dues[single_id(place)] < timers->upper))
            return "a far timer is due before its list is gone over";
        ++*held;
    }
    return NULL;
}

static const char *single_check(const struct tw_timers *timers)
{
    uint64_t held = 0, linked = 0;
    const char *broken =
        timers->at_once > 0 && timers->upper <= timers->now ? "the next wake-up is over" : NULL;
    for (uint32_t list = 0; !broken && timers->at_once > 0 && list <= timers->mask + 1; list++) {
        size_t head = timers->heads + list;
        if (link_get(timers, head) != 0 && !*single_mark(timers, list))
            broken = "a list with timers has no mark";
        else
            broken = single_list_check(timers, list, &held);
    }
    for (tw_id id = 0; id < timers->at_once; id++)
        linked += link_get(timers, single_place(id) + 1) != 0;
    if (!broken && (held != linked || held != timers->running))
        broken = "the lists do not hold exactly the running timers";
    return broken;
}

/* ---- Opening. -------------------------------------------------------------------------------- */

/* Slots a timer up to which there is one ring. */
static uint32_t single_share(const struct tw_config *config)
{
    return (uint32_t)setting_of(config, "share",
                                config->capacity < SINGLE_LEAST ? 0 : SINGLE_SHARE);
}

/* Slots of a ring for all delays, as bits; 0: there are rings instead. */
static uint32_t single_bits(const struct tw_config *config)
{
    if (FAST_NO_SINGLE || config->horizon == 0 || config->horizon > SINGLE_HORIZON)
        return 0;
    uint32_t bits = bits_of(config->horizon + 2 * WORD_TICKS);
    bits = bits < SINGLE_FEWEST ? SINGLE_FEWEST : bits;
    return UINT64_C(1) << bits <= config->capacity * (uint64_t)single_share(config) ? bits : 0;
}

static void single_set(struct tw_timers *timers)
{
    timers->single = true;
    timers->lazy = false;
    timers->wake = TW_NEVER;
    single_limits(timers);
    timers->used_words = (uint8_t *)&timers->marks[timers->heads / 64];
}

#endif
