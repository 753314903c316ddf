/* windows.c - gives the timers of a design slack: a table whose start is start_within, which counts what fires past its window. */
#include "harness/measure/run/instance.h"
#include "labs/live/clock/performance.h"

struct tw_timers {
    struct layer_below below;
    tw_expire_fn *expire; /* the caller's, during an advance */
    void *expire_ctx;
    tw_tick now;
    uint64_t opened_ns; /* no later than the moment of the runner's tick 0 */
    tw_tick ends[];     /* by id: the last tick of its window */
};

/* What the process grants: a table's open is told of it in no other way, and a child plays one run. */
static struct windows granted;
static struct tw_backend table;
static _Atomic uint64_t past;

static int windows_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    size_t bytes = sizeof(struct tw_timers) + config->capacity * sizeof(tw_tick);
    struct tw_timers *timers = calloc(1, bytes);
    if (!timers)
        return params_no_memory(error, bytes);
    timers->below.design = granted.design;
    timers->now = config->now;
    timers->opened_ns = granted.now_ns();
    int status = granted.design->open(&timers->below.inner, config, error);
    if (status == TW_OK)
        *out = timers;
    else
        free(timers);
    return status;
}

/* A design's clock stands still while its runner sleeps, so the machine's says how long the delay is.  As the instance
 * is opened before tick 0, the share of it is too short rather than too long. */
static tw_tick slack_of(const struct tw_timers *timers, tw_tick deadline)
{
    tw_tick reached = (granted.now_ns() - timers->opened_ns) / granted.tick_ns;
    tw_tick delay = deadline > reached ? deadline - reached : 0;
    return granted.ticks + (granted.shift > 0 ? delay >> granted.shift : 0);
}

static int windows_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    tw_tick due = deadline > timers->now ? deadline : timers->now + 1;
    tw_tick slack = slack_of(timers, deadline);
    int status = granted.within->start_within(timers->below.inner, id, deadline, slack);
    if (status >= 0)
        timers->ends[id] = slack < TW_DEADLINE_MAX - due ? due + slack : TW_DEADLINE_MAX;
    return status;
}

static void windows_expire(void *ctx, tw_id id, tw_tick now)
{
    struct tw_timers *timers = ctx;
    timers->now = now;
    if (now > timers->ends[id])
        atomic_fetch_add(&past, 1);
    timers->expire(timers->expire_ctx, id, now);
}

static void windows_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    timers->expire = expire;
    timers->expire_ctx = ctx;
    timers->below.design->advance(timers->below.inner, to, windows_expire, timers);
    timers->now = to > timers->now ? to : timers->now;
}

const struct tw_backend *windows_grant(const struct windows *windows)
{
    granted = *windows;
    atomic_store(&past, 0);
    table = layer_table(granted.design);
    table.traits.late_ticks = granted.ticks < UINT32_MAX ? (uint32_t)granted.ticks : UINT32_MAX;
    table.traits.late_shift = granted.shift;
    table.open = windows_open;
    table.start = windows_start;
    table.advance = windows_advance;
    return &table;
}

uint64_t windows_past(void)
{
    return atomic_load(&past);
}
