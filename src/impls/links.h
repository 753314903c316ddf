/*
 * links.h - circular doubly linked lists over one array of 32-bit links: shared by the wheels.
 *
 * Timers and list heads live in the same index space, timers first: index `id` is the timer, the
 * indices from `capacity` on are heads.  A list is circular through its head, so linking and
 * unlinking take no branch and no pointer to the list; a timer costs 8 bytes of links, half of what
 * two pointers would, and that halves the cache lines a random stop has to fetch.
 *
 *     links[]   | timer 0 | timer 1 | ... | timer capacity-1 | head 0 | head 1 | ...
 *
 *     head 1 <-> timer 7 <-> timer 0 <-> head 1        appended at the tail: first come, first out
 *
 * Each link is read and written as two 32-bit halves on purpose: an 8-byte load soon after two
 * 4-byte stores would wait until these have left the store buffer.
 *
 * The idea is that of the doubly linked lists of Varghese & Lauck, section 3.2: a stop is given the
 * element itself and needs no search.
 */
#ifndef TWBENCH_LINKS_H
#define TWBENCH_LINKS_H

#include "design.h"

#include <stdlib.h>

/* Indexes of the neighbours in the same array. */
struct link {
    uint32_t prev, next;
};

/* `next` of a timer that is in no list. */
#define LINKS_IDLE UINT32_MAX

/* Counts the stores that linking and unlinking make. */
#define LINKS_APPEND_WRITES 4
#define LINKS_REMOVE_WRITES 2
#define LINKS_TAKE_WRITES   6

static inline bool links_is_idle(const struct link *links, uint32_t node)
{
    return links[node].next == LINKS_IDLE;
}

static inline bool links_is_empty(const struct link *links, uint32_t head)
{
    return links[head].next == head;
}

static inline void links_clear(struct link *links, uint32_t head)
{
    links[head].prev = head;
    links[head].next = head;
}

/* Links `node` in as the last of the list of `head`. */
static inline void links_append(struct link *links, uint32_t head, uint32_t node)
{
    uint32_t tail = links[head].prev;
    links[node].prev = tail;
    links[tail].next = node;
    links[node].next = head;
    links[head].prev = node;
}

/* Takes `node` out of whichever list it is in.  Its own links are left as they were: the caller
 * appends it elsewhere or sets it idle. */
static inline void links_remove(struct link *links, uint32_t node)
{
    uint32_t prev = links[node].prev, next = links[node].next;
    links[prev].next = next;
    links[next].prev = prev;
}

static inline void links_set_idle(struct link *links, uint32_t node)
{
    links[node].next = LINKS_IDLE;
}

/* Moves the whole list of `from`, which must not be empty, to `to`, which must be.  O(1). */
static inline void links_take(struct link *links, uint32_t from, uint32_t to)
{
    uint32_t prev = links[from].prev, next = links[from].next;
    links[to].prev = prev;
    links[prev].next = to;
    links[to].next = next;
    links[next].prev = to;
    links_clear(links, from);
}

/* Moves the whole list of `from`, which must not be empty, behind what is in that of `to`.  O(1). */
static inline void links_splice(struct link *links, uint32_t from, uint32_t to)
{
    uint32_t first = links[from].next, last = links[from].prev, tail = links[to].prev;
    links[tail].next = first;
    links[first].prev = tail;
    links[last].next = to;
    links[to].prev = last;
    links_clear(links, from);
}

/* An array for `capacity` idle timers and `heads` empty lists, to be freed by the caller; NULL when
 * there is no memory.  The sum of the two must be below LINKS_IDLE. */
static inline struct link *links_new(uint32_t capacity, uint32_t heads)
{
    struct link *links = malloc(((size_t)capacity + heads) * sizeof *links);
    if (!links)
        return NULL;
    for (uint32_t id = 0; id < capacity; id++)
        links[id] = (struct link){.next = LINKS_IDLE};
    for (uint32_t head = capacity; head < capacity + heads; head++)
        links_clear(links, head);
    return links;
}

/* DESIGN_allocate, DESIGN_close and DESIGN_footprint of a design that holds `links` of `ids` timers and `lists` heads,
 * and `dues` of the timers, and nothing else. */
