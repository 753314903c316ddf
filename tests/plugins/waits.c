/*
 * waits.c - docs/skeleton.c that stands still, in an instance for 1,000 timers or more, until the file goes-on is there:
 * a test knows where a run is, however fast or busy the machine.
 */
#include "wrong.h"

#include <time.h>
#include <unistd.h>

static int waits_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    while (config->capacity >= 1000 && access("goes-on", F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return skeleton_open(out, config, error);
}

WRONG("waits", .open = waits_open);
