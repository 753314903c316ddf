/*
 * paths.h - where the data files are: workloads and plot scripts.
 *
 * In a source tree they lie beside the binary; after `make install` under PREFIX/share/twbench.
 */
#ifndef TWBENCH_PATHS_H
#define TWBENCH_PATHS_H

#include <stddef.h>

/* DIR/NAME beside the binary if it is there, else `installed`.  `name` is "workloads"
 * or "plots". */
void paths_find(const char *name, const char *installed, char *out, size_t size);

#endif
