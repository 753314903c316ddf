/*
 * help.h - prints what commands take, from the rows of their flags.
 */
#ifndef TWBENCH_HELP_H
#define TWBENCH_HELP_H

#include "harness/command/command.h"

/* All commands of the program and of the labs that are built, with their summaries, by topic. */
void help_commands(FILE *out);

/* Usage, summary, flags and parameters of designs, in at most 80 columns, and fewer on a narrower terminal.  Loads the
 * libraries where designs have parameters.  Errors of `out` are left to the caller. */
void help_command(FILE *out, const struct command *command);

/* The rows themselves, for programs that make completions or the manual page of them: a line for each, its fields
 * separated by tabs.
 *     command   NAME     USAGE  SUMMARY
 *     flag      COMMAND  NAME   VALUE  HELP     value "": takes none
 *     parameter DESIGN   NAME   VALUE  HELP     a flag of the commands that take designs
 *     parameters COMMAND                        is one of these
 *     word      FLAG     WORD   SUMMARY         what impl takes, and flags of labs
 * Loads the libraries.  Those of the labs that are built come behind the core's. */
void help_table(FILE *out);

/* "LEFT   text" with the text broken under itself: a row of any help. */
void help_row(FILE *out, const char *left, const char *text);

#endif
