/* Advice from made-up cells: what dominates, what is not told apart, what is recommended. */
#include "harness/base/json.h"
#include "labs/advise/advising.h"
#include "labs/advise/choice.h"
#include "labs/advise/evidence.h"
#include "testing.h"

#include <math.h>

#define OWN 1000u

/* ---- Made-up cells. -------------------------------------------------------------------------- */

/* What a cell says of its design; `cost` is the median of its samples. */
struct made {
    const char *impl;
    double cost, peak_bytes, max_ns, late_ns, ticks;
    unsigned tasks, samples;
    double scatter;   /* of the samples, as a share */
    double tail_sure; /* p99.9 over the maximum; 0: 0.9 */
    const char *status;
};
/* To the test's world, in that round. */
#define ADD(round, name, ...)                                                                      \
    world_add(&world, round, (struct made){.impl = name, .cost = __VA_ARGS__})

static cJSON *make_samples(const struct made *made)
{
    cJSON *list = cJSON_CreateArray();
    for (unsigned i = 0; i < made->samples; i++) {
        double share = made->samples > 1 ? (double)i / (double)(made->samples - 1) - 0.5 : 0;
        cJSON_AddItemToArray(list, cJSON_CreateNumber(made->cost * (1 + made->scatter * share)));
    }
    return list;
}

static cJSON *make_phase(const struct made *made)
{
    cJSON *phase = cJSON_Parse("{\"name\": \"replay\", \"operations\": {\"start\": 500, \"stop\": "
                               "300, \"expire\": 200, \"advance\": 100}, \"wakeups\": {\"count\": "
                               "100, \"useful\": 50, \"to_moment\": 0}, \"ns_per_op\": {}, "
                               "\"latency_ns\": {\"advance\": {}}}");
    cJSON *operations = cJSON_GetObjectItem(phase, "operations");
    cJSON *latency = cJSON_GetObjectItem(cJSON_GetObjectItem(phase, "latency_ns"), "advance");
    cJSON_AddItemToObject(operations, "ticks", cJSON_CreateNumber(made->ticks));
    cJSON_AddItemToObject(cJSON_GetObjectItem(phase, "ns_per_op"), "samples", make_samples(made));
    cJSON_AddItemToObject(latency, "p99", cJSON_CreateNumber(made->max_ns / 10));
    cJSON_AddItemToObject(latency, "p99_9", cJSON_CreateNumber(made->max_ns * made->tail_sure));
    cJSON_AddItemToObject(latency, "max", cJSON_CreateNumber(made->max_ns));
    return phase;
}

static cJSON *make_cell(const struct made *made, const char *identity)
{
    cJSON *cell = cJSON_CreateObject(), *phases = cJSON_CreateArray();
    bool ok = !made->status;
    json_add_text(cell, "impl", made->impl);
    json_add_text(cell, "identity", identity);
    json_add_text(cell, "status", ok ? "ok" : made->status);
    json_add_text(cell, "reason", ok ? NULL : "it was made up so");
    if (ok)
        cJSON_AddItemToArray(phases, make_phase(made));
    json_add(cell, "phases", phases);
    cJSON *sampling = cJSON_AddObjectToObject(cell, "sampling");
    json_add_integer(sampling, "samples", ok ? made->samples : 0);
    cJSON *stream = cJSON_AddObjectToObject(cell, "stream");
    json_add_integer(stream, "capacity", made->tasks);
    json_add_integer(stream, "hash", made->tasks);
    cJSON *memory = cJSON_AddObjectToObject(cell, "memory");
    json_add_measure(memory, "peak_bytes", made->peak_bytes);
    json_add_measure(memory, "fixed_bytes", 0);
    cJSON *precision = cJSON_AddObjectToObject(cell, "precision");
    json_add_measure(precision, "late_max_ns", made->late_ns);
    json_add_measure(precision, "late_mean_ns", made->late_ns / 2);
    return cell;
}

/* Runs on the real clock: in run i all figures are `drift` times what they were in the one before. */
static cJSON *make_runs(double cpu_ns, double caller_ns, double late_ns, double drift,
                        unsigned runs)
{
    cJSON *cell =
        cJSON_Parse("{\"status\": \"ok\", \"reason\": null, \"stream\": {\"hash\": \"a\"}, "
                    "\"clock\": {\"bytes_per_timer\": 80, \"rounds\": []}}");
    cJSON *rounds = cJSON_GetObjectItem(cJSON_GetObjectItem(cell, "clock"), "rounds");
    for (double times = 1; runs > 0; runs--, times *= drift) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{\"process_cpu_ns\": %g, \"operations\": 100, \"times_ns\": {\"start\": {\"p99\": "
            "%g}, \"stop\": null, \"late\": {\"p99\": %g}}}",
            100 * cpu_ns * times, caller_ns * times, late_ns * times);
        cJSON_AddItemToArray(rounds, cJSON_Parse(text));
    }
    return cell;
}

static struct contender run_contender(const cJSON *cell)
{
    struct contender out = {.cells = {.cells = {cell}}};
    out.of = criteria_of(&out.cells);
    return out;
}

