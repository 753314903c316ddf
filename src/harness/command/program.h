/*
 * program.h - what a program of twbench consists of: its commands, its kinds of document, its figures.
 *
 * The core is one program, and each lab that has commands is another: `twbench stores` starts twbench-durable, which
 * lies beside it or in the directory of the libraries.  A program is one const table, defined by its main.c, so that
 * the same reading, helping and reporting serves all of them.
 */
#ifndef TWBENCH_PROGRAM_H
#define TWBENCH_PROGRAM_H

#include "harness/command/command.h"

struct program {
    const char *lab;                       /* "durable"; NULL: the core */
    const struct command *const *commands; /* in the order of the help; ended by NULL */
    /* The lab's part of `list`: as text, and as keys of the JSON.  May be NULL. */
    void (*list)(FILE *out);
    void (*list_json)(void *object);
};

/* The program that runs. */
extern const struct program program;

/* The command of that name; NULL: this program has none. */
const struct command *program_command(const char *name);

/* Finds the command ("run" when there is none), does it, or starts the lab that has it; answers the exit status. */
int program_main(int argc, char **argv);

#endif
