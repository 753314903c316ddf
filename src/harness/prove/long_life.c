/* long_life.c - tests one instance over millions of starts, stops and advances.
 *
 * A life is no operation list: its loops call the design and the model alone.  Before the count of any kind of call comes to
 * a power of two, of one timer or of all, alone or with the others, an episode has timers of which each call matters.
 */
#include "harness/base/clock.h"
#include "harness/prove/cases.h"
#include "harness/prove/judge.h"
#include "harness/prove/model.h"
#include "harness/prove/watch.h"

#define LENGTH_FIRST   (1u << 18)
#define LENGTH_DEFAULT 4096u
/* Of processor time: many times what a design takes that needs no call of the system; for ticks beyond those of the life. */
#define LIFE_SECONDS 20.0
#define TICK_SECONDS 2.0

#define CAPACITY 64u

/* The parts of the timers. */
enum {
    EACH_FIRST = 0, /* of an episode: one is due at each tick, */
    EACH_COUNT = 12,
    SAME_FIRST = 16, /* and these share a deadline */
    SAME_COUNT = 12,
    OLD_FIRST = 32, /* share a deadline with the young, which are started 2^25 starts after them */
    YOUNG_FIRST = 36,
    SHARE_COUNT = 4,
    STALE = 40,   /* leave entries behind: this one by stops, */
    REARMED = 41, /* this one by starts while it runs */
    PUT_OFF = 42, /* is put off whenever STALE fires, and never fires before that ends */
    INSIDE = 43,  /* is started and stopped then */
    WAIT_FIRST = 48,
    WAIT_COUNT = 16 /* run all the time, so that what is left behind stays the smaller part */
};

#define WAIT_TICKS  (UINT64_C(1) << 40)
#define SHARE_TICKS 4000u
#define JUMP_TICKS  8u
#define IDLE_TICKS  (1u << 14) /* in a row */

enum kind { STARTS, REARMS, REFUSALS, STOPS, IDLES, ADVANCES, EMPTIES, FIRES, CALLS, ALL, KINDS };

struct life {
    const struct tw_backend *backend;
    struct conform_report *report;
    struct tw_timers *timers;
    struct model model;
    tw_tick now, to; /* processed; what the advance under way moves to */
    tw_tick until;   /* the timers that fire restart themselves at the next tick before this; */
    tw_tick half;    /* REARMED before this; */
    bool with_more;  /* PUT_OFF and INSIDE are called as well */
    bool is_near;    /* a count comes to a power of two */
    uint64_t counts[KINDS];
    uint64_t starts[CAPACITY], rearms[CAPACITY]; /* of each timer */
};

static void life_add(struct life *life, uint64_t *count, uint64_t least)
{
    uint64_t end = (++*count + 8) & ~UINT64_C(7);
    life->is_near |= (end & (end - 1)) == 0 && end >= least;
}

static void life_count(struct life *life, enum kind kind)
{
    life_add(life, &life->counts[kind], 4096);
}

static void life_broken(struct life *life, const char *rule, tw_id id, tw_tick seen,
                        tw_tick expected)
{
    report_broken(life->report, rule,
                  "%" PRIu32 " at tick %" PRIu64 ": %" PRId64 ", expected %" PRId64
                  "; with %" PRIu64 " starts, %" PRIu64 " re-arms, %" PRIu64 " stops, %" PRIu64
                  " advances and %" PRIu64 " callbacks of the instance done",
                  id, life->now, (int64_t)seen, (int64_t)expected, life->counts[STARTS],
                  life->counts[REARMS], life->counts[STOPS], life->counts[ADVANCES],
                  life->counts[FIRES]);
}

/* A start for so many ticks after now; of none: a stop. */
static void life_call(struct life *life, tw_id id, tw_tick ticks, tw_tick now)
{
    bool starts = ticks > 0;
    const char *before = watch_enter(life->report->watch, starts ? "start" : "stop");
    int answer = starts ? life->backend->start(life->timers, id, now + ticks)
                        : life->backend->stop(life->timers, id);
    watch_leave(life->report->watch, before);
    int expected =
        starts ? model_start(&life->model, id, now + ticks, now) : model_stop(&life->model, id);
    life_count(life, starts ? STARTS : STOPS);
    life_count(life, CALLS);
    life_count(life, ALL);
    if (starts)
        life_add(life, expected == TW_REARMED ? &life->rearms[id] : &life->starts[id], 65536);
    if (expected != TW_OK)
        life_count(life, !starts ? IDLES : expected == TW_REARMED ? REARMS : REFUSALS);
    if (answer != expected)
        life_broken(life, starts ? RULE_START : RULE_STOP, id, (tw_tick)answer, (tw_tick)expected);
}

static void life_calls(struct life *life, tw_id id, tw_id count, tw_tick ticks, tw_tick each)
{
    for (tw_id i = 0; i < count; i++)
        life_call(life, id + i, ticks + each * i, life->now);
}

