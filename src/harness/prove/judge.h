/* judge.h - runs a design and the model side by side and compares their answers.
 *
 * The first broken rule ends the case: the report keeps it, later operations are not run.
 */
#ifndef TWBENCH_CONFORM_JUDGE_H
#define TWBENCH_CONFORM_JUDGE_H

#include "harness/prove/operations.h"
#include "harness/prove/report.h"
#include "harness/prove/watch.h"

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
/* Runs the operations from `first` to before `end` of a list, repeats too, by batches where the list that it was opened with
 * has them.  The number of the operation that broke a rule, or is behind the batch that did, or `end`. */
size_t judge_play(struct judge *judge, const struct operations *operations, size_t first,
                  size_t end);
/* The callbacks to come open another instance, step through `list` with it and close it. */
void judge_meet(struct judge *judge, const struct operations *list);
/* Closes both. */
void judge_close(struct judge *judge);

/* Opens, runs the whole list, inspects, closes.  True when no rule was broken; else *steps, unless
 * NULL, says how many operations it took. */
bool judge_replay(const struct tw_backend *backend, const struct operations *operations,
                  enum judge_look look, struct conform_report *report, size_t *steps);

/* ---- What open is given, on a page that nobody can touch afterwards (lent_page.c). -------------- */

/* That is out, config, settings with their names, and error.  When open has returned the page is called in: nobody can touch it any more, and a design that has
 * kept a pointer to it is caught at its first use. */

#define LENT_NAME_MAX 64

/* What is on the page; pointers in it point into it. */
struct lent {
    struct tw_timers *timers;
    struct tw_config config;
    struct tw_error error;
    struct tw_setting settings[OPERATIONS_SETTINGS_MAX];
    char names[OPERATIONS_SETTINGS_MAX][LENT_NAME_MAX];
};

/* The page, while it is lent. */
struct lent_page {
    struct lent *lent; /* NULL: there is none */
    struct watch *watch;
};

/* Lends what the header of the list says.  False, with no page, when there is no memory; `watch` may be
 * NULL. */
bool lent_make(struct lent_page *page, const struct operations *operations, struct watch *watch);
/* From here on an access ends the process.  False when the system refuses that. */
bool lent_revoke(struct lent_page *page);
/* Gives the page back; harmless without a page. */
void lent_end(struct lent_page *page);

#endif
