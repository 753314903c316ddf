/* scan.h - looks through a line of a log without copying it.
 *
 * A span is a piece of text that somebody else holds; nothing here allocates or writes.  The readers
 * take what they read off the front of the span and answer true, or leave it as it was and answer
 * false.  All are O(length of what is read).
 */
#ifndef TWBENCH_SCAN_H
#define TWBENCH_SCAN_H

#include "harness/base/libc.h"

struct span {
    const char *at, *end; /* at == end: empty */
};

static inline struct span span_of(const char *text, size_t length)
{
    return (struct span){text, text + length};
}

static inline size_t span_length(struct span span)
{
    return (size_t)(span.end - span.at);
}

static inline bool span_is(struct span span, const char *text)
{
    size_t length = strlen(text);
    return span_length(span) == length && memcmp(span.at, text, length) == 0;
}

static inline bool scan_is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static inline void scan_blanks(struct span *span)
{
    while (span->at < span->end && (*span->at == ' ' || *span->at == '\t'))
        span->at++;
}

static inline bool scan_literal(struct span *span, const char *literal)
{
    size_t length = strlen(literal);
    if (span_length(*span) < length || memcmp(span->at, literal, length) != 0)
        return false;
    span->at += length;
    return true;
}

/* Decimal digits, at least one; a number of 2^64 or more is refused. */
static inline bool scan_unsigned(struct span *span, uint64_t *out)
{
    const char *at = span->at;
    uint64_t value = 0;
    for (; at < span->end && scan_is_digit(*at); at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == span->at)
        return false;
    *out = value;
    span->at = at;
    return true;
}

/* Decimal, with or without a minus before it, from -(2^63 - 1) to 2^63 - 1. */
static inline bool scan_signed(struct span *span, int64_t *out)
{
    struct span rest = *span;
    uint64_t magnitude;
    bool negative = scan_literal(&rest, "-");
    if (!scan_unsigned(&rest, &magnitude) || magnitude > INT64_MAX)
        return false;
    *out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    *span = rest;
    return true;
}

/* Up to 16 hexadecimal digits, with or without 0x before them. */
static inline bool scan_hex(struct span *span, uint64_t *out)
{
    struct span rest = *span;
    uint64_t value = 0;
    (void)scan_literal(&rest, "0x");
    const char *first = rest.at;
    for (; rest.at < rest.end; rest.at++) {
        char digit = *rest.at;
        if (scan_is_digit(digit))
            value = value << 4 | (unsigned)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            value = value << 4 | (unsigned)(digit - 'a' + 10);
        else if (digit >= 'A' && digit <= 'F')
            value = value << 4 | (unsigned)(digit - 'A' + 10);
        else
            break;
    }
    if (rest.at == first || rest.at - first > 16)
        return false;
    *out = value;
    *span = rest;
    return true;
}

/* The next word, that is what lies before a blank or the end; false when only blanks are left. */
static inline bool scan_word(struct span *span, struct span *word)
{
    struct span rest = *span;
    scan_blanks(&rest);
    const char *first = rest.at;
    while (rest.at < rest.end && *rest.at != ' ' && *rest.at != '\t')
        rest.at++;
    if (rest.at == first)
        return false;
    *word = (struct span){first, rest.at};
    *span = rest;
    return true;
}

#endif
