/* choice.c - chooses among the candidates that meet the wishes, pair by pair. */
#include "labs/advise/choice.h"

#include "harness/base/text.h"
#include "harness/base/units.h"

#include <math.h>

/* A difference that is exact but not worth a word. */
#define WORTH_IT 0.1
/* By how much the answer may be worse by the goal for being better in something else. */
#define GIVEN_UP 0.03

#define TEXT_SIZE 40

/* ---- Wishes. --------------------------------------------------------------------------------- */

int wishes_finish(struct wishes *wishes, struct diag *diag)
{
    wishes->goal_given = wishes->goal != CRITERIA;
    if (!wishes->on_clock && wishes->goal == CRITERION_PRECISION)
        return diag_usage(diag, "--for=late: lateness is of the real clock: --clock=real is "
                                "missing");
    if (wishes->on_clock && wishes->late_share > 0)
        return diag_usage(diag, "--late: a share of the delay given; on the real clock expected a "
                                "time, of which the 99th percentile of the lateness is no more");
    if (!wishes->goal_given)
        wishes->goal = wishes->on_clock ? CRITERION_PRECISION : CRITERION_COST;
    /* In a server what follows a call waits for it: its cost is the time of one, not what calls back to back overlap. */
    if (wishes->between == PLAN_BETWEEN_NONE)
        wishes->between = PLAN_BETWEEN_UNASKED;
    else if (wishes->between == PLAN_BETWEEN_UNASKED && !wishes->on_clock)
        wishes->between = PLAN_BETWEEN_CHAIN;
    return DIAG_OK;
}

int wishes_parse_late(const char *value, const char *flag, struct wishes *out, struct diag *diag)
{
    char *end;
    double number = strtod(value, &end);
    bool percent = strcmp(end, "%") == 0;
    out->late = true;
    if (end != value && (percent || *end == '\0')) {
        out->late_share = percent ? number / 100 : number;
        if (out->late_share > 0 && out->late_share < 1)
            return DIAG_OK;
        return diag_usage(diag, "%s: %s given; expected a share of the delay below 1, or a time",
                          flag, value);
    }
    if (units_parse_time(value, flag, &out->late_ns, diag) != DIAG_OK || out->late_ns == 0)
        return diag_usage(diag,
                          "%s: '%s' given; expected a time such as 10ms, or a share of the "
                          "delay such as 12.5%%",
                          flag, value);
    return DIAG_OK;
}

static void describe_lateness(struct text *line, const struct wishes *wishes)
{
    char time[TEXT_SIZE];
    if (wishes->on_clock && wishes->late_ns == 0)
        return;
    if (wishes->on_clock) {
        units_format_time(time, sizeof time, wishes->late_ns);
        text_add(line, "; p99 of the lateness at most %s", time);
    } else if (wishes->late_ns > 0) {
        units_format_time(time, sizeof time, wishes->late_ns);
        text_add(line, "; designs and ticks that are late by at most %s", time);
    } else if (wishes->late_share > 0) {
        text_add(line, "; designs that are late by at most %g %% of a delay, at the load's tick",
                 100 * wishes->late_share);
    } else {
        text_add(line, "; only designs that are never late, at the load's own tick");
    }
}

static const enum criterion *order_of(enum criterion goal)
{
    static const enum criterion orders[CRITERIA][CRITERIA] = {
        [CRITERION_COST] = {CRITERION_TAIL, CRITERION_MEMORY, CRITERION_WAKEUPS, CRITERIA},
        [CRITERION_MEMORY] = {CRITERION_COST, CRITERION_TAIL, CRITERION_WAKEUPS, CRITERIA},
        [CRITERION_TAIL] = {CRITERION_COST, CRITERION_MEMORY, CRITERION_WAKEUPS, CRITERIA},
        [CRITERION_PRECISION] = {CRITERION_TAIL, CRITERION_COST, CRITERION_WAKEUPS,
                                 CRITERION_MEMORY, CRITERIA},
        [CRITERION_WAKEUPS] = {CRITERION_COST, CRITERION_TAIL, CRITERION_MEMORY, CRITERIA},
    };
    return orders[goal];
}

