/*
 * sweep.h - how costs grow over the sizes of a document, and claims about it.
 *
 * A sweep is one design with the same settings asked for, on one workload with one tick, over at
 * least GROWTH_SIZES_MIN numbers of tasks.  A phase tells of an operation when it has no other kind:
 *
 *     start    only starts                        work and time per start
 *     stop     only stops                         per stop
 *     expire   expiries, on no more ticks         per expiry
 *     tick     advances on which nothing fires    per advance
 *
 * (Where ticks outnumber the expiries, as with few timers and long delays, the phase tells of ticks
 * that are mostly empty, and of neither operation.)  The count that stands for an operation is comparisons + visits + moves + link_writes.  Classes are
 * those of measure/stats/growth.h: from counts, which are the same everywhere, and from times, which know
 * the caches of one machine.
 */
#ifndef TWBENCH_SWEEP_H
#define TWBENCH_SWEEP_H

#include "harness/measure/stats/growth.h"
#include "harness/tell/result/document.h"

/* As above. */
enum sweep_operation { SWEEP_START, SWEEP_STOP, SWEEP_EXPIRE, SWEEP_TICK, SWEEP_OPERATIONS };

#define SWEEP_NAME_SIZE 64

/* "heap.start<=O(log n)": blanks may stand between the parts, the case of the class is as here. */
struct sweep_claim {
    const char *text; /* as given; not copied */
    char impl[SWEEP_NAME_SIZE];
    enum sweep_operation operation;
    enum tw_growth bound;
};

/* DIAG_USAGE names `what` (the flag), the text, the column and what was expected there. */
int sweep_parse_claim(const char *text, const char *what, struct sweep_claim *out,
                      struct diag *diag);

/* Holds each sweep of the design and operation to the claim, by counts: GROWTH_BROKEN when one
 * breaks it, else GROWTH_UNDECIDED when one cannot tell.  DIAG_USAGE when the document has no such
 * sweep.  `diag` is also filled when the claim does not hold, with what was found. */
int sweep_check_claim(const struct result_document *document, const struct sweep_claim *claim,
                      const char *what, enum growth_answer *answer, struct diag *diag);

#endif
