/* test_limits.c - limits of a made-up machine: as a document, read back, as tables, data of a picture, and designs as
 * multiples of them.  `test_limits sample FILE` leaves the document for limits_format.sh. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/tell/report/writer.h"
#include "labs/advise/advise.h"
#include "labs/advise/limits/limits.h"
#include "unit/sample.h"

#include <unistd.h>

#define RUNS   3
#define POINTS 7

/* ---- A machine. -------------------------------------------------------------------------------- */

static struct limit_result make_result(enum limit_kind kind, uint64_t tasks, double ns)
{
    unsigned node_bytes = kind == LIMIT_LOAD_STORE || kind == LIMIT_START_ONE ? 16 : 0;
    struct limit_result result = {
        .point = {.kind = kind, .tasks = tasks, .node_bytes = node_bytes},
        .sample_count = RUNS,
        .samples_ns = {ns, 1.1 * ns, 0.9 * ns},
        .slow = 9,
        .pages_known = kind != LIMIT_BRANCH_MISS,
        .touched_bytes = 1 << 20,
    };
    return result;
}

/* Of 1e3 and 1e5 nodes; one point on huge pages of which half came, and one that failed. */
static void make_results(struct limit_result results[POINTS])
{
    results[0] = make_result(LIMIT_LOAD_STORE, 1000, 1);
    results[1] = make_result(LIMIT_LOAD_STORE, 100000, 16);
    results[2] = make_result(LIMIT_START_ONE, 1000, 2);
    results[3] = make_result(LIMIT_LOAD_STORE, 1000, 0.5);
    results[3].point.huge = true;
    results[3].huge_bytes = 1 << 19;
    results[4] =
        (struct limit_result){.point = {.kind = LIMIT_START_ONE, .tasks = 100000, .node_bytes = 16},
                              .status = OUTCOME_OUT_OF_MEMORY,
                              .reason = "no memory for 1.5 MiB of nodes"};
    results[5] = make_result(LIMIT_BRANCH_MISS, 0, 7);
    results[6] = make_result(LIMIT_PAGE_FAULT, 0, 500);
}

/* The caller deletes it. */
static cJSON *make_limits(void)
{
    struct limit_result *results = calloc(POINTS, sizeof *results);
    const struct setup setup = {.runs = RUNS};
    struct limits_method method = {.setup = &setup,
                                   .huge_pages = true,
                                   .null_workload = "standard",
                                   .pin_cpu = 1,
                                   .steal_share = NAN,
                                   .busy_share = 0.25,
                                   .load_1min = 0.5,
                                   .seconds = 10};
    struct result_origin origin = sample_origin();
    struct result_document *head = NULL;
    assert_non_null(results);
    make_results(results);
    head = result_new(&origin);
    cJSON *limits = limits_json(results, POINTS, &method, true, result_json(head));
    result_free(head);
    free(results);
    return limits;
}

static cJSON *find_point(const cJSON *limits, size_t i)
{
    return cJSON_GetArrayItem(json_get(limits, "points"), (int)i);
}

/* ---- The document. ----------------------------------------------------------------------------- */

TEST(test_the_document_has_every_point)
{
    cJSON *limits = make_limits();
    const cJSON *failed = find_point(limits, 4);
    assert_int_equal(cJSON_GetArraySize(json_get(limits, "points")), POINTS);
    assert_string_equal(json_get_text(limits, "kind"), "limits");
    assert_true(json_get_number(find_point(limits, 1), "footprint_bytes") == 1600000);
    assert_true(json_get_number(find_point(limits, 1), "ns.median") == 16);
    assert_int_equal(cJSON_GetArraySize(json_get(find_point(limits, 1), "ns.samples")), RUNS);
    assert_true(json_get_number(find_point(limits, 3), "huge_bytes") == 1 << 19);
    assert_string_equal(json_get_text(failed, "status"), "out-of-memory");
    assert_null(json_get(failed, "ns"));
    assert_null(json_get(failed, "huge_bytes"));
    assert_null(json_get(find_point(limits, 5), "tasks"));
    assert_null(json_get(find_point(limits, 5), "touched_bytes"));
    assert_null(json_get(limits, "disturbance.steal_share"));
    cJSON_Delete(limits);
}

/* Writes the text to a file of this directory and answers what becomes of reading it. */
static int load_text(const char *text, cJSON **out, struct diag *diag)
{
    char path[] = "/tmp/test_limits.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    int status = limits_load(path, out, diag);
    unlink(path);
    return status;
}

TEST(test_it_is_read_back)
{
    cJSON *limits = make_limits(), *again = NULL;
    struct diag diag;
    char *text = cJSON_Print(limits);
    assert_int_equal(load_text(text, &again, &diag), DIAG_OK);
    assert_true(cJSON_Compare(limits, again, true));
    cJSON_free(text);
    cJSON_Delete(limits);
    cJSON_Delete(again);
}

