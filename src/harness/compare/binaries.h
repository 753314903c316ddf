/*
 * binaries.h - compares two programs, or two plugins, by running both here and now.
 *
 *     1. Each runs the matrix once: counts, instructions, memory, answers (results.h judges them).
 *     2. Pairs of fresh processes, interleaved with those of a copy of OLD, the control (blocks.h).
 *     3. What is inconclusive gets more pairs, once; what has regressed has to do so again on an
 *        independent series before it counts (gate_time.h).
 */
#ifndef TWBENCH_BINARIES_H
#define TWBENCH_BINARIES_H

#include "harness/compare/commands.h"
#include "harness/compare/comparison.h"

struct binaries_request {
    const char *before, *after; /* paths of the programs or plugins */
    const char *loader; /* of plugins: the program that loads them, and the matrix has no other
                                   design; NULL: they are programs */
    struct matrix matrix;
    uint64_t pairs, max_pairs; /* 0 pairs: no times */
    uint64_t budget_ns;        /* of one process */
    int cpu;                   /* below 0: not pinned */
    const struct limits *limits;
    const struct interrupt *interrupt;
    /* Told now and then: what is being done, and how much of it is done. */
    void (*progress)(void *ctx, const char *what, size_t done, size_t total);
    void *progress_ctx;
};

#define BINARIES_INTERRUPTED 1

/* Fills the comparison, up to but without comparison_conclude and what went on meanwhile.  DIAG_OK,
 * BINARIES_INTERRUPTED (the comparison holds what was found until then), DIAG_USAGE when a program is no
 * twbench or does not know what was asked, DIAG_RUN. */
int compare_binaries(const struct binaries_request *request, struct comparison *comparison,
                     struct diag *diag);

#endif