/* Each run is a sample, and pairs of one round see through what all runs have in common. */
TEST(test_runs_on_the_real_clock_are_compared_by_pairs)
{
    cJSON *a = make_runs(100, 50, 1e6, 1.3, 8), *b = make_runs(110, 50, 2e6, 1.3, 8);
    cJSON *few = make_runs(10, 5, 1e5, 1.3, 2);
    struct contender left = run_contender(a), right = run_contender(b),
                     short_one = run_contender(few);
    assert_true(left.of.known && left.of.on_clock);
    assert_int_equal(left.of.late_ns.count, 8);
    assert_int_equal(criteria_compare(&left, &right, CRITERION_COST), -1);
    assert_int_equal(criteria_compare(&left, &right, CRITERION_TAIL), 0);
    assert_int_equal(criteria_compare(&right, &left, CRITERION_PRECISION), 1);
    struct summary ratio = criteria_ratio(&right.cells, &left.cells, CRITERION_PRECISION);
    assert_true(ratio.low > 1.99 && ratio.high < 2.01);
    assert_true(isnan(criteria_value(&left.of, CRITERION_WAKEUPS)));
    assert_true(criteria_may_be_better(&short_one, &left, CRITERION_PRECISION));
    /* Two looks that differ by three say nothing yet, by ten they do. */
    cJSON *thrice = make_runs(300, 150, 3e5, 1, 1), *tenfold = make_runs(1000, 500, 1e6, 1, 1);
    cJSON *once = make_runs(100, 50, 1e5, 1, 1);
    struct contender lone = run_contender(once), slow = run_contender(thrice);
    struct contender slower = run_contender(tenfold);
    assert_int_equal(criteria_compare(&lone, &slow, CRITERION_PRECISION), 0);
    assert_int_equal(criteria_compare(&lone, &slower, CRITERION_PRECISION), -1);
    /* Nor do they where the runs of one lie far apart. */
    struct contender scattered = run_contender(a);
    assert_int_equal(criteria_compare(&scattered, &slower, CRITERION_COST), 0);
    cJSON_Delete(thrice);
    cJSON_Delete(tenfold);
    cJSON_Delete(once);
    assert_false(criteria_may_be_better(&right, &left, CRITERION_PRECISION));
    cJSON_Delete(a);
    cJSON_Delete(b);
    cJSON_Delete(few);
}

/* ---- A world of them. ------------------------------------------------------------------------ */

struct world {
    struct advice_evidence evidence;
    cJSON *document, *cells;
    struct field *field; /* of what was there when it was asked for last */
};

static struct world world_open(void)
{
    struct world world = {.evidence = {.load = {.workload = "hold",
                                                .tasks = OWN,
                                                .tick_ns = 1000000,
                                                .capacity = OWN,
                                                .horizon = 60000}}};
    world.document = cJSON_CreateObject();
    world.cells = cJSON_AddArrayToObject(world.document, "cells");
    return world;
}

static struct candidate as_it_comes(const char *impl)
{
    const struct tw_design *design = registry_find(impl);
    return (struct candidate){.design = design, .place = (unsigned)(design - registry)};
}

static size_t world_add(struct world *world, size_t round, struct made made)
{
    char identity[80];
    struct candidate candidate = as_it_comes(made.impl);
    made.tasks = made.tasks ? made.tasks : OWN;
    made.samples = made.samples ? made.samples : 9;
    made.peak_bytes = made.peak_bytes > 0 ? made.peak_bytes : 16000;
    made.max_ns = made.max_ns > 0 ? made.max_ns : 5000;
    made.tail_sure = made.tail_sure > 0 ? made.tail_sure : 0.9;
    made.ticks = made.ticks > 0 ? made.ticks : 100;
    snprintf(identity, sizeof identity, "%s tasks=%u round=%zu", made.impl, made.tasks, round);
    cJSON_AddItemToArray(world->cells, make_cell(&made, identity));
    size_t index = evidence_add_candidate(&world->evidence, &candidate);
    evidence_add(&world->evidence, index, round, identity);
    return index;
}

/* A candidate without a cell. */
static size_t world_mention(struct world *world, const char *impl, const char *left_out)
{
    struct candidate candidate = as_it_comes(impl);
    snprintf(candidate.left_out, sizeof candidate.left_out, "%s", left_out);
    return evidence_add_candidate(&world->evidence, &candidate);
}

/* Of the cell added last: what was left when the harness's time was taken off. */
static void world_take_off(struct world *world, const char *samples)
{
    const cJSON *cell = cJSON_GetArrayItem(world->cells, cJSON_GetArraySize(world->cells) - 1);
    cJSON *corrected =
        cJSON_AddObjectToObject(cJSON_GetArrayItem(json_get(cell, "phases"), 0), "corrected");
    cJSON *per_op = cJSON_AddObjectToObject(corrected, "ns_per_op");
    cJSON_AddItemToObject(per_op, "samples", cJSON_Parse(samples));
}

static struct field *world_field(struct world *world)
{
    free(world->field);
    world->field = calloc(1, sizeof *world->field);
    assert_non_null(world->field);
    evidence_look(&world->evidence, world->document);
    field_fill(world->field, &world->evidence);
    return world->field;
}

static void world_close(struct world *world)
{
    free(world->field);
    evidence_free(&world->evidence);
    cJSON_Delete(world->document);
}

/* The world of a test, closed at its end. */
#define WORLD __attribute__((cleanup(world_close))) struct world world = world_open()

/* ---- Criteria. ------------------------------------------------------------------------------- */

TEST(test_an_answer_that_is_not_clear_is_called_so)
{
    WORLD;
    char text[WORDS_SIZE];
    ADD(0, "heap", 100, .scatter = 0.1);
    ADD(0, "hashed", 101, .scatter = 0.1);
    ADD(0, "list", 400, .scatter = 0.1);
    struct field *field = world_field(&world);
    words_unclear(text, sizeof text, &world.evidence, field);
    assert_non_null(strstr(text, "No clear answer between "));
    assert_non_null(strstr(text, "heap"));
    assert_non_null(strstr(text, "hashed"));
    assert_null(strstr(text, "list"));
}

