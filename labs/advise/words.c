/* words.c - writes the sentences of an advice. */
#include "labs/advise/evidence.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "labs/advise/choice.h"

#include <math.h>

#define UNCLEAR_NAMED 2 /* beside the chosen one */

#define RUNS_AGAIN 6 /* on the real clock, to measure a candidate again */

#define SCATTERED 1.3 /* an interval whose ends lie so far apart says little */

static const char *name_of(char name[CANDIDATE_NAME_MAX], const struct advice_evidence *evidence,
                           size_t candidate)
{
    candidate_name(name, CANDIDATE_NAME_MAX, &evidence->candidates[candidate]);
    return name;
}

/* ---- Figures. -------------------------------------------------------------------------------- */

/* Three significant digits. */
static void words_number(char *out, size_t size, double value)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out, size, "%.*f", decimals, value);
}

/* Without the unit, which is that of `like` and is answered. */
static const char *words_time_like(char *out, size_t size, double ns, double like)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    size_t i = 0;
    while (i < 3 && like < 0.9995 * units[i].ns)
        i++;
    words_number(out, size, ns / units[i].ns);
    return units[i].unit;
}

/* "7.12 ns", "24.2 bytes per task": what is compared, without saying what it is. */
static void put_value(char *out, size_t size, const struct criteria *criteria,
                      enum criterion criterion)
{
    char number[24];
    double value = criteria_value(criteria, criterion);
    if (criterion == CRITERION_WAKEUPS && criteria->on_clock)
        snprintf(out, size, value < 9.95 ? "%.1f" : "%.0f", value);
    else if (criterion == CRITERION_WAKEUPS)
        snprintf(out, size, "%.0f", value);
    else if (criterion == CRITERION_MEMORY)
        words_number(out, size, value);
    else
        snprintf(out, size, "%s %s", number, words_time_like(number, sizeof number, value, value));
}

/* The value of a criterion with its unit: "7.12 ns per operation", "4.3 us". */
static void words_value(char *out, size_t size, const struct criteria *criteria,
                        enum criterion criterion)
{
    static const char *const forms[2][CRITERIA] = {
        {[CRITERION_COST] = "%s per operation",
         [CRITERION_MEMORY] = "%s bytes per task",
         [CRITERION_TAIL] = "longest advance seen %s",
         [CRITERION_PRECISION] = "late by at most %s",
         [CRITERION_WAKEUPS] = "%s wake-ups"},
        {[CRITERION_COST] = "%s of processor time per start and stop",
         [CRITERION_MEMORY] = "%s bytes per timer",
         [CRITERION_TAIL] = "p99 of starts and stops %s",
         [CRITERION_PRECISION] = "p99 of the lateness %s",
         [CRITERION_WAKEUPS] = "%s wake-ups a second when idle"},
    };
    char value[40];
    put_value(value, sizeof value, criteria, criterion);
    if (isnan(criteria_value(criteria, criterion)))
        snprintf(out, size, "%s unclear", criterion_name(criterion, criteria->on_clock));
    else if (criterion == CRITERION_PRECISION && !criteria->on_clock &&
             !(criteria->late_max_ns > 0))
        snprintf(out, size, "never late");
    else
        snprintf(out, size, forms[criteria->on_clock][criterion], value);
}

/* "cost 7.1 ns per operation (7.0 - 7.3), 16.1 bytes per task, ..." */
static void words_figures(char *out, size_t size, const struct criteria *criteria)
{
    char low[32], high[32], text[80];
    struct text line = text_in(out, size);
    words_time_like(low, sizeof low, criteria->cost_ns.low, criteria->cost_ns.median);
    words_time_like(high, sizeof high, criteria->cost_ns.high, criteria->cost_ns.median);
    words_value(text, sizeof text, criteria, CRITERION_COST);
    if (isnan(criteria->cost_ns.median))
        text_add(&line, WORDS_COST_UNCLEAR);
    else if (criteria->cost_ns.count >= CRITERIA_PAIRS_MIN)
        text_add(&line, "%s (%s - %s, %zu samples)", text, low, high, criteria->cost_ns.count);
    else
        text_add(&line, "roughly %s (%zu sample%s)", text, criteria->cost_ns.count,
                 criteria->cost_ns.count == 1 ? "" : "s");
    for (int i = CRITERION_MEMORY; i < CRITERIA; i++) {
        if (isnan(criteria_value(criteria, (enum criterion)i)))
            continue;
        words_value(text, sizeof text, criteria, (enum criterion)i);
        text_add(&line, ", %s", text);
    }
    if (criteria->wakeups > 0 && !criteria->on_clock)
        text_add(&line, " (%.0f %% useful)", 100 * criteria->useful_wakeups / criteria->wakeups);
}

