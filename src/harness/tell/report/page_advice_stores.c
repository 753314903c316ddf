/* page_advice_stores.c - builds the page of an advice on stores: the recommendation, the stores beside it, the ledgers, the
 * rule; then what the page of a stores document has. */
#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

#include <math.h>
#include <string.h>

/* ---- The recommendation. --------------------------------------------------------------------- */

static void say_load(struct page *page, const struct place *advice)
{
    page_say(page, PAGE_TEXT, advice,
             "{load.pending:short} messages pending, --sync={load.sync}, producers "
             "{load.producers}, batch {load.batch}, payloads of {load.payload_min}");
    if (place_number(advice, "load.payload_max") > place_number(advice, "load.payload_min"))
        page_add(page, advice, " to {load.payload_max}");
    page_span(page, " bytes.");
}

static void say_recommendation(struct page *page, const struct place *advice)
{
    struct place recommendation = place_get(advice, "recommendation");
    struct place reasons = place_get(&recommendation, "reasons");
    if (!recommendation.json) {
        page_text(page, "No store was measured that may be recommended.");
        return;
    }
    if (place_text(&recommendation, "unclear")[0])
        page_say(page, PAGE_TEXT, &recommendation, "{unclear:strong}.  The rest is about {store}.");
    else
        page_say(page, PAGE_TEXT, &recommendation,
                 "Take {store:strong}<: {next}, the next that clearly differs>.");
    page_say(page, PAGE_TEXT, &recommendation, "{store}: {is}.< It refuses {refuses}.>");
    if (place_number(&recommendation, "at") < place_number(advice, "load.pending"))
        page_say(page, PAGE_TEXT, advice,
                 "The budget did not reach {load.pending:short} messages: the figures of "
                 "{recommendation.store} are of {recommendation.at:short}.");
    page_say_each(page, PAGE_ITEM, &reasons, "{}");
    page_text(page, "Measure it again:");
    page_say(page, PAGE_CODE_BLOCK, &recommendation, "{command}");
}

/* ---- The stores side by side. ---------------------------------------------------------------- */

/* The cell that a candidate names. */
static struct place cell_of(const struct place *cells, const struct place *candidate,
                            const char *which)
{
    double place = place_number(candidate, which);
    return isnan(place) ? (struct place){.json = NULL} : place_item(cells, (size_t)place);
}

static void put_median(struct page *page, const struct place *cell, const char *template)
{
    page_cell(page, "%s", "");
    if (cell->json)
        page_add(page, cell, template);
}

/* In milliseconds, which suit all sizes. */
static void add_recovery(struct page *page, const struct place *cell)
{
    char text[FIGURE_SIZE];
    page_cell(page, "%s", "");
    if (!cell->json)
        return;
    figure_number(text, 1000 * place_number(cell, "figures.recovery_s.median"));
    page_put_as(page, cell, "figures.recovery_s.median", "%s", text);
}

static void add_row(struct page *page, const struct place *cells, const struct place *candidate)
{
    struct place fill = cell_of(cells, candidate, "cell");
    struct place late = cell_of(cells, candidate, "late_cell");
    page_row(page);
    page_cell_put(page, candidate, "store");
    page_cell_say(page, candidate, "{reached:short}");
    put_median(page, &fill, "{figures.puts_per_s.median:number}");
    put_median(page, &fill, "{figures.dispatch_per_s.median:number}");
    put_median(page, &late, "{figures.late_p99_ms.median:number}");
    put_median(page, &late, "{figures.late_max_ms.median:number}");
    add_recovery(page, &fill);
    put_median(page, &fill, "{figures.memory_bytes.median:bytes}");
    put_median(page, &fill, "{figures.written_bytes_per_message.median:number}");
    put_median(page, &fill, "{figures.syncs_per_message.median:number}");
    page_cell_say(page, candidate, "{factor.median:number}");
    page_cell_say(page, candidate, "{status:verdict}");
}

