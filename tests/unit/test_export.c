/* test_export.c - every row of CSV and Markdown has the columns of the header, whatever the text; what
 * goes to other tools is JSON, has the keys they ask for, and names nothing twice. */
#include "harness/base/json.h"
#include "harness/tell/report/services.h"
#include "sample.h"
#include "sample_page.h"

static const struct report_style plain = {.columns = 100};

typedef void write_fn(FILE *out, const struct result_document *document);

/* The caller frees it. */
static char *written(write_fn *write, const struct result_document *document)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(out, document);
    fclose(out);
    return text;
}

/* A reason with everything that a format could trip over. */
static struct result_document *nasty_document(void)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[1], &stream, 0);
    sample_fail(outcome, OUTCOME_CRASHED, "signal 11, \"list|head\"\r\n<b> & `x`");
    sample_put(document, &sample_designs[1], &stream, outcome);
    sample_add(document, &sample_designs[2], "hold", 1000, 0);
    return document;
}

/* Reads a field of RFC 4180 into `out`; answers what stands behind it. */
static const char *read_field(char *out, size_t size, const char *at)
{
    size_t length = 0;
    bool quoted = *at == '"';
    for (at += quoted; *at; at++) {
        if (quoted && at[0] == '"' && at[1] != '"')
            break;
        at += quoted && *at == '"';
        if (!quoted && (*at == ',' || *at == '\r'))
            break;
        if (length + 1 < size)
            out[length++] = *at;
    }
    out[length] = '\0';
    return at + quoted;
}

/* Fields of the record at *text, which is moved behind it; the field `wanted` goes to `out`. */
static size_t read_record(const char **text, size_t wanted, char *out)
{
    char field[512];
    size_t count = 0;
    for (;;) {
        *text = read_field(field, sizeof field, *text);
        if (count++ == wanted)
            strcpy(out, field);
        if (**text != ',')
            break;
        ++*text;
    }
    assert_memory_equal(*text, "\r\n", 2);
    *text += 2;
    return count;
}

static size_t column_of(const char *csv, const char *title)
{
    char name[512];
    for (size_t i = 0; i < 100; i++) {
        const char *at = csv;
        name[0] = '\0';
        read_record(&at, i, name);
        if (strcmp(name, title) == 0)
            return i;
    }
    fail_msg("no column %s", title);
    return 0;
}

TEST(test_csv_records_are_alike)
{
    struct result_document *document = sample_document();
    char *text = sample_page(page_run, result_json(document), SAMPLE_CSV, plain), field[512];
    const char *at = text;
    size_t columns = read_record(&at, 0, field), rows = 0;
    for (; *at; rows++)
        assert_int_equal(read_record(&at, 0, field), columns);
    /* 24 cells on hold of which one has no phase, 6 on nginx, 12 on long-horizon. */
    assert_int_equal(rows, 23 * 3 + 1 + 6 * 3 + 12 * 3);
    free(text);
    result_free(document);
}

TEST(test_csv_quotes)
{
    struct result_document *document = nasty_document();
    char *text = sample_page(page_run, result_json(document), SAMPLE_CSV, plain), field[512] = "";
    const char *at = text;
    size_t reason = column_of(text, "reason");
    read_record(&at, reason, field);
    read_record(&at, reason, field);
    assert_string_equal(field, "signal 11, \"list|head\"\r\n<b> & `x`");
    free(text);
    result_free(document);
}

TEST(test_csv_figures)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[5], "hold", 1000, 0);
    char *text = sample_page(page_run, result_json(document), SAMPLE_CSV, plain), field[512] = "";
    static const char *const expected[][2] = {
        {"impl", "hier"},       {"params", "levels=256,64,64,64"},
        {"phase", "fill"},      {"starts", "1000"},
        {"stops", "0"},         {"ns_per_advance", ""},
        {"advance_max_ns", ""}, {"bytes_per_task", "16"},
        {"comparisons", "3000"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *at = text;
        size_t column = column_of(text, expected[i][0]);
        read_record(&at, column, field);
        read_record(&at, column, field);
        assert_string_equal(field, expected[i][1]);
    }
    free(text);
    result_free(document);
}

