/*
 * limits.h - what a machine can do at best: the measures, their loops and samples, the document, and designs as multiples.
 *
 * Every design has to touch its timers, and no design touches them faster than these loops do.  What each means
 * for a timer, and where it is used, is in labs/advise/docs/LIMITS.md.
 */
#ifndef TWBENCH_LIMITS_H
#define TWBENCH_LIMITS_H

#include "harness/measure/run/cycles.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/progress.h"

#include <cjson/cJSON.h>

/* ---- Kinds and points. */

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
 * up to `null_max` timers, because a stream is larger than what it is about.  The caller frees it. */
struct limit_point *limit_points_make(const uint64_t *tasks, size_t count, uint64_t null_max,
                                      struct limit_pages pages, size_t *out_count);

/* ---- Lays out the nodes that `limits` measures over, and loops over them.
 *
 * HOW THE LOOPS STAY WHAT THEY ARE.  Each turn passes what it has loaded, or the memory it has written, through an
 * empty assembler statement: the compiler has to have it there at that moment, so it can neither drop a load
 * nor join turns into a vector, and it puts nothing in their place.  Numbers of nodes come from an array, which it cannot
 * foresee.  Every loop is a function of its own that is not inlined; `objdump -d --disassemble=limit_unlink
 * build/release/labs/advise/limits/limit_loops.o` shows what one is made of.
 */

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

/* ---- Measures one of the machine's limits once, in this process.
 *
 * After one stretch that is thrown away LIMIT_STRETCHES of them are timed, LIMIT_STRETCH_OPERATIONS operations each, by
 * the cycle counter; the median counts, so that an interrupt costs a stretch and not the figure.  A stretch begins when the core has
 * its full pace (pace.h), and one at whose end it is gone is taken again while the patience lasts.
 */

#define LIMIT_STRETCHES          15u
#define LIMIT_STRETCH_OPERATIONS 32768u

struct limit_task {
    struct limit_point
        point; /* of any kind but LIMIT_NULL_CALL, which is a pass of the replay loop */
    const uint32_t
        *order; /* a random permutation of 0 .. tasks - 1; NULL where there are no tasks */
    const struct cycles *cycles;
    double pace_ns; /* the core's full pace; 0: not waited for */
    uint64_t patience_ns;
};

struct limit_sample {
    double ns;              /* per operation */
    uint64_t retaken, slow; /* stretches taken again, and kept, though the core was slow */
    bool pages_known;       /* what the system says of the mapping: */
    uint64_t touched_bytes; /* that are there */
    uint64_t huge_bytes;    /* of these, on pages of 2 MiB */
};

/* OUTCOME_OK; or OUTCOME_OUT_OF_MEMORY or OUTCOME_UNSUPPORTED, with `reason` filled. */
enum outcome_status limit_sample_take(const struct limit_task *task, struct limit_sample *sample,
                                      char *reason, size_t reason_size);

/* The same as a job of the pool (JOB_OTHER), and what its report says. */
void limit_sample_job(const void *task, struct job_report *report);
struct limit_sample limit_sample_of(const struct job_report *report);

/* ---- All limits, measured side by side.
 *
 * In each round every point is sampled once by a fresh process of the pool, in an order shuffled anew, so that a drift of
 * the machine falls on all alike.  A point that fails once is not tried again.
 */

struct limit_result {
    struct limit_point point;
    enum outcome_status status;
    char reason[OUTCOME_COUNTERS_REASON]; /* empty when ok */
    size_t sample_count;
    double samples_ns[OUTCOME_SAMPLES_MAX]; /* per operation, one for each process */
    uint64_t retaken, slow;                 /* stretches of all samples */
    /* The least of all samples; not of LIMIT_NULL_CALL and LIMIT_BRANCH_MISS. */
    bool pages_known;
    uint64_t touched_bytes, huge_bytes;
};

struct limit_request {
    uint64_t runs; /* 1 .. OUTCOME_SAMPLES_MAX */
    uint64_t seed; /* of which node is where, and of the order of the points */
    const struct cycles *cycles;
    double pace_ns;
    uint64_t patience_ns;
    /* Of the null calls: the cell, and a stream for each number of tasks that a point of them has. */
    const struct plan_cell *null_cell;
    struct stream *const *streams;
    size_t stream_count;
    uint64_t min_time_ns;      /* work of one sample of them; see group_passes */
    struct progress *progress; /* NULL: none is shown */
};

/* Measures results[0 .. count), whose points are given and the rest zero.  The permutations that say which node is where are
 * kept meanwhile: 4 bytes for each node of each number of tasks.  DIAG_OK, POOL_INTERRUPTED - what was sampled until
 * then is there - or DIAG_RUN. */
int limit_rounds_run(struct pool *pool, const struct limit_request *request,
                     struct limit_result *results, size_t count, struct diag *diag);

/* ---- The whole. */

