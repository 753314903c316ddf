/*
 * flags.h - finds a flag among a command's groups, and takes its value.
 */
#ifndef TWBENCH_FLAGS_H
#define TWBENCH_FLAGS_H

#include "harness/command/command.h"

/* A flag of a command, and the struct that it fills in. */
struct flag_found {
    struct flag flag;
    void *of;
    const struct flag_group *group;
};

/* The flag of that name: "json", or "-o".  `options` may be NULL, which finds rows alone.  False: the command has
 * none. */
bool flag_find(const struct command *command, void *options, const char *name,
               struct flag_found *found);

/* Calls `row` for each flag of the command that can be given: of two of one name for the first; for the parameters of
 * designs if asked for.  `options` may be NULL: then no plugin's. */
void flags_each(const struct command *command, const void *options, bool parameters,
                flag_row_fn *row, void *ctx);

/* Takes the value (NULL where the flag takes none).  `shown` is the flag as the user typed it.  DIAG_USAGE names it,
 * what was given and what was expected. */
int flag_take(const struct flag_found *found, struct call *call, const char *shown,
              const char *value, struct diag *diag);

/* ---- For flags that read their value themselves. ---- */

/* A text that is not empty.  DIAG_USAGE names the flag, what was given and what was expected. */
int flag_text(const char *flag, const char *value, const char *expected, const char **out,
              struct diag *diag);

/* ---- Prints what commands take, from the rows of their flags (help.c). ------------------------ */

/* All commands of the program and of the labs that are built, with their summaries, by topic. */
void help_commands(FILE *out);

/* Usage, summary and flags (of a command that has common ones these alone, unless `all` are wanted), and parameters of
 * designs, in at most 80 columns, and fewer on a narrower terminal.  Loads the
 * libraries where designs have parameters.  Errors of `out` are left to the caller. */
void help_command(FILE *out, const struct command *command, bool all);

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
