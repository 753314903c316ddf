/* page_run.c - builds the page of a run: designs side by side by stream, growth, every figure, and origin. */
#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/standing.h"

/* The lowest confidence of any interval on the page and the samples behind it: the claim below is
 * then true of all. */
static double least_confidence(const cJSON *document, int *samples)
{
    double least = INFINITY;
    json_each(cell, document, "cells") {
        json_each(phase, cell, "phases") {
            double confidence = json_get_number(phase, "ns_per_op.confidence");
            if (!(confidence < least))
                continue;
            least = confidence;
            *samples = cJSON_GetArraySize(json_get(phase, "ns_per_op.samples"));
        }
    }
    return least;
}

/* Calls that pay for pages pay for what open left undone; fewer than one page in a thousand tasks shows in no time. */
static void warn_of_faults(struct page *page, const cJSON *document)
{
    json_each(cell, document, "cells") {
        double passes = json_get_number(cell, "sampling.samples") *
                        json_get_number(cell, "sampling.passes_per_sample");
        double faults = json_get_number(cell, "sampling.page_faults") / passes;
        if (faults >= 64 && faults * 1000 >= json_get_number(cell, "tasks"))
            page_item(page,
                      "%s, %s, %.0f tasks: %.0f page faults in each timed pass, on pages that open "
                      "did not touch (docs/PLUGINS.md)",
                      json_get_text(cell, "impl"), json_get_text(cell, "workload"),
                      json_get_number(cell, "tasks"), faults);
    }
}

static bool compares(const struct view *view)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (!page_group_only(&view->groups[i]))
            return true;
    return false;
}

static void add_legend(struct page *page, const cJSON *document, const struct view *view)
{
    int samples = 0;
    double confidence = least_confidence(document, &samples);
    if (!isfinite(confidence))
        return;
    bool sure = confidence >= FIGURE_CONFIDENCE;
    page_text(page,
              "ns/op is the wall time of a phase by its starts, stops and expiries: the median "
              "of %d sample%s",
              samples, samples == 1 ? "" : "s");
    if (sure)
        page_span(
            page,
            ", \u00b1 the farther end of its exact %.1f %% confidence interval, or both ends.",
            100 * confidence);
    else
        page_span(page, ".  Fewer than 6 samples give no interval, and no best (--runs, --time).");
    if (view->group_count > 0 && view->groups[view->group_count - 1].between[0])
        page_text(page,
                  "corrected: minus the time of null in the same rounds; unclear: the overhead "
                  "is too large to subtract.  Calls back to back overlap: their time is "
                  "throughput.  Chained, or behind other work, it is the time of one call.");
    if (compares(view))
        page_text(
            page,
            "advance: single calls, in the worst phase.  longest advance: without preemption, by "
            "each call's least time over repeated passes; longest seen: with the machine's "
            "interrupts.%s  twbench list --terms explains all words.",
            sure ? "  * marks the best of a column if its interval overlaps no other." : "");
}

static struct place standing_of(const struct place *root, const struct view_group *group)
{
    struct place list = place_get(root, "standing"), at = place_item(&list, 0);
    while (at.json && (!json_says(at.json, "stream_hash", group->stream_hash) ||
                       !json_says(at.json, "workload", group->workload) ||
                       strcmp(json_get_text(at.json, "between"), group->between) != 0))
        place_next(&at);
    return at;
}

static void say_standing(struct page *page, const struct place *root,
                         const struct view_group *group)
{
    struct place standing = standing_of(root, group), says = place_get(&standing, "says");
    if (standing.json)
        page_say_each(page, PAGE_TEXT, &says, "{}.");
}

/* The terminal has the same below each table. */
static void say_all_standing(struct page *page, const struct place *root, const struct view *view)
{
    for (size_t i = 0; i < view->group_count; i++) {
        struct place standing = standing_of(root, &view->groups[i]);
        struct place says = place_get(&standing, "says");
        char title[256];
        view_title(title, sizeof title, &view->groups[i]);
        for (struct place at = place_item(&says, 0); standing.json && at.json; place_next(&at)) {
            page_item(page, "%s: ", title);
            page_add(page, &at, "{}");
        }
    }
}

/* Of a merged result: what ran its shards. */
static void add_machines(struct page *page, const struct place *root)
{
    struct place shards = place_get(root, "shards"), machines = place_get(root, "machines");
    if (!machines.json)
        return;
    page_heading(page, 2, "machines", "Machines");
    page_text(page,
              "%d shards ran on %d machines. Times are compared within a stream, which ran on one "
              "of them.",
              cJSON_GetArraySize(shards.json), cJSON_GetArraySize(machines.json));
    page_records(page, "Shards", &shards);
    page_records(page, "Machines", &machines);
}

void page_run(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    struct view view = view_make(document);
    page->step_ns = json_get_number(document, "harness.timer_step_ns");
    page_aside(page, NULL);
    page_heading(page, 1, NULL, "Timer designs compared");
    say_all_standing(page, &root, &view);
    page_open(page, PAGE_ASIDE_END);
    page_about(page, document);
    for (size_t i = 0; i < view.group_count; i++) {
        page_group(page, &view.groups[i], &cells);
        say_standing(page, &root, &view.groups[i]);
    }
    add_legend(page, document, &view);
    warn_of_faults(page, document);
    add_machines(page, &root);
    view_free(&view);
    page_growth(page, document);
    if (cJSON_IsFalse(json_get(document, "complete")))
        page_text(page, "The run was not finished: %d cells are here.",
                  cJSON_GetArraySize(cells.json));
    page_left_out(page, document);
    page_cells(page, document);
}
