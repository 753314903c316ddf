/* page_advice.c - builds the page of an advice: the recommendation, the candidates beside it. */
#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0 unless it is a number that such an integer can hold. */
static uint64_t count_at(const cJSON *object, const char *dotted)
{
    double value = json_get_number(object, dotted);
    return value > 0 && value < 9e18 ? units_whole(value) : 0;
}

void page_advice_title(char *out, size_t size, const cJSON *document)
{
    char tick[32], count[32], tasks[48] = "";
    const cJSON *load = json_get(document, "advice.load");
    uint64_t tick_ns = count_at(load, "tick_ns"); /* 0: the load was not made */
    units_format_time(tick, sizeof tick, tick_ns);
    units_format_count(count, sizeof count, count_at(load, "tasks"));
    if (count_at(load, "tasks") > 0)
        snprintf(tasks, sizeof tasks, ", %s tasks", count);
    snprintf(out, size, "%.160s%s%s%s", json_get_text(load, "workload"), tasks,
             tick_ns > 0 ? ", tick " : "", tick_ns > 0 ? tick : "");
}

static bool has_status(const struct place *candidate, const char *status)
{
    return strcmp(place_text(candidate, "status"), status) == 0;
}

/* ---- The recommendation. --------------------------------------------------------------------- */

static bool knows_any(const struct place *advice)
{
    struct place candidates = place_get(advice, "candidates");
    for (struct place at = place_item(&candidates, 0); at.json; place_next(&at))
        if (json_get(at.json, "figures"))
            return true;
    return false;
}

static void add_recommendation(struct page *page, const struct place *advice)
{
    struct place recommendation = place_get(advice, "recommendation");
    struct place reasons = place_get(&recommendation, "reasons");
    if (!recommendation.json) {
        page_text(page, "%s",
                  knows_any(advice) ? "No candidate was measured that keeps to the wishes."
                                    : "Nothing was measured.");
        return;
    }
    if (place_text(&recommendation, "unclear")[0])
        page_say(page, PAGE_TEXT, &recommendation,
                 "{unclear:strong}.  The rest is about {candidate}.");
    else
        page_say(page, PAGE_TEXT, &recommendation, "Take {candidate:strong}");
    if (json_get(recommendation.json, "is"))
        page_say(page, PAGE_TEXT, &recommendation, "{is}.");
    page_say_each(page, PAGE_ITEM, &reasons, "{}");
    page_text(page, "Measure it again:");
    page_say(page, PAGE_CODE_BLOCK, &recommendation, "{command}");
}

#define COMPARED_MAX 10

/* What the others cost, over the recommended one.  Files of before have no memory here. */
static void add_comparisons(struct page *page, const struct place *advice)
{
    struct place rows = place_get(advice, "comparisons");
    int left = COMPARED_MAX;
    if (!rows.json || !rows.json->child)
        return;
    page_heading(page, 2, "compared", "Compared with the recommended one");
    page_table(page, "compared-table",
               "Cost and memory as multiples of those of the recommended one");
    page_column(page, "", "candidate", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "cost", "times", 0, 0);
    page_column(page, "from", "", 0, 2);
    page_column(page, "to", "", 0, 2);
    page_column(page, "memory", "times", 0, 1);
    page_column(page, "", "", PAGE_LEFT | PAGE_PROSE, 0);
    for (struct place row = place_item(&rows, 0); row.json && left-- > 0; place_next(&row)) {
        page_row(page);
        page_cell_put(page, &row, "candidate");
        if (json_get(row.json, "cost_ratio.median"))
            page_cell_put(page, &row, "cost_ratio.median");
        else
            page_cell(page, "not measured");
        page_cell_put(page, &row, "cost_ratio.low");
        page_cell_put(page, &row, "cost_ratio.high");
        page_cell_put(page, &row, "memory_ratio");
        page_cell_put(page, &row, "why");
    }
}

/* ---- Tables of candidates. ------------------------------------------------------------------- */

/* Columns in units of time read well for all rows that are shown. */
static const char *const time_paths[] = {"figures.advance_p99_ns", "figures.advance_max_ns",
                                         "figures.late_max_ns"};
enum { P99, MAX, LATE, TIMES };

struct candidates {
    struct place *rows; /* sorted by cost */
    size_t count;
    const char *units[TIMES];
    double divisors[TIMES];
};

static int by_cost(const void *left, const void *right)
{
    double a = place_number(left, "figures.cost_ns_per_op.median");
    double b = place_number(right, "figures.cost_ns_per_op.median");
    return (a > b) - (a < b);
}

