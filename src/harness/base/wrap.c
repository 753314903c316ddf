/* wrap.c - breaks paragraphs between words. */
#include "harness/base/wrap.h"

#include <stdbool.h>
#include <string.h>

void wrap_write(FILE *out, const char *text, int used, int hanging, unsigned columns)
{
    size_t width = (size_t)used, word;
    bool first = true;
    for (; *text; text += word, text += *text == ' ') {
        word = strcspn(text, " ");
        bool fits = first || width + 1 + word <= columns;
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
