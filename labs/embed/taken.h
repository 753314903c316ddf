/*
 * taken.h - what `take` gives away, as text in the program: taken.pl makes it at build time from src/impls and the
 * runners of the lab live.
 */
#ifndef TWBENCH_TAKEN_H
#define TWBENCH_TAKEN_H

#include <stddef.h>

/* With what a file is written. */
enum taken_use {
    TAKEN_ALWAYS,
    TAKEN_ALONE, /* a design without a runner */
    TAKEN_RUNNER /* a design with one */
};

/* A file that is the same for every design and runner but for @DESIGN@, @NAME@, @RUNNER@ and @RUNNER_NAME@ in its name
 * and text. */
struct taken_file {
    enum taken_use use;
    const char *name, *text;
};

/* All files that do not depend on what is taken. */
extern const struct taken_file taken_shared[];
extern const size_t taken_shared_count;

/* A design or a runner. */
struct taken_source {
    const char *name;       /* "hier-queue" */
    const char *identifier; /* "hier_queue": @DESIGN@ or @RUNNER@ */
    const char *source;     /* the text of tw_IDENTIFIER.c, or tw_IDENTIFIER_runner.c */
};

/* In the order of the registries. */
extern const struct taken_source taken_designs[];
extern const size_t taken_design_count;
extern const struct taken_source taken_runners[];
extern const size_t taken_runner_count;

#endif
