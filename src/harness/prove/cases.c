/* cases.c - the written cases: operation lists, each about one thing that designs get wrong.
 *
 * Read a case as the story of a few timers: `start` gives a deadline after now ('+'), before now ('-') or absolute ('@'); `on` says what the callback of a timer does.
 *
 * No case knows a design.  A deadline beyond the span is refused by the model too, so the stories
 * hold for a wheel of eight ticks as well.
 */
#include "harness/prove/cases.h"
#include "harness/measure/sched/answers.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/settings.h"
#include "harness/prove/watch.h"

#include <time.h>

#define START(...)    operations_start(plan->operations, __VA_ARGS__)
#define STOP(id)      operations_stop(plan->operations, id)
#define ON_START(...) operations_on_start(plan->operations, __VA_ARGS__)
#define ON_STOP(...)  operations_on_stop(plan->operations, __VA_ARGS__)
#define ADVANCE(...)  operations_advance(plan->operations, __VA_ARGS__)
#define TICK(count)   operations_tick(plan->operations, count)
#define CAPACITY(n)   (plan->operations->capacity = (n))

/* Distances up to here are walked tick by tick, longer ones in jumps. */
#define WALK_MAX 700u

#define CROWD      3000u
#define TIMES_OVER 66000u

/* Processor time after which no larger capacity is begun. */
#define CAPACITY_SECONDS 5.0

/* Every stride of the design, its neighbours and its small multiples, by number; 0 after the last. */
static uint64_t distance(const struct case_plan *plan, size_t index)
{
    if (index / 9 >= plan->strides->count)
        return 0;
    uint64_t ticks = plan->strides->ticks[index / 9] * (index / 3 % 3 + 1) + index % 3 - 1;
    return ticks > 0 ? ticks : 1;
}

/* ---- One timer ------------------------------------------------------------------------------- */

static void story_once(struct case_plan *plan, uint64_t ticks)
{
    START(0, '+', ticks);
    if (ticks <= WALK_MAX)
        TICK((uint32_t)ticks);
    ADVANCE('+', ticks - 1);
    TICK(2);
}

static void build_every_distance(struct case_plan *plan)
{
    for (uint64_t ticks = 1; ticks <= 130; ticks++)
        story_once(plan, ticks);
    for (uint64_t i = 0, ticks; (ticks = distance(plan, i)) > 0; i++)
        story_once(plan, ticks);
}

/* The clock is about to begin slots of every worth; what is started comes as near as can be to a
 * whole revolution of them. */
static void build_short_of_a_power(struct case_plan *plan)
{
    tw_tick base = 0;
    for (uint32_t bits = 6; bits <= 44; bits++)
        for (uint64_t step = 1; step <= 200; step += 199) {
            tw_tick power = UINT64_C(1) << bits;
            base = (base / power + 8) * power;
            ADVANCE('@', base - 1);
            for (tw_id id = 0; id < 4; id++)
                START(id, '+', power - 8 - id);
            START(4, '+', 1);
            ON_START(4, 5, '+', power - 9, 1);
            ADVANCE('+', step);
            START(6, '+', power - 9);
            ADVANCE('+', power / 2);
            ADVANCE('+', power);
        }
}

static void build_rearm(struct case_plan *plan)
{
    for (uint64_t i = 0, ticks; (ticks = distance(plan, i)) > 0; i++) {
        START(0, '+', ticks);
        START(1, '+', ticks);
        START(0, '+', ticks);     /* the same */
        START(0, '+', ticks / 2); /* earlier */
        START(1, '+', ticks + 1); /* later */
        START(2, '+', ticks);
        ADVANCE('+', ticks / 2);
        START(2, '+', 1);
        TICK(2);
        ADVANCE('+', ticks);
        TICK(1);
    }
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static void build_restart_revolution(struct case_plan *plan)
{
    for (uint64_t i = 0, ticks; (ticks = distance(plan, i)) > 0; i++) {
        START(0, '+', 2);
        ON_START(0, 0, '+', ticks, 2);
        START(1, '+', 2);
        ON_START(1, 1, '+', ticks, 1);
        TICK(3);
        if (ticks <= WALK_MAX)
            TICK((uint32_t)ticks);
        ADVANCE('+', 2 * ticks);
        ADVANCE('+', ticks);
        for (tw_id id = 0; id < 2; id++)
            STOP(id);
    }
}

/* ---- Far deadlines and long jumps ------------------------------------------------------------ */

/* As far from the power of two below it, or from the one above, as likely by few ticks as by many. */
static uint64_t any_of_bits(uint64_t *random, unsigned bits)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    uint64_t power = UINT64_C(1) << bits,
             away = (*random >> 5) % power >> (*random >> 58) * bits / 64;
    return *random >> 57 & 1 ? power + away : 2 * power - 1 - away;
}

