/*
 * text.h - texts of fixed size, UTF-8, wrapping, and the nearest of known words.
 */
#ifndef TWBENCH_TEXT_H
#define TWBENCH_TEXT_H

#include "harness/base/libc.h"

struct text {
    char *at; /* the caller's buffer */
    size_t size, used;
};

/* An empty text in the buffer of `size` bytes, at least 1. */
struct text text_in(char *buffer, size_t size);
/* Goes on behind the text that the buffer has. */
struct text text_behind(char *buffer, size_t size);

/* Adds what printf would print. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with `between` before it, unless the text is empty: for lists. */
void text_add_item(struct text *text, const char *between, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* text_add behind the text that the buffer of `size` bytes has. */
void text_add_behind(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does the text end so, with something before it? */
bool text_ends_with(const char *text, const char *ending);

/* ---- Checks that a text from outside can be shown and written into a document (utf8.c). ------- */

/* Bytes of the character that begins at `text`, which ends with a zero byte; 0: there is none.  Overlong forms,
 * surrogates and what lies beyond U+10FFFF are none.  *code (may be NULL) is set to it. */
size_t utf8_character(const char *text, uint32_t *code);

/* Bytes of the character that begins at `text`; 0: there is none, or it is a control character. */
size_t utf8_printable(const char *text);

/* Is the text valid UTF-8 without control characters?  At most `size` bytes are read: one that has no end within them
 * is not. */
bool utf8_is_printable(const char *text, size_t size);

/* Ends the text within its `size` bytes and puts '?' for each byte that is not printable. */
void utf8_make_printable(char *text, size_t size);
/* The same, and newlines stay. */
void utf8_make_lines(char *text, size_t size);

/* ---- Breaks a paragraph between words before the last column (wrap.c). ------------------------ */

/* Ends with a newline.  `used` columns of the first line are taken already; the next lines are indented by `hanging`.  A
 * word that does not fit on any line is not broken.  Errors of `out` are left to the caller. */
void wrap_write(FILE *out, const char *text, int used, int hanging, unsigned columns);

/* ---- Finds the known word nearest to one that is not known: "did you mean" (nearest.c). ------- */

/*     struct nearest nearest = nearest_to("hashd");
 *     nearest_offer(&nearest, "heap"); nearest_offer(&nearest, "hashed");
 *     nearest_hint(&nearest, hint, sizeof hint);      "; did you mean 'hashed'?" */

#define NEAREST_MAX  40
#define NEAREST_HINT (NEAREST_MAX + 24) /* room for a hint */

struct nearest {
    const char *asked;
    char word[NEAREST_MAX + 1]; /* the nearest so far; "": none is near enough */
    size_t distance;
};

/* Nothing offered yet.  `asked` has to last. */
struct nearest nearest_to(const char *asked);

/* Takes a copy of `known` when fewer edits lead to it than to those before: a letter put in, taken out, replaced, or two
 * neighbours swapped; at most one for each three letters asked for, and one more.  O(length of both); words longer than
 * NEAREST_MAX are never near. */
void nearest_offer(struct nearest *nearest, const char *known);

/* "; did you mean 'WORD'?", or "" when no word is near. */
const char *nearest_hint(const struct nearest *nearest, char *out, size_t size);

/* The same for the words of a list as messages show it: "a, b, c". */
const char *nearest_listed(const char *asked, const char *list, char *out, size_t size);

#endif
