/* spawn.h - runs another program once: pinned, within a time, its output caught.
 *
 * What two programs are compared by must not depend on how they are called: argv[0] is always the same
 * word, because its length moves the stack, and the environment is this process's, with one variable
 * more where that is wanted.
 */
#ifndef TWBENCH_SPAWN_H
#define TWBENCH_SPAWN_H

#include "harness/base/interrupt.h"

enum spawn_end {
    SPAWN_EXITED,      /* `code` is the exit status */
    SPAWN_KILLED,      /* `code` is the signal */
    SPAWN_TIMED_OUT,   /* over its budget; killed */
    SPAWN_INTERRUPTED, /* we were; killed */
    SPAWN_FAILED       /* could not be started: `code` is an errno */
};

struct spawn_request {
    const char *path;        /* of the program; not looked up in PATH */
    const char *const *argv; /* behind argv[0], ends with NULL */
    int cpu;                 /* below 0: not pinned */
    uint64_t budget_ns;
    const struct interrupt *interrupt;
    const char *variable; /* of the environment, "NAME=VALUE"; "" or NULL: none but ours */
};

struct spawn_result {
    enum spawn_end end;
    int code;
    char *out, *err; /* what it wrote, ended by a zero byte; never NULL after spawn_run */
};

/* Runs it to its end.  The result is the caller's, who gives it back with spawn_free. */
void spawn_run(const struct spawn_request *request, struct spawn_result *result);
/* Frees what the program wrote. */
void spawn_free(struct spawn_result *result);

#endif
