/*
 * documents.h - the kinds of document: how each is told, read, drawn, and which builder makes its page.
 */
#ifndef TWBENCH_DOCUMENTS_H
#define TWBENCH_DOCUMENTS_H

#include "harness/base/diag.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/result/document.h"

#include <cjson/cJSON.h>

struct pictures;

/* What a document is. */
struct document_kind {
    const char *name;                  /* "limits" */
    bool (*is)(const cJSON *document); /* NULL: its key `kind` is the name */
    bool has_cells;                    /* it is a result with more keys, and is read as one */
    page_builder_fn *build;
    int (*check)(const cJSON *document, const char *what,
                 struct diag *diag);                               /* NULL: any will do */
    void (*pictures)(const cJSON *document, struct pictures *out); /* NULL: it has none */
    const char *no_pictures; /* why a document has none, though its kind has */
    bool is_comparison;      /* it goes into the formats of comparisons */
};

/* The kinds of the core. */
extern const struct document_kind kind_run, kind_comparison, kind_selftest;

/* The kinds that the program shows, which defines them; ended by NULL.  Of two that a document could be the first
 * counts. */
extern const struct document_kind *const document_kinds[];

/* The kind of this document; NULL: none of these.  Never guesses: each kind is told by keys that it always has. */
const struct document_kind *document_kind_of(const cJSON *document);

/* Of the two one is there. */
struct document {
    const struct document_kind *kind; /* NULL: it is none of the program's */
    struct result_document *result;   /* whatever has cells */
    cJSON *json;                      /* anything else */
};

/* Reads a document of any kind; "-" is stdin.  document_free in any case.  DIAG_USAGE when it cannot be read, is
 * not JSON or is no document, with the place or key. */
int document_load(const char *path, struct document *document, struct diag *diag);
/* Frees both; each may be NULL. */
void document_free(struct document *document);

#endif
