/* documents.c - the table of kinds of document, and the reading of any of them. */
#include "harness/tell/report/documents.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/jsontext.h"
#include "harness/tell/report/standing.h"
#include "harness/tell/result/shape.h"

#include <stdlib.h>
#include <string.h>

/* Its `kind` is that of the log. */
static bool is_import(const cJSON *document)
{
    return cJSON_IsNumber(json_get(document, "log_lines")) &&
           cJSON_IsNumber(json_get(document, "timer_objects"));
}

static bool is_claims(const cJSON *document)
{
    return cJSON_IsArray(json_get(document, "claims"));
}

static bool is_advice(const cJSON *document)
{
    return cJSON_IsObject(json_get(document, "advice"));
}

/* A document of stores with an answer. */
static bool is_stores_advice(const cJSON *document)
{
    return strcmp(json_get_text(document, "kind"), "stores") == 0 && is_advice(document);
}

static bool is_run(const cJSON *document)
{
    return cJSON_IsArray(json_get(document, "cells")) && json_get(document, "harness");
}

/* Claims and advice have cells as well, so a plain run is the last that is tried. */
static const struct document_kind kinds[] = {
    {"comparison", NULL, false, false, page_comparison, shape_check_version},
    {"limits", NULL, false, true, page_limits, shape_check_limits},
    {"stores-comparison", NULL, false, false, page_stores_comparison, shape_check_version},
    {"stores-advice", is_stores_advice, false, true, page_advice_stores, shape_check_stores},
    {"stores", NULL, false, true, page_stores, shape_check_stores},
    {"selftest", NULL, false, false, page_selftest, shape_check_version},
    {"trace", NULL, false, true, page_trace, shape_check_version},
    {"history", NULL, false, true, page_history, shape_check_version},
    {"show", NULL, false, false, page_show, shape_check_version},
    {"import", is_import, false, false, page_import, NULL},
    {"claims", is_claims, true, true, page_claims, NULL},
    {"advice", is_advice, true, true, page_advice, NULL},
    {"run", is_run, true, true, page_run, NULL},
};

static bool is_of(const cJSON *document, const struct document_kind *kind)
{
    return kind->is ? kind->is(document) : strcmp(json_get_text(document, "kind"), kind->name) == 0;
}

const struct document_kind *document_kind_of(const cJSON *document)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_of(document, &kinds[i]))
            return &kinds[i];
    return NULL;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

static int load_text(const char *text, size_t size, const char *name, struct document *document,
                     struct diag *diag)
{
    int status = jsontext_read(name, text, size, "a document of twbench", &document->json, diag);
    if (status != DIAG_OK)
        return status;
    document->kind = document_kind_of(document->json);
    if (document->kind && !document->kind->has_cells)
        return document->kind->check ? document->kind->check(document->json, name, diag) : DIAG_OK;
    cJSON_Delete(document->json);
    document->json = NULL;
    status = result_parse(text, size, name, &document->result, diag);
    const cJSON *json = status == DIAG_OK ? result_json(document->result) : NULL;
    if (json && document->kind && document->kind->build == page_run &&
        cJSON_GetArraySize(json_get(json, "standing")) == 0)
        status = result_attach(document->result, "standing", standing_make(json), diag);
    return status;
}

int document_load(const char *path, struct document *document, struct diag *diag)
{
    char *text;
    size_t size;
    *document = (struct document){.kind = NULL};
    int status = file_read(path, &text, &size, diag);
    if (status != DIAG_OK)
        return status;
    status =
        load_text(text, size, strcmp(path, "-") == 0 ? "standard input" : path, document, diag);
    free(text);
    return status;
}

void document_free(struct document *document)
{
    result_free(document->result);
    cJSON_Delete(document->json);
}
