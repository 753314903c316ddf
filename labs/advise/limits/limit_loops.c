/* limit_loops.c - runs the loops that `limits` times: loads, stores, unlinks. */
#include "labs/advise/limits/limits.h"

#include "harness/measure/run/arena.h"

#include <string.h>

/* See the header: what is loaded has to be there, what is written has to be written. */
#define KEEP(value)   __asm__ volatile("" : "+r"(value))
#define KEEP_MEMORY() __asm__ volatile("" : : : "memory")
#define LOOP          __attribute__((noinline))

#define NONE UINT32_MAX

/* ---- Loads, and loads with a store. ----------------------------------------------------------- */

LOOP static const void *limit_chase(const void *at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        at = *(const void *const *)at;
        KEEP(at);
    }
    return at;
}

/* With the size of a node as a constant, as a design has it: no multiplication. */
static inline __attribute__((always_inline)) void load_all(const unsigned char *nodes,
                                                           const uint32_t *order, uint64_t count,
                                                           size_t node_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = *(const uint64_t *)(const void *)(nodes + order[i] * node_bytes);
        KEEP(word);
    }
}

static inline __attribute__((always_inline)) void store_all(unsigned char *nodes,
                                                            const uint32_t *order, uint64_t count,
                                                            size_t node_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        ++*(uint64_t *)(void *)(nodes + order[i] * node_bytes);
        KEEP_MEMORY();
    }
}

LOOP static void limit_load(const unsigned char *nodes, const uint32_t *order, uint64_t count,
                            unsigned node_bytes)
{
    if (node_bytes == 8)
        load_all(nodes, order, count, 8);
    else if (node_bytes == 16)
        load_all(nodes, order, count, 16);
    else
        load_all(nodes, order, count, 64);
}

LOOP static void limit_load_store(unsigned char *nodes, const uint32_t *order, uint64_t count,
                                  unsigned node_bytes)
{
    if (node_bytes == 8)
        store_all(nodes, order, count, 8);
    else if (node_bytes == 16)
        store_all(nodes, order, count, 16);
    else
        store_all(nodes, order, count, 64);
}

/* The store hits the nearest cache; only where it goes is known late, when the node has come.  A core that lets no
 * load pass a store with an unknown address waits for each node in turn. */
LOOP static void limit_late_store(const struct limit_node *nodes, uint32_t *table,
                                  const uint32_t *order, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        table[nodes[order[i]].next % LIMIT_TABLE_HEADS] = (uint32_t)i;
        KEEP_MEMORY();
    }
}

/* ---- Lists. ------------------------------------------------------------------------------------ */

/* A stop also has to leave word that the timer is idle: a store to a node whose line is there already. */
LOOP static void limit_unlink(struct limit_node *nodes, const uint32_t *order, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct limit_node *node = &nodes[order[i]];
        uint32_t next = node->next, prev = node->prev;
        nodes[next].prev = prev;
        nodes[prev].next = next;
        node->deadline = i;
        KEEP_MEMORY();
    }
}

LOOP static uint32_t limit_start_one(struct limit_node *nodes, uint32_t tail, uint32_t first,
                                     uint64_t count)
{
    for (uint32_t id = first; id < first + count; id++) {
        nodes[id] = (struct limit_node){.next = NONE, .prev = tail, .deadline = id};
        nodes[tail].next = id;
        tail = id;
        KEEP_MEMORY();
    }
    return tail;
}

/* `order` stands for the slots of random deadlines. */
LOOP static void limit_start_table(struct limit_node *nodes, uint32_t *tails, const uint32_t *order,
                                   uint32_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = first + (uint32_t)i, *tail = &tails[order[i] % LIMIT_TABLE_HEADS];
        nodes[id] = (struct limit_node){.next = NONE, .prev = *tail, .deadline = id};
        nodes[*tail].next = id;
        *tail = id;
        KEEP_MEMORY();
    }
}

LOOP static uint32_t limit_expire_one(struct limit_node *nodes, uint32_t at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct limit_node *node = &nodes[at];
        at = node->next;
        node->deadline++;
        KEEP_MEMORY();
    }
    return at;
}

