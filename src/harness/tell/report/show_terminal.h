/*
 * show_terminal.h - a film (ask/show/film.h) drawn on the terminal, slot by slot and step by step.
 */
#ifndef TWBENCH_SHOW_TERMINAL_H
#define TWBENCH_SHOW_TERMINAL_H

#include "harness/ask/show/film.h"
#include "harness/tell/report/style.h"

/* At most 80 columns, whatever the terminal has.  With `every` all frames are drawn; without it those on
 * which something happens or a statement ends, and of the others how many they were.  Errors of `out`
 * are left to the caller. */
void show_terminal(FILE *out, const struct film *film, const struct report_style *style,
                   bool every);

#endif
