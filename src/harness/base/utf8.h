/* utf8.h - checks that a text from outside can be shown and written into a document. */
#ifndef TWBENCH_UTF8_H
#define TWBENCH_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Is the text valid UTF-8 without control characters?  At most `size` bytes are read: one that has no end within them
 * is not. */
bool utf8_is_printable(const char *text, size_t size);

/* Ends the text within its `size` bytes and puts '?' for each byte that is not printable. */
void utf8_make_printable(char *text, size_t size);
/* The same, and newlines stay. */
void utf8_make_lines(char *text, size_t size);

#endif
