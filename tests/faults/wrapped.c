/*
 * wrapped.c - a design of the program as a plugin, with one mistake: a row of wrapped.tsv gives the code.
 *
 * Every function passes its call on to the table INNER of BASE_FILE and has a hook in front of it or behind it, which is empty unless
 * the row defines it (wrapped.hooks).  A hook sees `w`, the arguments, and what is about to be answered.
 */
#define _GNU_SOURCE
#include "backend.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden) /* the program has tables of that name, too */
#include BASE_FILE
#pragma GCC visibility pop

struct whole {
    struct tw_timers *inner;
    tw_tick now, horizon, fired_at; /* the clock, by callbacks and advances */
    tw_tick *dues;                  /* by timer: as its last start was told */
    uint8_t *marks;                 /* by timer: what a hook likes */
    uint64_t slots;                 /* the first number that the design describes */
    uint64_t starts, stops, rearms, refused, advances, fires, nexts, visits, inside_starts,
        inside_stops, now_fires;
    uint32_t capacity, running, limit;
    bool inside, odd, uses_dues, uses_marks;
    tw_id firing, last_id;
    tw_tick to, last_due, hint; /* the last two and what follows: for hooks */
    uint64_t count;
    void *memory;
    tw_expire_fn *expire;
    void *ctx;
};

#define BETWEEN(x, low, high) ((uint64_t)(x) > (uint64_t)(low) && (uint64_t)(x) < (uint64_t)(high))
#define BIT(n)                (UINT64_C(1) << (n))

GLOBAL

#define W struct whole *w = (struct whole *)(uintptr_t)timers

static void wrong_close(struct tw_timers *timers)
{
    W;
    CLOSE;
    INNER.close(w->inner);
    free(w->marks);
    free(w);
}

static int wrong_open(struct tw_timers **out, const struct tw_config *config,
                      struct tw_error *error)
{
    struct tw_timers *inner;
    struct tw_description described;
    BEFORE;
    int status = INNER.open(&inner, config, error);
    if (status != TW_OK) {
        REFUSED;
        return status;
    }
    struct whole *w = calloc(1, sizeof *w);
    uint8_t *marks = WITH_MARKS && w ? malloc(config->capacity) : NULL;
    if (!w || (WITH_MARKS && !marks)) {
        INNER.close(inner);
        free(w);
        return params_no_memory(error, sizeof *w);
    }
    INNER.describe(inner, &described);
    *w = (struct whole){.inner = inner,
                        .marks = marks,
                        .now = config->now,
                        .horizon = config->horizon,
                        .capacity = config->capacity,
                        .slots = described.setting_count > 0 ? described.settings[0].values[0] : 1};
    OPEN;
    *out = (struct tw_timers *)w;
    return TW_OK;
}

static int wrong_start(struct tw_timers *timers, tw_id id, tw_tick due)
{
    W;
    uint64_t delay = due > w->now ? due - w->now : 1;
    w->starts++;
    w->inside_starts += w->inside;
    (void)delay;
    START;
    int status = INNER.start(w->inner, id, due);
    w->running += status == TW_OK;
    w->rearms += status == TW_REARMED;
    w->refused += status < 0;
    STARTED;
    return status;
}

static int wrong_stop(struct tw_timers *timers, tw_id id)
{
    W;
    w->stops++;
    w->inside_stops += w->inside;
    STOP;
    int status = INNER.stop(w->inner, id);
    w->running -= status == TW_OK;
    return status;
}

static void wrong_expire(void *ctx, tw_id id, tw_tick now)
{
    struct whole *w = ctx;
    tw_expire_fn *expire = w->expire;
    void *theirs = w->ctx;
    w->now = now;
    w->running--;
    w->fires++;
    w->now_fires++;
    w->inside = true;
    w->firing = id;
    FIRE;
    expire(theirs, id, now);
    w->inside = false;
}

static void wrong_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    W;
    w->expire = expire;
    w->ctx = ctx;
    w->now_fires = 0;
    w->advances++;
    w->to = to;
    ADVANCE;
    INNER.advance(w->inner, to, wrong_expire, w);
    w->now = to > w->now ? to : w->now;
}

static tw_tick wrong_next(const struct tw_timers *timers)
{
    W;
    w->nexts++;
    tw_tick next = INNER.next(w->inner);
    NEXT;
    return next;
}

struct shown {
    struct whole *w;
    tw_visit_fn *visit;
    void *ctx;
    uint64_t count;
};

static void wrong_shows(void *ctx, const struct tw_view *view)
{
    struct shown *shown = ctx;
    struct whole *w = shown->w;
    shown->count++;
    (void)w;
    VISIT;
    shown->visit(shown->ctx, view);
}

static void wrong_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    W;
    struct shown shown = {w, visit, ctx, 0};
    w->visits++;
    VISITS;
    INNER.visit(w->inner, wrong_shows, &shown);
}

static const char *wrong_check(const struct tw_timers *timers)
{
    W;
    CHECK;
    return INNER.check(w->inner);
}

static struct tw_footprint wrong_footprint(const struct tw_timers *timers)
{
    W;
    struct tw_footprint footprint = INNER.footprint(w->inner);
    footprint.fixed_bytes += sizeof *w;
    footprint.capacity_bytes += WITH_MARKS ? w->capacity : 0;
    FOOTPRINT;
    return footprint;
}

static void wrong_describe(const struct tw_timers *timers, struct tw_description *out)
{
    W;
    INNER.describe(w->inner, out);
    DESCRIBE;
}

static const struct tw_work *wrong_work(const struct tw_timers *timers)
{
    W;
    WORK;
    return INNER.work(w->inner);
}

static uint32_t wrong_start_many(struct tw_timers *timers, const tw_id *ids,
                                 const tw_tick *deadlines, uint32_t count, int8_t *statuses)
{
    uint32_t refused = 0;
    W;
    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        tw_id id = ids[i];
        tw_tick due = deadlines[i];
        statuses[i] = 0;
        MANY;
        statuses[i] = (int8_t)wrong_start(timers, id, due);
        refused += statuses[i] < 0;
    }
    STOPPED_MANY;
    return refused;
}

static void wrong_stop_many(struct tw_timers *timers, const tw_id *ids, uint32_t count,
                            int8_t *statuses)
{
    for (uint32_t i = 0; i < count; i++) {
        STOPPING;
        statuses[i] = (int8_t)wrong_stop(timers, ids[i]);
    }
}

static struct tw_backend wrong = {
    .abi_version = TW_ABI_VERSION,
    .name = "wrapped",
    .summary = "a design with a mistake",
    .open = wrong_open,
    .close = wrong_close,
    .start = wrong_start,
    .stop = wrong_stop,
    .advance = wrong_advance,
    .next = wrong_next,
    .visit = wrong_visit,
    .check = wrong_check,
    .footprint = wrong_footprint,
    .describe = wrong_describe,
    .work = wrong_work,
};

/* Traits and parameters are those of the design; a table of another file is no constant in C. */
__attribute__((constructor)) static void fill_in(void)
{
    wrong.traits = INNER.traits;
    wrong.params = INNER.params;
    LOADED;
}

extern const struct tw_batch tw_plugin_batch;
const struct tw_batch tw_plugin_batch = {wrong_start_many, wrong_stop_many};
TW_PLUGIN(wrong, wrong);
