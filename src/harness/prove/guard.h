/* guard.h - catches what a design does wrong with memory, crashes and clocks, in its child process.
 *
 * The allocations of the object that has the design in it (a plugin, with operator new and delete, or the
 * program itself, where only those count that a design's function makes) are answered with fenced blocks
 * (fence.h) instead of those of the C library: its table of imports is changed (libraries/answer.h).  So
 * it is known what a design holds, and memory can be made short.  Looks at a clock are answered there as
 * well.  A signal handler says whose block it was that was written
 * past, or that the stack ended.
 */
#ifndef TWBENCH_CONFORM_GUARD_H
#define TWBENCH_CONFORM_GUARD_H

#include "harness/prove/fence.h"
#include "harness/prove/watch.h"

/* Takes over the signals of a crash, and the allocations of the object that has the design in it, in the calling thread and for the rest of its life.  The design
 * may hold `memory_bytes` at a time; it is given no more.  A crash fills watch->fault and ends the
 * process by the same signal.  What is printed goes to `output_fd` already.  False when there is no
 * memory for it. */
bool guard_install(struct watch *watch, const struct tw_backend *backend, enum fence_side side,
                   uint64_t memory_bytes, int output_fd);

/* Is it in an object of its own, whose allocations can be taken over?  Under a sanitizer they belong to
 * that. */
bool guard_is_for(const struct tw_backend *backend);

/* An optional part ("batch": struct tw_batch) of a design of the program, or of a plugin, which calls it tw_plugin_batch; NULL: none. */
const void *guard_part(const struct tw_backend *backend, const char *kind);
/* A plugin's variables at file scope that are not as they were when it had been loaded break a rule.  `function` of the
 * design was called last; NULL: it is not known.  Takes as long as to read them. */
void guard_inspect_variables(const char *function, struct conform_report *report);
/* While it is shut, a plugin that asks for the processor's counter is seen to read a clock. */
void guard_shut_counter(bool is_shut);
/* Whether memory comes from the C library for a while, in every thread. */
void guard_pause(bool is_paused);
/* The guard of this thread, and its going to another one, while this one waits; NULL: none. */
struct guard *guard_here(void);
void guard_adopt(struct guard *guard);

/* What has been printed breaks a rule, and so does what free() saw since the last time: blocks freed
 * twice, patterns that are gone.  With `is_closed`, no instance being open, whatever has not been freed
 * breaks one too. */
void guard_inspect(bool is_closed, struct conform_report *report);

/* ---- What is known of the design's memory ----------------------------------------------------- */

/* Bytes that the design has asked for and not given back, pages that it mapped among them. */
struct held {
    uint64_t bytes;
    uint64_t padding; /* how many of them may be there for the sake of an alignment alone */
    uint64_t fences;  /* bytes of pages that blocks and freed blocks take here */
    bool is_all;      /* else it calls libraries, which may hold more */
};

/* False: not known, as of the libraries that come with the program, of which some allocate in the design's own
 * object. */
bool guard_held(struct held *held);

/* These two only where guard_held knows.  Refuses `count` allocations, beginning with the `first` one from now on (1: the next).  0, 0: none. */
void guard_make_short(uint64_t first, uint64_t count);
/* As fence_share, for the blocks of the design.  The process ends when that allocation has been asked for; 0: it goes
 * on. */
bool guard_share_pages(size_t last_taken);
/* The design may hold so many bytes at a time from now on. */
void guard_limit(uint64_t bytes);
/* Allocations that the design has asked for, those that guard_make_short refused, and those that failed for whatever reason, in
 * all; 0 where they are not taken over. */
struct guard_counts {
    uint64_t allocations, refused, failed;
};
struct guard_counts guard_counts(void);
/* Without one that failed since `failed` open must not say that there is no memory. */
void guard_judge_refusal(int status, uint64_t failed, uint32_t capacity,
                         struct conform_report *report);

#endif
