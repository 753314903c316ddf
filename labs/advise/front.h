/*
 * front.h - the Pareto front: removes the candidates that another dominates, worse in something and better in nothing.
 *
 * "Do not differ significantly" is not transitive, so that three candidates may dominate each other in a ring.
 * They are removed one by one, the most expensive first, and only for one that is still there: so the front
 * is never empty.
 */
#ifndef TWBENCH_FRONT_H
#define TWBENCH_FRONT_H

#include "labs/advise/criteria.h"

#include <stdint.h>

/* Is `other` told to be better in something, worse in nothing, and `than` nowhere likely to be better? */
bool front_dominates(const struct contender *other, const struct contender *than);

#define FRONT_ITSELF SIZE_MAX

/* by[i]: FRONT_ITSELF when contender i is on the front; else one that dominates it, of the front where
 * one there does; of a contender of which nothing is known, its own index.  O(count^2) comparisons. */
void front_find(const struct contender *contenders, size_t count, size_t *by);

#endif
