/* limits_shape.c - what a document of limits must have. */
#include "labs/advise/advise.h"

#include "harness/tell/result/shape.h"

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
