/* page_selftest.c - builds the page of a selftest: false alarms, and which slowdowns compare finds here. */
#include "harness/base/json.h"
#include "harness/tell/report/builders.h"

/* What was found of the slowdowns of one size; each key has an object with the sizes as keys. */
static const struct {
    const char *title, *key, *cell;
} figures[] = {{"measured", "injected_measured_percent", "<{} %>"},
               {"comparisons", "detection_trials", "{}"},
               {"found", "detection", "{:share}"},
               {"at least", "detection_low", "{:share}"},
               {"seen at all", "seen", "{:share}"}};

#define FIGURES (sizeof figures / sizeof *figures)

/* A row for that size of a slowdown: as people read it, or its bare figures. */
static void add_size(struct page *page, const struct place *root, const char *size, bool is_data)
{
    page_row(page);
    page_cell(page, is_data ? "%s" : "%s %%", size);
    for (size_t i = 0; i < FIGURES; i++) {
        struct place sizes = place_get(root, figures[i].key), figure = place_key(&sizes, size);
        page_cell_say(page, &figure, is_data ? "{}" : figures[i].cell);
    }
}

static void add_sizes(struct page *page, const struct place *root)
{
    page_heading(page, 2, "slowdowns", "Slowdowns that were injected");
    page_table(page, "sizes", "Slowdowns that were injected");
    page_column(page, "injected", "", PAGE_NAMES, 0);
    for (size_t i = 0; i < FIGURES; i++)
        page_column(page, figures[i].title, "", 0, 0);
    json_each(size, root->json, "detection") {
        struct place trials = place_get(root, "detection_trials");
        if (size->string && place_number(&trials, size->string) > 0)
            add_size(page, root, size->string, false);
    }
    page_say(page, PAGE_TEXT, root,
             "Found: regressed beyond the margin of {method.margin:share}, and confirmed. "
             "Seen: significantly slower, by any amount.");
}

static void add_calibration(struct page *page, const struct place *root)
{
    static const struct page_field fields[] = {
        {"additions", NULL, 0, 0, "{additions}"},
        {"measured", "ns", 0, 0, "{told_ns}"},
        {"expected", "ns", 0, 0, "{expected_ns}"},
        {"measured / expected", NULL, 0, 0, "{ratio.median:digits}"},
        {"low", NULL, 0, 0, "{ratio.low:digits}"},
        {"high", NULL, 0, 0, "{ratio.high:digits}"},
        {"tolerance", NULL, 0, 0, "{tolerance:share}"},
        {"status", NULL, PAGE_LEFT, 0, "{status}"},
    };
    struct place list = place_get(root, "calibration");
    if (cJSON_GetArraySize(list.json) == 0)
        return;
    page_heading(page, 2, "calibration", "Time of a chained call");
    page_table(page, "calibrations", "Dependent additions in each start");
    page_fields_each(page, fields, sizeof fields / sizeof *fields, &list);
    struct place first = place_item(&list, 0);
    page_say(
        page, PAGE_TEXT, &first,
        "Each start of null makes that many dependent additions (--between=chain); the time of "
        "null alone is subtracted. Expected: their number times the time of one. Status ok: the "
        "whole 99 % interval is within the tolerance; wrong: all of it is outside.");
}

static void say_smallest(struct page *page, const struct place *root)
{
    if (json_get(root->json, "smallest_reliable_slowdown"))
        page_say(page, PAGE_ITEM, root,
                 "Found in 95 of 100 cells here: a slowdown of "
                 "{smallest_reliable_slowdown:strong-share} and more.");
    else
        page_item(page, "No slowdown up to 50 %% would be found reliably here.");
}

static void say_false_alarms(struct page *page, const struct place *root)
{
    say_smallest(page, root);
    page_say(page, PAGE_TEXT, root,
             "{comparisons} comparisons of a cell with itself, {preset_comparisons} of all "
             "{method.cells} cells.");
    page_say(page, PAGE_ITEM, root,
             "False alarms: {false_alarms} ({false_alarm_rate:share}; below "
             "{false_alarm_high:share} with {method.bounds_confidence:share} confidence); "
             "inconclusive: {inconclusive_rate:share}.");
}

/* Sentences, each with the budget that was too short for it. */
static void say_left_out(struct page *page, const struct place *root)
{
    struct place texts = place_get(root, "left_out");
    for (struct place text = place_item(&texts, 0); text.json; place_next(&text)) {
        page_say(page, PAGE_ITEM, root, "Left out in {budget_s} s (--budget): ");
        page_add(page, &text, "{}.");
    }
}

static void say_rest(struct page *page, const struct place *root)
{
    page_say(page, PAGE_ITEM, root,
             "<Two samples of a pair lie {pair_spread_percent} % apart (median).>");
    if (json_get(root->json, "disturbance.busy_share"))
        page_say(page, PAGE_ITEM, root,
                 "Meanwhile others used {disturbance.busy_share:share} of all cores<, and the host "
                 "took {disturbance.steal_share:share}>.");
    page_say(page, PAGE_ITEM, root,
             "Reading the clock costs {timer_overhead_ns} ns<, the harness {harness_ns_per_op} ns "
             "per call>.");
}

static void add_data(struct page *page, const struct place *root)
{
    page_open(page, PAGE_DATA);
    page_column(page, "injected_percent", "", 0, 0);
    for (size_t i = 0; i < FIGURES; i++)
        page_column(page, figures[i].key, "", 0, 0);
    json_each(size, root->json, "detection")
        if (size->string)
            add_size(page, root, size->string, true);
}

void page_selftest(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    page_heading(page, 1, NULL, "This program compared with itself");
    bool is_known = place_number(&root, "comparisons") > 0;
    if (is_known)
        say_false_alarms(page, &root);
    else
        page_item(page, "Nothing is known yet about false alarms and slowdowns: no round was "
                        "finished (--budget).");
    say_left_out(page, &root);
    say_rest(page, &root);
    page_warnings(page, document);
    if (is_known)
        add_sizes(page, &root);
    add_calibration(page, &root);
    page_origin(page, document);
    add_data(page, &root);
}
