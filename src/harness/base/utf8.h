/* utf8.h - checks that a text from outside can be shown and written into a document. */
#ifndef TWBENCH_UTF8_H
#define TWBENCH_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
