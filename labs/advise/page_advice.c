/* page_advice.c - builds the page of an advice: the recommendation, the candidates beside it. */
#include "labs/advise/advise.h"
#include "labs/advise/choice.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/tell/report/builders.h"

#include <math.h>

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
    return json_says(candidate->json, "status", status);
}

#define FIELDS(rows) (sizeof(rows) / sizeof *(rows))

/* ---- The recommendation. --------------------------------------------------------------------- */

/* Was one measured, and one that meets the constraints? */
static bool knows_any(const struct place *advice, bool allowed)
{
    struct place candidates = place_get(advice, "candidates");
    for (struct place at = place_item(&candidates, 0); at.json; place_next(&at))
        if (json_get(at.json, "figures") && (!allowed || !has_status(&at, "refused")))
            return true;
    return false;
}

/* How many were measured, and what to try for the others. */
static void say_missing(struct page *page, const struct place *advice)
{
    double untried = place_number(advice, "budget.untried");
    if (!json_get(advice->json, "budget.measured"))
        return;
    page_answer(page, "Measured: ");
    page_add(page, advice, "{budget.measured} candidates");
    page_add(page, advice, untried > 0 ? "; {budget.untried} more were not" : "");
    double next_ns = place_number(advice, "budget.next_ns");
    bool by_budget = next_ns > place_number(advice, "budget.asked_ns");
    page_span(page, ".");
    if (next_ns > 0)
        page_span(page, "  Try --%s=%.0fs next.", by_budget ? "budget" : "deadline",
                  ceil(next_ns / 1e9));
    if (json_get(advice->json, "wishes.between"))
        page_add(page, advice, "  ns/op is the overhead-corrected time of one call.");
}

static void add_recommendation(struct page *page, const struct place *advice)
{
    struct place recommendation = place_get(advice, "recommendation");
    struct place reasons = place_get(&recommendation, "reasons");
    if (!recommendation.json) {
        page_text(page, "%s",
                  knows_any(advice, true) ? "No clear answer: the goal's figure is unclear for all."
                  : knows_any(advice, false) ? "No measured candidate meets the constraints."
                                             : "Nothing was measured.");
        say_missing(page, advice);
        return;
    }
    if (place_text(&recommendation, "unclear")[0])
        page_say(page, PAGE_TEXT, &recommendation,
                 "{unclear:strong}.  The rest is about {candidate}.");
    else
        page_say(page, PAGE_TEXT, &recommendation, "Take {candidate:strong}");
    say_missing(page, advice);
    page_say(page, PAGE_TEXT, &recommendation, "<{is}.>");
    page_say_each(page, PAGE_ITEM, &reasons, "{}");
    page_text(page, "Measure it again:");
    page_say(page, PAGE_CODE_BLOCK, &recommendation, "{command}");
}

/* ---- Tables. --------------------------------------------------------------------------------- */

#define COMPARED_MAX 10
#define RATIO(key)   "{" key ".median}< ({" key ".low} - {" key ".high})>"
#define NAMES        (PAGE_LEFT | PAGE_NAMES)

