/* grading.h - grades one solution: compiles it, judges it, compares its costs with those of references.
 *
 * A grade is a JSON object (schema/grade-1.json); every output is made of it.
 */
#ifndef TWBENCH_GRADING_H
#define TWBENCH_GRADING_H

#include "harness/base/interrupt.h"
#include "harness/command/command.h"
#include "labs/lab/rubric.h"

struct grading {
    const struct rubric *rubric;
    const struct interrupt *interrupt;
    char directory[128]; /* of what is compiled; made and removed by grading_grade */
    uint64_t begin_ns;   /* clock_work_ns() when the grade was begun */
};

/* *out is the caller's.  DIAG_USAGE: the file cannot be read; DIAG_RUN: the machine has no time, memory or compiler for
 * it, and it has no grade.  Seconds; what is not right costs no more than its parts. */
int grading_grade(struct grading *grading, const char *file, cJSON **out, struct diag *diag);

/* The names of the directory's files that end so, in their order; the caller frees each, and the list.  0: none, or no
 * such directory. */
size_t grading_files(const char *directory, const char *ending, char ***names);

/* Where the share of a figure lies between those of two references, as 0 (none and worse) to 1 (full and better), on a
 * scale of factors: half way is the geometric mean.  NAN: none is no worse than full, so nothing lies between.  The same
 * bits on every machine. */
double grading_share(double yours, double none, double full);

/* Grades each NAME.c of the directory (class.c).  NAME.grade.json has the grade and is taken as it is when solution and
 * rubric are the same, so what was interrupted goes on; class.csv and class.html have all of them. */
int class_grade(struct grading *grading, const char *directory, struct diag *diag);

/* What the structure looks like after these operations, as `show` of the lab teach draws it; NULL: that lab is not
 * built, or the list has what its scripts do not say.  The caller frees it. */
char *drawing_of(const char *plugin, const char *operations);

#endif