/* "1.61 times (1.58 - 1.66, 16 pairs)"; of few samples, whose interval is no measurement: "roughly 1.61 times". */
static void words_ratio(char *out, size_t size, const struct summary *ratio)
{
    char middle[32], low[32], high[32];
    words_number(middle, sizeof middle, ratio->median);
    words_number(low, sizeof low, ratio->low);
    words_number(high, sizeof high, ratio->high);
    if (isnan(ratio->median))
        snprintf(out, size, "unclear");
    else if (ratio->count >= CRITERIA_PAIRS_MIN)
        snprintf(out, size, "%s times (%s - %s, %zu pairs)", middle, low, high, ratio->count);
    else
        snprintf(out, size, "roughly %s times", middle);
}

/* "3.2 times the cost (..)", "memory 20.1 against 16.1 bytes per task": left against right. */
static void put_difference(struct text *line, const struct field *field, size_t one, size_t other,
                           enum criterion criterion)
{
    const struct contender *left = &field->contenders[one], *right = &field->contenders[other];
    char l[160], r[80];
    if (criteria_is_sampled(left, criterion)) {
        struct summary ratio = criteria_ratio(&left->cells, &right->cells, criterion);
        words_ratio(l, sizeof l, &ratio);
        text_add(line, "%s %s", criterion_name(criterion, left->of.on_clock), l);
        return;
    }
    words_value(l, sizeof l, &left->of, criterion);
    put_value(r, sizeof r, &right->of, criterion);
    text_add(line, "%s against %s", l, r);
}

/* ---- Reasons. -------------------------------------------------------------------------------- */

static size_t count_measured(const struct field *field)
{
    size_t count = 0;
    for (size_t i = 0; i < field->count; i++)
        count += field->entries[i].allowed;
    return count;
}

/* Each says something, or false: there is nothing of its kind to say. */
typedef bool reason_fn(struct text *line, const struct advice_evidence *evidence,
                       const struct field *field);

static bool reason_figures(struct text *line, const struct advice_evidence *evidence,
                           const struct field *field)
{
    char text[400];
    (void)evidence;
    words_figures(text, sizeof text, &field->contenders[field->choice.chosen].of);
    text_add(line, "%s; ", text);
    if (count_measured(field) == 1)
        text_add(line, "the only candidate that was measured");
    else
        text_add(line, "%s of the %zu candidates that meet the constraints",
                 field->choice.best == field->choice.chosen
                     ? "the best"
                     : "not significantly different from the best",
                 count_measured(field));
    return true;
}

static bool reason_preferred(struct text *line, const struct advice_evidence *evidence,
                             const struct field *field)
{
    char name[CANDIDATE_NAME_MAX], value[80];
    size_t chosen = field->choice.chosen, best = field->choice.best;
    if (best == chosen)
        return false;
    words_value(value, sizeof value, &field->contenders[best].of, evidence->wishes.goal);
    text_add(line, "%s has the best figure, %s, but does not differ significantly (",
             name_of(name, evidence, best), value);
    put_difference(line, field, best, chosen, evidence->wishes.goal);
    if (field->choice.because == CRITERIA) {
        text_add(line, "); the recommended one is the simpler");
        return true;
    }
    text_add(line, "); the recommended one is better in %s: ",
             criterion_name(field->choice.because, evidence->wishes.on_clock));
    put_difference(line, field, chosen, best, field->choice.because);
    return true;
}

/* "TITLE: A, cost 1.02 times (..); B, .." of those that `is_meant`, over the recommended one. */
static bool name_each(struct text *line, const struct advice_evidence *evidence,
                      const struct field *field, const char *title, const char *of,
                      bool (*is_meant)(const struct field *field, size_t i, enum criterion goal))
{
    bool first = true;
    for (size_t i = 0; i < field->count; i++) {
        char name[CANDIDATE_NAME_MAX];
        if (i == field->choice.chosen || !is_meant(field, i, evidence->wishes.goal))
            continue;
        if (first)
            text_add(line, "%s%s: ", title, of);
        text_add(line, "%s%s, ", first ? "" : "; ", name_of(name, evidence, i));
        put_difference(line, field, i, field->choice.chosen, evidence->wishes.goal);
        first = false;
    }
    return !first;
}