/* Two samples whose figures are far behind are enough to leave a design out of the headline, and not of the race when
 * they are near. */
TEST(test_a_short_look_makes_no_answer_unclear_from_afar)
{
    WORLD;
    char text[WORDS_SIZE];
    ADD(0, "heap", 100, .scatter = 0.01);
    ADD(0, "hashed", 150, .samples = 2);
    size_t round = ADD(0, "round", 105, .samples = 2);
    struct field *field = world_field(&world);
    words_unclear(text, sizeof text, &world.evidence, field);
    assert_string_equal(text, "No clear answer between heap and round by cost");
    assert_true(
        criteria_may_be_near(&field->contenders[round], &field->contenders[0], CRITERION_COST));
}

TEST(test_a_clear_answer_is_not_called_unclear)
{
    WORLD;
    char text[WORDS_SIZE];
    ADD(0, "simple", 100, .scatter = 0.01);
    ADD(0, "list", 400, .scatter = 0.01);
    cJSON_AddNumberToObject(world.cells->child, "span_ticks", 5000);
    struct field *field = world_field(&world);
    words_unclear(text, sizeof text, &world.evidence, field);
    assert_string_equal(text, "");
    words_is(text, sizeof text, &world.evidence, field);
    assert_string_equal(
        text, "simple: simple wheel, one slot for each tick of its range (scheme 4); as it is "
              "set here it refuses delays beyond 5000 ticks (5 s)");
    world_close(&world);
    world = world_open();
    ADD(0, "fast", 100, .scatter = 0.01);
    cJSON_AddNumberToObject(world.cells->child, "span_ticks", 0x1p61);
    field = world_field(&world);
    words_is(text, sizeof text, &world.evidence, field);
    assert_string_equal(text, "fast: rings of marked slots that leave stopped and re-armed timers "
                              "where they lie; it takes delays of centuries");
}

TEST(test_the_only_one_measured_is_no_clear_answer)
{
    WORLD;
    char text[WORDS_SIZE];
    ADD(0, "round", 100);
    world_mention(&world, "heap", "");
    struct field *field = world_field(&world);
    words_unclear(text, sizeof text, &world.evidence, field);
    assert_string_equal(text,
                        "No clear answer: there was no time for the other designs at this size");
}

/* Those that every reader knows stand there, dominated, left out or not measured. */
TEST(test_the_known_designs_are_always_compared)
{
    WORLD;
    ADD(0, "hashed", 10);
    ADD(0, "heap", 40, .peak_bytes = 32000);
    ADD(0, "scan", 90, .peak_bytes = 64000);
    world_mention(&world, "list", "");
    world_mention(&world, "fast", "left out by hand");
    evidence_look(&world.evidence, world.document);
    cJSON *advice = advice_make(&world.evidence);
    const cJSON *list = json_get(advice, "comparisons");
    assert_int_equal(cJSON_GetArraySize(list), 3);
    const cJSON *heap = cJSON_GetArrayItem(list, 0), *last = cJSON_GetArrayItem(list, 2);
    assert_string_equal(json_get_text(heap, "candidate"), "heap");
    assert_true(fabs(json_get_number(heap, "memory_ratio") - 2) < 1e-9);
    assert_true(fabs(json_get_number(heap, "cost_ratio.median") - 4) < 1e-6);
    assert_string_equal(json_get_text(cJSON_GetArrayItem(list, 1), "why"),
                        "not measured: the time was up before");
    assert_string_equal(json_get_text(last, "why"), "left out by hand");
    assert_true(isnan(json_get_number(last, "memory_ratio")));
    cJSON_Delete(advice);
}

TEST(test_cost_is_of_all_operations)
{
    WORLD;
    size_t heap = ADD(0, "heap", 20, .scatter = 0.1);
    const struct criteria *of = &world_field(&world)->contenders[heap].of;
    assert_true(of->known);
    assert_true(fabs(of->cost_ns.median - 20) < 1e-9);
    assert_true(of->cost_ns.low < 20 && of->cost_ns.high > 20);
    assert_true(fabs(of->bytes_per_task - 16) < 1e-9);
    assert_true(fabs(of->wakeups - 100) < 1e-9);
}

/* Other work makes wall time longer, and the answer must not follow it. */
TEST(test_cost_is_processor_time_where_it_is_known)
{
    WORLD;
    size_t heap = ADD(0, "heap", 20, .samples = 3);
    cJSON *phase = cJSON_GetArrayItem(json_get(cJSON_GetArrayItem(world.cells, 0), "phases"), 0);
    cJSON_AddItemToObject(phase, "cpu_ns_per_op_interval",
                          cJSON_Parse("{\"samples\": [10, 11, 12]}"));
    const struct contender *of = world_field(&world)->contenders;
    assert_true(fabs(of[heap].of.cost_ns.median - 11) < 1e-9);
}

