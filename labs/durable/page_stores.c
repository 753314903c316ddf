/* page_stores.c - builds the page of a stores document: figures and ledger of each policy and load, store by store. */
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/tell/report/standing.h"
#include "labs/durable/durable.h"

#include <math.h>

#define STANDING_SIZE 2000

/* Cells of one policy, clock and load belong side by side; settings are the store's. */
static bool is_beside(const cJSON *a, const cJSON *b)
{
    json_each(item, a, "load") {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(json_get(b, "load"), item->string);
        if (!strstr("settings seed", item->string) && !cJSON_Compare(item, other, true))
            return false;
    }
    return strcmp(json_get_text(a, "sync"), json_get_text(b, "sync")) == 0 &&
           strcmp(json_get_text(a, "clock"), json_get_text(b, "clock")) == 0 &&
           json_get_number(a, "interval_ms") == json_get_number(b, "interval_ms");
}

static bool is_first_of_group(const struct place *cells, const cJSON *cell)
{
    const cJSON *before = cells->json->child;
    while (before != cell && !is_beside(before, cell))
        before = before->next;
    return before == cell;
}

static const struct page_field figure_fields[] = {
    {"store", NULL, PAGE_LEFT | PAGE_NAMES, 0, "{store}"},
    {"puts", "1/s", 0, 0, "{figures.puts_per_s.median:number}"},
    {"ack p50", "us", 0, 4, "{figures.ack_p50_us.median:number}"},
    {"ack p99", "us", 0, 0, "{figures.ack_p99_us.median:number}"},
    {"dispatch", "1/s", 0, 0, "{figures.dispatch_per_s.median:number}"},
    {"late p99", "ms", 0, 3, "{figures.late_p99_ms.median:number}"},
    {"stall", "ms", 0, 5, "{figures.poll_max_ms.median:number}"},
    {"memory", "B/pending", 0, 6, "{figures.memory_bytes_per_pending.median:number}"},
    {"disk", "B/pending", 0, 2, "{figures.disk_bytes_per_pending.median:number}"},
    {"written", "B/message", 0, 7, "{figures.written_bytes_per_message.median:number}"},
    {"recovery", "ms", 0, 0, "{figures.recovery_s.median:s-as-ms}"},
    {"first", "ms", 0, 1, "{figures.served_s.median:s-as-ms}"},
    {"status", NULL, PAGE_LEFT, 0, "{status:verdict}"}};

/* The last is left out where nothing was killed. */
static const struct page_field ledger_fields[] = {
    {"store", NULL, PAGE_LEFT | PAGE_NAMES, 0, "{store}"},
    {"acknowledged", NULL, 0, 8, "{ledger.acknowledged:count}"},
    {"fired", NULL, 0, 7, "{ledger.fired:count}"},
    {"cancelled", NULL, 0, 7, "{ledger.cancelled:count}"},
    {"lost", NULL, 0, 0, "{ledger.lost:count}"},
    {"twice", NULL, 0, 0, "{ledger.twice:count}"},
    {"early", NULL, 0, 0, "{ledger.early:count}"},
    {"late", NULL, 0, 3, "{ledger.late:count}"},
    {"out of order", NULL, 0, 2, "{ledger.out_of_order:count}"},
    {"changed", NULL, 0, 4, "{ledger.changed:count}"},
    {"again", NULL, 0, 5, "{ledger.again:count}"},
    {"dropped", NULL, 0, 1, "{ledger.dropped:count}"},
    {"unknown", NULL, 0, 5, "{ledger.unknown:count}"},
    {"kills", NULL, 0, 6, "{kills.client:count}+{kills.server:count}+{kills.both:count}"}};

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
    json_each(sample, samples, "") {
        double value = is_rate ? 1 / sample->valuedouble : sample->valuedouble;
        if (value > 0 && isfinite(value))
            standing_sample(contender, value);
    }
}

static bool is_paced(const cJSON *cell)
{
    return json_get_number(cell, "load.rate") > 0;
}

/* May the store be recommended?  Not when its messages do not survive a crash, or a cell under this policy shows a
 * defect. */
static bool may_be_taken(const struct place *cells, const cJSON *cell)
{
    const struct store_row *row = store_registry_find(json_get_text(cell, "store"));
    if (row && row->builtin && row->builtin->flags & (TW_STORE_KEEPS_NOTHING | TW_STORE_IN_MEMORY))
        return false;
    json_each(other, cells->json, "")
        if (stores_cell_failed(other) &&
            strcmp(json_get_text(other, "store"), json_get_text(cell, "store")) == 0 &&
            strcmp(json_get_text(other, "sync"), json_get_text(cell, "sync")) == 0)
            return false;
    return strcmp(json_get_text(cell, "status"), "ok") == 0;
}

