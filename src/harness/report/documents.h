/*
 * documents.h - the kinds of document, and which builder makes the page of each.
 */
#ifndef TWBENCH_DOCUMENTS_H
#define TWBENCH_DOCUMENTS_H

#include "harness/report/builders.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct document_kind {
    const char *name; /* "limits" */
    bool (*is)(const cJSON *document);
    page_builder_fn *build;
};

/* The kind of this document; NULL: none that is known.  Never guesses: each kind is told by keys that it always
 * has. */
const struct document_kind *document_kind_of(const cJSON *document);

#endif
