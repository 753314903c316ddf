/* walk.c - times an empty tick, to find the jumps a design can walk. */
#include "harness/base/clock.h"
#include "harness/prove/strides.h"
#include "harness/prove/watch.h"

/* The jumps: 2^6 ticks, 2^8, ..., 2^60. */
#define BITS_FIRST 6u
#define BITS_LAST  60u
/* Shorter times say nothing. */
#define TIMED_SECONDS 0.002
/* A jump with one timer that takes no step for each tick takes some microseconds. */
#define SURE_SECONDS 0.05
/* The answer for each design that walks so far in SURE_SECONDS: the same on a busy machine. */
#define WALK_USUAL 0x1p21

static void ignore_expiry(void *ctx, tw_id id, tw_tick now)
{
    (void)ctx, (void)id, (void)now;
}

static double cpu_seconds(void)
{
    return (double)clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

/* The greatest power of two that is not above. */
static tw_tick power_below(double ticks)
{
    tw_tick power = 1;
    while ((double)power * 2 <= ticks)
        power *= 2;
    return power;
}

/* Two jumps in a row took at least twice as long as the one before, or one takes longer than the machine's other work can
 * make it: the ticks cost the time. */
static tw_tick walk_time(const struct tw_backend *backend, struct tw_timers *timers, tw_tick now,
                         struct watch *watch)
{
    double before = 0;
    unsigned grown = 0;
    for (unsigned bits = BITS_FIRST; bits <= BITS_LAST; bits += 2) {
        tw_tick ticks = UINT64_C(1) << bits;
        if (now > TW_DEADLINE_MAX - ticks)
            return 0;
        double begin = cpu_seconds();
        watch_enter(watch, "advance");
        backend->advance(timers, now += ticks, ignore_expiry, NULL);
        watch_leave(watch, NULL); /* the clock is ours to read, and not the design's */
        double seconds = cpu_seconds() - begin;
        grown = seconds > 2 * before ? grown + 1 : 0;
        before = seconds;
        if ((grown >= 2 && seconds > TIMED_SECONDS) || seconds > SURE_SECONDS)
            return power_below(WALK_USUAL * seconds < SURE_SECONDS * (double)ticks
                                   ? WALK_USUAL
                                   : (double)ticks * WALK_SECONDS / seconds);
    }
    return 0;
}

tw_tick walk_find(const struct tw_backend *backend, const struct tw_config *config, tw_tick span,
                  struct watch *watch)
{
    struct tw_timers *timers;
    struct tw_error error;
    if (backend->traits.flags & (TW_TICKLESS | TW_REAL_CLOCK))
        return 0;
    watch_enter(watch, "open");
    if (backend->open(&timers, config, &error) != TW_OK)
        return 0;
    watch_enter(watch, "start");
    backend->start(timers, 0, config->now + (span >> 1)); /* it may look at its ticks only then */
    watch_leave(watch, NULL);
    tw_tick walk = walk_time(backend, timers, config->now, watch);
    watch_enter(watch, "close");
    backend->close(timers);
    watch_leave(watch, NULL);
    return walk;
}
