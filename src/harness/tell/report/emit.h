/*
 * emit.h - JSON straight to a stream, for the formats of other tools: flat rows, nothing allocated,
 * and therefore nothing that can be missing without memory.  Errors of `out` are left to the caller.
 */
#ifndef TWBENCH_EMIT_H
#define TWBENCH_EMIT_H

#include <stdio.h>

/* In quotes, with everything escaped that JSON wants escaped.  The text must be UTF-8, as every text
 * of a document is. */
void emit_text(FILE *out, const char *text);

/* The double with up to 15 digits; null unless it is finite. */
void emit_number(FILE *out, double value);

/* The same as a member of an object: "key":value, without any comma. */
void emit_text_of(FILE *out, const char *key, const char *text);
void emit_number_of(FILE *out, const char *key, double value);

#endif
