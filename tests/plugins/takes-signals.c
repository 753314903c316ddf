// Rule: no function crashes
// Found: signal 11
#include "wrong.h"

#include <signal.h>

/* A handler of its own hides where it went wrong, but not that it did. */
static void handler(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    static int *volatile nowhere;
    signal(SIGSEGV, handler);
    *nowhere = 1;
    return skeleton_stop(timers, id);
}

WRONG("takes-signals", .stop = wrong_stop);
