/* changepoints.c - takes the clearest change of level, and the next, until none is clear of the noise. */
#include "labs/fleet/changepoints.h"

#include "harness/base/memory.h"

#include <math.h>

/* Tuned on made histories of 40 to 500 values, white, correlated, with regimes, with outliers; none of the seeds is one
 * of the tests'. */
#define CLEAR      5.0    /* standard errors of a change that is told */
#define FEW        10.0   /* the noise of n values may be larger by FEW / n */
#define QUANTILE   0.65   /* of the differences between neighbouring means */
#define DEVIATIONS 0.9346 /* this quantile of |x|, where x is normal */
#define LONGEST    24     /* means of neighbours are of so many values at most, */
#define LONGEST_OF 11     /* and of this part of the series */
#define NEIGHBOURS 5      /* on each side of a value whose median it is held to */
#define OFF        3.0    /* standard deviations */

struct series {
    double *values, *sums, *scratch; /* sums[i]: of the values before i */
    unsigned char *marks;            /* a change begins at the value */
    size_t count;
    double
        noise; /* standard deviation of a value, were all independent and means as noisy as they are */
};

/* A difference of levels at `at`, and how many standard errors it is. */
struct change {
    size_t at;
    double size, error, clear;
};

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Sorts the values. */
static double quantile(double *values, size_t count, double share)
{
    qsort(values, count, sizeof *values, by_size);
    return values[(size_t)(share * (double)(count - 1) + 0.5)];
}

static double mean(const struct series *series, size_t from, size_t to)
{
    return (series->sums[to] - series->sums[from]) / (double)(to - from);
}

/* ---- Values and their noise. ----------------------------------------------------------------- */

/* The median around a value.  Near the ends fewer neighbours are asked, two on each side at least: so a level of three
 * values at the end is one. */
static double median_around(const double *logs, size_t count, size_t at)
{
    double around[2 * NEIGHBOURS + 1];
    size_t last = count - 1, reach = at < last - at ? at : last - at;
    reach = reach > NEIGHBOURS ? NEIGHBOURS : reach < 2 ? 2 : reach;
    size_t from = at > reach ? at - reach : 0;
    if (from + 2 * reach > last)
        from = last - 2 * reach;
    memcpy(around, logs + from, (2 * reach + 1) * sizeof *around);
    return quantile(around, 2 * reach + 1, 0.5);
}

/* Neighbours differ by sqrt(2) deviations; the median of the differences knows nothing of outliers. */
static void take_values(struct series *series, const double *logs)
{
    for (size_t i = 1; i < series->count; i++)
        series->scratch[i - 1] = fabs(logs[i] - logs[i - 1]);
    double deviation = quantile(series->scratch, series->count - 1, 0.5) / 0.6745 / sqrt(2);
    for (size_t i = 0; i < series->count; i++) {
        double median = median_around(logs, series->count, i);
        series->values[i] = fmin(fmax(logs[i], median - OFF * deviation), median + OFF * deviation);
        series->sums[i + 1] = series->sums[i] + series->values[i];
    }
}

/* The variance of a value, judged by means of `length`. */
static double allan_variance(const struct series *series, size_t length)
{
    size_t count = series->count - 2 * length + 1;
    for (size_t i = 0; i < count; i++)
        series->scratch[i] =
            fabs(mean(series, i + length, i + 2 * length) - mean(series, i, i + length));
    double difference = quantile(series->scratch, count, QUANTILE) / DEVIATIONS;
    return difference * difference / 2 * (double)length;
}

static double noise_of(const struct series *series)
{
    double most = 0;
    for (size_t length = 1; length <= LONGEST && length <= 1 + series->count / LONGEST_OF;
         length += (length + 1) / 2)
        most = fmax(most, allan_variance(series, length));
    return sqrt(most) * (1 + FEW / (double)series->count);
}

/* ---- Changes. -------------------------------------------------------------------------------- */

/* The change before, or where the window ends. */
static size_t level_from(const struct series *series, size_t at)
{
    size_t least = at > CHANGEPOINTS_WINDOW ? at - CHANGEPOINTS_WINDOW : 0;
    while (at-- > least)
        if (series->marks[at])
            return at;
    return least;
}

