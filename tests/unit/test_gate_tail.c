/* test_gate_tail.c - the tail gate on fixed tails: what it finds, what it lets pass, and what it cannot know. */
#include "harness/base/rng.h"
#include "harness/compare/gate_tail.h"
#include "harness/measure/stats/histogram.h"
#include "testing.h"

#include <math.h>

#define LIMIT    0.5
#define STALL_NS 50000.0

/* A design's tail: 64 slowest calls, the slowest with `max_ns`, the others falling to `p50_ns`. */
struct shape {
    double p50_ns, max_ns, pass_max_ns;
    double calls;
    size_t stalls; /* so many calls with STALL_NS more */
    double noise;  /* share by which each time may be more; 0: none */
};

static int falling(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static cJSON *make_cell(const struct shape *shape, struct rng *rng)
{
    double ns[TAIL_SLOWEST];
    cJSON *cell = cJSON_CreateObject(), *phases = cJSON_AddArrayToObject(cell, "phases");
    cJSON *phase = cJSON_CreateObject(), *latency = cJSON_CreateObject();
    cJSON *advance = cJSON_CreateObject(), *own = cJSON_CreateObject();
    cJSON *slowest = cJSON_CreateArray();
    for (size_t i = 0; i < TAIL_SLOWEST; i++) {
        ns[i] = shape->p50_ns + (shape->max_ns - shape->p50_ns) / (double)((i + 1) * (i + 1));
        ns[i] *= 1 + (rng ? shape->noise * rng_unit(rng) : 0);
        ns[i] += i < shape->stalls ? STALL_NS : 0;
    }
    qsort(ns, TAIL_SLOWEST, sizeof *ns, falling);
    for (size_t i = 0; i < TAIL_SLOWEST; i++) {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)(100 * i)));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber(ns[i]));
        cJSON_AddItemToArray(slowest, pair);
    }
    cJSON_AddNumberToObject(own, "p50", shape->p50_ns);
    cJSON_AddNumberToObject(own, "pass_max", shape->pass_max_ns > 0 ? shape->pass_max_ns : ns[0]);
    cJSON_AddNumberToObject(own, "calls", shape->calls > 0 ? shape->calls : 20000);
    cJSON_AddNumberToObject(own, "calls_per_block", 1);
    cJSON_AddItemToObject(own, "slowest", slowest);
    cJSON_AddItemToObject(advance, "own", own);
    cJSON_AddItemToObject(latency, "advance", advance);
    cJSON_AddItemToObject(phase, "latency_ns", latency);
    cJSON_AddItemToArray(phases, phase);
    return cell;
}

static struct tail_finding look(const struct shape *before, const struct shape *after)
{
    cJSON *old_cell = make_cell(before, NULL), *new_cell = make_cell(after, NULL);
    struct tail_finding finding = gate_tail_look(old_cell, new_cell, LIMIT);
    cJSON_Delete(old_cell);
    cJSON_Delete(new_cell);
    return finding;
}

