/* advice.c - writes an advice as JSON, from the evidence and the choice. */
#include "labs/advise/evidence.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/tell/result/interval.h"
#include "labs/advise/choice.h"

#include <math.h>

/* Times the budget that may be named as the next. */
#define TIMES_MAX 20

/* ---- What was asked. ------------------------------------------------------------------------- */

/* Null: not wished, or not known. */
static void add_positive(cJSON *object, const char *key, double value)
{
    json_add_measure(object, key, value > 0 ? value : NAN);
}

static cJSON *make_load(const struct load *load)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, load, workload, is_trace);
    /* A load that was not made is known by its name, and by the tasks that were asked for. */
    add_positive(object, "tasks", (double)load->tasks);
    add_positive(object, "tick_ns", (double)load->tick_ns);
    add_positive(object, "capacity", (double)load->capacity);
    add_positive(object, "horizon_ticks", (double)load->horizon);
    add_positive(object, "threads", (double)load->threads);
    json_add_measure(object, "speed", load->threads > 0 ? load->speed : NAN);
    add_positive(object, "played_ns", (double)load->played_ns);
    return object;
}

static cJSON *make_wishes(const struct wishes *wishes)
{
    char rule[WORDS_SIZE];
    cJSON *object = cJSON_CreateObject();
    wishes_describe(rule, sizeof rule, wishes);
    json_add_text(object, "for", criterion_name(wishes->goal, false));
    json_add_text(object, "clock", wishes->on_clock ? "real" : "virtual");
    json_add(object, "exact", cJSON_CreateBool(!wishes->late && !wishes->on_clock));
    add_positive(object, "late_ns", (double)wishes->late_ns);
    add_positive(object, "late_share", wishes->late_share);
    add_positive(object, "memory_bytes_per_task", (double)wishes->memory_bytes);
    add_positive(object, "tail_ns", (double)wishes->tail_ns);
    if (wishes->between != PLAN_BETWEEN_UNASKED)
        json_add_text(object, "between",
                      plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, wishes->between));
    json_add_text(object, "rule", rule);
    return object;
}

/* A budget or a deadline, whichever ended it, that would do for what was left out, going by what it did: of 1, 2 or 5 times
 * a power of ten; 0: it left out nothing. */
static double next_budget_ns(const struct advice_evidence *evidence, size_t measured)
{
    static const double steps[] = {1, 2, 5, 10};
    double all = (double)(measured + evidence->untried), times = all / fmax((double)measured, 1);
    bool by_deadline = evidence->used_ns < evidence->budget_ns / 4;
    double limit_ns = (double)(by_deadline ? evidence->used_ns : evidence->budget_ns);
    double ns = limit_ns * fmin(fmax(times, 2), TIMES_MAX), unit;
    size_t i = 0;
    if (evidence->untried == 0 && !evidence->cut && !evidence->unmade[0])
        return 0;
    unit = pow(10, floor(log10(ns)));
    while (i < 3 && steps[i] * unit < ns)
        i++;
    return steps[i] * unit;
}

static cJSON *make_budget(const struct advice_evidence *evidence, const struct field *field)
{
    size_t measured = 0;
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < field->count; i++)
        measured += field->contenders[i].of.known;
    json_add_integer(object, "measured", measured);
    add_positive(object, "next_ns", next_budget_ns(evidence, measured));
    json_add_integer(object, "asked_ns", evidence->budget_ns);
    json_put(object, evidence, used_ns, untried, interrupted, cut);
    return object;
}

/* ---- Candidates. ----------------------------------------------------------------------------- */

/* Of a candidate on the real clock. */
static cJSON *make_clock(const struct criteria *of)
{
    cJSON *object = cJSON_CreateObject();
    json_add_measure(object, "late_p50_ns", of->late_p50_ns);
    json_add(object, "late_p99_ns", interval_of_summary(&of->late_ns));
    json_put(object, of, start_p99_ns, stop_p99_ns);
    json_add(object, "caller_p99_ns", interval_of_summary(&of->caller_ns));
    json_add_measure(object, "idle_wakeups_per_s", of->wakeups);
    return object;
}

/* What slack would save: of each design its wake-ups, and by how much they are fewer than those of an exact one. */
static cJSON *make_slack(const struct advice_evidence *evidence)
{
    const struct slack_count *exact = &evidence->slack_counts[0];
    cJSON *object = cJSON_CreateObject(), *designs = cJSON_CreateArray();
    json_add_text(object, "asked", evidence->slack);
    json_add_integer(object, "ticks", evidence->granted.ticks);
    json_add_integer(object, "shift", evidence->granted.shift);
    json_add_measure(object, "exact_wakeups", exact->impl ? exact->wakeups : NAN);
    for (size_t i = 1; i < SLACK_DESIGNS && exact->impl; i++) {
        const struct slack_count *count = &evidence->slack_counts[i];
        cJSON *item = cJSON_CreateObject();
        json_put(item, count, impl, wakeups);
        json_add_measure(item, "saved_share", 1 - count->wakeups / exact->wakeups);
        json_add_measure(item, "expiries_per_wakeup", count->expiries / count->wakeups);
        json_put(item, count, late_p50_ns, late_p99_ns);
        cJSON_AddItemToArray(designs, item);
    }
    json_add(object, "designs", designs);
    return object;
}