void wishes_describe(char *out, size_t size, const struct wishes *wishes)
{
    static const char *const goals[2][CRITERIA] = {
        {[CRITERION_COST] = "the least time per operation",
         [CRITERION_MEMORY] = "the least memory per task",
         [CRITERION_TAIL] = "the shortest longest advance",
         [CRITERION_PRECISION] = "",
         [CRITERION_WAKEUPS] = "the fewest wake-ups"},
        {[CRITERION_COST] = "the least processor time per start and stop",
         [CRITERION_MEMORY] = "the least memory per timer",
         [CRITERION_TAIL] = "the shortest p99 of a start's or stop's latency",
         [CRITERION_PRECISION] = "the least p99 of the lateness",
         [CRITERION_WAKEUPS] = "the fewest wake-ups when idle"},
    };
    char time[TEXT_SIZE];
    struct text line = text_in(out, size);
    text_add(&line, "%s", goals[wishes->on_clock][wishes->goal]);
    describe_lateness(&line, wishes);
    if (wishes->memory_bytes > 0)
        text_add(&line, "; at most %" PRIu64 " bytes per %s", wishes->memory_bytes,
                 wishes->on_clock ? "timer" : "task");
    if (wishes->tail_ns > 0) {
        units_format_time(time, sizeof time, wishes->tail_ns);
        text_add(&line,
                 wishes->on_clock ? "; p99 of starts and stops at most %s"
                                  : "; no advance longer than %s",
                 time);
    }
    if (wishes->between != PLAN_BETWEEN_UNASKED)
        text_add(&line, "; of the overhead-corrected time of one call");
    if (wishes->between >= PLAN_BETWEEN_SIZE)
        text_add(&line, " behind other work in %s",
                 plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, wishes->between));
    text_add(&line, "; among those that do not differ significantly, and within 3 %% by their "
                    "figures, the better in");
    const enum criterion *order = order_of(wishes->goal);
    for (size_t i = 0; order[i] != CRITERIA; i++)
        text_add(&line, "%s %s", i ? ", then" : "", criterion_name(order[i], wishes->on_clock));
    text_add(&line, ", then the simpler one");
}

bool wishes_allow(const struct wishes *wishes, const struct contender *contender, bool as_due,
                  char *why, size_t size)
{
    const struct criteria *of = &contender->of;
    char is[TEXT_SIZE], most[TEXT_SIZE];
    const char *longest = of->on_clock ? "the p99 of starts and stops is" : "an advance took";
    double late_ns = of->on_clock ? of->late_ns.median : of->late_max_ns;
    why[0] = '\0';
    if (wishes->late_ns > 0 && !as_due && late_ns > (double)wishes->late_ns) {
        units_format_time(is, sizeof is, (uint64_t)late_ns);
        units_format_time(most, sizeof most, wishes->late_ns);
        snprintf(why, size, "late by %s %s here; at most %s is allowed",
                 of->on_clock ? "a p99 of" : "up to", is, most);
    } else if (wishes->memory_bytes > 0 && of->bytes_per_task > (double)wishes->memory_bytes) {
        snprintf(why, size, "%.1f bytes per task; at most %" PRIu64 " are allowed",
                 of->bytes_per_task, wishes->memory_bytes);
    } else if (wishes->tail_ns > 0 && of->tail_max_ns > (double)wishes->tail_ns) {
        units_format_time(is, sizeof is, (uint64_t)of->tail_max_ns);
        units_format_time(most, sizeof most, wishes->tail_ns);
        snprintf(why, size, "%s %s; at most %s is allowed", longest, is, most);
    }
    return why[0] == '\0';
}

/* ---- The choice. ----------------------------------------------------------------------------- */

static bool is_eligible(const struct choice_contender *contender, bool only_raced)
{
    return contender->allowed && contender->contender->of.known &&
           (!only_raced || criteria_is_raced(contender->contender));
}

/* A first look recommends nothing where others were sampled often enough. */
static bool any_raced(enum criterion goal, const struct choice_contender *contenders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_eligible(&contenders[i], true) &&
            !isnan(criteria_value(&contenders[i].contender->of, goal)))
            return true;
    return false;
}

