/* page_run.c - builds the page of a run: designs side by side by stream, growth, every figure, and origin. */
#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

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
    char name[320];
    json_each(cell, document, "cells") {
        double passes = json_get_number(cell, "sampling.samples") *
                        json_get_number(cell, "sampling.passes_per_sample");
        double faults = json_get_number(cell, "sampling.page_faults") / passes;
        view_label(name, sizeof name, cell, "requested");
        if (faults >= 64 && faults * 1000 >= json_get_number(cell, "tasks"))
            page_item(page,
                      "%s: %.0f page faults in each timed pass, left by open (docs/PLUGINS.md)",
                      name, faults);
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
                  "corrected: CPU time, minus that of null in the same rounds; unclear: the "
                  "overhead is too large to subtract.  Calls back to back overlap: their time is "
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

/* ---- The answer of several loads: which design suits what, by how much. ------------------------- */

static const cJSON *phase_of(const cJSON *load, const char *name)
{
    json_each(phase, load, "phases")
        if (json_says(phase, "phase", name))
            return phase;
    return NULL;
}

/* "hashed or round (1.35)" */
static void add_fastest(struct page *page, const cJSON *phase)
{
    char times[FIGURE_SIZE];
    double next = INFINITY;
    const char *fastest = json_get_text(phase, "fastest");
    page_cell(page, "%s", phase && !fastest[0] ? "fewer than 6 samples" : fastest);
    page_mark(page, PAGE_STRONG);
    json_each(design, phase, "not_different")
        page_span(page, " or %s", design->valuestring);
    json_each(other, phase, "behind")
        next = fmin(next, json_get_number(other, "ratio.median"));
    figure_number(times, next);
    if (isfinite(next))
        page_derived(page, next, " (%s)", times);
}

#define PHASES_SHOWN 6
static size_t find_phases(const cJSON *loads, const char **phases)
{
    size_t count = 0;
    json_each(load, loads, "")
        json_each(phase, load, "phases") {
            const char *name = json_get_text(phase, "phase");
            size_t i = 0;
            while (i < count && strcmp(phases[i], name) != 0)
                i++;
            if (i == count && count < PHASES_SHOWN && json_get_text(phase, "fastest")[0])
                phases[count++] = name;
        }
    return count;
}

/* Of one load its sentences, which stand below the table as well, as they do in the terminal. */
static void say_answer(struct page *page, const struct place *root, const struct view *view)
{
    const char *phases[PHASES_SHOWN];
    struct place loads = place_get(root, "standing"), only = place_item(&loads, 0);
    struct place says = place_get(&only, "says");
    size_t count = find_phases(loads.json, phases);
    if (cJSON_GetArraySize(loads.json) < 2 || count == 0) {
        page_say_each(page, PAGE_ITEM, &says, "{}.");
        return;
    }
    page_text(page,
              "Which design is fastest in each phase%s, and in brackets how many times as fast as "
              "the next that differs significantly. Those joined by \"or\" do not differ.",
              strcmp(phases[count - 1], "late p99") ? "" : " (late p99: the least late)");
    page_table(page, "answer", "The fastest designs");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    for (size_t i = 0; i < count; i++)
        page_column(page, phases[i], "", PAGE_LEFT, 0);
    for (size_t i = 0; i < view->group_count; i++) {
        char title[256];
        struct place load = standing_of(root, &view->groups[i]);
        if (!load.json)
            continue;
        view_title(title, sizeof title, &view->groups[i]);
        page_row(page);
        page_cell(page, "%s", title);
        for (size_t k = 0; k < count; k++)
            add_fastest(page, phase_of(load.json, phases[k]));
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
    say_answer(page, &root, &view);
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
