/* durable_choice.c - compares stores by their cells, and takes the best. */
#include "harness/ask/advise/durable_choice.h"

#include "harness/ask/advise/words.h"
#include "harness/ask/stores/stores_cell.h"
#include "harness/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct durable_measure by_puts = {.figure = "puts_per_s",
                                               .says = "%s puts a second",
                                               .better = "puts a second",
                                               .more_is_better = true};
static const struct durable_measure by_memory = {.figure = "memory_bytes_per_pending",
                                                 .says = "%s bytes of memory a pending message",
                                                 .better = "memory"};
static const struct durable_measure by_late = {.figure = "late_p99_ms",
                                               .says = "dispatch late by %s at the 99th percentile",
                                               .better = "lateness of dispatch",
                                               .is_late = true,
                                               .ns = 1e6};
static const struct durable_measure by_acknowledged = {
    .figure = "ack_p99_us",
    .says = "acknowledged within %s, 99th percentile",
    .better = "time to acknowledgement",
    .ns = 1e3};
static const struct durable_measure by_recovery = {
    .figure = "recovery_s", .says = "recovery in %s", .better = "recovery", .ns = 1e9};
static const struct durable_measure by_dispatch = {.figure = "dispatch_per_s",
                                                   .says = "%s messages a second drained",
                                                   .better = "drain rate",
                                                   .more_is_better = true};

const struct durable_measure *durable_goal(enum criterion goal)
{
    static const struct durable_measure *const goals[CRITERIA] = {[CRITERION_COST] = &by_puts,
                                                                  [CRITERION_MEMORY] = &by_memory,
                                                                  [CRITERION_TAIL] =
                                                                      &by_acknowledged,
                                                                  [CRITERION_PRECISION] = &by_late};
    return goals[goal];
}