static bool is_on_front(const struct place *candidate)
{
    return json_get(candidate->json, "figures") &&
           (cJSON_IsTrue(json_get(candidate->json, "front")) ||
            has_status(candidate, "recommended") || has_status(candidate, "not-told-apart"));
}

static bool is_measured(const struct place *candidate)
{
    return json_get(candidate->json, "figures") != NULL;
}

static void find_unit(struct candidates *candidates, size_t which)
{
    double *values = calloc(candidates->count + 1, sizeof *values);
    for (size_t i = 0; values && i < candidates->count; i++)
        values[i] = place_number(&candidates->rows[i], time_paths[which]);
    candidates->units[which] =
        figure_time_unit(values, values ? candidates->count : 0, &candidates->divisors[which]);
    free(values);
}

/* Nothing without memory; candidates_free in any case. */
static void gather(struct candidates *candidates, const struct place *advice,
                   bool (*is_taken)(const struct place *))
{
    struct place all = place_get(advice, "candidates");
    *candidates = (struct candidates){
        .rows = calloc((size_t)cJSON_GetArraySize(all.json) + 1, sizeof *candidates->rows)};
    for (struct place at = place_item(&all, 0); at.json && candidates->rows; place_next(&at))
        if (is_taken(&at))
            candidates->rows[candidates->count++] = at;
    if (candidates->rows)
        qsort(candidates->rows, candidates->count, sizeof *candidates->rows, by_cost);
    for (size_t i = 0; i < TIMES; i++)
        find_unit(candidates, i);
}

static void candidates_free(struct candidates *candidates)
{
    free(candidates->rows);
}

static void add_columns(struct page *page, const struct candidates *candidates)
{
    const char *const *units = candidates->units;
    page_column(page, "", "candidate", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "cost", "ns/op", PAGE_BEST, 0);
    page_column(page, "", "", PAGE_LEFT, 5);
    page_column(page, "adv. p99", units[P99], PAGE_BEST, 3);
    page_column(page, "adv. max", units[MAX], PAGE_BEST, 8);
    page_column(page, "memory", "B/task", PAGE_BEST, 9);
    page_column(page, "late", units[LATE], PAGE_BEST, 2);
    page_column(page, "wake-ups", "", PAGE_BEST, 6);
    page_column(page, "useful", "", 0, 4);
    page_column(page, "", "", PAGE_LEFT, 7);
}

static void add_time(struct page *page, const struct candidates *candidates,
                     const struct place *row, size_t which)
{
    char text[FIGURE_SIZE];
    figure_number(text, place_number(row, time_paths[which]) / candidates->divisors[which]);
    page_cell(page, "%s", "");
    page_put_as(page, row, time_paths[which], "%s", text);
}

static void add_useful(struct page *page, const struct place *row)
{
    double wakeups = place_number(row, "figures.wakeups");
    page_cell(page, "%s", "");
    if (wakeups > 0)
        page_put_as(page, row, "figures.useful_wakeups", "%.0f %%",
                    100 * place_number(row, "figures.useful_wakeups") / wakeups);
}

static void add_row(struct page *page, const struct candidates *candidates, const struct place *row)
{
    char cost[FIGURE_SIZE], deviation[FIGURE_SIZE];
    const char *status = place_text(row, "status");
    figure_interval(cost, deviation, json_get(row->json, "figures.cost_ns_per_op"));
    page_row(page);
    page_cell_put(page, row, "name");
    page_cell(page, "%s", "");
    page_put_as(page, row, "figures.cost_ns_per_op.median", "%s", cost);
    page_cell(page, "%s%s", deviation[0] ? "\u00b1" : "",
              deviation); /* fewer than six samples have none */
    add_time(page, candidates, row, P99);
    add_time(page, candidates, row, MAX);
    page_cell_put(page, row, "figures.bytes_per_task");
    add_time(page, candidates, row, LATE);
    page_cell_put(page, row, "figures.wakeups");
    add_useful(page, row);
    page_cell(page, "%s",
              strcmp(status, "not-told-apart") == 0 ? "not different"
              : strcmp(status, "front") == 0        ? ""
                                                    : status);
}

static void add_table(struct page *page, const struct candidates *candidates, const char *id,
                      const char *title)
{
    page_table(page, id, title);
    add_columns(page, candidates);
    for (size_t i = 0; i < candidates->count; i++)
        add_row(page, candidates, &candidates->rows[i]);
}

static void add_front(struct page *page, const struct place *advice)
{
    struct candidates candidates;
    gather(&candidates, advice, is_on_front);
    if (candidates.count > 0) {
        page_heading(page, 2, "front", "Candidates that no other dominates");
        add_table(page, &candidates, "front-table", "Candidates that no other dominates");
    }
    candidates_free(&candidates);
}