static size_t count_bars(const char *line)
{
    size_t bars = 0;
    for (; *line && *line != '\n'; line++)
        bars += *line == '|';
    return bars;
}

/* Every line of a table has as many columns as its header. */
static void check_markdown_tables(const char *text)
{
    size_t columns = 0, rows = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line != '|') {
            columns = 0;
            continue;
        }
        if (columns == 0)
            columns = count_bars(line);
        assert_int_equal(count_bars(line), columns);
        rows++;
    }
    assert_true(rows >= 4);
}

TEST(test_markdown_tables_are_whole)
{
    struct result_document *document = sample_document();
    char *text = sample_page(page_run, result_json(document), SAMPLE_MARKDOWN, plain);
    check_markdown_tables(text);
    assert_non_null(strstr(text, "### hold: 1M timers, tick 1 ms"));
    assert_non_null(strstr(text, "| hashed | **6."));
    assert_null(strstr(text, "| null (harness) | **"));
    assert_non_null(strstr(text, "| **timeout**: over its time budget of 10 s |"));
    free(text);
    result_free(document);
}

TEST(test_markdown_escapes)
{
    struct result_document *document = nasty_document();
    char *text = sample_page(page_run, result_json(document), SAMPLE_MARKDOWN, plain);
    check_markdown_tables(text);
    assert_null(strstr(text, "<b>"));
    assert_non_null(strstr(text, "&#124;head"));
    free(text);
    result_free(document);
}

/* ---- JSON for other tools. ------------------------------------------------------------------- */

/* Phases of the cells of sample_document that are ok: all but that of list on a million timers. */
#define OK_CELLS  (23 + 6 + 12)
#define OK_PHASES (3 * OK_CELLS)

/* What the writer wrote, parsed to its last byte.  The caller deletes it. */
static cJSON *parsed(write_fn *write, const struct result_document *document)
{
    char *text = written(write, document);
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithOpts(text, &end, true);
    if (!json)
        fail_msg("no JSON: %.200s", end ? end : text);
    /* The parser lets them through, the standard does not. */
    for (const char *c = text; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    free(text);
    return json;
}

static cJSON *parsed_sample(write_fn *write)
{
    struct result_document *document = sample_document();
    cJSON *json = parsed(write, document);
    result_free(document);
    return json;
}

/* The element whose `key` is `text`; NULL when there is none. */
static const cJSON *find_named(const cJSON *list, const char *key, const char *text)
{
    const cJSON *element;
    cJSON_ArrayForEach(element, list)
    {
        if (strcmp(json_get_text(element, key), text) == 0)
            return element;
    }
    return NULL;
}

static void assert_has_text(const cJSON *object, const char *key, const char *expected)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item))
        fail_msg("%s is no text", key);
    else if (expected)
        assert_string_equal(item->valuestring, expected);
}

static void assert_has_number(const cJSON *object, const char *key, double expected)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item))
        fail_msg("%s is no number", key);
    else if (item->valuedouble != expected)
        fail_msg("%s is %.15g, expected %.15g", key, item->valuedouble, expected);
}

TEST(test_gbench_rows)
{
    cJSON *json = parsed_sample(gbench_write);
    const cJSON *rows = json_get(json, "benchmarks"), *row;
    int count = 0;
    cJSON_ArrayForEach(row, rows)
    {
        assert_has_text(row, "run_type", "iteration");
        assert_has_text(row, "run_name", json_get_text(row, "name"));
        assert_has_text(row, "time_unit", "ns");
        assert_has_number(row, "repetitions", SAMPLE_COUNT);
        assert_has_number(row, "repetition_index", count % SAMPLE_COUNT);
        assert_has_number(row, "family_index", count / SAMPLE_COUNT);
        assert_has_number(row, "threads", 1);
        assert_true(json_get_number(row, "real_time") > 0);
        count++;
    }
    assert_int_equal(count, OK_PHASES * SAMPLE_COUNT);
    assert_null(find_named(rows, "name", "list/hold/fill/tasks:1000000"));
    cJSON_Delete(json);
}