static bool is_equal(const struct field *field, size_t i, enum criterion goal)
{
    (void)goal;
    return field->equal[i] && i != field->choice.best && field->by[i] == FRONT_ITSELF;
}

static bool reason_equals(struct text *line, const struct advice_evidence *evidence,
                          const struct field *field)
{
    return name_each(line, evidence, field, "no significant difference in ",
                     criterion_name(evidence->wishes.goal, evidence->wishes.on_clock), is_equal);
}

/* The best of those that are told to be worse than the choice, or CHOICE_NONE. */
static size_t find_runner_up(const struct advice_evidence *evidence, const struct field *field)
{
    size_t found = CHOICE_NONE;
    enum criterion goal = evidence->wishes.goal;
    for (size_t i = 0; i < field->count; i++) {
        const struct criteria *of = &field->contenders[i].of;
        if (!field->entries[i].allowed || i == field->choice.chosen ||
            criteria_compare(&field->contenders[i], &field->contenders[field->choice.chosen],
                             goal) <= 0)
            continue;
        if (found == CHOICE_NONE ||
            criteria_value(of, goal) < criteria_value(&field->contenders[found].of, goal))
            found = i;
    }
    return found;
}

static bool reason_runner_up(struct text *line, const struct advice_evidence *evidence,
                             const struct field *field)
{
    char name[CANDIDATE_NAME_MAX];
    size_t other = find_runner_up(evidence, field);
    if (other == CHOICE_NONE)
        return false;
    const char *how =
        criteria_is_raced(&field->contenders[other]) ? "significantly worse" : "worse";
    text_add(line, "next best, %s: %s, ", how, name_of(name, evidence, other));
    put_difference(line, field, other, field->choice.chosen, evidence->wishes.goal);
    return true;
}

/* Left over right by a criterion; NaN where one is unknown or nothing. */
static double share_of(const struct contender *left, const struct contender *right,
                       enum criterion criterion)
{
    double l = criteria_value(&left->of, criterion), r = criteria_value(&right->of, criterion);
    return l >= 0 && r > 0 ? l / r : NAN;
}

/* Whose gain over the choice in another criterion is largest for what it loses by the goal, or CHOICE_NONE: who is 18
 * times as slow for a little less memory than one that is as fast serves nobody. */
static size_t find_better_in(const struct field *field, enum criterion criterion,
                             enum criterion goal)
{
    size_t found = CHOICE_NONE;
    double best = 1;
    const struct contender *chosen = &field->contenders[field->choice.chosen];
    for (size_t i = 0; i < field->count; i++) {
        const struct contender *other = &field->contenders[i];
        double trade = share_of(other, chosen, criterion) * share_of(other, chosen, goal);
        if (field->by[i] != FRONT_ITSELF || !field->entries[i].allowed || !(trade < best) ||
            criteria_compare(other, chosen, criterion) >= 0)
            continue;
        found = i;
        best = trade;
    }
    return found;
}

static bool reason_trade(struct text *line, const struct advice_evidence *evidence,
                         const struct field *field, enum criterion criterion)
{
    char name[CANDIDATE_NAME_MAX];
    size_t other = find_better_in(field, criterion, evidence->wishes.goal);
    if (criterion == evidence->wishes.goal || other == CHOICE_NONE)
        return false;
    text_add(line, "for better %s %s: ", criterion_name(criterion, evidence->wishes.on_clock),
             name_of(name, evidence, other));
    put_difference(line, field, other, field->choice.chosen, criterion);
    text_add(line, ", at ");
    put_difference(line, field, other, field->choice.chosen, evidence->wishes.goal);
    return true;
}

/* Of those that were only looked at, who may yet be better. */
static bool is_unraced(const struct field *field, size_t i, enum criterion goal)
{
    const struct contender *chosen = &field->contenders[field->choice.chosen];
    return criteria_is_sampled(chosen, goal) && field->entries[i].allowed &&
           !criteria_is_raced(&field->contenders[i]) &&
           criteria_may_be_better(&field->contenders[i], chosen, goal);
}

static bool reason_unraced(struct text *line, const struct advice_evidence *evidence,
                           const struct field *field)
{
    return name_each(line, evidence, field, "too few samples, may be better", "", is_unraced);
}

/* Samples that scatter so much were taken beside other work. */
static bool reason_doubt(struct text *line, const struct advice_evidence *evidence,
                         const struct field *field)
{
    (void)evidence;
    const struct criteria *of = &field->contenders[field->choice.chosen].of;
    const struct summary *cost = &of->cost_ns;
    if (!(cost->high >= SCATTERED * cost->low))
        return false;
    text_add(line,
             "doubtful: its %s is known only to a factor of %.1f; try a quieter machine, or "
             "a larger budget",
             criterion_name(CRITERION_COST, of->on_clock), cost->high / cost->low);
    return true;
}

