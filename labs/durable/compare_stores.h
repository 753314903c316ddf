/* compare_stores.h - compare of two documents of `stores`. */
#ifndef TWBENCH_COMPARE_STORES_H
#define TWBENCH_COMPARE_STORES_H

#include "harness/command/options.h"

/* Are the operands two files, the first of which is a document of stores? */
bool compare_stores_applies(const struct options *options);

/* Compares them, leaves what was asked for, and answers the exit status. */
int compare_stores(const struct options *options);

#endif
