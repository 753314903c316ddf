/* jsontext.h - lets JSON and foreign text in: the only reader, and the only maker of strings.
 *
 * cJSON takes more for JSON than is: control characters for blanks, bytes that are not UTF-8, "01", numbers
 * beyond all bounds.  What is kept and written again, or walked by its text, has to be JSON.
 */
#ifndef TWBENCH_JSONTEXT_H
#define TWBENCH_JSONTEXT_H

#include "harness/base/diag.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* Arrays and objects within each other; what twbench writes has ten at most. */
#define JSONTEXT_DEPTH_MAX 64

/* Reads a text of RFC 8259 whose numbers are finite, whose strings hold no zero and whose objects have each key once.
 * `text` ends with a zero byte behind its `size` bytes.  DIAG_USAGE: "name:line:column: what is wrong; expected ...",
 * or "name: cells[3].key: there twice ...".  Time: O(n log n). */
int jsontext_read(const char *name, const char *text, size_t size, const char *expected,
                  cJSON **out, struct diag *diag);

/* A string of any bytes; NULL without memory. */
cJSON *jsontext_string(const char *text);
/* The same, added to an object; without memory the key is left out. */
void jsontext_add(cJSON *object, const char *key, const char *text);
/* Every byte that does not belong to a character of UTF-8 becomes '?'. */
void jsontext_repair(char *text);

#endif