/* While one list waits for its next node the other seven go on. */
LOOP static void limit_expire_eight(struct limit_node *nodes, uint32_t cursors[LIMIT_LISTS],
                                    uint64_t count)
{
    for (uint64_t i = 0; i < count; i += LIMIT_LISTS)
        for (unsigned list = 0; list < LIMIT_LISTS; list++) {
            struct limit_node *node = &nodes[cursors[list]];
            uint32_t next = node->next;
            __builtin_prefetch(&nodes[next]);
            node->deadline++;
            cursors[list] = next;
            KEEP_MEMORY();
        }
}

/* ---- Linking. --------------------------------------------------------------------------------- */

static struct limit_node *ground_lists(const struct limit_ground *ground)
{
    return (struct limit_node *)(void *)ground->nodes;
}

/* Nodes that are linked in random order are fetched so far ahead: each would wait for memory by itself. */
#define LINK_AHEAD 16

static void fetch_ahead(const struct limit_ground *ground, const uint32_t *order, uint64_t i)
{
    if (order && i + LINK_AHEAD < ground->tasks)
        __builtin_prefetch(ground->nodes + order[i + LINK_AHEAD] * (size_t)ground->node_bytes, 1);
}

static void link_chase(struct limit_ground *ground, const uint32_t *order)
{
    size_t node_bytes = ground->node_bytes;
    for (uint64_t i = 0; i < ground->tasks; i++) {
        uint32_t next = order[i + 1 < ground->tasks ? i + 1 : 0];
        fetch_ahead(ground, order, i);
        *(const void **)(void *)(ground->nodes + order[i] * node_bytes) =
            ground->nodes + next * node_bytes;
    }
    ground->cursor = ground->nodes + order[0] * node_bytes;
}

/* The head, behind the nodes, closes the ring.  `order` NULL: in order of the numbers. */
static void link_doubly(struct limit_ground *ground, const uint32_t *order)
{
    struct limit_node *nodes = ground_lists(ground);
    uint32_t head = (uint32_t)ground->tasks, last = head;
    for (uint32_t i = 0; i < ground->tasks; i++) {
        uint32_t id = order ? order[i] : i;
        fetch_ahead(ground, order, i);
        nodes[last].next = id;
        nodes[id].prev = last;
        last = id;
    }
    nodes[last].next = head;
    nodes[head].prev = last;
}

/* Rings of equal length; the nodes that are too many for that are in none. */
static void link_rings(struct limit_ground *ground, const uint32_t *order, unsigned rings)
{
    struct limit_node *nodes = ground_lists(ground);
    uint64_t count = ground->tasks / rings * rings;
    for (uint64_t i = 0; i < count; i++) {
        fetch_ahead(ground, order, i);
        nodes[order[i]].next = order[i + rings < count ? i + rings : i + rings - count];
    }
    for (unsigned ring = 0; ring < rings; ring++)
        ground->cursors[ring] = order[ring];
}

/* Which nodes are unlinked must have nothing to do with where they are in the list: node order[j] is the j-th
 * there, so that of order[order[i]] is a random one. */
static void choose_nodes(struct limit_ground *ground, enum limit_kind kind, const uint32_t *order)
{
    if (kind == LIMIT_UNLINK_FAR)
        for (uint64_t i = 0; i < ground->order_count; i++)
            ground->order[i] = order[order[i]];
    else
        memcpy(ground->order, order, ground->order_count * sizeof *order);
}

static void link_nodes(struct limit_ground *ground, enum limit_kind kind, const uint32_t *order)
{
    if (kind == LIMIT_DEPENDENT_LOAD)
        link_chase(ground, order);
    else if (kind == LIMIT_UNLINK_NEAR || kind == LIMIT_UNLINK_FAR)
        link_doubly(ground, kind == LIMIT_UNLINK_FAR ? order : NULL);
    else if (kind == LIMIT_EXPIRE_ONE || kind == LIMIT_EXPIRE_EIGHT)
        link_rings(ground, order, kind == LIMIT_EXPIRE_ONE ? 1 : LIMIT_LISTS);
    else if (kind == LIMIT_LATE_STORE)
        for (uint64_t i = 0; i < ground->tasks; i++)
            ground_lists(ground)[i].next = order[i];
    else if (kind == LIMIT_START_ONE || kind == LIMIT_START_TABLE)
        for (size_t i = 0; i < LIMIT_TABLE_HEADS; i++)
            ground->tails[i] = (uint32_t)ground->tasks;
}

