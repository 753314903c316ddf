/* wrap.c - breaks paragraphs between words. */
#include "harness/tell/report/wrap.h"

#include <string.h>

void wrap_write(FILE *out, const char *text, int used, int indent, int hanging,
                const struct report_style *style)
{
    size_t width = (size_t)used + (size_t)indent, word;
    bool first = true;
    fprintf(out, "%*s", indent, "");
    for (; *text; text += word, text += *text == ' ') {
        word = strcspn(text, " ");
        bool fits = first || width + 1 + word <= style->columns;
        if (!fits)
            fprintf(out, "\n%*s", hanging, "");
        else if (!first)
            fputc(' ', out);
        width = fits ? width + !first + word : (size_t)hanging + word;
        fwrite(text, 1, word, out);
        first = false;
    }
    fputc('\n', out);
}
