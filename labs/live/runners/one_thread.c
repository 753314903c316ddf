/*
 * one_thread.c - one thread that waits for the head and runs the tasks; a stop only marks.
 *
 *     any thread --start--> [ mutex: design, entries, ready list ] <--advance, run-- the thread
 *                --stop---> a mark; the timer stays where it is until it is due, or purge takes it out
 *
 * After java.util.Timer, which is this over `heap`.  There a task that throws ends the thread, and the timer with
 * it; here it is counted, and the thread goes on, as the contract wants it.
 *
 * Who may touch what, what protects what
 *   As in locked.c: one mutex is around everything, and the thread lets go of it to wait and to run a task.
 *   A stop does not touch the design.  The mark is seen when the timer comes out of it: then its place is
 *   given back, and nothing runs.
 *
 * What it costs
 *   start    a lock, an unlock, the design's start; a wake-up when it is the new head
 *   stop     a lock, an unlock, one word: the cheapest stop of all under a mutex
 *   purge    a look at every place, and the design's stop for each marked one
 *   idle     one wake-up for each tick on which only marked timers are due; none otherwise
 *   memory   64 bytes a timer besides the design's own, also for those that are marked
 *
 * When it loses
 *   Where most timers are stopped, as time-outs are: each keeps its place until its due (TW_RUNNER_PURGES), so that
 *   memory and the cap count timers that nobody waits for; and each costs its expiry all the same.
 *   A slow task delays all behind it (TW_RUNNER_ONE_DISPATCH).
 */
#include "single.h"

extern const struct tw_runner TW_RUNNER(one_thread);

static int one_thread_stop(struct tw_seat *seat, tw_timer timer)
{
    return guarded_stop_by(&seat->service->guarded, seat, timer, true);
}

static int one_thread_open(struct tw_service **out, const struct tw_runner_config *config,
                           struct tw_error *error)
{
    return single_open(out, sizeof **out, &TW_RUNNER(one_thread), config, 1, single_begin, error);
}

const struct tw_runner TW_RUNNER(one_thread) = {
    SINGLE_HOOKS_ALONE,
    .name = "one-thread",
    .summary = "the thread that waits for the head runs the tasks; a stop only marks",
    .after = "java.util.Timer: over heap",
    .flags = TW_RUNNER_ONE_DISPATCH | TW_RUNNER_PURGES,
    .open = one_thread_open,
    .stop = one_thread_stop,
    .purge = single_purge,
};
