/* results.c - matches the cells of two results, and decides which can be compared. */
#include "harness/compare/results.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/compare/gate_tail.h"
#include "harness/compare/gate_work.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/document.h"

/* Machines that differ in one of these are not compared by times. */
static const char *const machine_keys[] = {"machine.cpu_model", "machine.architecture",
                                           "machine.cores"};
#define MACHINE_KEYS (sizeof machine_keys / sizeof *machine_keys)

#define LABEL_SIZE 256
#define LISTED_MAX 3 /* cells that a message names of each side */

/* What the steps below have in common. */
struct documents {
    const cJSON *before, *after;
    const char *before_name, *after_name;
    const struct limits *limits;
    struct diag *diag;
};

/* ---- Which cell it is. ----------------------------------------------------------------------- */

/* The first of them behind `behind` (NULL: from the beginning). */
static const cJSON *find_same(const cJSON *document, const cJSON *wanted, const cJSON *behind)
{
    const cJSON *cell = behind ? behind->next : json_first(document, "cells");
    for (; cell; cell = cell->next)
        if (view_same_cell(cell, wanted))
            return cell;
    return NULL;
}

const cJSON *results_find_cell(const cJSON *document, const struct compared_cell *cell)
{
    json_each(item, document, "cells")
        if (json_get_number(item, "tasks") == (double)cell->tasks &&
            json_says(item, "impl", cell->impl) && json_says(item, "workload", cell->workload) &&
            cJSON_Compare(json_get(item, "requested"), cell->requested, true))
            return item;
    return NULL;
}

/* ---- What cannot be compared. ---------------------------------------------------------------- */

static int refuse_doubles(const struct documents *documents, const cJSON *document,
                          const char *name)
{
    json_each(cell, document, "cells") {
        char label[LABEL_SIZE];
        if (!find_same(document, cell, cell))
            continue;
        view_label(label, sizeof label, cell, "requested");
        return diag_usage(documents->diag,
                          "%s: cells: %s is there twice; expected each design, settings, workload "
                          "and tasks once, run with one seed and one way of sampling",
                          name, label);
    }
    return DIAG_OK;
}

static void format_value(char *out, size_t size, const cJSON *cell, const char *path)
{
    const cJSON *value = json_get(cell, path);
    if (!value)
        snprintf(out, size, "none");
    else if (cJSON_IsNumber(value))
        snprintf(out, size, "%.0f", value->valuedouble);
    else
        snprintf(out, size, "%.40s", json_get_text(cell, path));
}

/* The hash covers what the operations are; the keys before it say more plainly what is
 * different. */
static int refuse_other_operations(const struct documents *documents, const cJSON *before,
                                   const cJSON *after)
{
    static const char *const paths[] = {"seed", "tick_ns", "limits.max_pending", "stream.hash"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char old_value[48], new_value[48], label[LABEL_SIZE];
        format_value(old_value, sizeof old_value, before, paths[i]);
        format_value(new_value, sizeof new_value, after, paths[i]);
        if (strcmp(old_value, new_value) == 0)
            continue;
        view_label(label, sizeof label, before, "requested");
        return diag_usage(
            documents->diag,
            "%.300s and %.300s: %s: %s: %s and %s; both must have run the same operations",
            documents->before_name, documents->after_name, label, paths[i], old_value, new_value);
    }
    return DIAG_OK;
}

/* "heap/hold/1000, list/hold/1000 and 4 more". */
static void list_cells(char *out, size_t size, const cJSON *document)
{
    size_t count = (size_t)cJSON_GetArraySize(json_get(document, "cells")), listed = 0;
    const cJSON *left_out = json_get(document, "left_out");
    struct text text = text_in(out, size);
    json_each(cell, document, "cells") {
        char label[LABEL_SIZE];
        if (listed == LISTED_MAX || text.used > size / 2)
            break;
        view_label(label, sizeof label, cell, "requested");
        text_add_item(&text, ", ", "%.100s", label);
        listed++;
    }
    if (listed < count)
        text_add(&text, " and %zu more", count - listed);
    if (count == 0)
        text_add(&text, "no cells");
    if (left_out && left_out->child && cJSON_IsString(left_out->child))
        text_add(&text, " (left out: %.150s)", left_out->child->valuestring);
}

static int refuse_strangers(const struct documents *documents)
{
    char old_cells[320], new_cells[320];
    list_cells(old_cells, sizeof old_cells, documents->before);
    list_cells(new_cells, sizeof new_cells, documents->after);
    return diag_usage(documents->diag,
                      "%.150s and %.150s: cells: none is in both; the first has %s, the second %s; "
                      "expected the same design, settings, workload and tasks",
                      documents->before_name, documents->after_name, old_cells, new_cells);
}

