/*
 * sizes.h - the sizes at which the answer changes, read off what was measured at several of them.
 *
 * From the load's own size outwards: as long as the answer is not told to be worse than the best at a
 * size, it stays the answer there.  Where it is, the best of that size takes over, and the change lies in
 * between (crossing.h).
 */
#ifndef TWBENCH_SIZES_H
#define TWBENCH_SIZES_H

#include "labs/advise/crossing.h"
#include "labs/advise/evidence.h"

#define SIZES_CHANGES_MAX 8

struct size_change {
    size_t below, above; /* candidates: the answer at smaller sizes, at larger ones */
    /* Not found: at `told` one of them is told to be better, at none the other. */
    struct crossing crossing;
    uint64_t told;
    size_t point_count;
    struct crossing_point points[EVIDENCE_SIZES_MAX]; /* sizes at which both were measured */
};

/* From the smallest to the largest; answers how many.  None without an answer at the load's own size.
 * `scratch` is for the fields at each size. */
size_t sizes_find(const struct advice_evidence *evidence, struct field *scratch,
                  struct size_change out[SIZES_CHANGES_MAX]);

/* Where to measure next, so that the widest interval of the changes becomes narrower, and for which of
 * them: its index in *change.  0 when all are as narrow as `ratio` (high / low), or nothing lies between. */
uint64_t sizes_refine(const struct size_change *changes, size_t count, double ratio,
                      size_t *change);

#endif
