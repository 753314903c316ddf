/* program.c - twbench-traces: the commands of the lab, and the kinds of document that it shows. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"
#include "harness/tell/result/document.h"

static const struct command *const commands[] = {&cmd_trace, &cmd_import, &cmd_record, &cmd_report,
                                                 NULL};

const struct program program = {.lab = "traces", .commands = commands};

/* Its `kind` is that of the log. */
static bool is_import(const cJSON *document)
{
    return cJSON_IsNumber(json_get(document, "log_lines")) &&
           cJSON_IsNumber(json_get(document, "timer_objects"));
}

static const struct document_kind kind_trace = {.name = "trace",
                                                .build = page_trace,
                                                .check = shape_check_version,
                                                .pictures = trace_pictures,
                                                .no_pictures = ""};
static const struct document_kind kind_import = {
    .name = "import", .is = is_import, .build = page_import};

const struct document_kind *const document_kinds[] = {&kind_trace, &kind_import, NULL};
