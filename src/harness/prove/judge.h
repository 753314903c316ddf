/* judge.h - runs a design and the model side by side and compares their answers.
 *
 * The first broken rule ends the case: the report keeps it, later operations are not run.
 */
#ifndef TWBENCH_CONFORM_JUDGE_H
#define TWBENCH_CONFORM_JUDGE_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"

/* How often next, visit, check and footprint are asked. */
enum judge_look {
    JUDGE_NOW_AND_THEN, /* where the list says so, and at its end */
    JUDGE_ALWAYS,       /* after every operation (of thousands of timers some), and at the end */
    JUDGE_FIRING        /* never: what counts is what fires when.  An overdue timer is waited for */
};

struct judge;

/* Opens the design and a model as the header of `operations` says.  NULL, with the report filled,
 * when that fails.  What is done is noted in report->watch, if there is one.  `operations` must outlive the judge. */
struct judge *judge_open(const struct tw_backend *backend, const struct operations *operations,
                         enum judge_look look, struct conform_report *report);
/* Runs one operation.  False when a rule is broken, now or before. */
bool judge_step(struct judge *judge, const struct operation *operation);
/* Closes both. */
void judge_close(struct judge *judge);

/* What next() of an open judge's design answers. */
tw_tick judge_next(struct judge *judge);

/* Opens, runs the whole list, inspects, closes.  True when no rule was broken; else *steps, unless
 * NULL, says how many operations it took. */
bool judge_replay(const struct tw_backend *backend, const struct operations *operations,
                  enum judge_look look, struct conform_report *report, size_t *steps);

#endif
