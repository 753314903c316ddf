/*
 * taking.h - writes a design, one with a runner, or a store, into a directory as sources that do not need twbench.
 */
#ifndef TWBENCH_TAKING_H
#define TWBENCH_TAKING_H

#include "harness/command/command.h"
#include "impls/backend.h"

extern const struct command cmd_take, cmd_layered_run;

struct taking {
    const char *design;    /* its name, or that of a store, as in the registry */
    const char *runner;    /* the same of a runner; NULL: none */
    const char *directory; /* made when it is not there, with those above it */
    bool growable;         /* with timers with handles over it, twt.h */
    bool force;            /* overwrite */
};

#define TAKING_FILES  12
#define TAKING_LENGTH 64

/* The names of the files that were written. */
struct taking_files {
    char names[TAKING_FILES][TAKING_LENGTH];
    size_t count;
};

/* Writes the header and the C file of each, the licence, an example, tests and their Makefile.  DIAG_USAGE when the
 * design cannot be taken, the runner is none of this program's, or when one of the files is there already, all of which
 * are named; nothing is written then.  DIAG_RUN when the disk says no. */
int taking_write(const struct taking *taking, struct taking_files *files, struct diag *diag);

/* Can it have timers with handles over it?  The rule of twt_open; DIAG_USAGE names the flag. */
int taking_check_growable(const char *flag, const struct tw_backend *design, struct diag *diag);

/* The design with timers with handles over it as a design, for as many as there is room for; what it is kept in is the caller's. */
int layered_make(const struct tw_design *design, bool by_hand, void **memory,
                 const struct tw_design **out, struct diag *diag);

/* ---- Taken. ----------------------------------------------------------------------------------- */

/* What `take` gives away, as text in the program: taken.pl makes it at build time from src/impls, the
 * runners of the lab live and the stores of the lab durable. */

/* With what a file is written. */
enum taken_use {
    TAKEN_ALONE = 1,   /* a design without a runner */
    TAKEN_RUNNER = 2,  /* a design with one */
    TAKEN_STORE = 4,   /* a store */
    TAKEN_GROWABLE = 8 /* a design with timers with handles over it */
};

/* A file that is the same for every design and runner but for @DESIGN@, @NAME@, @RUNNER@ and @RUNNER_NAME@ in its name
 * and text. */
struct taken_file {
    unsigned use; /* of enum taken_use */
    const char *name, *text;
};

/* All files that do not depend on what is taken. */
extern const struct taken_file taken_shared[];
extern const size_t taken_shared_count;

/* The source of timers with handles, which follows that of the design. */
extern const char taken_layer[];

/* A design, a runner or a store. */
struct taken_source {
    const char *name;       /* "hier-queue" */
    const char *identifier; /* "hier_queue": @DESIGN@ or @RUNNER@ */
    const char *source;     /* the text of tw_IDENTIFIER.c, or tw_IDENTIFIER_runner.c */
};

/* In the order of the registries; of the stores those that can be taken. */
extern const struct taken_source taken_designs[];
extern const size_t taken_design_count;
extern const struct taken_source taken_runners[];
extern const size_t taken_runner_count;
extern const struct taken_source taken_stores[];
extern const size_t taken_store_count;

#endif
