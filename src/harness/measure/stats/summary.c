/* summary.c - median and its exact interval. */
#include "harness/measure/stats/summary.h"

#include "harness/base/memory.h"

#include <math.h>

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* P(exactly k of n samples lie below the median) = C(n, k) / 2^n.  Through logarithms, because both
 * parts leave the range of a double long before n is large. */
static double binomial_half(size_t n, size_t k)
{
    double total = (double)n, chosen = (double)k;
    double log_choose = lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1);
    return exp(log_choose - total * log(2));
}

/* How many samples to leave out at each end.  The interval from the (trim+1)-th lowest to the
 * (trim+1)-th highest misses the median only when at most `trim` samples lie on one side of it. */
static size_t trim_for(size_t count, double wanted, double *confidence)
{
    size_t trim = 0;
    double miss = 2 * binomial_half(count, 0);
    *confidence = 1 - miss;
    while (2 * (trim + 1) < count) {
        miss += 2 * binomial_half(count, trim + 1);
        if (1 - miss < wanted)
            break;
        *confidence = 1 - miss;
        trim++;
    }
    return trim;
}

/* A sorted copy, to be freed. */
static double *sort_copy(const double *samples, size_t count)
{
    double *sorted = memory_take(count, sizeof *sorted);
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    return sorted;
}

struct summary summary_at(const double *samples, size_t count, double confidence_wanted)
{
    struct summary summary = {NAN, NAN, NAN, NAN, 0};
    double *sorted = sort_copy(samples, count);
    size_t trim = trim_for(count, confidence_wanted, &summary.confidence);
    summary.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    summary.low = sorted[trim];
    summary.high = sorted[count - 1 - trim];
    summary.count = count;
    free(sorted);
    return summary;
}

struct summary summary_of(const double *samples, size_t count)
{
    return summary_at(samples, count, 0.95);
}

double summary_quantile(const double *samples, size_t count, double share)
{
    double *sorted = sort_copy(samples, count);
    double quantile = sorted[(size_t)((double)(count - 1) * share)];
    free(sorted);
    return quantile;
}
