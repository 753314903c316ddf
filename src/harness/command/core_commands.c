/* core_commands.c - lists the commands of the core. */
#include "harness/command/command.h"

const struct command *const core_commands[] = {
    &cmd_run,     &cmd_replay, &cmd_list, &cmd_report,   &cmd_schema, &cmd_conform,
    &cmd_compare, &cmd_ci,     &cmd_init, &cmd_selftest, &cmd_probe,  NULL,
};
