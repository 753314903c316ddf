/*
 * taken.h - what `take` gives away, as text in the program: tools/taken.pl makes it at build time from src/impls.
 */
#ifndef TWBENCH_TAKEN_H
#define TWBENCH_TAKEN_H

#include <stddef.h>

/* A file that is the same for every design but for @DESIGN@ and @NAME@ in its name and text. */
struct taken_file {
    const char *name, *text;
};

extern const struct taken_file taken_shared[];
extern const size_t taken_shared_count;

struct taken_design {
    const char *name;       /* "hier-queue" */
    const char *identifier; /* "hier_queue": @DESIGN@ */
    const char *source;     /* the text of tw_IDENTIFIER.c */
};

/* In the order of the registry. */
extern const struct taken_design taken_designs[];
extern const size_t taken_design_count;

#endif
