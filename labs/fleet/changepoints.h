/* changepoints.h - finds where the level of a series changes: E-divisive with means.
 *
 * E-DIVISIVE (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis", JASA 2014; used by
 * MongoDB and Apache Otava for histories of benchmarks).  Of all places where a stretch can be split the one with the
 * greatest energy counts: distances between the halves less those within them.  The split is significant
 * when hardly any shuffled order of the same values has one with so much energy.  Then both halves are split again.
 *
 * A step down behind a step up hides both in a long stretch.  So the series is searched in windows that overlap,
 * and what they found is proved again between its neighbours; the least certain goes first.  Values are compared
 * by their logarithms: a step is a ratio.
 *
 * Shuffling is seeded: the same series has the same answer.  Pure functions.
 */
#ifndef TWBENCH_CHANGEPOINTS_H
#define TWBENCH_CHANGEPOINTS_H

#include <stddef.h>

/* Fewest values on each side of a change: a single value off the level is no change of level. */
#define CHANGEPOINTS_SHORTEST 3
/* Fewest values of a series in which a change can be significant at all. */
#define CHANGEPOINTS_VALUES_MIN 12
#define CHANGEPOINTS_WINDOW     80

struct change_point {
    size_t at;        /* first value of the new level */
    double ratio;     /* the new level over the old one: means of logarithms */
    double low, high; /* 95 % interval of the ratio: Student's t */
    double p;         /* share of shuffled orders with as clear a split; never below 1 / 2000 */
};

struct change_rules {
    double p;     /* most that is significant: 0.001 */
    double least; /* smallest change that is told: 0.01 is 1 % either way */
};

/* Fills points[0 .. most) in order and returns how many there are; SIZE_MAX without memory.  values are above 0
 * and finite.  At most CHANGEPOINTS_WINDOW values on each side of a change are looked at.  O(count * window * 2000)
 * where something changes, O(count * window * 20) where nothing does. */
size_t changepoints_find(const double *values, size_t count, const struct change_rules *rules,
                         struct change_point *points, size_t most);

#endif