#define LINKS_AND_DUES(design, ids, lists)                                                         \
    static bool design##_allocate(struct tw_timers *timers)                                        \
    {                                                                                              \
        timers->links = links_new(ids, lists);                                                     \
        timers->dues = malloc((ids) * sizeof *timers->dues);                                       \
        return timers->links && timers->dues;                                                      \
    }                                                                                              \
    static void design##_close(struct tw_timers *timers)                                           \
    {                                                                                              \
        free(timers->links);                                                                       \
        free(timers->dues);                                                                        \
        free(timers);                                                                              \
    }                                                                                              \
    static struct tw_footprint design##_footprint(const struct tw_timers *timers)                  \
    {                                                                                              \
        return (struct tw_footprint){                                                              \
            .fixed_bytes = sizeof *timers + (uint64_t)(lists) * sizeof(struct link),               \
            .capacity_bytes = (ids) * (uint64_t)(sizeof(struct link) + sizeof(tw_tick)),           \
        };                                                                                         \
    }                                                                                              \
    struct tw_timers

/* The first of the heads from `head` on whose ring is more than the head alone; `end` if there is none.  For
 * check and visit, which go through all lists: passing the empty ones is most of what they do. */
static inline uint32_t links_first_used(const struct link *links, uint32_t head, uint32_t end)
{
    while (head < end && links[head].prev == head && links[head].next == head)
        head++;
    return head;
}

/* Walks the list of `head` and adds its length to *length.  NULL, or what is wrong with it.  Ends
 * on any input: a timer that is met twice would need two different predecessors. */
static inline const char *links_check(const struct link *links, uint32_t capacity, uint32_t head,
                                      uint64_t *length)
{
    uint32_t node = head;
    for (;;) {
        uint32_t next = links[node].next;
        if (next != head && next >= capacity)
            return "a list leads to an idle timer or into another list";
        if (links[next].prev != node)
            return "a back link does not lead to the element before";
        if (next == head)
            return NULL;
        node = next;
        ++*length;
    }
}

/* How many of the timers are linked into some list. */
static inline uint64_t links_count(const struct link *links, uint32_t capacity)
{
    uint64_t count = 0;
    for (uint32_t id = 0; id < capacity; id++)
        count += !links_is_idle(links, id);
    return count;
}

/* The end of a check: `broken`, or what is wrong if the lists hold `held` timers. */
static inline const char *links_check_held(const struct link *links, uint32_t capacity,
                                           uint64_t held, uint32_t running, const char *broken)
{
    if (!broken && (held != running || links_count(links, capacity) != held))
        broken = "the lists do not hold exactly the running timers";
    return broken;
}

/* What a design knows of one list whose links are sound. */
typedef const char *list_check_fn(const struct tw_timers *timers, uint32_t head);

/* Both checks of all lists with heads from `head` to before `end`; `check` may be NULL. */
static inline const char *links_check_lists(const struct link *links, uint32_t capacity,
                                            uint32_t head, uint32_t end, uint64_t *held,
                                            const struct tw_timers *timers, list_check_fn *check)
{
    const char *broken = NULL;
    for (; !broken && (head = links_first_used(links, head, end)) < end; head++) {
        broken = links_check(links, capacity, head, held);
        if (!broken && check)
            broken = check(timers, head);
    }
    return broken;
}
#define links_check_all(links, capacity, end, held)                                                \
    links_check_lists(links, capacity, capacity, end, held, NULL, NULL)

/* Both checks of the list that holds `id`, whose head is before `end`. */
static inline const char *links_check_spot(const struct link *links, uint32_t capacity,
                                           uint32_t end, tw_id id, const struct tw_timers *timers,
                                           list_check_fn *check)
{
    uint64_t length = 0;
    uint32_t node = id, next = links[id].next;
    if (links_is_idle(links, id))
        return NULL;
    for (; next < capacity && next != id && links[next].prev == node; next = links[node].next)
        node = next;
    if (next < capacity || next >= end || links[next].prev != node)
        return "a timer is in a list without a head, or whose links do not agree";
    const char *broken = links_check(links, capacity, next, &length);
    return broken ? broken : check(timers, next);
}

/* DESIGN_spot, of a design whose list_check_fn is `check`. */
#define LINKS_SPOT(design, ids, end, check)                                                        \
    static const char *design##_spot(const struct tw_timers *timers, tw_id id)                     \
    {                                                                                              \
        return links_check_spot(timers->links, ids, end, id, timers, check);                       \
    }                                                                                              \
    struct tw_timers

#endif
