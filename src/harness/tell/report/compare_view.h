/*
 * compare_view.h - the texts of a comparison (schema/comparison-1.json) that its page (page_comparison.c) and JUnit XML share.
 */
#ifndef TWBENCH_COMPARE_VIEW_H
#define TWBENCH_COMPARE_VIEW_H

#include "harness/base/libc.h"

#include <cjson/cJSON.h>

#define COMPARE_TEXT_SIZE 64
#define COMPARE_LINE_SIZE 1536

/* The figures of a cell.  "-" is unknown. */
struct compare_row {
    char design[COMPARE_TEXT_SIZE];   /* "hashed slots=512" */
    const char *workload, *verdict;   /* of the cell */
    char tasks[32];                   /* "1M" */
    char time[32];                    /* thread CPU time, NEW against OLD: "+3.2 %" */
    char interval[COMPARE_TEXT_SIZE]; /* of that, in percent: "(2.8 .. 3.6)"; "" when unknown */
    char margin[32];                  /* that the interval was compared with: "3 %" */
    char control[COMPARE_TEXT_SIZE];  /* OLD against a copy of OLD: "+0.1 %", "+4.0 % moved" */
    char work
        [COMPARE_TEXT_SIZE]; /* "same", "unknown", or what changed most and how many more: "visits +33.3 % (+1)" */
    const cJSON *worst; /* what `work` names, in the cell's array; NULL: nothing */
    char instructions[32], memory[32];
    char deciders[COMPARE_TEXT_SIZE]; /* the gates that came to the verdict: "work, time" */
};

/* Fills the row with the words of one cell of a comparison; `worst` points into the cell. */
void compare_row_read(struct compare_row *row, const cJSON *cell);

/* "1 of 15 cells regressed, 1 inconclusive, 2 improved" */
void compare_summary(char *out, size_t size, const cJSON *comparison);

/* Were times taken in pairs, so that they decide?  Else they are advisory, and there is no control. */
bool compare_is_paired(const cJSON *comparison);

/* Has any cell a value at that path?  "ratio.median": a time, from pairs or from stored results. */
bool compare_knows(const cJSON *comparison, const char *path);

/* "Work, instructions and time decide.", in how many cells where not in all, and what does not. */
void compare_decision(char *out, size_t size, const cJSON *comparison);

/* How the times were taken ("30 pairs of fresh processes, ..."; not for stored results), why
 * instructions are unknown, what else there is to know of the two.  "" when there is nothing. */
void compare_method(char *out, size_t size, const cJSON *comparison);

/* "+19.4 % instructions per operation in mine on keepalive, 1k tasks (mine.c changed)": the worst of what regressed; else
 * "". */
void compare_headline(char *out, size_t size, const cJSON *comparison);

/* "old/twbench 0.3.0 (1234567)" of the object `old` or `new`. */
void compare_side(char *out, size_t size, const cJSON *side);

#endif
