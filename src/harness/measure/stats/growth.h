/* growth.h - finds how a cost grows with n: an exponent, and the classes it may belong to.  Pure functions.
 *
 * THE EXPONENT is the slope of a straight line through (log n, log y), by least squares: y ~ n^slope
 * (Goldsmith, Aiken, Wilkerson, "Measuring Empirical Computational Complexity", FSE 2007).  Its 95 %
 * interval is the wider of two: Student's t on the scatter about the line, and what the intervals of
 * the single costs leave open, so that three noisy costs that happen to lie on a line do not look
 * certain.  No power is a logarithm, so the exponent alone cannot name a class.
 *
 * THE CLASSES.  Least squares on c * g(n), class by class, and the least residual wins: so do most
 * tools, and they always have an answer.  Here a class is asked whether it can be excluded.  Around
 * each cost lies a band: its interval, at least 5 % either way, because exact counts have terms of
 * lower order.  A class g is possible when some curve a + b g(n), a >= 0, passes through all bands
 * and is of that class in earnest: b g(n) makes up two thirds of it at the middle of the sweep,
 * the geometric mean of its ends (else every constant would be a logarithm too, and one step up, where
 * a cache ends, a square).  The misfit of a class is the factor by which the bands must
 * be widened until such a curve exists.  Classes with a misfit of 1 or below, or at most one and
 * a half times the least, are all possible; a least misfit above 10 fits no class.  A cost
 * that falls with n does not grow, and counts as O(1).
 *
 * It sees the sizes it is given and nothing beyond: a constant that hides a logarithm is O(1) there.
 */
#ifndef TWBENCH_GROWTH_H
#define TWBENCH_GROWTH_H

#include "harness/base/libc.h"
#include "impls/backend.h"

#define GROWTH_CLASSES 5
/* Distinct sizes without which nothing is said, and most points of one fit. */
#define GROWTH_SIZES_MIN  3
#define GROWTH_POINTS_MAX 64

/* A cost at one size; low = high = y when it is exact.  n >= 1. */
struct growth_point {
    double n, y, low, high;
};

enum growth_status {
    GROWTH_FITTED,
    GROWTH_ZERO,      /* every cost is 0: O(1), without an exponent */
    GROWTH_TOO_FEW,   /* fewer than GROWTH_SIZES_MIN sizes, or more than GROWTH_POINTS_MAX points */
    GROWTH_IMPOSSIBLE /* a size below 1, a cost below 0, or a number that is not finite */
};

struct growth_fit {
    enum growth_status status;
    /* Exponent and its 95 % interval; NaN when a cost is 0 or nothing was fitted. */
    double exponent, exponent_low, exponent_high;
    double misfit[GROWTH_CLASSES]; /* by enum tw_growth; NaN when nothing was fitted */
    unsigned
        classes; /* bit 1 << class for each that is possible; 0: none fits, or nothing fitted */
};

/* In any order of points.  O(points^2). */
struct growth_fit growth_fit(const struct growth_point *points, size_t count);

/* Does the cost grow at most as `bound`?  Where no class fits, the exponent decides against the
 * slope that the bound itself has over these sizes. */
enum growth_answer { GROWTH_HOLDS, GROWTH_BROKEN, GROWTH_UNDECIDED };
enum growth_answer growth_at_most(const struct growth_fit *fit, const struct growth_point *points,
                                  size_t count, enum tw_growth bound);

/* The lowest and the highest class of fit->classes, which must not be 0. */
enum tw_growth growth_lowest(const struct growth_fit *fit);
enum tw_growth growth_highest(const struct growth_fit *fit);

/* "O(n)", "O(1) or O(log n)", "O(1) to O(n)", "no class fits". */
void growth_name_classes(char *out, size_t size, const struct growth_fit *fit);

/* The curve a + b g(n), a and b >= 0, of that class with the least sum of squared relative errors:
 * for drawing, where the axes are logarithmic.  Costs of 0 have no relative error and are left out; false
 * when fewer than two others are there.  b = 0 for O(1). */
struct growth_curve {
    enum tw_growth class;
    double a, b;
};
bool growth_curve_fit(const struct growth_point *points, size_t count, enum tw_growth class,
                      struct growth_curve *out);
double growth_curve_at(const struct growth_curve *curve, double n);

/* "O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n^2)". */
const char *growth_class_name(enum tw_growth class);

#endif
