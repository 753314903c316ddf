/* changepoints.h - finds where the level of a series changes, by sums that move over it at several widths.
 *
 * MOSUM (Eichinger and Kirch, "A MOSUM procedure for the estimation of multiple random change points", Bernoulli 2018;
 * several widths as in Messer et al., Annals of Applied Statistics 2014).  At each place the means of the values before
 * and behind it differ by so many standard errors.  The clearest place counts, then the clearest between those that are
 * known, until none is clear.
 *
 * The standard error has to know that neighbours are alike, by a machine that drifts or has two speeds for hours each.
 * So the noise is an Allan deviation ("Statistics of atomic frequency standards", Proc. IEEE 1966): how much means of L
 * values differ from those of the next L, for several L; the L that gives most counts.  A quantile of the differences is
 * taken, because a change shows in 2 L of them: changes that are rare do not add to the noise, levels that come and go do.
 *
 * A value further off its neighbours' median than three standard deviations is moved there, so that neither it nor two of
 * them in a row are a level.  Values are compared by their logarithms: a step is a ratio.  Pure functions.
 */
#ifndef TWBENCH_CHANGEPOINTS_H
#define TWBENCH_CHANGEPOINTS_H

#include <stddef.h>

/* Fewest values on each side of a change.  A level that ends again needs six. */
#define CHANGEPOINTS_SHORTEST 3
/* Fewest values of a series in which a change can be significant at all. */
#define CHANGEPOINTS_VALUES_MIN 12
#define CHANGEPOINTS_WINDOW     80

struct change_point {
    size_t at;        /* first value of the new level */
    double ratio;     /* the new level over the old one: means of logarithms */
    double low, high; /* the ratio, give or take two standard errors */
};

/* Fills points[0 .. most) in order and returns how many there are.  values are above 0 and
 * finite; changes below `least` (0.01 is 1 % either way) are not told.  At most CHANGEPOINTS_WINDOW values on each side
 * of a change are looked at.  O(count * window) for each change. */
size_t changepoints_find(const double *values, size_t count, double least,
                         struct change_point *points, size_t most);

#endif
