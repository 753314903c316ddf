/*
 * junit.h - verdicts as JUnit XML, in the shape that Jenkins and GitLab read.
 */
#ifndef TWBENCH_JUNIT_H
#define TWBENCH_JUNIT_H

#include "harness/tell/result/document.h"

#include <stdio.h>

/* A test case per cell, of the class of its workload: a failure when it crashed or did not agree
 * with the oracle, skipped with its reason when it could not be measured.  Its time is that of one
 * pass over the stream, in seconds.  Errors of `out` are left to the caller. */
void junit_write(FILE *out, const struct result_document *document);

/* ---- Parts, for other suites. ---------------------------------------------------------------- */

struct junit_suite {
    const char *name;
    size_t tests, failures, skipped;
    double time_s;
};

/* The head of a document with one suite; its properties and cases come between the two. */
void junit_open(FILE *out, const struct junit_suite *suite);
void junit_close(FILE *out);

void junit_open_properties(FILE *out);
void junit_property(FILE *out, const char *name, const char *value);
void junit_close_properties(FILE *out);

enum junit_result { JUNIT_PASSED, JUNIT_FAILED, JUNIT_SKIPPED };

/* Opens the case; `type` and `message` say why it failed or was skipped.  What is printed between
 * the two, by xml_text, is what the case said. */
void junit_open_case(FILE *out, const char *class_name, const char *name, double time_s,
                     enum junit_result result, const char *type, const char *message);
void junit_close_case(FILE *out);

#endif