/* From many places of the clock, delays with any number of bits: alone, and with all others running. */
static void build_between_powers(struct case_plan *plan)
{
    uint64_t random = 1;
    CAPACITY(75);
    for (size_t place = 0; place < 24; place++) {
        uint64_t tens = 1;
        uint64_t stride = plan->strides->ticks[place % plan->strides->count];
        ADVANCE('+',
                place % 3 == 2 ? any_of_bits(&random, 2 * (unsigned)place) : stride - place % 2);
        for (tw_id bits = 1; place % 4 == 3 && bits < 58; bits++)
            START(bits, '+', any_of_bits(&random, bits));
        for (tw_id bits = 1; bits < 75; bits++) { /* the last are powers of ten */
            uint64_t ticks = bits < 58 ? any_of_bits(&random, bits) : (tens *= 10);
            START(0, '+', ticks);
            START(bits, '+', ticks);
            START(bits, '+', ticks - ticks / 7);
            ADVANCE('+', ticks - 1);
            TICK(1);
        }
    }
}

/* Each from a whole second of nanoseconds, passed in one jump and stopped short of; and inside a callback. */
static tw_tick story_duration(struct case_plan *plan, tw_tick now, uint64_t ticks)
{
    for (unsigned whole = 0; whole < 2; whole++) {
        ADVANCE('@', now = (now / 1000000000 + 1) * 1000000000);
        START(0, '+', ticks);
        START(1, '+', ticks + 1);
        START(2, '+', ticks - ticks / 2);
        START(3, '+', 1);
        ON_START(3, 4, '+', ticks, 1);
        ADVANCE('+', ticks - 1 + whole);
        TICK(2);
        now += ticks + 1 + whole;
    }
    return now;
}

/* Durations that people write, in s, ms, us and ns: up to 100 of them, of fifty, of minutes, hours and days; a year; frames,
 * of which there are 24 to 120 in a second. */
static void run_durations(struct case_plan *plan, struct conform_report *report)
{
    static const uint32_t more[] = {31536000, 2592000, 41666667, 33333333,
                                    16666667, 8333333, 41667,    16667};
    static const uint32_t steps[] = {1, 50, 60, 3600, 86400};
    for (uint64_t unit = 1; unit <= 1000000000 && !report->rule; unit *= 1000) {
        tw_tick now = 0;
        plan->operations->count = 0;
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            now = story_duration(plan, now, more[i] * unit);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            for (uint64_t times = 1; times <= 100; times++)
                now = story_duration(plan, now, times * steps[i] * unit);
        judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
    }
}

/* Deadlines at powers of two and seven places between, beside others that have their lower 8 to 60 bits; given inside a callback,
 * too. */
static void build_powers(struct case_plan *plan)
{
    CAPACITY(23);
    for (unsigned bits = 5; bits < 63; bits++)
        for (unsigned eighth = 8; eighth < 16 && bits < 61; eighth++) {
            tw_tick due = (tw_tick)eighth << bits >> 2;
            START(7, '+', 1);
            ON_START(7, 8, '@', due, 1);
            START(0, '@', due - 1);
            START(1, '@', due);
            for (unsigned alike = 8; alike <= 60; alike += 4)
                START(alike / 4 + 7, '@', due - 1 + (UINT64_C(1) << alike));
            ADVANCE('@', due - 2);
            TICK(2);
        }
}

