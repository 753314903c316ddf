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
/* What is at a path of a document. */
enum shape_kind {
    SHAPE_NUMBER = 1,
    SHAPE_TEXT = 2,
    SHAPE_BOOL = 4,
    SHAPE_OBJECT = 8,
    SHAPE_ARRAY = 16,
    SHAPE_OR_NULL = 32,
    SHAPE_OPTIONAL = 64
};

/* "[]" stands for each element of an array, "{}" for each member of an object.  A parent stands before its children;
 * below a null nothing is looked for. */
struct shape_rule {
    const char *path;
    unsigned kinds;
};

/* The same of a document of another kind: its version, `kind`, tool, machine and command, and these rules. */
int shape_check_kind(const cJSON *root, const char *kind, const struct shape_rule *rules,
                     size_t count, const char *what, struct diag *diag);

#endif
