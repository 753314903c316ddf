/*
 * quantity.h - figures of a cell, by name, and what an expression over them comes to.
 *
 * Counts and bytes are exact: the same in every run of the same stream.  "ns" and "cpu_ns" are time: one value per
 * sample, so that an expression over it has samples as well, and from these a median with an interval.
 *
 *     of the catalogue                 every figure with a name in claims (result/figures.def, `twbench list
 *                                      --figures`): of a phase, or without one the sum or the most of
 *                                      all; of the cell; of periodic tasks with skip_, burst_ (fixed
 *                                      rate, by how it catches up) or delay_ (fixed delay) before it
 *     of a phase, or summed over all   work (comparisons + visits + moves + link_writes), op (start + stop
 *                                      + expire), ns (wall time), cpu_ns (of the thread)
 *     of a cell that a lab runs        its path: clock.wakeups_per_s, a sample for each run; ledger.lost,
 *                                      figures.poll_max_ms of a store
 *     a setting                        slots, .. as resolved; of a list, its length
 */
#ifndef TWBENCH_QUANTITY_H
#define TWBENCH_QUANTITY_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>

/*
 * expression.c: arithmetic in experiment files: "visits / expire", "tasks / slots", "2 * log2(tasks)".
 *
 *     sum     = product (("+" | "-") product)*
 *     product = factor (("*" | "/") factor)*
 *     factor  = number | name | function "(" sum ")" | "(" sum ")"
 *
 * Functions: log2, ceil, floor.  Names are whatever the caller knows: a figure of a cell, a setting.
 */

#define EXPRESSION_NAME_SIZE 48

/* The value of a name; false when there is none of that name. */
typedef bool expression_value_fn(void *ctx, const char *name, double *value);

/* DIAG_USAGE with "WHAT: column N: ..." when the text is no expression, or a name is unknown.  Division
 * by zero is NaN, never an error. */
int expression_evaluate(const char *text, const char *what, expression_value_fn *value_of,
                        void *ctx, double *out, struct diag *diag);

#define QUANTITY_SAMPLES_MAX 100

struct quantity {
    double median, low, high; /* all equal when exact; NaN: the cell does not tell */
    double confidence;        /* of the interval; 1 when exact */
    bool timed;
    size_t count; /* of the samples; 0 when exact, or when only the interval is known */
    double samples[QUANTITY_SAMPLES_MAX];
};

/* Does the expression keep the language, and know only figures that there are?  `what` names the place
 * in the diagnostic.  *timed: it rests on time. */
int quantity_check(const char *expression, const char *what, bool *timed, struct diag *diag);

/* Of a cell that is ok.  `phase` NULL: all phases.  NaN where the cell has no such phase or figure. */
struct quantity quantity_of(const cJSON *cell, const char *phase, const char *expression);

/* left / right; sample by sample where both have as many, which were taken in the same rounds. */
struct quantity quantity_ratio(const struct quantity *left, const struct quantity *right,
                               bool same_rounds);

#endif