/* What is counted in 8 or 16 bits comes round, by single calls and by batches: put off and brought forward, which never fires; to empty, by fires and by
 * stops; advances to the past and stops of idle ones, which do nothing; looks; up to a size and down; one timer all through
 * one advance. */
static void run_over_and_over(struct case_plan *plan, struct conform_report *report)
{
    for (unsigned i = 0; i < 2; i++) {
        START(0, '+', 1000 - i);
        operations_next(plan->operations);
    }
    operations_again(plan->operations, 4, TIMES_OVER);
    START(1, '+', 500);
    START(1, '+', 900);
    operations_again(plan->operations, 2, TIMES_OVER);
    operations_inspect(plan->operations);
    operations_again(plan->operations, 1, TIMES_OVER);
    ADVANCE('+', 1001);
    START(1, '+', 1);
    TICK(1);
    operations_again(plan->operations, 2, TIMES_OVER);
    START(1, '+', 1);
    STOP(1);
    operations_again(plan->operations, 2, TIMES_OVER);
    ADVANCE('-', 5);
    operations_again(plan->operations, 1, 2 * TIMES_OVER);
    START(1, '-', 5);
    ADVANCE('+', 1);
    operations_again(plan->operations, 2, 2 * TIMES_OVER);
    START(1, '+', 5);
    plan->operations->list[plan->operations->count - 1].slack = 2;
    ADVANCE('+', 7);
    operations_again(plan->operations, 2, TIMES_OVER);
    STOP(1);
    operations_again(plan->operations, 1, 32 * TIMES_OVER);
    for (tw_id most = 9; most < 40; most *= 2) {
        operations_start_many(plan->operations, 0, most, '+', 5, 0);
        operations_stop_many(plan->operations, 0, most);
        operations_again(plan->operations, 2, 1050);
    }
    START(3, '+', 1);
    ON_START(3, 3, '+', 1, 4 * TIMES_OVER);
    ADVANCE('+', 4 * TIMES_OVER);
    operations_start_many(plan->operations, 0, 40, '+', 5, 0);
    TICK(6);
    ADVANCE('@', TW_DEADLINE_MAX);
    START(0, '+', 1); /* refused */
    operations_again(plan->operations, 1, TIMES_OVER);
    CAPACITY(40);
    plan->operations->exact = guard_part(plan->backend, "exact");
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
    plan->operations->batch = guard_part(plan->backend, "batch");
    if (plan->operations->batch && !report->rule)
        judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
}

static void build_last_tick(struct case_plan *plan)
{
    START(0, '@', TW_DEADLINE_MAX);
    START(1, '@', TW_DEADLINE_MAX - 1);
    START(2, '@', UINT64_C(1) << 63);
    ADVANCE('@', UINT64_C(1) << 62);
    ADVANCE('@', UINT64_C(1) << 63);
    START(2, '@', TW_DEADLINE_MAX);
    ADVANCE('@', TW_DEADLINE_MAX - 3);
    START(3, '+', 1);
    START(4, '@', TW_DEADLINE_MAX);
    START(5, '@', TW_DEADLINE_MAX - 1);
    ON_START(5, 6, '+', 1, 1);
    ON_START(4, 4, '+', 1, 1); /* refused: no tick follows the last one */
    TICK(1);
    TICK(1);
    TICK(1);
    ADVANCE('@', TW_DEADLINE_MAX);
    START(7, '+', 1);
    START(8, '@', 0);
    STOP(7);
}

static void build_range(struct case_plan *plan)
{
    tw_tick span = plan->strides->span;
    START(0, '+', span);
    START(1, '+', span - 1);
    START(2, '+', span + 1); /* refused: stays idle */
    START(3, '+', 1);
    START(3, '+', span + 1); /* refused: keeps its deadline */
    ON_START(3, 2, '+', span + 1, 1);
    ON_START(3, 3, '+', span, 1);
    ON_START(3, 4, '@', TW_DEADLINE_MAX, 1);
    TICK(1);
    START(0, '+', span + 1);
    STOP(2);
    ADVANCE('+', span - 3);
    for (int i = 0; i < 5; i++)
        TICK(1);
    START(5, '@', TW_DEADLINE_MAX);
    START(5, '+', span);
    START(5, '+', span - span / 2);
    ADVANCE('+', span);
}

