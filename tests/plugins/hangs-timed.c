// The timed table never returns from its 100th advance, or with SLOW takes long for each; the table that counts is right.
#include "wrong.h"

#ifdef SLOW
#define ROUNDS 30000000
#else
#define ROUNDS (calls < 100 ? 0 : 1 << 30)
#endif

static void timed_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    static int calls;
    for (int i = 0; i < ROUNDS; i = i % (1 << 29) + 1)
        __asm__ volatile("");
    calls++;
    skeleton_advance(timers, to, expire, ctx);
}

static const struct tw_backend right = {HONEST("hangs-timed"), TRAITS(0)},
                               wrong = {HONEST("hangs-timed"), TRAITS(0), .advance = timed_advance};
TW_PLUGIN(wrong, right);
