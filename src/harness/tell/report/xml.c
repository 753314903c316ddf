/* xml.c - escapes text for XML. */
#include "harness/tell/report/services.h"

#include "harness/base/text.h"

/* The Char of XML 1.0. */
static bool is_char(uint32_t point)
{
    return point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && point < 0xd800) ||
           (point >= 0xe000 && point < 0xfffe) || (point >= 0x10000 && point < 0x110000);
}

/* Stands for the character; NULL when it can stand for itself.  A parser makes blanks of the line
 * ends in an attribute, and a line feed of each carriage return. */
static const char *entity_of(uint32_t point, bool in_attribute)
{
    switch (point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&apos;";
    case '\t':
        return in_attribute ? "&#9;" : NULL;
    case '\n':
        return in_attribute ? "&#10;" : NULL;
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void write_escaped(FILE *out, const char *text, bool in_attribute)
{
    for (const char *at = text; *at;) {
        uint32_t point = 0;
        size_t length = utf8_character(at, &point);
        const char *entity = length > 0 ? entity_of(point, in_attribute) : NULL;
        if (length == 0 || !is_char(point))
            fputc('?', out);
        else if (entity)
            fputs(entity, out);
        else
            fwrite(at, 1, length, out);
        at += length > 0 ? length : 1;
    }
}

void xml_text(FILE *out, const char *text)
{
    write_escaped(out, text, false);
}

void xml_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    write_escaped(out, text, true);
    fputc('"', out);
}
