/* predicate.c - judges the parts of a claim: growth, comparison, order, formula. */
#include "labs/teach/claims/claims.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/command/labs.h"
#include "harness/measure/stats/growth.h"
#include "labs/teach/claims/quantity.h"

#include <math.h>

#define CONFIDENCE 0.95
#define TEXT_SIZE  40
/* Room for "; and 12 more". */
#define WHY_TAIL_SIZE 32

const char *claim_verdict_name(enum claim_verdict verdict)
{
    static const char *const names[] = {[CLAIM_HOLDS] = "holds",
                                        [CLAIM_INCONCLUSIVE] = "inconclusive",
                                        [CLAIM_REFUTED] = "does-not-hold"};
    return names[verdict];
}

enum claim_verdict claim_verdict_and(enum claim_verdict a, enum claim_verdict b)
{
    return a > b ? a : b;
}

/* ---- What a trial found. --------------------------------------------------------------------- */

/* Trials that are described in words; the figures have all. */
#define SAID_MAX 3

/* A trial found `verdict`, and this is why. */
static void conclude(struct judgement *out, enum claim_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void conclude(struct judgement *out, enum claim_verdict verdict, const char *format, ...)
{
    char text[PREDICATE_WHY_SIZE - WHY_TAIL_SIZE]; /* no longer than what there is room for */
    va_list args;
    if (verdict < out->verdict)
        return;
    if (verdict > out->verdict)
        out->why[0] = '\0', out->said = out->decided = 0;
    out->verdict = verdict;
    out->decided++;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t used = strlen(out->why);
    if (out->said == SAID_MAX || strstr(out->why, text) ||
        used + strlen(text) + WHY_TAIL_SIZE > sizeof out->why)
        return;
    struct text why = text_behind(out->why, sizeof out->why);
    text_add_item(&why, "; ", "%s", text);
    out->said++;
}

/* Of a list that was cut off, how much. */
static void conclude_end(struct judgement *out)
{
    struct text why = text_behind(out->why, sizeof out->why);
    if (out->said == SAID_MAX && out->decided > out->said)
        text_add(&why, "; and %u more", out->decided - out->said);
}

/* Three digits are enough to be read; the figures have more. */
static const char *number(char out[TEXT_SIZE], double value)
{
    double size = fabs(value);
    if (size >= 1e6)
        snprintf(out, TEXT_SIZE, "%.4gM", value / 1e6);
    else if (size >= 1000)
        snprintf(out, TEXT_SIZE, "%.0f", value);
    else
        snprintf(out, TEXT_SIZE, "%.3g", value);
    return out;
}

/* "64k" of 64000, but 65536 as it is. */
static const char *place(char out[TEXT_SIZE], double x)
{
    if (x >= 0 && x < 0x1p53 && fmod(x, 1000) <= 0)
        units_format_count(out, TEXT_SIZE, (uint64_t)x);
    else
        snprintf(out, TEXT_SIZE, "%.12g", x);
    return out;
}

/* The object of a design in the figures, with its list of points. */
static cJSON *points_of(struct judgement *out, const char *impl)
{
    cJSON *object = cJSON_GetObjectItemCaseSensitive(out->figures, impl);
    if (!object) {
        object = cJSON_AddObjectToObject(out->figures, impl);
        cJSON_AddArrayToObject(object, "points");
    }
    return cJSON_GetObjectItemCaseSensitive(object, "points");
}

static void add_quantity(cJSON *point, const char *prefix, const struct quantity *quantity)
{
    char key[24];
    json_add_measure(point, prefix, quantity->median);
    if (!quantity->timed)
        return;
    snprintf(key, sizeof key, "%s_low", prefix);
    json_add_measure(point, key, quantity->low);
    snprintf(key, sizeof key, "%s_high", prefix);
    json_add_measure(point, key, quantity->high);
}

static cJSON *add_point(struct judgement *out, const char *impl, double x,
                        const struct quantity *value)
{
    cJSON *point = cJSON_CreateObject();
    json_add_measure(point, "x", x);
    add_quantity(point, "value", value);
    cJSON_AddItemToArray(points_of(out, impl), point);
    return point;
}

/* ---- Looking up. ----------------------------------------------------------------------------- */

const cJSON *evidence_find(const struct evidence *evidence, const struct experiment_run *run,
                           const char *impl, double x)
{
    for (size_t i = 0; i < evidence->count; i++) {
        const struct evidence_cell *cell = &evidence->cells[i];
        if (cell->run == run && strcmp(cell->impl, impl) == 0 && cell->x >= x && cell->x <= x)
            return cell->cell;
    }
    return NULL;
}

static bool is_built(const struct experiment_run *run, const char *impl)
{
    size_t i = 0;
    while (i < run->impl_count && strcmp(run->impls[i], impl) != 0)
        i++;
    return run->on_stores || i == run->impl_count || run->designs[i];
}

/* False, and the trial is inconclusive, when there is no such figure. */
static bool look_up(const struct evidence *evidence, const struct experiment_selector *selector,
                    const char *impl, double x, const cJSON **cell, struct quantity *value,
                    struct judgement *out)
{
    char at[TEXT_SIZE], program[4200];
    *cell = evidence_find(evidence, selector->run, impl, x);
    const char *status = *cell ? json_get_text(*cell, "status") : "";
    if (!*cell && evidence->counts_only && selector->run->timed)
        conclude(out, CLAIM_INCONCLUSIVE, "rests on runs with times, which --quick does not take");
    else if (!*cell && selector->run->lab &&
             !lab_program(selector->run->lab, program, sizeof program))
        conclude(out, CLAIM_INCONCLUSIVE, "the lab %s is not built ('make %s')", selector->run->lab,
                 selector->run->lab);
    else if (!*cell && !is_built(selector->run, impl))
        conclude(out, CLAIM_INCONCLUSIVE,
                 "%s is a library's, which is not built ('make libraries')", impl);
    else if (!*cell)
        conclude(out, CLAIM_INCONCLUSIVE, "%s at %s was not run", impl, place(at, x));
    /* A store that loses or repeats has a ledger, which the claim is about, and so has an original that died. */
    bool died = strcmp(status, "crashed") == 0 && json_get(*cell, "original");
    bool has_figures = strcmp(status, "ok") == 0 || died ||
                       (selector->run->on_stores && strcmp(status, "mismatch") == 0);
    if (*cell && !has_figures)
        conclude(out, CLAIM_INCONCLUSIVE, "%s at %s: %s: %.120s", impl, place(at, x), status,
                 json_get_text(*cell, "reason"));
    if (!has_figures)
        return false;
    *value = quantity_of(*cell, selector->phase, selector->figure);
    if (!isnan(value->median))
        return true;
    conclude(out, CLAIM_INCONCLUSIVE, "%s at %s does not report %s", impl, place(at, x),
             selector->figure);
    return false;
}

static bool is_asked(const struct experiment_selector *selector, double x)
{
    return isnan(selector->at) || (selector->at >= x && selector->at <= x);
}

/* The figures of a design over all x; false when one of them is missing. */
struct series {
    size_t count;
    struct growth_point points[EXPERIMENT_POINTS_MAX];
    bool timed, is_sure; /* every interval has its confidence */
};

static bool collect(const struct experiment_part *part, const struct evidence *evidence,
                    const char *impl, struct series *series, struct judgement *out)
{
    bool whole = true;
    *series = (struct series){.is_sure = true, .timed = part->of.timed};
    for (size_t i = 0; i < part->of.run->point_count; i++) {
        double x = part->of.run->points[i].x;
        const cJSON *cell;
        struct quantity value;
        if (!look_up(evidence, &part->of, impl, x, &cell, &value, out)) {
            whole = false;
            continue;
        }
        add_point(out, impl, x, &value);
        series->is_sure = series->is_sure && value.confidence >= CONFIDENCE;
        series->points[series->count++] =
            (struct growth_point){x, value.median, value.low, value.high};
    }
    return whole;
}

/* "12, 24, 48 at 1k, 2k, 4k" */
static void say_series(char *text, size_t size, const struct series *series)
{
    char word[TEXT_SIZE];
    struct text list = text_in(text, size);
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 0; i < series->count; i++)
            text_add_item(&list, i || !half ? ", " : " at ", "%s",
                          half ? place(word, series->points[i].n)
                               : number(word, series->points[i].y));
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* At least as fast as the bound: every possible class is; refuted when none is. */
static enum claim_verdict grows_at_least(const struct growth_fit *fit, enum tw_growth bound)
{
    if (fit->classes == 0)
        return CLAIM_INCONCLUSIVE;
    if (growth_lowest(fit) >= bound)
        return CLAIM_HOLDS;
    return growth_highest(fit) < bound ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
}

static enum claim_verdict grows_at_most(const struct growth_fit *fit, const struct series *series,
                                        enum tw_growth bound)
{
    enum growth_answer answer = growth_at_most(fit, series->points, series->count, bound);
    return answer == GROWTH_HOLDS    ? CLAIM_HOLDS
           : answer == GROWTH_BROKEN ? CLAIM_REFUTED
                                     : CLAIM_INCONCLUSIVE;
}

static void judge_growth(const struct experiment_part *part, const struct evidence *evidence,
                         const char *impl, struct judgement *out)
{
    struct series series;
    char classes[80], text[300], label[EXPERIMENT_LABEL_SIZE];
    if (!collect(part, evidence, impl, &series, out))
        return;
    struct growth_fit fit = growth_fit(series.points, series.count);
    enum claim_verdict verdict = CLAIM_HOLDS;
    if (part->has_at_most)
        verdict = grows_at_most(&fit, &series, part->at_most);
    if (part->has_at_least)
        verdict = claim_verdict_and(verdict, grows_at_least(&fit, part->at_least));
    if (!series.is_sure && verdict != CLAIM_INCONCLUSIVE)
        verdict = CLAIM_INCONCLUSIVE;
    growth_name_classes(classes, sizeof classes, &fit);
    say_series(text, sizeof text, &series);
    experiment_label(label, &part->of, impl);
    conclude(out, verdict, "%s: %s: %s", label, text, classes);
    cJSON *object = cJSON_GetObjectItemCaseSensitive(out->figures, impl);
    json_add_text(object, "classes", classes);
    json_put(object, &fit, exponent, exponent_low, exponent_high);
}

/* ---- compare --------------------------------------------------------------------------------- */

/* Where the interval [low, high] lies in relation to `bound`. */
static enum claim_verdict side_of(double low, double high, double bound, bool above)
{
    if (above)
        return low > bound ? CLAIM_HOLDS : high <= bound ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
    return high < bound ? CLAIM_HOLDS : low >= bound ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
}

static enum claim_verdict relate(const struct experiment_part *part, const struct quantity *ratio)
{
    if (part->relation != IS_EQUAL)
        return side_of(ratio->low, ratio->high, part->times, part->relation == IS_ABOVE);
    double least = part->times * (1 - part->within), most = part->times * (1 + part->within);
    if (ratio->low >= least && ratio->high <= most)
        return CLAIM_HOLDS;
    return ratio->high < least || ratio->low > most ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
}

/* Against nothing there is no ratio, and times make no difference. */
static enum claim_verdict relate_to_zero(const struct experiment_part *part,
                                         const struct quantity *value)
{
    if (part->relation == IS_BELOW)
        return CLAIM_REFUTED;
    bool is_more = value->low > 0;
    return (part->relation == IS_ABOVE) == is_more ? CLAIM_HOLDS : CLAIM_REFUTED;
}

static bool is_sure(const struct quantity *ratio)
{
    bool has_interval = ratio->count > 0 || ratio->low < ratio->high;
    return !ratio->timed || (has_interval && ratio->confidence >= CONFIDENCE);
}

/* ", above 2 times wanted", or ", equal wanted". */
static const char *say_wanted(char out[2 * TEXT_SIZE], const struct experiment_part *part)
{
    char times[TEXT_SIZE];
    bool is_plain = part->times >= 1 && part->times <= 1;
    snprintf(out, 2 * TEXT_SIZE, ", %s%s%s wanted", experiment_relation_name(part->relation),
             is_plain ? "" : " ", is_plain ? "" : number(times, part->times));
    return out;
}

static void say_comparison(const struct experiment_part *part, enum claim_verdict verdict,
                           const char *head, const struct quantity *value, const char *other_name,
                           const struct quantity *other, const struct quantity *ratio,
                           struct judgement *out)
{
    char left[TEXT_SIZE], right[TEXT_SIZE], median[TEXT_SIZE], low[TEXT_SIZE], high[TEXT_SIZE];
    char wanted[2 * TEXT_SIZE], bounds[3 * TEXT_SIZE] = "", factor[4 * TEXT_SIZE] = "";
    if (ratio->timed)
        snprintf(bounds, sizeof bounds, " (%s .. %s)", number(low, ratio->low),
                 number(high, ratio->high));
    if (!isnan(ratio->median))
        snprintf(factor, sizeof factor, ": %s times%s", number(median, ratio->median), bounds);
    conclude(out, verdict, "%s: %s against %s%s%s%s%s", head, number(left, value->median),
             number(right, other->median), other_name, factor, say_wanted(wanted, part),
             is_sure(ratio) ? "" : "; too few samples");
}

/* The cell's own prediction, or the figure of another cell; false when there is none. */
static bool find_other(const struct experiment_part *part, const struct evidence *evidence,
                       const char *impl, double x, const cJSON *cell, struct quantity *other,
                       bool *same_rounds, char *name, size_t name_size, struct judgement *out)
{
    const cJSON *other_cell = cell;
    char at[TEXT_SIZE], label[EXPERIMENT_LABEL_SIZE];
    *same_rounds = true;
    if (!part->has_to) {
        *other = quantity_of(cell, part->of.phase, part->predict);
        char *end;
        strtod(part->predict, &end);
        snprintf(name, name_size, "%s%.60s", *end ? " = " : "", *end ? part->predict : "");
        return true;
    }
    const char *other_impl = part->to.impl_count == 1 ? part->to.impls[0] : impl;
    double other_x = isnan(part->to.at) ? x : part->to.at;
    if (!look_up(evidence, &part->to, other_impl, other_x, &other_cell, other, out))
        return false;
    *same_rounds = !part->of.run->lab && strcmp(json_get_text(cell, "stream.hash"),
                                                json_get_text(other_cell, "stream.hash")) == 0;
    bool elsewhere = other_x < x || other_x > x;
    bool differs = strcmp(part->of.figure, part->to.figure) != 0;
    experiment_label(label, &part->to, other_impl);
    snprintf(name, name_size, " of %s%s%.20s", differs ? label : strstr(label, " of ") + 4,
             elsewhere ? " at " : "", elsewhere ? place(at, other_x) : "");
    return true;
}

static void judge_comparison(const struct experiment_part *part, const struct evidence *evidence,
                             const char *impl, double x, struct judgement *out)
{
    const cJSON *cell;
    struct quantity value, other;
    char label[EXPERIMENT_LABEL_SIZE], head[EXPERIMENT_LABEL_SIZE + TEXT_SIZE];
    char name[EXPERIMENT_LABEL_SIZE + 50], at[TEXT_SIZE];
    bool same_rounds;
    if (!look_up(evidence, &part->of, impl, x, &cell, &value, out) ||
        !find_other(part, evidence, impl, x, cell, &other, &same_rounds, name, sizeof name, out))
        return;
    struct quantity ratio = quantity_ratio(&value, &other, same_rounds);
    cJSON *point = add_point(out, impl, x, &value);
    json_add_text(point, "against", name[0] ? name + strspn(name, " =") : part->predict);
    add_quantity(point, "to", &other);
    add_quantity(point, "ratio", &ratio);
    experiment_label(label, &part->of, impl);
    snprintf(head, sizeof head, "%s at %s", label, place(at, x));
    enum claim_verdict verdict = CLAIM_INCONCLUSIVE;
    if (other.high <= 0)
        verdict = relate_to_zero(part, &value);
    else if (is_sure(&ratio) && !isnan(ratio.median))
        verdict = relate(part, &ratio);
    say_comparison(part, verdict, head, &value, name, &other, &ratio, out);
}

static void judge_compare(const struct experiment_part *part, const struct evidence *evidence,
                          const char *impl, struct judgement *out)
{
    for (size_t i = 0; i < part->of.run->point_count; i++)
        if (is_asked(&part->of, part->of.run->points[i].x))
            judge_comparison(part, evidence, impl, part->of.run->points[i].x, out);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Whether b is above a, as far as their intervals tell. */
static enum claim_verdict step_rises(const struct growth_point *a, const struct growth_point *b)
{
    if (b->low > a->high)
        return CLAIM_HOLDS;
    return b->high <= a->low ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
}

static enum claim_verdict series_is_flat(const struct series *series, double within)
{
    double least = INFINITY, most = 0, least_high = INFINITY, most_low = 0;
    for (size_t i = 0; i < series->count; i++) {
        least = fmin(least, series->points[i].low);
        most = fmax(most, series->points[i].high);
        least_high = fmin(least_high, series->points[i].high);
        most_low = fmax(most_low, series->points[i].low);
    }
    if (most <= least * (1 + within))
        return CLAIM_HOLDS;
    return most_low > least_high * (1 + within) ? CLAIM_REFUTED : CLAIM_INCONCLUSIVE;
}

static void judge_order(const struct experiment_part *part, const struct evidence *evidence,
                        const char *impl, struct judgement *out)
{
    struct series series;
    char text[300], label[EXPERIMENT_LABEL_SIZE];
    if (!collect(part, evidence, impl, &series, out))
        return;
    enum claim_verdict verdict = CLAIM_HOLDS;
    if (part->relation == IS_FLAT)
        verdict = series_is_flat(&series, part->within);
    for (size_t i = 1; part->relation != IS_FLAT && i < series.count; i++) {
        bool rises = part->relation == IS_RISING;
        verdict = claim_verdict_and(verdict, step_rises(&series.points[rises ? i - 1 : i],
                                                        &series.points[rises ? i : i - 1]));
    }
    if (!series.is_sure)
        verdict = CLAIM_INCONCLUSIVE;
    say_series(text, sizeof text, &series);
    experiment_label(label, &part->of, impl);
    conclude(out, verdict, "%s: %s, %s wanted", label, text,
             experiment_relation_name(part->relation));
}

/* ---- formula --------------------------------------------------------------------------------- */

static void judge_formula(const struct experiment_part *part, struct judgement *out)
{
    const struct formula *formula = formula_find(part->formula);
    struct formula_outcome outcome = {0};
    formula->run(&outcome);
    json_add_text(out->figures, "formula", formula->text);
    json_add_integer(out->figures, "cases", outcome.cases);
    json_add_integer(out->figures, "wrong", outcome.wrong);
    json_add_text(out->figures, "first_wrong", outcome.first);
    conclude(out, outcome.wrong == 0 ? CLAIM_HOLDS : CLAIM_REFUTED,
             "%s: wrong in %llu of %llu cases%s%s", formula->text,
             (unsigned long long)outcome.wrong, (unsigned long long)outcome.cases,
             outcome.first[0] ? ", the first: " : "", outcome.first);
}

/* ---- A part. --------------------------------------------------------------------------------- */

void predicate_judge(const struct experiment_part *part, const struct evidence *evidence,
                     struct judgement *out)
{
    typedef void judge_fn(const struct experiment_part *, const struct evidence *, const char *,
                          struct judgement *);
    static judge_fn *const kinds[] = {
        [KIND_GROWTH] = judge_growth, [KIND_COMPARE] = judge_compare, [KIND_ORDER] = judge_order};
    *out = (struct judgement){.verdict = CLAIM_HOLDS, .figures = cJSON_CreateObject()};
    if (part->kind == KIND_FORMULA) {
        judge_formula(part, out);
        return;
    }
    size_t count;
    const char *const *impls = experiment_impls(&part->of, &count);
    for (size_t i = 0; i < count; i++)
        kinds[part->kind](part, evidence, impls[i], out);
    conclude_end(out);
}
