/* text.h - builds a text piece by piece in a buffer of fixed size.  What does not fit is cut; the text always ends. */
#ifndef TWBENCH_TEXT_H
#define TWBENCH_TEXT_H

#include <stddef.h>

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

#endif
