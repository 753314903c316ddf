/*
 * standing.h - says which design is the fastest on each stream of a run, phase by phase, and by what factor.
 *
 * Two designs differ significantly when the 95 % interval of the median ratio of their samples, divided pair by
 * pair, lies beyond 3 % (docs/RESULT-FORMAT.md, "standing").  With fewer than six samples nothing is said.
 *
 * Where `null` was timed on the stream, each factor stands beside one net of the harness: both times less what null
 * takes for the same calls.
 */
#ifndef TWBENCH_STANDING_H
#define TWBENCH_STANDING_H

#include "harness/tell/report/view.h"

#include <cjson/cJSON.h>

/* An array with an object for each stream on which designs compete; the caller's.  NULL without memory. */
cJSON *standing_make(const cJSON *document);

/* A design's ns per operation of a phase less what null takes for the same calls; NaN when either is not known, or when
 * the rest is less than 3 % of it. */
double standing_net_ns(const struct view_group *group, const struct view_row *row,
                       const char *phase);

#endif
