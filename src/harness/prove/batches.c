/* batches.c - tests that batch operations answer and act as the single calls one after the other.
 *
 * Two instances of the design get the same starts, stops and advances: one by single calls, one by batches of 1 to
 * BATCH ids, in callbacks too.  Every status, every expiry and what visit shows have to be equal, and check has to find
 * nothing in the one with batches.  The single calls are proved by the other cases, against a model.
 */
#include "harness/prove/cases.h"

#include "harness/base/rng.h"
#include "harness/prove/watch.h"
#include "impls/registry.h"

#define CAPACITY 300u
#define BATCH    48u
#define STEPS    3000u
#define FIRINGS  (CAPACITY * 4)

/* What fires, in the order of callbacks; each callback starts others, as many as its id says. */
struct firing {
    tw_id id;
    tw_tick now;
};

struct side {
    struct tw_timers *timers;
    const struct tw_backend *backend;
    const struct tw_batch *batch; /* NULL: by single calls */
    struct firing fired[FIRINGS];
    uint32_t fired_count;
    tw_tick dues[CAPACITY]; /* as visit shows them; 0: idle */
};

struct batch {
    tw_id ids[BATCH];
    tw_tick deadlines[BATCH];
    uint32_t count;
    bool is_stop;
};

static void side_act(struct side *side, const struct batch *batch, int8_t statuses[BATCH])
{
    if (side->batch && batch->is_stop)
        side->batch->stop_many(side->timers, batch->ids, batch->count, statuses);
    else if (side->batch)
        (void)side->batch->start_many(side->timers, batch->ids, batch->deadlines, batch->count,
                                      statuses);
    for (uint32_t i = 0; !side->batch && i < batch->count; i++)
        statuses[i] = (int8_t)(batch->is_stop ? side->backend->stop(side->timers, batch->ids[i])
                                              : side->backend->start(side->timers, batch->ids[i],
                                                                     batch->deadlines[i]));
}

/* A quarter of the ids starts its neighbours and itself again, for delays that end: some within the advance. */
static void side_fires(void *ctx, tw_id id, tw_tick now)
{
    struct side *side = ctx;
    struct batch batch = {.count = id % 5 + 1, .is_stop = id % 8 == 4};
    int8_t statuses[BATCH];
    if (side->fired_count < FIRINGS)
        side->fired[side->fired_count++] = (struct firing){id, now};
    if (id % 4 != 0 || side->fired_count > FIRINGS / 2)
        return;
    for (uint32_t i = 0; i < batch.count; i++) {
        batch.ids[i] = (id + i * 7) % CAPACITY;
        batch.deadlines[i] = now + (id * 13 + i * 5) % 90;
    }
    side_act(side, &batch, statuses);
}

static void side_shows(void *ctx, const struct tw_view *view)
{
    struct side *side = ctx;
    if (view->id < CAPACITY)
        side->dues[view->id] = view->deadline;
}

static struct batch batch_draw(struct rng *rng, tw_tick now)
{
    struct batch batch = {.count = 1 + (uint32_t)rng_below(rng, BATCH),
                          .is_stop = rng_below(rng, 3) == 0};
    uint64_t spread = rng_below(rng, 3) == 0 ? 20000 : 300;
    for (uint32_t i = 0; i < batch.count; i++) {
        batch.ids[i] = (tw_id)rng_below(rng, CAPACITY);
        batch.deadlines[i] = now + rng_below(rng, spread);
    }
    return batch;
}