/* Of samples below nothing there is no ratio, no best and no number: it may be better than any other. */
TEST(test_a_cost_of_which_nothing_is_left_is_unclear)
{
    WORLD;
    char text[WORDS_SIZE];
    size_t heap = world_add(&world, 0, (struct made){.impl = "heap", .peak_bytes = 8000});
    world_take_off(&world, "[-3, -2, -1, 1, 2, 3, 4, 5, 6]");
    size_t list = ADD(0, "list", 20);
    world_take_off(&world, "[9, 9, 9, 9, 9, 9, 9, 9, 9]");
    size_t scan = world_add(&world, 0, (struct made){.impl = "scan", .samples = 1});
    world_take_off(&world, "[0.001]");
    struct field *field = world_field(&world);
    const struct contender *of = field->contenders;
    const size_t unclear[] = {heap, scan};
    for (size_t i = 0; i < 2; i++) {
        struct summary over =
            criteria_ratio(&of[list].cells, &of[unclear[i]].cells, CRITERION_COST);
        struct summary under =
            criteria_ratio(&of[unclear[i]].cells, &of[list].cells, CRITERION_COST);
        assert_true(isnan(over.median) && isnan(over.high) && isnan(under.median));
        assert_true(criteria_may_be_better(&of[unclear[i]], &of[list], CRITERION_COST));
        assert_false(front_dominates(&of[list], &of[unclear[i]]));
        assert_true(criteria_promise(&of[unclear[i]].of, CRITERION_COST) < 1e-9);
    }
    assert_true(fabs(criteria_promise(&of[list].of, CRITERION_COST) - 9) < 1e-9);
    assert_int_equal(field->choice.chosen, list);
    words_unclear(text, sizeof text, &world.evidence, field);
    assert_string_equal(text, "No clear answer between list, heap and scan by cost");
    cJSON *advice = advice_make(&world.evidence);
    char *all = cJSON_PrintUnformatted(advice);
    assert_non_null(strstr(all, "too few samples, may be better: scan, cost unclear"));
    assert_null(strstr(all, "nan"));
    const cJSON *last = json_get(advice, "comparisons")->child;
    assert_string_equal(json_get_text(last, "candidate"), "heap");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json_get(last, "cost_ratio"), "median")));
    assert_string_equal(json_get_text(last, "why"), WORDS_COST_UNCLEAR);
    free(all);
    cJSON_Delete(advice);
    world.evidence.wishes.goal = CRITERION_MEMORY;
    field = world_field(&world);
    assert_int_equal(field->choice.chosen, heap);
    advice = words_reasons(&world.evidence, field);
    assert_int_equal(strncmp(advice->child->valuestring, WORDS_COST_UNCLEAR ", 8.00 bytes", 40), 0);
    cJSON_Delete(advice);
}

/* The same ratio as without them, as long as the interval leaves them out. */
TEST(test_a_sample_below_nothing_is_left_out_by_the_interval)
{
    WORLD;
    size_t heap = ADD(0, "heap", 20);
    world_take_off(&world, "[-3, 4, 4, 4, 4, 4, 4, 4, 4]");
    size_t list = ADD(0, "list", 20);
    world_take_off(&world, "[8, -5, 8, 8, 8, 8, 8, 8, 8]");
    const struct contender *of = world_field(&world)->contenders;
    struct summary ratio = criteria_ratio(&of[list].cells, &of[heap].cells, CRITERION_COST);
    assert_true(ratio.low > 1.99 && ratio.high < 2.01 && ratio.count == 9);
}

TEST(test_few_samples_tell_little)
{
    WORLD;
    size_t heap = ADD(0, "heap", 10, .samples = 1), list = ADD(0, "list", 15, .samples = 1);
    size_t scan = ADD(0, "scan", 25, .samples = 1);
    const struct contender *of = world_field(&world)->contenders;
    assert_int_equal(criteria_compare(&of[heap], &of[list], CRITERION_COST), 0);
    assert_int_equal(criteria_compare(&of[heap], &of[scan], CRITERION_COST), -1);
}

/* The margin is 3 %, and the interval has to lie beyond it. */
TEST(test_a_ratio_within_the_margin_is_not_told)
{
    WORLD;
    size_t heap = ADD(0, "heap", 100), list = ADD(0, "list", 102), scan = ADD(0, "scan", 105);
    const struct contender *of = world_field(&world)->contenders;
    assert_int_equal(criteria_compare(&of[heap], &of[list], CRITERION_COST), 0);
    assert_int_equal(criteria_compare(&of[heap], &of[scan], CRITERION_COST), -1);
    assert_int_equal(criteria_compare(&of[scan], &of[heap], CRITERION_COST), 1);
}

/* Samples that go up and down together have a ratio that is known well, whatever their scatter. */
TEST(test_pairs_see_through_a_common_drift)
{
    WORLD;
    size_t heap = ADD(0, "heap", 10, .scatter = 0.5), list = ADD(0, "list", 11, .scatter = 0.5);
    size_t scan = ADD(1, "scan", 11, .scatter = 0.5);
    const struct contender *of = world_field(&world)->contenders;
    struct summary paired = criteria_ratio(&of[list].cells, &of[heap].cells, CRITERION_COST);
    struct summary apart = criteria_ratio(&of[scan].cells, &of[heap].cells, CRITERION_COST);
    assert_int_equal(paired.count, 9);
    assert_int_equal(criteria_ratio_sign(&paired), 1);
    assert_int_equal(apart.count, 0);
    assert_int_equal(criteria_ratio_sign(&apart), 0);
}

/* One was only looked at, when the machine was twice as fast as in the race: the look decides. */
TEST(test_rounds_are_not_mixed)
{
    WORLD;
    ADD(0, "heap", 5, .samples = 2);
    size_t heap = ADD(1, "heap", 10), list = ADD(0, "list", 6, .samples = 2);
    size_t scan = ADD(0, "scan", 4.5, .samples = 2);
    const struct contender *of = world_field(&world)->contenders;
    struct summary ratio = criteria_ratio(&of[list].cells, &of[heap].cells, CRITERION_COST);
    assert_true(fabs(ratio.median - 1.2) < 1e-9);
    assert_false(criteria_may_be_better(&of[list], &of[heap], CRITERION_COST));
    assert_true(criteria_may_be_better(&of[scan], &of[heap], CRITERION_COST));
}

