/*
 * style.h - what may be used on the terminal at hand: colour, UTF-8, how many columns.
 */
#ifndef TWBENCH_STYLE_H
#define TWBENCH_STYLE_H

#include <stdbool.h>
#include <stdio.h>

/* What the user wants; AUTO leaves it to the terminal. */
enum style_color { STYLE_COLOR_AUTO, STYLE_COLOR_ALWAYS, STYLE_COLOR_NEVER };

struct report_style {
    bool color;       /* a terminal, TERM is not "dumb" and NO_COLOR is not set (no-color.org) */
    bool utf8;        /* the locale's character set */
    unsigned columns; /* of the terminal, or $COLUMNS; 100 when `out` is none */
};

/* Looks at `out`, the environment and the locale; changes neither.  `wish` overrules the colour. */
struct report_style style_for(FILE *out, enum style_color wish);

#endif