static int compare_firings(const void *left, const void *right)
{
    const struct firing *a = left, *b = right;
    if (a->now != b->now)
        return a->now < b->now ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* A batch that is right may still link timers in another order, so expiries are compared by tick. */
static void compare_fired(struct side sides[2], struct conform_report *report)
{
    for (uint32_t s = 0; s < 2; s++)
        qsort(sides[s].fired, sides[s].fired_count, sizeof sides[s].fired[0], compare_firings);
    bool same = sides[0].fired_count == sides[1].fired_count;
    for (uint32_t i = 0; same && i < sides[0].fired_count; i++)
        same = compare_firings(&sides[0].fired[i], &sides[1].fired[i]) == 0;
    if (!same)
        report_broken(report, RULE_BATCH,
                      "by single calls %" PRIu32 " timers fired, by batches %" PRIu32
                      ", or others, or on other ticks",
                      sides[0].fired_count, sides[1].fired_count);
    sides[0].fired_count = sides[1].fired_count = 0;
}

static void compare_held(struct side sides[2], struct conform_report *report)
{
    for (uint32_t s = 0; s < 2; s++) {
        memset(sides[s].dues, 0, sizeof sides[s].dues);
        sides[s].backend->visit(sides[s].timers, side_shows, &sides[s]);
    }
    const char *broken = sides[1].backend->check(sides[1].timers);
    if (broken)
        report_broken(report, RULE_BATCH, "check after a batch: %s", broken);
    for (tw_id id = 0; id < CAPACITY && !report->rule; id++)
        if (sides[0].dues[id] != sides[1].dues[id])
            report_broken(report, RULE_BATCH,
                          "timer %" PRIu32 " is due %" PRIu64 " by single calls, %" PRIu64
                          " by batches (0: idle)",
                          id, sides[0].dues[id], sides[1].dues[id]);
}

static void compare_statuses(const struct batch *batch, const int8_t statuses[2][BATCH],
                             struct conform_report *report)
{
    for (uint32_t i = 0; i < batch->count && !report->rule; i++)
        if (statuses[0][i] != statuses[1][i])
            report_broken(report, RULE_BATCH,
                          "%s of %" PRIu32 ", number %" PRIu32 " of %" PRIu32
                          ", answered %d by a single call, %d in a batch",
                          batch->is_stop ? "stop" : "start", batch->ids[i], i + 1, batch->count,
                          statuses[0][i], statuses[1][i]);
}

static void run_steps(struct side sides[2], struct conform_report *report)
{
    struct rng rng;
    tw_tick now = 1000;
    rng_seed(&rng, 20, 0);
    for (uint32_t step = 0; step < STEPS && !report->rule; step++) {
        struct batch batch = batch_draw(&rng, now);
        int8_t statuses[2][BATCH];
        tw_tick to = now + (rng_below(&rng, 4) ? rng_below(&rng, 3) : rng_below(&rng, 3000));
        for (uint32_t s = 0; s < 2; s++)
            side_act(&sides[s], &batch, statuses[s]);
        compare_statuses(&batch, (const int8_t(*)[BATCH])statuses, report);
        for (uint32_t s = 0; s < 2; s++)
            sides[s].backend->advance(sides[s].timers, to, side_fires, &sides[s]);
        now = to;
        compare_fired(sides, report);
        compare_held(sides, report);
    }
}

void run_batches(struct case_plan *plan, struct conform_report *report)
{
    const struct tw_batch *batch = registry_batch(plan->backend);
    const struct tw_config config = {.capacity = CAPACITY, .now = 1000};
    struct tw_error error;
    struct side *sides = calloc(2, sizeof *sides);
    if (!batch || !sides) {
        free(sides);
        return;
    }
    const char *before = watch_enter(report->watch, "start_many or stop_many");
    for (uint32_t s = 0; s < 2; s++) {
        sides[s].backend = plan->backend;
        if (plan->backend->open(&sides[s].timers, &config, &error) != TW_OK)
            report_broken(report, RULE_OPEN, "%s", error.text);
    }
    sides[1].batch = batch;
    if (!report->rule)
        run_steps(sides, report);
    for (uint32_t s = 0; s < 2; s++)
        if (sides[s].timers)
            plan->backend->close(sides[s].timers);
    watch_leave(report->watch, before);
    free(sides);
}