TEST(test_the_tail_is_the_least_of_the_maxima)
{
    WORLD;
    ADD(0, "heap", 10, .max_ns = 90000);
    size_t heap = ADD(1, "heap", 10, .max_ns = 7000), list = ADD(1, "list", 10, .max_ns = 13000);
    size_t scan = ADD(1, "scan", 10, .max_ns = 16000);
    const struct contender *of = world_field(&world)->contenders;
    assert_true(fabs(of[heap].of.tail_max_ns - 7000) < 1e-9);
    assert_int_equal(of[heap].of.tail_passes, 2);
    assert_int_equal(criteria_compare(&of[heap], &of[list], CRITERION_TAIL), 0);
    assert_int_equal(criteria_compare(&of[heap], &of[scan], CRITERION_TAIL), -1);
}

/* A maximum that came once may be an interruption. */
TEST(test_a_maximum_that_came_once_tells_little)
{
    WORLD;
    struct made calm = {.impl = "heap", .cost = 10, .max_ns = 5000, .tail_sure = 0.1};
    struct made once = {.impl = "list", .cost = 10, .max_ns = 90000, .tail_sure = 0.01};
    struct made again = {.impl = "scan", .cost = 10, .max_ns = 90000, .tail_sure = 0.01};
    size_t heap = world_add(&world, 0, calm), list = world_add(&world, 0, once);
    size_t scan = world_add(&world, 0, again);
    once.max_ns = 500000;
    again.max_ns = 100000;
    world_add(&world, 1, once);
    world_add(&world, 1, again);
    const struct contender *of = world_field(&world)->contenders;
    assert_int_equal(criteria_compare(&of[heap], &of[list], CRITERION_TAIL), 0);
    assert_int_equal(criteria_compare(&of[heap], &of[scan], CRITERION_TAIL), -1);
    assert_true(criteria_may_be_better(&of[heap], &of[list], CRITERION_TAIL));
    struct contender disturbed = of[heap];
    disturbed.of.interruption_ns = 86000;
    assert_int_equal(criteria_compare(&disturbed, &of[scan], CRITERION_TAIL), 0);
    assert_false(criteria_may_be_better(&of[list], &of[heap], CRITERION_TAIL));
}

/* Nobody is sent away by something else while two samples say that it is the cheaper one. */
TEST(test_who_may_be_cheaper_stays)
{
    WORLD;
    size_t heap = ADD(0, "heap", 12, .samples = 2);
    size_t list = ADD(0, "list", 10, .samples = 2, .peak_bytes = 20000);
    size_t scan = ADD(0, "scan", 13, .samples = 2, .peak_bytes = 20000);
    struct field *field = world_field(&world);
    assert_int_equal(field->by[list], FRONT_ITSELF);
    assert_int_equal(field->by[scan], heap);
}

/* ---- The front. ------------------------------------------------------------------------------ */

TEST(test_front_has_ties_and_trades)
{
    WORLD;
    size_t heap = ADD(0, "heap", 20, .peak_bytes = 9e3), list = ADD(0, "list", 10);
    size_t scan = ADD(0, "scan", 10.1), ring = ADD(0, "ring", 12);
    struct field *field = world_field(&world);
    assert_int_equal(field->by[heap], FRONT_ITSELF);
    assert_int_equal(field->by[list], FRONT_ITSELF);
    assert_int_equal(field->by[scan], FRONT_ITSELF);
    assert_int_equal(field->by[ring], list);
}

TEST(test_one_can_dominate_all)
{
    WORLD;
    size_t heap = ADD(0, "heap", 5, .peak_bytes = 9e3), list = ADD(0, "list", 10);
    size_t scan = ADD(0, "scan", 20);
    struct field *field = world_field(&world);
    assert_int_equal(field->by[heap], FRONT_ITSELF);
    assert_int_equal(field->by[list], heap);
    assert_int_equal(field->by[scan], heap);
    assert_int_equal(field->choice.chosen, heap);
}

/* heap beats list by memory, list beats scan by its tail, scan beats heap by cost: a ring, since what
 * lies within a factor of two or of 3 % counts as equal. */
TEST(test_a_ring_leaves_somebody)
{
    WORLD;
    size_t count = 0, left = 0;
    ADD(0, "heap", 10.4, .peak_bytes = 10000, .max_ns = 6e3);
    ADD(0, "list", 10.2, .peak_bytes = 10120, .max_ns = 4e3);
    ADD(0, "scan", 10.0, .peak_bytes = 10090, .max_ns = 9e3);
    struct field *field = world_field(&world);
    const struct contender *of = field->contenders;
    assert_true(front_dominates(&of[0], &of[1]));
    assert_true(front_dominates(&of[1], &of[2]));
    assert_true(front_dominates(&of[2], &of[0]));
    for (; count < field->count; count++)
        left += field->by[count] == FRONT_ITSELF;
    assert_in_range(left, 1, 2);
}

TEST(test_the_unknown_and_the_refused_dominate_nobody)
{
    WORLD;
    world.evidence.wishes.memory_bytes = 20;
    size_t heap = ADD(0, "heap", 5, .peak_bytes = 30e3), list = ADD(0, "list", 10);
    size_t ring = world_add(&world, 0, (struct made){.impl = "ring", .status = "unsupported"});
    size_t linux_wheel = world_mention(&world, "linux", "may be late");
    struct field *field = world_field(&world);
    assert_int_equal(field->by[list], FRONT_ITSELF);
    assert_int_equal(field->choice.chosen, list);
    assert_false(field->entries[heap].allowed);
    assert_false(field->entries[ring].allowed);
    assert_false(field->entries[linux_wheel].allowed);
    assert_string_equal(field->why[heap], "30.0 bytes per task; at most 20 are allowed");
}

