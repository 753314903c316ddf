/*
 * paths.h - where the data files are: workloads, experiments, plot scripts, style.
 *
 * In a source tree they lie beside the binary; after `make install` in ../share/twbench seen from it,
 * so that an installed tree can be moved, or under the PREFIX that was built in.
 */
#ifndef TWBENCH_PATHS_H
#define TWBENCH_PATHS_H

#include <stddef.h>

/* The first of these that is there; `installed` when none is.  `name`: "workloads", "claims", "plots", "report". */
void paths_find(const char *name, const char *installed, char *out, size_t size);

#endif
