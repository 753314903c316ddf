/* test_export.c - CSV and Markdown: every row has the columns of the header, whatever the text. */
#include "harness/report/csv.h"
#include "harness/report/markdown.h"
#include "sample.h"

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
    struct cell_identity identity = sample_identity(&sample_designs[1], NULL);
    struct outcome *outcome = sample_outcome(&sample_designs[1], &stream, 0);
    struct diag diag;
    sample_fail(outcome, OUTCOME_CRASHED, "signal 11, \"list|head\"\r\n<b> & `x`");
    assert_int_equal(result_add_cell(document, &identity, &stream, outcome, 1, &diag), DIAG_OK);
    free(outcome);
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

static void test_csv_records_are_alike(void **state)
{
    (void)state;
    struct result_document *document = sample_document();
    char *text = written(csv_write, document), field[512];
    const char *at = text;
    size_t columns = read_record(&at, 0, field), rows = 0;
    for (; *at; rows++)
        assert_int_equal(read_record(&at, 0, field), columns);
    /* 24 cells on hold of which one has no phase, 6 on nginx, 12 on long-horizon. */
    assert_int_equal(rows, 23 * 3 + 1 + 6 * 3 + 12 * 3);
    free(text);
    result_free(document);
}

static void test_csv_quotes(void **state)
{
    (void)state;
    struct result_document *document = nasty_document();
    char *text = written(csv_write, document), field[512] = "";
    const char *at = text;
    size_t reason = column_of(text, "reason");
    read_record(&at, reason, field);
    read_record(&at, reason, field);
    assert_string_equal(field, "signal 11, \"list|head\"\r\n<b> & `x`");
    free(text);
    result_free(document);
}

static void test_csv_figures(void **state)
{
    (void)state;
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[5], "hold", 1000, 0);
    char *text = written(csv_write, document), field[512] = "";
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

static void test_markdown_tables_are_whole(void **state)
{
    (void)state;
    struct result_document *document = sample_document();
    char *text = written(markdown_write, document);
    check_markdown_tables(text);
    assert_non_null(strstr(text, "### hold: 1M timers, tick 1 ms"));
    assert_non_null(strstr(text, "| hashed | **6."));
    assert_null(strstr(text, "| null (harness) | **"));
    assert_non_null(strstr(text, "| timeout: over its time budget of 10 s |"));
    free(text);
    result_free(document);
}

static void test_markdown_escapes(void **state)
{
    (void)state;
    struct result_document *document = nasty_document();
    char *text = written(markdown_write, document);
    check_markdown_tables(text);
    assert_null(strstr(text, "<b>"));
    assert_non_null(strstr(text, "&#124;head"));
    free(text);
    result_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_records_are_alike),
        cmocka_unit_test(test_csv_quotes),
        cmocka_unit_test(test_csv_figures),
        cmocka_unit_test(test_markdown_tables_are_whole),
        cmocka_unit_test(test_markdown_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
