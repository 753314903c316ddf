/* glossary.c - finds and prints the words of glossary.def. */
#include "harness/tell/report/glossary.h"

#include "harness/tell/result/figures.h"

static const struct term terms[] = {
#define TERM(word, meaning) {word, meaning},
#include "harness/tell/report/glossary.def"
#undef TERM
};

const struct term *glossary_at(size_t at)
{
    return at < sizeof terms / sizeof *terms ? &terms[at] : NULL;
}

const char *glossary_meaning(const char *head)
{
    char title[FIGURE_NAME_SIZE];
    const struct term *term;
    for (size_t i = 0; (term = glossary_at(i)); i++)
        if (strcmp(term->word, head) == 0)
            return term->meaning;
    for (size_t i = 0; i < figure_count(); i++) {
        figure_title(title, figure_at(i));
        if (strcmp(title, head) == 0)
            return figure_at(i)->meaning;
    }
    return NULL;
}

void glossary_print(FILE *out)
{
    const struct term *term;
    fputs("| word | meaning |\n|---|---|\n", out);
    for (size_t i = 0; (term = glossary_at(i)); i++)
        fprintf(out, "| %s | %s |\n", term->word, term->meaning);
}
