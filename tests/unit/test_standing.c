/* test_standing.c - which design is said to be the fastest, by made-up samples. */
#include "harness/tell/report/standing.h"
#include "testing.h"

#include "harness/base/json.h"

#include <math.h>

#define FEW     " in each sample; fewer than six give no interval (--runs=7)"
#define NOT_NET "these factors include the harness's overhead: null was not timed\n"

struct made {
    const char *impl;
    double ns, other_ns; /* of the two phases */
    int samples;
    const char *status;
    bool keeps_nothing;
    int late_shift;
};

/* Each sample is longer than the first by so much more: one named "scattered" is known to no factor. */
static cJSON *make_phase(const char *name, double ns, int samples, double scatter)
{
    cJSON *phase = cJSON_CreateObject();
    cJSON *interval = cJSON_AddObjectToObject(phase, "ns_per_op");
    cJSON *operations = cJSON_AddObjectToObject(phase, "operations");
    cJSON_AddStringToObject(phase, "name", name);
    cJSON_AddNumberToObject(operations, "start", 60);
    cJSON_AddNumberToObject(operations, "stop", 0);
    cJSON_AddNumberToObject(operations, "expire", 40);
    cJSON_AddNumberToObject(interval, "median", ns);
    cJSON *list = cJSON_AddArrayToObject(interval, "samples");
    for (int i = 0; i < samples; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(ns * (1 + scatter * i)));
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
        cJSON *traits = cJSON_AddObjectToObject(cell, "traits");
        cJSON_AddBoolToObject(traits, "keeps_nothing", made[i].keeps_nothing);
        cJSON_AddNumberToObject(traits, "late_shift", made[i].late_shift);
        cJSON *phases = cJSON_AddArrayToObject(cell, "phases");
        double scatter = strcmp(made[i].impl, "scattered") == 0 ? 5 : 0.001;
        cJSON_AddItemToArray(phases, make_phase("start", made[i].ns, made[i].samples, scatter));
        cJSON_AddItemToArray(phases,
                             make_phase("stop", made[i].other_ns, made[i].samples, scatter));
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

TEST(test_a_line_for_phases_with_the_same_answer)
{
    static const struct made made[] = {{"heap", 20, 40, 7, "ok", false, 0},
                                       {"hashed", 10, 10, 7, "ok", false, 0},
                                       {"round", 10.2, 10.1, 7, "ok", false, 0},
                                       {"null", 1, 1, 7, "ok", true, 0},
                                       {"fast", 1, 1, 7, "mismatch", false, 0}};
    char text[1000];
    says(made, 5, text, sizeof text);
    assert_string_equal(
        text,
        "hashed is fastest: 2.00 to 4.00 times as fast as heap (2.11 to 4.33 without the harness); "
        "not significantly different from round\n");
}

TEST(test_a_line_for_each_answer)
{
    static const struct made made[] = {{"heap", 20, 10, 7, "ok", false, 0},
                                       {"hashed", 10, 30, 7, "ok", false, 0}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "hashed is fastest in start: 2.00 times as fast as heap\n"
                              "heap is fastest in stop: 3.00 times as fast as hashed\n" NOT_NET);
}

TEST(test_those_far_behind_are_counted)
{
    static const struct made made[] = {
        {"a", 10, 10, 7, "ok", false, 0}, {"b", 20, 20, 7, "ok", false, 0},
        {"c", 30, 30, 7, "ok", false, 0}, {"d", 40, 40, 7, "ok", false, 0},
        {"e", 50, 50, 7, "ok", false, 0}, {"f", 900, 900, 7, "ok", false, 0}};
    char text[1000];
    says(made, 6, text, sizeof text);
    assert_string_equal(
        text,
        "a is fastest: 2.00 times as fast as b, 3.00 times as fast as c, 4.00 times as fast as d, "
        "5.00 to 90.0 times as fast as 2 others\n" NOT_NET);
}

TEST(test_a_late_design_is_not_the_fastest)
{
    static const struct made made[] = {{"heap", 20, 20, 7, "ok", false, 0},
                                       {"linux", 5, 5, 7, "ok", false, 3},
                                       {"hashed", 10, 10, 7, "ok", false, 0}};
    char text[1000];
    says(made, 3, text, sizeof text);
    assert_string_equal(text, "hashed is fastest: 2.00 times as fast as heap\n" NOT_NET);
}

TEST(test_few_samples_name_nobody)
{
    static const struct made made[] = {{"heap", 20, 20, 5, "ok", false, 0},
                                       {"hashed", 10, 10, 5, "ok", false, 0}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "fastest: hashed" FEW "\n");
}

/* The net cost of the first of two designs in its first phase. */
static double net_of_first(const struct made *made, size_t count)
{
    cJSON *document = make_document(made, count);
    struct view view = view_make(document);
    double net_ns = standing_net_ns(&view.groups[0], &view.groups[0].rows[0], "start");
    view_free(&view);
    cJSON_Delete(document);
    return net_ns;
}

TEST(test_a_cost_net_of_the_harness)
{
    static const struct made some[] = {{"heap", 10, 10, 7, "ok", false, 0},
                                       {"null", 1, 1, 7, "ok", true, 0}};
    static const struct made all[] = {{"heap", 10, 10, 7, "ok", false, 0},
                                      {"null", 9.9, 1, 7, "ok", true, 0}};
    assert_true(fabs(net_of_first(some, 2) - 9) < 1e-9);
    assert_true(isnan(net_of_first(all, 2)));  /* what is left is noise */
    assert_true(isnan(net_of_first(some, 1))); /* null was not timed */
}

TEST(test_a_single_design_has_nobody_behind)
{
    static const struct made made[] = {{"heap", 20, 20, 7, "ok", false, 0},
                                       {"null", 1, 1, 7, "ok", true, 0}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "");
}

TEST(test_designs_that_do_not_differ)
{
    static const struct made made[] = {{"heap", 10, 10, 7, "ok", false, 0},
                                       {"hashed", 10, 10, 7, "ok", false, 0}};
    char text[1000];
    says(made, 2, text, sizeof text);
    assert_string_equal(text, "no significant difference: heap, hashed\n");
}

/* At 8 of 10 ns the harness hides a factor of 6; where a sample of the fastest is all harness nothing is known. */
TEST(test_factors_net_of_the_harness)
{
    static const struct made made[] = {{"heap", 20, 40, 7, "ok", false, 0},
                                       {"hashed", 10, 10, 7, "ok", false, 0},
                                       {"null", 8, 10, 7, "ok", true, 0}};
    char text[1000];
    says(made, 3, text, sizeof text);
    assert_string_equal(
        text, "hashed is fastest: 2.00 to 4.00 times as fast as heap; overhead too large to "
              "subtract, or samples too scattered\n");
    static const struct made three[] = {{"heap", 20, 40, 7, "ok", false, 0},
                                        {"hashed", 10, 10, 7, "ok", false, 0},
                                        {"hier", 30, 10, 7, "ok", false, 0},
                                        {"null", 8, 9.99, 7, "ok", true, 0}};
    says(three, 4, text, sizeof text);
    assert_string_equal(
        text,
        "hashed is fastest in start: 2.00 times as fast as heap (6.00 without the harness), 3.00 "
        "times as fast as hier (11.0 without the harness)\nhashed is fastest in stop: 4.00 times "
        "as fast "
        "as heap; overhead too large to subtract, or samples too scattered; not significantly "
        "different from hier\n");
    cJSON *document = make_document(made, 3), *standing = standing_make(document);
    const cJSON *start = json_get(standing->child, "phases")->child;
    const cJSON *net = json_get(json_get(start, "behind")->child, "ratio_net");
    double share = json_get_number(start, "harness_share");
    assert_true(share > 0.79 && share < 0.81);
    assert_true(json_get_number(net, "median") > 5.99 && json_get_number(net, "median") < 6.01);
    assert_int_equal(json_get_number(net, "count"), 7);
    assert_true(
        cJSON_IsNull(cJSON_GetObjectItem(json_get(start->next, "behind")->child, "ratio_net")));
    cJSON_Delete(standing);
    cJSON_Delete(document);
}

/* Without a cell of null, its mean per call stands in each cell: 160 calls of 5 ns in a pass of 100 operations. */
TEST(test_the_mean_of_the_harness_where_it_is_no_cell)
{
    static const struct made made[] = {{"heap", 20, 20, 7, "ok", false, 0},
                                       {"hashed", 10, 10, 7, "ok", false, 0}};
    cJSON *document = make_document(made, 2);
    cJSON *cell;
    cJSON_ArrayForEach(cell, cJSON_GetObjectItem(document, "cells"))
    {
        cJSON *phase;
        cJSON_AddNumberToObject(cell, "harness_ns_per_op", 5);
        cJSON_ArrayForEach(phase, cJSON_GetObjectItem(cell, "phases"))
            cJSON_AddNumberToObject(cJSON_GetObjectItem(phase, "operations"), "advance", 100);
    }
    cJSON *standing = standing_make(document);
    const cJSON *start = json_get(standing->child, "phases")->child;
    double share = json_get_number(start, "harness_share");
    double net = json_get_number(json_get(start, "behind")->child, "ratio_net.median");
    assert_true(share > 0.79 && share < 0.81);
    assert_true(net > 5.99 && net < 6.01);
    assert_int_equal(cJSON_GetArraySize(json_get(standing->child, "says")), 1);
    cJSON_Delete(standing);
    cJSON_Delete(document);
}

/* Nothing fires of null, so that it may be timed by its advances, without samples, where the designs are by their operations. */
TEST(test_the_harness_may_be_timed_by_another_count)
{
    static const struct made made[] = {{"heap", 20, 20, 7, "ok", false, 0},
                                       {"hashed", 10, 10, 7, "ok", false, 0},
                                       {"null", 1, 1, 7, "ok", true, 0}};
    cJSON *document = make_document(made, 3);
    cJSON *phase;
    cJSON_ArrayForEach(phase,
                       json_get(cJSON_GetArrayItem(json_get(document, "cells"), 2), "phases"))
    {
        cJSON *interval = cJSON_DetachItemFromObject(phase, "ns_per_op");
        cJSON_DeleteItemFromObject(interval, "samples");
        cJSON_AddItemToObject(phase, "ns_per_advance", interval);
        cJSON_AddNumberToObject(cJSON_GetObjectItem(phase, "operations"), "advance", 800);
    }
    cJSON *standing = standing_make(document);
    const cJSON *start = json_get(standing->child, "phases")->child;
    double net = json_get_number(json_get(start, "behind")->child, "ratio_net.median");
    assert_true(json_get_number(start, "harness_share") > 0.79);
    assert_true(net > 5.99 && net < 6.01);
    cJSON_Delete(standing);
    cJSON_Delete(document);
}

static void contend(struct standing_contender *one, const char *label, double value, size_t count)
{
    standing_contend(one, label);
    for (size_t i = 0; i < count; i++)
        standing_sample(one, value);
}

static void sentence(const char *phase, const struct standing_contender *all, size_t count,
                     const char *expected)
{
    char said[300] = "";
    struct text line = text_in(said, sizeof said);
    cJSON *made = standing_phase(phase, all, count);
    assert_non_null(made);
    standing_say(&line, made);
    assert_string_equal(said, expected);
    cJSON_Delete(made);
}

/* Runners and stores have a value per run. */
TEST(test_values_of_whole_runs_are_compared)
{
    struct standing_contender all[3];
    contend(&all[0], "locked", 4, 6);
    contend(&all[1], "sharded", 2, 6);
    contend(&all[2], "per-thread", 2, 6);
    sentence("operations", all, 3,
             "sharded is fastest: 2.00 times as fast as locked; not significantly different from "
             "per-thread");
    sentence("late p99", all, 2, "sharded is least late: locked 2.00 times as late");
    all[0].count = 5;
    sentence("puts", all, 2, "fastest: sharded" FEW);
    all[1].samples[3] = 5;
    sentence("puts", all, 2, "fastest: no design" FEW);
    assert_null(standing_phase("puts", all, 1));
}

TEST_MAIN(NULL, NULL)
