/*
 * due_links.h - timers that have their due tick beside their links: shared by the wheels that look
 * at every timer of a list, and so want both on one cache line.
 *
 * The lists are those of links.h.  A timer takes two of its elements, of which the second holds the
 * due tick, and a list head takes one:
 *
 *     cells[]   | timer 0 : due 0 | timer 1 : due 1 | ... | head 0 | head 1 | ...
 *       index         0       1         2       3       2 x capacity
 *
 * Timer and due tick never share an element, so each is read and written as what it is.
 */
#ifndef TWBENCH_DUE_LINKS_H
#define TWBENCH_DUE_LINKS_H

#include "links.h"

union due_link {
    struct link link;
    tw_tick due;
};

/* What links.h works on. */
static inline struct link *due_links(union due_link *cells)
{
    return &cells->link;
}

static inline const struct link *due_links_const(const union due_link *cells)
{
    return &cells->link;
}

static inline uint32_t due_links_node(tw_id id)
{
    return 2 * id;
}

static inline tw_id due_links_id(uint32_t node)
{
    return node / 2;
}

/* The due tick of a running timer. */
static inline tw_tick due_links_due(const union due_link *cells, uint32_t node)
{
    return cells[node + 1].due;
}

static inline void due_links_set_due(union due_link *cells, uint32_t node, tw_tick due)
{
    cells[node + 1].due = due;
}

static inline uint64_t due_links_bytes(uint32_t capacity, uint64_t heads)
{
    return (2 * (uint64_t)capacity + heads) * sizeof(union due_link);
}

/* An array for `capacity` idle timers and `heads` empty lists, to be freed by the caller; NULL when
 * there is no memory.  All of it but the due ticks is written here, so no start meets a page for
 * the first time.  Twice the capacity and the heads must add up to less than LINKS_IDLE. */
static inline union due_link *due_links_new(uint32_t capacity, uint32_t heads)
{
    union due_link *cells = malloc(due_links_bytes(capacity, heads));
    if (!cells)
        return NULL;
    uint32_t first = due_links_node(capacity);
    for (uint32_t node = 0; node < first; node += 2)
        links_set_idle(due_links(cells), node);
    for (uint32_t head = first; head < first + heads; head++)
        links_clear(due_links(cells), head);
    return cells;
}

/* How many of the timers are linked into some list. */
static inline uint64_t due_links_count(const union due_link *cells, uint32_t capacity)
{
    uint64_t count = 0;
    for (tw_id id = 0; id < capacity; id++)
        count += !links_is_idle(due_links_const(cells), due_links_node(id));
    return count;
}

#endif