/* Of a candidate that sleeps until next: its own wake-ups if it takes slack, those of any exact one if it is exact. */
static double slack_wakeups(const struct advice_evidence *evidence,
                            const struct candidate *candidate)
{
    const struct slack_count *counts = evidence->slack_counts;
    for (size_t i = 1; i < SLACK_DESIGNS && counts[i].impl; i++)
        if (strcmp(counts[i].impl, candidate->design->timed->name) == 0)
            return counts[i].wakeups;
    return counts[0].impl && candidate_is_exact(candidate) ? counts[0].wakeups : NAN;
}

static cJSON *make_figures(const struct criteria *of)
{
    cJSON *object = cJSON_CreateObject();
    json_add(object, "cost_ns_per_op", interval_of_summary(&of->cost_ns));
    json_put(object, of, bytes_per_task, fixed_bytes, peak_bytes);
    json_add_measure(object, "advance_p99_ns", of->on_clock ? NAN : of->tail_p99_ns);
    json_add_measure(object, "advance_max_ns", of->on_clock ? NAN : of->tail_max_ns);
    json_add_integer(object, "advance_passes", of->tail_passes);
    json_put(object, of, late_mean_ns, late_max_ns);
    json_add_measure(object, "wakeups", of->on_clock ? NAN : of->wakeups);
    json_add_measure(object, "useful_wakeups", of->on_clock ? NAN : of->useful_wakeups);
    json_add(object, "clock", of->on_clock ? make_clock(of) : cJSON_CreateNull());
    return object;
}

static const char *status_of(const struct advice_evidence *evidence, const struct field *field,
                             size_t i)
{
    const struct criteria *of = &field->contenders[i].of;
    if (evidence->candidates[i].left_out[0])
        return "left-out";
    if (!of->known)
        return of->status[0] && strcmp(of->status, "ok") != 0 ? of->status : "not-measured";
    if (!field->entries[i].allowed)
        return "refused";
    if (i == field->choice.chosen)
        return "recommended";
    if (field->equal[i])
        return "not-told-apart";
    return field->by[i] == FRONT_ITSELF ? "front" : "dominated";
}

static cJSON *make_settings(const struct candidate *candidate)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < candidate->setting_count; i++) {
        const struct tw_setting *setting = &candidate->settings[i];
        cJSON *list = cJSON_CreateArray();
        for (uint32_t v = 0; v < setting->count; v++)
            cJSON_AddItemToArray(list, json_integer(setting->values[v]));
        json_add(object, setting->name, list);
    }
    return object;
}

static cJSON *make_identities(const struct advice_evidence *evidence, size_t candidate)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < evidence->item_count; i++) {
        const struct evidence_item *item = &evidence->items[i];
        if (item->candidate == candidate && item->cell)
            cJSON_AddItemToArray(list, jsontext_string(item->identity));
    }
    return list;
}

/* The tick that the candidate was measured at: its own, the runner's, the load's. */
static double tick_of(const struct candidate *candidate, const struct contender *contender,
                      const struct load *load)
{
    double tick_ns = (double)(candidate->tick_ns > 0 ? candidate->tick_ns : load->tick_ns);
    if (candidate->runner)
        tick_ns = NAN;
    for (size_t i = 0; i < CRITERIA_ROUNDS && isnan(tick_ns); i++)
        tick_ns = json_get_number(contender->cells.cells[i], "clock.tick_ns");
    return tick_ns;
}

static cJSON *make_candidate(const struct advice_evidence *evidence, const struct field *field,
                             size_t i)
{
    char text[WORDS_SIZE];
    const struct candidate *candidate = &evidence->candidates[i];
    const struct load *load = &evidence->load;
    const struct criteria *of = &field->contenders[i].of;
    cJSON *object = cJSON_CreateObject();
    candidate_name(text, sizeof text, candidate);
    json_add_text(object, "name", text);
    json_add_text(object, "impl", candidate->design->timed->name);
    json_add_text(object, "runner", candidate->runner ? candidate->runner->name : NULL);
    json_add(object, "settings", make_settings(candidate));
    json_add_text(object, "drive", plan_drive_name(candidate->drive));
    json_add_measure(object, "tick_ns", tick_of(candidate, &field->contenders[i], load));
    json_add_text(object, "status", status_of(evidence, field, i));
    json_add(object, "front",
             cJSON_CreateBool(field->entries[i].allowed && field->by[i] == FRONT_ITSELF));
    words_why(text, sizeof text, evidence, field, i);
    json_add_text(object, "why", text);
    cJSON *figures = of->known ? make_figures(of) : cJSON_CreateNull();
    if (of->known && evidence->slack)
        json_add_measure(figures, "slack_wakeups", slack_wakeups(evidence, candidate));
    json_add(object, "figures", figures);
    json_add(object, "cells", make_identities(evidence, i));
    return object;
}

/* ---- The recommendation. --------------------------------------------------------------------- */