/* A refused one that is not told apart in what it was refused for. */
TEST(test_the_refused_are_no_rivals)
{
    WORLD;
    world.evidence.wishes.tail_ns = 10000;
    size_t heap = ADD(0, "heap", 5, .max_ns = 12000), list = ADD(0, "list", 10, .max_ns = 8000);
    struct field *field = world_field(&world);
    assert_true(front_dominates(&field->contenders[heap], &field->contenders[list]));
    assert_int_equal(field->by[list], FRONT_ITSELF);
    assert_int_equal(field->choice.chosen, list);
}

/* ---- The choice. ----------------------------------------------------------------------------- */

TEST(test_equals_are_chosen_by_what_tells_them_apart)
{
    WORLD;
    size_t list = ADD(0, "list", 10, .peak_bytes = 2e4);
    size_t heap = ADD(0, "heap", 10.2, .peak_bytes = 1e4);
    size_t scan = ADD(0, "scan", 12, .peak_bytes = 5e3);
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.best, list);
    assert_int_equal(field->choice.chosen, heap);
    assert_int_equal(field->choice.because, CRITERION_MEMORY);
    assert_true(field->equal[list] && field->equal[heap] && !field->equal[scan]);
}

/* Scattered samples do not make the dear one as good as the cheap one. */
TEST(test_not_told_apart_is_not_yet_the_same)
{
    WORLD;
    size_t list = ADD(0, "list", 10, .scatter = 1.5);
    size_t heap = ADD(1, "heap", 10.5, .scatter = 1.5, .peak_bytes = 1000);
    struct field *field = world_field(&world);
    assert_true(field->equal[heap]);
    assert_int_equal(field->choice.chosen, list);
    bool doubtful = false;
    cJSON *reasons = words_reasons(&world.evidence, field), *reason;
    cJSON_ArrayForEach(reason, reasons) doubtful =
        doubtful || strncmp(reason->valuestring, "doubtful: ", 10) == 0;
    assert_true(doubtful);
    cJSON_Delete(reasons);
}

TEST(test_equals_in_everything_leave_the_simpler)
{
    WORLD;
    size_t hier = ADD(0, "hier", 10), heap = ADD(0, "heap", 10.1);
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.best, hier);
    assert_int_equal(field->choice.chosen, heap);
    assert_int_equal(field->choice.because, CRITERIA);
}

TEST(test_a_first_look_recommends_nothing)
{
    WORLD;
    size_t list = ADD(0, "list", 10, .samples = 1), heap = ADD(0, "heap", 12);
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.chosen, heap);
    assert_false(field->equal[list]);
}

TEST(test_goals_and_limits)
{
    WORLD;
    size_t list = ADD(0, "list", 10, .max_ns = 5e4), heap = ADD(0, "heap", 20, .peak_bytes = 9e3);
    size_t scan = ADD(0, "scan", 30, .ticks = 50);
    const struct {
        enum criterion goal;
        size_t answer;
    } goals[] = {{CRITERION_COST, list},
                 {CRITERION_MEMORY, heap},
                 {CRITERION_WAKEUPS, scan},
                 {CRITERION_TAIL, heap}};
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        world.evidence.wishes.goal = goals[i].goal;
        struct field *field = world_field(&world);
        assert_int_equal(field->choice.chosen, goals[i].answer);
    }
    world.evidence.wishes = (struct wishes){.goal = CRITERION_COST, .tail_ns = 10000};
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.chosen, heap);
}

TEST(test_no_answer_when_nobody_is_left)
{
    WORLD;
    world.evidence.wishes.memory_bytes = 1;
    ADD(0, "list", 10);
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.chosen, CHOICE_NONE);
    cJSON *advice = advice_make(&world.evidence);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(advice, "recommendation")));
    cJSON_Delete(advice);
}

/* Who saves a little more memory than another at eighteen times the cost serves nobody. */
TEST(test_a_trade_names_the_best_bargain)
{
    WORLD;
    ADD(0, "fast", 10, .peak_bytes = 161e3);
    ADD(0, "linux26", 11.7, .peak_bytes = 18e3);
    ADD(0, "heap-scan", 181, .peak_bytes = 13e3);
    struct field *field = world_field(&world);
    cJSON *reasons = words_reasons(&world.evidence, field);
    char *text = cJSON_PrintUnformatted(reasons);
    assert_non_null(strstr(text, "for better memory linux26: "));
    assert_null(strstr(text, "heap-scan"));
    cJSON_free(text);
    cJSON_Delete(reasons);
}

TEST(test_few_samples_are_told_without_an_interval)
{
    WORLD;
    ADD(0, "fast", 10, .samples = 1);
    ADD(0, "list", 90, .samples = 1);
    struct field *field = world_field(&world);
    cJSON *reasons = words_reasons(&world.evidence, field);
    char *text = cJSON_PrintUnformatted(reasons);
    assert_non_null(strstr(text, "roughly 10.0 ns per operation (1 sample)"));
    assert_non_null(strstr(text, "cost roughly 9.00 times"));
    cJSON_free(text);
    cJSON_Delete(reasons);
}

/* ---- The order of looks. --------------------------------------------------------------------- */

