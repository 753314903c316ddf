/* page_grade.c - builds the page of a grade: points, what is broken, costs load by load. */
#include "labs/lab/lab.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"

static void add_points(struct page *page, const struct place *list)
{
    for (struct place at = place_item(list, 0); at.json; place_next(&at)) {
        page_row(page);
        page_cell_put(page, &at, "name");
        page_cell_say(page, &at, "{points:plain} of {of:count}");
        page_cell(page, "%s", place_text(&at, "rule"));
        if (place_text(&at, "rule")[0])
            page_mark(page, PAGE_BAD);
    }
}

static void add_broken(struct page *page, const struct place *part)
{
    page_heading(page, 2, NULL, "%s", place_text(part, "name"));
    page_say(page, PAGE_TEXT, part, "{rule:bad}: {detail}");
    if (place_text(part, "operations")[0])
        page_say(page, PAGE_CODE_BLOCK, part, "<{operations}>");
    if (place_text(part, "drawing")[0])
        page_say(page, PAGE_CODE_BLOCK, part, "<{drawing}>");
    if (place_text(part, "read")[0])
        page_say(page, PAGE_TEXT, part, "Read: {read}");
}

void page_grade(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), parts = place_get(&root, "parts"),
                 costs = place_get(&root, "costs");
    page_heading(page, 1, NULL, "%s", "");
    page_put(page, &root, "rubric");
    page_say(page, PAGE_TEXT, &root, "{file}: {points:plain} of {of:count} points");
    if (json_get(document, "compiler"))
        page_say(page, PAGE_CODE_BLOCK, &root, "<{compiler}>");
    page_table(page, NULL, "Points");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "points", "", 0, 0);
    page_column(page, "broken rule", "", PAGE_LEFT, 0);
    add_points(page, &parts);
    add_points(page, &costs);
    for (struct place part = place_item(&parts, 0); part.json; place_next(&part))
        if (place_text(&part, "rule")[0])
            add_broken(page, &part);
    for (struct place cost = place_item(&costs, 0); cost.json; place_next(&cost)) {
        struct place loads = place_get(&cost, "loads");
        if (loads.json && loads.json->child) {
            page_heading(page, 2, NULL, "%s", place_text(&cost, "name"));
            page_text(page, "Counted operations, memory in bytes per task; no points at none and "
                            "above, all points at full and below.");
            page_records(page, "Loads", &loads);
        }
    }
    page_all_figures(page, &root);
}