static void refuse(const char *text, const char *culprit)
{
    cJSON *document = NULL;
    struct diag diag = {.text = ""};
    assert_int_equal(load_text(text, &document, &diag), DIAG_USAGE);
    assert_null(document);
    assert_non_null(strstr(diag.text, culprit));
}

TEST(test_what_is_none_is_refused_by_name)
{
    refuse("", ":1:1: the file is empty");
    refuse("{\n \"kind\": x}", ":2:10: not JSON");
    refuse("{}", "schema_version is missing");
    refuse("{\"schema_version\": 2, \"kind\": \"limits\"}", "another version");
    refuse("{\"schema_version\": 1, \"kind\": \"selftest\"}", "kind: \"selftest\"");
    cJSON *limits = make_limits();
    cJSON_ReplaceItemInObject(cJSON_GetArrayItem(json_get(limits, "points"), 2), "limit",
                              cJSON_CreateNumber(1));
    char *text = cJSON_Print(limits);
    refuse(text, "points[2].limit: of the wrong type");
    cJSON_free(text);
    cJSON_Delete(limits);
}

/* ---- Looking things up. ------------------------------------------------------------------------ */

static bool is_near(double a, double b)
{
    return fabs(a / b - 1) < 1e-9;
}

TEST(test_between_two_sizes_is_a_straight_line)
{
    cJSON *limits = make_limits();
    assert_true(is_near(limits_ns_at(limits, "load-store", 16, false, 1000), 1));
    assert_true(is_near(limits_ns_at(limits, "load-store", 16, false, 100000), 16));
    assert_true(is_near(limits_ns_at(limits, "load-store", 16, false, 10000), 4));
    assert_true(is_near(limits_ns_at(limits, "load-store", 16, true, 1000), 0.5));
    assert_true(isnan(limits_ns_at(limits, "load-store", 16, true, 2000)));
    assert_true(isnan(limits_ns_at(limits, "load-store", 16, false, 999)));
    assert_true(isnan(limits_ns_at(limits, "load-store", 16, false, 100001)));
    assert_true(isnan(limits_ns_at(limits, "load-store", 8, false, 1000)));
    assert_true(isnan(limits_ns_at(limits, "start-one-list", 16, false, 100000)));
    assert_true(is_near(limits_huge_share(limits), 0.5));
    assert_true(is_near(limits_single_ns(limits, "page-fault", false), 500));
    assert_true(isnan(limits_single_ns(limits, "page-fault", true)));
    cJSON_Delete(limits);
}

/* ---- Multiples. -------------------------------------------------------------------------------- */

/* A cell of 1000 tasks on a harness of 2 ns, whose one phase takes 60 ns per operation. */
static struct limits_multiple multiple_of(const char *operations, const char *more)
{
    char text[512];
    cJSON *limits = make_limits();
    snprintf(text, sizeof text,
             "{\"tasks\": 1000, \"harness_ns_per_op\": 2, \"params\": {%s}, \"phases\": [{"
             "\"name\": \"p\", \"operations\": {%s}, \"ns_per_op\": {\"median\": 60}}]}",
             more, operations);
    cJSON *cell = cJSON_Parse(text);
    assert_non_null(cell);
    struct limits_multiple multiple =
        limits_multiple_of(limits, cell, cJSON_GetArrayItem(json_get(cell, "phases"), 0));
    cJSON_Delete(cell);
    cJSON_Delete(limits);
    return multiple;
}

TEST(test_the_formula)
{
    /* Filling: a call and an append each. */
    struct limits_multiple fill = multiple_of(
        "\"start\": 1000, \"stop\": 0, \"expire\": 0, \"advance\": 0, \"ticks\": 0", "");
    assert_string_equal(fill.touch, "start-one-list");
    assert_true(is_near(fill.limit_ns, 2 + 2));
    assert_true(is_near(fill.multiple, 15));
    /* Stops: a call and a load with a store. */
    assert_true(is_near(
        multiple_of("\"start\": 0, \"stop\": 10, \"expire\": 0, \"advance\": 0, \"ticks\": 0", "")
            .limit_ns,
        2 + 1));
    /* Expiries call nothing, but the advances are calls. */
    assert_true(is_near(
        multiple_of("\"start\": 0, \"stop\": 0, \"expire\": 10, \"advance\": 5, \"ticks\": 5", "")
            .limit_ns,
        (5 * 2 + 10 * 1) / 10.0));
    /* A timer started again where it expired is touched once. */
    assert_true(is_near(
        multiple_of("\"start\": 10, \"stop\": 4, \"expire\": 8, \"advance\": 5, \"ticks\": 5", "")
            .limit_ns,
        (19 * 2 + 14 * 1) / 22.0));
    /* Starts on ticks are not filling. */
    assert_string_equal(
        multiple_of("\"start\": 10, \"stop\": 0, \"expire\": 0, \"advance\": 1, \"ticks\": 1", "")
            .touch,
        "load-store");
    assert_true(is_near(
        multiple_of("\"start\": 0, \"stop\": 10, \"expire\": 0, \"advance\": 0, \"ticks\": 0",
                    "\"huge_pages\": \"on\"")
            .limit_ns,
        2 + 0.5));
}