TEST(test_what_everybody_would_try_is_looked_at_first)
{
    WORLD;
    size_t order[CANDIDATES_MAX], first;
    world_mention(&world, "linux", "may be late");
    for (size_t i = 0; i < registry_count; i++)
        world_mention(&world, registry[i].timed->name, "");
    assert_int_equal(racing_order(&world.evidence, order, &first), registry_count - 1);
    assert_int_equal(first, CANDIDATES_USUAL);
    for (size_t i = 0; i < first; i++)
        assert_string_equal(world.evidence.candidates[order[i]].design->timed->name,
                            candidates_usual[i]);
}

TEST(test_on_the_real_clock_each_runner_is_looked_at_before_any_twice)
{
    WORLD;
    size_t order[CANDIDATES_MAX], first;
    const struct runner runners[] = {{.name = "locked"}, {.name = "sharded"}, {.name = "loop"}};
    const struct tw_design *designs[] = {registry_find("hashed"), registry_find("heap")};
    struct candidate candidates[8];
    size_t count = candidates_on_clock(runners, 3, designs, 2, candidates, 8);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        evidence_add_candidate(&world.evidence, &candidates[i]);
    assert_int_equal(racing_order(&world.evidence, order, &first), 6);
    assert_int_equal(first, 3);
    for (size_t i = 0; i < first; i++) {
        assert_string_equal(world.evidence.candidates[order[i]].runner->name, runners[i].name);
        assert_ptr_equal(world.evidence.candidates[order[i]].design, designs[0]);
    }
}

/* ---- The document. --------------------------------------------------------------------------- */

static const cJSON *candidate_of(const cJSON *advice, const char *name)
{
    json_each(item, cJSON_GetObjectItem(advice, "candidates"), "")
        if (strcmp(json_get_text(item, "name"), name) == 0)
            return item;
    fail_msg("no candidate %s", name);
    return NULL;
}

