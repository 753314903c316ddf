/*
 * wrong.h - plugins with one mistake each: docs/skeleton.c, with single functions replaced.
 *
 * The first line of each NAME.c, "Rule: ...", is what `twbench conform` has to say of it, and a second
 * one, "Found: ...", is in the line below.  tests/cli/plugins.bats builds and runs all of them.
 */
#include "../../docs/skeleton.c"

#define HONEST(key)                                                                                \
    .abi_version = TW_ABI_VERSION, .name = key, .summary = "wrong", .params = skeleton_params,     \
    .open = skeleton_open, .close = skeleton_close, .start = skeleton_start,                       \
    .stop = skeleton_stop, .advance = skeleton_advance, .next = skeleton_next,                     \
    .visit = skeleton_visit, .check = skeleton_check, .footprint = skeleton_footprint,             \
    .describe = skeleton_describe, .work = skeleton_work

#define TRAITS(more)                                                                               \
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_NEXT_EXACT | (more),                         \
               .start = {TW_O_1, TW_O_1},                                                          \
               .stop = {TW_O_1, TW_O_1},                                                           \
               .expire = {TW_O_N, TW_O_N},                                                         \
               .tick = {TW_O_N, TW_O_N}}

/* What comes behind the key replaces what is honest: the later initialiser wins. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define WRONG(key, ...)                                                                            \
    static const struct tw_backend wrong = {HONEST(key), TRAITS(0), __VA_ARGS__};                  \
    TW_PLUGIN(wrong, wrong)

/* As the skeleton advances, with something done before each callback. */
#define ADVANCE_WITH(before)                                                                       \
    static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire,          \
                              void *ctx)                                                           \
    {                                                                                              \
        while (timers->running > 0 && timers->dues[earliest_find(timers)] <= to) {                 \
            tw_id id = earliest_find(timers);                                                      \
            timers->now = timers->dues[id];                                                        \
            skeleton_stop(timers, id);                                                             \
            before;                                                                                \
            expire(ctx, id, timers->now);                                                          \
        }                                                                                          \
        if (to > timers->now)                                                                      \
            timers->now = to;                                                                      \
    }

/* The skeleton at the beginning of so many bytes; the others are the caller's to fill in. */
static inline int within_open(struct tw_timers **out, size_t bytes, const struct tw_config *config,
                              struct tw_error *error)
{
    struct tw_timers *timers;
    int status = skeleton_open(&timers, config, error);
    struct tw_timers *whole = status == TW_OK ? realloc(timers, bytes) : NULL;
    if (status == TW_OK && !whole) {
        skeleton_close(timers);
        return params_no_memory(error, bytes);
    }
    if (status == TW_OK)
        *out = whole;
    return status;
}
