/*
 * json.h - the few things that documents need of JSON beyond what cJSON gives.
 *
 * Writing: integers of 64 bits stay exact, and there is never a NaN or an infinity.  Without memory
 * cJSON leaves the key out; whoever prints the finished object checks that it is whole (shape.h).
 * Reading: what is absent or null has one answer, so that callers need no cascade of questions.
 */
#ifndef TWBENCH_JSON_H
#define TWBENCH_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Writing. -------------------------------------------------------------------------------- */

/* Exact; beyond 15 digits as raw ones, because cJSON prints no more of a number. */
cJSON *json_integer(uint64_t value);
/* Rounded to six significant digits, which no timing deserves more of; null unless finite. */
cJSON *json_measure(double value);
/* null for NULL and for ""; else as jsontext_string. */
cJSON *json_text(const char *text);

/* Takes the item over, and frees it without memory for its key, which may be any bytes too. */
void json_add(cJSON *object, const char *key, cJSON *item);
void json_add_integer(cJSON *object, const char *key, uint64_t value);
void json_add_measure(cJSON *object, const char *key, double value);
void json_add_text(cJSON *object, const char *key, const char *text);
/* Sixteen hexadecimal digits, for hashes: a string, because no reader may round it. */
void json_add_hex(cJSON *object, const char *key, uint64_t value);

/* Prints the item on a line; arrays and objects down to that depth with a line for each member, so that texts can be
 * compared line by line.  Without memory a line is missing. */
void json_print(FILE *out, const cJSON *item, int depth);
/* The same of a member of an object, with its key. */
void json_print_member(FILE *out, const cJSON *member, int depth);

/* ---- Reading.  `path` is keys joined by dots: "latency_ns.advance.p99". ---------------------- */

const cJSON *json_get(const cJSON *object, const char *path);  /* NULL when absent or null */
double json_get_number(const cJSON *object, const char *path); /* NaN when absent, null, not one */
const char *json_get_text(const cJSON *object, const char *path); /* "" likewise */
bool json_says(const cJSON *object, const char *path, const char *text);

/* "slots=512 levels=256,64" of the object `params`; "" when it has none. */
void json_format_params(char *out, size_t size, const cJSON *params);

#endif
