/*
 * show_page.h - what is drawn outside the terminal: films under one title.
 */
#ifndef TWBENCH_SHOW_PAGE_H
#define TWBENCH_SHOW_PAGE_H

#include "harness/ask/show/film.h"

#include <stdio.h>

#define SHOW_FILMS_MAX 2
#define SHOW_LINES_MAX 32

struct show_answer {
    const char *what;
    uint64_t found, expected;
    bool as_printed; /* a formula that is wrong: it has to differ */
    bool right;
};

struct show_page {
    const char *title; /* the example's question, or the name of the script */
    const struct film *films[SHOW_FILMS_MAX];
    size_t film_count;
    char lines[SHOW_LINES_MAX][400]; /* what is said below: answers, a note */
    size_t line_count;
    struct show_answer answers[SHOW_LINES_MAX]; /* what the lines say, of a worked example */
    size_t answer_count;
    const char *note; /* "": none; NULL: a script */
};

/* How many characters of the text go on a line of `columns`: up to a blank where there is one.  The next
 * line begins behind the blanks that follow. */
size_t show_line_length(const char *text, size_t columns);

#endif
