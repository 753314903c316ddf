/* diag.h - holds one diagnostic, for people: what is wrong, where, and what was expected.
 *
 * Functions that can fail on what a user gave take a `struct diag *` and answer 0, or DIAG_USAGE /
 * DIAG_RUN with the text filled.  Only main turns it into output and an exit status.
 */
#ifndef TWBENCH_DIAG_H
#define TWBENCH_DIAG_H

#include "harness/base/libc.h"

/* Both are below 0; their negation is the exit status. */
enum { DIAG_OK = 0, DIAG_RUN = -1, DIAG_USAGE = -2 };

struct diag {
    char text[1024]; /* "workloads/x.json: phases[1].delay: ..., expected ..."; no newline */
};

/* Fills the text and answers DIAG_USAGE (bad input: flag, file, number) ... */
int diag_usage(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ... or DIAG_RUN (the machine said no: no memory, no disk, a failed system call). */
int diag_run(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "name: " before the text, unless it begins with it: for what a callee could not know. */
void diag_name(struct diag *diag, const char *name);

/* Static analysis looks at one file at a time; here it learns which status comes back. */
#ifdef __clang_analyzer__
#define diag_usage(...) ((diag_usage)(__VA_ARGS__), DIAG_USAGE)
#define diag_run(...)   ((diag_run)(__VA_ARGS__), DIAG_RUN)
#endif

#endif
