/* program.c - twbench-teach: the commands of the lab, and the kinds of document that it shows. */
#include "labs/teach/teach.h"

static const struct command *const commands[] = {&cmd_show, &cmd_claims, &cmd_lab_receipt,
                                                 &cmd_list, &cmd_report, NULL};

const struct program program = {.lab = "teach", .commands = commands};

static const struct document_kind show = {
    .name = "show",
    .build = page_show,
    .check = shape_check_version,
};

static bool is_claims(const cJSON *document)
{
    return cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(document, "claims"));
}

static const struct document_kind claims = {
    .name = "claims",
    .is = is_claims,
    .has_cells = true,
    .build = page_claims,
    .check = claims_check,
    .pictures = claims_pictures,
    .no_pictures = "no claim in the document has a picture",
};

const struct document_kind *const document_kinds[] = {&show, &claims, &kind_run, NULL};
