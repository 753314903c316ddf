/* markdown.c - escapes text for Markdown. */
#include "harness/tell/report/markdown.h"

#include <string.h>

void markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|<>&*_`\n", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}
