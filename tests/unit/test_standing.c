/* test_standing.c - which design is said to be the fastest, by made-up samples. */
#include "harness/tell/report/standing.h"

#include "harness/base/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct made {
    const char *impl;
    double ns, other_ns; /* of the two phases */
    int samples;
    const char *status;
    bool keeps_nothing;
};

static cJSON *make_phase(const char *name, double ns, int samples)
{
    cJSON *phase = cJSON_CreateObject();
    cJSON *interval = cJSON_AddObjectToObject(phase, "ns_per_op");
    cJSON_AddStringToObject(phase, "name", name);
    cJSON_AddNumberToObject(interval, "median", ns);
    cJSON *list = cJSON_AddArrayToObject(interval, "samples");
    for (int i = 0; i < samples; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(ns * (1 + 0.001 * i)));
    return phase;
}

static cJSON *make_document(const struct made *made, size_t count)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *cells = cJSON_AddArrayToObject(document, "cells");
    for (size_t i = 0; i < count; i++) {
        cJSON *cell = cJSON_CreateObject();
        cJSON_AddStringToObject(cell, "impl", made[i].impl);
        cJSON_AddStringToObject(cell, "workload", "hold");
        cJSON_AddNumberToObject(cell, "tasks", 100);
        cJSON_AddStringToObject(cell, "status", made[i].status);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(cell, "stream"), "hash", "abc");
        cJSON_AddBoolToObject(cJSON_AddObjectToObject(cell, "traits"), "keeps_nothing",
                              made[i].keeps_nothing);
        cJSON *phases = cJSON_AddArrayToObject(cell, "phases");
        cJSON_AddItemToArray(phases, make_phase("start", made[i].ns, made[i].samples));
        cJSON_AddItemToArray(phases, make_phase("stop", made[i].other_ns, made[i].samples));
        cJSON_AddItemToArray(cells, cell);
    }
    return document;
}

/* The sentences of the first stream, one per line; "" when nothing stands. */
static void says(const struct made *made, size_t count, char *out, size_t size)
{
    cJSON *document = make_document(made, count), *standing = standing_make(document);
    const cJSON *text;
    size_t used = 0;
    out[0] = '\0';
    assert_non_null(standing);
    cJSON_ArrayForEach(text, json_get(standing->child, "says")) used +=
        (size_t)snprintf(out + used, size - used, "%s\n", text->valuestring);
    cJSON_Delete(standing);
    cJSON_Delete(document);
}

static void test_a_line_for_phases_with_the_same_answer(void **state)
{
    (void)state;
    static const struct made made[] = {{"heap", 20, 40, 7, "ok", false},
                                       {"hashed", 10, 10, 7, "ok", false},
                                       {"round", 10.2, 10.1, 7, "ok", false},
                                       {"null", 1, 1, 7, "ok", true},
                                       {"fast", 1, 1, 7, "mismatch", false}};
    char text[1000];
    says(made, 5, text, sizeof text);
    assert_string_equal(text, "fastest: hashed, 2.00 to 4.00 times before heap; not significantly "
                              "different: round\n");
}

static void test_a_line_for_each_answer(void **state)
{
    (void)state;
    static const struct made made[] = {{"heap", 20, 10, 7, "ok", false},
                                       {"hashed", 10, 30, 7, "ok", false}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "fastest: hashed in start, 2.00 times before heap\n"
                              "fastest: heap in stop, 3.00 times before hashed\n");
}

static void test_those_far_behind_are_counted(void **state)
{
    (void)state;
    static const struct made made[] = {
        {"a", 10, 10, 7, "ok", false}, {"b", 20, 20, 7, "ok", false},
        {"c", 30, 30, 7, "ok", false}, {"d", 40, 40, 7, "ok", false},
        {"e", 50, 50, 7, "ok", false}, {"f", 900, 900, 7, "ok", false}};
    char text[1000];
    says(made, 6, text, sizeof text);
    assert_string_equal(text, "fastest: a, 2.00 times before b, 3.00 times c, 4.00 times d, 5.00 "
                              "to 90.0 times 2 others\n");
}

static void test_few_samples_name_nobody(void **state)
{
    (void)state;
    static const struct made made[] = {{"heap", 20, 20, 5, "ok", false},
                                       {"hashed", 10, 10, 5, "ok", false}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "fastest: not known, for want of six samples\n");
}

static void test_a_single_design_has_nobody_behind(void **state)
{
    (void)state;
    static const struct made made[] = {{"heap", 20, 20, 7, "ok", false},
                                       {"null", 1, 1, 7, "ok", true}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_for_phases_with_the_same_answer),
        cmocka_unit_test(test_a_line_for_each_answer),
        cmocka_unit_test(test_those_far_behind_are_counted),
        cmocka_unit_test(test_few_samples_name_nobody),
        cmocka_unit_test(test_a_single_design_has_nobody_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