struct limits_request {
    const struct setup *setup;
    const uint64_t *tasks; /* numbers of nodes, each at least LIMIT_TASKS_MIN */
    size_t task_count;     /* 0: powers of ten from 1e3 to 1e7 */
    struct limit_pages pages;
};

/* Looks at the system (which takes 100 ms), warns, and measures in children, with progress on stderr.  The document
 * (limits_json.h) is the caller's.  DIAG_OK; POOL_INTERRUPTED, with a document of what was measured until then; or
 * another status without one. */
int limits_measure(const struct limits_request *request, cJSON **document, struct diag *diag);

/* ---- The document (labs/advise/schema/limits-1.json). */

/* How it was measured, beyond what the results say. */
struct limits_method {
    const struct setup *setup;                 /* runs, seed, memory, budget, patience */
    bool huge_pages;                           /* were asked for too */
    const char *null_workload;                 /* of which the null calls are */
    int pin_cpu;                               /* below 0: not pinned */
    double steal_share, busy_share, load_1min; /* meanwhile; NaN: not known */
    double seconds;                            /* it took */
};

/* `head` is a result's document, whose tool, machine and command are copied.  Results without a sample and
 * without a reason, which an interruption leaves, are left out.  The caller's. */
cJSON *limits_json(const struct limit_result *results, size_t count,
                   const struct limits_method *method, bool complete, const cJSON *head);

/* Reads a document; "-" is stdin.  DIAG_USAGE when it cannot be read, is not JSON or is none, with place or key. */
int limits_load(const char *path, cJSON **out, struct diag *diag);

/* ---- The points of a limits document (labs/advise/docs/LIMITS.md) as rows and columns: a row for each measure, size of node and
 * size of page, a column for each number of nodes.  Pointers go into the document, which must outlive the view.
 */

#define LIMITS_VIEW_MAX 64

struct limits_row {
    const char *limit; /* "dependent-load" */
    double node_bytes; /* 0: none */
    bool huge;
    bool has_tasks; /* false: one figure, that of column 0 */
};

struct limits_view {
    const cJSON *document;
    double tasks[LIMITS_VIEW_MAX]; /* ascending */
    size_t task_count;
    struct limits_row rows[LIMITS_VIEW_MAX]; /* in the order of the document */
    size_t row_count;
};

/* What is beyond LIMITS_VIEW_MAX is left out. */
struct limits_view limits_view_make(const cJSON *document);

/* NULL when there is no such point. */
const cJSON *limits_view_point(const struct limits_view *view, size_t row, size_t column);

/* "16 B", "-"; "4 KiB", "2 MiB". */
void limits_view_node(char *out, size_t size, const struct limits_row *row);
const char *limits_view_pages(const struct limits_row *row);

/* The median of a measure at so many nodes, on pages of 2 MiB or not: measured, or a straight line through its neighbours where
 * both axes are logarithmic; NaN outside of what was measured. */
double limits_ns_at(const cJSON *document, const char *limit, double node_bytes, bool huge,
                    double tasks);

/* Of what the points for huge pages touched, the share that was on huge pages: the least of all points; NaN when
 * none were asked for or nothing is known. */
double limits_huge_share(const cJSON *document);

/* The median of the one figure of a measure that has no nodes; NaN when there is none. */
double limits_single_ns(const cJSON *document, const char *limit, bool huge);

/* ---- What designs took, as multiples of what the machine can do at best (limits_multiple.c).  Pure functions over
 * documents.
 *
 * The limit of an operation in a phase is
 *
 *     (calls x harness + touches x touch) / operations
 *
 * calls        starts + stops + advances, each of which the harness has to make
 * harness      what a call costs with the design that does nothing, on the same stream: harness_ns_per_op of the cell
 * touches      timers that the phase touches at least: stops, and the larger of starts and expiries, because a
 *              start from a callback finds the timer in the cache that has just expired
 * touch        load and store of one word of a 16-byte node of so many, chosen at random: `load-store`; in a phase that only
 *              starts, and passes no tick, an append to one list: `start-one-list`.  On pages of 2 MiB where the cell's were
 * operations   starts + stops + expiries, by which the results divide too
 *
 * labs/advise/docs/LIMITS.md says what is wrong with that.
 */

#define LIMITS_NODE_BYTES 16

struct limits_multiple {
    double ns_per_op;  /* median of the design; NaN, as what follows: not known */
    double harness_ns; /* of one call */
    const char *touch; /* the measure */
    double touch_ns;   /* of one */
    double limit_ns;   /* per operation */
    double multiple;   /* ns_per_op / limit_ns */
};

/* Of one phase of a cell of a result. */
struct limits_multiple limits_multiple_of(const cJSON *limits, const cJSON *cell,
                                          const cJSON *phase);

/* Of every phase of every cell of the result that was timed: the value of `multiples` in labs/advise/docs/LIMITS.md.
 * `source` names the result.  The caller's. */
cJSON *limits_multiples_json(const cJSON *limits, const cJSON *result, const char *source);

#endif
