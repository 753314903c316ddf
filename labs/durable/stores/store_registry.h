/*
 * store_registry.h - the stores there are, in the order of stores.def: those in the program with their tables, the
 * modules by name.
 *
 * Everything that says "for every store" walks this array.  What loads a module is
 * src/harness/measure/designs/store_modules.h.
 */
#ifndef TWBENCH_STORE_REGISTRY_H
#define TWBENCH_STORE_REGISTRY_H

#include "store.h"

/* A row of stores.def. */
struct store_row {
    const char *file;     /* NAME of stores.def: "redis_wheel" */
    const char *packages; /* of Debian, to build and to run it; "" for one in the program */
    const struct tw_store_backend *builtin; /* NULL for a module */
};

/* All rows, in the order of stores.def. */
extern const struct store_row store_registry[];
extern const size_t store_registry_count;

/* The key of a row, NAME with a hyphen for each underscore, in out; cut short when it does not fit. */
const char *store_registry_key(const struct store_row *row, char *out, size_t size);

/* The row of that key, or NULL.  An exact key; no aliases, no prefixes. */
const struct store_row *store_registry_find(const char *key);

#endif
