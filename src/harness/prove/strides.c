/* strides.c - finds the distances at which a design's slots and levels turn, and the jumps that it can walk. */
#include "harness/prove/strides.h"
#include "harness/base/clock.h"
#include "harness/measure/sched/answers.h"
#include "harness/prove/watch.h"

static void strides_add(struct strides *strides, uint64_t ticks)
{
    for (size_t i = 0; i < strides->count; i++)
        if (strides->ticks[i] == ticks)
            return;
    if (ticks > 0 && strides->count < STRIDES_MAX)
        strides->ticks[strides->count++] = ticks;
}

/* 60,60,24 gives 60, 3600 and 86400, and each size on its own; a number may be one of bits as well. */
static void strides_add_setting(struct strides *strides, const struct tw_setting *setting)
{
    uint64_t product = 1;
    for (uint32_t v = 0; v < setting->count; v++) {
        strides_add(strides, setting->values[v]);
        if (setting->values[v] > 2 && setting->values[v] < 32)
            strides_add(strides, UINT64_C(1) << setting->values[v]);
        if (__builtin_mul_overflow(product, setting->values[v], &product))
            return;
        strides_add(strides, product);
    }
}

bool strides_find(struct strides *strides, const struct tw_backend *backend, uint32_t capacity,
                  const struct tw_setting *settings, size_t setting_count, struct watch *watch)
{
    struct tw_config config = {
        .capacity = capacity, .settings = settings, .setting_count = setting_count};
    struct tw_timers *timers;
    struct tw_error error;
    char reason[ANSWERS_REASON];
    watch_enter(watch, "open");
    bool opened = backend->open(&timers, &config, &error) == TW_OK;
    struct tw_description description = {0};
    if (opened) {
        watch_enter(watch, "describe");
        answers_describe(backend, timers, &description, reason); /* the judge tells what is wrong */
        watch_enter(watch, "close");
        backend->close(timers);
    }
    watch_leave(watch, NULL);
    if (!opened)
        return false;
    *strides = (struct strides){.span = description.span,
                                .walk = walk_find(backend, &config, description.span, watch)};
    for (size_t i = 0; i < description.setting_count; i++)
        strides_add_setting(strides, &description.settings[i]);
    static const uint64_t usual[] = {1, 2, 8, 64, 256, 512, 4096, 1u << 14, 1u << 20};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        strides_add(strides, usual[i]);
    return true;
}

/* ---- Jumps that it can walk, by the time of an empty tick ------------------------------------- */

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
        uint64_t begin_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
        watch_enter(watch, "advance");
        backend->advance(timers, now += ticks, ignore_expiry, NULL);
        watch_leave(watch, NULL); /* the clock is ours to read, and not the design's */
        double seconds = (double)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e9;
        grown = seconds > 2 * before ? grown + 1 : 0;
        before = seconds;
        if ((grown >= 2 && seconds > TIMED_SECONDS) || seconds > SURE_SECONDS) {
            bool is_soon = WALK_USUAL * seconds < SURE_SECONDS * (double)ticks;
            double walk = is_soon ? WALK_USUAL : (double)ticks * WALK_SECONDS / seconds;
            return params_power_of_two((uint64_t)walk / 2 + 1); /* the one that is not above */
        }
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