TEST(test_what_is_found_and_what_is_not)
{
    static const struct {
        const char *what;
        struct shape before, after;
        enum verdict verdict;
    } cases[] = {
        {"equal", {.p50_ns = 40, .max_ns = 400}, {.p50_ns = 40, .max_ns = 400}, VERDICT_SAME},
        {"two stalls",
         {.p50_ns = 40, .max_ns = 400},
         {.p50_ns = 40, .max_ns = 400, .stalls = 2},
         VERDICT_REGRESSED},
        {"without them",
         {.p50_ns = 40, .max_ns = 400, .stalls = 2},
         {.p50_ns = 40, .max_ns = 400},
         VERDICT_IMPROVED},
        {"stalls below a longer call that both have",
         {.p50_ns = 40, .max_ns = 400000},
         {.p50_ns = 40, .max_ns = 400000, .stalls = 40},
         VERDICT_REGRESSED},
        {"a call in every pass, none of its own",
         {.p50_ns = 40, .max_ns = 400},
         {.p50_ns = 40, .max_ns = 400, .pass_max_ns = STALL_NS},
         VERDICT_REGRESSED},
        {"less than the floor",
         {.p50_ns = 40, .max_ns = 400},
         {.p50_ns = 40, .max_ns = 10400},
         VERDICT_SAME},
        {"less than the limit",
         {.p50_ns = 40, .max_ns = 1e6},
         {.p50_ns = 40, .max_ns = 1.45e6},
         VERDICT_SAME},
        {"slower by the median too",
         {.p50_ns = 4000, .max_ns = 100000},
         {.p50_ns = 8000, .max_ns = 200000},
         VERDICT_SAME},
        {"the tail more than the median",
         {.p50_ns = 4000, .max_ns = 100000},
         {.p50_ns = 6000, .max_ns = 400000},
         VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tail_finding finding = look(&cases[i].before, &cases[i].after);
        if (!finding.known || finding.verdict != cases[i].verdict)
            fail_msg("%s: %s", cases[i].what, verdict_name(finding.verdict));
    }
}

TEST(test_a_finding_says_where)
{
    const struct shape plain = {.p50_ns = 40, .max_ns = 400};
    const struct shape stalls = {.p50_ns = 40, .max_ns = 400, .stalls = 1};
    const struct shape wanders = {.p50_ns = 40, .max_ns = 400, .pass_max_ns = 60000};
    struct tail_finding finding = look(&plain, &stalls);
    assert_int_equal(finding.rank, 0);
    assert_int_equal(finding.call, 0);
    assert_true(finding.after_ns > STALL_NS && finding.before_ns < 500);
    finding = look(&plain, &wanders);
    assert_int_equal(finding.rank, TAIL_WANDERS);
    assert_true(finding.after_ns >= 60000 && finding.after_ns <= 60000);
}

/* No own tail, or one of other calls: unknown, which is not the same. */
TEST(test_unknown_is_not_equal)
{
    const struct shape plain = {.p50_ns = 40, .max_ns = 400};
    const struct shape other = {.p50_ns = 40, .max_ns = 400, .calls = 20001};
    assert_false(look(&plain, &other).known);
    cJSON *cell = make_cell(&plain, NULL), *none = cJSON_CreateObject();
    assert_false(gate_tail_look(cell, none, LIMIT).known);
    assert_false(gate_tail_look(NULL, cell, LIMIT).known);
    struct limits limits = limits_default();
    struct compared_cell compared = {.verdict = VERDICT_SAME};
    gate_tail(&compared, cell, none, &limits, true);
    assert_false(cell_gate(&compared, GATE_TAIL, &limits).asked);
    limits.of[METRIC_TAIL] = NAN;
    gate_tail(&compared, cell, cell, &limits, true);
    assert_false(cell_gate(&compared, GATE_TAIL, &limits).asked);
    cJSON_Delete(cell);
    cJSON_Delete(none);
}

/* Stored results have no repetition: what is found beside each other by half is not found there. */
TEST(test_stored_results_need_twice_as_much)
{
    const struct shape plain = {.p50_ns = 40, .max_ns = 100};
    const struct shape little = {.p50_ns = 40, .max_ns = 15000},
                       much = {.p50_ns = 40, .max_ns = 45000};
    const struct limits limits = limits_default();
    cJSON *cells[] = {make_cell(&plain, NULL), make_cell(&little, NULL), make_cell(&much, NULL)};
    struct compared_cell compared = {.phase_count = 1, .phases = {{.name = "steady"}}};
    gate_tail(&compared, cells[0], cells[1], &limits, false);
    assert_int_equal(compared.tail.verdict, VERDICT_REGRESSED);
    assert_string_equal(compared.tail.phase, "steady");
    gate_tail(&compared, cells[0], cells[1], &limits, true);
    assert_int_equal(compared.tail.verdict, VERDICT_SAME);
    gate_tail(&compared, cells[0], cells[2], &limits, true);
    assert_int_equal(compared.tail.verdict, VERDICT_REGRESSED);
    for (size_t i = 0; i < 3; i++)
        cJSON_Delete(cells[i]);
}

/* Interrupts are in every pass's longest call, and nothing repeats a stored result: the same twice would be an alarm. */
TEST(test_stored_results_ignore_the_longest_call_of_every_pass)
{
    const struct shape plain = {.p50_ns = 40, .max_ns = 400};
    const struct shape wanders = {.p50_ns = 40, .max_ns = 400, .pass_max_ns = 2 * STALL_NS};
    const struct limits limits = limits_default();
    cJSON *cells[] = {make_cell(&plain, NULL), make_cell(&wanders, NULL)};
    struct compared_cell compared = {.phase_count = 1, .phases = {{.name = "steady"}}};
    gate_tail(&compared, cells[0], cells[1], &limits, false);
    assert_int_equal(compared.tail.verdict, VERDICT_REGRESSED);
    gate_tail(&compared, cells[0], cells[1], &limits, true);
    assert_true(compared.tail.known);
    assert_int_equal(compared.tail.verdict, VERDICT_SAME);
    gate_tail(&compared, cells[1], cells[0], &limits, true);
    assert_int_equal(compared.tail.verdict, VERDICT_SAME);
    cJSON_Delete(cells[0]);
    cJSON_Delete(cells[1]);
}

/* So many repetitions find it, the others do not: what is concluded, and after how many pairs. */
static enum verdict repeated(size_t misses, size_t *pairs)
{
    const struct shape plain = {.p50_ns = 40, .max_ns = 400};
    const struct shape stalls = {.p50_ns = 40, .max_ns = 400, .stalls = 2};
    cJSON *old_cell = make_cell(&plain, NULL), *new_cell = make_cell(&stalls, NULL);
    struct tail_finding finding = gate_tail_look(old_cell, new_cell, LIMIT);
    struct tail_repeats repeats = gate_tail_begin(&finding);
    bool goes_on = true;
    while (goes_on)
        goes_on = gate_tail_repeat(&repeats, old_cell, repeats.pairs < misses ? old_cell : new_cell,
                                   LIMIT);
    struct compared_cell cell = {.tail = {.known = true, .verdict = finding.verdict}};
    gate_tail_conclude(&cell, &repeats, LIMIT);
    cJSON_Delete(old_cell);
    cJSON_Delete(new_cell);
    *pairs = cell.tail.pairs;
    return cell.tail.verdict;
}

TEST(test_repetitions_decide)
{
    size_t pairs;
    assert_int_equal(repeated(0, &pairs), VERDICT_REGRESSED);
    assert_int_equal(pairs, TAIL_PAIRS);
    assert_int_equal(repeated(1, &pairs), VERDICT_REGRESSED);
    assert_int_equal(pairs, TAIL_PAIRS);
    assert_int_equal(repeated(2, &pairs), VERDICT_SAME);
    assert_int_equal(pairs, 2);
}

/* 200 comparisons of one design with itself, each time with up to 40 % more by chance. */
TEST(test_noise_raises_no_alarm)
{
    struct rng rng;
    rng_seed(&rng, 1, 0);
    for (int i = 0; i < 200; i++) {
        struct shape shape = {.p50_ns = 40, .max_ns = 200.0 * (1 << i % 12), .noise = 0.4};
        cJSON *old_cell = make_cell(&shape, &rng), *new_cell = make_cell(&shape, &rng);
        assert_int_equal(gate_tail_look(old_cell, new_cell, LIMIT).verdict, VERDICT_SAME);
        cJSON_Delete(old_cell);
        cJSON_Delete(new_cell);
    }
}

TEST_MAIN(NULL, NULL)
