/*
 * worked.h - the worked examples of the articles, each run on a design and held to its answer.
 *
 * W1 .. W15 are sums that articles on timing wheels do on paper; C-slot, C-round, D-period and D-walk are
 * lines of code that two of them print and that are wrong.  Nothing here knows an answer but the table of what
 * is expected: what was found comes from the structure that ran.
 */
#ifndef TWBENCH_WORKED_H
#define TWBENCH_WORKED_H

#include "harness/base/diag.h"
#include "labs/teach/show/film.h"

/* What was found, beside what is expected. */
#define WORKED_PARTS_MAX   2
#define WORKED_ANSWERS_MAX 24

struct worked_answer {
    char what[72];
    uint64_t found, expected;
    bool as_printed; /* a formula that is wrong: it has to differ from what the structure says */
};

struct worked_result {
    struct film *films[WORKED_PARTS_MAX]; /* one for each structure that the example needs */
    size_t film_count;
    struct worked_answer answers[WORKED_ANSWERS_MAX];
    size_t answer_count;
    char note[400]; /* "" or what a reader has to know of the way it was found */
};

struct worked; /* an example */

/* The examples in the order in which they are listed; index below the count. */
size_t worked_count(void);
const struct worked *worked_at(size_t index);
/* By name, whatever the case of its letters; NULL when there is none. */
const struct worked *worked_find(const char *name);

const char *worked_name(const struct worked *worked);     /* "W7" */
const char *worked_document(const struct worked *worked); /* "D", as the articles are lettered */
const char *worked_question(const struct worked *worked);

/* Runs it.  Fills *result, to be emptied by worked_free, on DIAG_OK. */
int worked_run(const struct worked *worked, struct worked_result *result, struct diag *diag);
/* Frees the films. */
void worked_free(struct worked_result *result);

/* Found as expected; of a formula that is printed wrong, found to be another figure. */
bool worked_answer_is_right(const struct worked_answer *answer);
/* Every answer right and nothing broken. */
bool worked_is_right(const struct worked_result *result);

/*
 * counterexamples.c: the examples that a script cannot say: one that needs too many timers to draw,
 * and printed formulas beside what a running wheel does.
 */

/* W13: a wheel of 7200 slots filled with a thousandth of the entries. */
int fill_slots(struct worked_result *result, struct diag *diag);

/* Document C's formula, as printed and with the remainder taken last, against every pair of pointer and
 * delay of a running wheel of 8 slots. */
int slot_formula(struct worked_result *result, struct diag *diag);

/* Document C's rounds, as printed and put right, against when a running wheel of 3600 slots fires. */
int round_formula(struct worked_result *result, struct diag *diag);

/* Document D's period of a whole turn, as printed and put right, against a running wheel of 12 slots. */
int period_formula(struct worked_result *result, struct diag *diag);

/* Document D's walk over a bucket, as printed and put right, against who fires when a running wheel
 * comes to that bucket. */
int bucket_walk(struct worked_result *result, struct diag *diag);

#endif