static void add_stores(struct page *page, const struct place *cells, const struct place *candidates)
{
    page_heading(page, 2, "stores", "The stores");
    page_table(page, "stores-table", "The stores");
    page_column(page, "", "store", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "at", "messages", 0, 9);
    page_column(page, "puts", "1/s", 0, 0);
    page_column(page, "drain", "1/s", 0, 8);
    page_column(page, "late p99", "ms", PAGE_BEST, 7);
    page_column(page, "late max", "ms", PAGE_BEST, 2);
    page_column(page, "recovery", "ms", 0, 6);
    page_column(page, "memory", "", 0, 5);
    page_column(page, "written", "B/message", 0, 4);
    page_column(page, "syncs", "/message", 0, 3);
    page_column(page, "ahead", "times", 0, 1);
    page_column(page, "", "", PAGE_LEFT, 10);
    for (struct place row = place_item(candidates, 0); row.json; place_next(&row))
        add_row(page, cells, &row);
    page_text(
        page,
        "Figures at different numbers of messages are not to be compared; ahead: how "
        "many times better the recommended store is by the goal, at the largest number "
        "that both came to. A dash: not known, as the syncs of a server, or the drain of more than "
        "100,000 messages.");
}

/* ---- Ledgers. -------------------------------------------------------------------------------- */

static const struct page_field ledger_fields[] = {
    {.title = "store", .flags = PAGE_LEFT | PAGE_NAMES, .cell = "{store}"},
    {.title = "messages", .cell = "{load.tasks:short}"},
    {.title = "clock", .flags = PAGE_LEFT, .keep = 1, .cell = "{clock}"},
    {.title = "kills", .cell = "{load.kills:count}"},
    {.title = "runs", .keep = 2, .cell = "{runs:count}"},
    {.title = "acknowledged", .cell = "{ledger.acknowledged:count}"},
    {.title = "lost", .cell = "{ledger.lost:count}"},
    {.title = "twice", .cell = "{ledger.twice:count}"},
    {.title = "early", .cell = "{ledger.early:count}"},
    {.title = "late", .cell = "{ledger.late:count}"},
    {.title = "changed", .keep = 3, .cell = "{ledger.changed:count}"},
    {.title = "pending", .keep = 2, .cell = "{ledger.pending:count}"},
    {.title = "", .flags = PAGE_LEFT, .cell = "{status:verdict}"}};

static void add_ledgers(struct page *page, const struct place *cells)
{
    page_heading(page, 2, "ledgers", "Every message accounted for");
    page_table(page, "ledgers-table", "Ledgers of all that was run");
    page_fields_each(page, ledger_fields, sizeof ledger_fields / sizeof *ledger_fields, cells);
}

/* ---- All of it. ------------------------------------------------------------------------------ */

static void say_others(struct page *page, const struct place *candidates)
{
    for (struct place row = place_item(candidates, 0); row.json; place_next(&row)) {
        page_say(page, PAGE_ITEM, &row, "<{store}, {status}: {why}>");
        if (!place_text(&row, "why")[0])
            continue;
        page_add(page, &row, "<; refuses {refuses}>");
    }
}

static void say_rule(struct page *page, const struct place *advice)
{
    page_say(page, PAGE_ITEM, advice, "The rule: {wishes.rule}.");
    page_item(page, "Two stores differ where the 95 %% interval of the ratio of runs of one round "
                    "and 3 %% say so; of fewer than six rounds a factor of four counts, times what "
                    "the runs lie apart.");
    page_say(page, PAGE_ITEM, advice, "{budget.used_ns:s} of {budget.asked_ns:s} used");
    page_span(page, "%s",
              cJSON_IsTrue(json_get(advice->json, "budget.interrupted")) ? ", then interrupted."
                                                                         : ".");
}

void page_advice_stores(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    struct place advice = place_get(&root, "advice");
    struct place candidates = place_get(&advice, "candidates");
    page_heading(page, 1, NULL, "Which store for delayed messages");
    say_load(page, &advice);
    say_recommendation(page, &advice);
    add_stores(page, &cells, &candidates);
    page_pictures(page, "");
    page_heading(page, 2, "others", "The other stores, and the rule");
    say_others(page, &candidates);
    say_rule(page, &advice);
    add_ledgers(page, &cells);
    page_origin(page, document);
    page_all_figures(page, &root);
}
