/* growth.c - fits growth classes to measured points. */
#include "harness/measure/stats/growth.h"

#include <math.h>

#define BAND_LEAST  0.05 /* relative half-width of every band */
#define SHARE_LEAST (2.0 / 3)
#define MISFIT_TIES 1.5
#define MISFIT_MAX  10.0
#define WIDEST      1e6 /* no class of five is off by more, within 64-bit counts */
#define NORMAL_975  1.959964

const char *growth_class_name(enum tw_growth class)
{
    static const char *const names[GROWTH_CLASSES] = {
        [TW_O_1] = "O(1)",    [TW_O_LOG_N] = "O(log n)",
        [TW_O_N] = "O(n)",    [TW_O_N_LOG_N] = "O(n log n)",
        [TW_O_N2] = "O(n^2)",
    };
    return names[class];
}

static double class_value(enum tw_growth class, double n)
{
    switch (class) {
    case TW_O_1:
        return 1;
    case TW_O_LOG_N:
        return log2(n);
    case TW_O_N:
        return n;
    case TW_O_N_LOG_N:
        return n * log2(n);
    case TW_O_N2:
        break;
    }
    return n * n;
}

/* ---- The input. ------------------------------------------------------------------------------ */

static bool is_possible(const struct growth_point *point)
{
    return isfinite(point->n) && point->n >= 1 && isfinite(point->y) && point->y >= 0 &&
           isfinite(point->low) && isfinite(point->high) && point->low <= point->y &&
           point->y <= point->high;
}

static size_t distinct_sizes(const struct growth_point *points, size_t count)
{
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < i && points[before].n != points[i].n)
            before++;
        distinct += before == i;
    }
    return distinct;
}

static enum growth_status judge_input(const struct growth_point *points, size_t count)
{
    bool zero = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_possible(&points[i]))
            return GROWTH_IMPOSSIBLE;
        zero = zero && points[i].y == 0;
    }
    if (count > GROWTH_POINTS_MAX || distinct_sizes(points, count) < GROWTH_SIZES_MIN)
        return GROWTH_TOO_FEW;
    return zero ? GROWTH_ZERO : GROWTH_FITTED;
}

/* ---- The exponent. --------------------------------------------------------------------------- */

/* The 97.5 % quantile of Student's t; beyond the table the first terms of its expansion about the
 * normal quantile (Cornish and Fisher), which are right to three digits there. */
static double growth_student_975(size_t freedom)
{
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
                                   2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
    if (freedom >= 1 && freedom <= sizeof table / sizeof *table)
        return table[freedom - 1];
    double z = NORMAL_975;
    return z + (z * z * z + z) / (4 * (double)freedom);
}

struct line {
    double slope, mean_x, mean_y, spread; /* spread: sum of (x - mean_x)^2 */
};

static struct line line_through(const struct growth_point *points, size_t count)
{
    struct line line = {0, 0, 0, 0};
    double together = 0;
    for (size_t i = 0; i < count; i++) {
        line.mean_x += log(points[i].n) / (double)count;
        line.mean_y += log(points[i].y) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double x = log(points[i].n) - line.mean_x;
        line.spread += x * x;
        together += x * (log(points[i].y) - line.mean_y);
    }
    line.slope = together / line.spread;
    return line;
}

/* Half of the interval of the slope. */
static double slope_margin(const struct line *line, const struct growth_point *points, size_t count)
{
    double residuals = 0, inherited = 0;
    for (size_t i = 0; i < count; i++) {
        double x = log(points[i].n) - line->mean_x;
        double residual = log(points[i].y) - line->mean_y - line->slope * x;
        /* Up and down on a scale of logarithms; an interval down to 0 counts by its upper part. */
        double up = log(points[i].high / points[i].y);
        double down = points[i].low > 0 ? log(points[i].y / points[i].low) : up;
        double half = fmax(up, down);
        residuals += residual * residual;
        inherited += x * x * half * half;
    }
    double freedom = (double)count - 2;
    double scatter = growth_student_975(count - 2) * sqrt(residuals / freedom / line->spread);
    return fmax(scatter, sqrt(inherited) / line->spread);
}

static void fit_exponent(struct growth_fit *fit, const struct growth_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].y == 0)
            return;
    struct line line = line_through(points, count);
    double margin = slope_margin(&line, points, count);
    fit->exponent = line.slope;
    fit->exponent_low = line.slope - margin;
    fit->exponent_high = line.slope + margin;
}

