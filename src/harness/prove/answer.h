/*
 * answer.h - a library's questions to the system, answered by the design that drives it.
 *
 * A timer library asks the C library for the time, waits for events, allocates.  To run it on the
 * virtual clock, and to say what its figure includes, the design answers in the C library's place:
 * in the library's own table of imported functions (the GOT), and nowhere else, the entry of
 * clock_gettime is overwritten with ours.  The harness, and every other library, go on asking the
 * real one.  Nothing is preloaded, and the library runs as it was built.
 *
 *     answer_library(&uv_run, ANSWER_CLOCKS, error)     once per open
 *     answer_begin(&answer)                             before calls in which the library may ask
 *     answer_end(&answer)                               before the instance goes
 *
 * A function in a GOT has no argument that would tell it for whom it answers: this is what the one
 * variable of the thread is for (answer_current).  When it is NULL, or the library is called by
 * somebody else, the real functions do the work.
 *
 * What can be answered (answer_kinds): clocks tell answer->now, whichever clock is meant; waits
 * find nothing ready and set no alarm, at once and without a system call, when answer->is_alone;
 * how long the library would have waited can be asked for, and is how it tells when it is due next
 * (answer->asked); all kinds are counted when there is somewhere to count.  Kinds that an instance
 * needs no answer for are not touched.
 */
#ifndef TWBENCH_ANSWER_H
#define TWBENCH_ANSWER_H

#include "impls/backend.h"

#include <time.h>

#ifdef __cplusplus
extern "C" {
#define ANSWER_THREAD __thread
#else
#define ANSWER_THREAD _Thread_local
#endif

enum answer_kinds {
    ANSWER_CLOCKS = 1u << 0, /* clock_gettime, gettimeofday, time */
    ANSWER_WAITS = 1u << 1,  /* epoll_wait, epoll_pwait, poll, ppoll, select, timerfd_settime */
    /* Only counted: epoll_ctl, read, write and others that make or change descriptors. */
    ANSWER_CALLS = 1u << 2,
    ANSWER_ALLOCATIONS = 1u << 3 /* only counted: malloc, calloc, realloc and their kin; not free */
};

/* What one instance answers its library. */
struct answer {
    struct timespec now; /* what every clock shows */
    bool is_alone;       /* waits are answered: the structure alone, without the system's part */
    /* Told of each epoll_wait, epoll_pwait and poll: for how many milliseconds, below 0: for ever.  The
     * wait is then none: the real call, if it is made, only looks.  NULL: waits are what they are. */
    void (*asked)(struct answer *answer, int timeout_ms);
    struct tw_work *work; /* system_calls, clock_reads and allocations are added here, or NULL */
};

/* For whom the calling thread's libraries ask; see answer_begin.  Found at a fixed distance from the
 * thread's pointer, because a start may be as short as the general way of finding it. */
extern ANSWER_THREAD struct answer *answer_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* From here on the calling thread's library asks this instance.  One store. */
static inline void answer_begin(struct answer *answer)
{
    answer_current = answer;
}

/* Nobody is asked any more, if it was this one. */
static inline void answer_end(const struct answer *answer)
{
    if (answer_current == answer)
        answer_current = NULL;
}

/* The kinds an instance needs: the clock, waits without `polls`, everything when it counts. */
static inline unsigned answer_kinds_for(bool polls, bool counts)
{
    return counts  ? ANSWER_CLOCKS | ANSWER_WAITS | ANSWER_CALLS | ANSWER_ALLOCATIONS
           : polls ? ANSWER_CLOCKS
                   : ANSWER_CLOCKS | ANSWER_WAITS;
}

/* In the table of imports of the library that has `function` in it, replaces what is of these kinds.
 * Doing it again is harmless.  TW_OK, or TW_BAD_SETTING with *error saying what is missing: the
 * library must import a clock or a wait when these kinds are asked for, or it would not be the
 * virtual time it runs on; of the kinds that are only counted it need not have any.  Some
 * microseconds for each function. */
int answer_library(void (*function)(void), unsigned kinds, struct tw_error *error);

/* The same for one function by name, with an answer of the caller's; it may call the real one by its
 * name.  For a library whose clock is not the C library's. */
int answer_function(void (*function)(void), const char *name, void (*answer)(void),
                    struct tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
