/* cmd_compare.c - compare of two documents of stores: pairs their cells, and judges each figure. */
#include "labs/durable/durable.h"

#include "harness/base/json.h"
#include "harness/command/outputs.h"
#include "harness/tell/result/document.h"

#include <math.h>
#include <string.h>

/* Disks are noisier than cores: a change below a tenth is none. */
#define MARGIN 0.1

/* From good to bad. */
enum stores_verdict { STORES_SAME, STORES_IMPROVED, STORES_INCONCLUSIVE, STORES_REGRESSED };

struct comparing {
    const cJSON *before, *after;
    enum stores_verdict worst;
};

static const char *verdict_name(enum stores_verdict verdict)
{
    static const char *const names[] = {"same", "improved", "inconclusive", "regressed"};
    return names[verdict];
}

/* Documents of before these keys had loads that were drained, with the page cache as it was. */
static bool is_same_load(const cJSON *old, const cJSON *new)
{
    cJSON *both[] = {cJSON_Duplicate(old, true), cJSON_Duplicate(new, true)};
    for (size_t i = 0; i < 2; i++) {
        if (!json_get(both[i], "drain"))
            json_add(both[i], "drain", cJSON_CreateTrue());
        if (!json_get(both[i], "cold"))
            json_add(both[i], "cold", cJSON_CreateFalse());
    }
    bool same = cJSON_Compare(both[0], both[1], true);
    cJSON_Delete(both[0]);
    cJSON_Delete(both[1]);
    return same;
}

/* The cell of the same store, policy and load. */
static const cJSON *cell_like(const cJSON *document, const cJSON *cell)
{
    static const char *const texts[] = {"store", "sync", "clock"};
    json_each(other, document, "cells") {
        bool same = is_same_load(json_get(other, "load"), json_get(cell, "load")) &&
                    json_get_number(other, "interval_ms") == json_get_number(cell, "interval_ms");
        for (size_t i = 0; i < sizeof texts / sizeof *texts && same; i++)
            same = strcmp(json_get_text(other, texts[i]), json_get_text(cell, texts[i])) == 0;
        if (same)
            return other;
    }
    return NULL;
}

static enum stores_verdict judge(const struct store_figure *figure, const cJSON *before,
                                 const cJSON *after)
{
    double old = json_get_number(before, "median"), new = json_get_number(after, "median");
    double change = figure->more_is_better ? old / new - 1 : new / old - 1; /* above 0: worse */
    bool apart = json_get_number(after, "low") > json_get_number(before, "high") ||
                 json_get_number(after, "high") < json_get_number(before, "low");
    if (!isfinite(change))
        return new == old ? STORES_SAME : STORES_INCONCLUSIVE;
    if (fabs(change) <= MARGIN)
        return STORES_SAME;
    if (!apart || cJSON_GetArraySize(json_get(before, "samples")) < 3 ||
        cJSON_GetArraySize(json_get(after, "samples")) < 3)
        return STORES_INCONCLUSIVE;
    return change > 0 ? STORES_REGRESSED : STORES_IMPROVED;
}

static void note(struct comparing *comparing, enum stores_verdict verdict,
                 enum stores_verdict *worst)
{
    *worst = verdict > *worst ? verdict : *worst;
    comparing->worst = verdict > comparing->worst ? verdict : comparing->worst;
}

/* Longest calls are shown and not judged: one stall of the machine makes them.  Nor are checkpoints, which no number is best of. */
static bool is_judged(const char *key)
{
    return !strstr(key, "_max_") && !strstr(key, "p999") && strcmp(key, "slowest_open_s") != 0 &&
           strcmp(key, "checkpoints") != 0;
}

static cJSON *compare_figures(struct comparing *comparing, const cJSON *before, const cJSON *after,
                              enum stores_verdict *worst)
{
    cJSON *figures = cJSON_CreateArray();
    for (size_t i = 0; i < store_figure_count; i++) {
        const struct store_figure *figure = &store_figures[i];
        const cJSON *old = json_get(json_get(before, "figures"), figure->key);
        const cJSON *new = json_get(json_get(after, "figures"), figure->key);
        if (!old || !new || !is_judged(figure->key))
            continue;
        enum stores_verdict verdict = judge(figure, old, new);
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "figure", figure->key);
        json_add_text(object, "unit", figure->unit);
        json_add_measure(object, "old", json_get_number(old, "median"));
        json_add_measure(object, "new", json_get_number(new, "median"));
        json_add_measure(object, "ratio",
                         json_get_number(new, "median") / json_get_number(old, "median"));
        json_add_text(object, "verdict", verdict_name(verdict));
        cJSON_AddItemToArray(figures, object);
        note(comparing, verdict, worst);
    }
    return figures;
}

