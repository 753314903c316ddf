/* lab.h - the commands of the lab. */
#ifndef TWBENCH_LAB_H
#define TWBENCH_LAB_H

#include "harness/command/command.h"
#include "harness/tell/report/documents.h"

/* A subcommand is a file: cmd_lab_NAME.c, named "lab NAME". */
extern const struct command cmd_lab_new, cmd_lab_grade, cmd_lab_hunt;

/* The directory with what the lab hands out ("handout") and compiles beside a solution ("grader"). */
#define LAB_PATH 4096
void lab_data(char out[LAB_PATH]);

/* The page of a grade (page_grade.c). */
void page_grade(struct page *page, const cJSON *document);

#endif
