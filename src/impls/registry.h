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

/* The batch operations of a table of the registry; NULL when the design has none, or is not of the registry. */
const struct tw_batch *registry_batch(const struct tw_backend *backend);
/* The same for slack. */
const struct tw_slack *registry_slack(const struct tw_backend *backend);
/* The same for the exact next. */
const struct tw_exact *registry_exact(const struct tw_backend *backend);

#endif
