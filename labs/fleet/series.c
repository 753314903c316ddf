/* series.c - lines up a figure of a cell over all runs, and tells where it changes. */
#include "labs/fleet/history.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/compare/gate_work.h"
#include "labs/fleet/changepoints.h"

#include <math.h>

#define CHANGES_MAX 256

/* ---- The anchor. ----------------------------------------------------------------------------- */

static size_t count_runs_with(const struct history_line *line, const char *impl)
{
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++) {
        const cJSON *cell = line->runs[i].cells->child;
        while (cell && strcmp(json_get_text(cell, "impl"), impl) != 0)
            cell = cell->next;
        count += cell ? 1 : 0;
    }
    return count;
}

static bool has_several_designs(const struct history_line *line)
{
    const char *first = line->count > 0 ? json_get_text(line->runs[0].cells->child, "impl") : "";
    for (size_t i = 0; i < line->count; i++)
        for (const cJSON *cell = line->runs[i].cells->child; cell; cell = cell->next)
            if (strcmp(json_get_text(cell, "impl"), first) != 0)
                return true;
    return false;
}

static const char *most_common(const struct history_line *line)
{
    const char *best = "";
    size_t most = 0;
    json_each(cell, line->runs[line->count - 1].cells, "") {
        size_t count = count_runs_with(line, json_get_text(cell, "impl"));
        if (count > most) {
            most = count;
            best = json_get_text(cell, "impl");
        }
    }
    return best;
}

int series_find_anchor(const struct history_line *line, const char *wanted, char *out, size_t size,
                       struct diag *diag)
{
    const char *anchor = wanted ? wanted : "heap";
    if (wanted && count_runs_with(line, wanted) == 0)
        return diag_usage(diag, "--reference: '%s': no result has a cell of it", wanted);
    if (!wanted && count_runs_with(line, anchor) == 0)
        anchor = has_several_designs(line) ? most_common(line) : "";
    snprintf(out, size, "%s", anchor);
    return DIAG_OK;
}

/* ---- A series. ------------------------------------------------------------------------------- */

struct series {
    const cJSON *cell; /* the first of its kind */
    const char *figure;
    bool is_exact;  /* else a ratio of times */
    double step;    /* smallest share of an exact figure that is a change */
    double *values; /* one per run; NaN: unknown */
};

static bool is_same(const cJSON *a, const cJSON *b)
{
    return strcmp(json_get_text(a, "label"), json_get_text(b, "label")) == 0 &&
           strcmp(json_get_text(a, "stream"), json_get_text(b, "stream")) == 0;
}

static const cJSON *find_cell(const struct history_run *run, const cJSON *wanted)
{
    json_each(cell, run->cells, "")
        if (is_same(cell, wanted))
            return cell;
    return NULL;
}

/* The anchor's cell on the same stream; its first settings, where it has several. */
static const cJSON *find_anchor_cell(const struct history_run *run, const cJSON *wanted,
                                     const char *anchor)
{
    json_each(cell, run->cells, "")
        if (strcmp(json_get_text(cell, "impl"), anchor) == 0 &&
            strcmp(json_get_text(cell, "stream"), json_get_text(wanted, "stream")) == 0)
            return cell;
    return NULL;
}

static double read_count(const cJSON *cell, int metric)
{
    const cJSON *count = cell ? cJSON_GetArrayItem(json_get(cell, "counts"), metric) : NULL;
    return count && cJSON_IsNumber(count) ? count->valuedouble : NAN;
}

static double read_ratio(const struct history_run *run, const cJSON *cell, const char *anchor)
{
    double time = json_get_number(cell, "time");
    double base = json_get_number(find_anchor_cell(run, cell, anchor), "time");
    return time > 0 && base > 0 ? time / base : NAN;
}

/* ---- Changes. -------------------------------------------------------------------------------- */

/* The last run before `at` of which the figure is known; SIZE_MAX: none. */
static size_t known_before(const struct series *series, size_t at)
{
    while (at-- > 0)
        if (!isnan(series->values[at]))
            return at;
    return SIZE_MAX;
}