static const struct page_field ratios[] = {
    {"", "candidate", NAMES, 0, "{candidate}"},
    {"cost", "times", 0, 0, RATIO("cost_ratio")},
    {"memory", "times", 0, 1, "{memory_ratio}"},
    {"", "", PAGE_LEFT | PAGE_PROSE, 0, "{why}"},
};
static const struct page_field clock_ratios[] = {
    {"", "candidate", NAMES, 0, "{candidate}"},
    {"lateness", "p99, times", 0, 0, RATIO("late_ratio")},
    {"caller", "p99, times", 0, 0, RATIO("caller_ratio")},
    {"processor", "times", 0, 0, RATIO("cost_ratio")},
    {"memory", "times", 0, 1, "{memory_ratio}"},
    {"", "", PAGE_LEFT | PAGE_PROSE, 2, "{why}"},
};
static const struct page_field figures[] = {
    {"", "candidate", NAMES, 0, "{name}"},
    {"cost", "ns/op", PAGE_BEST, 0, "{figures.cost_ns_per_op.median}"},
    {"from", "", 0, 5, "{figures.cost_ns_per_op.low}"},
    {"to", "", 0, 5, "{figures.cost_ns_per_op.high}"},
    {"advance p99", "ns", PAGE_BEST, 3, "{figures.advance_p99_ns}"},
    {"longest seen", "ns", PAGE_BEST, 8, "{figures.advance_max_ns}"},
    {"memory", "B/task", PAGE_BEST, 9, "{figures.bytes_per_task}"},
    {"late", NULL, PAGE_BEST, 2, "{figures.late_max_ns:time}"},
    {"wake-ups", "", PAGE_BEST, 6, "{figures.wakeups}"},
    {"useful", "", 0, 4, "{figures.useful_wakeups}"},
    {"", "", PAGE_LEFT, 7, "{status}"},
    {"wake-ups", "with slack", PAGE_BEST, 6, "{figures.slack_wakeups}"}, /* if it was asked for */
};
static const struct page_field slack_figures[] = {
    {"", "tickless", NAMES, 0, "{impl}"},
    {"wake-ups", "", PAGE_BEST, 9, "{wakeups}"},
    {"saved", "", 0, 8, "{saved_share:share}"},
    {"expiries", "a wake-up", 0, 7, "{expiries_per_wakeup}"},
    {"late p50", NULL, 0, 5, "{late_p50_ns:time}"},
    {"late p99", NULL, 0, 6, "{late_p99_ns:time}"},
};
static const struct page_field clock_figures[] = {
    {"", "candidate", NAMES, 0, "{name}"},
    {"late p50", NULL, PAGE_BEST, 3, "{figures.clock.late_p50_ns:time}"},
    {"late p99", NULL, PAGE_BEST, 9, "{figures.clock.late_p99_ns.median:time}"},
    {"late max", NULL, PAGE_BEST, 4, "{figures.late_max_ns:time}"},
    {"start p99", NULL, PAGE_BEST, 7, "{figures.clock.start_p99_ns:latency}"},
    {"stop p99", NULL, PAGE_BEST, 6, "{figures.clock.stop_p99_ns:latency}"},
    {"cpu per op", NULL, PAGE_BEST, 8, "{figures.cost_ns_per_op.median:time}"},
    {"idle", "wake-ups/s", PAGE_BEST, 5, "{figures.clock.idle_wakeups_per_s}"},
    {"memory", "B/timer", PAGE_BEST, 2, "{figures.bytes_per_task}"},
    {"", "", PAGE_LEFT, 10, "{status}"},
};

struct fields {
    const struct page_field *items;
    size_t count;
};
static const struct fields ratio_fields[2] = {{ratios, FIELDS(ratios)},
                                              {clock_ratios, FIELDS(clock_ratios)}};
static const struct fields figure_fields[3] = {{figures, FIELDS(figures) - 1},
                                               {clock_figures, FIELDS(clock_figures)},
                                               {figures, FIELDS(figures)}};

static const char *status_of(const struct place *row)
{
    return has_status(row, "not-told-apart") ? "tied"
           : has_status(row, "front")        ? ""
                                             : place_text(row, "status");
}

