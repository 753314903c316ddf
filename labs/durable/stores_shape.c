/* stores_shape.c - what a document of stores must have. */
#include "labs/durable/durable.h"

#include "harness/tell/result/shape.h"

#define NUMBER  SHAPE_NUMBER
#define TEXT    SHAPE_TEXT
#define BOOL    SHAPE_BOOL
#define OBJECT  SHAPE_OBJECT
#define ARRAY   SHAPE_ARRAY
#define OR_NULL SHAPE_OR_NULL

static const struct shape_rule stores_rules[] = {
    {"complete", BOOL},
    {"duration_s", NUMBER},
    {"method", OBJECT},
    {"method.runs", NUMBER},
    {"method.disk_sync_us", NUMBER | OR_NULL},
    {"cells", ARRAY},
    {"cells[]", OBJECT},
    {"cells[].store", TEXT},
    {"cells[].version", TEXT | OR_NULL},
    {"cells[].sync", TEXT},
    {"cells[].interval_ms", NUMBER},
    {"cells[].clock", TEXT},
    {"cells[].load", OBJECT},
    {"cells[].load.tasks", NUMBER},
    {"cells[].load.producers", NUMBER},
    {"cells[].load.batch", NUMBER},
    {"cells[].load.settings", OBJECT},
    {"cells[].status", TEXT},
    {"cells[].reason", TEXT | OR_NULL},
    {"cells[].runs", NUMBER},
    {"cells[].ledger", OBJECT},
    {"cells[].ledger.acknowledged", NUMBER},
    {"cells[].ledger.fired", NUMBER},
    {"cells[].ledger.cancelled", NUMBER},
    {"cells[].ledger.lost", NUMBER},
    {"cells[].ledger.twice", NUMBER},
    {"cells[].ledger.early", NUMBER},
    {"cells[].ledger{}", NUMBER},
    {"cells[].kills", OBJECT},
    {"cells[].kills{}", NUMBER},
    {"cells[].figures", OBJECT},
    {"cells[].figures{}", OBJECT | OR_NULL},
    {"cells[].figures{}.median", NUMBER},
    {"cells[].figures{}.low", NUMBER},
    {"cells[].figures{}.high", NUMBER},
    {"cells[].figures{}.confidence", NUMBER},
    {"cells[].figures{}.samples", ARRAY},
    {"cells[].figures{}.samples[]", NUMBER},
};

int stores_check(const cJSON *root, const char *what, struct diag *diag)
{
    return shape_check_kind(root, "stores", stores_rules,
                            sizeof stores_rules / sizeof *stores_rules, what, diag);
}
