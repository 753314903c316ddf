/* test_sweep.c - the section on growth and the claims about it, on made-up results. */
#include "harness/tell/report/standing.h"
#include "sample.h"
#include "sample_page.h"

/* Work of one phase that fills 1e3 .. 1e6 timers: `cost` per start. */
typedef double cost_fn(double n);

static double cost_constant(double n)
{
    return 8 + 0 * n;
}
static double cost_log(double n)
{
    return 10 * log2(n);
}
static double cost_root(double n)
{
    return sqrt(n);
}

static struct result_document *document_of(const struct sample_design *design, cost_fn *cost,
                                           uint64_t most)
{
    struct result_document *document = sample_empty();
    for (uint64_t tasks = 1000; tasks <= most; tasks *= 10) {
        struct stream stream = sample_stream("fill", tasks);
        struct outcome *outcome = sample_outcome(design, &stream, 0);
        outcome->phases[0].is_counted = true;
        outcome->phases[0].work =
            (struct tw_work){.moves = (uint64_t)(cost((double)tasks) * (double)tasks)};
        sample_put(document, design, &stream, outcome);
    }
    return document;
}

static const struct sample_design *design_named(const char *name)
{
    for (size_t i = 0; i < SAMPLE_DESIGNS; i++)
        if (strcmp(sample_designs[i].name, name) == 0)
            return &sample_designs[i];
    fail();
    return NULL;
}

/* Answers the status; *answer and diag->text are those of the check. */
static int check(const struct result_document *document, const char *text,
                 enum growth_answer *answer, struct diag *diag)
{
    struct sweep_claim claim;
    assert_int_equal(sweep_parse_claim(text, &claim, diag), DIAG_OK);
    return sweep_check_claim(document, &claim, answer, diag);
}

TEST(test_claims_about_counts)
{
    static const struct {
        cost_fn *cost;
        const char *claim;
        enum growth_answer answer;
    } cases[] = {
        {cost_constant, "heap.start<=O(1)", GROWTH_HOLDS},
        {cost_log, "heap.start<=O(1)", GROWTH_BROKEN},
        {cost_log, " heap.start <= O(log n) ", GROWTH_HOLDS},
        {cost_log, "heap.start<=O(n log n)", GROWTH_HOLDS},
        {cost_root, "heap.start<=O(log n)", GROWTH_BROKEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result_document *document =
            document_of(design_named("heap"), cases[i].cost, 1000000);
        enum growth_answer answer = GROWTH_UNDECIDED;
        struct diag diag = {""};
        assert_int_equal(check(document, cases[i].claim, &answer, &diag), DIAG_OK);
        assert_int_equal(answer, cases[i].answer);
        if (answer == GROWTH_BROKEN)
            assert_non_null(strstr(diag.text, "is broken: the counts of fill, phase fill"));
        result_free(document);
    }
}

TEST(test_claims_without_a_sweep)
{
    enum growth_answer answer;
    struct diag diag;
    struct result_document *document = document_of(design_named("heap"), cost_log, 10000);
    assert_int_equal(check(document, "heap.start<=O(1)", &answer, &diag), DIAG_USAGE);
    result_free(document);
    document = document_of(design_named("heap"), cost_log, 1000000);
    assert_int_equal(check(document, "list.start<=O(1)", &answer, &diag), DIAG_USAGE);
    assert_int_equal(check(document, "heap.tick<=O(1)", &answer, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "--assert: 'heap.tick<=O(1)'"));
    result_free(document);
}

TEST(test_claims_that_cannot_be_read)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"", "column 1: expected a design"},
        {".start<=O(1)", "column 1: expected a design"},
        {"heap", "column 5: expected a dot"},
        {"heap.begin<=O(1)", "column 6: expected start, stop"},
        {"heap.start<O(1)", "column 11: expected <="},
        {"heap.start<=O(logn)", "column 13: expected O(1)"},
        {"heap.start<=O(n) log n", "column 18: expected nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep_claim claim;
        struct diag diag;
        assert_int_equal(sweep_parse_claim(cases[i].text, &claim, &diag), DIAG_USAGE);
        assert_non_null(strstr(diag.text, cases[i].expected));
        assert_non_null(strstr(diag.text, "--assert: "));
    }
}

static char *section_of(const struct result_document *document)
{
    return sample_page(page_growth, result_json(document), SAMPLE_TERMINAL,
                       (struct report_style){.columns = 200});
}

TEST(test_section)
{
    struct sample_design heap = *design_named("heap");
    heap.traits.start = (struct tw_cost){TW_O_1, TW_O_LOG_N};
    struct result_document *document = document_of(&heap, cost_log, 1000000);
    char *text = section_of(document);
    char *row = strstr(text, "\nheap");
    assert_non_null(row);
    *strchr(row + 1, '\n') = '\0';
    assert_non_null(strstr(row, "fill, fill"));
    assert_non_null(strstr(row, "start"));
    char *found = strstr(row, "O(log n)"), *declared = strstr(row, "O(1), worst O(log n)");
    assert_true(found && declared && found < declared);
    assert_null(strstr(row + 1, "steady"));
    free(text);
    result_free(document);
}

TEST(test_no_section_without_a_sweep)
{
    struct result_document *document = document_of(design_named("heap"), cost_log, 10000);
    char *text = section_of(document);
    assert_string_equal(text, "");
    free(text);
    result_free(document);
    document = document_of(design_named("null"), cost_log, 1000000);
    text = section_of(document);
    assert_string_equal(text, "");
    free(text);
    result_free(document);
}

TEST_MAIN(NULL, NULL)