/* Nothing more happens in the callbacks of a design that is wrong: it comes to an end. */
static void life_fired(void *ctx, tw_id id, tw_tick tick)
{
    struct life *life = ctx;
    struct model *model = &life->model;
    bool runs = id < CAPACITY && model_runs(model, id);
    const char *rule = !runs                                  ? RULE_IDLE
                       : tick < model->due[id]                ? RULE_EARLY
                       : tick > model->latest[id]             ? RULE_LATE
                       : tick <= life->now || tick > life->to ? RULE_TICK
                       : (model->traits.flags & TW_FIFO) && model_first_in_turn(model, id) != id
                           ? RULE_FIFO
                           : NULL;
    life_count(life, FIRES);
    life_count(life, ALL);
    if (rule)
        life_broken(life, rule, id, tick, runs ? model->due[id] : 0);
    if (life->report->rule)
        return;
    model_stop(model, id);
    if (tick < (id == REARMED ? life->half : id == STALE ? life->until : 0))
        life_call(life, id, 1, tick);
    if (id == STALE && tick < life->until && life->with_more) {
        life_call(life, PUT_OFF, 2, tick);
        life_call(life, INSIDE, 3, tick);
        life_call(life, INSIDE, 0, tick);
    }
}

static void life_advance(struct life *life, tw_tick ticks)
{
    uint64_t fires = life->counts[FIRES];
    life->to = life->now + ticks;
    const char *before = watch_enter(life->report->watch, "advance");
    life->backend->advance(life->timers, life->to, life_fired, life);
    watch_leave(life->report->watch, before);
    life->now = life->to;
    life_count(life, ADVANCES);
    life_count(life, ALL);
    if (life->counts[FIRES] == fires)
        life_count(life, EMPTIES);
}

static void life_look(struct life *life, uint64_t times)
{
    struct model *model = &life->model;
    tw_tick due = model_first_due(model), latest = model_first_latest(model);
    tw_tick least = model->traits.flags & TW_NEXT_EXACT ? due : life->now + 1;
    tw_id overdue = model_overdue(model, life->now);
    if (overdue < CAPACITY)
        life_broken(life, RULE_LOST, overdue, life->now, model->due[overdue]);
    for (uint64_t i = 0; i < times && !life->report->rule; i++) {
        watch_enter(life->report->watch, "next");
        tw_tick next = life->backend->next(life->timers);
        watch_leave(life->report->watch, NULL);
        if (due == TW_NEVER ? next != TW_NEVER : next < least || next > latest)
            life_broken(life, RULE_NEXT, 0, next, due);
    }
}

/* Many are put off, to two deadlines; one due at each tick; stops. */
static void life_episode(struct life *life)
{
    life->is_near = false;
    life_calls(life, SAME_FIRST, SAME_COUNT, 19, 0);
    for (tw_id i = 0; i < SAME_COUNT; i++)
        life_calls(life, SAME_FIRST + i, 1, i % 2 ? 22 : 20, 0);
    life_calls(life, EACH_FIRST, EACH_COUNT, 1, 1);
    for (tw_tick i = 0; i < 24 && !life->report->rule; i++) {
        life_advance(life, 1);
        life_look(life, 1);
    }
    for (tw_tick ticks = 3; ticks-- > 0;)
        life_calls(life, EACH_FIRST, EACH_COUNT, ticks % 2 ? 0 : ticks, 0);
    life_advance(life, 3);
    life_look(life, 1);
}

/* The loops go on until something is wrong. */
static bool life_goes_on(struct life *life)
{
    while (life->is_near && !life->report->rule)
        life_episode(life);
    return !life->report->rule;
}

static void life_churn(struct life *life, uint64_t rounds)
{
    tw_tick shared = life->now + SHARE_TICKS; /* by then the episodes are over */
    life_calls(life, OLD_FIRST, SHARE_COUNT, SHARE_TICKS, 0);
    for (uint64_t i = 0; i < rounds && life_goes_on(life); i++) {
        tw_id id = SAME_FIRST + (tw_id)(i % SAME_COUNT);
        life_call(life, id, 20, life->now);
        life_call(life, id, 30 + i % 8, life->now);
        life_call(life, id, 0, life->now);
        life_call(life, id, 0, life->now);
    }
    tw_tick left = shared > life->now ? shared - life->now : 1;
    life_calls(life, YOUNG_FIRST, SHARE_COUNT, left, 0);
    life_calls(life, OLD_FIRST + 1, 1, left, 0); /* to the end of the row */
    life_advance(life, left);
    life_look(life, 1);
}

/* Entries that are left behind 2^bits starts before they come due, of a timer that fires and restarts itself at every
 * tick until then: a generation of that many bits takes them for its own. */
static void life_stale(struct life *life, unsigned bits)
{
    tw_tick ticks = UINT64_C(1) << bits, end = life->now + ticks - 2;
    for (tw_tick i = 0; i < 6; i++) {
        life_calls(life, STALE, 2, ticks + 2 * i, 0);
        life_calls(life, STALE, i % 2 == 0, 0, 0);
    }
    life->until = end;
    life->half = life->now + ticks / 2;
    life->with_more = bits < 16 || bits == 22;
    life_calls(life, STALE, 2, 1, 0);
    while (life->now < end && !life->report->rule)
        life_advance(life, bits <= 22                     ? 1
                           : JUMP_TICKS < end - life->now ? JUMP_TICKS
                                                          : end - life->now);
    life_calls(life, STALE, 2, 2000, 0);
    life_advance(life, 40);
    life_look(life, 1);
    life_calls(life, STALE, 2, 0, 0);
}

