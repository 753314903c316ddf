/* conform_stores.h - conform --store: proves stores, and prints what the proof found. */
#ifndef TWBENCH_CONFORM_STORES_H
#define TWBENCH_CONFORM_STORES_H

#include "harness/command/options.h"

/* 0, 1 when a store is broken, or a status. */
int conform_stores(const struct options *options, struct diag *diag);

#endif
