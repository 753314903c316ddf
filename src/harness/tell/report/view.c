/* view.c - groups a result's cells by stream, and names them. */
#include "harness/tell/report/view.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/units.h"

/* True when another row of the design has another value of the parameter. */
static bool param_varies(const struct view_group *group, const struct view_row *row,
                         const cJSON *param)
{
    const char *impl = json_get_text(row->cell, "impl");
    for (size_t i = 0; i < group->row_count; i++) {
        const cJSON *cell = group->rows[i].cell;
        const cJSON *other =
            cJSON_GetObjectItemCaseSensitive(json_get(cell, "params"), param->string);
        if (json_says(cell, "impl", impl) && !cJSON_Compare(param, other, true))
            return true;
    }
    return false;
}

/* No parameter: only cells of two runs differ so. */
static bool runs_same_pass(const struct view_row *row)
{
    return strstr(json_get_text(row->cell, "identity"), " same_pass");
}

static void name_row(const struct view_group *group, struct view_row *row)
{
    cJSON *varying = cJSON_CreateObject();
    bool same = runs_same_pass(row), differ = false;
    for (size_t i = 0; i < group->row_count; i++)
        differ |= runs_same_pass(&group->rows[i]) != same;
    if (differ)
        json_add_text(varying, "passes", same ? "same" : "other");
    json_each(param, row->cell, "params")
        if (param_varies(group, row, param) && strcmp(param->string, "runner") != 0)
            cJSON_AddItemToObject(varying, param->string, cJSON_Duplicate(param, true));
    char params[VIEW_LABEL_SIZE];
    json_format_params(params, sizeof params, varying);
    cJSON_Delete(varying);
    const char *runner = json_get_text(row->cell, "runner");
    snprintf(row->label, sizeof row->label, "%.16s%s%.30s%s%.45s", runner, runner[0] ? "/" : "",
             json_get_text(row->cell, "impl"), params[0] ? " " : "", params);
}

static void add_phases(struct view_group *group, const struct view_row *row)
{
    json_each(phase, row->cell, "phases") {
        const char *name = json_get_text(phase, "name");
        size_t i = 0;
        while (i < group->phase_count && strcmp(group->phases[i], name) != 0)
            i++;
        if (i == group->phase_count && i < VIEW_PHASES_MAX)
            group->phases[group->phase_count++] = name;
    }
}

const char *view_suffix(const struct view_row *row)
{
    if (json_get(row->cell, "runner"))
        return ""; /* the title says it of all */
    return row->is_harness ? " (harness)" : row->is_real_clock ? " (real clock)" : "";
}

bool view_huge_pages(char *out, size_t size, const struct view_row *row)
{
    char huge[32], touched[32];
    const char *asked = json_get_text(row->cell, "requested.huge_pages");
    const cJSON *pages = json_get(row->cell, "memory.pages");
    if (!pages || strcmp(asked, "off") == 0)
        return false;
    double bytes = json_get_number(pages, "huge_bytes");
    units_format_bytes(huge, sizeof huge, units_whole(bytes > 0 ? bytes : 0));
    units_format_bytes(touched, sizeof touched,
                       units_whole(fmax(0, json_get_number(pages, "touched_bytes"))));
    if (strcmp(asked, "on") != 0)
        snprintf(out, size, "%s, unasked", bytes > 0 ? huge : "in some processes only");
    else if (bytes > 0)
        snprintf(out, size, "%s of %s", huge, touched);
    else
        snprintf(out, size, "none: %s", json_get_text(pages, "reason"));
    return true;
}

bool view_competes(const struct view_row *row)
{
    return !row->is_harness && !row->is_real_clock;
}

static bool belongs(const struct view_group *group, const cJSON *cell)
{
    return strcmp(group->stream_hash, json_get_text(cell, "stream.hash")) == 0 &&
           strcmp(group->workload, json_get_text(cell, "workload")) == 0 &&
           strcmp(group->between, json_get_text(cell, "params.between")) == 0 &&
           group->has_runners == (json_get(cell, "runner") != NULL);
}