bool limit_ground_open(struct limit_ground *ground, const struct limit_point *point,
                       const uint32_t *order)
{
    uint64_t tasks = point->tasks;
    uint64_t nodes_bytes = (tasks + 1) * point->node_bytes;
    nodes_bytes = (nodes_bytes + 63) / 64 * 64;
    *ground = (struct limit_ground){
        .tasks = tasks,
        .order_count = tasks < LIMIT_ORDER_MAX ? tasks : LIMIT_ORDER_MAX,
        .node_bytes = point->node_bytes,
    };
    ground->bytes = nodes_bytes + ground->order_count * sizeof *ground->order;
    ground->nodes = hugepages_map(ground->bytes, point->huge);
    if (!ground->nodes)
        return false;
    memset(ground->nodes, 0, nodes_bytes);
    ground->order = (uint32_t *)(void *)(ground->nodes + nodes_bytes);
    choose_nodes(ground, point->kind, order);
    link_nodes(ground, point->kind, order);
    return true;
}

void limit_ground_close(struct limit_ground *ground)
{
    hugepages_unmap(ground->nodes, ground->bytes);
}

/* ---- From kinds to loops. ---------------------------------------------------------------------- */

bool limit_uses_up(enum limit_kind kind)
{
    return kind == LIMIT_UNLINK_NEAR || kind == LIMIT_UNLINK_FAR;
}

/* Links that a node has kept lead back to where it was, in the reverse order (Knuth, "Dancing Links", 2000). */
void limit_ground_restore(struct limit_ground *ground, enum limit_kind kind, uint64_t done)
{
    struct limit_node *nodes = ground_lists(ground);
    for (uint64_t i = done; limit_uses_up(kind) && i > 0; i--) {
        uint32_t id = ground->order[i - 1];
        nodes[nodes[id].next].prev = id;
        nodes[nodes[id].prev].next = id;
    }
}

static bool limit_goes_round(enum limit_kind kind)
{
    return kind == LIMIT_DEPENDENT_LOAD || kind == LIMIT_EXPIRE_ONE || kind == LIMIT_EXPIRE_EIGHT;
}

uint64_t limit_loop_room(const struct limit_ground *ground, enum limit_kind kind)
{
    return limit_goes_round(kind) ? UINT64_MAX : ground->order_count;
}

void limit_loop(struct limit_ground *ground, enum limit_kind kind, uint64_t first, uint64_t count)
{
    struct limit_node *nodes = ground_lists(ground);
    const uint32_t *order = ground->order + (limit_goes_round(kind) ? 0 : first);
    if (kind == LIMIT_DEPENDENT_LOAD)
        ground->cursor = limit_chase(ground->cursor, count);
    else if (kind == LIMIT_INDEPENDENT_LOAD)
        limit_load(ground->nodes, order, count, ground->node_bytes);
    else if (kind == LIMIT_LOAD_STORE)
        limit_load_store(ground->nodes, order, count, ground->node_bytes);
    else if (kind == LIMIT_LATE_STORE)
        limit_late_store(nodes, ground->tails, order, count);
    else if (limit_uses_up(kind))
        limit_unlink(nodes, order, count);
    else if (kind == LIMIT_START_ONE)
        ground->tails[0] = limit_start_one(nodes, ground->tails[0], (uint32_t)first, count);
    else if (kind == LIMIT_START_TABLE)
        limit_start_table(nodes, ground->tails, order, (uint32_t)first, count);
    else if (kind == LIMIT_EXPIRE_ONE)
        ground->cursors[0] = limit_expire_one(nodes, ground->cursors[0], count);
    else if (kind == LIMIT_EXPIRE_EIGHT)
        limit_expire_eight(nodes, ground->cursors, count);
}
