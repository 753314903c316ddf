/* limit_loops.h - lays out the nodes that `limits` measures over, and loops over them.
 *
 * HOW THE LOOPS STAY WHAT THEY ARE.  Each turn passes what it has loaded, or the memory it has written, through an
 * empty assembler statement: the compiler has to have it there at that moment, so it can neither drop a load
 * nor join turns into a vector, and it puts nothing in their place.  Numbers of nodes come from an array, which it cannot
 * foresee.  Every loop is a function of its own that is not inlined; `objdump -d --disassemble=limit_unlink
 * build/release/labs/advise/limits/limit_loops.o` shows what one is made of.
 */
#ifndef TWBENCH_LIMIT_LOOPS_H
#define TWBENCH_LIMIT_LOOPS_H

#include "labs/advise/limits/limit_kinds.h"

/* A timer as a design with 32-bit links would have it. */
struct limit_node {
    uint32_t next, prev;
    uint64_t deadline; /* the loops count in it how often the node was written */
};

/* The nodes and the numbers of those to be touched, in one mapping.  Which nodes are chosen is uniform, and none
 * comes twice before all have come. */
struct limit_ground {
    unsigned char *nodes; /* tasks of them, node_bytes each, and a head for lists behind them */
    uint32_t *order;      /* order_count numbers of nodes */
    uint64_t tasks, order_count, bytes;
    unsigned node_bytes;
    const void *cursor;            /* of the chase */
    uint32_t cursors[LIMIT_LISTS]; /* along the lists */
    uint32_t
        tails[LIMIT_TABLE_HEADS]; /* of the lists that are appended to; tails[0] of the one list */
};

/* How many numbers a ground keeps at most: enough for all stretches of a sample. */
#define LIMIT_ORDER_MAX ((uint64_t)1 << 20)

/* Maps the ground, touches all of it and links its nodes as `point` wants; `order` is a random permutation of 0 ..
 * tasks - 1.  False without memory.  O(tasks), with a random access to memory each for what is linked at random. */
bool limit_ground_open(struct limit_ground *ground, const struct limit_point *point,
                       const uint32_t *order);
/* Gives the memory back. */
void limit_ground_close(struct limit_ground *ground);

/* Does the loop use nodes up, so that the ground is to be restored when all have come? */
bool limit_uses_up(enum limit_kind kind);
/* Undoes the first `done` operations since it was opened or restored. */
void limit_ground_restore(struct limit_ground *ground, enum limit_kind kind, uint64_t done);

/* Operations [first, first + count) of the kind, which has nodes; first + count <= limit_loop_room. */
void limit_loop(struct limit_ground *ground, enum limit_kind kind, uint64_t first, uint64_t count);
/* Operations until nodes come again. */
uint64_t limit_loop_room(const struct limit_ground *ground, enum limit_kind kind);

#endif
