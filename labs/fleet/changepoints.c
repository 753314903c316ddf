/* changepoints.c - splits a series where its level changes, and proves each split by shuffling. */
#include "labs/fleet/changepoints.h"

#include "harness/base/rng.h"
#include "harness/measure/stats/growth.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHUFFLES      1999
#define SEARCH_SHARE  0.02 /* most that a split may have by chance to be proved at all */
#define SEARCH_ROUNDS 99
#define SPAN          (2 * (size_t)CHANGEPOINTS_WINDOW)

enum mark { MARK_NONE, MARK_FOUND, MARK_PROVED };

struct series {
    const double *logs;
    size_t count;
    const struct change_rules *rules;
    unsigned char *marks;        /* enum mark, one per value */
    struct change_point *proofs; /* of those proved */
};

struct split {
    size_t at; /* from the stretch's beginning; 0: too short to be split */
    double energy;
};

/* ---- Energy. --------------------------------------------------------------------------------- */

static double distances(const double *values, size_t from, size_t to, double value)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += fabs(values[i] - value);
    return sum;
}

/* m n / (m + n) * (2 E|X - Y| - E|X - X'| - E|Y - Y'|), from sums over pairs. */
static double energy_of(double total, double left, double right, double m, double n)
{
    double between = total - left - right;
    return m * n / (m + n) *
           (2 * between / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1)));
}

/* The split with the most energy.  O(count^2). */
static struct split best_split(const double *values, size_t count)
{
    struct split best = {0, 0};
    double total = 0, left = 0, right;
    for (size_t i = 1; i < count; i++)
        total += distances(values, 0, i, values[i]);
    right = total;
    for (size_t at = 1; at + CHANGEPOINTS_SHORTEST <= count; at++) {
        double moved = values[at - 1];
        left += distances(values, 0, at - 1, moved);
        right -= distances(values, at, count, moved);
        if (at < CHANGEPOINTS_SHORTEST)
            continue;
        double energy = energy_of(total, left, right, (double)at, (double)(count - at));
        if (best.at == 0 || energy > best.energy)
            best = (struct split){at, energy};
    }
    return best;
}

/* ---- Chance. --------------------------------------------------------------------------------- */

static void shuffle(double *values, size_t count, struct rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rng_below(rng, i);
        double value = values[i - 1];
        values[i - 1] = values[other];
        values[other] = value;
    }
}

/* The share of orders, this one among them, with as much energy as `split`; above `enough` it is not counted to
 * its end.  count <= SPAN. */
static double chance_of(const double *values, size_t count, const struct split *split,
                        size_t rounds, double enough)
{
    double shuffled[SPAN];
    struct rng rng;
    size_t as_clear = 1;
    rng_seed(&rng, count, split->at);
    memcpy(shuffled, values, count * sizeof *values);
    for (size_t i = 0; i < rounds; i++) {
        shuffle(shuffled, count, &rng);
        as_clear += best_split(shuffled, count).energy >= split->energy;
        if ((double)as_clear > enough * (double)(rounds + 1))
            break;
    }
    return (double)as_clear / (double)(rounds + 1);
}

/* ---- Searching. ------------------------------------------------------------------------------ */

/* Splits [from, to) as long as a split is not mere chance.  Each call marks a change, so it ends. */
static void search(const struct series *series, size_t from, size_t to)
{
    while (to - from >= 2 * CHANGEPOINTS_SHORTEST) {
        const double *values = series->logs + from;
        struct split split = best_split(values, to - from);
        if (split.energy <= 0 ||
            chance_of(values, to - from, &split, SEARCH_ROUNDS, SEARCH_SHARE) > SEARCH_SHARE)
            return;
        series->marks[from + split.at] = MARK_FOUND;
        search(series, from, from + split.at);
        from += split.at;
    }
}

static void search_windows(const struct series *series)
{
    size_t from = 0;
    for (;;) {
        size_t to = from + CHANGEPOINTS_WINDOW;
        search(series, from, to < series->count ? to : series->count);
        if (to >= series->count)
            return;
        from += CHANGEPOINTS_WINDOW / 2;
    }
}

/* ---- Proving. -------------------------------------------------------------------------------- */

static size_t change_before(const struct series *series, size_t at)
{
    size_t least = at > CHANGEPOINTS_WINDOW ? at - CHANGEPOINTS_WINDOW : 0;
    while (at-- > least)
        if (series->marks[at])
            return at;
    return least;
}

static size_t change_after(const struct series *series, size_t at)
{
    size_t most = at + CHANGEPOINTS_WINDOW;
    if (most > series->count)
        most = series->count;
    while (++at < most)
        if (series->marks[at])
            return at;
    return most;
}

