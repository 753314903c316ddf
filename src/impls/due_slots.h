/*
 * due_slots.h - slots in which timers of any revolution lie, each with its due tick: shared by
 * hashed.c and callwheel.c, which differ in how a slot fires.
 *
 * A design includes it behind its struct tw_timers, which has among its members those of used_slots.h
 * and
 *
 *     struct link *links;  timers, then the slots, then the list of the due
 *     tw_tick *dues;       of running timers
 */
#ifndef TWBENCH_DUE_SLOTS_H
#define TWBENCH_DUE_SLOTS_H

#include "links.h"
#include "used_slots.h"

/* The list that a timer with this due tick belongs to. */
static inline uint32_t list_of(const struct tw_timers *timers, tw_tick due)
{
    return __builtin_expect(due <= timers->swept, 0) ? timers->due_head : slot_head(timers, due);
}

/* Moves what is due by the swept tick from a slot to the list of the due. */
static void slot_collect(struct tw_timers *timers, uint32_t head)
{
    struct link *links = timers->links;
    for (uint32_t node = links[head].next, next; node != head; node = next) {
        next = links[node].next;
        TW_COUNT(timers, visits, 1);
        TW_COUNT(timers, comparisons, 1);
        if (timers->dues[node] > timers->swept)
            continue;
        links_remove(links, node);
        links_append(links, timers->due_head, node);
        TW_COUNT(timers, link_writes, LINKS_REMOVE_WRITES + LINKS_APPEND_WRITES);
    }
}

static void due_slots_close(struct tw_timers *timers)
{
    free(timers->links);
    free(timers->used);
    free(timers->dues);
    free(timers);
}

static struct tw_footprint due_slots_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){
        .fixed_bytes = sizeof *timers + (slot_count(timers) + 1) * sizeof(struct link) +
                       used_slots_bytes(timers),
        .capacity_bytes = timers->slot_heads * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),
    };
}

static int due_slots_open(struct tw_timers **out, const struct tw_config *config,
                          struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, used_slots_params, config, error);
    if (status != TW_OK)
        return status;
    one_level_lay_out(timers, config);
    timers->links = links_new(config->capacity, timers->mask + 2);
    timers->dues = malloc(config->capacity * sizeof *timers->dues);
    return open_end(out, timers, timers->links && timers->dues && used_slots_open(timers, config),
                    due_slots_footprint, due_slots_close, error);
}

/* Slots in the order of their turns; the first timer that is due at its slot's turn is the next. */
static tw_tick due_slots_next(const struct tw_timers *timers)
{
    tw_tick earliest = TW_NEVER;
    uint32_t seen = 0;
    for (uint64_t i = turn_from(timers, 1); seen < timers->running && earliest - timers->now >= i;
         i = turn_from(timers, i + 1)) {
        uint32_t head = slot_head(timers, timers->now + i);
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            seen++;
            if (timers->dues[id] < earliest)
                earliest = timers->dues[id];
        }
    }
    return earliest;
}

static void due_slots_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    for (uint32_t head = timers->slot_heads; head < timers->due_head; head++)
        for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
            tw_tick due = timers->dues[id];
            struct tw_view view = {
                .id = id,
                .deadline = due,
                .slot = head - timers->slot_heads,
                .rounds = (due - timers->now - 1) / slot_count(timers),
            };
            visit(ctx, &view);
        }
}

/* Invariants 3 and 4, for one slot whose links are known to be sound. */
static const char *slot_check(const struct tw_timers *timers, uint32_t head)
{
    for (uint32_t id = timers->links[head].next; id != head; id = timers->links[id].next) {
        if (slot_head(timers, timers->dues[id]) != head)
            return "a timer is not in the slot of its due tick";
        if (timers->dues[id] <= timers->now)
            return "a timer is still held after its due tick";
    }
    return NULL;
}

/* The invariants 1 to 5 that the two designs have in common, and those of the bitmap. */
static const char *due_slots_check(const struct tw_timers *timers)
{
    uint64_t held = 0;
    if (!links_is_empty(timers->links, timers->due_head) || timers->swept != timers->now)
        return "a timer was left on the list of the due";
    const char *broken = links_check_lists(timers->links, timers->slot_heads, timers->slot_heads,
                                           timers->due_head + 1, &held, timers, slot_check);
    broken = links_check_held(timers->links, timers->slot_heads, held, timers->running, broken);
    return broken ? broken : used_slots_check(timers);
}

#endif
