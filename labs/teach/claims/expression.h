/*
 * expression.h - arithmetic in experiment files: "visits / expire", "tasks / slots", "2 * log2(tasks)".
 *
 *     sum     = product (("+" | "-") product)*
 *     product = factor (("*" | "/") factor)*
 *     factor  = number | name | function "(" sum ")" | "(" sum ")"
 *
 * Functions: log2, ceil, floor.  Names are whatever the caller knows: a figure of a cell, a setting.
 */
#ifndef TWBENCH_EXPRESSION_H
#define TWBENCH_EXPRESSION_H

#include "harness/base/diag.h"

#include <stdbool.h>

#define EXPRESSION_NAME_SIZE 48

/* The value of a name; false when there is none of that name. */
typedef bool expression_value_fn(void *ctx, const char *name, double *value);

/* DIAG_USAGE with "WHAT: column N: ..." when the text is no expression, or a name is unknown.  Division
 * by zero is NaN, never an error. */
int expression_evaluate(const char *text, const char *what, expression_value_fn *value_of,
                        void *ctx, double *out, struct diag *diag);

#endif
