/* page_stores.c - builds the page of a stores document: figures and ledger of each policy and load, store by store. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"
#include "harness/tell/report/standing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STANDING_SIZE 2000

/* Cells of one policy, clock and load belong side by side; settings are the store's. */
static bool is_beside(const cJSON *a, const cJSON *b)
{
    static const char *const texts[] = {"sync", "clock"};
    static const char *const switches[] = {"load.drain", "load.cold"};
    static const char *const numbers[] = {
        "interval_ms",      "load.tasks",       "load.producers",       "load.batch",
        "load.rate",        "load.payload_min", "load.payload_max",     "load.span_ms",
        "load.arrivals_ms", "load.kills",       "load.cancel_permille", "load.hot_permille"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(json_get_text(a, texts[i]), json_get_text(b, texts[i])) != 0)
            return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_get_number(a, numbers[i]) != json_get_number(b, numbers[i]))
            return false;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (cJSON_IsTrue(json_get(a, switches[i])) != cJSON_IsTrue(json_get(b, switches[i])))
            return false;
    return true;
}

static bool is_first_of_group(const struct place *cells, const cJSON *cell)
{
    const cJSON *before = cells->json->child;
    while (before != cell && !is_beside(before, cell))
        before = before->next;
    return before == cell;
}

static const struct page_field figure_fields[] = {
    {.title = "store", .flags = PAGE_LEFT | PAGE_NAMES, .cell = "{store}"},
    {.title = "puts", .unit = "1/s", .cell = "{figures.puts_per_s.median:number}"},
    {.title = "ack p50", .unit = "us", .keep = 4, .cell = "{figures.ack_p50_us.median:number}"},
    {.title = "ack p99", .unit = "us", .cell = "{figures.ack_p99_us.median:number}"},
    {.title = "dispatch", .unit = "1/s", .cell = "{figures.dispatch_per_s.median:number}"},
    {.title = "late p99", .unit = "ms", .keep = 3, .cell = "{figures.late_p99_ms.median:number}"},
    {.title = "stall", .unit = "ms", .keep = 5, .cell = "{figures.poll_max_ms.median:number}"},
    {.title = "memory",
     .unit = "B/pending",
     .keep = 6,
     .cell = "{figures.memory_bytes_per_pending.median:number}"},
    {.title = "disk",
     .unit = "B/pending",
     .keep = 2,
     .cell = "{figures.disk_bytes_per_pending.median:number}"},
    {.title = "written",
     .unit = "B/message",
     .keep = 7,
     .cell = "{figures.written_bytes_per_message.median:number}"},
    {.title = "recovery", .unit = "s", .cell = "{figures.recovery_s.median:number}"},
    {.title = "first", .unit = "s", .keep = 1, .cell = "{figures.served_s.median:number}"},
    {.title = "status", .flags = PAGE_LEFT, .cell = "{status:verdict}"}};

/* The last is left out where nothing was killed. */
static const struct page_field ledger_fields[] = {
    {.title = "store", .flags = PAGE_LEFT | PAGE_NAMES, .cell = "{store}"},
    {.title = "acknowledged", .cell = "{ledger.acknowledged:count}"},
    {.title = "fired", .cell = "{ledger.fired:count}"},
    {.title = "cancelled", .cell = "{ledger.cancelled:count}"},
    {.title = "lost", .cell = "{ledger.lost:count}"},
    {.title = "twice", .cell = "{ledger.twice:count}"},
    {.title = "early", .cell = "{ledger.early:count}"},
    {.title = "late", .keep = 3, .cell = "{ledger.late:count}"},
    {.title = "out of order", .keep = 2, .cell = "{ledger.out_of_order:count}"},
    {.title = "changed", .keep = 4, .cell = "{ledger.changed:count}"},
    {.title = "again", .keep = 5, .cell = "{ledger.again:count}"},
    {.title = "dropped", .keep = 1, .cell = "{ledger.dropped:count}"},
    {.title = "unknown", .keep = 5, .cell = "{ledger.unknown:count}"},
    {.title = "kills",
     .keep = 6,
     .cell = "{kills.client:count}+{kills.server:count}+{kills.both:count}"}};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void add_rows(struct page *page, const struct page_field *fields, size_t count,
                     const struct place *cells, const cJSON *first)
{
    page_columns(page, fields, count);
    for (struct place cell = place_of(cells, first); cell.json; place_next(&cell))
        if (is_beside(cell.json, first) && strcmp(place_text(&cell, "status"), "absent") != 0)
            page_fields(page, fields, count, &cell);
}

static void add_samples(struct standing_contender *contender, const cJSON *samples, bool is_rate)
{
    const cJSON *sample;
    cJSON_ArrayForEach(sample, samples)
    {
        double value = is_rate ? 1 / sample->valuedouble : sample->valuedouble;
        if (value > 0 && isfinite(value))
            standing_sample(contender, value);
    }
}