/* Without intervals, where there are too few samples for one; answers whether it has such a ratio. */
static bool add_row(struct page *page, const struct fields *fields, const struct place *row,
                    const char *count)
{
    bool is_rough = place_number(row, count) < CRITERIA_PAIRS_MIN, any = false;
    const char *cost =
        json_get(row->json, "figures") ? "figures.cost_ns_per_op.median" : "cost_ratio.median";
    page_row(page);
    for (size_t i = 0; i < fields->count; i++) {
        char cell[200];
        const char *form = fields->items[i].cell;
        snprintf(cell, sizeof cell, "<~%s", form);
        char *interval = is_rough ? strstr(cell, "< (") : NULL;
        if (interval)
            any = snprintf(interval, 2, ">") > 0;
        bool is_end = is_rough && (strstr(cell, ".low}") || strstr(cell, ".high}"));
        if (strcmp(form, "{status}") == 0)
            page_cell(page, "%s", status_of(row));
        else if (strstr(form, cost) && !json_get(row->json, cost))
            page_cell(page, "unclear");
        else
            page_cell_say(page, row, interval ? cell : is_end ? "" : form);
    }
    return any;
}

int advice_check(const cJSON *document, const char *what, struct diag *diag)
{
    const char *named = json_get_text(document, "advice.recommendation.candidate");
    bool is_one = named[0] || json_first(document, "advice.comparisons");
    int said = 0, right = 0;
    json_each(at, document, "advice.candidates")
        if (json_says(at, "status", "recommended") && ++said > 0)
            right += json_says(at, "name", named);
    if (said == right && said == is_one)
        return DIAG_OK;
    return diag_usage(diag,
                      "%s: advice.recommendation: \"%.100s\", and %d are recommended; expected "
                      "one, by that name",
                      what, named, said);
}

/* What the others cost, over the recommended one. */
static void add_comparisons(struct page *page, const struct place *advice, bool on_clock)
{
    const struct fields *fields = &ratio_fields[on_clock];
    struct place rows = place_get(advice, "comparisons");
    bool any_rough = false;
    int left = on_clock ? cJSON_GetArraySize(rows.json) : COMPARED_MAX;
    if (!rows.json || !rows.json->child)
        return;
    page_heading(page, 2, "compared", "Compared with the recommended one");
    page_table(page, "compared-table", "As multiples of the recommended one");
    page_columns(page, fields->items, fields->count);
    for (struct place row = place_item(&rows, 0); row.json && left-- > 0; place_next(&row)) {
        bool is_known = json_get(row.json, "cost_ratio.median");
        any_rough |= add_row(page, fields, &row, "cost_ratio.count") && is_known;
        if (!is_known && !json_get(row.json, "memory_ratio"))
            page_note(page, "not measured");
    }
    if (any_rough)
        page_text(page, "~: fewer than %d pairs of samples, too few for an interval.",
                  CRITERIA_PAIRS_MIN);
}

