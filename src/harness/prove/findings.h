/*
 * findings.h - what `twbench conform` does with one design: both of its tables judged, and what was found in words.
 */
#ifndef TWBENCH_CONFORM_FINDINGS_H
#define TWBENCH_CONFORM_FINDINGS_H

#include "harness/prove/conform.h"

#include <stdio.h>

/* As watched_run; or as watched_run_text when `text` is an operation list.  A plugin brings both of its tables; that of a
 * design of the program which counts is judged by the tests. */
int findings_of(const struct tw_design *design, const struct conform_options *conform,
                const char *text, struct conform_report *report);

/* The broken rule and the operations that show it; or that the contract holds, and what was reached unless it was one
 * list. */
void findings_print_broken(FILE *out, const struct tw_backend *design,
                           const struct conform_report *report);
void findings_print_held(FILE *out, const struct tw_backend *design,
                         const struct conform_report *report, double seconds, bool is_one_list);

#endif
