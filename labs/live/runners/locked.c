/*
 * locked.c - one mutex around a design, and one thread that advances it and runs the tasks.
 *
 *     any thread --start, stop--> [ mutex: design, entries, ready list ] <--advance-- driver
 *                                        |                                             ^
 *                                        +----- condition: an earlier head ------------+
 *
 * Who may touch what
 *   Everything behind the mutex belongs to whoever holds it; there are no atomics but the counters.  The
 *   driver holds it while it advances and while it takes a task off the ready list, and lets go of it to run
 *   the task and to wait.  A task may therefore start and stop whatever it likes.
 *
 * What protects what
 *   A start whose tick is before the one that the driver waits for signals it (struct sleeper).  As long as
 *   the driver does not wait nobody does, because it looks at next() once more before it waits.
 *   A timer that has come out of the design lies on the ready list until its task begins, and stop
 *   takes it from there: it is too late only when the task runs.
 *
 * What it costs
 *   start, stop   a lock, an unlock, and the design's own start or stop
 *   a task        a lock and an unlock, so that callers wait for no more than one advance
 *   idle          no wake-up at all
 *   memory        64 bytes a timer besides the design's own
 *
 * When it loses
 *   With several callers at once: each waits for each other, and for an advance, which may cascade.
 *   A slow task delays all behind it (TW_RUNNER_ONE_DISPATCH).
 *
 * Invariants, tested by check after shut: nothing is ready, nothing runs, and what pends is counted.
 */
#include "single.h"

extern const struct tw_runner TW_RUNNER(locked);

static int locked_open(struct tw_service **out, const struct tw_runner_config *config,
                       struct tw_error *error)
{
    return single_open(out, sizeof **out, &TW_RUNNER(locked), config, 1, single_begin, error);
}

const struct tw_runner TW_RUNNER(locked) = {
    SINGLE_HOOKS_ALONE,
    .name = "locked",
    .summary = "one mutex around the design, one driver thread",
    .after = "tokio's timer lock, libuv or libevent in a mutex, most in-house timers",
    .flags = TW_RUNNER_ONE_DISPATCH,
    .open = locked_open,
    .stop = single_stop,
};