/* Samples go over as they are; CPU time is their share, and so has its median where it was. */
TEST(test_gbench_figures)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[3], "hold", 1000, 512);
    const cJSON *phase = cJSON_GetArrayItem(
        json_get(cJSON_GetArrayItem(json_get(result_json(document), "cells"), 0), "phases"), 2);
    cJSON *json = parsed(gbench_write, document);
    const char *name = "hashed/hold/drain/tasks:1000/slots:512";
    const cJSON *row = find_named(json_get(json, "benchmarks"), "name", name), *sample;
    double share =
        json_get_number(phase, "cpu_ns_per_op") / json_get_number(phase, "ns_per_op.median");
    assert_true(fabs(share - 0.99) < 1e-5);
    cJSON_ArrayForEach(sample, json_get(phase, "ns_per_op.samples"))
    {
        assert_non_null(row);
        assert_has_text(row, "name", name);
        assert_has_number(row, "real_time", sample->valuedouble);
        double cpu_ns = json_get_number(row, "cpu_time");
        assert_true(fabs(cpu_ns - share * sample->valuedouble) < 1e-9);
        /* 500 stops and 500 expiries, three times. */
        assert_has_number(row, "iterations", 3000);
        row = row->next;
    }
    assert_null(row);
    cJSON_Delete(json);
    result_free(document);
}

static cJSON *context_of(const struct result_origin *origin)
{
    struct result_document *document = NULL;
    document = result_new(origin);
    cJSON *json = parsed(gbench_write, document);
    assert_int_equal(cJSON_GetArraySize(json_get(json, "benchmarks")), 0);
    cJSON *context = cJSON_DetachItemFromObject(json, "context");
    cJSON_Delete(json);
    result_free(document);
    return context;
}

TEST(test_gbench_context)
{
    struct result_origin origin = sample_origin();
    cJSON *context = context_of(&origin);
    assert_has_text(context, "date", "2024-05-01T12:00:00Z");
    assert_has_text(context, "host_name", NULL);
    assert_has_text(context, "executable", "twbench");
    assert_has_number(context, "num_cpus", 2);
    assert_true(cJSON_IsFalse(json_get(context, "cpu_scaling_enabled")));
    assert_true(cJSON_IsArray(json_get(context, "caches")));
    assert_true(cJSON_IsArray(json_get(context, "load_avg")));
    assert_has_text(context, "library_build_type", "release");
    cJSON_Delete(context);
}

TEST(test_gbench_context_of_another_machine)
{
    struct result_origin origin = sample_origin();
    strcpy(origin.machine.cpu_model, "Example CPU of no stated speed");
    strcpy(origin.machine.governor, "powersave");
    origin.machine.cores = 0;
    origin.machine.cache_count = 0;
    origin.tool.flags = "-O1 -g";
    cJSON *context = context_of(&origin);
    assert_has_number(context, "num_cpus", 0);
    assert_has_number(context, "mhz_per_cpu", 0);
    assert_true(cJSON_IsTrue(json_get(context, "cpu_scaling_enabled")));
    assert_true(cJSON_IsArray(json_get(context, "caches")));
    assert_has_text(context, "library_build_type", "debug");
    cJSON_Delete(context);
}

