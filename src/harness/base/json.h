/*
 * json.h - reads and writes JSON.
 *
 * Writing: integers of 64 bits stay exact, and there is never a NaN or an infinity.  Without memory
 * cJSON leaves the key out; whoever prints the finished object checks that it is whole (document.h).
 * Reading: what is absent or null has one answer, so that callers need no cascade of questions.
 */
#ifndef TWBENCH_JSON_H
#define TWBENCH_JSON_H

#include "harness/base/diag.h"
#include "harness/base/libc.h"

#include <cjson/cJSON.h>
#include <math.h>

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

/* true or false; as json_integer, for json_put. */
cJSON *json_bool(bool value);

/* json_put(object, from, steal_share, pairs): fields of the struct at `from`, each under its own name and as its type wants:
 * a double as json_measure, texts as json_text, a bool, any other as json_integer.  Eight at most. */
#define json_put(object, from, ...)                                                                \
    JSON_PUT_OF_(__VA_ARGS__, JSON_PUT_8_, JSON_PUT_7_, JSON_PUT_6_, JSON_PUT_5_, JSON_PUT_4_,     \
                 JSON_PUT_3_, JSON_PUT_2_, JSON_PUT_1_, 0)                                         \
    (object, from, __VA_ARGS__)
#define JSON_PUT_OF_(a, b, c, d, e, f, g, h, put, ...) put
#define JSON_PUT_1_(object, from, field)                                                           \
    json_add(object, #field,                                                                       \
             _Generic((from)->field, bool : json_bool, double : json_measure, char * : json_text,  \
                      const char * : json_text, default : json_integer)((from)->field))
#define JSON_PUT_2_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_1_(o, f, __VA_ARGS__)
#define JSON_PUT_3_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_2_(o, f, __VA_ARGS__)
#define JSON_PUT_4_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_3_(o, f, __VA_ARGS__)
#define JSON_PUT_5_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_4_(o, f, __VA_ARGS__)
#define JSON_PUT_6_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_5_(o, f, __VA_ARGS__)
#define JSON_PUT_7_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_6_(o, f, __VA_ARGS__)
#define JSON_PUT_8_(o, f, a, ...) JSON_PUT_1_(o, f, a), JSON_PUT_7_(o, f, __VA_ARGS__)

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

/* Goes through the items of the array, or members of the object, at that path; "" is the object itself:
 *     json_each(cell, document, "cells") */
#define json_each(item, object, path)                                                              \
    for (const cJSON *item = json_first(object, path); item; item = item->next)
/* NULL where nothing is. */
const cJSON *json_first(const cJSON *object, const char *path);

/* "slots=512 levels=256,64" of the object `params`; "" when it has none. */
void json_format_params(char *out, size_t size, const cJSON *params);

/* ---- Jsontext (jsontext.c). ------------------------------------------------------------------- */

/* Lets JSON and foreign text in: the only reader, and the only maker of strings.
 *
 * cJSON takes more for JSON than is: control characters for blanks, bytes that are not UTF-8, "01", numbers
 * beyond all bounds.  What is kept and written again, or walked by its text, has to be JSON. */

/* Arrays and objects within each other; what twbench writes has ten at most. */
#define JSONTEXT_DEPTH_MAX 64

/* Reads a text of RFC 8259 whose numbers are finite, whose strings hold no zero and whose objects have each key once.
 * `text` ends with a zero byte behind its `size` bytes.  DIAG_USAGE: "name:line:column: what is wrong; expected ...",
 * or "name: cells[3].key: there twice ...".  Time: O(n log n). */
int jsontext_read(const char *name, const char *text, size_t size, const char *expected,
                  cJSON **out, struct diag *diag);

/* The same of a file; "-" is standard input. */
int json_load(const char *path, const char *expected, cJSON **out, struct diag *diag);
/* Writes it with its lines indented, as file_replace does. */
int json_save(const char *path, const cJSON *item, struct diag *diag);

/* A string of any bytes; NULL without memory. */
cJSON *jsontext_string(const char *text);
/* The same, added to an object; without memory the key is left out. */
void jsontext_add(cJSON *object, const char *key, const char *text);
/* Every byte that does not belong to a character of UTF-8 becomes '?'. */
void jsontext_repair(char *text);

#endif