/* Everything that makes a comparison senseless, before anything is filled. */
static int check_pairs(const struct documents *documents)
{
    bool share_some = false;
    int status = refuse_doubles(documents, documents->before, documents->before_name);
    if (status == DIAG_OK)
        status = refuse_doubles(documents, documents->after, documents->after_name);
    if (status != DIAG_OK)
        return status;
    json_each(cell, documents->before, "cells") {
        const cJSON *other = find_same(documents->after, cell, NULL);
        if (other && refuse_other_operations(documents, cell, other) != DIAG_OK)
            return DIAG_USAGE;
        share_some |= other != NULL;
    }
    return share_some ? DIAG_OK : refuse_strangers(documents);
}

/* ---- A cell, before any gate has seen it. ---------------------------------------------------- */

/* A number of JSON loses the end of a large seed on its way; the identity spells it out.  Behind
 * the seed no other text holds a name that somebody chose. */
static uint64_t read_seed(const cJSON *cell)
{
    static const char key[] = " seed=";
    const char *found = NULL, *at = json_get_text(cell, "identity");
    while ((at = strstr(at, key)) != NULL)
        found = at += sizeof key - 1;
    return found ? strtoull(found, NULL, 10) : units_whole(json_get_number(cell, "seed"));
}

/* Everything unknown. */
static void begin_cell(struct compared_cell *out, const cJSON *cell)
{
    const struct interval unknown = {NAN, NAN, NAN};
    const struct timing untimed = {0, NAN, unknown, unknown, NAN, NAN, NAN};
    memset(out, 0, sizeof *out);
    snprintf(out->impl, sizeof out->impl, "%s", json_get_text(cell, "impl"));
    snprintf(out->workload, sizeof out->workload, "%s", json_get_text(cell, "workload"));
    out->tasks = units_whole(json_get_number(cell, "tasks"));
    out->tick_ns = units_whole(json_get_number(cell, "tick_ns"));
    out->seed = read_seed(cell);
    out->requested = cJSON_Duplicate(json_get(cell, "requested"), true);
    for (int i = 0; i < METRICS; i++)
        out->changes[i] = (struct change){NAN, NAN, NAN, VERDICT_INCONCLUSIVE};
    out->work_verdict = out->instructions_verdict = out->time_verdict = VERDICT_INCONCLUSIVE;
    out->timing = untimed;
    out->control = untimed;
    out->confirm_cpu = unknown;
    out->before_ns_per_op = NAN;
    out->after_ns_per_op = NAN;
}

/* ---- Who failed. ----------------------------------------------------------------------------- */

/* A design that answers wrongly or dies is broken; one that gives up is not. */
static bool is_broken(const cJSON *cell)
{
    return json_says(cell, "status", "mismatch") || json_says(cell, "status", "crashed");
}

static void settle(struct compared_cell *cell, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A verdict that no gate has to confirm. */
static void settle(struct compared_cell *cell, enum verdict verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cell->reason, sizeof cell->reason, format, args);
    va_end(args);
    cell->verdict = verdict;
    cell->work_verdict = verdict_worse(cell->work_verdict, verdict);
    cell->failed = verdict == VERDICT_REGRESSED;
}

/* "OLD: timeout: over its time budget of 10 s". */
static void settle_failure(struct compared_cell *cell, enum verdict verdict, const char *who,
                           const cJSON *culprit)
{
    const char *reason = json_get_text(culprit, "reason");
    settle(cell, verdict, "%s: %s%s%s", who, json_get_text(culprit, "status"),
           reason[0] ? ": " : "", reason);
}

/* True when one of the two is not ok, so that there is nothing to hold against each other. */
static bool judge_status(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    bool old_ok = json_says(before, "status", "ok"), new_ok = json_says(after, "status", "ok");
    if (old_ok && new_ok)
        return false;
    /* Where both gave up, nothing is known of what they would have done. */
    bool same_status = json_says(after, "status", json_get_text(before, "status"));
    if (!new_ok && (old_ok || (is_broken(after) && !is_broken(before))))
        settle_failure(cell, VERDICT_REGRESSED, "NEW", after);
    else if (same_status)
        settle_failure(cell, VERDICT_INCONCLUSIVE, "both", before);
    else
        settle_failure(cell, VERDICT_INCONCLUSIVE, "OLD", before);
    return true;
}

/* Two exact designs on the same operations fire the same timers on the same ticks.  Of those
 * that may be late both can be right, but may have less to do; where more work was counted all
 * the same, that is the graver reason. */
