/* signtest.c - computes the sign test and exact binomial bounds.
 *
 * Probabilities are added as logarithms, because their factors leave the range of a double. */
#include "harness/measure/stats/summary.h"

#include <math.h>

static double binomial_exactly(size_t hits, size_t count, double chance)
{
    if (chance <= 0 || chance >= 1)
        return hits == (chance <= 0 ? 0 : count) ? 1 : 0;
    double n = (double)count, k = (double)hits;
    double log_choose = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
    return exp(log_choose + k * log(chance) + (n - k) * log1p(-chance));
}

/* P(at least `hits` of `count`). */
static double binomial_at_least(size_t hits, size_t count, double chance)
{
    double sum = 0;
    for (size_t k = hits; k <= count; k++)
        sum += binomial_exactly(k, count, chance);
    return fmin(sum, 1);
}

double signtest_above(const double *samples, size_t count, double threshold)
{
    size_t above = 0;
    for (size_t i = 0; i < count; i++)
        above += samples[i] > threshold;
    return binomial_at_least(above, count, 0.5);
}

double signtest_below(const double *samples, size_t count, double threshold)
{
    size_t below = 0;
    for (size_t i = 0; i < count; i++)
        below += samples[i] < threshold;
    return binomial_at_least(below, count, 0.5);
}

void holm_adjust(double *p, size_t count)
{
    /* Step by step from the smallest: each is multiplied by how many are left, and none may come out
     * below one that was smaller than it.  What is done is moved above 1 until the end. */
    double floor = 0;
    for (size_t i = 0; i < count; i++)
        p[i] = isnan(p[i]) ? 1 : p[i];
    for (size_t done = 0; done < count; done++) {
        size_t smallest = 0;
        for (size_t i = 1; i < count; i++)
            smallest = p[i] < p[smallest] ? i : smallest;
        floor = fmax(floor, fmin(p[smallest] * (double)(count - done), 1));
        p[smallest] = 2 + floor;
    }
    for (size_t i = 0; i < count; i++)
        p[i] -= 2;
}

/* The chance at which the tail reaches `tail`; by halving, to the last digit that matters. */
double binomial_low(size_t hits, size_t count, double confidence)
{
    double low = 0, high = 1;
    if (hits == 0)
        return 0;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (binomial_at_least(hits, count, middle) > 1 - confidence)
            high = middle;
        else
            low = middle;
    }
    return low;
}

double binomial_high(size_t hits, size_t count, double confidence)
{
    return 1 - binomial_low(count - hits, count, confidence);
}
