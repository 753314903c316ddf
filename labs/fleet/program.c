/* program.c - twbench-fleet: the commands of the lab, and the kinds of document that it shows. */
#include "labs/fleet/fleet.h"

static const struct command *const commands[] = {
    &cmd_merge, &cmd_history, &cmd_sharded_run, &cmd_sharded_replay, &cmd_report, NULL};

const struct program program = {.lab = "fleet", .commands = commands};

static const struct document_kind history = {
    .name = "history",
    .build = page_history,
    .check = shape_check_version,
    .pictures = history_pictures,
    .no_pictures = "no time is known in two runs",
};

const struct document_kind *const document_kinds[] = {&history, &kind_comparison, &kind_selftest,
                                                      &kind_run, NULL};
