/* program.c - twbench-advise: the command of the lab, and the kinds of document that it shows. */
#include "labs/advise/advise.h"

static const struct command *const commands[] = {&cmd_advise, &cmd_report, NULL};

const struct program program = {.lab = "advise", .commands = commands};

static const struct document_kind advice = {
    .name = "advice",
    .has_cells = true,
    .build = page_advice,
    .check = advice_check,
    .pictures = advice_pictures,
    .no_pictures = "nothing was measured",
};

const struct document_kind *const document_kinds[] = {&advice, &kind_comparison, &kind_selftest,
                                                      &kind_run, NULL};