TEST(test_bencher_measures)
{
    cJSON *json = parsed_sample(bencher_write);
    const cJSON *benchmark, *measure;
    int benchmarks = 0, intervals = 0;
    cJSON_ArrayForEach(benchmark, json)
    {
        benchmarks++;
        /* The first of that name is this one: no other has it. */
        assert_ptr_equal(cJSON_GetObjectItemCaseSensitive(json, benchmark->string), benchmark);
        cJSON_ArrayForEach(measure, benchmark)
        {
            double value = json_get_number(measure, "value");
            assert_true(value >= 0);
            assert_false(value < json_get_number(measure, "lower_value"));
            assert_false(value > json_get_number(measure, "upper_value"));
            intervals += json_get(measure, "lower_value") && json_get(measure, "upper_value");
        }
    }
    assert_int_equal(benchmarks, OK_PHASES + OK_CELLS);
    /* Time per operation everywhere, per advance in the two phases that have some. */
    assert_int_equal(intervals, OK_PHASES + 2 * OK_CELLS);
    benchmark = cJSON_GetObjectItemCaseSensitive(json, "hier/hold/fill/tasks:1000");
    assert_has_number(json_get(benchmark, "comparisons"), "value", 3000);
    assert_null(json_get(benchmark, "advance-latency"));
    assert_null(json_get(benchmark, "memory"));
    benchmark = cJSON_GetObjectItemCaseSensitive(json, "hier/hold/tasks:1000");
    assert_has_number(json_get(benchmark, "memory"), "value", 16);
    cJSON_Delete(json);
}

/* The machine that runs the tests may have no counters to read. */
TEST(test_bencher_counters)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    outcome->phases[0].counts[OUTCOME_INSTRUCTIONS] =
        (struct outcome_count){.known = true, .per_pass = 42500, .share = 1};
    sample_put(document, &sample_designs[2], &stream, outcome);
    cJSON *json = parsed(bencher_write, document);
    const cJSON *fill = cJSON_GetObjectItemCaseSensitive(json, "heap/hold/fill/tasks:1000"),
                *drain = cJSON_GetObjectItemCaseSensitive(json, "heap/hold/drain/tasks:1000");
    assert_has_number(json_get(fill, "instructions"), "value", 42.5);
    assert_null(json_get(fill, "cache-misses"));
    assert_non_null(drain);
    assert_null(json_get(drain, "instructions"));
    cJSON_Delete(json);
    result_free(document);
}

/* Any bytes that a file name may hold come back as they were. */
TEST(test_names_are_escaped)
{
    struct result_document *document = nasty_document();
    sample_add(document, &sample_designs[2], "a \"trace\"\\\t\x01/\xc3\xa9", 1000, 0);
    const char *name = "heap/a \"trace\"\\\t\x01/\xc3\xa9/fill/tasks:1000";
    cJSON *gbench = parsed(gbench_write, document), *bencher = parsed(bencher_write, document);
    assert_non_null(find_named(json_get(gbench, "benchmarks"), "name", name));
    assert_non_null(cJSON_GetObjectItemCaseSensitive(bencher, name));
    cJSON_Delete(gbench);
    cJSON_Delete(bencher);
    result_free(document);
}

/* Figures of a cell that did not come to its end stand for nothing that could be compared. */
TEST(test_cells_that_are_not_ok)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    outcome->status = OUTCOME_TIMEOUT;
    strcpy(outcome->reason, "over its time budget of 10 s");
    sample_put(document, &sample_designs[2], &stream, outcome);
    const cJSON *cell = json_get(result_json(document), "cells")->child;
    assert_true(cJSON_GetArraySize(json_get(cell, "phases")) > 0);
    cJSON *gbench = parsed(gbench_write, document), *bencher = parsed(bencher_write, document);
    assert_int_equal(cJSON_GetArraySize(json_get(gbench, "benchmarks")), 0);
    assert_int_equal(cJSON_GetArraySize(bencher), 0);
    cJSON_Delete(gbench);
    cJSON_Delete(bencher);
    result_free(document);
}

/* A resumed run can have the same cell with more samples, or on another seed. */
TEST(test_second_cell_of_a_name)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    struct outcome *outcome = sample_outcome(&sample_designs[2], &stream, 0);
    struct diag diag;
    for (uint64_t runs = 1; runs <= 3; runs++) {
        struct cell_identity identity = sample_identity(&sample_designs[2], NULL);
        identity.runs = runs;
        assert_int_equal(result_add_cell(document, &identity, &stream, outcome, 1, &diag), DIAG_OK);
    }
    cJSON *json = parsed(bencher_write, document);
    assert_int_equal(cJSON_GetArraySize(json), 3 * 4);
    assert_non_null(cJSON_GetObjectItemCaseSensitive(json, "heap/hold/fill/tasks:1000"));
    assert_non_null(cJSON_GetObjectItemCaseSensitive(json, "heap/hold/fill/tasks:1000/cell:2"));
    assert_non_null(cJSON_GetObjectItemCaseSensitive(json, "heap/hold/tasks:1000/cell:3"));
    cJSON_Delete(json);
    free(outcome);
    result_free(document);
}