/* A store that was sound and is not any more has regressed, whatever its figures. */
static cJSON *compare_cell(struct comparing *comparing, const cJSON *before)
{
    const cJSON *after = cell_like(comparing->after, before);
    enum stores_verdict worst = STORES_SAME;
    cJSON *object = cJSON_CreateObject();
    const char *reason = "";
    json_add_text(object, "store", json_get_text(before, "store"));
    json_add_text(object, "sync", json_get_text(before, "sync"));
    json_add(object, "load", cJSON_Duplicate(json_get(before, "load"), true));
    json_add_text(object, "old_status", json_get_text(before, "status"));
    json_add_text(object, "new_status", after ? json_get_text(after, "status") : "");
    json_add(object, "figures",
             after ? compare_figures(comparing, before, after, &worst) : cJSON_CreateArray());
    if (!after) {
        note(comparing, STORES_INCONCLUSIVE, &worst);
        reason = "NEW lacks this cell";
    } else if (stores_cell_failed(after)) {
        note(comparing, STORES_REGRESSED, &worst);
        reason = json_get_text(after, "reason");
    } else if (strcmp(json_get_text(after, "status"), "ok") != 0 &&
               strcmp(json_get_text(before, "status"), "ok") == 0) {
        note(comparing, STORES_INCONCLUSIVE, &worst);
        reason = json_get_text(after, "reason");
    }
    json_add_text(object, "verdict", verdict_name(worst));
    json_add_text(object, "reason", reason);
    return object;
}

/* A figure changed when its median moved by more than the margin and the intervals of the two sides do not meet; when they
 * meet it is inconclusive. */
static int compare(const char *before, const char *after, cJSON **document,
                   enum stores_verdict *verdict, struct diag *diag)
{
    cJSON *old = NULL, *new = NULL;
    int status = storing_load(before, &old, diag);
    if (status == DIAG_OK)
        status = storing_load(after, &new, diag);
    if (status == DIAG_OK) {
        struct comparing comparing = {old, new, STORES_SAME};
        cJSON *cells = cJSON_CreateArray(), *out = cJSON_CreateObject();
        json_each(cell, old, "cells")
            cJSON_AddItemToArray(cells, compare_cell(&comparing, cell));
        json_add_integer(out, "schema_version", RESULT_SCHEMA_VERSION);
        json_add_text(out, "kind", "stores-comparison");
        json_add_text(out, "before", before);
        json_add_text(out, "after", after);
        json_add_measure(out, "margin", MARGIN);
        json_add_text(out, "verdict", verdict_name(comparing.worst));
        json_add(out, "cells", cells);
        *document = out;
        *verdict = comparing.worst;
    }
    cJSON_Delete(old);
    cJSON_Delete(new);
    return status;
}

/* ---- The command. ----------------------------------------------------------------------------- */

struct compare_stores_options {
    struct outputs outputs;
    enum { FAIL_REGRESSED, FAIL_INCONCLUSIVE } fail_on;
};

static const char *const fail_on_words[] = {"regressed", "inconclusive", NULL};

static const struct flag flags[] = {FLAG_WORD(
    "fail-on", "WHAT", "regressed or inconclusive: what ends in status 3 or 4 (default regressed)",
    struct compare_stores_options, fail_on, fail_on_words)};
static const struct flag_group groups[] = {{.flags = flags, .count = FLAGS(flags)},
                                           OUTPUT_JSON(0),
                                           OUTPUT_HTML(0),
                                           OUTPUT_STYLE(0),
                                           OUTPUT_EXPORTS(0, page),
                                           {0}};

static int run(struct call *call)
{
    struct diag diag;
    const struct compare_stores_options *options = call->options;
    cJSON *document = NULL;
    enum stores_verdict verdict = STORES_SAME;
    int status = DIAG_OK;
    if (call->operand_count != 2)
        status = command_operands(call, "OLD and NEW", &diag);
    if (status == DIAG_OK)
        status = outputs_check(call, &options->outputs, &diag);
    if (status == DIAG_OK)
        status = compare(call->operands[0], call->operands[1], &document, &verdict, &diag);
    if (status == DIAG_OK)
        status = outputs_document(call, &options->outputs, document, &diag);
    cJSON_Delete(document);
    if (status != DIAG_OK)
        return command_fail(status, &diag);
    if (verdict == STORES_REGRESSED)
        return EXIT_REGRESSED;
    return verdict == STORES_INCONCLUSIVE && options->fail_on == FAIL_INCONCLUSIVE
               ? EXIT_INCONCLUSIVE
               : EXIT_OK;
}

const struct command cmd_compare_stores = {
    .name = "compare",
    .usage = "[FLAGS] OLD.json NEW.json",
    .summary = "Compare two documents of stores: which figures changed, and did a ledger break?",
    .groups = groups,
    .size = sizeof(struct compare_stores_options),
    .run = run,
};
