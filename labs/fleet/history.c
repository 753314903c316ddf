/* history.c - gathers runs and their cells, and orders them. */
#include "labs/fleet/history.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/compare/gate_work.h"
#include "harness/measure/stats/summary.h"

#include <math.h>

struct history {
    const struct history_wishes *wishes;
    char *commits; /* text of the file of commits, or NULL */
    struct history_run *runs;
    size_t run_count, run_room;
    cJSON *left_out; /* texts */
};

int history_open(const struct history_wishes *wishes, struct history **out, struct diag *diag)
{
    struct history *history = memory_take(1, sizeof *history);
    *history = (struct history){.wishes = wishes, .left_out = cJSON_CreateArray()};
    size_t size;
    int status =
        wishes->commits ? file_read(wishes->commits, &history->commits, &size, diag) : DIAG_OK;
    if (status != DIAG_OK) {
        history_free(history);
        return status;
    }
    *out = history;
    return DIAG_OK;
}

void history_free(struct history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->run_count; i++)
        cJSON_Delete(history->runs[i].cells);
    cJSON_Delete(history->left_out);
    free(history->runs);
    free(history->commits);
    free(history);
}

static void leave_out(struct history *history, const char *file, const char *why)
{
    char text[512];
    snprintf(text, sizeof text, "%.300s: %s", file, why);
    cJSON_AddItemToArray(history->left_out, json_text(text));
}

/* ---- Reading a result. ----------------------------------------------------------------------- */

/* What a series is recognised by.  Cells of one key ran the same operations. */
static void add_identity(cJSON *out, const cJSON *cell)
{
    char key[512], params[128];
    json_format_params(params, sizeof params, json_get(cell, "requested"));
    snprintf(key, sizeof key, "%.60s/%.120s/%.0f%s%s%s", json_get_text(cell, "impl"),
             json_get_text(cell, "workload"), json_get_number(cell, "tasks"), params[0] ? " (" : "",
             params, params[0] ? ")" : "");
    json_add_text(out, "label", key);
    json_add_text(out, "impl", json_get_text(cell, "impl"));
    json_add_text(out, "stream", json_get_text(cell, "stream.hash"));
}

/* Of a cell only what a history needs, so that 1,000 results fit into memory. */
static cJSON *take_cell(const cJSON *cell)
{
    cJSON *out = cJSON_CreateObject(), *counts = cJSON_CreateArray();
    add_identity(out, cell);
    for (int i = 0; i <= METRIC_INSTRUCTIONS; i++)
        cJSON_AddItemToArray(counts,
                             cJSON_CreateNumber(gate_work_cell_metric(cell, (enum metric)i)));
    json_add(out, "counts", counts);
    double calls = gate_work_cell_calls(cell);
    double time = calls > 0 ? gate_work_cell_sum(cell, "cpu_ns_per_op") / calls : NAN;
    json_add(out, "time", cJSON_CreateNumber(time));
    return out;
}

static cJSON *take_cells(const cJSON *result)
{
    cJSON *cells = cJSON_CreateArray();
    json_each(cell, result, "cells") {
        bool is_ok = strcmp(json_get_text(cell, "status"), "ok") == 0;
        if (is_ok && !json_get(cell, "runner"))
            cJSON_AddItemToArray(cells, take_cell(cell));
    }
    return cells;
}

void history_add(struct history *history, const cJSON *result, const char *file)
{
    cJSON *cells = take_cells(result);
    if (cJSON_GetArraySize(cells) == 0) {
        leave_out(history, file, "no cell of it is ok and ran in virtual time");
        cJSON_Delete(cells);
        return;
    }
    memory_room(&history->runs, history->run_count, &history->run_room, sizeof *history->runs);
    struct history_run *run = &history->runs[history->run_count++];
    *run = (struct history_run){.cells = cells};
    snprintf(run->file, sizeof run->file, "%s", file);
    const char *commit = json_get_text(result, "subject.commit"),
               *date = json_get_text(result, "subject.date_utc");
    snprintf(run->commit, sizeof run->commit, "%s",
             commit[0] ? commit : json_get_text(result, "tool.commit"));
    snprintf(run->date, sizeof run->date, "%s",
             date[0] ? date : json_get_text(result, "tool.date_utc"));
    snprintf(run->machine, sizeof run->machine, "%s", json_get_text(result, "machine.cpu_model"));
    snprintf(run->compiler, sizeof run->compiler, "%s", json_get_text(result, "tool.compiler"));
}

/* ---- Order. ---------------------------------------------------------------------------------- */

/* A commit names another one if it is its beginning, seven digits at least. */
static bool is_commit(const char *line, size_t length, const char *commit)
{
    size_t known = strcspn(commit, "-"); /* "-dirty" */
    size_t shorter = known < length ? known : length;
    return shorter >= 7 && strncmp(line, commit, shorter) == 0;
}