static size_t level_to(const struct series *series, size_t at)
{
    size_t most = at + CHANGEPOINTS_WINDOW;
    if (most > series->count)
        most = series->count;
    while (++at < most)
        if (series->marks[at])
            return at;
    return most;
}

static struct change change_between(const struct series *series, size_t from, size_t at, size_t to)
{
    double size = mean(series, at, to) - mean(series, from, at);
    double error = series->noise * sqrt(1 / (double)(at - from) + 1 / (double)(to - at));
    /* Values without any noise: what is no rounding is clear. */
    return (struct change){at, size, error, fabs(size) / (error + 1e-9)};
}

static bool is_told(const struct change *change, double least)
{
    return change->clear >= CLEAR && fabs(change->size) >= log1p(least);
}

static void keep_clearer(struct change *best, struct change change, double least)
{
    if (change.clear > best->clear && is_told(&change, least))
        *best = change;
}

/* Of all places and widths the clearest; its `clear` is 0 where none is told. */
static struct change clearest(const struct series *series, double least)
{
    struct change best = {0, 0, 0, 0};
    for (size_t at = CHANGEPOINTS_SHORTEST; at + CHANGEPOINTS_SHORTEST <= series->count; at++) {
        size_t from = level_from(series, at), to = level_to(series, at);
        if (series->marks[at] || at - from < CHANGEPOINTS_SHORTEST ||
            to - at < CHANGEPOINTS_SHORTEST)
            continue;
        for (size_t width = CHANGEPOINTS_SHORTEST; width <= CHANGEPOINTS_WINDOW;
             width += 1 + width / 4)
            keep_clearer(&best,
                         change_between(series, at - from > width ? at - width : from, at,
                                        to - at > width ? at + width : to),
                         least);
        keep_clearer(&best, change_between(series, from, at, to), least);
    }
    return best;
}

/* Puts each change to the best place between its neighbours, or takes it out where none is clear there. */
static void place_again(const struct series *series, double least)
{
    for (size_t at = 1; at < series->count; at++) {
        if (!series->marks[at])
            continue;
        series->marks[at] = 0;
        size_t from = level_from(series, at), to = level_to(series, at);
        struct change best = {0, 0, 0, 0};
        for (size_t i = from + CHANGEPOINTS_SHORTEST; i + CHANGEPOINTS_SHORTEST <= to; i++)
            keep_clearer(&best, change_between(series, from, i, to), least);
        if (best.clear > 0)
            series->marks[best.at] = 1;
        if (best.at > at)
            at = best.at;
    }
}

static size_t find(struct series *series, double least, struct change_point *points, size_t most)
{
    size_t count = 0;
    series->noise = noise_of(series);
    for (size_t i = 0; i < most; i++) {
        struct change change = clearest(series, least);
        if (change.clear <= 0)
            break;
        series->marks[change.at] = 1;
    }
    place_again(series, least);
    place_again(series, least);
    for (size_t at = 1; at < series->count && count < most; at++) {
        if (!series->marks[at])
            continue;
        struct change change =
            change_between(series, level_from(series, at), at, level_to(series, at));
        points[count++] =
            (struct change_point){at, exp(change.size), exp(change.size - 2 * change.error),
                                  exp(change.size + 2 * change.error)};
    }
    return count;
}

size_t changepoints_find(const double *values, size_t count, double least,
                         struct change_point *points, size_t most)
{
    if (count < CHANGEPOINTS_VALUES_MIN)
        return 0;
    double *logs = memory_take(4 * count + 1, sizeof *logs);
    unsigned char *marks = memory_take(count, 1);
    struct series series = {logs + count, logs + 2 * count, logs + 3 * count + 1, marks, count, 0};
    for (size_t i = 0; i < count; i++)
        logs[i] = log(values[i]);
    take_values(&series, logs);
    size_t found = find(&series, least, points, most);
    free(logs);
    free(marks);
    return found;
}
