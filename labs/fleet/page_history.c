/* page_history.c - builds the page of a history: what changed at which commit, counts first. */
#include "labs/fleet/fleet.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"

#include <math.h>

/* ---- The answer. ----------------------------------------------------------------------------- */

struct tally {
    size_t exact, timed; /* changes */
    size_t everywhere;   /* of all times at once, which are not counted in timed */
    size_t short_ones;   /* series of times with too few runs */
};

static bool is_everywhere(const cJSON *change)
{
    return cJSON_IsTrue(json_get(change, "everywhere"));
}

static struct tally count_changes(const cJSON *document)
{
    struct tally tally = {0, 0, 0, 0};
    json_each(series, document, "series") {
        bool exact = cJSON_IsTrue(json_get(series, "exact"));
        json_each(change, series, "changes")
            *(exact ? &tally.exact : is_everywhere(change) ? &tally.everywhere : &tally.timed) += 1;
        tally.short_ones += cJSON_IsFalse(json_get(series, "enough")) ? 1 : 0;
    }
    return tally;
}

static void add_answer(struct page *page, const struct place *root)
{
    struct tally tally = count_changes(root->json);
    struct place runs = place_get(root, "runs"), first = place_item(&runs, 0);
    struct place last = place_item(&runs, (size_t)cJSON_GetArraySize(runs.json) - 1);
    page_heading(page, 1, NULL, "History of %d runs", cJSON_GetArraySize(runs.json));
    page_answer(page, "Changes: %zu of counts, %zu of times", tally.exact, tally.timed);
    page_add(page, root, "<, as ratios to {anchor}>.");
    page_say(page, PAGE_ITEM, &first, "From <{commit} of ><{date_utc}>.");
    page_say(page, PAGE_ITEM, &last, "To <{commit} of ><{date_utc}>.");
}

/* ---- Changes. -------------------------------------------------------------------------------- */

static void add_ratio(struct page *page, const struct place *change)
{
    double ratio = place_number(change, "ratio");
    page_cell(page, "%s", "");
    if (isfinite(ratio)) {
        page_put_as(page, change, "ratio", "%+.*f %%", fabs(ratio - 1) < 0.1 ? 1 : 0,
                    100 * (ratio - 1));
        page_mark(page, ratio > 1 ? PAGE_BAD : PAGE_GOOD);
    } else {
        page_span(page, "from 0");
        page_mark(page, PAGE_BAD);
    }
}

static void add_interval(struct page *page, const struct place *change)
{
    double low = place_number(change, "low"), high = place_number(change, "high");
    if (isfinite(low) && isfinite(high))
        page_cell(page, "%+.1f .. %+.1f %%", 100 * (low - 1), 100 * (high - 1));
    else
        page_cell(page, "%s", "exact");
}

static void add_doubts(struct page *page, const struct place *change)
{
    bool machine = cJSON_IsTrue(json_get(change->json, "other_machine"));
    bool compiler = cJSON_IsTrue(json_get(change->json, "other_compiler"));
    page_cell(page, "%s%s%s", machine ? "another machine" : "", machine && compiler ? ", " : "",
              compiler ? "another compiler" : "");
    if (place_number(change, "runs_between") > 0)
        page_span(page, "%s%.0f runs lack it", machine || compiler ? "; " : "",
                  place_number(change, "runs_between"));
    if (is_everywhere(change->json))
        page_span(page, " all times at once");
}

static void add_change(struct page *page, const struct place *series, const struct place *change)
{
    page_row(page);
    page_cell_say(page, change, "{commit}");
    page_cell_put(page, series, "cell");
    page_cell_put(page, series, "figure");
    add_ratio(page, change);
    add_interval(page, change);
    page_cell_say(page, change, "<{old} to {new}>");
    page_cell_say(page, change, "{commit_before}");
    add_doubts(page, change);
}

/* The changes at one run: of counts, or of times. */
static void add_changes_at(struct page *page, const struct place *root, double run, bool exact)
{
    struct place list = place_get(root, "series");
    for (struct place series = place_item(&list, 0); series.json; place_next(&series)) {
        struct place changes = place_get(&series, "changes");
        if (cJSON_IsTrue(json_get(series.json, "exact")) != exact)
            continue;
        for (struct place change = place_item(&changes, 0); change.json; place_next(&change))
            if (place_number(&change, "run") >= run && place_number(&change, "run") <= run)
                add_change(page, &series, &change);
    }
}

static void add_table(struct page *page, const struct place *root, bool exact)
{
    size_t runs = (size_t)cJSON_GetArraySize(json_get(root->json, "runs"));
    page_heading(page, 2, exact ? "counts" : "times", "%s", exact ? "Counts" : "Times");
    page_table(page, exact ? "counts-table" : "times-table",
               exact ? "Changes of counts" : "Changes of times");
    page_column(page, "", "commit", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "", "cell", PAGE_LEFT, 0);
    page_column(page, "", "figure", PAGE_LEFT, 0);
    page_column(page, "", "change", 0, 0);
    page_column(page, "95 %", "interval", PAGE_LEFT, 4);
    page_column(page, "", "values", PAGE_LEFT, 3);
    page_column(page, "commit", "before", PAGE_LEFT, 2);
    page_column(page, "", "mind", PAGE_LEFT | PAGE_PROSE, 1);
    for (size_t run = 0; run < runs; run++)
        add_changes_at(page, root, (double)run, exact);
}

static void add_proposal(struct page *page, const cJSON *document)
{
    const cJSON *limits = json_get(document, "limits");
    if (!limits)
        return;
    page_heading(page, 2, "limits", "Limits for twbench.json");
    if (!limits->child) {
        page_text(page, "None: a limit needs twelve times of a cell beside the reference design.");
        return;
    }
    page_text(page, "Three deviations of the change from one run to the next, 1 %% at least:");
    page_code(page, "%s", "\"limits\": {");
    json_each(limit, limits, "")
        page_span(page, "\n  \"%s\": \"%s\"%s", limit->string, limit->valuestring,
                  limit->next ? "," : "\n}");
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static void add_limits(struct page *page, const struct place *root, const struct tally *tally)
{
    page_say(page, PAGE_ITEM, root, "Changes of times below {least:percent} are not reported.");
    if (tally->everywhere > 0)
        page_item(page,
                  "Changes of times not counted: %zu. All times change at once there, because "
                  "the machine or the reference design changed.",
                  tally->everywhere);
    if (tally->short_ones > 0)
        page_item(page,
                  "Series of times with too few runs: %zu. A change needs twelve values, three of "
                  "them behind it.",
                  tally->short_ones);
    if (!place_text(root, "anchor")[0])
        page_item(page,
                  "No times: every result has one design only, so none can be the reference.");
}

void page_history(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    struct tally tally = count_changes(document);
    add_answer(page, &root);
    if (tally.exact > 0)
        add_table(page, &root, true);
    if (tally.timed + tally.everywhere > 0)
        add_table(page, &root, false);
    add_proposal(page, document);
    page_pictures(page, "");
    add_limits(page, &root, &tally);
    page_left_out(page, document);
    page_origin(page, document);
    page_all_figures(page, &root);
}
