/* report.h - what a proof has found: the broken rule, in words, with what shows it, and what was reached. */
#ifndef TWBENCH_CONFORM_REPORT_H
#define TWBENCH_CONFORM_REPORT_H

#include "harness/base/libc.h"

/* ---- What a proof reached (report.c). ------------------------------------------------------ */

/* All zero: nothing yet. */
struct conform_coverage {
    uint32_t fired_capacity;   /* largest capacity of an instance in which a timer fired */
    uint32_t most_running;     /* timers of one instance at a time */
    uint32_t settings_tried;   /* different settings that an instance was opened with and judged */
    uint64_t starts_accepted;  /* TW_OK and TW_REARMED, over all instances */
    uint64_t starts_refused;   /* TW_REFUSED_*, over all instances */
    uint64_t longest_starts;   /* most starts accepted by one instance */
    uint64_t longest_advances; /* most calls of advance in the life of one instance */
    char remarks[1024];        /* sentences about what was not covered, one per line */
};

/* Adds what another part of the proof reached. */
void coverage_add(struct conform_coverage *to, const struct conform_coverage *from);

/* Adds a sentence to the remarks, unless it is there already or there is no room. */
void coverage_remark(struct conform_coverage *coverage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the sentences that say it to a reader: lines that begin with two spaces and end with '\n',
 * the remarks last.  `size` is at least 1; what does not fit is cut. */
void coverage_print(const struct conform_coverage *coverage, char *out, size_t size);

struct watch;

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
#define RULE_EXACT     "the exact next is the earliest due"
#define RULE_VISIT     "visit shows each running timer once, with its due tick"
#define RULE_BATCH     "a batch answers and acts as the single calls in its order"
#define RULE_CHECK     "check finds no broken invariant"
#define RULE_CALLBACK  "advance and visit call the function that they were given, with its ctx"
#define RULE_WORK      "work is NULL, or counters that begin with 0 and never go back"
#define RULE_SAME      "the same operations give the same answers"
#define RULE_FAST      "a big jump of the clock with few timers takes no longer than 2 s"
#define RULE_MEMORY    "the machine has memory for the test itself"
#define RULE_TIME      "the machine has time for the test"
/* Of these two the machine is the cause: the answer is inconclusive, and nothing is broken. */
bool rule_is_machine(const char *rule);
/* These are seen by whoever watches a child process (findings.h). */
#define RULE_CRASH    "no function crashes"
#define RULE_RETURN   "every function returns"
#define RULE_EXIT     "no function exits"
#define RULE_SILENT   "no function prints"
#define RULE_BOUNDS   "memory is used within the blocks that were allocated"
#define RULE_FREED    "memory is freed once, and not used after that"
#define RULE_LEAK     "close gives all memory back"
#define RULE_CLOCK    "no function reads a clock"
#define RULE_SHORT    "without memory open and start answer TW_REFUSED_MEMORY and change nothing"
#define RULE_TAKES    "only open allocates, but with TW_ALLOCATES"
#define RULE_LENT     "open keeps no pointer to config, settings or error"
#define RULE_CHILDREN "no function leaves processes"
#define RULE_PROCESS  "no function changes the process"
#define RULE_STATE    "no function writes to variables at file scope"

/* So many operations are a short list. */
#define CONFORM_SHORT 20

/* What was found.  `rule` is NULL when the contract held. */
struct conform_report {
    const char *rule;       /* the broken rule, in the words of backend.h */
    char detail[512];       /* what was expected and what came */
    char operations[4096];  /* shortest operation list that shows it, one operation per line; its
                              language is that of operations.h.  Empty where no list shows it */
    size_t operation_count; /* of that list: more than CONFORM_SHORT, and it could not be shrunk */
    uint64_t seed; /* finds the list at once: the seed of its stream; 0 for a written case */
    uint64_t operations_run;         /* start, stop and advance calls in all, while looking */
    uint64_t counted_operations_run; /* `twbench conform`: those of the table that counts */
    uint64_t work; /* what judging took, in timers looked at: grows as its time does */
    struct conform_coverage coverage; /* what was reached, whether or not a rule was broken */
    struct watch *watch;              /* where to note what is under way (watch.h), or NULL */
    uint64_t trace; /* hash over all answers and expiries in order: two objects that behave
                                alike have the same */
};

/* Records the first broken rule; a later one is dropped. */
void report_broken(struct conform_report *report, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
