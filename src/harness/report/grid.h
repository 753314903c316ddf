/*
 * grid.h - a table of short texts, aligned, that gives up columns until it fits the terminal.
 */
#ifndef TWBENCH_GRID_H
#define TWBENCH_GRID_H

#include "harness/report/style.h"

#include <stddef.h>

#define GRID_TEXT_SIZE 64

struct grid_column {
    char title[GRID_TEXT_SIZE], unit[GRID_TEXT_SIZE];
    bool left;  /* aligned to the left */
    int keep;   /* where not all fit, the columns with the least `keep` go first; 0: never */
    bool alone; /* goes alone, from the right; the others go with all of the same `keep` */
    bool marks; /* the least number in it is the best */
};

struct grid_cell {
    char text[GRID_TEXT_SIZE];
    double value;      /* what `marks` compares; NaN: out of competition */
    const char *color; /* "31": SGR of the text, where colour may be used; NULL: none */
};

struct grid {
    struct grid_column *columns;
    struct grid_cell *cells; /* row by row */
    char **notes; /* by row, from malloc: printed in place of everything behind the first column */
    size_t column_count, row_count, row_room;
};

/* False without memory.  Free it with grid_free. */
bool grid_open(struct grid *grid, size_t columns, size_t rows);
void grid_free(struct grid *grid);

/* The next column, to be filled in by the caller. */
struct grid_column *grid_add_column(struct grid *grid, const char *title, const char *unit,
                                    int keep);
struct grid_cell *grid_at(const struct grid *grid, size_t row, size_t column);

/* Marks the best, drops what does not fit, prints the header, a rule and the rows.  Answers the
 * number of columns dropped. */
size_t grid_print(FILE *out, struct grid *grid, const struct report_style *style);

#endif
