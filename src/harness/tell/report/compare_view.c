/* compare_view.c - figures to words. */
#include "harness/tell/report/compare_view.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

/* ---- A cell. --------------------------------------------------------------------------------- */

/* "(-0.4 .. 1.1)" in percent, each end on its own side of the margin. */
static void read_interval(char *out, size_t size, const cJSON *cell)
{
    char low[32], high[32];
    double from = json_get_number(cell, "ratio.low") - 1;
    double to = json_get_number(cell, "ratio.high") - 1;
    double margin = json_get_number(cell, "timing.margin");
    out[0] = '\0';
    if (!isfinite(from) || !isfinite(to))
        return;
    units_format_percent(low, sizeof low, from, margin);
    units_format_percent(high, sizeof high, to, margin);
    snprintf(out, size, "(%.24s .. %.24s)", low, high);
}

/* The margin that the interval was compared with; "-" where it was not judged. */
static void read_margin(char *out, size_t size, const cJSON *cell)
{
    double percent = 100 * json_get_number(cell, "timing.margin");
    snprintf(out, size, isfinite(percent) ? "%.3g %%" : "-", percent);
}

static void read_deciders(char *out, size_t size, const cJSON *cell)
{
    struct text text = text_in(out, size);
    json_each(gate, cell, "decided_by")
        text_add_item(&text, ", ", "%.16s", cJSON_IsString(gate) ? gate->valuestring : "");
    text_add(&text, "%s", text.used > 0 ? "" : "-");
}

/* A time is no more exact than this, so that the smallest changes are none; "-" is unknown. */
static void read_time(char *out, size_t size, const cJSON *object, const char *path)
{
    double percent = round(1000 * (json_get_number(object, path) - 1)) / 10;
    snprintf(out, size, isfinite(percent) ? percent == 0 ? "0.0 %%" : "%+.1f %%" : "-", percent);
}

static void read_control(char *out, size_t size, const cJSON *control)
{
    read_time(out, size, control, "cpu_ratio.median");
    if (cJSON_IsTrue(json_get(control, "moved")))
        text_add_behind(out, size, " moved");
}

/* How far the counter went, whichever way; from nothing to something is farthest. */
static double distance(const cJSON *change)
{
    double share = json_get_number(change, "change");
    return isnan(share) ? INFINITY : fabs(share);
}

static int gravity(const cJSON *change)
{
    return json_says(change, "verdict", "regressed")  ? 2
           : json_says(change, "verdict", "improved") ? 1
                                                      : 0;
}

/* The first by verdict, then by how far it went. */
static const cJSON *worst_change(const cJSON *work)
{
    const cJSON *worst = NULL;
    json_each(change, work, "")
        if (!worst || gravity(change) > gravity(worst) ||
            (gravity(change) == gravity(worst) && distance(change) > distance(worst)))
            worst = change;
    return worst;
}

/* Equal, changed or unknown; a cell without phases has nothing to compare. */
static void read_work(char *out, size_t size, const cJSON *cell, const cJSON *worst)
{
    char share[32];
    int others = cJSON_GetArraySize(json_get(cell, "work")) - 1;
    bool is_known = !json_get(cell, "work_reason");
    snprintf(out, size, "%s",
             cJSON_GetArraySize(json_get(cell, "phases")) == 0 ? "-"
             : is_known                                        ? "same"
                                                               : "unknown");
    if (!worst)
        return;
    units_format_change(share, sizeof share, json_get_number(worst, "change"));
    snprintf(out, size, "%.16s %s", json_get_text(worst, "metric"), share);
    if (isnan(json_get_number(worst, "change")))
        snprintf(out, size, "%.16s %.15g -> %.15g", json_get_text(worst, "metric"),
                 json_get_number(worst, "old"), json_get_number(worst, "new"));
    if (others > 0)
        text_add_behind(out, size, " (+%d)", others);
}

