/*
 * findings.h - what `twbench conform` does with one design: both of its tables judged, and what was found in words.
 */
#ifndef TWBENCH_CONFORM_FINDINGS_H
#define TWBENCH_CONFORM_FINDINGS_H

#include "harness/base/libc.h"
#include "harness/prove/conform.h"

/* As isolate_conform; or as isolate_conform_text when `text` is an operation list.  A plugin brings both of its tables; that of a
 * design of the program which counts is judged by the tests. */
int findings_of(const struct tw_design *design, const struct conform_options *conform,
                const char *text, struct conform_report *report);

/* The broken rule and the operations that show it; or that the contract holds, and what was reached unless it was one
 * list. */
void findings_print_broken(FILE *out, const struct tw_backend *design,
                           const struct conform_report *report);
void findings_print_held(FILE *out, const struct tw_backend *design,
                         const struct conform_report *report, double seconds, bool is_one_list);

/* ---- Both in child processes (isolate_conform.c). -------------------------------------------------- */

/* The child notes what it does in memory that it shares with us (watch.h); what it writes to its
 * output is caught; its memory is limited, and the allocations of a plugin are fenced (guard.h).  When
 * a function crashes, exits, or does not return, that is the broken rule, and its operation list is
 * made shorter like any other, each attempt in a child of its own.
 *
 * A broken promise about what fires when counts for more than one about what can be seen in between:
 * a design that calls itself exact and rounds is told so, and not that visit() shows a wrong tick. */

/* As conform_run.  -1, with the reason in report->detail, when no child can be made. */
int isolate_conform(const struct tw_backend *backend, const struct conform_options *options,
                    struct conform_report *report);

/* As conform_run_text; of the options shrink_replays alone counts. */
int isolate_conform_text(const struct tw_backend *backend, const struct conform_options *options,
                         const char *text, struct conform_report *report);

#endif