struct level {
    double mean, squares; /* sum of squared differences */
    double count;
};

static struct level level_of(const double *values, size_t from, size_t to)
{
    struct level level = {0, 0, (double)(to - from)};
    for (size_t i = from; i < to; i++)
        level.mean += values[i] / level.count;
    for (size_t i = from; i < to; i++)
        level.squares += (values[i] - level.mean) * (values[i] - level.mean);
    return level;
}

static void size_change(const struct series *series, size_t from, size_t to,
                        struct change_point *point)
{
    struct level old = level_of(series->logs, from, point->at);
    struct level new = level_of(series->logs, point->at, to);
    double freedom = old.count + new.count - 2, change = new.mean - old.mean;
    double variance = (old.squares + new.squares) / freedom;
    double margin =
        growth_student_975((size_t)freedom) * sqrt(variance * (1 / old.count + 1 / new.count));
    point->ratio = exp(change);
    point->low = exp(change - margin);
    point->high = exp(change + margin);
}

/* The change at `at` between its neighbours: moved to the best place there, sized, and its chance. */
static struct change_point prove(const struct series *series, size_t at)
{
    size_t from = change_before(series, at), to = change_after(series, at);
    struct change_point point = {.at = at, .ratio = 1, .low = 1, .high = 1, .p = 1};
    const double *values = series->logs + from;
    if (to - from < 2 * CHANGEPOINTS_SHORTEST)
        return point;
    struct split split = best_split(values, to - from);
    point.at = from + split.at;
    point.p = chance_of(values, to - from, &split, SHUFFLES, series->rules->p);
    size_change(series, from, to, &point);
    if (fabs(log(point.ratio)) < log1p(series->rules->least))
        point.p = 1;
    return point;
}

static bool is_less_certain(const struct change_point *a, const struct change_point *b)
{
    if (a->p < b->p || a->p > b->p)
        return a->p > b->p;
    return fabs(log(a->ratio)) < fabs(log(b->ratio));
}

/* Proves those changes that have not been, or whose neighbours went. */
static void prove_all(const struct series *series)
{
    for (size_t at = 1; at < series->count; at++) {
        if (series->marks[at] != MARK_FOUND)
            continue;
        struct change_point point = prove(series, at);
        series->marks[at] = MARK_NONE;
        series->marks[point.at] = MARK_PROVED;
        series->proofs[point.at] = point;
    }
}

static void ask_again(const struct series *series, size_t at)
{
    if (series->marks[at] == MARK_PROVED)
        series->marks[at] = MARK_FOUND;
}

/* Takes out the least certain change that is not significant.  False when all are. */
static bool drop_least_certain(const struct series *series)
{
    const struct change_point *worst = NULL;
    for (size_t at = 1; at < series->count; at++) {
        const struct change_point *point = &series->proofs[at];
        if (series->marks[at] && point->p > series->rules->p &&
            (!worst || is_less_certain(point, worst)))
            worst = point;
    }
    if (!worst)
        return false;
    series->marks[worst->at] = MARK_NONE;
    ask_again(series, change_before(series, worst->at));
    if (change_after(series, worst->at) < series->count)
        ask_again(series, change_after(series, worst->at));
    return true;
}

/* Sizes are taken at last, between the neighbours that stayed. */
static size_t collect(const struct series *series, struct change_point *points, size_t most)
{
    size_t count = 0;
    for (size_t at = 1; at < series->count && count < most; at++) {
        if (!series->marks[at])
            continue;
        points[count] = series->proofs[at];
        size_change(series, change_before(series, at), change_after(series, at), &points[count++]);
    }
    return count;
}

static size_t find(const struct series *series, struct change_point *points, size_t most)
{
    search_windows(series);
    do
        prove_all(series);
    while (drop_least_certain(series));
    return collect(series, points, most);
}

size_t changepoints_find(const double *values, size_t count, const struct change_rules *rules,
                         struct change_point *points, size_t most)
{
    if (count < CHANGEPOINTS_VALUES_MIN)
        return 0;
    double *logs = calloc(count, sizeof *logs);
    struct series series = {logs, count, rules, calloc(count, 1),
                            calloc(count, sizeof *series.proofs)};
    size_t found = SIZE_MAX;
    if (logs && series.marks && series.proofs) {
        for (size_t i = 0; i < count; i++)
            logs[i] = log(values[i]);
        found = find(&series, points, most);
    }
    free(logs);
    free(series.marks);
    free(series.proofs);
    return found;
}