/* The caller frees it. */
static cJSON *limits_with_multiples(void)
{
    cJSON *limits = make_limits();
    struct result_document *result = sample_document();
    json_add(limits, "multiples",
             limits_multiples_json(limits, result_json(result), "sample.json"));
    result_free(result);
    return limits;
}

TEST(test_every_timed_phase_has_a_row)
{
    struct result_document *result = sample_document();
    cJSON *limits = make_limits();
    cJSON *multiples = limits_multiples_json(limits, result_json(result), "sample.json");
    int phases = 0;
    json_each(cell, result_json(result), "cells")
        if (strcmp(json_get_text(cell, "impl"), "null") != 0 &&
            strcmp(json_get_text(cell, "status"), "ok") == 0)
            phases += cJSON_GetArraySize(json_get(cell, "phases"));
    assert_true(phases > 0);
    assert_int_equal(cJSON_GetArraySize(json_get(multiples, "rows")), phases);
    json_each(row, multiples, "rows") {
        double ns = json_get_number(row, "ns_per_op"), limit = json_get_number(row, "limit_ns");
        assert_true(ns > 0);
        if (isfinite(limit))
            assert_true(fabs(json_get_number(row, "multiple") * limit / ns - 1) < 1e-4);
        else
            assert_true(json_get_number(row, "tasks") > 100000 ||
                        strcmp(json_get_text(row, "touch"), "start-one-list") == 0);
    }
    cJSON_Delete(multiples);
    cJSON_Delete(limits);
    result_free(result);
}

/* ---- Tables. ----------------------------------------------------------------------------------- */

static char *text_of(const cJSON *limits, bool markdown)
{
    static const struct report_style plain = {.columns = 100};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct page page = {.blocks = NULL};
    page_limits(&page, limits);
    if (markdown)
        writer_markdown(out, &page);
    else
        writer_terminal(out, &page, &plain);
    page_free(&page);
    fclose(out);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

TEST(test_the_table)
{
    cJSON *limits = limits_with_multiples();
    char *text = text_of(limits, false);
    expect(text, "                              1k           100k\nlimit           node  pages   "
                 "ns             ns\n");
    expect(text, "load-store      16 B  4 KiB    1             16\n");
    expect(text, "load-store      16 B  2 MiB  0.5              -\n");
    expect(text, "start-one-list  16 B  4 KiB    2  out-of-memory\n");
    expect(text,
           "A mispredicted branch costs 7.00 ns, the first touch of a page of 4 KiB 500 ns.\n");
    expect(text, "one point had only");
    expect(text, "20.0 % of the stretches were timed while");
    expect(text, "start-one-list, 100k nodes of 16 bytes: out-of-memory: no memory for 1.5 MiB");
    expect(text, ", steady: multiples of the limit, by number of tasks\n");
    expect(text, "\nlimit, ns");
    free(text);
    cJSON_Delete(limits);
}

TEST(test_an_interrupted_one_says_so)
{
    cJSON *limits = make_limits();
    cJSON_ReplaceItemInObject(limits, "complete", cJSON_CreateFalse());
    char *text = text_of(limits, false);
    expect(text, "It was interrupted: samples are missing.");
    free(text);
    cJSON_Delete(limits);
}

TEST(test_markdown)
{
    cJSON *limits = limits_with_multiples();
    char *text = text_of(limits, true);
    expect(text, "| limit | node | pages | 1k ns | 100k ns |\n|---|--:|--:|--:|--:|\n");
    expect(text, "| load-store | 16 B | 4 KiB | 1 | 16 |\n");
    expect(text, "multiples of the limit, by number of tasks\n\n| design |");
    expect(text, "\n- A mispredicted branch costs");
    free(text);
    cJSON_Delete(limits);
}

/* ---- For limits_format.sh. ---------------------------------------------------------------- */

static void print_json(FILE *out, const void *ctx)
{
    char *text = cJSON_Print(ctx);
    if (text)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
}

static int print_sample(const char *path)
{
    struct diag diag;
    cJSON *limits = limits_with_multiples();
    int status = file_replace(path, print_json, limits, &diag);
    cJSON_Delete(limits);
    return status == DIAG_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "sample") == 0)
        return print_sample(argv[2]);
    return run_listed_tests(NULL, NULL);
}
