/*
 * registry.h - the designs there are, in the order of registry.def.
 *
 * Everything that says "for every design" (tests, list, plots, docs tables) walks this array.
 */
#ifndef TWBENCH_REGISTRY_H
#define TWBENCH_REGISTRY_H

#include "backend.h"

struct registry_entry {
    const struct tw_backend *timed;   /* the object that is timed: no counting code in it */
    const struct tw_backend *counted; /* the same source with TW_COUNTED */
};

extern const struct registry_entry registry[];
extern const size_t registry_count;

/* The entry of that name, or NULL.  The name is an exact key; no aliases, no prefixes. */
const struct registry_entry *registry_find(const char *name);

#endif
