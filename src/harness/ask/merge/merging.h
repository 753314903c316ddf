/*
 * merging.h - puts the results of a plan's shards together in one, and says what is missing.
 *
 * Every shard has to be of the same plan and the same build.  Each cell keeps its machine: "on_machine" is an index in
 * "machines".  Groups ran whole on one machine, so times within a stream are compared as ever; across streams of different
 * machines the report shows ratios to a design of the same stream, or counts.
 */
#ifndef TWBENCH_MERGING_H
#define TWBENCH_MERGING_H

#include "harness/base/diag.h"
#include "harness/tell/result/document.h"

#include <stdbool.h>
#include <stddef.h>

struct merging {
    const char *const *paths; /* of shards, in any order */
    size_t count;
    bool partial; /* missing shards and cells are named in "left_out" instead of refused */
    const struct result_origin *origin; /* of the merge: its command */
};

/* The owner frees *out with result_free.  DIAG_USAGE when the files are not shards of one plan and one build, when a shard is
 * given twice, or when something is missing without `partial`; the diagnostic names it. */
int merging_write(const struct merging *merging, struct result_document **out, struct diag *diag);

#endif
