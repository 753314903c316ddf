/* crossing.c - finds adjacent sizes where the winner flips. */
#include "labs/advise/crossing.h"

#include <math.h>

/* Where the line through two points passes ratio 1; the middle where it does not between them. */
static double pass_of(const struct crossing_point *left, const struct crossing_point *right)
{
    double l = log(left->ratio.median), r = log(right->ratio.median);
    double share = l < 0 && r > 0 ? -l / (r - l) : 0.5;
    return exp(log(left->tasks) + share * (log(right->tasks) - log(left->tasks)));
}

/* Inside the interval the medians say more than its ends do. */
static double find_pass(const struct crossing_point *points, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        if (points[i].ratio.median <= 1 && points[i + 1].ratio.median > 1)
            return pass_of(&points[i], &points[i + 1]);
    return pass_of(&points[first], &points[last]);
}

struct crossing crossing_find(const struct crossing_point *points, size_t count)
{
    struct crossing none = {.found = false};
    for (size_t high = count; high-- > 1;) {
        if (criteria_ratio_sign(&points[high].ratio) <= 0)
            continue;
        size_t low = high;
        int sign = 1;
        while (low > 0 && (sign = criteria_ratio_sign(&points[low - 1].ratio)) == 0)
            low--;
        if (low > 0 && sign < 0)
            return (struct crossing){true, find_pass(points, low - 1, high), points[low - 1].tasks,
                                     points[high].tasks};
    }
    return none;
}
