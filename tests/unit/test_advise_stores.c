/* Advice on stores from made-up cells: who is refused, who is not clearly different, at which size two are compared. */
#include "harness/ask/advise/durable_advice.h"
#include "harness/ask/advise/durable_choice.h"
#include "harness/base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 6

/* One size after another: puts a second there, 0 behind the last that it came to. */
struct made {
    const char *key, *status;
    double puts[3], memory, scatter;
    unsigned flags, runs;
};

static const struct storing_request request = {.syncs = {{.policy = TW_SYNC_GROUP}},
                                               .sync_count = 1,
                                               .producers = {1},
                                               .producer_count = 1,
                                               .batches = {1},
                                               .batch_count = 1};

static void add_figure(cJSON *figures, const char *key, double value, const struct made *made)
{
    cJSON *figure = cJSON_CreateObject(), *samples = cJSON_CreateArray();
    for (unsigned i = 0; i < made->runs; i++)
        cJSON_AddItemToArray(samples,
                             cJSON_CreateNumber(value * (1 + made->scatter * (i % 2 ? 1 : -1))));
    json_add_measure(figure, "median", value);
    json_add(figure, "samples", samples);
    json_add(figures, key, figure);
}

static void add_cell(cJSON *cells, const struct made *made, uint64_t tasks, double puts)
{
    cJSON *cell = cJSON_CreateObject(), *figures = cJSON_CreateObject(),
          *load = cJSON_CreateObject();
    json_add_text(cell, "store", made->key);
    json_add_text(cell, "clock", "virtual");
    json_add_text(cell, "status", made->status ? made->status : "ok");
    json_add_text(cell, "reason", made->status ? "1 lost" : NULL);
    json_add_integer(cell, "runs", made->runs);
    json_add_integer(load, "tasks", tasks);
    json_add(cell, "load", load);
    add_figure(figures, "puts_per_s", puts, made);
    add_figure(figures, "memory_bytes_per_pending", made->memory, made);
    json_add(cell, "figures", figures);
    cJSON_AddItemToArray(cells, cell);
}

static cJSON *make(struct durable_evidence *evidence, struct tw_store_backend *backends,
                   const struct made *made, size_t count)
{
    static const uint64_t sizes[] = {100, 1000, 10000};
    cJSON *document = cJSON_CreateObject(), *cells = cJSON_CreateArray();
    json_add(document, "cells", cells);
    *evidence = (struct durable_evidence){
        .request = &request, .size_count = 3, .count = count, .document = document};
    memcpy(evidence->sizes, sizes, sizeof sizes);
    for (size_t i = 0; i < count; i++) {
        struct durable_entrant *entrant = &evidence->entrants[i];
        backends[i] = (struct tw_store_backend){
            .name = made[i].key, .summary = "made up", .flags = made[i].flags, .policies = 15};
        *entrant = (struct durable_entrant){
            .backend = &backends[i], .killed = STORING_NO_CELL, .late = STORING_NO_CELL};
        snprintf(entrant->key, sizeof entrant->key, "%s", made[i].key);
        for (size_t s = 0; s < DURABLE_SIZES; s++)
            entrant->fills[s] = STORING_NO_CELL;
        for (size_t s = 0; s < 3 && made[i].puts[s] > 0; s++) {
            entrant->fills[s] = (size_t)cJSON_GetArraySize(cells);
            entrant->reached = s + 1;
            add_cell(cells, &made[i], sizes[s], made[i].puts[s]);
        }
    }
    return document;
}

static cJSON *advise(const struct made *made, size_t count, enum criterion goal)
{
    struct durable_evidence evidence;
    struct tw_store_backend backends[STORING_LIST_MAX];
    cJSON *document = make(&evidence, backends, made, count);
    evidence.wishes.goal = goal;
    json_add(document, "advice", durable_advice_make(&evidence));
    return document;
}

static const char *status(const cJSON *document, int candidate)
{
    return json_get_text(cJSON_GetArrayItem(json_get(document, "advice.candidates"), candidate),
                         "status");
}

