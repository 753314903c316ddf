/*
 * judge.h - one design and the model in lockstep: the judge asks both and compares.
 *
 * The first broken rule ends the case: the report keeps it, later operations are not run.
 */
#ifndef TWBENCH_CONFORM_JUDGE_H
#define TWBENCH_CONFORM_JUDGE_H

#include "harness/prove/conform/conform.h"
#include "harness/prove/conform/operations.h"

/* The rules, so that a planted fault can name the one that has to catch it. */
#define RULE_OPEN   "open accepts good settings"
#define RULE_REFUSE "open refuses bad settings and leaves *out alone"
#define RULE_DESCRIBE                                                                              \
    "describe says what open was given, or a default that the caller can live with"
#define RULE_FOOTPRINT "footprint is what was taken at open, plus what pending timers need"
#define RULE_START     "start answers TW_OK, TW_REARMED or TW_REFUSED_... as due"
#define RULE_STOP      "stop answers TW_OK or TW_IDLE as due"
#define RULE_IDLE      "only a running timer fires, once"
#define RULE_EARLY     "no timer fires before its due tick"
#define RULE_LATE      "no timer fires later than declared"
#define RULE_LOST      "everything due has fired when advance returns"
#define RULE_TICK      "a callback sees a tick that this advance processes"
#define RULE_ORDER     "an ordered design fires in order of due"
#define RULE_FIFO      "equal deadlines fire in order of their starts"
#define RULE_NEXT      "next is the earliest due, or a lower bound above now"
#define RULE_VISIT     "visit shows each running timer once, with its due tick"
#define RULE_CHECK     "check finds no broken invariant"
#define RULE_CALLBACK  "advance and visit call the function that they were given, with its ctx"
#define RULE_WORK      "work is NULL, or counters that begin with 0 and never go back"
#define RULE_SAME      "the same operations give the same answers"
#define RULE_FAST      "a big jump of the clock with few timers takes no longer than 2 s"
#define RULE_MEMORY    "the machine has memory for the test itself"
/* These are seen by whoever watches a child process (watched.h). */
#define RULE_CRASH    "no function crashes"
#define RULE_RETURN   "every function returns"
#define RULE_EXIT     "no function exits"
#define RULE_SILENT   "no function prints"
#define RULE_BOUNDS   "memory is used within the blocks that were allocated"
#define RULE_FREED    "memory is freed once, and not used after that"
#define RULE_LEAK     "close gives all memory back"
#define RULE_CLOCK    "no function reads a clock"
#define RULE_SHORT    "without memory open and start answer TW_REFUSED_MEMORY and change nothing"
#define RULE_TAKES    "start allocates only with TW_ALLOCATES"
#define RULE_LENT     "open keeps no pointer to config, settings or error"
#define RULE_CHILDREN "no function starts processes, or acts on others"
#define RULE_PROCESS  "every function leaves its process as it was"

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
/* Compares next, visit, check and footprint with the model; the same answer as judge_step. */
bool judge_inspect(struct judge *judge);
/* Closes both. */
void judge_close(struct judge *judge);

/* The clock of an open judge, and what next() of its design answers. */
tw_tick judge_now(const struct judge *judge);
tw_tick judge_next(struct judge *judge);

/* Opens, runs the whole list, inspects, closes.  True when no rule was broken; else *steps, unless
 * NULL, says how many operations it took. */
bool judge_replay(const struct tw_backend *backend, const struct operations *operations,
                  enum judge_look look, struct conform_report *report, size_t *steps);

/* Records the first broken rule; a later one is dropped. */
void report_broken(struct conform_report *report, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