TEST(test_every_candidate_has_a_status_and_a_reason)
{
    WORLD;
    ADD(0, "heap", 10);
    ADD(0, "list", 20);
    ADD(0, "scan", 30, .peak_bytes = 1000);
    world_add(&world, 0, (struct made){.impl = "ring", .status = "unsupported"});
    world_add(&world, 0, (struct made){.impl = "simple", .status = "timeout"});
    world_mention(&world, "hier", "");
    world_mention(&world, "linux", "may be late");
    world_field(&world);
    cJSON *advice = advice_make(&world.evidence);
    const char *const expected[][3] = {
        {"heap", "recommended", ""},
        {"list", "dominated", "dominated by heap: cost 2.00 times (2.00 - 2.00, 9 pairs)"},
        {"scan", "front", "cost 3.00 times (3.00 - 3.00, 9 pairs)"},
        {"ring", "unsupported", "unsupported: it was made up so"},
        {"simple", "timeout", "timeout: it was made up so"},
        {"hier", "not-measured", "not measured: the time was up before"},
        {"linux", "left-out", "may be late"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const cJSON *candidate = candidate_of(advice, expected[i][0]);
        assert_string_equal(json_get_text(candidate, "status"), expected[i][1]);
        assert_string_equal(json_get_text(candidate, "why"), expected[i][2]);
    }
    assert_string_equal(json_get_text(advice, "recommendation.command"),
                        "twbench run --workload=hold --tasks=1000 --impl=heap");
    cJSON_Delete(advice);
}

/* An interrupted run has identities of cells that never came to be. */
TEST(test_a_budget_too_short_names_the_next)
{
    WORLD;
    world.evidence.budget_ns = world.evidence.used_ns = 3000000000u;
    ADD(0, "heap", 10);
    ADD(0, "list", 20);
    static const double next_s[] = {NAN, 20, 50, 50,
                                    50,  50, 100}; /* at most 20 times, rounded up */
    for (size_t i = 0; i < sizeof next_s / sizeof *next_s; i++) {
        world.evidence.untried = 6 * i;
        world_field(&world);
        cJSON *advice = advice_make(&world.evidence);
        double next_ns = json_get_number(advice, "budget.next_ns");
        assert_int_equal(json_get_number(advice, "budget.measured"), 2);
        assert_true(isnan(next_s[i]) ? isnan(next_ns) : next_ns == next_s[i] * 1e9);
        cJSON_Delete(advice);
    }
    world.evidence.used_ns = 700000000u; /* a deadline ended it */
    cJSON *advice = advice_make(&world.evidence);
    assert_true(json_get_number(advice, "budget.next_ns") == 20e9);
    cJSON_Delete(advice);
}

TEST(test_cells_that_are_not_there_say_nothing)
{
    WORLD;
    ADD(0, "heap", 10);
    size_t list = world_mention(&world, "list", "");
    evidence_add(&world.evidence, list, 0, "never run");
    struct field *field = world_field(&world);
    assert_int_equal(field->choice.chosen, 0);
    assert_false(field->contenders[list].of.known);
    cJSON *advice = advice_make(&world.evidence);
    assert_string_equal(json_get_text(candidate_of(advice, "list"), "status"), "not-measured");
    cJSON_Delete(advice);
}

/* Runs of one round are one cell, and each is a sample of it. */
TEST(test_runs_of_a_round_are_joined)
{
    WORLD;
    const struct runner runner = {"locked", "one lock", "nobody"};
    world.evidence.wishes = (struct wishes){.goal = CRITERION_PRECISION, .on_clock = true};
    struct candidate candidate = as_it_comes("heap");
    candidate.runner = &runner;
    evidence_add_candidate(&world.evidence, &candidate);
    for (unsigned i = 0; i < 3; i++)
        evidence_add_run(&world.evidence, 0, 0, make_runs(100 + i, 50, 1e6, 1, 1));
    evidence_add_run(&world.evidence, 0, 1, make_runs(100, 50, 1e6, 1, 1));
    struct field *field = world_field(&world);
    assert_int_equal(cJSON_GetArraySize(world.evidence.runs), 2);
    assert_int_equal(field->contenders[0].of.cost_ns.count, 4);
    assert_int_equal(field->choice.chosen, 0);
    cJSON *advice = advice_make(&world.evidence);
    const cJSON *told = candidate_of(advice, "locked/heap");
    assert_int_equal(cJSON_GetArraySize(json_get(told, "cells")), 2);
    assert_string_equal(json_get_text(told, "status"), "recommended");
    cJSON_Delete(advice);
}

TEST(test_the_same_cells_give_the_same_advice)
{
    WORLD;
    ADD(0, "heap", 10, .scatter = 0.2);
    ADD(0, "list", 10.3, .scatter = 0.2);
    world_field(&world);
    cJSON *first = advice_make(&world.evidence), *second = advice_make(&world.evidence);
    assert_true(cJSON_Compare(first, second, true));
    cJSON_Delete(first);
    cJSON_Delete(second);
}

/* ---- Candidates and wishes. ------------------------------------------------------------------ */

TEST(test_candidates)
{
    struct candidate candidates[CANDIDATES_MAX], around[16];
    struct wishes exact = {.goal = CRITERION_COST}, late = {.late = true, .late_ns = 10000000};
    struct load load = {.workload = "hold", .tasks = 1000, .tick_ns = 1000000, .horizon = 60000};
    const struct tw_design *designs[64];
    size_t left_out = 0;
    for (size_t i = 0; i < registry_count; i++)
        designs[i] = &registry[i];
    size_t count = candidates_default(&exact, designs, registry_count, candidates, CANDIDATES_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(candidates[i].design->timed->name, "null");
        left_out += candidates[i].left_out[0] != '\0';
    }
    assert_int_equal(count, registry_count - 1);
    assert_int_equal(left_out, 2); /* linux, multi */
    candidates_default(&late, designs, registry_count, candidates, CANDIDATES_MAX);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(candidates[i].left_out, "");
    struct candidate hashed = {.design = registry_find("hashed")};
    assert_int_equal(candidates_around(&hashed, &load, 1024, around, 16),
                     4); /* by next, slots twice, bitmap */
    char name[CANDIDATE_NAME_MAX];
    candidate_name(name, sizeof name, &around[0]);
    assert_string_equal(name, "hashed tickless");
    candidate_name(name, sizeof name, &around[2]);
    assert_string_equal(name, "hashed slots=4096");
    assert_int_equal(candidates_coarser(&hashed, &load, &exact, around, 16), 0);
    assert_int_equal(candidates_coarser(&hashed, &load, &late, around, 16), 2);
    assert_int_equal(around[0].tick_ns, 10000000);
    assert_int_equal(around[1].tick_ns, 2000000);
}

TEST(test_levels_reach_the_horizon)
{
    struct candidate around[16], hier = {.design = registry_find("hier")};
    struct load load = {.workload = "hold", .tick_ns = 1, .horizon = UINT64_C(1) << 24};
    size_t count = candidates_around(&hier, &load, 0, around, 16);
    assert_int_equal(count, 4);
    for (size_t i = 1; i < count; i++) {
        double reach = 1;
        for (uint32_t v = 0; v < around[i].settings[0].count; v++)
            reach *= (double)around[i].settings[0].values[v];
        assert_true(reach > (double)load.horizon);
    }
}

TEST(test_wishes_are_parsed)
{
    struct wishes wishes = {.late = false};
    struct diag diag;
    assert_int_equal(wishes_parse_late("10ms", "--late", &wishes, &diag), DIAG_OK);
    assert_int_equal(wishes.late_ns, 10000000);
    wishes = (struct wishes){.late = false};
    assert_int_equal(wishes_parse_late("12.5%", "--late", &wishes, &diag), DIAG_OK);
    assert_true(fabs(wishes.late_share - 0.125) < 1e-9);
    assert_int_equal(wishes.late_ns, 0);
    const char *const wrong[] = {"", "x", "0", "120%", "-1", "nan", "0ms"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wishes_parse_late(wrong[i], "--late", &wishes, &diag), DIAG_USAGE);
    struct wishes finished = {.goal = CRITERION_PRECISION};
    assert_int_equal(wishes_finish(&finished, &diag), DIAG_USAGE);
    finished = (struct wishes){.goal = CRITERIA, .on_clock = true};
    assert_int_equal(wishes_finish(&finished, &diag), DIAG_OK);
    assert_int_equal(finished.goal, CRITERION_PRECISION);
    assert_int_equal(finished.between, PLAN_BETWEEN_UNASKED);
    static const uint32_t asked[] = {PLAN_BETWEEN_UNASKED, PLAN_BETWEEN_NONE, PLAN_BETWEEN_SIZE},
                          meant[] = {PLAN_BETWEEN_CHAIN, PLAN_BETWEEN_UNASKED, PLAN_BETWEEN_SIZE};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        finished = (struct wishes){.goal = CRITERIA, .between = asked[i]};
        assert_int_equal(wishes_finish(&finished, &diag), DIAG_OK);
        assert_int_equal(finished.between, meant[i]);
    }
    finished = (struct wishes){.on_clock = true, .late = true, .late_share = 0.1};
    assert_int_equal(wishes_finish(&finished, &diag), DIAG_USAGE);
}

TEST_MAIN(NULL, NULL)
