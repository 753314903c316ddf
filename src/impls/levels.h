/*
 * levels.h - levels of slots in mixed radix: shared by the hierarchical wheels.
 *
 * A level is a ring of slots, each worth `unit` ticks, and a slot of one level is worth the whole
 * ring of the level below (or a part of it, as the design wants).  A slot of level 0 is one list; a
 * slot above is eight, its lanes, chosen by the timer's id: thousands of timers that leave a slot
 * are taken from the eight in turn with prefetches, so eight cache misses are under way at once
 * instead of one.  Which level a timer belongs to is the design's affair: it keeps `ends`, the tick
 * up to which each level takes timers.
 *
 * Divisions by a slot's worth are multiplications by its inverse, for all sizes alike.
 */
#ifndef TWBENCH_LEVELS_H
#define TWBENCH_LEVELS_H

#include "design.h"
#include "lanes.h"
#include "links.h"
#include "wide.h"

/* Three levels of this size already pass the 2^64 ticks of the clock, so no more than that can be
 * given, and their lists fit a 32-bit index space together with TW_CAPACITY_MAX timers. */
#define LEVEL_SIZE_MAX (UINT64_C(1) << 24)

struct level {
    tw_tick begin;      /* first tick of the ring's revolution that now lies in */
    tw_tick unit;       /* ticks that a slot is worth */
    uint64_t inverse;   /* 2^64 / unit, rounded down (1 less for a power of two) */
    tw_tick revolution; /* unit x size; TW_NEVER if that is more */
    uint32_t size;      /* slots of the ring */
    uint32_t heads;     /* index of the first list of slot 0 */
    uint32_t lane_bits; /* log2 of the lists per slot */
    uint32_t lane_mask; /* lists per slot - 1 */
};

/* The sum, or TW_NEVER if that is more. */
static inline tw_tick tick_add(tw_tick tick, tw_tick ticks)
{
    return ticks < TW_NEVER - tick ? tick + ticks : TW_NEVER;
}

/* The product, or TW_NEVER if that is more. */
static inline tw_tick tick_multiply(tw_tick ticks, uint64_t times)
{
    tw_tick product;
    return __builtin_mul_overflow(ticks, times, &product) ? TW_NEVER : product;
}

/* Slots between the begin of the level's revolution and a tick; size and more is the next one.  The
 * product with the inverse is the quotient or one less, so one comparison makes it exact. */
static inline uint64_t level_steps(const struct level *level, tw_tick tick)
{
    uint64_t offset = tick - level->begin;
    uint64_t quotient = wide_multiply(offset, level->inverse).high;
    return quotient + (offset - quotient * level->unit >= level->unit);
}

/* The first list of the slot so many steps from the begin of the revolution, below 2 x size. */
static inline uint32_t level_list(const struct level *level, uint64_t steps)
{
    uint64_t slot = steps >= level->size ? steps - level->size : steps;
    return level->heads + ((uint32_t)slot << level->lane_bits);
}

/* The list of a timer due at a tick within two revolutions from begin. */
static inline uint32_t level_list_of(const struct level *level, tw_id id, tw_tick due)
{
    return level_list(level, level_steps(level, due)) + (id & level->lane_mask);
}

/* The lowest level that ends after the due tick, or `top`.  Adding up comparisons costs less than
 * leaving a loop at a level that cannot be predicted. */
static inline uint32_t level_of(const tw_tick *ends, uint32_t top, tw_tick due)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < top; i++)
        level += due >= ends[i];
    return level;
}

/* The level that has a list. */
static inline uint32_t level_with(const struct level *levels, uint32_t top, uint32_t head)
{
    uint32_t level = 0;
    while (level < top && head >= levels[level + 1].heads)
        level++;
    return level;
}

/* The index behind the lists of a level. */
static inline uint32_t level_end(const struct level *level)
{
    return level->heads + (level->size << level->lane_bits);
}

static inline bool slot_is_empty(const struct link *links, const struct level *level, uint32_t list)
{
    for (uint32_t head = list; head <= list + level->lane_mask; head++)
        if (!links_is_empty(links, head))
            return false;
    return true;
}

/* The earliest due tick in a slot of `lanes` lists, TW_NEVER if it is empty. */
static inline tw_tick slot_earliest(const struct link *links, const tw_tick *dues, uint32_t list,
                                    uint32_t lanes)
{
    tw_tick earliest = TW_NEVER;
    for (uint32_t head = list; head < list + lanes; head++)
        for (uint32_t id = links[head].next; id != head; id = links[id].next)
            if (dues[id] < earliest)
                earliest = dues[id];
    return earliest;
}

/* The sizes asked for with "levels", or the size `first` and then as many of `other` as reach the
 * horizon: all of the clock when the horizon is 0. */
static inline void levels_resolve(const struct tw_config *config, tw_tick horizon, uint64_t first,
                                  uint64_t other, struct tw_setting *out)
{
    const struct tw_setting *given = params_find(config, "levels");
    if (given) {
        *out = *given;
        return;
    }
    uint64_t size = first;
    if (horizon == 0)
        horizon = TW_DEADLINE_MAX;
    for (out->count = 0; horizon > 1; size = other) {
        out->values[out->count++] = size;
        horizon = horizon / size + (horizon % size != 0);
    }
    if (out->count == 0)
        out->values[out->count++] = size;
}

/* Lays out levels in which a slot is worth `sizes` slots of the level below; a ring has `rings`
 * times as many.  The lists begin at index `head`, those of an upper slot a multiple of LANES after
 * it; sets *end to the index after them all.  A level whose slots are worth more than the clock can
 * count is refused: no timer could ever be in it.  That the last one reaches further than the clock
 * is fine. */
static inline int levels_lay_out(struct level *levels, const struct tw_setting *sizes,
                                 uint32_t rings, uint32_t head, uint32_t *end,
                                 struct tw_error *error)
{
    tw_tick unit = 1;
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (unit == TW_NEVER) {
            snprintf(error->text, sizeof error->text,
                     "levels: level %u cannot be reached; expected sizes whose product without the "
                     "last is below 2^64",
                     i + 1);
            return TW_BAD_SETTING;
        }
        uint32_t size = (uint32_t)sizes->values[i] * rings;
        levels[i] = (struct level){.unit = unit,
                                   .inverse = UINT64_MAX / unit,
                                   .revolution = tick_multiply(unit, size),
                                   .size = size,
                                   .heads = head,
                                   .lane_bits = i == 0 ? 0 : LANE_BITS,
                                   .lane_mask = i == 0 ? 0 : LANES - 1};
        head += i == 0 ? (size + LANES - 1) / LANES * LANES : size << LANE_BITS;
        unit = tick_multiply(unit, sizes->values[i]);
    }
    *end = head;
    return TW_OK;
}

/* Visits all timers, `running` of them, level by level: the levels after the last timer are not looked at. */
static inline void levels_visit(const struct level *levels, const struct link *links,
                                const tw_tick *dues, uint32_t running, tw_visit_fn *visit,
                                void *ctx)
{
    for (uint32_t index = 0; running > 0 && index < TW_VALUES_MAX; index++) {
        const struct level *level = &levels[index];
        uint32_t end = level->heads + (level->size << level->lane_bits);
        for (uint32_t head = level->heads; (head = links_first_used(links, head, end)) < end;
             head++)
            for (uint32_t id = links[head].next; id != head; id = links[id].next) {
                running -= running > 0;
                visit(ctx, &(struct tw_view){.id = id,
                                             .deadline = dues[id],
                                             .level = index,
                                             .slot = (head - level->heads) >> level->lane_bits});
            }
    }
}

#endif
