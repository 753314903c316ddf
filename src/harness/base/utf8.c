/* utf8.c - checks text one character of UTF-8 after the other. */
#include "harness/base/text.h"

size_t utf8_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    if (bytes == 0 || *at > 0xf4)
        return 0;
    uint32_t value = bytes == 1 ? *at : *at & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    if (code)
        *code = value;
    bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value >= least[bytes] && value <= 0x10ffff && !is_surrogate ? bytes : 0;
}

size_t utf8_printable(const char *text)
{
    uint32_t code;
    size_t bytes = utf8_character(text, &code);
    return bytes > 0 && code >= 0x20 && (code < 0x7f || code >= 0xa0) ? bytes : 0;
}

bool utf8_is_printable(const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length])
        length++;
    if (length == size)
        return false;
    while (*text) {
        size_t bytes = utf8_printable(text);
        if (bytes == 0)
            return false;
        text += bytes;
    }
    return true;
}

static void make_printable(char *text, size_t size, char kept)
{
    text[size - 1] = '\0';
    while (*text) {
        size_t bytes = *text == kept ? 1 : utf8_printable(text);
        if (bytes == 0)
            *text = '?';
        text += bytes > 0 ? bytes : 1;
    }
}

void utf8_make_printable(char *text, size_t size)
{
    make_printable(text, size, '\0');
}

void utf8_make_lines(char *text, size_t size)
{
    make_printable(text, size, '\n');
}