/* Of a load as fast as it goes by puts, of one at a rate by lateness, of stores that may be recommended.  "" and NULL in
 * *fastest: there are no two to compare, or too few samples to name one. */
static void standing_of(char *out, size_t size, const cJSON *first, const struct place *cells,
                        const cJSON **fastest)
{
    size_t count = 0, most = 0;
    for (const cJSON *cell = first; cell; cell = cell->next)
        most++;
    struct standing_contender *all = memory_take(most, sizeof *all);
    bool paced = is_paced(first);
    const char *figure = paced ? "figures.late_p99_ms.samples" : "figures.puts_per_s.samples";
    for (const cJSON *cell = first; cell; cell = cell->next) {
        if (!is_beside(cell, first) || !may_be_taken(cells, cell))
            continue;
        standing_contend(&all[count], json_get_text(cell, "store"));
        add_samples(&all[count], json_get(cell, figure), !paced);
        count += all[count].count > 0;
    }
    cJSON *phase = standing_phase(paced ? "late p99" : "puts", all, count);
    struct text line = text_in(out, size);
    *fastest = NULL;
    if (phase)
        standing_say(&line, phase);
    for (const cJSON *cell = first; cell; cell = cell->next)
        if (phase && is_beside(cell, first) &&
            strcmp(json_get_text(cell, "store"), json_get_text(phase, "fastest")) == 0)
            *fastest = cell;
    cJSON_Delete(phase);
    free(all);
}

static void add_title(struct page *page, const struct place *cell)
{
    page_add(page, cell, "sync {sync}");
    if (json_get_number(cell->json, "interval_ms") > 0)
        page_add(page, cell, " of {interval_ms} ms");
    page_add(page, cell,
             ", {load.tasks:short} messages, producers {load.producers}, batch {load.batch}, "
             "{clock} clock");
    if (json_get_number(cell->json, "load.group_memory_bytes") > 0)
        page_add(page, cell, ", in {load.group_memory_bytes:bytes} with the page cache");
}

/* Of the stores of the group that may be taken the one with the least (`sign` 1) or most (-1) of a figure. */
static const cJSON *best_by(const struct place *cells, const cJSON *first, const char *figure,
                            int sign)
{
    const cJSON *best = NULL;
    for (const cJSON *cell = first; cell; cell = cell->next) {
        double value = sign * json_get_number(cell, figure);
        if (is_beside(cell, first) && may_be_taken(cells, cell) && isfinite(value) &&
            (!best || value < sign * json_get_number(best, figure)))
            best = cell;
    }
    return best;
}

/* *few: there are too few samples to name the fastest. */
static void recommend(struct page *page, const struct place *cells, const cJSON *first, bool *few)
{
    char standing[STANDING_SIZE] = "";
    const cJSON *fastest;
    const char *figure =
        is_paced(first) ? "figures.late_p99_ms.median" : "figures.puts_per_s.median";
    const cJSON *best = best_by(cells, first, figure, is_paced(first) ? 1 : -1);
    struct place title = place_of(cells, first);
    standing_of(standing, sizeof standing, first, cells, &fastest);
    *few = *few || (standing[0] && !fastest);
    page_item(page, "%s", "");
    add_title(page, &title);
    if (!best) {
        page_span(page, ": no sound store that survives a crash was measured.");
        return;
    }
    struct place taken = place_of(cells, fastest ? fastest : best);
    page_add(page, &taken,
             fastest       ? ": take {store:strong}"
             : standing[0] ? ": {store:strong} by the median"
                           : ": {store:strong}, the only one measured");
    const char *same = strchr(standing, ';'), *is = strstr(standing, " is ");
    const char *how =
        is ? strchr(is, ':') + 2 : standing; /* "wheel-log is fastest: 1.65 times ..." */
    if (fastest)
        page_span(page, " (%.*s%s)", (int)strcspn(how, ",;"), how, same ? same : "");
    page_add(page, &taken,
             is_paced(first) ? "<, 99 % of the messages within {figures.late_p99_ms.median} ms>"
                             : "<, {figures.puts_per_s.median:number} messages a second>");
    page_add(page, &taken, "<; it recovers in {figures.recovery_s.median:seconds}>.");
}

