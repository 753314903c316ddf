// Rule: only a running timer fires, once
// Found: it had fired at tick
#include "wrong.h"

#include <unistd.h>

/* Whatever it does to the process, the report comes through. */
static void close_all(void)
{
    for (int fd = 0; fd < 256; fd++)
        close(fd);
}

ADVANCE_WITH(close_all(); expire(ctx, id, timers->now))

WRONG("closes-files", .advance = wrong_advance);
