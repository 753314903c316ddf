/* limits_multiple.c - computes designs' costs as multiples of the machine's limits. */
#include "labs/advise/limits/limits.h"

#include "harness/base/json.h"
#include "harness/tell/report/view.h"

#include <math.h>
#include <string.h>

static double count_of(const cJSON *phase, const char *operation)
{
    double count = json_get_number(json_get(phase, "operations"), operation);
    return isfinite(count) ? count : 0;
}

struct limits_multiple limits_multiple_of(const cJSON *limits, const cJSON *cell,
                                          const cJSON *phase)
{
    double starts = count_of(phase, "start"), stops = count_of(phase, "stop");
    double expires = count_of(phase, "expire"), advances = count_of(phase, "advance");
    bool only_starts = stops + expires + count_of(phase, "ticks") == 0;
    struct limits_multiple multiple = {
        .ns_per_op = json_get_number(phase, "ns_per_op.median"),
        .harness_ns = json_get_number(cell, "harness_ns_per_op"),
        .touch = only_starts ? "start-one-list" : "load-store",
    };
    bool huge = strcmp(json_get_text(cell, "params.huge_pages"), "on") == 0;
    multiple.touch_ns = limits_ns_at(limits, multiple.touch, LIMITS_NODE_BYTES, huge,
                                     json_get_number(cell, "tasks"));
    double calls = starts + stops + advances, touches = stops + fmax(starts, expires);
    multiple.limit_ns =
        (calls * multiple.harness_ns + touches * multiple.touch_ns) / (starts + stops + expires);
    multiple.multiple = multiple.ns_per_op / multiple.limit_ns;
    return multiple;
}

static cJSON *make_row(const cJSON *limits, const struct view_group *group,
                       const struct view_row *row, const cJSON *phase)
{
    struct limits_multiple multiple = limits_multiple_of(limits, row->cell, phase);
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "impl", json_get_text(row->cell, "impl"));
    json_add_text(object, "label", row->label);
    json_put(object, group, workload, tasks);
    json_add_text(object, "phase", json_get_text(phase, "name"));
    json_put(object, &multiple, ns_per_op, harness_ns, touch, touch_ns, limit_ns, multiple);
    return object;
}

/* Where a wall clock is slept by, time is no work: those designs are left out. */
static void add_rows(cJSON *rows, const cJSON *limits, const struct view_group *group,
                     const struct view_row *row)
{
    if (!row->ok || row->is_harness || row->is_real_clock)
        return;
    json_each(phase, row->cell, "phases")
        if (json_get(phase, "ns_per_op"))
            cJSON_AddItemToArray(rows, make_row(limits, group, row, phase));
}

cJSON *limits_multiples_json(const cJSON *limits, const cJSON *result, const char *source)
{
    struct view view = view_make(result);
    cJSON *object = cJSON_CreateObject(), *rows = cJSON_CreateArray();
    for (size_t g = 0; g < view.group_count; g++)
        for (size_t r = 0; r < view.groups[g].row_count; r++)
            add_rows(rows, limits, &view.groups[g], &view.groups[g].rows[r]);
    view_free(&view);
    json_add_text(object, "source", source);
    json_add_integer(object, "node_bytes", LIMITS_NODE_BYTES);
    json_add(object, "rows", rows);
    return object;
}
