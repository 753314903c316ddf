/* strides.c - finds the distances at which a design's slots and levels turn. */
#include "harness/prove/strides.h"
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
