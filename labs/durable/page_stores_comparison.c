/* page_stores_comparison.c - builds the page of two documents of stores: verdict, and each figure that changed. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"

#include <string.h>

static const struct page_field fields[] = {
    {.title = "figure", .flags = PAGE_LEFT | PAGE_NAMES, .cell = "{figure}"},
    {.title = "unit", .flags = PAGE_LEFT, .keep = 1, .cell = "{unit}"},
    {.title = "old", .cell = "{old:number}"},
    {.title = "new", .cell = "{new:number}"},
    {.title = "ratio", .cell = "{ratio:number}"},
    {.title = "verdict", .flags = PAGE_LEFT, .cell = "{verdict:verdict}"}};

void page_stores_comparison(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    page_heading(page, 1, NULL, "Stores compared");
    page_say(page, PAGE_TEXT, &root, "{before} with {after}: {verdict:verdict}.");
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        struct place figures = place_get(&cell, "figures");
        page_heading(page, 2, NULL, "%s", "");
        page_add(page, &cell,
                 "{store}, {sync}, {load.tasks:short} messages, producers {load.producers}, batch "
                 "{load.batch}: {verdict:verdict}");
        page_say(page, PAGE_ITEM, &cell, "<{new_status:strong}: {reason}>");
        page_table(page, NULL, "Figures");
        page_fields_each(page, fields, sizeof fields / sizeof *fields, &figures);
    }
    page_say(
        page, PAGE_TEXT, &root,
        "A figure changed when its median moved by more than {margin:share} and the intervals "
        "of the two sides do not meet; where they meet, or a side has fewer than three runs, it is "
        "inconclusive.");
    page_all_figures(page, &root);
}