/* The place of the commit in the file, from 1; 0: it is not there. */
static size_t line_of(const char *commits, const char *commit)
{
    size_t number = 1;
    for (const char *line = commits; *line; number++) {
        size_t length = strcspn(line, "\n");
        if (is_commit(line, strcspn(line, " \t\n"), commit))
            return number;
        line += length + (line[length] == '\n');
    }
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct history_run *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    int dates = strcmp(a->date, b->date);
    return dates ? dates : strcmp(a->file, b->file);
}

static void order_runs(struct history *history)
{
    size_t kept = 0;
    for (size_t i = 0; i < history->run_count; i++) {
        struct history_run *run = &history->runs[i];
        run->place = history->commits ? line_of(history->commits, run->commit) : 0;
        if (history->commits && run->place == 0) {
            leave_out(history, run->file, "its commit is not in the file of --commits");
            cJSON_Delete(run->cells);
        } else {
            history->runs[kept++] = *run;
        }
    }
    history->run_count = kept;
    qsort(history->runs, kept, sizeof *history->runs, by_place);
}

/* The first run from which on changes are told. */
static int find_since(const struct history *history, size_t *first, struct diag *diag)
{
    const char *since = history->wishes->since;
    *first = 0;
    if (!since)
        return DIAG_OK;
    bool is_date = strlen(since) >= 10 && since[4] == '-' && since[7] == '-';
    for (size_t i = 0; i < history->run_count; i++) {
        const struct history_run *run = &history->runs[i];
        if (is_date ? strcmp(run->date, since) >= 0
                    : is_commit(since, strlen(since), run->commit)) {
            *first = i;
            return DIAG_OK;
        }
    }
    return diag_usage(diag,
                      "--since: '%s': expected a commit of one of the results, or a date "
                      "such as 2026-11-22 on or before the newest",
                      since);
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static cJSON *make_run(const struct history_run *run)
{
    cJSON *out = cJSON_CreateObject();
    json_put(out, run, file, commit);
    json_add_text(out, "date_utc", run->date);
    json_add_text(out, "cpu_model", run->machine);
    json_add_text(out, "compiler", run->compiler);
    return out;
}

/* Three deviations of a step between neighbours, as a share: the median step hardly sees a change.  NaN: no steps. */
static double noise_of(const cJSON *values)
{
    double *steps = memory_take((size_t)cJSON_GetArraySize(values) + 1, sizeof *steps), last = NAN;
    size_t count = 0;
    json_each(value, values, "") {
        if (!cJSON_IsNumber(value))
            continue;
        if (isfinite(last))
            steps[count++] = fabs(value->valuedouble / last - 1);
        last = value->valuedouble;
    }
    double noise = count > 0 ? 3 * 1.4826 * summary_of(steps, count).median : NAN;
    free(steps);
    return noise;
}

static double limit_of(const cJSON *limits, const char *name)
{
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(limits, name);
    return limit ? strtod(limit->valuestring, NULL) / 100 : 0;
}

/* As twbench.json has them: of each design and workload the largest over its sizes, in half per cents. */
static void propose_limits(cJSON *document)
{
    cJSON *limits = cJSON_CreateObject();
    json_each(series, document, "series") {
        char name[300], limit[32];
        const char *cell = json_get_text(series, "cell"), *workload = strchr(cell, '/');
        double noise = noise_of(json_get(series, "values"));
        if (!cJSON_IsFalse(json_get(series, "exact")) ||
            !cJSON_IsTrue(json_get(series, "enough")) || !workload || !isfinite(noise))
            continue;
        size_t length = (size_t)(workload - cell) + 1 + strcspn(workload + 1, "/");
        snprintf(name, sizeof name, "%.*s:time", (int)length, cell);
        noise = fmax(noise, limit_of(limits, name));
        snprintf(limit, sizeof limit, "%.1f%%", ceil(fmax(noise, HISTORY_LEAST) * 200) / 2);
        cJSON_DeleteItemFromObjectCaseSensitive(limits, name);
        json_add_text(limits, name, limit);
    }
    json_add(document, "limits", limits);
}

int history_write(struct history *history, cJSON *document, struct diag *diag)
{
    size_t since;
    char anchor[64];
    order_runs(history);
    int status = find_since(history, &since, diag);
    struct history_line line = {history->runs, history->run_count, since, history->wishes->least,
                                anchor};
    if (status == DIAG_OK)
        status = series_find_anchor(&line, history->wishes->anchor, anchor, sizeof anchor, diag);
    if (status != DIAG_OK)
        return status;
    cJSON *runs = cJSON_CreateArray();
    for (size_t i = 0; i < history->run_count; i++)
        cJSON_AddItemToArray(runs, make_run(&history->runs[i]));
    json_add_text(document, "anchor", anchor);
    json_add_measure(document, "least", history->wishes->least);
    json_add_integer(document, "since_run", since);
    json_add(document, "runs", runs);
    status = series_write(&line, document, diag);
    if (status == DIAG_OK && history->wishes->propose)
        propose_limits(document);
    json_add(document, "left_out", cJSON_Duplicate(history->left_out, true));
    return status;
}