static void run_big_jumps(struct case_plan *plan, struct conform_report *report)
{
    static const double limit_s = 2.0;
    for (uint64_t i = 1; i <= 20; i++) {
        START(0, '+', UINT64_C(1) << 33);
        START(1, '+', 5);
        START(2, '+', (UINT64_C(1) << 33) + i);
        ON_START(1, 3, '+', UINT64_C(1) << 32, 1);
        ADVANCE('+', UINT64_C(1) << 33);
        ADVANCE('+', UINT64_C(1) << 33);
    }
    clock_t begin = clock();
    judge_replay(plan->backend, plan->operations, JUDGE_ALWAYS, report, NULL);
    double cpu_s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (cpu_s > limit_s && plan->strides->walk == 0)
        report_broken(report, RULE_FAST, "%zu operations took %.1f s", plan->operations->count,
                      cpu_s);
}

/* From every phase of the clock, by many distances: what is started after it is due after now, not after
 * where the clock was told to go. */
static void build_start_after_back(struct case_plan *plan)
{
    static const uint64_t back[] = {0, 1, 2, 7, 63, 64, 65, 255, 256, 300, 512, 4096, 5000};
    plan->operations->now = 5000;
    for (size_t i = 0; i < sizeof back / sizeof back[0]; i++) {
        START(0, '+', 3);
        START(1, '+', 70);
        ADVANCE('-', back[i]);
        START(2, '-', back[i]);
        START(3, '+', 0);
        START(4, '+', 2);
        START(5, '-', 1);
        ADVANCE('-', back[i]);
        STOP(5);
        START(1, '-', back[i] / 2);
        TICK(1);
        ADVANCE('@', 0);
        START(2, '+', 64);
        START(3, '@', 1);
        TICK(3);
        ADVANCE('+', 66);
    }
}

static void judge_clock(struct case_plan *plan, tw_tick now, struct conform_report *report)
{
    plan->operations->count = 0;
    plan->operations->now = now;
    operations_next(plan->operations);
    START(0, '+', 1);
    START(1, '+', 9);
    START(2, '+', 300);
    START(3, '-', 5);
    START(4, '+', 70000);
    for (tw_id bits = 6; bits <= 20; bits += 2) /* ends of slots, from within */
        START(5 + bits / 2, '@', ((now >> bits) + 1) << bits);
    ON_START(0, 0, '+', 8, 20);
    ON_START(2, 5, '@', 3, 1);
    TICK(20);
    ADVANCE('+', 281);
    TICK(10);
    ADVANCE('+', 100000);
    START(6, '+', 77);
    START(7, '@', TW_DEADLINE_MAX);
    ADVANCE('@', TW_DEADLINE_MAX); /* by more than 2^63 ticks, where there are so many */
    judge_replay(plan->backend, plan->operations, JUDGE_ALWAYS, report, NULL);
}

/* A clock that begins at a power of two, where a power comes soon, at the end of time, at a power of ten, now and short of
 * 2038, in s, ms, us, 100 ns and ns, since 1970, 1601 and the year 1; and as Linux's jiffies do. */
