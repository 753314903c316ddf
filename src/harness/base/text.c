/* text.c - builds a text in a buffer of fixed size. */
#include "harness/base/text.h"

struct text text_in(char *buffer, size_t size)
{
    buffer[0] = '\0';
    return (struct text){buffer, size, 0};
}

struct text text_behind(char *buffer, size_t size)
{
    return (struct text){buffer, size, strlen(buffer)};
}

static void add(struct text *text, const char *format, va_list args)
{
    int length = vsnprintf(text->at + text->used, text->size - text->used, format, args);
    text->used += length > 0 ? (size_t)length : 0;
    if (text->used >= text->size)
        text->used = text->size - 1;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(text, format, args);
    va_end(args);
}

void text_add_item(struct text *text, const char *between, const char *format, ...)
{
    va_list args;
    if (text->used > 0)
        text_add(text, "%s", between);
    va_start(args, format);
    add(text, format, args);
    va_end(args);
}

void text_add_behind(char *buffer, size_t size, const char *format, ...)
{
    struct text text = text_behind(buffer, size);
    va_list args;
    va_start(args, format);
    add(&text, format, args);
    va_end(args);
}

bool text_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}