static bool already_grouped(const struct view *view, const cJSON *cell)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (belongs(&view->groups[i], cell))
            return true;
    return false;
}

static void add_row(struct view_group *group, const cJSON *cell)
{
    struct view_row *row = &group->rows[group->row_count++];
    row->cell = cell;
    row->ok = json_says(cell, "status", "ok");
    row->is_harness = cJSON_IsTrue(json_get(cell, "traits.keeps_nothing"));
    row->is_real_clock =
        cJSON_IsTrue(json_get(cell, "traits.real_clock")) || json_get(cell, "runner");
}

/* Collects the group of `first` from there on: first the designs, then the harness. */
static void fill_group(struct view_group *group, const cJSON *first)
{
    for (int pass = 0; pass < 2; pass++)
        for (const cJSON *cell = first; cell; cell = cell->next)
            if (belongs(group, cell) &&
                cJSON_IsTrue(json_get(cell, "traits.keeps_nothing")) == (pass == 1))
                add_row(group, cell);
    for (size_t i = 0; i < group->row_count; i++) {
        name_row(group, &group->rows[i]);
        add_phases(group, &group->rows[i]);
    }
}

struct view view_make(const cJSON *document)
{
    const cJSON *cells = json_get(document, "cells");
    size_t count = (size_t)cJSON_GetArraySize(cells), used = 0;
    struct view view = {
        .groups = memory_take(count, sizeof *view.groups),
        .rows = memory_take(count, sizeof *view.rows),
    };
    json_each(cell, cells, "") {
        if (already_grouped(&view, cell))
            continue;
        struct view_group *group = &view.groups[view.group_count++];
        *group = (struct view_group){
            .workload = json_get_text(cell, "workload"),
            .reference = json_get_text(document, "reference"),
            .between = json_get_text(cell, "params.between"),
            .has_runners = json_get(cell, "runner") != NULL,
            .tasks_meaning = json_get_text(cell, "stream.tasks_meaning"),
            .stream_hash = json_get_text(cell, "stream.hash"),
            .tasks = json_get_number(cell, "tasks"),
            .tick_ns = json_get_number(cell, "tick_ns"),
            .seed = json_get_number(cell, "seed"),
            .rows = view.rows + used,
        };
        fill_group(group, cell);
        used += group->row_count;
    }
    return view;
}

void view_free(struct view *view)
{
    free(view->groups);
    free(view->rows);
    *view = (struct view){.groups = NULL};
}

const cJSON *view_phase(const struct view_row *row, const char *name)
{
    json_each(phase, row->cell, "phases")
        if (json_says(phase, "name", name))
            return phase;
    return NULL;
}

double view_operations(const cJSON *phase)
{
    return json_get_number(phase, "operations.start") + json_get_number(phase, "operations.stop") +
           json_get_number(phase, "operations.expire");
}

const cJSON *view_cost(const cJSON *phase)
{
    const cJSON *corrected = json_get(phase, "corrected"), *of = corrected ? corrected : phase;
    const cJSON *per_op = json_get(of, "ns_per_op");
    return per_op ? per_op : json_get(of, "ns_per_advance");
}

double view_advance_ns(const struct view_row *row, const char *key)
{
    char path[64];
    snprintf(path, sizeof path, "latency_ns.advance.%s", key);
    double largest_ns = NAN;
    json_each(phase, row->cell, "phases")
        largest_ns = fmax(largest_ns, json_get_number(phase, path));
    return largest_ns;
}

bool view_is_timed(const struct view_group *group)
{
    for (size_t i = 0; i < group->row_count; i++)
        json_each(phase, group->rows[i].cell, "phases")
            if (json_get(phase, "ns_per_op") || json_get(phase, "ns_per_advance"))
                return true;
    return false;
}

void view_label(char *out, size_t size, const cJSON *cell, const char *settings)
{
    char params[128];
    json_format_params(params, sizeof params, json_get(cell, settings));
    snprintf(out, size, "%.64s/%.64s/%.15g%s%s%s", json_get_text(cell, "impl"),
             json_get_text(cell, "workload"), json_get_number(cell, "tasks"), params[0] ? " (" : "",
             params, params[0] ? ")" : "");
}