void compare_row_read(struct compare_row *row, const cJSON *cell)
{
    char params[COMPARE_TEXT_SIZE];
    json_format_params(params, sizeof params, json_get(cell, "params"));
    snprintf(row->design, sizeof row->design, "%.32s%s%.30s", json_get_text(cell, "impl"),
             params[0] ? " " : "", params);
    row->workload = json_get_text(cell, "workload");
    row->verdict = json_get_text(cell, "verdict");
    units_format_count(row->tasks, sizeof row->tasks, units_whole(json_get_number(cell, "tasks")));
    read_time(row->time, sizeof row->time, cell, "ratio.median");
    read_interval(row->interval, sizeof row->interval, cell);
    read_margin(row->margin, sizeof row->margin, cell);
    read_deciders(row->deciders, sizeof row->deciders, cell);
    read_control(row->control, sizeof row->control, json_get(cell, "control"));
    row->worst = worst_change(json_get(cell, "work"));
    read_work(row->work, sizeof row->work, cell, row->worst);
    units_format_change(row->instructions, sizeof row->instructions,
                        json_get_number(cell, "instructions.change"));
    units_format_change(row->memory, sizeof row->memory, json_get_number(cell, "memory.change"));
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static int count_cells(const cJSON *comparison, const char *path, const char *text)
{
    int count = 0;
    json_each(cell, comparison, "cells")
        count += json_says(cell, path, text);
    return count;
}

void compare_summary(char *out, size_t size, const cJSON *comparison)
{
    static const char *const verdicts[] = {"regressed", "inconclusive", "improved"};
    int cells = cJSON_GetArraySize(json_get(comparison, "cells"));
    const char *more = cells == 1 ? "" : "s";
    struct text text = text_in(out, size);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        int count = count_cells(comparison, "verdict", verdicts[i]);
        if (count > 0 && text.used > 0)
            text_add(&text, ", %d %s", count, verdicts[i]);
        else if (count > 0)
            text_add(&text, "%d of %d cell%s %s", count, cells, more, verdicts[i]);
    }
    if (text.used == 0)
        text_add(&text, "%d cell%s, %s", cells, more,
                 cells == 1 ? "unchanged" : "none of them changed");
    if (cJSON_IsFalse(json_get(comparison, "complete")))
        text_add(&text, " (interrupted)");
}

/* How many cells have the object. */
static int count_known(const cJSON *comparison, const char *path)
{
    int count = 0;
    json_each(cell, comparison, "cells")
        count += json_get(cell, path) != NULL;
    return count;
}

bool compare_is_paired(const cJSON *comparison)
{
    return json_get_number(comparison, "method.pairs") > 0;
}

bool compare_knows(const cJSON *comparison, const char *path)
{
    return count_known(comparison, path) > 0;
}

static bool gate_knows(const cJSON *cell, const char *path)
{
    return json_get(cell, path) && !json_says(cell, path, "inconclusive");
}

/* Equal tails alone leave a cell inconclusive, and so does equal memory where no cost is known. */
static bool has_decided(const cJSON *cell, const char *path)
{
    bool is_tail = strcmp(path, "gates.tail") == 0, is_memory = strcmp(path, "gates.memory") == 0;
    return !json_says(cell, "verdict", "inconclusive") || (!is_tail && !is_memory) ||
           (is_memory &&
            (gate_knows(cell, "gates.work") || gate_knows(cell, "gates.instructions")));
}

/* In how many cells the gate was asked and gave an answer. */
static int count_answers(const cJSON *comparison, const char *path)
{
    int count = 0;
    json_each(cell, comparison, "cells")
        count += gate_knows(cell, path) && has_decided(cell, path);
    return count;
}

/* "work, instructions and time decide", and of how many cells where not of all. */
static void append_gates(struct text *out, const cJSON *comparison)
{
    enum { WORK, INSTRUCTIONS, MEMORY, TAIL, TIME, COUNT };
    static const struct {
        const char *name, *path;
    } gates[COUNT] = {[WORK] = {"work", "gates.work"},
                      [INSTRUCTIONS] = {"instructions", "gates.instructions"},
                      [MEMORY] = {"memory", "gates.memory"},
                      [TAIL] = {"tails", "gates.tail"},
                      [TIME] = {"time", "gates.time"}};
    int answers[COUNT], left = 0, known = 0;
    int cells = cJSON_GetArraySize(json_get(comparison, "cells"));
    for (int i = 0; i < COUNT; i++) {
        answers[i] = count_answers(comparison, gates[i].path);
        known += answers[i] > 0;
    }
    for (int i = 0; i < COUNT; i++) {
        if (answers[i] == 0)
            continue;
        text_add(out, "%s%s", left == 0 ? "" : left + 1 == known ? " and " : ", ", gates[i].name);
        if (answers[i] < cells)
            text_add(out, " (in %d of %d cells)", answers[i], cells);
        left++;
    }
    bool is_plural = known > 1 || (known == 1 && (answers[INSTRUCTIONS] > 0 || answers[TAIL] > 0));
    text_add(out, "%s decide%s", known == 0 ? "nothing" : "", is_plural ? "" : "s");
}

void compare_decision(char *out, size_t size, const cJSON *comparison)
{
    int known = count_known(comparison, "instructions");
    bool by_steps = known > 0 && count_cells(comparison, "instructions.source", "steps") == known;
    struct text text = text_in(out, size);
    append_gates(&text, comparison);
    out[0] = (char)toupper((unsigned char)out[0]);
    text_add(
        &text, "%s%s", by_steps ? " (instructions counted step by step on a small stream)" : "",
        compare_is_paired(comparison)               ? "."
        : compare_knows(comparison, "ratio.median") ? "; times are advisory: two stored results."
                                                    : "; no times were taken.");
}

/* The first reason why instructions are unknown. */
static const char *instructions_reason(const cJSON *comparison)
{
    json_each(cell, comparison, "cells") {
        const char *reason = json_get_text(cell, "instructions_reason");
        if (reason[0])
            return reason;
    }
    return "";
}

