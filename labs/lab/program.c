/* program.c - twbench-lab: the commands of the lab, and the kinds of document that it shows. */
#include "labs/lab/lab.h"

/* `run` is started by `lab grade`, in a process of its own, to count what a solution does. */
static const struct command *const commands[] = {
    &cmd_lab_new, &cmd_lab_grade, &cmd_lab_hunt, &cmd_run, &cmd_list, &cmd_report, NULL};

const struct program program = {.lab = "lab", .commands = commands};

static const struct document_kind grade = {
    .name = "grade", .build = page_grade, .check = shape_check_version};

const struct document_kind *const document_kinds[] = {&grade, &kind_run, NULL};