/* How many more of them come before the one that begins an episode. */
static uint64_t life_room(const struct life *life, enum kind kind)
{
    return params_power_of_two(life->counts[kind] + 9) - 9 - life->counts[kind];
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Single ticks on which nothing is due while something runs: `least` advances in all, and up to `most` if the time suffices. */
static void life_tick(struct life *life, uint64_t least, uint64_t most, double seconds)
{
    uint64_t end_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(1e9 * seconds);
    tw_tick reach = least_of(life->model.span, WAIT_TICKS);
    while (life->counts[ADVANCES] < most && life_goes_on(life) &&
           (life->counts[ADVANCES] < least || clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)) {
        tw_tick ticks = least_of(life_room(life, ADVANCES), life_room(life, EMPTIES));
        ticks = least_of(least_of(ticks, life_room(life, ALL)), least_of(reach - 1, IDLE_TICKS));
        uint64_t fires = life->counts[FIRES];
        life_call(life, STALE, reach, life->now);
        life->to = life->now + ticks;
        watch_enter(life->report->watch, "advance");
        for (tw_tick tick = life->now; tick < life->to;)
            life->backend->advance(life->timers, ++tick, life_fired, life);
        watch_leave(life->report->watch, NULL);
        life->now = life->to;
        life->counts[ADVANCES] += ticks;
        life->counts[ALL] += ticks;
        life->counts[EMPTIES] += ticks - (life->counts[FIRES] != fires);
        life_advance(life, 1);
        life_look(life, 1);
    }
}

static void life_live(struct life *life, uint64_t most, double tick_seconds)
{
    life_calls(life, WAIT_FIRST, WAIT_COUNT, WAIT_TICKS, 977);
    life_churn(life, most);
    for (unsigned bits = 6; most >> bits && !life->report->rule; bits += bits < 16 ? 1 : 2)
        life_stale(life, bits);
    life_calls(life, STALE, 1, 1, 0); /* near, so that no design has far to look */
    life_look(life, most + 8);
    for (uint64_t i = 0; i < most / 8 && life->model.span < WAIT_TICKS && life_goes_on(life); i++)
        life_call(life, STALE, life->model.span + 1, life->now);
    for (uint64_t i = 0;
         i < LENGTH_FIRST && life->counts[ADVANCES] < most + 8 && life_goes_on(life); i++) {
        life_advance(life, 1);
        life_look(life, 1);
    }
    life_calls(life, OLD_FIRST, SHARE_COUNT, most / 2, 0); /* and see that many ticks */
    life_tick(life, most + 8, 4 * most + 8, tick_seconds);
    life_calls(life, WAIT_FIRST, WAIT_COUNT, 0, 0);
    life_look(life, 1);
}

/* Its processor time. */
static double life_run(struct case_plan *plan, uint64_t most, double tick_seconds,
                       struct conform_report *report)
{
    struct life life = {.backend = plan->backend, .report = report};
    struct operations *list = plan->operations;
    struct tw_config config = {.capacity = list->capacity = CAPACITY,
                               .settings = list->settings,
                               .setting_count = list->setting_count};
    struct tw_description description = {0};
    struct tw_error error;
    uint64_t begin_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    watch_list(report->watch, list);
    watch_enter(report->watch, "open");
    if (life.backend->open(&life.timers, &config, &error) == TW_OK) {
        life.backend->describe(life.timers, &description);
        watch_leave(report->watch, NULL);
        if (model_open(&life.model, &life.backend->traits, &description, CAPACITY)) {
            life_live(&life, most, tick_seconds);
            model_close(&life.model);
        }
        watch_enter(report->watch, "close");
        life.backend->close(life.timers);
    }
    watch_leave(report->watch, NULL);
    for (size_t kind = 0; kind < CALLS; kind++)
        report->operations_run += life.counts[kind];
    coverage_add(&report->coverage,
                 &(struct conform_coverage){.starts_accepted = life.model.starts,
                                            .starts_refused = life.counts[REFUSALS],
                                            .longest_starts = life.model.starts,
                                            .longest_advances = life.counts[ADVANCES]});
    return (double)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e9;
}

void run_life(struct case_plan *plan, struct conform_report *report)
{
    uint64_t most = plan->life_starts > 0 ? plan->life_starts : LENGTH_DEFAULT;
    bool sleeps = plan->backend->traits.flags & TW_REAL_CLOCK;
    double seconds =
        most > LENGTH_FIRST ? life_run(plan, LENGTH_FIRST, 0, report) / LENGTH_FIRST : 0;
    while (seconds * (double)most > LIFE_SECONDS * plan->patience && most > 2 * LENGTH_FIRST)
        most /= 4;
    if (!report->rule)
        life_run(plan, most, sleeps ? 0 : TICK_SECONDS * plan->patience, report);
}
