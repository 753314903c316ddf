/* wrap.c - breaks paragraphs between words. */
#include "harness/base/text.h"

void wrap_write(FILE *out, const char *text, int used, int hanging, unsigned columns)
{
    size_t width = (size_t)used, gap, word;
    for (; *text; text += word) {
        gap = strspn(text, " "); /* two behind a sentence; none are left at the end of a line */
        text += gap;
        word = strcspn(text, " ");
        bool fits = width == (size_t)used || width + gap + word <= columns;
        if (!fits)
            fprintf(out, "\n%*s", hanging, "");
        else if (word > 0)
            fprintf(out, "%*s", (int)gap, "");
        width = fits ? width + gap + word : (size_t)hanging + word;
        fwrite(text, 1, word, out);
    }
    fputc('\n', out);
}
