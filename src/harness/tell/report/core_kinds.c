/* core_kinds.c - the kinds of document of the core, one by one: a lab's program chooses among them. */
#include "harness/base/json.h"
#include "harness/tell/report/documents.h"
#include "harness/tell/report/plot.h"
#include "harness/tell/result/document.h"

/* Results of versions that wrote no `kind` have none. */
static bool is_run(const cJSON *document)
{
    const char *kind = json_get_text(document, "kind");
    return (kind[0] == '\0' || strcmp(kind, "run") == 0) &&
           cJSON_IsArray(json_get(document, "cells")) && json_get(document, "harness");
}

const struct document_kind kind_run = {
    .name = "run",
    .is = is_run,
    .has_cells = true,
    .build = page_run,
    .pictures = plot_run_pictures,
    .no_pictures = "expected two designs, sizes or settings that are ok and were timed",
};
const struct document_kind kind_comparison = {.name = "comparison",
                                              .build = page_comparison,
                                              .check = shape_check_version,
                                              .is_comparison = true};
const struct document_kind kind_selftest = {
    .name = "selftest", .build = page_selftest, .check = shape_check_version};
