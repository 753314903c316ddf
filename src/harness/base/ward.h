/* ward.h - runs code that is not trusted in a child process: its limits, its files, its end and that of all it started.
 *
 *     pid_t pid = ward_fork(&ward);      the child has its limits when this returns 0
 *     ...                                wait, with a deadline, for ward_pidfd(pid)
 *     ward_end(pid, &wait_status);       the child is dead and reaped, whatever it was doing
 *     ward_sweep(begin, others, count);  and so is everything that it started
 *
 * The child has a group of its own and dies with its parent.  Its descendants become the parent's children when
 * they lose theirs, also those in a session of their own, and ward_sweep ends them.  What a child may not do to
 * its parent's files is prevented by closing them.  This is no sandbox: code that means harm belongs into a container.
 */
#ifndef TWBENCH_WARD_H
#define TWBENCH_WARD_H

#include "harness/base/libc.h"

#include <sys/types.h>

#define WARD_NOWHERE (-1)

struct ward {
    uint64_t memory_bytes; /* of address space on top of what is mapped at the fork; 0: no limit */
    uint64_t file_bytes;   /* to which it may make a file grow; 0: no limit */
    unsigned cpu_seconds;  /* of processor time, after which the kernel ends it; 0: no limit */
    int in_fd;             /* its standard input; 0: empty */
    int out_fd, err_fd;    /* its standard output and error, or WARD_NOWHERE */
    /* For ward_run: called in the parent now and then, at least each 0.2 s, with the record as it is by then; what it
     * writes there the work sees.  False ends the child.  NULL: nobody looks. */
    bool (*look)(void *look_ctx, void *record);
    void *look_ctx;
};

/* As fork().  In the child: standard input and output are what `ward` says, no other file is open, the limits
 * hold and cannot be raised, no core is written, and crashes have no handlers.  -1 with errno when there is no
 * process. */
pid_t ward_fork(const struct ward *ward);

/* Readable when the child has ended; -1 with errno.  The caller closes it. */
int ward_pidfd(pid_t pid);

/* Ends the child, if it has not ended, with its group, and reaps it.  *wait_status is of an exit or a signal, never of
 * a stop. */
void ward_end(pid_t pid, int *wait_status);

/* Nanoseconds since the machine was booted: what ward_sweep is told. */
uint64_t ward_now_ns(void);

/* Ends and reaps all children of this process that were started after `since_ns`, but kept[0 .. count), until there is
 * none: what wards have left.  Those from before belong to whoever this process was before its exec.  Answers how many
 * there were. */
size_t ward_sweep(uint64_t since_ns, const pid_t *kept, size_t count);

/* What a child writes behind its record when it has come to its end: a word that no write astray leaves there. */
#define WARD_DONE UINT64_C(0x9d1c4b7a35e862f1)

/* What a child does, which may be killed at any point; the record is shared with the parent. */
typedef void ward_work_fn(void *ctx, void *record);

/* All of it: forks, works, waits and ends the family.  True when the work came to its end; then `record` holds what it
 * wrote.  Else false, with the reason in words. */
bool ward_run(const struct ward *ward, unsigned seconds, ward_work_fn *work, void *ctx,
              void *record, size_t record_bytes, char *reason, size_t reason_size);

/* The same with the child's output on our standard output: at once on a terminal, else when the work has come to its
 * end. */
bool ward_show(const struct ward *ward, unsigned seconds, ward_work_fn *work, void *ctx,
               void *record, size_t record_bytes, char *reason, size_t reason_size);

/* How often the kernel has killed a process of this machine because memory ran out, since it was booted; 0 where it
 * does not say. */
uint64_t ward_memory_kills(void);

/* Words for an end by a signal.  `memory_kills` is by how much ward_memory_kills has grown since the child began.  It
 * counts for the whole machine: when it has grown, a SIGKILL may have been the kernel's, and *may_be_memory is set.
 * Whoever sent it, the words begin with WARD_KILLED. */
#define WARD_KILLED "killed by signal 9"
void ward_explain_signal(int number, uint64_t memory_kills, bool *may_be_memory, char *out,
                         size_t size);

#endif
