/*
 * shrink.h - a shorter operation list that breaks the same rule.
 */
#ifndef TWBENCH_CONFORM_SHRINK_H
#define TWBENCH_CONFORM_SHRINK_H

#include "harness/conform/conform.h"
#include "harness/conform/operations.h"

/* *operations breaks report->rule after `steps` operations.  Makes it as short as it can, and the
 * report that of the short list, printed.  Delta debugging (Zeller & Hildebrandt 2002): chunks are
 * left out, ever smaller ones, then numbers are reduced.  Replays are bounded in all. */
void shrink(struct operations *operations, const struct tw_backend *backend, bool check_always,
            size_t steps, struct conform_report *report);

#endif
