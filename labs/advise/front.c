/* front.c - removes dominated candidates, most expensive first. */
#include "labs/advise/choice.h"

/* Not looked at yet, and so still there. */
#define UNSEEN (SIZE_MAX - 1)

bool front_dominates(const struct contender *other, const struct contender *than)
{
    bool is_better = false;
    for (int i = 0; i < CRITERIA; i++) {
        int sign = criteria_compare(other, than, (enum criterion)i);
        if (sign > 0 || criteria_may_be_better(than, other, (enum criterion)i))
            return false;
        is_better = is_better || sign < 0;
    }
    return is_better;
}

static bool is_cheaper(const struct contender *left, const struct contender *right)
{
    return left->of.cost_ns.median < right->of.cost_ns.median;
}

/* The cheapest of those still there that dominates it, or FRONT_ITSELF. */
static size_t find_dominating(const struct contender *contenders, size_t count, size_t than,
                              const size_t *by)
{
    size_t found = FRONT_ITSELF;
    for (size_t i = 0; i < count; i++)
        if (i != than && by[i] >= UNSEEN &&
            (found == FRONT_ITSELF || is_cheaper(&contenders[i], &contenders[found])) &&
            front_dominates(&contenders[i], &contenders[than]))
            found = i;
    return found;
}

static size_t find_most_expensive(const struct contender *contenders, size_t count,
                                  const size_t *by)
{
    size_t found = FRONT_ITSELF;
    for (size_t i = 0; i < count; i++)
        if (by[i] == UNSEEN &&
            (found == FRONT_ITSELF || is_cheaper(&contenders[found], &contenders[i])))
            found = i;
    return found;
}

/* Whoever sent it away may have gone since: then one that stayed is named, where one there does it. */
static void name_by_the_front(const struct contender *contenders, size_t count, size_t *by)
{
    for (size_t i = 0; i < count; i++) {
        if (by[i] == FRONT_ITSELF || by[i] == i || by[by[i]] == FRONT_ITSELF)
            continue;
        size_t found = find_dominating(contenders, count, i, by);
        if (found != FRONT_ITSELF)
            by[i] = found;
    }
}

void front_find(const struct contender *contenders, size_t count, size_t *by)
{
    size_t at;
    for (size_t i = 0; i < count; i++)
        by[i] = contenders[i].of.known ? UNSEEN : i;
    while ((at = find_most_expensive(contenders, count, by)) != FRONT_ITSELF)
        by[at] = find_dominating(contenders, count, at, by);
    name_by_the_front(contenders, count, by);
}
