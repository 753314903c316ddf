/* glossary.h - the words of tables, explained. */
#ifndef TWBENCH_GLOSSARY_H
#define TWBENCH_GLOSSARY_H

#include "harness/base/libc.h"

struct term {
    const char *word,
        *meaning; /* constants of the program; the meaning has `code` in back quotes */
};

/* Row `at` of glossary.def, NULL behind the last. */
const struct term *glossary_at(size_t at);
/* What a table's head means: as a term, or as the figure of that title; NULL: the head needs no words. */
const char *glossary_meaning(const char *head);
/* All of them, as a Markdown table. */
void glossary_print(FILE *out);

#endif