static cJSON *make_recommendation(const struct advice_evidence *evidence, const struct field *field)
{
    char text[WORDS_SIZE];
    const struct choice *choice = &field->choice;
    if (choice->chosen == CHOICE_NONE)
        return cJSON_CreateNull();
    const struct candidate *chosen = &evidence->candidates[choice->chosen];
    cJSON *object = cJSON_CreateObject();
    candidate_name(text, sizeof text, chosen);
    json_add_text(object, "candidate", text);
    words_command(text, sizeof text, &evidence->load, chosen);
    if (evidence->wishes.between != PLAN_BETWEEN_UNASKED)
        snprintf(text + strlen(text), sizeof text - strlen(text), " --between=%s",
                 plan_between_name((char[PLAN_BETWEEN_TEXT]){""}, evidence->wishes.between));
    json_add_text(object, "command", text);
    json_add(object, "reasons", words_reasons(evidence, field));
    words_unclear(text, sizeof text, evidence, field);
    json_add_text(object, "unclear", text);
    words_is(text, sizeof text, evidence, field);
    json_add_text(object, "is", text);
    return object;
}

static cJSON *make_ratio(const struct contender *left, const struct contender *right,
                         enum criterion criterion)
{
    struct summary ratio = criteria_ratio(&left->cells, &right->cells, criterion);
    return left->of.on_clock ? interval_of_summary(&ratio) : cJSON_CreateNull();
}

static cJSON *make_comparison(const struct advice_evidence *evidence, const struct field *field,
                              size_t other)
{
    char name[CANDIDATE_NAME_MAX], why[WORDS_SIZE];
    cJSON *object = cJSON_CreateObject();
    const struct contender *left = &field->contenders[other];
    const struct contender *right = &field->contenders[field->choice.chosen];
    struct summary ratio = criteria_ratio(&left->cells, &right->cells, CRITERION_COST);
    candidate_name(name, sizeof name, &evidence->candidates[other]);
    json_add_text(object, "candidate", name);
    json_add(object, "cost_ratio", interval_of_summary(&ratio));
    json_add(object, "told_apart", cJSON_CreateBool(criteria_ratio_sign(&ratio) != 0));
    json_add_measure(object, "memory_ratio",
                     left->of.known ? left->of.bytes_per_task / right->of.bytes_per_task : NAN);
    words_why(why, sizeof why, evidence, field, other);
    json_add_text(object, "why",
                  !left->of.known       ? why
                  : isnan(ratio.median) ? WORDS_COST_UNCLEAR
                                        : NULL);
    json_add(object, "late_ratio", make_ratio(left, right, CRITERION_PRECISION));
    json_add(object, "caller_ratio", make_ratio(left, right, CRITERION_TAIL));
    return object;
}

/* One of those that every reader knows, as it comes; on the real clock each. */
static bool is_reference(const struct candidate *candidate)
{
    static const char *const names[] = {"list", "heap", "hashed", "hier", "fast"};
    if (candidate->runner)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(candidate->design->timed->name, names[i]) == 0)
            return candidate->setting_count == 0 && candidate->tick_ns == 0 &&
                   candidate->drive == PLAN_DRIVE_TICKS;
    return false;
}

/* Against those that always stand there, then each that is on the front, or that does not differ significantly. */
static cJSON *make_comparisons(const struct advice_evidence *evidence, const struct field *field)
{
    cJSON *list = cJSON_CreateArray();
    size_t chosen = field->choice.chosen;
    for (int others = 0; others < 2 && chosen != CHOICE_NONE; others++)
        for (size_t i = 0; i < field->count; i++)
            if (i != chosen && is_reference(&evidence->candidates[i]) != others &&
                (!others ||
                 (field->entries[i].allowed && (field->equal[i] || field->by[i] == FRONT_ITSELF))))
                cJSON_AddItemToArray(list, make_comparison(evidence, field, i));
    return list;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

cJSON *advice_make(const struct advice_evidence *evidence)
{
    struct field *field = memory_take(1, sizeof *field);
    cJSON *advice = cJSON_CreateObject(), *candidates = cJSON_CreateArray();
    field_fill(field, evidence);
    json_add(advice, "load", make_load(&evidence->load));
    json_add(advice, "wishes", make_wishes(&evidence->wishes));
    json_add(advice, "budget", make_budget(evidence, field));
    add_positive(advice, "interruption_ns", evidence->interruption_ns);
    if (evidence->slack)
        json_add(advice, "slack", make_slack(evidence));
    json_add(advice, "recommendation", make_recommendation(evidence, field));
    json_add(advice, "comparisons", make_comparisons(evidence, field));
    for (size_t i = 0; i < evidence->candidate_count; i++)
        cJSON_AddItemToArray(candidates, make_candidate(evidence, field, i));
    json_add(advice, "candidates", candidates);
    json_add(advice, "runs",
             evidence->runs ? cJSON_Duplicate(evidence->runs, true) : cJSON_CreateNull());
    free(field);
    return advice;
}

void advice_attach(struct advice_evidence *evidence, struct result_document *document)
{
    evidence_look(evidence, result_json(document));
    result_attach(document, "advice", advice_make(evidence));
}
