/* emit.c - writes JSON straight to a stream. */
#include "harness/tell/report/emit.h"

#include <math.h>

void emit_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

void emit_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.15g", value);
    else
        fputs("null", out);
}

void emit_text_of(FILE *out, const char *key, const char *text)
{
    emit_text(out, key);
    fputc(':', out);
    emit_text(out, text);
}

void emit_number_of(FILE *out, const char *key, double value)
{
    emit_text(out, key);
    fputc(':', out);
    emit_number(out, value);
}
