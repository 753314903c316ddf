/*
 * gate_tail.h - the tail gate: did single advances become slower, though no median shows it?
 *
 * It compares the own tails of both sides (measure/stats/histogram.h): of each phase the slowest calls, rank by rank, and
 * the longest call that every pass had.  A look finds a change or none; compare repeats a look that found one, in
 * fresh processes of both sides, before it says so.
 */
#ifndef TWBENCH_GATE_TAIL_H
#define TWBENCH_GATE_TAIL_H

#include "harness/compare/comparison.h"

/* Beside the limit, which is a share, so much has to be more: below it a call's time is a matter of caches. */
#define TAIL_FLOOR_NS 10000.0
/* Stored results were taken once and not side by side: twice of both.  And the longest call of every pass does not
 * count there: interrupts are in it, and how many there are differs from minute to minute. */
#define TAIL_STORED_FACTOR 2

/* So many repetitions, of which so many must find the same. */
#define TAIL_PAIRS 10
#define TAIL_AGREE 9
/* Cells that are repeated; further ones are inconclusive. */
#define TAIL_CELLS_MAX 8

/* Rank of the longest call of every pass, wherever it is. */
#define TAIL_WANDERS (-1)

struct tail_finding {
    bool known;           /* some phase has the own tail on both sides, of the same calls */
    enum verdict verdict; /* same, improved, regressed */
    size_t phase;
    int rank;      /* 0: the slowest call; TAIL_WANDERS */
    uint64_t call; /* of the slower side; not with TAIL_WANDERS */
    double before_ns, after_ns;
};

/* `before` and `after` are cells of results.  A call counts as slower when it takes more than the other side's of its
 * rank, times (1 + limit), times by how much the median advance is slower, and TAIL_FLOOR_NS more.  A change for the
 * worse goes before one for the better; of several the largest. */
struct tail_finding gate_tail_look(const cJSON *before, const cJSON *after, double limit);

/* Fills cell->tail by one look; without a limit it stays unknown.  `stored`: the cells are of stored results, and
 * nothing will be repeated. */
void gate_tail(struct compared_cell *cell, const cJSON *before, const cJSON *after,
               const struct limits *limits, bool stored);

/* Repetitions so far of a cell that was found changed. */
struct tail_repeats {
    struct tail_finding finding;
    size_t pairs, agreed;
    double before_ns, after_ns; /* the least of the looks that agree */
};

/* No pair yet; the two times begin as those of the finding. */
struct tail_repeats gate_tail_begin(const struct tail_finding *finding);
/* One more pair of cells.  False when no further pair can matter. */
bool gate_tail_repeat(struct tail_repeats *repeats, const cJSON *before, const cJSON *after,
                      double limit);
/* Says what came of it: the finding, or `same` when fewer than TAIL_AGREE of TAIL_PAIRS agreed. */
void gate_tail_conclude(struct compared_cell *cell, const struct tail_repeats *repeats,
                        double limit);

#endif
