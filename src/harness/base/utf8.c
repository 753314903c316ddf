/* utf8.c - checks text one character of UTF-8 after the other. */
#include "harness/base/utf8.h"

#include <stdint.h>

/* Bytes of the printable character that begins there, or 0.  The text ends with a zero byte, so that no sequence goes
 * beyond it. */
static size_t character_bytes(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*at < 0x80)
        return *at >= 0x20 && *at != 0x7f;
    size_t bytes = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    if (bytes == 0 || *at > 0xf4)
        return 0;
    uint32_t code = *at & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[bytes] && code >= 0xa0 && code <= 0x10ffff && !is_surrogate ? bytes : 0;
}

bool utf8_is_printable(const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && text[length])
        length++;
    if (length == size)
        return false;
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t bytes = character_bytes(at);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

static void make_printable(char *text, size_t size, char kept)
{
    text[size - 1] = '\0';
    for (unsigned char *at = (unsigned char *)text; *at;) {
        size_t bytes = *at == kept ? 1 : character_bytes(at);
        if (bytes == 0)
            *at = '?';
        at += bytes > 0 ? bytes : 1;
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