static void run_clocks(struct case_plan *plan, struct conform_report *report)
{
    static const uint32_t before_end[] = {0, 1, 2, 9, 300, 500, 70000};
    const uint64_t wrap = UINT64_C(1) << 32;
    const uint64_t dates[] = {1700000000,    wrap / 2,     13344473600, 63835596800,
                              wrap - 300000, wrap - 75000, wrap - 30000};
    static const uint64_t units[] = {1, 1000, 1000000, 10000000, 1000000000};
    uint64_t tens = 123456789;
    for (size_t i = 0; i < sizeof before_end / sizeof *before_end && !report->rule; i++)
        judge_clock(plan, TW_DEADLINE_MAX - before_end[i], report);
    for (unsigned bits = 5; bits < 64 && !report->rule; bits++)
        for (uint64_t before = 0; before <= 5 && !report->rule; before += 1 + 3 * before)
            judge_clock(plan, (UINT64_C(1) << bits) - before, report);
    for (size_t d = 0; d < sizeof dates / sizeof *dates; d++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (uint64_t before = 0; before <= 5 && !report->rule; before += 5)
                if (dates[d] < TW_DEADLINE_MAX / units[u])
                    judge_clock(plan, dates[d] * units[u] - before, report);
    for (; tens < TW_DEADLINE_MAX / 10 && !report->rule; tens = tens % 10 ? 1000 : tens * 10)
        judge_clock(plan, tens, report);
}

/* ---- Many timers ----------------------------------------------------------------------------- */

static void build_crowd_turns(struct case_plan *plan)
{
    CAPACITY(CROWD);
    for (tw_id i = 0; i < 2 * CROWD; i++) { /* a re-arm and a look at every number of them */
        START((i / 2 * 7919) % CROWD, '+', 10 + i % 3);
        if (i % 2 == 1)
            operations_next(plan->operations);
    }
    TICK(4);
    for (tw_id id = 1; id < CROWD; id += 4)
        START(id, '-', 1);
    ADVANCE('+', 10);
    for (tw_id id = 1; id < 1100; id++) /* all in one callback */
        ON_STOP(1, 1200 - id);
    START(0, '+', 1);
    TICK(9);
}

static void build_up_and_down(struct case_plan *plan)
{
    CAPACITY(64);
    for (tw_id round = 0; round < 8; round++) {
        for (tw_id id = 0; id < 64; id++)
            START(id, '+', 1 + (id * (2 * round + 1)) % 64);
        for (tw_id id = 0; id < 64; id++)
            STOP((id * 37 + round) % 64);
        for (tw_id id = 0; id < 64; id++)
            START((id * 29) % 64, '+', 65 - (id * (2 * round + 3)) % 64);
        operations_inspect(plan->operations);
        ADVANCE('+', 32);
        TICK(40);
    }
}

/* 1, 2, 5, 10, ..., as people write them: below 100,000 each with one digit before the zeros, or one and a five. */
static bool is_round(uint32_t capacity)
{
    uint32_t unit = 1;
    while (capacity / unit >= 10)
        unit *= 10;
    bool is_half = unit > 1 && capacity < 66000 && capacity % (unit / 2) == 0;
    uint32_t digit = capacity / unit;
    return is_half ||
           (capacity % unit == 0 && (capacity < 100000 || digit == 1 || digit == 2 || digit == 5));
}

/* The first, the last and those between, if there are not too many, at once, one by one, and inside callbacks: of those whose
 * ids end in the same 8 to 19 bits, too. */
static void judge_capacity(struct case_plan *plan, uint32_t capacity, struct conform_report *report)
{
    uint64_t ticks = plan->strides->span < 40 ? plan->strides->span : 40;
    plan->operations->count = 0;
    CAPACITY(capacity);
    plan->operations->horizon = is_round(capacity) ? capacity : 0;
    operations_start_scattered(plan->operations, 0, capacity, 2, ticks - 2);
    operations_inspect(plan->operations);
    operations_stop_many(plan->operations, capacity - 1, 1);
    START(capacity - 1, '+', ticks);
    START(0, '+', ticks);
    ON_START(capacity - 1, 0, '+', 2, 1);
    for (tw_id alike = 256; alike + 2 < capacity; alike *= 2) {
        ON_STOP(1, 1 + alike);
        ON_START(2, 2 + alike, '+', 2, 1);
        ON_START(3, alike, '+', 2, 1);
    }
    operations_next(plan->operations);
    ADVANCE('+', ticks - 2);
    TICK(3);
    operations_start_many(plan->operations, 0, capacity, '+', 3, 0);
    START(capacity / 3 * 2, '+', 3);
    ADVANCE('+', 2);
    operations_inspect(plan->operations);
    TICK(2);
    START(capacity - 1, '+', 1); /* alone: of a bitmap, the last word */
    operations_next(plan->operations);
    judge_replay(plan->backend, plan->operations, JUDGE_NOW_AND_THEN, report, NULL);
}

/* Every small one, 64 in a row, those about powers of two and half-way between, about the design's own sizes, and round
 * ones: up to a quarter of what the case of very many has. */
static void run_capacities(struct case_plan *plan, struct conform_report *report)
{
    const struct strides *strides = plan->strides;
    double seconds = 0, last = 0, last_capacity = 1;
    uint32_t end = plan->many_max > 0 ? plan->many_max / 4 + 2 : 2100;
    for (uint32_t capacity = 1; capacity < end && !report->rule; capacity++) {
        uint32_t below = UINT32_C(1) << (31 - __builtin_clz(capacity));
        bool is_chosen = capacity < 40 || capacity - below < 2 || is_round(capacity) ||
                         capacity - 4200 < 64 || (capacity < 10000 && is_round(capacity - 1)) ||
                         (capacity < 200000 && capacity % (below / 2 + (below < 2)) == 0) ||
                         (capacity < 66000 && (capacity % (below / 4 + (below < 4)) == 0 ||
                                               (capacity & (capacity + 1)) == 0));
        for (size_t i = 0; i < strides->count && capacity < 66000; i++)
            is_chosen |= capacity - strides->ticks[i] + 1 < 3;
        double growth = capacity / last_capacity;
        if (!is_chosen || seconds + last * growth * growth > CAPACITY_SECONDS * plan->patience)
            continue;
        clock_t begin = clock();
        judge_capacity(plan, capacity, report);
        last = (double)(clock() - begin) / CLOCKS_PER_SEC;
        last_capacity = capacity;
        seconds += last;
    }
}

/* A crowd of which a few are left, which are started again and again while the others' stops are young, and a
 * crowd again: a design that is laid out by how many run changes its layout and back. */
#define DWINDLING 60
#define LEFT      5
static void build_dwindling(struct case_plan *plan)
{
    CAPACITY(DWINDLING);
    for (int round = 0; round < 2; round++) {
        operations_start_many(plan->operations, 0, DWINDLING, '+', 9000, 11);
        operations_stop_many(plan->operations, LEFT, DWINDLING - LEFT);
        for (unsigned i = 0; i < 2200; i++) {
            START(i % 2, '+', 1 + i % 3);
            if (i % 2 == 1)
                TICK(1);
        }
    }
    ADVANCE('+', 20000);
}

/* ---- What an operation list cannot say ------------------------------------------------------- */

/* Two instances with clocks far apart: the second one is opened, used and closed inside callbacks of the first. */
static void run_two_instances(struct case_plan *plan, struct conform_report *report)
{
    struct operations later;
    build_up_and_down(plan);
    for (tw_id id = 0; id < 64; id++)
        ON_START(id, id, '+', 1 + id % 9, 400);
    operations_start_many(plan->operations, 0, 64, '+', 1, 0);
    for (int i = 0; i < 200; i++)
        TICK(1);
    operations_init(&later, 1);
    operations_copy(&later, plan->operations, NULL);
    later.now = 5000;
    struct judge *judge = judge_open(plan->backend, &later, JUDGE_NOW_AND_THEN, report);
    if (judge) {
        judge_meet(judge, plan->operations);
        judge_play(judge, &later, 0, later.count);
        judge_close(judge);
    }
    operations_clear(&later);
}

/* On the machine's clock, what expires in a jump may come in another order each time. */
static void run_twice_the_same(struct case_plan *plan, struct conform_report *report)
{
    struct conform_report runs[2] = {{.watch = report->watch}, {.watch = report->watch}};
    build_crowd_turns(plan);
    CAPACITY(5 * CROWD);
    operations_start_scattered(plan->operations, 0, 5 * CROWD, 3, 900);
    TICK(2);
    ADVANCE('+', 1000);
    for (int i = 0; i < 2; i++)
        judge_replay(plan->backend, plan->operations, JUDGE_ALWAYS, &runs[i], NULL);
    coverage_add(&report->coverage, &runs[1].coverage);
    if (runs[0].rule)
        *report = runs[0];
    else if (runs[0].trace != runs[1].trace && !(plan->backend->traits.flags & TW_REAL_CLOCK))
        report_broken(report, RULE_SAME, "two runs of %zu operations differ",
                      plan->operations->count);
}

static struct tw_footprint footprint_of(struct case_plan *plan, uint32_t capacity,
                                        struct conform_report *report)
{
    struct tw_config config = {.capacity = capacity,
                               .settings = plan->operations->settings,
                               .setting_count = plan->operations->setting_count};
    struct tw_timers *timers;
    struct tw_error error = {""};
    struct tw_footprint footprint = {0};
    struct operations empty = *plan->operations;
    empty.capacity = capacity;
    watch_list(report->watch, &empty);
    watch_enter(report->watch, "open");
    if (plan->backend->open(&timers, &config, &error) != TW_OK) {
        report_broken(report, RULE_OPEN, "capacity %" PRIu32 ": %s", capacity, error.text);
        return footprint;
    }
    watch_enter(report->watch, "footprint");
    char reason[ANSWERS_REASON];
    if (!answers_footprint(plan->backend, timers, &footprint, reason))
        report_broken(report, RULE_FOOTPRINT, "%s", reason);
    watch_enter(report->watch, "work");
    if (plan->backend->work(timers) && plan->is_timed)
        report_broken(report, RULE_WORK, "it is not NULL in the table that is timed");
    watch_enter(report->watch, "close");
    plan->backend->close(timers);
    watch_leave(report->watch, NULL);
    return footprint;
}

/* An instance takes memory, and more timers take more, unless it is taken timer by timer; none of it is beyond belief. */
static void run_footprint(struct case_plan *plan, struct conform_report *report)
{
    struct tw_footprint one = footprint_of(plan, 1, report),
                        many = footprint_of(plan, 4096, report);
    bool grows =
        many.capacity_bytes > one.capacity_bytes || (plan->backend->traits.flags & TW_ALLOCATES);
    uint64_t more = many.fixed_bytes - one.fixed_bytes + many.capacity_bytes - one.capacity_bytes;
    if (one.fixed_bytes == 0 || !grows || more > UINT64_C(4096) * 1024)
        report_broken(report, RULE_FOOTPRINT,
                      "fixed %" PRIu64 ", by capacity %" PRIu64 " bytes for 1 timer; %" PRIu64
                      ", %" PRIu64 " for 4096",
                      one.fixed_bytes, one.capacity_bytes, many.fixed_bytes, many.capacity_bytes);
}

/* The reason begins with what is wrong, and has an end. */
static void refuse(struct case_plan *plan, const struct tw_config *config, const char *what,
                   struct conform_report *report)
{
    struct tw_timers *const untouched = (struct tw_timers *)report;
    struct tw_timers *timers = untouched;
    struct tw_error errors[2]; /* the second one is not the design's */
    memset(errors, '?', sizeof errors);
    watch_enter(report->watch, "open");
    int status = plan->backend->open(&timers, config, errors);
    watch_leave(report->watch, NULL);
    bool has_reason = memchr(errors->text, '\0', sizeof *errors) && strstr(errors->text, what) &&
                      errors[1].text[0] == '?';
    if (status != TW_BAD_SETTING || timers != untouched || !has_reason)
        report_broken(report, RULE_REFUSE, "%s: open answered %d%s%s", what, status,
                      timers != untouched ? ", set *out" : "",
                      has_reason ? "" : ", gave no reason within its bytes that names it");
    if (status == TW_OK)
        plan->backend->close(timers);
}

/* Alone, and behind one that is right. */
static void refuse_setting(struct case_plan *plan, const struct tw_setting *setting,
                           struct conform_report *report)
{
    struct tw_setting both[OPERATIONS_SETTINGS_MAX];
    size_t count = 0;
    refuse(plan, &(struct tw_config){.capacity = 1, .settings = setting, .setting_count = 1},
           setting->name, report);
    for (size_t v = 1; settings_variant(plan->backend, v, both, &count, report->watch); v++)
        if (count == 1 && strcmp(both->name, setting->name) != 0) {
            both[1] = *setting;
            refuse(plan, &(struct tw_config){.capacity = 1, .settings = both, .setting_count = 2},
                   setting->name, report);
            return;
        }
}

/* None, too many, and with a last one that is out of the limits. */
static void refuse_values(struct case_plan *plan, const struct tw_param *param,
                          struct conform_report *report)
{
    struct tw_setting setting = {.name = param->name};
    refuse_setting(plan, &setting, report);
    for (uint32_t v = 0; v < TW_VALUES_MAX; v++)
        setting.values[v] = param->min;
    for (setting.count = 1; setting.count <= param->values_max; setting.count++) {
        uint64_t *last = &setting.values[setting.count - 1];
        *last = param->min - 1;
        if (param->min > 0)
            refuse_setting(plan, &setting, report);
        *last = param->max + 1;
        if (param->max < UINT64_MAX)
            refuse_setting(plan, &setting, report);
        *last = param->min;
    }
    refuse_setting(plan, &setting, report);
}

/* Nearly the name of a parameter. */
static void refuse_names(struct case_plan *plan, const char *name, struct conform_report *report)
{
    char other[32];
    for (int i = 0; i < 3; i++) {
        snprintf(other, sizeof other, "%.*s%s", (int)strlen(name) - (i == 0), name,
                 i == 1 ? "x" : "");
        other[0] = (char)(i == 2 ? toupper(other[0]) : other[0]);
        refuse_setting(plan, &(struct tw_setting){.name = other, .count = 1}, report);
    }
}

static void run_refusals(struct case_plan *plan, struct conform_report *report)
{
    refuse(plan, &(struct tw_config){.capacity = 0}, "capacity", report);
    refuse(plan, &(struct tw_config){.capacity = TW_CAPACITY_MAX + 1}, "capacity", report);
    refuse_setting(plan, &(struct tw_setting){.name = "no-such-setting", .count = 1}, report);
    for (const struct tw_param *param = plan->backend->params; param->name; param++) {
        refuse_values(plan, param, report);
        refuse_names(plan, param->name, report);
    }
}

const struct written_case written_cases[] = {
    {"fires on its due tick, at every distance", build_every_distance, NULL, false},
    {"delays short of a power of two, before the clock reaches one", build_short_of_a_power, NULL,
     false},
    {"start of a running timer: earlier, later, same", build_rearm, NULL, false},
    {"restart of itself by exactly one revolution", build_restart_revolution, NULL, false},
    {"delays between the powers of two", build_between_powers, NULL, false},
    {"deadlines up to the last tick", build_last_tick, NULL, false},
    {"a start beyond the span is refused, one at it is not", build_range, NULL, false},
    {"jumps of 2^33 ticks", NULL, run_big_jumps, false},
    {"starts after an advance to the past", build_start_after_back, NULL, false},
    {"clocks that begin anywhere", NULL, run_clocks, true},
    {"thousands on three ticks, in mixed order", build_crowd_turns, NULL, false},
    {"capacities", NULL, run_capacities, true},
    {"many, then few for long, and many again", build_dwindling, NULL, false},
    {"two instances do not meet", NULL, run_two_instances, false},
    {"the same operations twice", NULL, run_twice_the_same, false},
    {"footprint is plausible", NULL, run_footprint, false},
    {"open refuses bad settings", NULL, run_refusals, false},
    {"batches", NULL, run_batches, true},
    {"windows", NULL, run_slack, false},
    {"exact next", NULL, run_exact, false},
    {CASE_THREADS, NULL, run_threads, true},
    {CASE_PROCESS, NULL, run_surroundings, true},
    {"memory is short in open", NULL, run_short_open, false},
    {"memory is short in start", NULL, run_short_start, false},
    {"settings at their upper limits", NULL, run_upper_limits, true},
    {"horizons up to the last tick", NULL, run_horizons, true},
    {"instances of different sizes, clocks and settings", NULL, run_mixed_instances, true},
    {"hundreds of instances", NULL, run_many_instances, true},
    {"durations that people write", NULL, run_durations, true},
    {"deadlines at powers of two and between", build_powers, NULL, false},
    {"one thing 66,000 times over", NULL, run_over_and_over, true},
    {"very many timers", NULL, run_many, true},
    {"one long life", NULL, run_life, true},
    {NULL, NULL, NULL, false},
};
