/*
 * core_commands.h - the commands of the core, for the programs that have them.
 */
#ifndef TWBENCH_CORE_COMMANDS_H
#define TWBENCH_CORE_COMMANDS_H

#include "harness/command/command.h"

/* Each is defined in its file cmd_NAME.c. */
extern const struct command cmd_run, cmd_replay, cmd_list, cmd_report, cmd_plot, cmd_schema,
    cmd_conform, cmd_compare, cmd_ci, cmd_selftest, cmd_probe;

/* What ci gives conform: where it prints, and whether a design was broken. */
struct conform_heard {
    FILE *out;
    bool broken;
};

/* What ci gives compare: what conform found out of NEW. */
enum contract_status { CONTRACT_HELD, CONTRACT_BROKEN, CONTRACT_NOT_TESTED };

struct contract {
    enum contract_status status;
    const char *text; /* what conform printed; "": it did not run */
    const char
        *old; /* of a broken one, which is not compared: what it would have been compared with */
};

/* All of them, in the order of the help; ended by NULL. */
extern const struct command *const core_commands[];

#endif
