/*
 * counters.h - what the processor counts: by its counters, or instruction by instruction.
 *
 * The events are opened as one group, so that they count over the same stretch of time.  One that
 * does not fit into the group is opened alone, and then the kernel may let events take turns; it
 * says for how long each was enabled and for how long it ran, and the count is scaled by that.  A
 * counter that is not there stays unknown and has a reason; it is never 0.
 */
#ifndef TWBENCH_COUNTERS_H
#define TWBENCH_COUNTERS_H

#include "harness/measure/run/outcome.h"

/* `type` and `config` of struct perf_event_attr. */
struct counters_event {
    uint32_t type;
    uint64_t config;
};

struct counters {
    int fds[OUTCOME_COUNTERS];            /* below 0: not there */
    char reason[OUTCOME_COUNTERS_REASON]; /* why some or all are not there; "" when all are */
};

/* Of each counter: events, and how long the kernel had it enabled and really running. */
struct counters_reading {
    struct {
        uint64_t value, enabled_ns, running_ns;
    } of[OUTCOME_COUNTERS];
};

/* Opens and starts OUTCOME_COUNTERS events for the calling thread; NULL: the hardware's.  (Tests
 * count events of the kernel instead, which every machine has.)  True when at least the first,
 * instructions, is there; counters_close in any case. */
bool counters_open(struct counters *counters, const struct counters_event *events);
/* Closes those that were opened. */
void counters_close(struct counters *counters);

/* Around what is to be counted: end adds what happened since begin to `total`.  Some microseconds
 * each, nearly all of it in the kernel, which is not counted. */
void counters_begin(const struct counters *counters, struct counters_reading *begin);
void counters_end(const struct counters *counters, const struct counters_reading *begin,
                  struct counters_reading *total);

/* A total over so much work, in passes, as an outcome has it. */
void counters_outcome(const struct counters_reading *total, double passes,
                      struct outcome_count *counts);

/* What an errno of perf_event_open means and what can be done about it. */
void counters_explain(char *out, size_t size, int error, const char *root);

/* ---- Counts instructions one by one: ptrace(PTRACE_SINGLESTEP) (steps.c). --------------------- */

/* For machines whose processor has no counters to show, as most hosted ones.  Each instruction costs
 * a stop and two switches between processes, some ten microseconds, so only chosen pieces of a
 * program are stepped through; between them it runs as fast as ever.
 *
 * Counted are the instructions that a piece executes in user space, in its own thread; a system call
 * is one.  A repeated string instruction is one for each repetition where the processor stops in it
 * (x86 does). */

struct steps; /* what a body needs to have a piece of it counted */

/* Called by a body: calls piece(ctx) and has its instructions counted.  Pieces do not nest. */
void steps_through(struct steps *steps, void (*piece)(void *ctx), void *ctx);

/* Runs body(steps, ctx) in a child of its own, so that nothing it does is seen here, and counts what
 * goes through steps_through; a piece that returns at once counts 0.  False when the count could not
 * be had: then *instructions is left alone and `reason` says why, and what to do about it.  More
 * than `most` instructions are such a case; so is a body that crashes or exits.  A signal that
 * comes meanwhile is handed to the child, and a handler's instructions are counted; only SIGTRAP
 * cannot be told from a step, and is lost. */
bool steps_count(void (*body)(struct steps *steps, void *ctx), void *ctx, uint64_t most,
                 uint64_t *instructions, char *reason, size_t reason_size);

/* What an errno of ptrace means and what can be done about it; `root` as in file.h. */
void steps_explain(char *out, size_t size, int error, const char *root);

#endif