static size_t find_best(enum criterion goal, const struct choice_contender *contenders,
                        size_t count, bool only_raced)
{
    size_t best = CHOICE_NONE;
    for (size_t i = 0; i < count; i++) {
        double value = criteria_value(&contenders[i].contender->of, goal);
        if (!is_eligible(&contenders[i], only_raced) || isnan(value))
            continue;
        if (best == CHOICE_NONE || value < criteria_value(&contenders[best].contender->of, goal))
            best = i;
    }
    return best;
}

/* As criteria_compare, but what is exact has to be worth it. */
static int compare_worth(const struct contender *left, const struct contender *right,
                         enum criterion criterion)
{
    int sign = criteria_compare(left, right, criterion);
    if (criterion != CRITERION_MEMORY && criterion != CRITERION_WAKEUPS)
        return sign;
    double l = criteria_value(&left->of, criterion), r = criteria_value(&right->of, criterion);
    return l * (1 + WORTH_IT) < r || r * (1 + WORTH_IT) < l ? sign : 0;
}

static bool is_simpler(const struct choice_contender *left, const struct choice_contender *right)
{
    return left->settings != right->settings ? left->settings < right->settings
                                             : left->place < right->place;
}

/* Is `left` to be preferred to `right`, from which the goal does not tell it apart, and for what? */
static bool is_preferred(enum criterion goal, const struct choice_contender *left,
                         const struct choice_contender *right, enum criterion *because)
{
    const enum criterion *order = order_of(goal);
    for (size_t i = 0; order[i] != CRITERIA; i++) {
        int sign = compare_worth(left->contender, right->contender, order[i]);
        *because = order[i];
        if (sign != 0)
            return sign < 0;
    }
    *because = CRITERIA;
    return is_simpler(left, right);
}

/* From now on those count that do not differ significantly from the chosen one. */
static void keep_equal(enum criterion goal, const struct choice_contender *contenders, size_t count,
                       size_t chosen, bool *equal)
{
    for (size_t i = 0; i < count; i++)
        equal[i] =
            equal[i] && (i == chosen || criteria_compare(contenders[i].contender,
                                                         contenders[chosen].contender, goal) == 0);
}

/* No significant difference is not yet the same: where samples are few or scattered, the figure as it stands decides
 * who may be preferred for something else. */
static bool is_near(enum criterion goal, const struct contender *of, const struct contender *best)
{
    bool is_sampled = criteria_is_sampled(of, goal);
    double worst = goal == CRITERION_TAIL && !is_sampled ? CRITERIA_TAIL_FACTOR : 1 + GIVEN_UP;
    if (is_sampled)
        return criteria_ratio(&of->cells, &best->cells, goal).median <= worst;
    return criteria_value(&of->of, goal) <= worst * criteria_value(&best->of, goal);
}

struct choice choice_make(const struct wishes *wishes, const struct choice_contender *contenders,
                          size_t count, bool *equal)
{
    bool only_raced = any_raced(wishes->goal, contenders, count);
    size_t best = find_best(wishes->goal, contenders, count, only_raced);
    struct choice choice = {best, best, CRITERIA};
    for (size_t i = 0; i < count; i++)
        equal[i] = best != CHOICE_NONE && is_eligible(&contenders[i], only_raced) &&
                   (i == best || criteria_compare(contenders[i].contender,
                                                  contenders[best].contender, wishes->goal) == 0);
    for (size_t i = 0; i < count; i++) {
        enum criterion because;
        if (equal[i] && i != choice.chosen &&
            is_near(wishes->goal, contenders[i].contender, contenders[best].contender) &&
            is_preferred(wishes->goal, &contenders[i], &contenders[choice.chosen], &because)) {
            choice.chosen = i;
            choice.because = because;
        }
    }
    keep_equal(wishes->goal, contenders, count, choice.chosen, equal);
    return choice;
}

/* ---- The front: removes dominated contenders, the most expensive first. ------------------------ */

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