static void add_all(struct page *page, const struct place *advice)
{
    struct candidates candidates;
    gather(&candidates, advice, is_measured);
    page_fold(page, "All %zu candidates that were measured", candidates.count);
    add_table(page, &candidates, "candidates", "All candidates that were measured");
    page_open(page, PAGE_FOLD_END);
    candidates_free(&candidates);
}

/* ---- What became of the others. -------------------------------------------------------------- */

/* All of one status, with what the document says of each, if that differs. */
static void add_others(struct page *page, const struct place *advice, const char *status,
                       const char *title, bool with_why)
{
    struct place candidates = place_get(advice, "candidates");
    const char *gap = with_why ? "; " : ", ";
    bool is_open = false;
    for (struct place at = place_item(&candidates, 0); at.json; place_next(&at)) {
        if (!has_status(&at, status))
            continue;
        if (is_open)
            page_span(page, "%s", gap);
        else
            page_item(page, "%s: ", title);
        is_open = true;
        page_add(page, &at, with_why && place_text(&at, "why")[0] ? "{name} ({why})" : "{name}");
    }
}

static void add_all_others(struct page *page, const struct place *advice)
{
    static const struct {
        const char *status, *title;
        bool with_why;
    } groups[] = {{"dominated", "Dominated: worse in something and better in nothing", false},
                  {"refused", "Against the wishes", true},
                  {"unsupported", "Failed", true},
                  {"timeout", "Failed", true},
                  {"out-of-memory", "Failed", true},
                  {"mismatch", "Failed", true},
                  {"crashed", "Failed", true},
                  {"left-out", "Left out", true},
                  {"not-measured", "No time was left for", false}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        add_others(page, advice, groups[i].status, groups[i].title, groups[i].with_why);
}

static bool is_unmeasured(const struct place *advice)
{
    struct place candidates = place_get(advice, "candidates");
    for (struct place at = place_item(&candidates, 0); at.json; place_next(&at))
        if (has_status(&at, "not-measured"))
            return true;
    return false;
}

static void say_rule(struct page *page, const struct place *advice)
{
    page_say(page, PAGE_ITEM, advice, "The rule: {wishes.rule}.");
    if (page_advice_is_on_clock(advice))
        page_say(page, PAGE_ITEM, advice,
                 "Lateness, caller's latency and processor time differ where the 95 % interval of "
                 "the ratio of runs of one round and 3 % say so, the rest by 1 %.");
    else
        page_say(
            page, PAGE_ITEM, advice,
            "Costs differ where the 95 % interval of their ratio and 3 % say so, tails by a "
            "factor of two and {interruption_ns:us}, which an interruption takes here, the rest "
            "by 1 %.");
    page_say(page, PAGE_ITEM, advice, "{budget.used_ns:s} of {budget.asked_ns:s} used");
    page_span(page, "%s.",
              cJSON_IsTrue(json_get(advice->json, "budget.interrupted")) ? ", then interrupted"
              : cJSON_IsTrue(json_get(advice->json, "budget.cut"))
                  ? "; the step that was being measured then is left out"
              : is_unmeasured(advice) ? "; more would be measured with a larger --budget"
                                      : "");
}

/* On the real clock a run plays part of the load. */
static void say_played(struct page *page, const struct place *advice)
{
    double speed = place_number(advice, "load.speed");
    page_say(page, PAGE_TEXT, advice,
             "On the real clock, started and stopped from {load.threads} threads");
    if (speed < 1 || speed > 1)
        page_add(page, advice, ", at {load.speed} times its pace");
    page_add(page, advice, "<; a run plays its first {load.played_ns:s}>");
    page_span(page, ".");
}

void page_advice(struct page *page, const cJSON *document)
{
    char title[256];
    struct place root = place_root(document), advice = place_get(&root, "advice");
    page_advice_title(title, sizeof title, document);
    bool on_clock = page_advice_is_on_clock(&advice);
    page_heading(page, 1, NULL, on_clock ? "Which runner and design for %s" : "Which design for %s",
                 title);
    page_about(page, document);
    page_left_out(page, document);
    if (on_clock)
        say_played(page, &advice);
    add_recommendation(page, &advice);
    if (on_clock) {
        page_advice_on_clock(page, &advice);
    } else {
        add_comparisons(page, &advice);
        add_front(page, &advice);
    }
    page_heading(page, 2, "others", "The other candidates, and the rule");
    add_all_others(page, &advice);
    say_rule(page, &advice);
    if (!on_clock)
        add_all(page, &advice);
    page_cells(page, document);
}
