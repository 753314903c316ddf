/*
 * standing.h - says which design is the fastest on each stream of a run, phase by phase, and by what factor.
 *
 * Two designs differ significantly when the 95 % interval of the median ratio of their samples, divided pair by
 * pair, lies beyond 3 % (schema/result-1.json, "standing").  With fewer than six samples nothing is said.
 *
 * Where `null` was timed on the stream, each factor stands beside one net of the harness: both times less what null
 * takes for the same calls.
 */
#ifndef TWBENCH_STANDING_H
#define TWBENCH_STANDING_H

#include "harness/base/text.h"
#include "harness/tell/report/view.h"

#include <cjson/cJSON.h>

/* An array with an object for each stream on which designs compete; the caller's. */
cJSON *standing_make(const cJSON *document);

/* What has a value per run, less is better: runners, stores.  `label` is borrowed. */
#define STANDING_SAMPLES 64
struct standing_contender {
    const char *label;
    double samples[STANDING_SAMPLES];
    size_t count;
};

/* No samples yet; then one after the other.  Those beyond STANDING_SAMPLES are left out. */
void standing_contend(struct standing_contender *contender, const char *label);
void standing_sample(struct standing_contender *contender, double value);

/* An element of `phases` of a standing, by the same rule; the caller's.  "late p99" is about lateness, anything else about
 * speed.  NULL for fewer than two contenders. */
cJSON *standing_phase(const char *name, const struct standing_contender *all, size_t count);

/* "fastest: sharded, 1.6 times before locked; .." or "least late: .." */
void standing_say(struct text *line, const cJSON *phase);

/* A design's ns per operation of a phase less what null takes for the same calls; NaN when either is not known, or when
 * the rest is less than 3 % of it. */
double standing_net_ns(const struct view_group *group, const struct view_row *row,
                       const char *phase);

#endif
