/*
 * used_slots.h - a bitmap of the slots in use, as an option of a wheel of one level: shared by hashed.c,
 * callwheel.c and round.c.
 *
 *     slots      0..63      64..127    128..191           bit per slot: it may hold something
 *     words      ..x.....   ........   x...x...
 *     summary    x.x.....                                 bit per word: it has a bit
 *
 * The textbook's wheel steps through all slots, which costs hundreds of steps for a delay of 1 ms on ticks of
 * 1 us.  With bitmap=1 the clock and next go from one slot in use to the next.  A start sets its bit,
 * a stop leaves it, and whoever comes to an empty slot wipes it.  What lies revolutions ahead stays in the
 * way: each revolution looks at it.
 *
 * A design includes it behind its struct tw_timers, which has the members of one_level.h and
 *
 *     struct link *links;    timers, then the slots
 *     uint64_t *used;        the words, then the summary; NULL without the bitmap
 *     bool is_bitmap_given;  the setting was given, whatever its value
 */
#ifndef TWBENCH_USED_SLOTS_H
#define TWBENCH_USED_SLOTS_H

#include "links.h"
#include "one_level.h"

static const struct tw_param used_slots_params[] = {
    ONE_LEVEL_SLOTS,
    {"bitmap",
     "1: a bit for each slot in use, so that jumps and next pass over empty slots (default: 0, "
     "slots are stepped "
     "through)",
     0, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

#define USED_WORD_BITS 6u
#define USED_WORD      (1u << USED_WORD_BITS)

static inline uint32_t used_words(uint64_t slots)
{
    return (uint32_t)((slots + USED_WORD - 1) >> USED_WORD_BITS);
}

static inline uint64_t used_slots_bytes(const struct tw_timers *timers)
{
    uint32_t words = used_words(slot_count(timers));
    return timers->used ? (words + used_words(words)) * sizeof(uint64_t) : 0;
}

/* Takes the bitmap if it is asked for.  The slots are laid out.  False when there is no memory. */
static bool used_slots_open(struct tw_timers *timers, const struct tw_config *config)
{
    const struct tw_setting *given = params_find(config, "bitmap");
    timers->is_bitmap_given = given != NULL;
    if (!given || given->values[0] == 0)
        return true;
    uint32_t words = used_words(slot_count(timers));
    timers->used = calloc(words + used_words(words), sizeof *timers->used);
    return timers->used != NULL;
}

/* Notes that the slot of a tick holds something. */
static inline void slot_mark(struct tw_timers *timers, tw_tick tick)
{
    if (__builtin_expect(timers->used == NULL, 1))
        return;
    uint32_t slot = (uint32_t)tick & timers->mask, word = slot >> USED_WORD_BITS;
    uint64_t *summary = timers->used + used_words(slot_count(timers));
    timers->used[word] |= UINT64_C(1) << slot % USED_WORD;
    summary[word >> USED_WORD_BITS] |= UINT64_C(1) << word % USED_WORD;
    TW_COUNT(timers, link_writes, 1);
}

/* The slot of that head was visited: takes its bit back if it is empty. */
static inline void slot_leave(struct tw_timers *timers, uint32_t head)
{
    if (!timers->used || !links_is_empty(timers->links, head))
        return;
    uint32_t slot = head - timers->slot_heads, word = slot >> USED_WORD_BITS;
    uint64_t *summary = timers->used + used_words(slot_count(timers));
    timers->used[word] &= ~(UINT64_C(1) << slot % USED_WORD);
    if (timers->used[word] == 0)
        summary[word >> USED_WORD_BITS] &= ~(UINT64_C(1) << word % USED_WORD);
}

/* The first marked slot from `slot` on; UINT32_MAX if there is none. */
static inline uint32_t used_from(const struct tw_timers *timers, uint32_t slot)
{
    uint32_t words = used_words(slot_count(timers)), word = slot >> USED_WORD_BITS;
    uint64_t marks = timers->used[word] & UINT64_MAX << slot % USED_WORD;
    if (marks == 0) {
        const uint64_t *summary = timers->used + words;
        uint32_t group = ++word >> USED_WORD_BITS, groups = used_words(words);
        if (group == groups)
            return UINT32_MAX;
        marks = summary[group] & UINT64_MAX << word % USED_WORD;
        while (marks == 0) {
            if (++group == groups)
                return UINT32_MAX;
            marks = summary[group];
        }
        word = group << USED_WORD_BITS | (uint32_t)__builtin_ctzll(marks);
        marks = timers->used[word];
    }
    return word << USED_WORD_BITS | (uint32_t)__builtin_ctzll(marks);
}

/* The first turn from the `turn`th tick after now on, of this revolution, on which a marked slot comes up; more than
 * there are slots if none does. */
__attribute__((noinline)) static uint64_t used_turn(const struct tw_timers *timers, uint64_t turn)
{
    if (turn > slot_count(timers))
        return turn;
    uint32_t from = (uint32_t)(timers->now + turn) & timers->mask;
    uint32_t slot = used_from(timers, from);
    if (slot == UINT32_MAX)
        slot = used_from(timers, 0);
    if (slot == UINT32_MAX)
        return slot_count(timers) + 1;
    turn += (slot - from) & timers->mask;
    return turn <= slot_count(timers) ? turn : slot_count(timers) + 1;
}

/* The same; without a bitmap each turn has to be looked at. */
static inline uint64_t turn_from(const struct tw_timers *timers, uint64_t turn)
{
    return __builtin_expect(timers->used == NULL, 1) ? turn : used_turn(timers, turn);
}

/* From one marked slot to the next, until the clock is at `to`, at most a revolution away. */
__attribute__((noinline)) static void used_slots_follow(struct tw_timers *timers, tw_tick to,
                                                        tw_expire_fn *expire, void *ctx)
{
    while (timers->now != to && timers->running > 0) {
        uint64_t turn = used_turn(timers, 1);
        if (turn > to - timers->now)
            break;
        uint32_t head = slot_head(timers, timers->now + turn);
        timers->now += turn - 1;
        clock_step(timers, expire, ctx);
        slot_leave(timers, head);
    }
    timers->now = timers->swept = to;
}

static void used_slots_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire,
                               void *ctx)
{
    if (to > timers->now && to - timers->now == 1)
        clock_step(timers, expire, ctx);
    else if (__builtin_expect(timers->used != NULL, 0) && to > timers->now &&
             to - timers->now <= slot_count(timers))
        used_slots_follow(timers, to, expire, ctx);
    else
        clock_move(timers, to, expire, ctx);
}

static void used_slots_describe(const struct tw_timers *timers, struct tw_description *out)
{
    one_level_describe(timers, out);
    if (timers->is_bitmap_given)
        out->settings[out->setting_count++] =
            (struct tw_setting){.name = "bitmap", .count = 1, .values = {timers->used != NULL}};
}

/* NULL, or how the marks fail to lead to each slot that holds something. */
static const char *used_slots_check(const struct tw_timers *timers)
{
    for (uint32_t slot = 0; timers->used && slot <= timers->mask; slot++)
        if (!links_is_empty(timers->links, timers->slot_heads + slot) &&
            used_from(timers, slot) != slot)
            return "a slot that holds something is not marked";
    uint32_t words = timers->used ? used_words(slot_count(timers)) : 0;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t group = timers->used[words + (word >> USED_WORD_BITS)];
        if ((timers->used[word] != 0) != (group >> word % USED_WORD & 1))
            return "a word of marks and its bit in the summary differ";
    }
    return NULL;
}

/* The rows of the table behind the traits: OPENED_open and OPENED_check, and of HELD, what a slot holds, the rest. */
#define USED_SLOTS_HOOKS(design, opened, held, starter)                                            \
    .params = used_slots_params, .open = opened##_open, .close = held##_close,                     \
    .start = starter##_start, .stop = starter##_stop, .advance = used_slots_advance,               \
    .next = held##_next, .visit = held##_visit, .check = opened##_check,                           \
    .footprint = held##_footprint, .describe = used_slots_describe, .work = design##_work

#endif
