/* limit_kinds.h - what a machine can do at best: the measures, each a loop of nothing but that.
 *
 * Every design has to touch its timers, and no design touches them faster than these loops do.  What each means
 * for a timer, and where it is used, is in labs/advise/docs/LIMITS.md.
 */
#ifndef TWBENCH_LIMIT_KINDS_H
#define TWBENCH_LIMIT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit_kind {
    LIMIT_DEPENDENT_LOAD,   /* a chase along a random cycle through all nodes */
    LIMIT_INDEPENDENT_LOAD, /* random nodes, whose numbers are known ahead */
    LIMIT_LOAD_STORE,       /* the same, and one word of each written */
    LIMIT_LATE_STORE,       /* random nodes loaded, and a store to where each of them tells */
    LIMIT_UNLINK_NEAR,      /* random nodes out of a doubly linked list in order of their numbers */
    LIMIT_UNLINK_FAR,       /* the same out of one in random order: neighbours are anywhere */
    LIMIT_START_ONE,        /* node after node appended to one list */
    LIMIT_START_TABLE,  /* node after node appended to a random one of LIMIT_TABLE_HEADS lists */
    LIMIT_EXPIRE_ONE,   /* along one list in random order, one word of each written */
    LIMIT_EXPIRE_EIGHT, /* along eight such lists in turn, the next nodes prefetched */
    LIMIT_NULL_CALL,    /* the replay loop over the design that does nothing */
    LIMIT_BRANCH_MISS,  /* a mispredicted branch, over a predicted one */
    LIMIT_PAGE_FAULT,   /* the first touch of a page */
    LIMIT_KINDS
};

/* 4-byte heads that fit the nearest cache. */
#define LIMIT_TABLE_HEADS 4096u
#define LIMIT_LISTS       8u

/* Fewer nodes are no cycle worth its name. */
#define LIMIT_TASKS_MIN 64u

/* Word used in JSON and on the axes: "dependent-load". */
const char *limit_kind_name(enum limit_kind kind);

/* A measure, with what it is taken over. */
struct limit_point {
    enum limit_kind kind;
    uint64_t tasks;      /* nodes, or timers of the stream; 0: there are none */
    unsigned node_bytes; /* 8, 16 or 64; 0: there are no nodes */
    bool huge;           /* 2 MiB pages are asked for */
};

/* Of all nodes together; 0 where there are none. */
uint64_t limit_footprint_bytes(const struct limit_point *point);

/* Which pages the nodes are to lie on: one of them, or both. */
struct limit_pages {
    bool small, huge;
};

/* Every point there is for these numbers of nodes, by kind, then node, then pages, then number; null calls only
 * up to `null_max` timers, because a stream is larger than what it is about.  The owner frees *out.  False
 * without memory. */
bool limit_points_make(const uint64_t *tasks, size_t count, uint64_t null_max,
                       struct limit_pages pages, struct limit_point **out, size_t *out_count);

#endif
