/*
 * standing.h - says which design is the fastest on each stream of a run, phase by phase, and by what factor.
 *
 * Two designs differ significantly when the 95 % interval of the median ratio of their samples, divided pair by
 * pair, lies beyond 3 % (schema/result-1.json, "standing").  With fewer than six samples it says
 * which was the fastest in each, if one was.
 *
 * Where `null` was timed on the stream, each factor stands beside one net of the harness: both times less what null
 * takes for the same calls.
 */
#ifndef TWBENCH_STANDING_H
#define TWBENCH_STANDING_H

#include "harness/base/text.h"
#include "harness/measure/stats/growth.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/document.h"

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

/* Time of `row` in the phase over that of `fastest`, sample by sample; count 0: one has no samples. */
struct summary standing_ratio(const struct view_row *row, const struct view_row *fastest,
                              const char *phase);

/* A design's ns per operation of a phase less what null takes for the same calls; NaN when either is not known, or when
 * the rest is less than 3 % of it. */
double standing_net_ns(const struct view_group *group, const struct view_row *row,
                       const char *phase);

/* ---- How costs grow over the sizes of a document, and claims about it (sweep.c). -------------- */

/* A sweep is one design with the same settings asked for, on one workload with one tick, over at
 * least GROWTH_SIZES_MIN numbers of tasks.  A phase tells of an operation when it has no other kind:
 *
 *     start    only starts                        work and time per start
 *     stop     only stops                         per stop
 *     expire   expiries, on no more ticks         per expiry
 *     tick     advances on which nothing fires    per advance
 *
 * (Where ticks outnumber the expiries, as with few timers and long delays, the phase tells of ticks
 * that are mostly empty, and of neither operation.)  The count that stands for an operation is comparisons +
 * visits + moves + link_writes.  Classes are
 * those of measure/stats/growth.h: from counts, which are the same everywhere, and from times, which know
 * the caches of one machine. */

/* As above. */
enum sweep_operation { SWEEP_START, SWEEP_STOP, SWEEP_EXPIRE, SWEEP_TICK, SWEEP_OPERATIONS };

#define SWEEP_NAME_SIZE 64

/* "heap.start<=O(log n)": blanks may stand between the parts, the case of the class is as here. */
struct sweep_claim {
    const char *text; /* as given; not copied */
    char impl[SWEEP_NAME_SIZE];
    enum sweep_operation operation;
    enum tw_growth bound;
};

/* Of --assert.  DIAG_USAGE names the text, the column and what was expected there. */
int sweep_parse_claim(const char *text, struct sweep_claim *out, struct diag *diag);

/* Holds each sweep of the design and operation to the claim, by counts: GROWTH_BROKEN when one
 * breaks it, else GROWTH_UNDECIDED when one cannot tell.  DIAG_USAGE when the document has no such
 * sweep.  `diag` is also filled when the claim does not hold, with what was found. */
int sweep_check_claim(const struct result_document *document, const struct sweep_claim *claim,
                      enum growth_answer *answer, struct diag *diag);

#endif
