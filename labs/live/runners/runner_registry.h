/*
 * runner_registry.h - the runners there are, in the order of registry.def.
 *
 * Everything that says "for every runner" (tests, list, plots, docs tables) walks this array.
 */
#ifndef TWBENCH_RUNNER_REGISTRY_H
#define TWBENCH_RUNNER_REGISTRY_H

#include "runner.h"

/* All runners of the program, in the order of registry.def. */
extern const struct tw_runner_entry runner_registry[];
extern const size_t runner_registry_count;

/* The entry of that name, or NULL.  The name is an exact key; no aliases, no prefixes. */
const struct tw_runner_entry *runner_registry_find(const char *name);

#endif