const struct durable_measure *durable_measure(size_t index)
{
    static const struct durable_measure *const all[] = {
        &by_puts, &by_dispatch, &by_late, &by_recovery, &by_memory, &by_acknowledged};
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

/* ---- Cells. ---------------------------------------------------------------------------------- */

const cJSON *durable_cell(const struct durable_evidence *evidence, size_t place)
{
    if (place == STORING_NO_CELL)
        return NULL;
    return cJSON_GetArrayItem(json_get(evidence->document, "cells"), (int)place);
}

double durable_median(const cJSON *cell, const char *figure)
{
    const cJSON *figures = json_get(cell, "figures");
    return json_get_number(json_get(figures, figure), "median");
}

const cJSON *durable_largest(const struct durable_evidence *evidence,
                             const struct durable_entrant *entrant)
{
    return entrant->reached > 0 ? durable_cell(evidence, entrant->fills[entrant->reached - 1])
                                : NULL;
}

const cJSON *durable_broken(const struct durable_evidence *evidence,
                            const struct durable_entrant *entrant)
{
    const cJSON *cell = durable_cell(evidence, entrant->killed);
    if (cell && stores_cell_failed(cell))
        return cell;
    cell = durable_cell(evidence, entrant->late);
    if (cell && stores_cell_failed(cell))
        return cell;
    for (size_t i = 0; i < evidence->size_count; i++) {
        cell = durable_cell(evidence, entrant->fills[i]);
        if (cell && stores_cell_failed(cell))
            return cell;
    }
    return NULL;
}

/* ---- Two stores. ----------------------------------------------------------------------------- */

double durable_value(const struct durable_evidence *evidence, const struct durable_entrant *entrant,
                     const struct durable_measure *measure)
{
    const cJSON *cell = measure->is_late ? durable_cell(evidence, entrant->late)
                                         : durable_largest(evidence, entrant);
    return durable_median(cell, measure->figure);
}

/* A lateness of less than a millisecond was counted as 0, and is taken for one. */
static size_t samples_of(const cJSON *cell, const struct durable_measure *measure, double *out)
{
    size_t count = 0;
    const cJSON *sample, *figures = json_get(cell, "figures");
    cJSON_ArrayForEach(sample, json_get(json_get(figures, measure->figure), "samples"))
    {
        double value = fmax(sample->valuedouble, measure->is_late ? 1 : 0);
        if (count < CRITERIA_SAMPLES_MAX && value > 0)
            out[count++] = value;
    }
    return count;
}

static struct summary factor_of(const cJSON *left, const cJSON *right,
                                const struct durable_measure *measure)
{
    double l[CRITERIA_SAMPLES_MAX], r[CRITERIA_SAMPLES_MAX];
    size_t lefts = samples_of(left, measure, l);
    size_t rights = samples_of(right, measure, r);
    size_t count = lefts < rights ? lefts : rights;
    return measure->more_is_better ? criteria_ratio_of(l, r, count)
                                   : criteria_ratio_of(r, l, count);
}

/* What delays of seconds on the wall clock say of a store as well as ten days on a virtual one. */
static bool is_of_any_clock(const struct durable_measure *measure)
{
    return measure == &by_puts || measure == &by_acknowledged || measure == &by_late;
}

static bool are_alike(const cJSON *left, const cJSON *right, const struct durable_measure *measure)
{
    return is_of_any_clock(measure) ||
           strcmp(json_get_text(left, "clock"), json_get_text(right, "clock")) == 0;
}

struct summary durable_factor(const struct durable_evidence *evidence, size_t left, size_t right,
                              const struct durable_measure *measure, uint64_t *size)
{
    const struct durable_entrant *l = &evidence->entrants[left], *r = &evidence->entrants[right];
    struct summary none = {NAN, NAN, NAN, 0, 0};
    size_t common = l->reached < r->reached ? l->reached : r->reached;
    *size = 0;
    if (common == 0)
        return none;
    size_t from = measure->is_late ? l->late : l->fills[common - 1];
    size_t to = measure->is_late ? r->late : r->fills[common - 1];
    const cJSON *a = durable_cell(evidence, from), *b = durable_cell(evidence, to);
    if (!a || !b || !are_alike(a, b, measure))
        return none;
    double tasks = json_get_number(a, "load.tasks");
    *size = tasks > 0 ? (uint64_t)tasks : 0;
    return factor_of(a, b, measure);
}

/* ---- Limits. --------------------------------------------------------------------------------- */

static bool is_within(const struct durable_evidence *evidence,
                      const struct durable_entrant *entrant, enum criterion goal, double most_ns,
                      const char *flag, char *why, size_t size)
{
    const struct durable_measure *measure = durable_goal(goal);
    double value = durable_value(evidence, entrant, measure);
    char text[40], limit[40];
    if (!(most_ns > 0) || value * (measure->ns > 0 ? measure->ns : 1) <= most_ns)
        return true;
    if (isnan(value)) {
        snprintf(why, size, "%s was not measured, which %s bounds", measure->better, flag);
        return false;
    }
    if (measure->ns > 0) {
        words_time(text, sizeof text, value * measure->ns);
        words_time(limit, sizeof limit, most_ns);
    } else {
        words_number(text, sizeof text, value);
        words_number(limit, sizeof limit, most_ns);
    }
    int length = snprintf(why, size, measure->says, text);
    if (length > 0 && (size_t)length < size)
        snprintf(why + length, size - (size_t)length, "; %s=%s is asked for", flag, limit);
    return false;
}

bool durable_allows(const struct durable_evidence *evidence, const struct durable_entrant *entrant,
                    char *why, size_t size)
{
    const struct wishes *wishes = &evidence->wishes;
    const cJSON *broken = durable_broken(evidence, entrant);
    why[0] = '\0';
    if (broken) {
        snprintf(why, size, "%s", json_get_text(broken, "reason"));
        return false;
    }
    if (entrant->reached == 0)
        return false;
    if (entrant->backend->flags & ((unsigned)TW_STORE_IN_MEMORY | TW_STORE_KEEPS_NOTHING)) {
        snprintf(why, size, "it survives nothing");
        return false;
    }
    const cJSON *killed = durable_cell(evidence, entrant->killed);
    if (killed && strcmp(json_get_text(killed, "status"), "ok") != 0) {
        snprintf(why, size, "killed again and again it came to no end: %s",
                 json_get_text(killed, "reason"));
        return false;
    }
    if (isnan(durable_value(evidence, entrant, durable_goal(wishes->goal)))) {
        snprintf(why, size, "%s was not measured", durable_goal(wishes->goal)->better);
        return false;
    }
    if (entrant->backend->flags & TW_STORE_REAL_CLOCK &&
        !is_of_any_clock(durable_goal(wishes->goal))) {
        snprintf(why, size, "it keeps to the wall clock, with other delays: not to be compared");
        return false;
    }
    return is_within(evidence, entrant, CRITERION_PRECISION, (double)wishes->late_ns, "--late", why,
                     size) &&
           is_within(evidence, entrant, CRITERION_TAIL, (double)wishes->tail_ns, "--tail", why,
                     size) &&
           is_within(evidence, entrant, CRITERION_MEMORY, wishes->memory_bytes, "--memory", why,
                     size);
}

/* ---- All of them. ---------------------------------------------------------------------------- */

/* Is `left` to be preferred?  Of two that came equally far by the figure as it stands; one that stayed behind has to be
 * clearly better where both were. */
static bool is_better(const struct durable_evidence *evidence, size_t left, size_t right)
{
    uint64_t unused;
    const struct durable_measure *goal = durable_goal(evidence->wishes.goal);
    struct summary factor = durable_factor(evidence, left, right, goal, &unused);
    size_t l = evidence->entrants[left].reached, r = evidence->entrants[right].reached;
    if (goal->is_late || l == r)
        return factor.median > 1;
    return l > r ? criteria_ratio_sign(&factor) >= 0 : criteria_ratio_sign(&factor) > 0;
}

static size_t best_of(const struct durable_evidence *evidence, const bool *among)
{
    size_t best = CHOICE_NONE;
    for (size_t i = 0; i < evidence->count; i++)
        if (among[i] && (best == CHOICE_NONE || is_better(evidence, i, best)))
            best = i;
    return best;
}

struct durable_choice durable_choose(const struct durable_evidence *evidence)
{
    const struct durable_measure *goal = durable_goal(evidence->wishes.goal);
    struct durable_choice choice = {.next = CHOICE_NONE};
    bool worse[STORING_LIST_MAX] = {false};
    char unused[200];
    uint64_t size;
    for (size_t i = 0; i < evidence->count; i++)
        choice.allowed[i] = durable_allows(evidence, &evidence->entrants[i], unused, sizeof unused);
    choice.chosen = best_of(evidence, choice.allowed);
    for (size_t i = 0; i < evidence->count && choice.chosen != CHOICE_NONE; i++) {
        if (i == choice.chosen || !choice.allowed[i])
            continue;
        struct summary factor = durable_factor(evidence, choice.chosen, i, goal, &size);
        choice.equal[i] = criteria_ratio_sign(&factor) <= 0;
        worse[i] = !choice.equal[i];
    }
    choice.next = best_of(evidence, worse);
    return choice;
}
