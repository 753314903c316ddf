/* limits_json.c - writes and reads the limits document. */
#include "labs/advise/limits/limits.h"

#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "harness/tell/result/document.h"
#include "harness/tell/result/interval.h"

#include <string.h>

/* ---- Writing. ---------------------------------------------------------------------------------- */

static void add_known(cJSON *object, const char *key, uint64_t value, bool known)
{
    json_add(object, key, known ? json_integer(value) : cJSON_CreateNull());
}

static cJSON *make_point(const struct limit_result *result)
{
    const struct limit_point *point = &result->point;
    bool pages_known = result->pages_known && result->sample_count > 0;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "limit", limit_kind_name(point->kind));
    add_known(object, "tasks", point->tasks, point->tasks > 0);
    add_known(object, "node_bytes", point->node_bytes, point->node_bytes > 0);
    add_known(object, "footprint_bytes", limit_footprint_bytes(point), point->node_bytes > 0);
    json_add(object, "huge_pages", cJSON_CreateBool(point->huge));
    json_add_text(object, "status", outcome_status_name(result->status));
    json_add_text(object, "reason", result->reason);
    json_add(object, "ns", interval_of_samples(result->samples_ns, result->sample_count, 1, true));
    add_known(object, "touched_bytes", result->touched_bytes, pages_known);
    add_known(object, "huge_bytes", result->huge_bytes, pages_known);
    json_add_integer(object, "retaken_stretches", result->retaken);
    json_add_integer(object, "slow_stretches", result->slow);
    return object;
}

static cJSON *make_method(const struct limits_method *method)
{
    cJSON *object = cJSON_CreateObject();
    json_add_integer(object, "runs", method->setup->runs);
    json_add_integer(object, "stretches", LIMIT_STRETCHES);
    json_add_integer(object, "operations_per_stretch", LIMIT_STRETCH_OPERATIONS);
    json_put(object, method->setup, seed, memory_limit_bytes, budget_ns, patience_ns);
    json_add(object, "huge_pages", cJSON_CreateBool(method->huge_pages));
    json_add_integer(object, "table_heads", LIMIT_TABLE_HEADS);
    json_add_integer(object, "lists", LIMIT_LISTS);
    json_add_text(object, "null_workload", method->null_workload);
    json_add(object, "pin_cpu",
             method->pin_cpu < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(method->pin_cpu));
    return object;
}

static cJSON *make_disturbance(const struct limits_method *method)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, method, steal_share, busy_share, load_1min);
    return object;
}

cJSON *limits_json(const struct limit_result *results, size_t count,
                   const struct limits_method *method, bool complete, const cJSON *head)
{
    cJSON *document = result_begin(head, "limits"), *points = cJSON_CreateArray();
    json_add(document, "complete", cJSON_CreateBool(complete));
    json_add_measure(document, "duration_s", method->seconds);
    json_add(document, "method", make_method(method));
    json_add(document, "disturbance", make_disturbance(method));
    for (size_t i = 0; i < count; i++)
        if (results[i].sample_count > 0 || results[i].status != OUTCOME_OK)
            cJSON_AddItemToArray(points, make_point(&results[i]));
    json_add(document, "points", points);
    return document;
}

/* ---- Reading. ---------------------------------------------------------------------------------- */

#define NUMBER  SHAPE_NUMBER
#define TEXT    SHAPE_TEXT
#define BOOL    SHAPE_BOOL
#define OBJECT  SHAPE_OBJECT
#define ARRAY   SHAPE_ARRAY
#define OR_NULL SHAPE_OR_NULL

static const struct shape_rule limits_rules[] = {
    {"complete", BOOL},
    {"method", OBJECT},
    {"method.runs", NUMBER},
    {"method.huge_pages", BOOL},
    {"points", ARRAY},
    {"points[]", OBJECT},
    {"points[].limit", TEXT},
    {"points[].tasks", NUMBER | OR_NULL},
    {"points[].node_bytes", NUMBER | OR_NULL},
    {"points[].footprint_bytes", NUMBER | OR_NULL},
    {"points[].huge_pages", BOOL},
    {"points[].status", TEXT},
    {"points[].reason", TEXT | OR_NULL},
    {"points[].ns", OBJECT | OR_NULL},
    {"points[].ns.median", NUMBER},
    {"points[].ns.low", NUMBER},
    {"points[].ns.high", NUMBER},
    {"points[].ns.confidence", NUMBER},
    {"points[].touched_bytes", NUMBER | OR_NULL},
    {"points[].huge_bytes", NUMBER | OR_NULL},
    {"points[].slow_stretches", NUMBER},
};

int limits_check(const cJSON *root, const char *what, struct diag *diag)
{
    return shape_check_kind(root, "limits", limits_rules,
                            sizeof limits_rules / sizeof *limits_rules, what, diag);
}

int limits_load(const char *path, cJSON **out, struct diag *diag)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    cJSON *document = NULL;
    int status =
        json_load(path, "limits of a machine, by 'twbench limits --json'", &document, diag);
    if (status == DIAG_OK)
        status = limits_check(document, name, diag);
    if (status == DIAG_OK)
        *out = document;
    else
        cJSON_Delete(document);
    return status;
}
