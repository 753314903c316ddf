/*
 * limits_multiple.h - what designs took, as multiples of what the machine can do at best.  Pure functions over documents.
 *
 * The limit of an operation in a phase is
 *
 *     (calls x harness + touches x touch) / operations
 *
 * calls        starts + stops + advances, each of which the harness has to make
 * harness      what a call costs with the design that does nothing, on the same stream: harness_ns_per_op of the cell
 * touches      timers that the phase touches at least: stops, and the larger of starts and expiries, because a
 *              start from a callback finds the timer in the cache that has just expired
 * touch        load and store of one word of a 16-byte node of so many, chosen at random: `load-store`; in a phase that only
 *              starts, and passes no tick, an append to one list: `start-one-list`.  On pages of 2 MiB where the cell's were
 * operations   starts + stops + expiries, by which the results divide too
 *
 * docs/LIMITS.md says what is wrong with that.
 */
#ifndef TWBENCH_LIMITS_MULTIPLE_H
#define TWBENCH_LIMITS_MULTIPLE_H

#include <cjson/cJSON.h>

#define LIMITS_NODE_BYTES 16

struct limits_multiple {
    double ns_per_op;  /* median of the design; NaN, as what follows: not known */
    double harness_ns; /* of one call */
    const char *touch; /* the measure */
    double touch_ns;   /* of one */
    double limit_ns;   /* per operation */
    double multiple;   /* ns_per_op / limit_ns */
};

/* Of one phase of a cell of a result. */
struct limits_multiple limits_multiple_of(const cJSON *limits, const cJSON *cell,
                                          const cJSON *phase);

/* Of every phase of every cell of the result that was timed: the value of `multiples` in docs/LIMITS.md.
 * `source` names the result.  The caller's. */
cJSON *limits_multiples_json(const cJSON *limits, const cJSON *result, const char *source);

#endif
