/*
 * shape.h - is this JSON a result?  The part of schema/result-1.json that readers here rely on.
 *
 * tests/schema.sh holds the two together: a document that misses a key is refused by both.
 */
#ifndef TWBENCH_SHAPE_H
#define TWBENCH_SHAPE_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

#define RESULT_SCHEMA_VERSION 1

/* `what` names the document in the diagnostic.  DIAG_USAGE with "what: path: what was expected". */
int shape_check_head(const cJSON *root, const char *what, struct diag *diag);
int shape_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag);
/* The same of a document of which readers rely on nothing but its version. */
int shape_check_version(const cJSON *root, const char *what, struct diag *diag);
/* The same of a document of limits (schema/limits-1.json), all of it. */
int shape_check_limits(const cJSON *root, const char *what, struct diag *diag);

/* The same of a document of stores (schema/stores-1.json). */
int shape_check_stores(const cJSON *root, const char *what, struct diag *diag);

#endif
