/* isolate.h - runs code that is not trusted in a child process: its limits, its files, its end and that of all it started.
 *
 *     pid_t pid = isolate_fork(&isolate);   the child has its limits when this returns 0
 *     ...                                   wait, with a deadline, for isolate_pidfd(pid)
 *     isolate_end(pid, &wait_status);       the child is dead and reaped, whatever it was doing
 *     isolate_sweep(begin, others, count);  and so is everything that it started
 *
 * The child has a group of its own and dies with its parent.  Its descendants become the parent's children when
 * they lose theirs, also those in a session of their own, and isolate_sweep ends them.  This is no sandbox: code that
 * means harm belongs into a container.
 */
#ifndef TWBENCH_ISOLATE_H
#define TWBENCH_ISOLATE_H

#include "harness/base/libc.h"

#include <sys/types.h>

#define ISOLATE_NOWHERE (-1)

struct isolate {
    uint64_t memory_bytes; /* of address space on top of what is mapped at the fork; 0: no limit */
    uint64_t file_bytes;   /* to which it may make a file grow; 0: no limit */
    unsigned cpu_seconds;  /* of processor time, after which the kernel ends it; 0: no limit */
    int in_fd;             /* its standard input; 0: empty */
    int out_fd, err_fd;    /* its standard output and error, or ISOLATE_NOWHERE */
    /* For isolate_run: called in the parent now and then, at least each 0.2 s, with the record as it is by then; what it
     * writes there the work sees.  False ends the child.  NULL: nobody looks. */
    bool (*look)(void *look_ctx, void *record);
    void *look_ctx;
};

/* As fork().  In the child: standard input and output are what `isolate` says, no other file is open, the limits
 * hold and cannot be raised, no core is written, and crashes have no handlers.  -1 with errno when there is no
 * process. */
pid_t isolate_fork(const struct isolate *isolate);

/* Readable when the child has ended; -1 with errno.  The caller closes it. */
int isolate_pidfd(pid_t pid);

/* Ends the child, if it has not ended, with its group, and reaps it.  *wait_status is of an exit or a signal, never of
 * a stop. */
void isolate_end(pid_t pid, int *wait_status);

/* Nanoseconds since the machine was booted: what isolate_sweep is told. */
uint64_t isolate_now_ns(void);

/* Ends and reaps all children of this process that were started after `since_ns`, but kept[0 .. count), until there is
 * none: what isolated children have left.  Those from before belong to whoever this process was before its exec.  Answers how many
 * there were. */
size_t isolate_sweep(uint64_t since_ns, const pid_t *kept, size_t count);

/* What a child writes behind its record when it has come to its end: a word that no write astray leaves there. */
#define ISOLATE_DONE UINT64_C(0x9d1c4b7a35e862f1)

/* What a child does, which may be killed at any point; the record is shared with the parent. */
typedef void isolate_work_fn(void *ctx, void *record);

/* All of it: forks, works, waits and ends the family.  True when the work came to its end; then `record` holds what it
 * wrote.  Else false, with the reason in words. */
bool isolate_run(const struct isolate *isolate, unsigned seconds, isolate_work_fn *work, void *ctx,
                 void *record, size_t record_bytes, char *reason, size_t reason_size);

/* The same with the child's output on our standard output: at once on a terminal, else when the work has come to its
 * end. */
bool isolate_show(const struct isolate *isolate, unsigned seconds, isolate_work_fn *work, void *ctx,
                  void *record, size_t record_bytes, char *reason, size_t reason_size);

/* How often the kernel has killed a process of this machine because memory ran out, since it was booted; 0 where it
 * does not say. */
uint64_t isolate_memory_kills(void);

/* Words for an end by a signal.  `memory_kills` is by how much isolate_memory_kills has grown since the child began.  It
 * counts for the whole machine: when it has grown, a SIGKILL may have been the kernel's, and *may_be_memory is set. */
#define ISOLATE_KILLED "killed by signal 9"
void isolate_explain_signal(int number, uint64_t memory_kills, bool *may_be_memory, char *out,
                            size_t size);

#endif
