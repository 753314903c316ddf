/*
 * documents.h - the kinds of document: how each is told, read, drawn, and which builder makes its page.
 */
#ifndef TWBENCH_DOCUMENTS_H
#define TWBENCH_DOCUMENTS_H

#include "harness/base/diag.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/result/document.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Draws the document's picture into a folder, in the format of that ending, and names it in `path`. */
typedef int document_plot_fn(const cJSON *document, const char *directory,
                             const char *scripts_directory, const char *ending, char *path,
                             size_t size, struct diag *diag);

struct document_kind {
    const char *name; /* "limits" */
    bool (*is)(const cJSON *document);
    bool has_cells; /* it is a result with more keys, and is read as one */
    page_builder_fn *build;
    int (*check)(const cJSON *document, const char *what,
                 struct diag *diag); /* NULL: any will do */
    document_plot_fn *plot;          /* NULL: no picture */
};

/* The kind of this document; NULL: none of these.  Never guesses: each kind is told by keys that it always has. */
const struct document_kind *document_kind_of(const cJSON *document);

/* Of the two one is there. */
struct document {
    const struct document_kind *kind; /* NULL: it is none, and result_parse says why */
    struct result_document *result;   /* whatever has cells */
    cJSON *json;                      /* anything else */
};

/* Reads a document of any kind; "-" is stdin.  document_free in any case.  DIAG_USAGE when it cannot be read, is
 * not JSON or is no document, with the place or key. */
int document_load(const char *path, struct document *document, struct diag *diag);
void document_free(struct document *document);

#endif