/* What the cells do not tell, and how to ask. */
static void say_unknown(struct page *page, const struct place *cells, bool few)
{
    bool kills = false, cold = false, paced = false, sizes = false;
    char unknown[400];
    struct text text = text_in(unknown, sizeof unknown);
    json_each(cell, cells->json, "") {
        kills = kills || json_get_number(cell, "load.kills") > 0;
        cold = cold || cJSON_IsTrue(json_get(cell, "load.cold"));
        paced = paced || (is_paced(cell) && strcmp(json_get_text(cell, "clock"), "real") == 0);
        sizes = sizes || json_get_number(cell, "load.tasks") !=
                             json_get_number(cells->json->child, "load.tasks");
    }
    if (few)
        text_add_item(&text, "; ", "whether the next store differs (--runs=6)");
    if (!kills)
        text_add_item(&text, "; ", "what is lost when they are killed (--kills=50)");
    if (!sizes)
        text_add_item(&text, "; ", "recovery with more messages (--tasks=1e4,1e6)");
    if (!cold)
        text_add_item(&text, "; ", "recovery after a reboot (--cold)");
    if (!paced)
        text_add_item(&text, "; ", "lateness at a pace of yours (--clock=real --rate=N)");
    text_add_item(&text, "; ", "the loss of power (twbench conform --store=NAME)");
    page_answer(page, "Not known from these runs: %s.", unknown);
}

static void say_kills(struct page *page, const struct place *cells)
{
    double kills = 0;
    size_t killed = 0, failed = 0;
    json_each(cell, cells->json, "") {
        bool is_killed = json_get_number(cell, "load.kills") > 0 && !stores_cell_is_final(cell);
        kills += is_killed ? json_get_number(cell, "load.kills") : 0;
        killed += is_killed;
        failed += is_killed && stores_cell_failed(cell);
    }
    if (killed > 0)
        page_text(page, "Killed %.0f times, over %zu stores and loads: ", kills, killed);
    if (failed > 0)
        page_span(page, "%zu show a defect, which the ledgers have.", failed);
    else if (killed > 0)
        page_span(page, "no message was lost, changed or fired twice, early or out of order.");
}

static void say_recommendation(struct page *page, const struct place *cells)
{
    size_t groups = 0;
    bool few = false;
    json_each(cell, cells->json, "") {
        if (!is_first_of_group(cells, cell) || json_get_number(cell, "load.kills") > 0)
            continue;
        if (groups++ == 5)
            page_fold(page, "More loads");
        if (groups == 1)
            page_text(page, "Which store, by what an acknowledgement (sync) has to survive:");
        recommend(page, cells, cell, &few);
    }
    if (groups > 5)
        page_open(page, PAGE_FOLD_END);
    if (groups > 0)
        say_unknown(page, cells, few);
}

static void add_group(struct page *page, const struct place *cells, const cJSON *first)
{
    struct place cell = place_of(cells, first);
    char standing[STANDING_SIZE] = "";
    page_heading(page, 2, NULL, "%s", "");
    add_title(page, &cell);
    bool is_killed = json_get_number(first, "load.kills") > 0;
    if (is_killed) {
        page_add(page, &cell, ", {load.kills} kills");
    } else {
        page_table(page, NULL, "Figures");
        add_rows(page, figure_fields, COUNT(figure_fields), cells, first);
        const cJSON *fastest;
        standing_of(standing, sizeof standing, first, cells, &fastest);
        if (standing[0])
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
    page_text(page, "Figures are medians; runs: %s",
              cJSON_IsFalse(json_get(root->json, "complete")) ? "up to " : "");
    page_add(page, root,
             "{method.runs}.< An append of 4 KiB with fdatasync takes "
             "{method.disk_sync_us} us on this disk.>");
    page_text(page, "acknowledged = fired + cancelled + lost + dropped + pending. Lost, twice, "
                    "early, late, out of order and changed are defects; the contract allows "
                    "again, dropped and unknown. Kills: client + server + both at once.");
}

void page_stores(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    page_heading(page, 1, NULL, "Stores");
    say_recommendation(page, &cells);
    say_kills(page, &cells);
    json_each(cell, cells.json, "")
        if (is_first_of_group(&cells, cell))
            add_group(page, &cells, cell);
    say_reading(page, &root);
    say_reasons(page, &cells);
    if (!cJSON_IsTrue(json_get(document, "complete")))
        page_item(page, "It was interrupted: runs are missing.");
    page_pictures(page, "");
    page_origin(page, document);
    page_all_figures(page, &root);
}