static int by_figure(const void *left, const void *right, const char *path)
{
    double a = place_number(left, path), b = place_number(right, path);
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

static int by_cost(const void *left, const void *right)
{
    return by_figure(left, right, "figures.cost_ns_per_op.median");
}

static int by_lateness(const void *left, const void *right)
{
    return by_figure(left, right, "figures.clock.late_p99_ns.median");
}

static bool is_on_front(const struct place *candidate)
{
    return cJSON_IsTrue(json_get(candidate->json, "front")) ||
           has_status(candidate, "recommended") || has_status(candidate, "not-told-apart");
}

/* Those that were measured, of the front or all of them, the best first. */
static void add_figures(struct page *page, const struct place *advice, bool on_clock, bool all,
                        const char *id, const char *title)
{
    struct place candidates = place_get(advice, "candidates");
    struct place *rows = memory_take((size_t)cJSON_GetArraySize(candidates.json) + 1, sizeof *rows);
    bool with_slack = json_get(advice->json, "slack");
    const struct fields *fields = &figure_fields[with_slack ? 2 : on_clock];
    bool is_fold = all && !on_clock;
    char table[40];
    size_t count = 0;
    for (struct place at = place_item(&candidates, 0); at.json; place_next(&at))
        if (json_get(at.json, "figures") && (all || is_on_front(&at)))
            rows[count++] = at;
    qsort(rows, count, sizeof *rows, on_clock ? by_lateness : by_cost);
    if (count > 0) {
        if (is_fold)
            page_fold(page, "All %zu candidates that were measured", count);
        else
            page_heading(page, 2, id, "%s", title);
        snprintf(table, sizeof table, "%s-table", id);
        page_table(page, table, title);
        page_columns(page, fields->items, fields->count);
    }
    for (size_t i = 0; i < count; i++)
        add_row(page, fields, &rows[i], "figures.cost_ns_per_op.count");
    if (count > 0 && is_fold)
        page_open(page, PAGE_FOLD_END);
    free(rows);
}

/* What slack would save, by those that take it. */
static void add_slack(struct page *page, const struct place *advice)
{
    struct place slack = place_get(advice, "slack"), designs = place_get(&slack, "designs");
    if (!slack.json)
        return;
    page_heading(page, 2, "slack", "If the timers had slack");
    page_say(page, PAGE_TEXT, &slack,
             "With a slack of {asked} a timer may fire on any tick from its due to that much later."
             "<  Exact designs wake up {exact_wakeups} times.>");
    page_table(page, "slack-table", "Wake-ups with slack");
    page_fields_each(page, slack_figures, FIELDS(slack_figures), &designs);
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
    static const char *const failed[] = {"unsupported", "timeout", "out-of-memory", "mismatch",
                                         "crashed"};
    add_others(page, advice, "dominated", "Dominated", false);
    add_others(page, advice, "refused", "Against the constraints", true);
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
        add_others(page, advice, failed[i], "Failed", true);
    add_others(page, advice, "left-out", "Left out", true);
    add_others(page, advice, "not-measured", "No time was left for", false);
}

static void say_rule(struct page *page, const struct place *advice)
{
    page_say(page, PAGE_ITEM, advice, "The rule: {wishes.rule}.");
    if (json_says(advice->json, "wishes.clock", "real"))
        page_say(page, PAGE_ITEM, advice,
                 "Lateness, caller's latency and processor time differ if the 95 % interval of the "
                 "ratio of runs of one round lies beyond 3 %, other figures if by 1 %.");
    else
        page_say(page, PAGE_ITEM, advice,
                 "Costs differ if the 95 % interval of their ratio lies beyond 3 %, tails if by a "
                 "factor of two and {interruption_ns:us}, as long as an interruption here, other "
                 "figures if by 1 %.");
    page_span(page, " Tied: does not differ from the recommended one.");
    page_say(page, PAGE_ITEM, advice, "{budget.used_ns:s} of {budget.asked_ns:s} used");
    page_span(page, "%s.",
              cJSON_IsTrue(json_get(advice->json, "budget.interrupted")) ? ", then interrupted"
              : cJSON_IsTrue(json_get(advice->json, "budget.cut"))
                  ? "; the step that was being measured then is left out"
                  : "");
}

/* On the real clock a run plays part of the load. */
static void say_played(struct page *page, const struct place *advice)
{
    double speed = place_number(advice, "load.speed");
    page_say(page, PAGE_TEXT, advice, "On the real clock with --threads={load.threads}");
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
    bool on_clock = json_says(advice.json, "wishes.clock", "real");
    page_heading(page, 1, NULL, on_clock ? "Which runner and design for %s" : "Which design for %s",
                 title);
    add_recommendation(page, &advice);
    page_about(page, document);
    page_left_out(page, document);
    if (on_clock)
        say_played(page, &advice);
    add_comparisons(page, &advice, on_clock);
    if (on_clock)
        add_figures(page, &advice, true, true, "candidates", "Runners and designs, by lateness");
    else
        add_figures(page, &advice, false, false, "front", "Candidates that no other dominates");
    add_slack(page, &advice);
    page_heading(page, 2, "others", "The other candidates, and the rule");
    add_all_others(page, &advice);
    say_rule(page, &advice);
    if (!on_clock)
        add_figures(page, &advice, false, true, "all", "All candidates that were measured");
    page_cells(page, document);
}