static const char *view_between(char *out, const char *between)
{
    bool is_size = between[0] >= '0' && between[0] <= '9';
    snprintf(out, VIEW_BETWEEN_SIZE, "%s%.32s",
             is_size                         ? "behind "
             : strcmp(between, "chain") == 0 ? "chained"
             : between[0]                    ? "back to back"
                                             : "",
             is_size ? between : "");
    return out;
}

void view_title(char *out, size_t size, const struct view_group *group)
{
    char tasks[32], tick[32], words[VIEW_BETWEEN_SIZE];
    const char *meaning = group->tasks_meaning[0] ? group->tasks_meaning : "tasks";
    units_format_count(tasks, sizeof tasks, units_whole(group->tasks));
    units_format_time(tick, sizeof tick, units_whole(group->tick_ns));
    if (group->has_runners)
        snprintf(out, size, "%s: %s %s, on the real clock", group->workload, tasks, meaning);
    else
        snprintf(out, size, "%s: %s %s, tick %s%s%s", group->workload, tasks, meaning, tick,
                 group->between[0] ? ", " : "", view_between(words, group->between));
}

/* ---- For formats that know benchmarks by their names alone. ---------------------------------- */

bool view_same_cell(const cJSON *a, const cJSON *b)
{
    return json_says(a, "impl", json_get_text(b, "impl")) &&
           json_says(a, "workload", json_get_text(b, "workload")) &&
           json_get_number(a, "tasks") == json_get_number(b, "tasks") &&
           cJSON_Compare(json_get(a, "requested"), json_get(b, "requested"), true);
}

/* "/tasks:1000/slots:512", with "/cell:2" for the second cell of one name: by its place, so that a
 * name does not depend on whether the first one came to its end. */
static void name_arguments(char *out, size_t size, const cJSON *cells, const cJSON *cell)
{
    char params[VIEW_NAME_SIZE / 2];
    size_t before = 0;
    for (const cJSON *other = cells->child; other != cell; other = other->next)
        before += view_same_cell(other, cell);
    json_format_params(params, sizeof params, json_get(cell, "requested"));
    for (char *c = params; *c; c++)
        *c = *c == ' ' ? '/' : *c == '=' ? ':' : *c;
    size_t length = (size_t)snprintf(out, size, "/tasks:%.15g%s%s", json_get_number(cell, "tasks"),
                                     params[0] ? "/" : "", params);
    if (before > 0 && length < size)
        snprintf(out + length, size - length, "/cell:%zu", before + 1);
}

static void take_cell(const cJSON *cells, const cJSON *cell, view_item_fn *take, void *context)
{
    struct view_item item = {.cell = cell};
    char arguments[VIEW_NAME_SIZE - 192];
    const char *impl = json_get_text(cell, "impl"), *workload = json_get_text(cell, "workload");
    name_arguments(arguments, sizeof arguments, cells, cell);
    cJSON_ArrayForEach(item.phase, json_get(cell, "phases"))
    {
        snprintf(item.name, sizeof item.name, "%s/%s/%s%s", impl, workload,
                 json_get_text(item.phase, "name"), arguments);
        take(context, &item);
    }
    item.phase = NULL;
    snprintf(item.name, sizeof item.name, "%s/%s%s", impl, workload, arguments);
    take(context, &item);
}

void view_cell_name(char *out, size_t size, const cJSON *document, const cJSON *cell)
{
    char arguments[VIEW_NAME_SIZE - 192];
    name_arguments(arguments, sizeof arguments, json_get(document, "cells"), cell);
    snprintf(out, size, "%s/%s%s", json_get_text(cell, "impl"), json_get_text(cell, "workload"),
             arguments);
}

void view_each(const cJSON *document, view_item_fn *take, void *context)
{
    const cJSON *cells = json_get(document, "cells");
    json_each(cell, cells, "")
        if (json_says(cell, "status", "ok"))
            take_cell(cells, cell, take, context);
}
