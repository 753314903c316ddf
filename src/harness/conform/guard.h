/*
 * guard.h - a child process in which a design's mistakes with memory come to light.
 *
 * The allocations of one loaded object (a plugin, with operator new and delete) are answered with
 * fenced blocks (fence.h) instead of those of the C library: its table of imports is changed
 * (libraries/answer.h), nobody else's.  A signal handler says whose block it was that was written
 * past, or that the stack ended.
 */
#ifndef TWBENCH_CONFORM_GUARD_H
#define TWBENCH_CONFORM_GUARD_H

#include "harness/conform/fence.h"
#include "harness/conform/watch.h"

/* Takes over the signals of a crash, and the allocations of the object that has the design in it
 * unless that is the program itself, in the calling thread and for the rest of its life.  The design
 * may hold `memory_bytes` at a time; it is given no more.  A crash fills watch->fault and ends the
 * process by the same signal.  What is printed goes to `output_fd` already.  False when there is no
 * memory for it. */
bool guard_install(struct watch *watch, const struct tw_backend *backend, enum fence_side side,
                   uint64_t memory_bytes, int output_fd);

/* Are its allocations taken over?  Not those of the program itself, nor any under a sanitizer, to which
 * they belong. */
bool guard_is_for(const struct tw_backend *backend);

/* What has been printed breaks a rule, and so does what free() saw since the last time: blocks freed
 * twice, patterns that are gone.  With `is_closed`, no instance being open, whatever has not been freed
 * breaks one too. */
void guard_inspect(bool is_closed, struct conform_report *report);

#endif
