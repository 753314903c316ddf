/*
 * registry.h - the designs there are, in the order of registry.def.
 *
 * Everything that says "for every design" (tests, list, plots, docs tables) walks this array.
 */
#ifndef TWBENCH_REGISTRY_H
#define TWBENCH_REGISTRY_H

#include "backend.h"

/* All designs of the program, in the order of registry.def. */
extern const struct tw_design registry[];
extern const size_t registry_count;

/* The entry of that name, or NULL.  The name is an exact key; no aliases, no prefixes. */
const struct tw_design *registry_find(const char *name);

/* An optional part of a table of the registry: "batch" for struct tw_batch, and so on.  NULL when the design has none, or is not of the
 * registry. */
const void *registry_part(const struct tw_backend *backend, const char *kind);

#endif