static void judge_answer(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    if (json_says(before, "digest", json_get_text(after, "digest")) &&
        json_get_number(before, "fired") == json_get_number(after, "fired"))
        return;
    if (result_is_exact(before) && result_is_exact(after))
        settle(cell, VERDICT_REGRESSED,
               "NEW: fires other timers, or on other ticks, than OLD; they cannot both be right");
    else if (cell->work_verdict != VERDICT_REGRESSED)
        settle(cell, VERDICT_INCONCLUSIVE,
               "NEW fires on other ticks than OLD, both within what they declare: late by %.3g and "
               "%.3g ticks on average",
               json_get_number(before, "late_mean_ticks"),
               json_get_number(after, "late_mean_ticks"));
}

/* ---- What both must have done alike. ---------------------------------------------------------- */

static double count_refused(const cJSON *cell)
{
    double refused = 0;
    json_each(phase, cell, "phases")
        refused += fmax(json_get_number(phase, "operations.refused"), 0);
    return refused;
}

static void say_apart(struct text *text, const char *what, double before, double after)
{
    if (islessgreater(before, after))
        text_add_item(text, ", ", "%s %.15g in OLD, %.15g in NEW", what, before, after);
}

/* Null is a value here: without a limit. */
static bool is_other(const cJSON *before, const cJSON *after, const char *key)
{
    const cJSON *old_value = cJSON_GetObjectItemCaseSensitive(before, key);
    const cJSON *new_value = cJSON_GetObjectItemCaseSensitive(after, key);
    return old_value && new_value && !cJSON_Compare(old_value, new_value, true);
}

static void judge_likeness(struct compared_cell *cell, const cJSON *before, const cJSON *after)
{
    static const char *const answers[][2] = {{"early expiries:", "early"},
                                             {"latest expiry, ticks:", "late_max_ticks"},
                                             {"mean lateness, ticks:", "late_mean_ticks"}};
    const cJSON *old_params = json_get(before, "params"), *new_params = json_get(after, "params");
    struct text text = text_in(cell->apart, sizeof cell->apart);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        say_apart(&text, answers[i][0], json_get_number(before, answers[i][1]),
                  json_get_number(after, answers[i][1]));
    say_apart(&text, "starts refused:", count_refused(before), count_refused(after));
    cell->apart_in_answer = text.used > 0;
    if (is_other(before, after, "span_ticks")) {
        char old_text[48], new_text[48];
        format_value(old_text, sizeof old_text, before, "span_ticks");
        format_value(new_text, sizeof new_text, after, "span_ticks");
        text_add_item(&text, ", ", "longest delay, ticks: %s in OLD, %s in NEW", old_text,
                      new_text);
    }
    if (is_other(before, after, "params")) {
        char old_text[96], new_text[96];
        json_format_params(old_text, sizeof old_text, old_params);
        json_format_params(new_text, sizeof new_text, new_params);
        text_add_item(&text, ", ", "settings: %s in OLD, %s in NEW", old_text, new_text);
    }
}

/* ---- The whole. ------------------------------------------------------------------------------ */

/* A row of one_side. */
static void add_one_side(struct comparison *out, const char *side, const cJSON *cell)
{
    cJSON *row = cJSON_CreateObject();
    if (!out->one_side)
        out->one_side = cJSON_CreateArray();
    json_add_text(row, "side", side);
    json_add_text(row, "impl", json_get_text(cell, "impl"));
    json_add_text(row, "workload", json_get_text(cell, "workload"));
    json_add(row, "tasks", cJSON_Duplicate(json_get(cell, "tasks"), false));
    json_add(row, "params", cJSON_Duplicate(json_get(cell, "requested"), true));
    cJSON_AddItemToArray(out->one_side, row);
    out->added += strcmp(side, "new") == 0;
}

static void compare_pair(const struct documents *documents, struct compared_cell *cell,
                         const cJSON *before, const cJSON *after)
{
    if (!after) {
        bool is_whole = cJSON_IsTrue(json_get(documents->after, "complete"));
        cell->only_old = true;
        settle(cell, VERDICT_INCONCLUSIVE, "NEW has no such cell%s",
               is_whole ? "" : ": it was interrupted");
        return;
    }
    if (judge_status(cell, before, after))
        return;
    gate_work(cell, before, after, documents->limits);
    gate_work_advise_time(cell, before, after);
    judge_answer(cell, before, after);
    judge_likeness(cell, before, after);
}

