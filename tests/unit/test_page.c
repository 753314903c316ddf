/* test_page.c - a page is built once and written in every format. */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/page.h"
#include "harness/tell/report/writer.h"
#include "testing.h"

enum format { TERMINAL, NARROW, PLAIN, MARKDOWN, HTML, CSV };

static char *written(const struct page *page, enum format format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct report_style style = {.columns = format == NARROW ? 20 : 80, .utf8 = format != PLAIN};
    assert_non_null(out);
    switch (format) {
    case MARKDOWN:
        writer_markdown(out, page);
        break;
    case HTML:
        writer_html(out, page, NULL);
        break;
    case CSV:
        writer_csv(out, page);
        break;
    case TERMINAL:
    case NARROW:
    case PLAIN:
        writer_terminal(out, page, &style);
        break;
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect(const struct page *page, enum format format, const char *part)
{
    char *text = written(page, format);
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
    free(text);
}

static void expect_none(const struct page *page, enum format format, const char *part)
{
    char *text = written(page, format);
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
    free(text);
}

static cJSON *sample(void)
{
    cJSON *document = cJSON_Parse(
        "{\"cells\": [{\"impl\": \"heap\", \"ns\": 12.345678}, {\"impl\": \"list|<b>\", "
        "\"ns\": 99.5}], \"odd key\": {\"list\": [1, \"x\", true]}}");
    assert_non_null(document);
    return document;
}

static void build(struct page *page, const cJSON *document)
{
    struct place root = place_root(document), cells = place_get(&root, "cells");
    page_heading(page, 1, NULL, "A title");
    page_text(page, "The best is %s: ", "heap");
    page_put(page, &root, "missing");
    page_span(page, "certain");
    page_mark(page, PAGE_STRONG);
    page_heading(page, 2, "cells", "Cells");
    page_table(page, "table", "Cells of a test");
    page_column(page, "", "design", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "cost", "ns/op", PAGE_BEST, 0);
    page_column(page, "", "a long column", PAGE_LEFT, 1);
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        page_row(page);
        page_cell_put(page, &cell, "impl");
        page_cell_put(page, &cell, "ns");
        page_cell(page, "\u00b1 %d", 1);
    }
    page_row(page);
    page_cell(page, "scan");
    page_note(page, "timeout: too slow");
    page_fact(page, "settings", "none");
    page_fold(page, "Detail");
    page_item(page, "hidden on a terminal");
    page_open(page, PAGE_FOLD_END);
    page_open(page, PAGE_DATA);
    page_column(page, "impl", "", 0, 0);
    page_column(page, "ns", "", 0, 0);
    for (struct place cell = place_item(&cells, 0); cell.json; place_next(&cell)) {
        page_row(page);
        page_cell_put(page, &cell, "impl");
        page_cell_put(page, &cell, "ns");
    }
}

TEST(test_the_terminal)
{
    cJSON *document = sample();
    struct page page = {.blocks = NULL};
    build(&page, document);
    expect(&page, TERMINAL, "A title\n\nThe best is heap: certain\n");
    expect(&page, TERMINAL, "           cost\ndesign    ns/op  a long column\n");
    expect(&page, TERMINAL, "heap       12.3* \u00b1 1\n");
    expect(&page, TERMINAL, "list|<b>   99.5  \u00b1 1\n");
    expect(&page, TERMINAL, "scan      timeout: too slow\nsettings  none\n");
    expect_none(&page, TERMINAL, "hidden");
    expect(&page, PLAIN, "heap       12.3* +- 1\n");
    expect(&page, NARROW, "heap       12.3*\n");
    expect(&page, NARROW, "1 more column on a wider terminal");
    page_free(&page);
    cJSON_Delete(document);
}

TEST(test_markdown)
{
    cJSON *document = sample();
    struct page page = {.blocks = NULL};
    build(&page, document);
    expect(&page, MARKDOWN,
           "## A title\n\nThe best is heap: **certain**\n\n### Cells\n\n| design |");
    expect(&page, MARKDOWN, "| design | cost ns/op | a long column |\n|---|--:|---|\n");
    expect(&page, MARKDOWN, "| heap | **12.3** | \u00b1 1 |\n| list&#124;&#60;b&#62; | 99.5 |");
    expect(&page, MARKDOWN, "| scan |  | timeout: too slow |\n");
    expect(&page, MARKDOWN, "<details><summary>Detail</summary>\n\n- hidden on a terminal\n");
    page_free(&page);
    cJSON_Delete(document);
}

TEST(test_html_says_where_each_figure_stands)
{
    cJSON *document = sample();
    struct page page = {.blocks = NULL};
    build(&page, document);
    expect(&page, HTML, "<h1>A title</h1>");
    expect(&page, HTML, "<h2 id=\"cells\">Cells</h2>");
    expect(&page, HTML, "<span data-path=\"cells[0].ns\" data-value=\"12.345678\">12.3</span>");
    expect(&page, HTML, "<span data-path=\"cells[1].impl\">list|&lt;b&gt;</span>");
    expect(&page, HTML, "<td colspan=\"2\"><div>timeout: too slow</div></td>");
    expect(&page, HTML,
           "<details><summary>Detail</summary>\n<ul>\n<li>hidden on a terminal</li>\n</ul>");
    page_free(&page);
    cJSON_Delete(document);
}

/* The answer is first, and the rest of a table is nobody's loss. */
TEST(test_the_answer_and_the_rest)
{
    struct page page = {.blocks = NULL};
    page_heading(&page, 1, NULL, "Verdict");
    page_answer(&page, "No.");
    page_text(&page, "Why.");
    page_rest(&page, "The rest");
    page_text(&page, "kept");
    page_fold(&page, "Detail");
    page_text(&page, "hidden");
    page_open(&page, PAGE_FOLD_END);
    page_text(&page, "kept too");
    page_open(&page, PAGE_FOLD_END);
    page_evidence(&page, "Evidence");
    page_rest(&page, "of it");
    page_open(&page, PAGE_FOLD_END);
    page_open(&page, PAGE_FOLD_END);
    char *text = written(&page, TERMINAL);
    assert_string_equal(text, "Verdict\n\nNo.\nWhy.\n\nThe rest\nkept\nkept too\n");
    free(text);
    expect(&page, MARKDOWN, "## Verdict\n\nNo.\n\nWhy.\n\n<details><summary>The rest</summary>\n");
    expect_none(&page, MARKDOWN, "of it");
    expect(&page, HTML, "<p>No.</p>\n<p>Why.</p>\n<details open><summary>The rest</summary>");
    expect(&page, HTML, "<details><summary>Evidence</summary>");
    page_free(&page);
}

TEST(test_csv_is_exact)
{
    cJSON *document = sample();
    struct page page = {.blocks = NULL};
    build(&page, document);
    char *text = written(&page, CSV);
    assert_string_equal(text, "impl,ns\r\nheap,12.345678\r\nlist|<b>,99.5\r\n");
    free(text);
    page_free(&page);
    cJSON_Delete(document);
}

TEST(test_places_quote_odd_keys)
{
    cJSON *document = sample();
    struct place root = place_root(document), odd = place_key(&root, "odd key");
    struct place list = place_get(&odd, "list"), item = place_item(&list, 1);
    assert_string_equal(item.path, "[\"odd key\"].list[1]");
    assert_string_equal(item.json->valuestring, "x");
    place_next(&item);
    assert_string_equal(item.path, "[\"odd key\"].list[2]");
    struct page page = {.blocks = NULL};
    page_text(&page, "%s", "");
    page_put(&page, &odd, "list");
    expect(&page, PLAIN, "1, x, yes\n");
    page_free(&page);
    cJSON_Delete(document);
}

/* What reads alike is not told apart, and what is out of competition is never the best. */
TEST(test_the_best)
{
    struct page page = {.blocks = NULL};
    page_table(&page, NULL, "t");
    page_column(&page, "a", "", PAGE_BEST, 0);
    page_column(&page, "b", "", PAGE_BEST, 0);
    static const double values[3][2] = {{2, 5.001}, {1, 5.002}, {0.5, 4}};
    for (size_t i = 0; i < 3; i++) {
        page_row(&page);
        page_row_competes(&page, i < 2);
        page_cell_number(&page, values[i][0]);
        page_cell_number(&page, values[i][1]);
    }
    const struct page_table *table = &page.blocks[0].table;
    assert_false(page_is_best(table, 0, 0));
    assert_true(page_is_best(table, 1, 0));
    assert_false(page_is_best(table, 2, 0));
    assert_false(page_is_best(table, 0, 1));
    assert_false(page_is_best(table, 1, 1));
    page_free(&page);
}

static const char *const measured =
    "[{\"ns\": {\"median\": 4.0, \"low\": 3.8, \"high\": 4.2}, \"p99\": 31},"
    " {\"ns\": {\"median\": 4.1, \"low\": 4.0, \"high\": 4.3}, \"p99\": 12},"
    " {\"ns\": {\"median\": 9.0, \"low\": 8.0, \"high\": 9.9}, \"p99\": 0.41}]";

/* No star where an interval overlaps that of the least, or where a number is below the clock's step. */
TEST(test_stars_of_intervals)
{
    cJSON *cells = cJSON_Parse(measured);
    struct place root = place_root(cells);
    struct page page = {.blocks = NULL};
    page_table(&page, NULL, "t");
    page_column(&page, "a", "", PAGE_BEST, 0);
    page_column(&page, "b", "", PAGE_BEST, 0);
    for (struct place cell = place_item(&root, 0); cell.json; place_next(&cell)) {
        page_row(&page);
        page_cell_put(&page, &cell, "ns.median");
        page_cell(&page, "%s", "");
        page_put_latency(&page, &cell, "p99", 1);
    }
    const struct page_table *table = &page.blocks[0].table;
    for (size_t i = 0; i < 3; i++)
        assert_false(page_is_best(table, i, 0));
    page.blocks[0].table.rows[1].out_of_competition = true;
    assert_true(page_is_best(table, 0, 0));
    assert_false(page_is_best(table, 2, 0));
    for (size_t i = 0; i < 3; i++)
        assert_false(page_is_best(table, i, 1)); /* the least is no number */
    expect(&page, TERMINAL, "  9  < 10\n");
    page_free(&page);
    cJSON_Delete(cells);
}

/* What a terminal has no room for, and what would be too long for an issue. */
TEST(test_detail_is_left_out)
{
    struct page page = {.blocks = NULL};
    page_table(&page, NULL, "t");
    page_column(&page, "claim", "", PAGE_LEFT, 0);
    page_column(&page, "statement", "", PAGE_LEFT | PAGE_PROSE, 0);
    page_row(&page);
    page_cell(&page, "T1");
    page_cell(&page, "a sentence");
    page_fold(&page, "How");
    page_text(&page, "by counts");
    page_evidence(&page, "Figures");
    page_fold(&page, "All");
    page_text(&page, "12345");
    page_open(&page, PAGE_FOLD_END);
    page_open(&page, PAGE_FOLD_END);
    page_text(&page, "and times");
    page_open(&page, PAGE_FOLD_END);
    page_text(&page, "the end");
    expect(&page, TERMINAL, "claim\n\u2500\u2500\u2500\u2500\u2500\nT1\n\nthe end\n");
    expect(&page, MARKDOWN, "| T1 | a sentence |");
    expect(&page, MARKDOWN, "by counts\n\nand times\n\n</details>\n\nthe end\n");
    expect_none(&page, MARKDOWN, "12345");
    expect(&page, HTML, "<p>12345</p>");
    page_free(&page);
}

TEST(test_templates)
{
    cJSON *document = cJSON_Parse("{\"share\": 0.025, \"ns\": 1234567890, \"text\": \"x\"}");
    struct place root = place_root(document);
    struct page page = {.blocks = NULL};
    page_say(
        &page, PAGE_TEXT, &root,
        "{share:share}, {missing:share}, {ns:s}, {ns:count}, {text:count}<, {missing}><, {text}>");
    page_say(&page, PAGE_TEXT, &root, "<nothing of {missing}>");
    expect(&page, TERMINAL, "2.50 %, -, 1.2 s, 1234567890, -, x\n");
    expect_none(&page, TERMINAL, "nothing of");
    expect(&page, HTML, "data-path=\"share\" data-value=\"0.025\">2.50 %</span>");
    page_free(&page);
    cJSON_Delete(document);
}

/* A head that is a word of the glossary is explained; in the terminal it has two lines. */
TEST(test_terms)
{
    struct page page = {.blocks = NULL};
    page_table(&page, NULL, "Times");
    page_column(&page, "", "design", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(&page, "longest advance", "ns", 0, 0);
    page_column(&page, "comparisons", "per op", 0, 0);
    page_row(&page);
    page_cell(&page, "heap");
    page_cell(&page, "931");
    page_cell(&page, "4");
    expect(&page, HTML, "title=\"Comparisons of a deadline with another");
    expect(&page, HTML, "<dt>longest advance</dt><dd>Without preemption: ");
    expect_none(&page, HTML, "<dt>longest seen</dt>");
    expect(&page, TERMINAL,
           "        longest\n        advance  comparisons\ndesign       ns       per op\n");
    page_free(&page);
}

/* Keys that nobody named: facts, tables of objects, and all figures by their paths. */
TEST(test_trees)
{
    cJSON *document =
        cJSON_Parse("{\"late_max\": 3, \"inner\": {\"a\": 1}, \"points\": [{\"x\": 1, \"y\": "
                    "\"low\"}, {\"x\": 2.5, \"z\": true}], \"drawing\": \"1\\n2\"}");
    struct place root = place_root(document), points = place_get(&root, "points");
    struct page page = {.blocks = NULL};
    page_facts(&page, &root);
    page_records(&page, "Points", &points);
    page_all_figures(&page, &root);
    expect(&page, HTML, "<dt>late max</dt><dd><span data-path=\"late_max\" data-value=\"3\">3<");
    expect(&page, MARKDOWN, "| x | y | z |\n|--:|---|---|\n| 1 | low |  |\n| 2.50 |  | yes |\n");
    char *text = written(&page, CSV);
    assert_string_equal(text, "figure,value\r\nlate_max,3\r\ninner.a,1\r\npoints[0].x,1\r\n"
                              "points[0].y,low\r\npoints[1].x,2.5\r\npoints[1].z,true\r\n");
    free(text);
    page_free(&page);
    cJSON_Delete(document);
}

TEST_MAIN(NULL, NULL)