/* Of a load as fast as it goes by puts, of one at a rate by lateness.  False: there is nothing to compare.  *known: there
 * are samples enough to name one. */
static bool standing_of(char *out, size_t size, const cJSON *first, bool *known)
{
    size_t count = 0, cells = 0;
    for (const cJSON *cell = first; cell; cell = cell->next)
        cells++;
    struct standing_contender *all = calloc(cells, sizeof *all);
    bool is_paced = json_get_number(first, "load.rate") > 0;
    const char *figure = is_paced ? "figures.late_p99_ms.samples" : "figures.puts_per_s.samples";
    for (const cJSON *cell = first; all && cell; cell = cell->next) {
        if (!is_beside(cell, first) || strcmp(json_get_text(cell, "status"), "ok") != 0)
            continue;
        standing_contend(&all[count], json_get_text(cell, "store"));
        add_samples(&all[count], json_get(cell, figure), !is_paced);
        count += all[count].count > 0;
    }
    cJSON *phase = standing_phase(is_paced ? "late p99" : "puts", all, count);
    struct text line = text_in(out, size);
    if (phase)
        standing_say(&line, phase);
    *known = json_get_text(phase, "fastest")[0] != '\0';
    cJSON_Delete(phase);
    free(all);
    return phase != NULL;
}

static void add_title(struct page *page, const struct place *cell)
{
    page_add(page, cell, "sync {sync}");
    if (json_get_number(cell->json, "interval_ms") > 0)
        page_add(page, cell, " of {interval_ms} ms");
    page_add(page, cell,
             ", {load.tasks:short} messages, producers {load.producers}, batch {load.batch}, "
             "{clock} clock");
}

/* The terminal has the same below each table. */
static void say_all_standing(struct page *page, const struct place *cells)
{
    char standing[STANDING_SIZE];
    size_t unknown = 0;
    bool known;
    page_aside(page, NULL);
    for (struct place cell = place_item(cells, 0); cell.json; place_next(&cell)) {
        if (!is_first_of_group(cells, cell.json) || json_get_number(cell.json, "load.kills") > 0 ||
            !standing_of(standing, sizeof standing, cell.json, &known))
            continue;
        unknown += !known;
        if (!known)
            continue;
        page_item(page, "%s", "");
        add_title(page, &cell);
        page_span(page, ": %s.", standing);
    }
    if (unknown > 0)
        page_item(page,
                  "Of %zu table%s no store is named the fastest, for want of six samples "
                  "(--runs=6).",
                  unknown, unknown == 1 ? "" : "s");
    page_open(page, PAGE_ASIDE_END);
}

static void add_group(struct page *page, const struct place *cells, const cJSON *first)
{
    struct place cell = place_of(cells, first);
    char standing[STANDING_SIZE];
    page_heading(page, 2, NULL, "%s", "");
    add_title(page, &cell);
    bool is_killed = json_get_number(first, "load.kills") > 0;
    if (is_killed) {
        page_add(page, &cell, ", {load.kills} kills");
    } else {
        page_table(page, NULL, "Figures");
        add_rows(page, figure_fields, COUNT(figure_fields), cells, first);
        bool known;
        if (standing_of(standing, sizeof standing, first, &known))
            page_text(page, "%s.", standing);
    }
    page_table(page, NULL, "Ledger");
    add_rows(page, ledger_fields, COUNT(ledger_fields) - !is_killed, cells, first);
}

/* What is wrong, and what is not here. */
static void say_reasons(struct page *page, const struct place *cells)
{
    for (struct place cell = place_item(cells, 0); cell.json; place_next(&cell))
        if (strcmp(place_text(&cell, "status"), "ok") != 0)
            page_say(page, PAGE_ITEM, &cell, "{store}, {sync}: {status:strong}<: {reason}>");
}

static void say_reading(struct page *page, const struct place *root)
{
    page_say(page, PAGE_TEXT, root,
             "Medians of {method.runs} runs.< An append of 4 KiB with fdatasync takes "
             "{method.disk_sync_us} us on this disk.>");
    page_text(page, "acknowledged = fired + cancelled + lost + dropped + pending. Lost, twice, "
                    "early, late, out of "
                    "order and changed are defects; again, dropped and unknown are what the "
                    "contract allows. Kills are those of the client + of the server + of both at "
                    "once.");
}

void page_stores(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    page_heading(page, 1, NULL, "Stores");
    say_all_standing(page, &cells);
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cells.json)
    {
        if (is_first_of_group(&cells, cell))
            add_group(page, &cells, cell);
    }
    say_reading(page, &root);
    say_reasons(page, &cells);
    if (!cJSON_IsTrue(json_get(document, "complete")))
        page_item(page, "It was interrupted: runs are missing.");
    page_pictures(page, "");
    page_origin(page, document);
    page_all_figures(page, &root);
}
