/*
 * null.c - a design that does nothing: what the harness itself costs.
 *
 * Every call through the table is answered and nothing is kept, so the time of a run with it is the
 * time of the loop that drives the others: reading the operation, the indirect call, the return.
 * Its figure is published beside every result.  It breaks the contract on purpose (nothing ever
 * fires) and says so with TW_KEEPS_NOTHING.
 *
 *     start O(1)   stop O(1)   advance O(1)   next O(1)   memory: the instance
 */
#include "design.h"

struct tw_timers {
    tw_tick now;
    TW_WORK_FIELD
};

TW_NO_SETTINGS(null, TW_DEADLINE_MAX);

static struct tw_footprint null_footprint(const struct tw_timers *timers)
{
    return (struct tw_footprint){.fixed_bytes = sizeof *timers};
}

static int null_open(struct tw_timers **out, const struct tw_config *config, struct tw_error *error)
{
    struct tw_timers *timers;
    int status = open_begin(&timers, sizeof *timers, null_params, config, error);
    if (status != TW_OK)
        return status;
    timers->now = config->now;
    *out = timers;
    return TW_OK;
}

static void null_close(struct tw_timers *timers)
{
    free(timers);
}

static int null_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    (void)timers, (void)id, (void)deadline;
    return TW_OK;
}

static int null_stop(struct tw_timers *timers, tw_id id)
{
    (void)timers, (void)id;
    return TW_OK;
}

static void null_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    (void)expire, (void)ctx;
    timers->now = to;
}

static tw_tick null_next(const struct tw_timers *timers)
{
    (void)timers;
    return TW_NEVER;
}

static void null_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    (void)timers, (void)visit, (void)ctx;
}

static const char *null_check(const struct tw_timers *timers)
{
    (void)timers;
    return NULL;
}

TW_TELL_WORK(null);
const struct tw_backend TW_BACKEND(null) = {
    .abi_version = TW_ABI_VERSION,
    .name = "null",
    .summary = "does nothing: the harness's own cost",
    .traits = {.flags = TW_ORDERED | TW_TICKLESS | TW_KEEPS_NOTHING},
    TW_HOOKS(null, null),
};