static void fill_cells(const struct documents *documents, struct comparison *out)
{
    const cJSON *cells = json_get(documents->before, "cells");
    out->cell_count = out->added = 0;
    out->cells = memory_take((size_t)cJSON_GetArraySize(cells), sizeof *out->cells);
    json_each(cell, cells, "") {
        struct compared_cell *filled = &out->cells[out->cell_count++];
        begin_cell(filled, cell);
        compare_pair(documents, filled, cell, find_same(documents->after, cell, NULL));
        if (filled->only_old)
            add_one_side(out, "old", cell);
    }
    json_each(cell, documents->after, "cells")
        if (!find_same(documents->before, cell, NULL))
            add_one_side(out, "new", cell);
}

static void fill_side(struct compared_side *side, const cJSON *document)
{
    snprintf(side->version, sizeof side->version, "%s", json_get_text(document, "tool.version"));
    snprintf(side->commit, sizeof side->commit, "%s", json_get_text(document, "tool.commit"));
    snprintf(side->compiler, sizeof side->compiler, "%s", json_get_text(document, "tool.compiler"));
    snprintf(side->flags, sizeof side->flags, "%s", json_get_text(document, "tool.flags"));
}

/* What a reader has to know of the documents as wholes. */
static void fill_notes(const struct documents *documents, struct comparison *out)
{
    struct text notes = text_in(out->notes, sizeof out->notes);
    for (size_t i = 0; i < MACHINE_KEYS; i++) {
        char old_value[48], new_value[48];
        format_value(old_value, sizeof old_value, documents->before, machine_keys[i]);
        format_value(new_value, sizeof new_value, documents->after, machine_keys[i]);
        if (strcmp(old_value, new_value) != 0)
            text_add_item(&notes, "; ",
                          "measured on different machines (%s: %s and %s), which changes no count",
                          machine_keys[i] + strlen("machine."), old_value, new_value);
        if (notes.used > 0)
            break;
    }
    for (size_t i = 0; i < 2; i++) {
        const cJSON *side = i == 0 ? documents->before : documents->after;
        const char *name = i == 0 ? "OLD" : "NEW";
        if (!cJSON_IsTrue(json_get(side, "complete")))
            text_add_item(&notes, "; ", "%s was interrupted: it may lack cells", name);
        if (json_get(side, "left_out"))
            text_add_item(&notes, "; ", "%s lacks loads that took too long to make", name);
    }
}

int compare_documents(const cJSON *before, const char *before_name, const cJSON *after,
                      const char *after_name, const struct limits *limits, struct comparison *out,
                      struct diag *diag)
{
    struct documents documents = {before, after, before_name, after_name, limits, diag};
    int status = check_pairs(&documents);
    if (status != DIAG_OK)
        return status;
    fill_cells(&documents, out);
    out->limits = *limits;
    fill_side(&out->before, before);
    fill_side(&out->after, after);
    fill_notes(&documents, out);
    return DIAG_OK;
}

/* Times and own tails of different machines are not compared: one may lose its core unseen where the other does not. */
static void judge_times(const cJSON *before, const cJSON *after, const struct limits *limits,
                        struct comparison *out)
{
    for (size_t i = 0; i < MACHINE_KEYS; i++)
        if (!cJSON_Compare(json_get(before, machine_keys[i]), json_get(after, machine_keys[i]),
                           true))
            return;
    for (size_t i = 0; i < out->cell_count; i++) {
        struct compared_cell *cell = &out->cells[i];
        double margin = limits_for(limits, cell).of[METRIC_TIME];
        const struct interval *ratio = &cell->timing.wall;
        gate_tail(cell, results_find_cell(before, cell), results_find_cell(after, cell), limits,
                  true);
        cell->stored_times_differ = ratio->low > 1 + margin || ratio->high < 1 - margin;
    }
}

int compare_results(const char *before_path, const char *after_path, const struct limits *limits,
                    struct comparison *out, struct diag *diag)
{
    struct result_document *before = NULL, *after = NULL;
    int status = result_load(after_path, &after, diag);
    if (status == DIAG_OK)
        status = result_load(before_path, &before, diag);
    if (status == DIAG_OK)
        status = compare_documents(result_json(before), before_path, result_json(after), after_path,
                                   limits, out, diag);
    if (status == DIAG_OK)
        judge_times(result_json(before), result_json(after), limits, out);
    for (size_t i = 0; i < out->cell_count; i++)
        cell_conclude(&out->cells[i], limits);
    out->complete = status == DIAG_OK;
    out->limits = *limits;
    out->steal_share = out->busy_share = out->load_1min = out->slow_share = NAN;
    out->before.kind = out->after.kind = "result";
    snprintf(out->before.path, sizeof out->before.path, "%s", before_path);
    snprintf(out->after.path, sizeof out->after.path, "%s", after_path);
    result_free(before);
    result_free(after);
    return status;
}