/* ---- JUnit. ---------------------------------------------------------------------------------- */

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

TEST(test_junit_has_a_case_per_cell)
{
    struct result_document *document = sample_document();
    char *text = written(junit_write, document);
    size_t cases = 0;
    for (const char *at = text; (at = strstr(at, "<testcase ")); at++)
        cases++;
    assert_int_equal(cases, result_count_cells(document));
    assert_contains(text, "tests=\"42\" failures=\"0\" errors=\"0\" skipped=\"1\"");
    assert_contains(text,
                    "<testcase classname=\"hold\" name=\"list/hold/tasks:1000000\" "
                    "time=\"0.000000000\">\n<skipped message=\"timeout: over its time budget of "
                    "10 s\"/>\n");
    assert_contains(text, "name=\"hashed/long-horizon/tasks:10000/slots:64\"");
    assert_contains(text, "<system-out>fill: ");
    free(text);
    result_free(document);
}

TEST(test_junit_fails_what_is_wrong)
{
    static const struct {
        enum outcome_status status;
        const char *counts, *element;
    } cases[] = {
        {OUTCOME_MISMATCH, "failures=\"1\" errors=\"0\" skipped=\"0\"",
         "<failure type=\"mismatch\" message=\"mismatch: why\"/>"},
        {OUTCOME_CRASHED, "failures=\"1\" errors=\"0\" skipped=\"0\"",
         "<failure type=\"crashed\" message=\"crashed: why\"/>"},
        {OUTCOME_UNSUPPORTED, "failures=\"0\" errors=\"0\" skipped=\"1\"",
         "<skipped message=\"unsupported: why\"/>"},
        {OUTCOME_TIMEOUT, "failures=\"0\" errors=\"0\" skipped=\"1\"",
         "<skipped message=\"timeout: why\"/>"},
        {OUTCOME_OUT_OF_MEMORY, "failures=\"0\" errors=\"0\" skipped=\"1\"",
         "<skipped message=\"out-of-memory: why\"/>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result_document *document = sample_empty();
        struct stream stream = sample_stream("hold", 1000);
        struct outcome *outcome = sample_outcome(&sample_designs[1], &stream, 0);
        sample_fail(outcome, cases[i].status, "why");
        sample_put(document, &sample_designs[1], &stream, outcome);
        char *text = written(junit_write, document);
        assert_contains(text, cases[i].counts);
        assert_contains(text, cases[i].element);
        free(text);
        result_free(document);
    }
}

/* The time of a case: one pass over all phases, by hand. */
TEST(test_junit_time_is_of_a_pass)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[2], "hold", 1000, 0);
    const cJSON *phase, *cell = json_get(result_json(document), "cells")->child;
    static const double operations[] = {1000, 5500,
                                        1000}; /* start, start + expire, stop + expire */
    double time_ns = 0;
    size_t i = 0;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        time_ns += operations[i++] * json_get_number(phase, "ns_per_op.median");
    }
    char *text = written(junit_write, document), expected[64];
    snprintf(expected, sizeof expected, "tasks:1000\" time=\"%.9f\">", time_ns / 1e9);
    assert_contains(text, expected);
    free(text);
    result_free(document);
}

TEST(test_junit_escapes)
{
    struct result_document *document = nasty_document();
    char *text = written(junit_write, document);
    assert_contains(
        text, "message=\"crashed: signal 11, &quot;list|head&quot;&#13;&#10;&lt;b&gt; &amp; `x`\"");
    free(text);
    result_free(document);
}

TEST_MAIN(NULL, NULL)
