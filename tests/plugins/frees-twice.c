// Rule: memory is freed once, and not used after that
// Found: close frees again a block of
#include "wrong.h"

static void wrong_close(struct tw_timers *timers)
{
    void *volatile dues = timers->dues;
    skeleton_close(timers);
    free(dues);
}

WRONG("frees-twice", .close = wrong_close);
