/*
 * figures.h - the catalogue of figures: what every key of a run's cell is, said once (figures.def).
 *
 * From it come the columns of tables, CSV and HTML sheets, the measures of exports, the names in claims, the rules
 * of the loader, and by `make figures` the schema.
 */
#ifndef TWBENCH_FIGURES_H
#define TWBENCH_FIGURES_H

#include "harness/base/libc.h"

/* The object that a path starts from. */
enum figure_owner { FIGURE_OF_CELL, FIGURE_OF_PHASE, FIGURE_OF_SCHEDULE };

enum figure_type {
    FIGURE_NUMBER,
    FIGURE_INTEGER,
    FIGURE_TEXT,
    FIGURE_BOOL,
    FIGURE_OBJECT, /* a parent of other figures, or settings */
    FIGURE_ARRAY
};

enum figure_flag {
    FIGURE_OR_NULL = 1u << 0,
    FIGURE_LATER = 1u << 1,    /* results of older versions lack it */
    FIGURE_MAY_LACK = 1u << 2, /* left out where the meaning says so */
    FIGURE_MOST = 1u << 3,     /* over several phases the most counts, not the sum */
    FIGURE_SIGNED = 1u << 5,   /* a difference, which may be below 0 */
    FIGURE_BESIDE = 1u << 4    /* a counter that a design without work on its structure may have */
};

/* The sheets of a run's page that a figure may be a column of. */
enum figure_sheet {
    FIGURE_NO_SHEET,
    FIGURE_TIMES,
    FIGURE_LATENCY,
    FIGURE_WORK,
    FIGURE_MEMORY,
    FIGURE_SCHEDULES,
    FIGURE_LAB /* of the lab whose part it is */
};

struct figure {
    enum figure_owner owner;
    const char *path; /* "memory.bytes_per_task" */
    enum figure_type type;
    unsigned flags;
    const char *meaning; /* one sentence */
    const char *title;   /* of a column; NULL: the path's last key */
    const char *unit;    /* "ns/op"; NULL: a count, a share, a name */
    enum figure_sheet sheet;
    int keep; /* in the table that compares designs; columns with less go first; 0: not in it */
    const char *csv;     /* column of the CSV; NULL: none */
    const char *measure; /* of services that follow benchmarks, which want it smaller; NULL: none */
    const char *claim;   /* name in claims; with "skip_", .. before it of a schedule; NULL: none */
    const char *gate;    /* metric by which compare gates it; NULL: none */
};

/* A catalogue: that of every cell (figures.def), or what a lab adds to the cells that it plays. */
struct figures_part {
    const struct figure *rows;
    size_t count;
    const char *sheet, *says; /* title and text of its sheet (FIGURE_LAB); NULL: it has none */
};

/* The core's. */
extern const struct figures_part figures_of_cells;

/* Those of the program that runs, which defines them; ended by NULL. */
extern const struct figures_part *const figures_parts[];

/* All rows of them, in order. */
size_t figure_count(void);
const struct figure *figure_at(size_t index);

#define FIGURE_NAME_SIZE 48

/* "link writes": the title of the figure's column. */
void figure_title(char out[FIGURE_NAME_SIZE], const struct figure *figure);
/* "link-writes": the name with dashes, as services identify measures. */
void figure_measure(char out[FIGURE_NAME_SIZE], const struct figure *figure);
/* "phases[].": what stands before the path in a cell. */
const char *figure_prefix(const struct figure *figure);

/* The catalogue as a Markdown table. */
void figures_print(FILE *out);

#endif
