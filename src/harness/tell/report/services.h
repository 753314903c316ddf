/*
 * services.h - exports for services and test runners, as JSON and XML.
 *
 * What a service follows is the catalogue's measures (tell/result/figures.h), all of which are better when they are
 * smaller.  Errors of `out` are left to the caller; without memory nothing is written, which no reader takes for a
 * document.
 */
#ifndef TWBENCH_SERVICES_H
#define TWBENCH_SERVICES_H

#include "harness/tell/result/document.h"

/* As Google Benchmark writes its own results: a row of type `iteration` per sample of each phase of each cell that
 * is ok.  Samples of one phase share their name and differ in repetition_index, which is how compare.py gets its U
 * test.  No aggregate rows. */
void gbench_write(FILE *out, const struct result_document *document);

/* Bencher Metric Format: benchmark -> measure -> value; where a measure has an interval, as lower_value and
 * upper_value. */
void bencher_write(FILE *out, const struct result_document *document);

/* JUnit XML in the shape that Jenkins and GitLab read (junit.c): a test case per cell, of the class of its workload; a
 * failure when it crashed or did not agree with the oracle, skipped with its reason when it could not be measured.
 * Its time is that of one pass over the stream, in seconds. */
void junit_write(FILE *out, const struct result_document *document);

/* The same of a comparison (schema/comparison-1.json).  What makes the command fail (key `fail_on`) is a failure; what
 * else regressed or is inconclusive is skipped, with its reason.  Its time is that of one call in NEW, in seconds. */
void compare_junit_write(FILE *out, const cJSON *comparison);

/* ---- Text that XML can hold.  Errors of `out` are left to the caller (xml.c). ----------------- */

/* As character data: markup becomes entities; what XML 1.0 has no place for (most control
 * characters, bytes that are not UTF-8) becomes '?'. */
void xml_text(FILE *out, const char *text);

/* ` name="text"`, line ends kept. */
void xml_attribute(FILE *out, const char *name, const char *text);

#endif