static void test_best_and_next(void **state)
{
    (void)state;
    static const struct made made[] = {{"a", NULL, {10, 20, 30}, 50, 0.01, 0, RUNS},
                                       {"b", NULL, {10, 40, 90}, 90, 0.01, 0, RUNS},
                                       {"c", NULL, {10, 10, 10}, 10, 0.01, 0, RUNS}};
    cJSON *document = advise(made, 3, CRITERION_COST);
    assert_string_equal(json_get_text(document, "advice.recommendation.store"), "b");
    assert_string_equal(json_get_text(document, "advice.recommendation.unclear"), "");
    assert_non_null(strstr(json_get_text(document, "advice.recommendation.next"),
                           "3.00 times better by puts a second than a ("));
    assert_string_equal(status(document, 0), "worse");
    assert_string_equal(status(document, 2), "worse");
    cJSON_Delete(document);
    document = advise(made, 3, CRITERION_MEMORY);
    assert_string_equal(json_get_text(document, "advice.recommendation.store"), "c");
    cJSON_Delete(document);
}

static void test_defects_are_never_recommended(void **state)
{
    (void)state;
    static const struct made made[] = {
        {"loses", "mismatch", {90, 90, 90}, 5, 0.01, 0, RUNS},
        {"forgets", NULL, {99, 99, 99}, 5, 0.01, TW_STORE_IN_MEMORY, RUNS},
        {"sound", NULL, {1, 1, 1}, 90, 0.01, 0, RUNS}};
    cJSON *document = advise(made, 3, CRITERION_COST);
    assert_string_equal(json_get_text(document, "advice.recommendation.store"), "sound");
    assert_string_equal(status(document, 0), "mismatch");
    assert_string_equal(status(document, 1), "refused");
    cJSON_Delete(document);
    document = advise(made, 2, CRITERION_COST);
    assert_null(json_get(document, "advice.recommendation"));
    assert_true(durable_advice_knows(document));
    cJSON_Delete(document);
}

static void test_no_clear_answer(void **state)
{
    (void)state;
    static const struct made made[] = {{"a", NULL, {10, 10, 10}, 50, 0.2, 0, RUNS},
                                       {"b", NULL, {10, 10, 10.5}, 50, 0.01, 0, RUNS},
                                       {"few", NULL, {5, 5, 5}, 50, 0.01, 0, 1}};
    cJSON *document = advise(made, 3, CRITERION_COST);
    assert_string_equal(json_get_text(document, "advice.recommendation.unclear"),
                        "No clear answer between b, a and few by puts a second");
    assert_string_equal(status(document, 0), "not-different");
    assert_string_equal(status(document, 2), "not-different"); /* one run: not half of four */
    cJSON_Delete(document);
}

/* One that stayed behind is compared where it came to, and no figure of another size counts. */
static void test_compared_at_a_common_size(void **state)
{
    (void)state;
    static const struct made made[] = {{"far", NULL, {10, 20, 5}, 50, 0.01, 0, RUNS},
                                       {"near", NULL, {10, 10, 0}, 50, 0.01, 0, RUNS}};
    cJSON *document = advise(made, 2, CRITERION_COST);
    const cJSON *near = cJSON_GetArrayItem(json_get(document, "advice.candidates"), 1);
    assert_string_equal(json_get_text(document, "advice.recommendation.store"), "far");
    assert_true(json_get_number(near, "factor_at") == 1000);
    assert_true(fabs(json_get_number(near, "factor.median") - 2) < 0.01);
    assert_true(json_get_number(near, "reached") == 1000);
    cJSON_Delete(document);
}

static void test_nothing_measured(void **state)
{
    (void)state;
    static const struct made made[] = {{"none", NULL, {0, 0, 0}, 0, 0, 0, RUNS}};
    cJSON *document = advise(made, 1, CRITERION_COST);
    assert_false(durable_advice_knows(document));
    assert_string_equal(status(document, 0), "not-measured");
    cJSON_Delete(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_and_next),
        cmocka_unit_test(test_defects_are_never_recommended),
        cmocka_unit_test(test_no_clear_answer),
        cmocka_unit_test(test_compared_at_a_common_size),
        cmocka_unit_test(test_nothing_measured),
    };
    return cmocka_run_group_tests_name("advice on stores", tests, NULL, NULL);
}
