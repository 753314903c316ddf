/* fit.h - fits a workload file (spec.h) to a trace: what was measured becomes distributions.
 *
 * Each of the commonest delays has a row of the mix of its own, the others are brought together in classes
 * of neighbours; of each row the shares that are re-armed and cancelled, and the times until then.
 * Stretches left armed at the end are no part of the mix, because nobody saw them end: as many timers as
 * were armed by them in the mean stand throughout.  Distributions are lists of values, the means of equal
 * shares (finer at both ends), so that their means are kept.  labs/traces/docs/TRACES.md says what is lost.
 */
#ifndef TWBENCH_FIT_H
#define TWBENCH_FIT_H

#include "labs/traces/census.h"

#include <cjson/cJSON.h>

/* `name` is the trace's, whose letters that a workload may not have become '-'; `source` goes into the
 * summary.  *out is the caller's.  DIAG_USAGE when no stretch ends in the trace, no
 * time passes, or no workload can have the mix. */
int fit_workload(const struct census *census, const char *name, const char *source, cJSON **out,
                 struct diag *diag);

/* The census of what the workload does, made as from its file with seed 1.  DIAG_USAGE, DIAG_RUN without memory. */
int fit_census(const cJSON *workload, struct census *census, struct diag *diag);

#endif
