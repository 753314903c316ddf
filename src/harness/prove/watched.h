/* watched.h - runs conform in child processes: a crash or a hang is a broken rule with a shrunken list.
 *
 * The child notes what it does in memory that it shares with us (watch.h); what it writes to its
 * output is caught; its memory is limited, and the allocations of a plugin are fenced (guard.h).  When
 * a function crashes, exits, or does not return, that is the broken rule, and its operation list is
 * made shorter like any other, each attempt in a child of its own.
 *
 * A broken promise about what fires when counts for more than one about what can be seen in between:
 * a design that calls itself exact and rounds is told so, and not that visit() shows a wrong tick.
 */
#ifndef TWBENCH_CONFORM_WATCHED_H
#define TWBENCH_CONFORM_WATCHED_H

#include "harness/prove/conform.h"

/* As conform_run.  -1, with the reason in report->detail, when no child can be made. */
int watched_run(const struct tw_backend *backend, const struct conform_options *options,
                struct conform_report *report);

/* As conform_run_text. */
int watched_run_text(const struct tw_backend *backend, const char *text,
                     struct conform_report *report);

#endif