static cJSON *make_change(const struct history_line *line, const struct series *series, size_t at)
{
    size_t before = known_before(series, at);
    cJSON *out = cJSON_CreateObject();
    json_add_integer(out, "run", at);
    json_add_text(out, "commit", line->runs[at].commit);
    json_add_text(out, "commit_before", line->runs[before].commit);
    json_add_integer(out, "runs_between", at - before - 1);
    json_add(out, "other_machine",
             cJSON_CreateBool(strcmp(line->runs[at].machine, line->runs[before].machine) != 0));
    json_add(out, "other_compiler",
             cJSON_CreateBool(strcmp(line->runs[at].compiler, line->runs[before].compiler) != 0));
    return out;
}

static void add_exact_changes(const struct history_line *line, const struct series *series,
                              cJSON *changes)
{
    for (size_t at = 1; at < line->count; at++) {
        size_t before = known_before(series, at);
        if (isnan(series->values[at]) || before == SIZE_MAX)
            continue;
        double old = series->values[before], new = series->values[at];
        if (fabs(new - old) <= series->step * fabs(old) || at < line->since)
            continue;
        cJSON *change = make_change(line, series, at);
        json_add(change, "old", cJSON_CreateNumber(old));
        json_add(change, "new", cJSON_CreateNumber(new));
        json_add_measure(change, "ratio", old > 0 ? new / old : NAN);
        json_add(change, "low", cJSON_CreateNull());
        json_add(change, "high", cJSON_CreateNull());
        cJSON_AddItemToArray(changes, change);
    }
}

/* Values that are known, and which run each is of. */
struct known {
    double *values;
    size_t *runs;
    size_t count;
};

static void add_timed_changes(const struct history_line *line, const struct series *series,
                              const struct known *known, cJSON *changes, size_t count,
                              const struct change_point *points)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = known->runs[points[i].at];
        if (at < line->since)
            continue;
        cJSON *change = make_change(line, series, at);
        json_add(change, "old", cJSON_CreateNull());
        json_add(change, "new", cJSON_CreateNull());
        json_add_measure(change, "ratio", points[i].ratio);
        json_add_measure(change, "low", points[i].low);
        json_add_measure(change, "high", points[i].high);
        cJSON_AddItemToArray(changes, change);
    }
}

static void find_timed_changes(const struct history_line *line, const struct series *series,
                               cJSON *changes)
{
    struct known known = {memory_take(line->count, sizeof *known.values),
                          memory_take(line->count, sizeof *known.runs), 0};
    struct change_point points[CHANGES_MAX];
    for (size_t i = 0; i < line->count; i++)
        if (series->values[i] > 0) {
            known.values[known.count] = series->values[i];
            known.runs[known.count++] = i;
        }
    size_t count = changepoints_find(known.values, known.count, line->least, points, CHANGES_MAX);
    add_timed_changes(line, series, &known, changes, count, points);
    free(known.values);
    free(known.runs);
}

/* ---- What all series do at once. -------------------------------------------------------------- */

/* A change of all series at one run is found within this many runs of it. */
#define AT_ONCE 2

static bool changes_about(const cJSON *series, double run)
{
    json_each(change, series, "changes")
        if (fabs(json_get_number(change, "run") - run) <= AT_ONCE)
            return true;
    return false;
}

/* Series of two designs at least, and nine of ten change about the run. */
static bool is_everywhere(const cJSON *list, double run)
{
    size_t count = 0, changed = 0;
    bool has_two = false;
    const cJSON *first = NULL;
    json_each(series, list, "") {
        if (cJSON_IsTrue(json_get(series, "exact")) || cJSON_IsFalse(json_get(series, "enough")))
            continue;
        const char *label = json_get_text(series, "cell");
        first = first ? first : series;
        size_t design = strcspn(label, "/") + 1;
        has_two |= strncmp(label, json_get_text(first, "cell"), design) != 0;
        count++;
        changed += changes_about(series, run);
    }
    return has_two && 10 * changed >= 9 * count;
}