/* The least confidence of any interval of a time: the claim is then true of all. */
static double least_confidence(const cJSON *comparison)
{
    double least = NAN;
    json_each(cell, comparison, "cells")
        least = fmin(least, json_get_number(cell, "timing.confidence"));
    return least;
}

/* How the pairs of programs were run. */
static void append_pairs(struct text *out, const cJSON *comparison)
{
    const cJSON *method = json_get(comparison, "method");
    double confidence = least_confidence(comparison);
    text_add(out, "%.15g pairs of fresh processes in random order (%.15g at most)",
             json_get_number(method, "pairs"), json_get_number(method, "pairs_max"));
    text_add(out, "; thread CPU time, median of the ratios NEW/OLD");
    if (isfinite(confidence))
        text_add(out, " and its exact interval (%.4g %%)", 100 * confidence);
    text_add(out, "; margin %.3g %%", 100 * json_get_number(comparison, "limits.time"));
    if (json_get_number(method, "layouts") > 1)
        text_add(out, "; the pairs are spread over %.15g layouts of each side.",
                 fmin(json_get_number(method, "layouts"), json_get_number(method, "pairs_max")));
    else
        text_add(out, ", %.3g %% where work, instructions and memory are the same.",
                 100 * json_get_number(comparison, "limits.layout"));
    const char *reason = json_get_text(method, "layouts_reason");
    if (reason[0])
        text_add(out, " One layout: %s.", reason);
}

void compare_method(char *out, size_t size, const cJSON *comparison)
{
    struct text text = text_in(out, size);
    if (compare_is_paired(comparison))
        append_pairs(&text, comparison);
    const char *reason = instructions_reason(comparison),
               *notes = json_get_text(comparison, "notes");
    if (!compare_knows(comparison, "instructions"))
        text_add_item(&text, " ", "Instructions are not known%s%s.", reason[0] ? ": " : "", reason);
    if (notes[0])
        text_add_item(&text, " ", "Note: %s.", notes);
}

/* What has regressed in the cell: the gate, where its share of change is, and what to call it. */
static const struct {
    const char *gate, *share, *words;
} regressions[] = {{"gates.instructions", "instructions.change", "instructions per operation"},
                   {"gates.work", NULL, NULL},
                   {"gates.memory", "memory.change", "memory per task"},
                   {"gates.time", "ratio.median", "time per operation"}};
#define REGRESSIONS (sizeof regressions / sizeof *regressions)

static double regression_of(const cJSON *cell, size_t kind, const char **words)
{
    const cJSON *worst = worst_change(json_get(cell, "work"));
    *words = regressions[kind].words ? regressions[kind].words : json_get_text(worst, "metric");
    if (!json_says(cell, regressions[kind].gate, "regressed"))
        return NAN;
    if (!regressions[kind].share)
        return json_get_number(worst, "change");
    return json_get_number(cell, regressions[kind].share) -
           (strcmp(regressions[kind].share, "ratio.median") == 0);
}

static void append_changed(struct text *out, const cJSON *comparison)
{
    const cJSON *names = json_get(comparison, "contract.changed");
    int count = cJSON_GetArraySize(names);
    for (int i = 0; i < count && i < 2; i++)
        text_add(out, "%s%.60s", i == 0 ? " (" : ", ", cJSON_GetArrayItem(names, i)->valuestring);
    if (count > 2)
        text_add(out, " and %d more", count - 2);
    text_add(out, "%s", count > 0 ? " changed)" : "");
}

void compare_headline(char *out, size_t size, const cJSON *comparison)
{
    const cJSON *worst = NULL;
    const char *words = "", *of;
    double most = NAN;
    struct text text = text_in(out, size);
    for (size_t kind = 0; kind < REGRESSIONS && !worst; kind++)
        json_each(cell, comparison, "cells") {
            double share = regression_of(cell, kind, &of);
            if (isnan(share) || share <= most)
                continue;
            worst = cell, most = share, words = of;
        }
    json_each(cell, comparison, "cells")
        if (!worst && json_says(cell, "verdict", "regressed"))
            worst = cell;
    if (!worst)
        return;
    char share[32], tasks[32];
    units_format_change(share, sizeof share, most);
    units_format_count(tasks, sizeof tasks, units_whole(json_get_number(worst, "tasks")));
    if (isfinite(most))
        text_add(&text, "%s %s in ", share, words);
    text_add(&text, "%.64s on %.64s, %s tasks", json_get_text(worst, "impl"),
             json_get_text(worst, "workload"), tasks);
    if (!isfinite(most))
        text_add(&text, ": %.200s", json_get_text(worst, "reason"));
    append_changed(&text, comparison);
}

void compare_side(char *out, size_t size, const cJSON *side)
{
    const char *version = json_get_text(side, "version"), *commit = json_get_text(side, "commit");
    snprintf(out, size, "%s%s%s%s%s%s", json_get_text(side, "path"), version[0] ? " " : "", version,
             commit[0] ? " (" : "", commit, commit[0] ? ")" : "");
}