static void add_reason(cJSON *list, reason_fn *reason, const struct advice_evidence *evidence,
                       const struct field *field)
{
    char text[WORDS_SIZE];
    struct text line = text_in(text, sizeof text);
    if (reason(&line, evidence, field))
        cJSON_AddItemToArray(list, json_text(text));
}

cJSON *words_reasons(const struct advice_evidence *evidence, const struct field *field)
{
    static reason_fn *const first[] = {reason_figures, reason_preferred, reason_equals,
                                       reason_runner_up};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add_reason(list, first[i], evidence, field);
    for (int i = 0; i < CRITERIA; i++) {
        char text[WORDS_SIZE];
        struct text line = text_in(text, sizeof text);
        if (reason_trade(&line, evidence, field, (enum criterion)i))
            cJSON_AddItemToArray(list, json_text(text));
    }
    add_reason(list, reason_unraced, evidence, field);
    add_reason(list, reason_doubt, evidence, field);
    return list;
}

/* The same design, behind the same runner? */
static bool is_alike(const struct candidate *left, const struct candidate *right)
{
    return left->design == right->design && left->runner == right->runner;
}

/* Is one candidate measured, where there was no time for those of other designs? */
static bool is_alone(const struct advice_evidence *evidence, const struct field *field)
{
    bool waits = false;
    for (size_t i = 0; i < field->count; i++)
        waits =
            waits ||
            (!evidence->candidates[i].left_out[0] && field->contenders[i].of.status[0] == '\0' &&
             !is_alike(&evidence->candidates[i], &evidence->candidates[field->choice.chosen]));
    return waits && count_measured(field) < 2;
}

/* Is the candidate as good as the chosen one, or was it looked at too shortly to be told worse?  Of few samples the
 * figures decide: their interval would leave no design out. */
static bool may_be_better(const struct advice_evidence *evidence, const struct field *field,
                          size_t index)
{
    enum criterion goal = evidence->wishes.goal;
    const struct contender *left = &field->contenders[index];
    const struct contender *right = &field->contenders[field->choice.chosen];
    bool is_few = !criteria_is_raced(left) || !criteria_is_raced(right);
    if (field->equal[index] || !field->entries[index].allowed)
        return field->equal[index] && field->by[index] == FRONT_ITSELF;
    return criteria_is_sampled(left, goal) && is_few ? criteria_may_be_near(left, right, goal)
                                                     : criteria_compare(left, right, goal) <= 0;
}

void words_unclear(char *out, size_t size, const struct advice_evidence *evidence,
                   const struct field *field)
{
    struct text line = text_in(out, size);
    size_t chosen = field->choice.chosen, others = 0, named[UNCLEAR_NAMED];
    char name[CANDIDATE_NAME_MAX];
    for (size_t i = 0; chosen != CHOICE_NONE && i < field->count; i++) {
        if (!may_be_better(evidence, field, i) ||
            is_alike(&evidence->candidates[i], &evidence->candidates[chosen]))
            continue;
        if (others < UNCLEAR_NAMED)
            named[others] = i;
        others++;
    }
    if (others == 0 && is_alone(evidence, field))
        text_add(&line, "No clear answer: there was no time for the other designs at this size");
    if (others == 0)
        return;
    text_add(&line, "No clear answer between %s", name_of(name, evidence, chosen));
    for (size_t i = 0; i < others && i < UNCLEAR_NAMED; i++)
        text_add(&line, "%s %s", i + 1 == others ? " and" : ",", name_of(name, evidence, named[i]));
    if (others > UNCLEAR_NAMED)
        text_add(&line, " and %zu more", others - UNCLEAR_NAMED);
    text_add(&line, " by %s", criterion_name(evidence->wishes.goal, evidence->wishes.on_clock));
}

#define CENTURIES_NS 0x1p63 /* 292 years */

/* The span as the design was set in any of its cells; NaN: it has none. */
static double span_of(const struct contender *contender)
{
    double span = NAN;
    for (size_t i = 0; i < CRITERIA_ROUNDS && isnan(span); i++)
        span = json_get_number(contender->cells.cells[i], "span_ticks");
    return span;
}

