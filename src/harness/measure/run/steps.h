/* steps.h - counts instructions one by one: ptrace(PTRACE_SINGLESTEP).
 *
 * For machines whose processor has no counters to show, as most hosted ones.  Each instruction costs
 * a stop and two switches between processes, some ten microseconds, so only chosen pieces of a
 * program are stepped through; between them it runs as fast as ever.
 *
 * Counted are the instructions that a piece executes in user space, in its own thread; a system call
 * is one.  A repeated string instruction is one for each repetition where the processor stops in it
 * (x86 does).
 */
#ifndef TWBENCH_STEPS_H
#define TWBENCH_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What an errno of ptrace means and what can be done about it; `root` as in sysfile.h. */
void steps_explain(char *out, size_t size, int error, const char *root);

#endif
