/*
 * worked_result.h - what a worked example found, beside what is expected.
 */
#ifndef TWBENCH_WORKED_RESULT_H
#define TWBENCH_WORKED_RESULT_H

#include "labs/teach/show/film.h"

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

#endif