void words_is(char *out, size_t size, const struct advice_evidence *evidence,
              const struct field *field)
{
    struct text line = text_in(out, size);
    const struct candidate *chosen = &evidence->candidates[field->choice.chosen];
    const struct tw_backend *design = chosen->design->timed;
    double span = span_of(&field->contenders[field->choice.chosen]);
    uint64_t tick_ns = chosen->tick_ns > 0 ? chosen->tick_ns : evidence->load.tick_ns;
    if (chosen->runner) {
        const struct runner *runner = chosen->runner;
        text_add(&line, "The runner %s: %s (after %s).  The design %s: %s", runner->name,
                 runner->summary, runner->after, design->name, design->summary);
        return;
    }
    text_add(&line, "%s: %s; ", design->name, design->summary);
    double ns = span * (double)tick_ns;
    if (isnan(span)) {
        text_add(&line, "it takes every delay");
    } else if (ns >= CENTURIES_NS) {
        text_add(&line, "it takes delays of centuries");
    } else {
        char time[40];
        units_format_time(time, sizeof time, units_whole(ns));
        text_add(&line, "as it is set here it refuses delays beyond %.0f ticks (%s)", span, time);
    }
}

/* ---- The others. ------------------------------------------------------------------------------- */

static void why_dominated(struct text *line, const struct advice_evidence *evidence,
                          const struct field *field, size_t candidate, size_t by)
{
    char name[CANDIDATE_NAME_MAX];
    bool first = true;
    text_add(line, "dominated by %s: ", name_of(name, evidence, by));
    for (int i = 0; i < CRITERIA; i++) {
        if (criteria_compare(&field->contenders[by], &field->contenders[candidate],
                             (enum criterion)i) >= 0)
            continue;
        text_add(line, "%s", first ? "" : ", ");
        put_difference(line, field, candidate, by, (enum criterion)i);
        first = false;
    }
}

void words_why(char *out, size_t size, const struct advice_evidence *evidence,
               const struct field *field, size_t candidate)
{
    struct text line = text_in(out, size);
    const struct candidate *of = &evidence->candidates[candidate];
    const struct criteria *is = &field->contenders[candidate].of;
    size_t by = field->by[candidate];
    out[0] = '\0';
    if (of->left_out[0])
        text_add(&line, "%s", of->left_out);
    else if (!is->known && is->status[0])
        text_add(&line, "%s: %s", is->status, is->reason);
    else if (!is->known)
        text_add(&line, "not measured: the time was up before");
    else if (field->why[candidate][0])
        text_add(&line, "%s", field->why[candidate]);
    else if (by != FRONT_ITSELF && by != candidate)
        why_dominated(&line, evidence, field, candidate, by);
    else if (candidate != field->choice.chosen && field->choice.chosen != CHOICE_NONE)
        put_difference(&line, field, candidate, field->choice.chosen, evidence->wishes.goal);
}

void words_command(char *out, size_t size, const struct load *load,
                   const struct candidate *candidate)
{
    struct text line = text_in(out, size);
    text_add(&line, load->is_trace ? "twbench replay %s" : "twbench run --workload=%s",
             load->workload);
    if (!load->is_trace)
        text_add(&line, " --tasks=%" PRIu64, load->tasks);
    for (size_t i = 0; i < load->set_count; i++)
        text_add(&line, strpbrk(load->sets[i].value, "()") ? " --set='%s=%s'" : " --set=%s=%s",
                 load->sets[i].name, load->sets[i].value);
    if (candidate->runner) {
        text_add(&line, " --runner=%s --threads=%" PRIu32, candidate->runner->name, load->threads);
        if (load->speed != 1)
            text_add(&line, " --speed=%g", load->speed);
        if (load->played_ns > 0)
            text_add(&line, " --duration=%gms", (double)load->played_ns / 1e6);
        text_add(&line, " --runs=%d", RUNS_AGAIN);
    }
    text_add(&line, " --impl=%s", candidate->design->timed->name);
    for (size_t i = 0; i < candidate->setting_count; i++) {
        text_add(&line, " --%s=", candidate->settings[i].name);
        for (uint32_t v = 0; v < candidate->settings[i].count; v++)
            text_add(&line, "%s%" PRIu64, v ? "," : "", candidate->settings[i].values[v]);
    }
    if (candidate->tick_ns > 0) {
        char tick[32];
        units_exact_time(tick, sizeof tick, candidate->tick_ns);
        text_add(&line, " --tick=%s", tick);
    }
    if (candidate->drive != PLAN_DRIVE_TICKS)
        text_add(&line, " --drive=%s", plan_drive_name(candidate->drive));
}