/* Writes at each change of a time whether all times changed there: then it is the machine, or the anchor. */
static void tell_everywhere(cJSON *list)
{
    cJSON *series, *change;
    cJSON_ArrayForEach(series, list)
    {
        if (cJSON_IsTrue(json_get(series, "exact")))
            continue;
        cJSON_ArrayForEach(change, cJSON_GetObjectItem(series, "changes"))
        {
            bool everywhere = is_everywhere(list, json_get_number(change, "run"));
            json_add(change, "everywhere", cJSON_CreateBool(everywhere));
        }
    }
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static size_t count_known(const struct series *series, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        known += isnan(series->values[i]) ? 0 : 1;
    return known;
}

/* Adds the series, if two runs know the figure. */
static void add_series(const struct history_line *line, const struct series *series, cJSON *list)
{
    size_t known = count_known(series, line->count);
    if (known < 2)
        return;
    cJSON *out = cJSON_CreateObject(), *values = cJSON_CreateArray(),
          *changes = cJSON_CreateArray();
    json_add_text(out, "cell", json_get_text(series->cell, "label"));
    json_add_text(out, "figure", series->figure);
    json_add(out, "exact", cJSON_CreateBool(series->is_exact));
    json_add_integer(out, "known", known);
    json_add(out, "enough", cJSON_CreateBool(series->is_exact || known >= CHANGEPOINTS_VALUES_MIN));
    for (size_t i = 0; i < line->count; i++)
        cJSON_AddItemToArray(values, isnan(series->values[i])
                                         ? cJSON_CreateNull()
                                         : cJSON_CreateNumber(series->values[i]));
    if (series->is_exact)
        add_exact_changes(line, series, changes);
    else
        find_timed_changes(line, series, changes);
    json_add(out, "values", values);
    json_add(out, "changes", changes);
    cJSON_AddItemToArray(list, out);
}

static void add_cell(const struct history_line *line, const cJSON *cell, double *values,
                     cJSON *list)
{
    for (int metric = 0; metric <= METRIC_INSTRUCTIONS; metric++) {
        struct series series = {cell, metric_name((enum metric)metric), true,
                                metric == METRIC_INSTRUCTIONS ? GATE_SAME_INSTRUCTIONS : 0, values};
        for (size_t i = 0; i < line->count; i++)
            values[i] = read_count(find_cell(&line->runs[i], cell), metric);
        add_series(line, &series, list);
    }
    if (!line->anchor[0] || strcmp(json_get_text(cell, "impl"), line->anchor) == 0)
        return;
    struct series series = {cell, "time", false, 0, values};
    for (size_t i = 0; i < line->count; i++) {
        const cJSON *found = find_cell(&line->runs[i], cell);
        values[i] = found ? read_ratio(&line->runs[i], found, line->anchor) : NAN;
    }
    add_series(line, &series, list);
}

static bool was_before(const struct history_line *line, size_t run, const cJSON *cell)
{
    for (size_t i = 0; i < run; i++)
        if (find_cell(&line->runs[i], cell))
            return true;
    return find_cell(&line->runs[run], cell) != cell;
}

int series_write(const struct history_line *line, cJSON *document, struct diag *diag)
{
    cJSON *list = cJSON_CreateArray();
    double *values = memory_take(line->count + 1, sizeof *values);
    for (size_t i = 0; i < line->count; i++)
        json_each(cell, line->runs[i].cells, "")
            if (!was_before(line, i, cell))
                add_cell(line, cell, values, list);
    free(values);
    tell_everywhere(list);
    bool is_empty = cJSON_GetArraySize(list) == 0;
    json_add(document, "series", list);
    return is_empty ? diag_usage(diag,
                                 "no cell is in two of the results (%zu); expected two or more, "
                                 "with the same design, settings, workload, tasks and seed",
                                 line->count)
                    : DIAG_OK;
}
