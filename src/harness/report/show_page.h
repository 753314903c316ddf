/*
 * show_page.h - what is drawn outside the terminal: films under one title.
 */
#ifndef TWBENCH_SHOW_PAGE_H
#define TWBENCH_SHOW_PAGE_H

#include "harness/show/film.h"

#include <stdio.h>

#define SHOW_FILMS_MAX 2
#define SHOW_LINES_MAX 32

struct show_page {
    const char *title; /* the example's question, or the name of the script */
    const struct film *films[SHOW_FILMS_MAX];
    size_t film_count;
    char lines[SHOW_LINES_MAX][400]; /* what is said below: answers, a note */
    size_t line_count;
};

/* How many characters of the text go on a line of `columns`: up to a blank where there is one.  The next
 * line begins behind the blanks that follow. */
size_t show_line_length(const char *text, size_t columns);

#endif
