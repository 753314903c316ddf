/*
 * labs.h - commands, flags and documents of the labs: which lab has them, and how its program is started.
 *
 * The core knows of a lab only what labs/NAME/lab.def says, a row per command, flag, plugin and kind of document; the
 * build gathers the rows of all labs that have a folder.  A row of a lab that was not built names what builds it.
 */
#ifndef TWBENCH_LABS_H
#define TWBENCH_LABS_H

#include "harness/base/diag.h"

enum lab_row_kind {
    LAB_COMMAND, /* name: of the command; text: its summary; topic */
    LAB_FLAG,    /* of: a command of the core; name: a flag that makes it the lab's */
    LAB_PLUGIN, /* of: a command of the core; name: the symbol of a plugin that makes it the lab's */
    LAB_KIND,   /* name: the `kind` of a document that the lab shows and compares */
    LAB_LIST,   /* the lab has a part of `list` */
    LAB_DESIGN  /* name: a design that the lab builds; text: the package that it needs */
};

/* A row of a lab.def, with the lab that it is of. */
struct lab_row {
    const char *lab;
    enum lab_row_kind kind;
    const char *name, *text, *topic, *of;
};

/* All rows, lab by lab. */
extern const struct lab_row lab_rows[];
extern const size_t lab_row_count;

/* Where the lab's program is; false: it was not built. */
bool lab_program(const char *lab, char *out, size_t size);

/* The row whose lab does this command line in the core's place: its command, or one of its flags or plugins.  NULL:
 * none.  `command` is that of the line. */
const struct lab_row *lab_for(const char *command, int argc, char **argv);
/* The row of the lab that has the kind of this document; NULL: it is none, or the program shows the kind itself. */
const struct lab_row *lab_for_document(const char *text, size_t size);

/* Becomes the lab's program with this command line.  Returns only when it cannot: DIAG_USAGE with what is missing
 * ("stores is in the lab durable: 'make durable', or apt install twbench-durable"). */
int lab_become(const struct lab_row *row, char **argv, struct diag *diag);

/* Runs the lab's program with these words (ended by NULL) and waits; false when it is not built or failed.  *out: what it
 * printed, the caller's, also when it ended with EXIT_FAILED, whose document is whole; NULL otherwise.  `out` NULL: it
 * prints where this program does. */
bool lab_run(const char *lab, const char *const *words, char **out);

#endif