/* ---- The classes. ---------------------------------------------------------------------------- */

/* A band: the cost is somewhere from y / down to y * up; `up` and `down` grow with the misfit. */
struct band {
    double n, y, up, down; /* relative half-widths at a misfit of 1 */
};

static void make_bands(struct band *bands, const struct growth_point *points, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (points[i].y > 0)
            least = fmin(least, points[i].y);
    for (size_t i = 0; i < count; i++) {
        const struct growth_point *point = &points[i];
        double up = point->y > 0 ? point->high / point->y - 1 : 0;
        double down = point->low > 0 ? point->y / point->low - 1 : up;
        bands[i] = (struct band){point->n, point->y, fmax(up, BAND_LEAST), fmax(down, BAND_LEAST)};
        /* Nothing counted: less than a part of what was counted elsewhere. */
        if (point->y == 0)
            bands[i] = (struct band){point->n, 0, BAND_LEAST * least, 0};
    }
}

static double band_low(const struct band *band, double widening)
{
    return band->y / (1 + widening * band->down);
}

static double band_high(const struct band *band, double widening)
{
    return band->y > 0 ? band->y * (1 + widening * band->up) : widening * band->up;
}

static bool constant_passes(const struct band *bands, size_t count, double widening)
{
    double low = 0, high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmax(low, band_low(&bands[i], widening));
        high = fmin(high, band_high(&bands[i], widening));
    }
    return low <= high;
}

/* Keeps the part of [*b_low, *b_high] on which  floor - b floor_g <= ceiling - b ceiling_g. */
static void keep_slopes(double *b_low, double *b_high, double floor, double floor_g, double ceiling,
                        double ceiling_g)
{
    double room = ceiling - floor, per_b = ceiling_g - floor_g;
    if (per_b > 0)
        *b_high = fmin(*b_high, room / per_b);
    else if (per_b < 0)
        *b_low = fmax(*b_low, room / per_b);
    else if (room < 0)
        *b_low = INFINITY;
}

/* Is there a curve a + b g?  For a given b, the constant a lies above 0 and every low - b g, and
 * below every high - b g and what the share leaves of b g(middle n).  Each pair of one of the
 * former and one of the latter bounds b (the elimination of Fourier and Motzkin). */
static bool curve_passes(const struct band *bands, size_t count, enum tw_growth class,
                         double widening)
{
    double least_n = INFINITY, largest_n = 0, b_low = 0, b_high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        least_n = fmin(least_n, bands[i].n);
        largest_n = fmax(largest_n, bands[i].n);
    }
    double middle_g = class_value(class, sqrt(least_n * largest_n));
    double share_g = -middle_g * (1 - SHARE_LEAST) / SHARE_LEAST;
    for (size_t i = 0; i < count; i++) {
        double g = class_value(class, bands[i].n);
        keep_slopes(&b_low, &b_high, band_low(&bands[i], widening), g, 0, share_g);
        keep_slopes(&b_low, &b_high, 0, 0, band_high(&bands[i], widening), g);
        for (size_t j = 0; j < count; j++)
            keep_slopes(&b_low, &b_high, band_low(&bands[i], widening), g,
                        band_high(&bands[j], widening), class_value(class, bands[j].n));
    }
    return b_low <= b_high;
}

static bool class_passes(const struct band *bands, size_t count, enum tw_growth class,
                         double widening)
{
    return class == TW_O_1 ? constant_passes(bands, count, widening)
                           : curve_passes(bands, count, class, widening);
}

