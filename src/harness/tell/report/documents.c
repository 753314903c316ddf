/* documents.c - the table of kinds of document, and the reading of any of them. */
#include "harness/tell/report/documents.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/tell/report/standing.h"

static bool is_of(const cJSON *document, const struct document_kind *kind)
{
    return kind->is ? kind->is(document) : json_says(document, "kind", kind->name);
}

const struct document_kind *document_kind_of(const cJSON *document)
{
    for (const struct document_kind *const *kind = document_kinds; *kind; kind++)
        if (is_of(document, *kind))
            return *kind;
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
    const char *kind = json_get_text(document->json, "kind");
    if (!document->kind && kind[0])
        return diag_usage(diag, "%s: kind: \"%s\"; no lab that is built here shows it", name, kind);
    if (!document->kind && !json_get(document->json, "cells"))
        return diag_usage(diag,
                          "%s: has neither a kind nor cells; expected a document that a command "
                          "of twbench wrote (--json=FILE)",
                          name);
    cJSON_Delete(document->json);
    document->json = NULL;
    status = result_parse(text, size, name, &document->result, diag);
    const cJSON *json = status == DIAG_OK ? result_json(document->result) : NULL;
    if (json && document->kind && document->kind->check)
        status = document->kind->check(json, name, diag);
    if (json && document->kind && document->kind->build == page_run &&
        cJSON_GetArraySize(json_get(json, "standing")) == 0)
        result_attach(document->result, "standing", standing_make(json));
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
