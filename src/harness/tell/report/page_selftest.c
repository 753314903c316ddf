/* page_selftest.c - builds the page of a selftest: false alarms, and which slowdowns compare finds here. */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/page_origin.h"
#include "harness/tell/result/json.h"

#include <math.h>

/* What was found of the slowdowns of one size; each key has an object with the sizes as keys. */
static const struct {
    const char *title, *key;
    bool is_share;
} figures[] = {{"measured", "injected_measured_percent", false},
               {"comparisons", "detection_trials", false},
               {"found", "detection", true},
               {"at least", "detection_low", true},
               {"seen at all", "seen", true}};

#define FIGURES (sizeof figures / sizeof *figures)

static struct place figure_of(const struct place *root, size_t figure, const char *size)
{
    struct place sizes = place_get(root, figures[figure].key);
    return place_key(&sizes, size);
}

static void add_size(struct page *page, const struct place *root, const char *size)
{
    page_row(page);
    page_cell(page, "%s %%", size);
    for (size_t i = 0; i < FIGURES; i++) {
        struct place figure = figure_of(root, i, size);
        page_cell(page, "%s", "");
        if (figures[i].is_share)
            page_put_share(page, &figure, "");
        else
            page_put(page, &figure, "");
        page_span(page, "%s", i == 0 && figure.json ? " %" : "");
    }
}

static void add_sizes(struct page *page, const struct place *root)
{
    const cJSON *size;
    page_heading(page, 2, "slowdowns", "Slowdowns that were injected");
    page_table(page, "sizes", "Slowdowns that were injected");
    page_column(page, "injected", "", PAGE_NAMES, 0);
    for (size_t i = 0; i < FIGURES; i++)
        page_column(page, figures[i].title, "", 0, 0);
    cJSON_ArrayForEach(size, json_get(root->json, "detection"))
    {
        struct place trials = place_get(root, "detection_trials");
        if (size->string && place_number(&trials, size->string) > 0)
            add_size(page, root, size->string);
    }
    page_text(page, "Found: regressed beyond the margin of ");
    page_put_share(page, root, "method.margin");
    page_span(page, ", and confirmed. Seen: slower beyond doubt, by whatever amount.");
}

static void say_false_alarms(struct page *page, const struct place *root)
{
    page_text(page, "%s", "");
    page_put(page, root, "comparisons");
    page_span(page, " comparisons of a cell with itself, ");
    page_put(page, root, "preset_comparisons");
    page_span(page, " of all ");
    page_put(page, root, "method.cells");
    page_span(page, " cells.");
    page_item(page, "False alarms: ");
    page_put(page, root, "false_alarms");
    page_span(page, " (");
    page_put_share(page, root, "false_alarm_rate");
    page_span(page, "; below ");
    page_put_share(page, root, "false_alarm_high");
    page_span(page, " with ");
    page_put_share(page, root, "method.bounds_confidence");
    page_span(page, " confidence); inconclusive: ");
    page_put_share(page, root, "inconclusive_rate");
    page_span(page, ".");
}

/* Sentences, each with the budget that was too short for it. */
static void say_left_out(struct page *page, const struct place *root)
{
    struct place texts = place_get(root, "left_out");
    for (struct place text = place_item(&texts, 0); text.json; place_next(&text)) {
        page_item(page, "Left out in ");
        page_put(page, root, "budget_s");
        page_span(page, " s (--budget): ");
        page_put(page, &text, "");
        page_span(page, ".");
    }
}

static void say_smallest(struct page *page, const struct place *root)
{
    if (!isfinite(place_number(root, "smallest_reliable_slowdown"))) {
        page_item(page, "No slowdown up to 50 %% would be found reliably here.");
        return;
    }
    page_item(page, "Found in 95 of 100 cells here: a slowdown of ");
    page_put_share(page, root, "smallest_reliable_slowdown");
    page_mark(page, PAGE_STRONG);
    page_span(page, " and more.");
}

static void say_rest(struct page *page, const struct place *root)
{
    if (isfinite(place_number(root, "pair_spread_percent"))) {
        page_item(page, "Two samples of a pair lie ");
        page_put(page, root, "pair_spread_percent");
        page_span(page, " %% apart (median).");
    }
    if (isfinite(place_number(root, "disturbance.busy_share"))) {
        page_item(page, "Meanwhile others used ");
        page_put_share(page, root, "disturbance.busy_share");
        page_span(page, " of all cores, and the host took ");
        page_put_share(page, root, "disturbance.steal_share");
        page_span(page, ".");
    }
    page_item(page, "Reading the clock costs ");
    page_put(page, root, "timer_overhead_ns");
    page_span(page, " ns");
    if (isfinite(place_number(root, "harness_ns_per_op"))) {
        page_span(page, ", the harness ");
        page_put(page, root, "harness_ns_per_op");
        page_span(page, " ns per call");
    }
    page_span(page, ".");
}

static void add_data(struct page *page, const struct place *root)
{
    const cJSON *size;
    page_data(page);
    page_column(page, "injected_percent", "", 0, 0);
    for (size_t i = 0; i < FIGURES; i++)
        page_column(page, figures[i].key, "", 0, 0);
    cJSON_ArrayForEach(size, json_get(root->json, "detection"))
    {
        page_row(page);
        page_cell(page, "%s", size->string ? size->string : "");
        for (size_t i = 0; i < FIGURES && size->string; i++) {
            struct place figure = figure_of(root, i, size->string);
            page_cell_put(page, &figure, "");
        }
    }
}

void page_selftest(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    page_heading(page, 1, NULL, "This program compared with itself");
    bool is_known = place_number(&root, "comparisons") > 0;
    if (is_known)
        say_false_alarms(page, &root);
    say_left_out(page, &root);
    if (is_known)
        say_smallest(page, &root);
    say_rest(page, &root);
    page_warnings(page, document);
    if (is_known)
        add_sizes(page, &root);
    page_origin(page, document);
    add_data(page, &root);
}