/* What passes through a band passes through a wider one, so halving finds the least widening. */
static double class_misfit(const struct band *bands, size_t count, enum tw_growth class)
{
    double low = 1e-3, high = WIDEST;
    while (high / low > 1.001) {
        double middle = sqrt(low * high);
        if (class_passes(bands, count, class, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void fit_classes(struct growth_fit *fit, const struct growth_point *points, size_t count)
{
    struct band bands[GROWTH_POINTS_MAX];
    make_bands(bands, points, count);
    double least = INFINITY;
    for (unsigned class = 0; class < GROWTH_CLASSES; class ++) {
        fit->misfit[class] = class_misfit(bands, count, (enum tw_growth) class);
        least = fmin(least, fit->misfit[class]);
    }
    for (unsigned class = 0; class < GROWTH_CLASSES && least <= MISFIT_MAX; class ++)
        if (fit->misfit[class] <= fmax(1, MISFIT_TIES * least))
            fit->classes |= 1u << class;
}

struct growth_fit growth_fit(const struct growth_point *points, size_t count)
{
    struct growth_fit fit = {judge_input(points, count), NAN, NAN, NAN, {0}, 0};
    for (unsigned class = 0; class < GROWTH_CLASSES; class ++)
        fit.misfit[class] = NAN;
    if (fit.status == GROWTH_ZERO)
        fit.classes = 1u << TW_O_1;
    if (fit.status != GROWTH_FITTED)
        return fit;
    fit_exponent(&fit, points, count);
    fit_classes(&fit, points, count);
    if (fit.exponent_high < 0)
        fit.classes = 1u << TW_O_1;
    return fit;
}

/* ---- Reading a fit. -------------------------------------------------------------------------- */

enum tw_growth growth_lowest(const struct growth_fit *fit)
{
    return (enum tw_growth)__builtin_ctz(fit->classes);
}

enum tw_growth growth_highest(const struct growth_fit *fit)
{
    return (enum tw_growth)(31 - __builtin_clz(fit->classes));
}

/* The slope of the class itself over the same sizes. */
static double class_exponent(enum tw_growth class, const struct growth_point *points, size_t count)
{
    struct growth_point own[GROWTH_POINTS_MAX];
    for (size_t i = 0; i < count; i++)
        own[i] = (struct growth_point){points[i].n, fmax(class_value(class, points[i].n), 1), 0, 0};
    return line_through(own, count).slope;
}

enum growth_answer growth_at_most(const struct growth_fit *fit, const struct growth_point *points,
                                  size_t count, enum tw_growth bound)
{
    if (fit->classes != 0) {
        if (growth_highest(fit) <= bound)
            return GROWTH_HOLDS;
        return growth_lowest(fit) > bound ? GROWTH_BROKEN : GROWTH_UNDECIDED;
    }
    if (fit->status != GROWTH_FITTED || isnan(fit->exponent))
        return GROWTH_UNDECIDED;
    double allowed = class_exponent(bound, points, count);
    if (fit->exponent_high <= allowed)
        return GROWTH_HOLDS;
    return fit->exponent_low > allowed ? GROWTH_BROKEN : GROWTH_UNDECIDED;
}

void growth_name_classes(char *out, size_t size, const struct growth_fit *fit)
{
    if (fit->classes == 0) {
        snprintf(out, size, "no class fits");
        return;
    }
    enum tw_growth lowest = growth_lowest(fit), highest = growth_highest(fit);
    snprintf(out, size, "%s%s%s", growth_class_name(lowest),
             lowest == highest       ? ""
             : highest - lowest == 1 ? " or "
                                     : " to ",
             lowest == highest ? "" : growth_class_name(highest));
}

/* ---- A curve to be drawn. -------------------------------------------------------------------- */

double growth_curve_at(const struct growth_curve *curve, double n)
{
    return curve->a + (curve->b > 0 ? curve->b * class_value(curve->class, n) : 0);
}

/* Least squares of 1 = a u + b v with u = 1 / y and v = g / y; where one of the two would be below 0, of
 * the other alone. */
bool growth_curve_fit(const struct growth_point *points, size_t count, enum tw_growth class,
                      struct growth_curve *out)
{
    double u = 0, v = 0, uu = 0, uv = 0, vv = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].y <= 0)
            continue;
        double one = 1 / points[i].y, g = class_value(class, points[i].n) / points[i].y;
        u += one, v += g, uu += one * one, uv += one * g, vv += g * g;
        used++;
    }
    if (used < 2)
        return false;
    double det = uu * vv - uv * uv;
    bool is_flat = class == TW_O_1 || det <= 1e-12 * uu * vv;
    *out = (struct growth_curve){class, u / uu, 0};
    if (is_flat)
        return true;
    double a = (u * vv - v * uv) / det, b = (v * uu - u * uv) / det;
    if (b >= 0)
        *out =
            a >= 0 ? (struct growth_curve){class, a, b} : (struct growth_curve){class, 0, v / vv};
    return true;
}
