/*
 * help.h - what commands take, from the rows of the table of flags (flags.h).
 */
#ifndef TWBENCH_HELP_H
#define TWBENCH_HELP_H

#include "harness/cli/options.h"

/* All commands with their summaries. */
void help_commands(FILE *out, const struct command *commands, size_t count);

/* Usage, summary, flags and parameters of designs, in at most 80 columns, and fewer on a narrower terminal.  Loads the
 * libraries where designs have parameters.  Errors of `out` are left to the caller. */
void help_command(FILE *out, const struct command *command);

/* The rows themselves, for programs that make completions or the manual page of them: a line for each, its fields
 * separated by tabs.
 *     command   NAME     USAGE  SUMMARY
 *     flag      COMMAND  NAME   VALUE  HELP     value "": takes none
 *     parameter DESIGN   NAME   VALUE  HELP     a flag of the commands that take designs
 *     parameters COMMAND                        is one of these
 *     word      FLAG     WORD   SUMMARY         what impl and runner take
 * Loads the libraries. */
void help_table(FILE *out, const struct command *commands, size_t count);

/* "LEFT   text" with the text broken under itself: a row of any help. */
void help_row(FILE *out, const char *left, const char *text);

#endif
