/* test_compare_report.c - what people and machines are shown of a comparison: the terminal, Markdown, HTML,
 * JUnit XML and CSV. */
#include "compare_sample.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/services.h"
#include "harness/tell/report/writer.h"

typedef void write_fn(FILE *out, const cJSON *comparison);

static void write_text(FILE *out, const cJSON *comparison, const struct report_style *style)
{
    struct page page = {.blocks = NULL};
    page_comparison(&page, comparison);
    writer_terminal(out, &page, style);
    page_free(&page);
}

static void write_plain_table(FILE *out, const cJSON *comparison)
{
    write_text(out, comparison, &(struct report_style){.columns = 150});
}

#define DEFINE_WRITE(function, write)                                                              \
    static void function(FILE *out, const cJSON *comparison)                                       \
    {                                                                                              \
        struct page page = {.blocks = NULL};                                                       \
        page_comparison(&page, comparison);                                                        \
        write;                                                                                     \
        page_free(&page);                                                                          \
    }

DEFINE_WRITE(write_markdown, writer_markdown(out, &page))
DEFINE_WRITE(write_csv, writer_csv(out, &page))
DEFINE_WRITE(write_html, writer_html(out, &page, NULL))

/* The caller frees it.  Takes the comparison with it. */
static char *rendered(write_fn *write, struct comparison *comparison, enum fail_on fail_on)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cJSON *document = comparison_json(comparison, NULL, fail_on);
    write(out, document);
    fclose(out);
    cJSON_Delete(document);
    comparison_free(comparison);
    return text;
}

static void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void expect_start(const char *text, const char *start)
{
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("expected:\n%s\nfound:\n%s", start, text);
}

static void expect_no_part(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
}

static size_t count_parts(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static struct comparison regressed_of_two(void)
{
    struct comparison out = sample_comparison(2);
    sample_regress(&out.cells[1]);
    sample_conclude(&out);
    return out;
}

/* ---- The table. ------------------------------------------------------------------------------ */

static void write_regression(FILE *out, const cJSON *comparison)
{
    write_text(out, comparison, &(struct report_style){.columns = 86});
}

TEST(test_table_of_a_regression)
{
    struct comparison comparison = regressed_of_two();
    char *text = rendered(write_regression, &comparison, FAIL_ON_REGRESSED);
    assert_string_equal(
        text,
        "twbench: regressed\n\n1 of 2 cells regressed. Work, instructions and time decide.\n\n"
        "OLD       build/old/twbench 0.3.0 (1234567)\n"
        "NEW       build/new/twbench 0.3.1 (89abcde-dirty)\n"
        "\n"
        "What changed, and why\n"
        "\n"
        "                                       time\n"
        "design  workload  tasks  verdict    NEW/OLD  interval       work\n"
        "------------------------------------------------------------------------------------\n"
        "heap    hold         1k  regressed   +9.4 %  (8.1 .. 10.2)  comparisons +33.3 % (+1)\n"
        "5 more columns on a wider terminal, or in the CSV\n"
        "\n"
        "- heap/hold/1000: regressed: comparisons +33.3 % (limit 1 %), instructions +10.0 %\n"
        "  (limit 1 %); 8.1 .. 10.2 % slower (margin 3 %), confirmed on a second block\n"
        "- heap/hold/1000: 40.0 -> 43.8 ns CPU per call\n"
        "- heap/hold/1000, steady: comparisons 1000 -> 1333, visits 2000 -> 2010; time +12.0 %,\n"
        "  75 % of OLD's was here\n"
        "\n"
        "1 cell without a change\n"
        "                                     time                         control\n"
        "design  workload  tasks  verdict  NEW/OLD  interval       margin  OLD/OLD  work\n"
        "-------------------------------------------------------------------------------\n"
        "list    hold         1k  same      +0.1 %  (-0.4 .. 0.7)     3 %   -0.1 %  same\n"
        "3 more columns on a wider terminal, or in the CSV\n"
        "\n"
        "How it was measured\n"
        "\n"
        "30 pairs of fresh processes in random order (90 at most); thread CPU time, median of\n"
        "the ratios NEW/OLD and its exact interval (99.98 %); margin 3 %, 10 % where work,\n"
        "instructions and memory are the same.\n"
        "\n"
        "twbench: regressed\n\n1 of 2 cells regressed. Work, instructions and time decide.\n");
    free(text);
}

TEST(test_table_of_all_verdicts)
{
    struct comparison comparison = sample_mixed();
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text,
                "\nhashed slots=512  standard     1k  improved       -8.0 %  (-10.0 .. -5.0)");
    expect_part(text, "\nheap              nginx        1k  inconclusive   +2.0 %  (-1.0 .. 4.1)");
    expect_part(
        text, "twbench: regressed\n\n1 of 15 cells regressed, 1 inconclusive, 1 improved. Work, ");
    assert_int_equal(count_parts(text, "  same  "), 12 + 13);
    expect_no_part(text, " \n");
    expect_no_part(text, "\033");
    free(text);
}

TEST(test_table_without_change)
{
    struct comparison comparison = sample_comparison(2);
    sample_set_time(&comparison.cells[0], VERDICT_SAME, 1.04, 1.05, 1.06);
    comparison.cells[0].timing.margin = 0.1;
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "\n- list/hold/1000: same: 4.0 .. 6.0 % slower (margin 10 %: the same work, "
                      "instructions and memory)\n\n2 cells without a change\n");
    expect_part(text, "  +5.0 %  (4.0 .. 6.0)     10 %  ");
    expect_part(text, "  +0.1 %  (-0.4 .. 0.7)     3 %  ");
    expect_part(
        text,
        "twbench: same\n\n2 cells, none of them changed. Work, instructions and time decide.\n");
    free(text);
}

/* What nobody measured is no column, and what nobody counted is not the same. */
TEST(test_table_without_times)
{
    struct comparison comparison = sample_comparison(2);
    comparison.pairs = 0;
    for (size_t i = 0; i < 2; i++)
        comparison.cells[i].time_known = comparison.cells[i].time_decides = false;
    comparison.cells[1].work_verdict = VERDICT_INCONCLUSIVE;
    strcpy(comparison.cells[1].work_reason, "both count nothing");
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_no_part(text, "NEW/OLD");
    expect_no_part(text, "advisory");
    expect_no_part(text, "margin");
    expect_part(text, "\n2 cells without a change\ndesign  workload  tasks  verdict  work");
    expect_part(text, "  same     same        +0.0004 %     0 %  work, instructions\n");
    expect_part(text, "  same     unknown     +0.0004 %     0 %  instructions\n");
    expect_part(text, " Work (in 1 of 2 cells) and instructions decide; no times were taken.\n");
    free(text);
}

TEST(test_table_where_nothing_decides)
{
    struct comparison comparison = sample_comparison(1);
    sample_as_results(&comparison);
    comparison.cells[0].work_verdict = VERDICT_INCONCLUSIVE;
    strcpy(comparison.cells[0].work_reason, "both count nothing");
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "\n- list/hold/1000: inconclusive: work: unknown, both count nothing; "
                      "instructions: unknown, no counters: perf_event_paranoid is 4\n");
    expect_part(text, "Nothing decides; times are advisory: two stored results.\n");
    free(text);
}

TEST(test_instructions_alone_decide)
{
    struct comparison comparison = sample_comparison(1);
    sample_as_results(&comparison);
    struct compared_cell *cell = &comparison.cells[0];
    cell->work_verdict = VERDICT_INCONCLUSIVE;
    strcpy(cell->work_reason, "both count nothing");
    cell->instructions_known = true;
    cell->instructions_verdict = VERDICT_SAME;
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "1 cell, unchanged. Instructions decide; times are advisory");
    free(text);
}

TEST(test_table_of_results_calls_times_advisory)
{
    struct comparison comparison = sample_comparison(2);
    sample_set_time(&comparison.cells[1], VERDICT_REGRESSED, 1.9, 2, 2.1);
    sample_as_results(&comparison);
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "  (advisory)  ");
    expect_no_part(text, "control");
    expect_part(text, "\nheap    hold         1k  same       +100.0 %  (90.0 .. 110.0)  same ");
    expect_part(
        text, "\nInstructions are not known: no counters: perf_event_paranoid is 4. Note: NEW was "
              "interrupted: it may lack cells.\n");
    expect_part(
        text,
        "twbench: same\n\n2 cells, none of them changed. Work decides; times are advisory: two "
        "stored results.\n");
    free(text);
}

TEST(test_table_knows_what_is_unknown)
{
    struct comparison comparison = sample_comparison(1);
    struct compared_cell *cell = &comparison.cells[0];
    cell->time_known = cell->instructions_known = false;
    cell->control.pairs = cell->phase_count = 0;
    cell->changes[METRIC_MEMORY] = sample_change(NAN, NAN, NAN);
    cell->verdict = VERDICT_INCONCLUSIVE;
    strcpy(cell->reason, "nothing was counted");
    comparison.complete = false;
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "inconclusive  -                -       -  -\n");
    expect_part(text, "twbench: inconclusive\n\n1 of 1 cell inconclusive (interrupted).");
    free(text);
}

TEST(test_table_names_a_moved_control_and_steps)
{
    struct comparison comparison = sample_comparison(2);
    for (size_t i = 0; i < 2; i++)
        strcpy(comparison.cells[i].instructions_source, "steps");
    comparison.cells[0].control.cpu.median = 1.04;
    comparison.cells[0].control_moved = true;
    comparison.cells[0].time_verdict = VERDICT_INCONCLUSIVE;
    comparison.limits.of[METRIC_MEMORY] = 0.05;
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "  +4.0 % moved  same ");
    expect_part(
        text, "Work, instructions, memory and time (in 1 of 2 cells) decide (instructions counted "
              "step by step on a small stream).\n");
    free(text);
}

/* What regressed by little goes before what improved by much. */
TEST(test_table_shows_the_gravest_change)
{
    struct comparison comparison = sample_comparison(3);
    sample_set_work(&comparison.cells[0], METRIC_comparisons, 500);
    sample_set_work(&comparison.cells[0], METRIC_visits, 2040);
    comparison.cells[1].changes[METRIC_cascades].before = 0;
    sample_set_work(&comparison.cells[1], METRIC_cascades, 12);
    sample_set_work(&comparison.cells[1], METRIC_moves, 9000);
    sample_regress(&comparison.cells[2]);
    sample_conclude(&comparison);
    char *text = rendered(write_plain_table, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "  visits +2.0 % (+1) ");
    expect_part(text, "  cascades 0 -> 12 (+1) ");
    free(text);
}

static void write_colored(FILE *out, const cJSON *comparison)
{
    write_text(out, comparison, &(struct report_style){.columns = 150, .color = true});
}

/* Colour widens nothing: without the escapes the table is the plain one. */
TEST(test_color_marks_verdicts)
{
    struct comparison comparison = sample_mixed(), again = sample_mixed();
    char *colored = rendered(write_colored, &comparison, FAIL_ON_REGRESSED);
    char *bare = rendered(write_plain_table, &again, FAIL_ON_REGRESSED), *to = colored;
    expect_part(colored, "  \033[1;31mregressed\033[0m     ");
    expect_part(colored, "  \033[32mimproved\033[0m      ");
    expect_part(colored, "  \033[33minconclusive\033[0m  ");
    expect_part(colored, "\033[1;31mregressed\033[0m\n\n1 of 15");
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(colored, bare);
    free(colored);
    free(bare);
}

static void write_narrow(FILE *out, const cJSON *comparison)
{
    write_text(out, comparison, &(struct report_style){.columns = 80});
}

TEST(test_table_fits_a_narrow_terminal)
{
    struct comparison comparison = sample_mixed();
    char *text = rendered(write_narrow, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "more columns on a wider terminal");
    expect_part(text, "+9.4 %  (8.1 .. 10.2)\n");
    for (char *line = strtok(text, "\n"), *next; line; line = next) {
        next = strtok(NULL, "\n");
        if (strlen(line) > 80)
            fail_msg("%s", line);
    }
    free(text);
}

/* ---- Markdown. ------------------------------------------------------------------------------- */

TEST(test_markdown_of_a_regression)
{
    struct comparison comparison = regressed_of_two();
    char *text = rendered(write_markdown, &comparison, FAIL_ON_REGRESSED);
    expect_start(
        text,
        "## twbench: **regressed**\n"
        "\n"
        "1 of 2 cells regressed. Work, instructions and time decide.\n"
        "\n"
        "- OLD: build/old/twbench 0.3.0 (1234567)\n"
        "- NEW: build/new/twbench 0.3.1 (89abcde-dirty)\n"
        "\n"
        "### What changed, and why\n"
        "\n"
        "| design | workload | tasks | verdict | time NEW/OLD | interval | margin | control "
        "OLD/OLD | "
        "work | instructions | memory | decided by |\n"
        "|---|---|--:|---|--:|---|--:|--:|---|--:|--:|---|\n"
        "| heap | hold | 1k | **regressed** | +9.4 % | (8.1 .. 10.2) | 3 % | -0.1 % | comparisons "
        "+33.3 % (+1) | +10.0 % | 0 % | work, instructions, time |\n"
        "\n"
        "- heap/hold/1000: regressed: comparisons +33.3 % (limit 1 %), instructions +10.0 % (limit "
        "1 %); 8.1 .. 10.2 % slower (margin 3 %), confirmed on a second block\n"
        "- heap/hold/1000: 40.0 \u2192 43.8 ns CPU per call\n"
        "- heap/hold/1000, steady: comparisons 1000 \u2192 1333, visits 2000 \u2192 2010; time "
        "+12.0 %, 75 % of OLD's was here\n"
        "\n"
        "<details><summary>1 cell without a change</summary>\n"
        "\n"
        "| design | workload | tasks | verdict | time NEW/OLD | interval | margin | control "
        "OLD/OLD | "
        "work | instructions | memory | decided by |\n"
        "|---|---|--:|---|--:|---|--:|--:|---|--:|--:|---|\n"
        "| list | hold | 1k | same | +0.1 % | (-0.4 .. 0.7) | 3 % | -0.1 % | same | +0.0004 % | 0 "
        "% "
        "| work, instructions, time |\n"
        "\n"
        "</details>\n"
        "\n"
        "### How it was measured\n"
        "\n"
        "30 pairs of fresh processes in random order (90 at most); thread CPU time, median of the "
        "ratios NEW/OLD and its exact interval (99.98 %); margin 3 %, 10 % where work, "
        "instructions "
        "and memory are the same.\n"
        "\n"
        "<details><summary>Where this comes from</summary>\n");
    free(text);
}

TEST(test_markdown_without_change_folds_all)
{
    struct comparison comparison = sample_comparison(15);
    sample_as_results(&comparison);
    sample_conclude(&comparison);
    char *text = rendered(write_markdown, &comparison, FAIL_ON_REGRESSED);
    expect_start(text,
                 "## twbench: same\n\n15 cells, none of them changed. Work decides; times are "
                 "advisory: two stored results.\n\n");
    expect_part(text, "<details><summary>15 cells without a change</summary>\n\n| design");
    expect_part(text, "| time (advisory) |");
    assert_int_equal(count_parts(text, "| design |"), 1);
    free(text);
}

/* A change of work within its limit is shown, though the verdict is "same". */
TEST(test_markdown_shows_changed_work)
{
    struct comparison comparison = sample_comparison(2);
    sample_set_work(&comparison.cells[1], METRIC_visits, 2010);
    sample_conclude(&comparison);
    char *text = rendered(write_markdown, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "|---|\n| heap | hold | 1k | same |");
    expect_part(text, "| visits +0.5 % |");
    assert_int_equal(count_parts(text, "| design |"), 2);
    free(text);
}

/* ---- HTML. ----------------------------------------------------------------------------------- */

static void expect_order(const char *text, const char *const *parts, size_t count)
{
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        at = strstr(at, parts[i]);
        if (!at)
            fail_msg("\"%s\" is not behind what goes before it in:\n%s", parts[i], text);
    }
}

/* The verdict, what changed and why, all cells, how it was measured, where it comes from. */
TEST(test_html_begins_with_the_verdict)
{
    static const char *const parts[] = {
        "<h1>twbench: <span class=\"verdict refuted\" data-path=\"verdict\">regressed</span></h1>",
        "1 of 2 cells regressed. Work, instructions and time decide.",
        "<dt>NEW</dt><dd>build/new/twbench 0.3.1 (89abcde-dirty)</dd>",
        "<h2 id=\"changed\">",
        "data-path=\"cells[1].ratio.median\" data-value=\"1.094\">+9.4 %</span>",
        "data-path=\"cells[1].work[0].change\" data-value=\"0.333\">comparisons +33.3 % (+1)<",
        "data-path=\"reasons[0]\">heap/hold/1000: regressed: ",
        "data-path=\"cells[1].phases[0].work[1].new\" data-value=\"2010\">2010</span>",
        "<details open><summary>1 cell without a change</summary>",
        "<details><summary>Every figure of every cell</summary>",
        "data-path=\"cells[0].control.cpu_ratio.low\"",
        "<h2 id=\"method\">",
        "30 pairs of fresh processes",
        "<h2>Where this comes from</h2>",
        "data-path=\"new.path\""};
    struct comparison comparison = regressed_of_two();
    char *text = rendered(write_html, &comparison, FAIL_ON_REGRESSED);
    expect_order(text, parts, sizeof parts / sizeof *parts);
    free(text);
}

/* ---- Texts that formats could trip over. ----------------------------------------------------- */

static struct comparison nasty_comparison(void)
{
    struct comparison out = sample_comparison(1);
    struct compared_cell *cell = &out.cells[0];
    strcpy(cell->workload, "a|b<c>&\"d',\n");
    strcpy(cell->reason, "NEW: crashed: \"list|head\"\r\n<b> & `x` \x01\xff\xc3\xa4");
    cell->failed = true;
    sample_conclude(&out);
    return out;
}

TEST(test_markdown_escapes)
{
    struct comparison comparison = nasty_comparison();
    char *text = rendered(write_markdown, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "| a&#124;b&#60;c&#62;&#38;\"d',&#10; |");
    expect_no_part(text, "<b>");
    expect_no_part(text, "& `x`");
    free(text);
}

TEST(test_csv_quotes_and_keeps_figures)
{
    struct comparison comparison = nasty_comparison();
    char *text = rendered(write_csv, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "impl,params,workload,tasks,tick_ns,seed,verdict,reason,failed,work_gate,");
    expect_part(
        text, "\r\nlist,,\"a|b<c>&\"\"d',\n\",1000,1000000,18446744073709551615,regressed,\"NEW: ");
    expect_part(
        text, ",true,same,same,,same,true,1.001,0.996,1.007,0.03,1.001,30,0.999,0.995,1.004,false,"
              "40,40.04,false,,processor,250000,250001,,,,16,16\r\n");
    free(text);
}

TEST(test_xml_holds_any_text)
{
    static const struct {
        const char *text, *escaped, *in_attribute;
    } cases[] = {
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&apos;", "a&lt;b&gt;&amp;&quot;c&apos;"},
        {"a\n\tb\r", "a\n\tb&#13;", "a&#10;&#9;b&#13;"},
        {"\x01\x1f\x7f", "??\x7f", "??\x7f"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
         "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xff \xc3 \xe2\x82", "? ? ??", "? ? ??"},      /* not UTF-8, cut short */
        {"\xc0\xbc \xe0\x80\xbc", "?? ???", "?? ???"},   /* '<', longer than it has to be */
        {"\xed\xa0\x80 \xef\xbf\xbe", "??? ?", "??? ?"}, /* a surrogate, U+FFFE */
        {"\xf4\x90\x80\x80", "????", "????"},            /* beyond U+10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128] = "", attribute[160] = "", expected[160];
        FILE *out = fmemopen(text, sizeof text, "w");
        xml_text(out, cases[i].text);
        fclose(out);
        assert_string_equal(text, cases[i].escaped);
        out = fmemopen(attribute, sizeof attribute, "w");
        xml_attribute(out, "a", cases[i].text);
        fclose(out);
        snprintf(expected, sizeof expected, " a=\"%s\"", cases[i].in_attribute);
        assert_string_equal(attribute, expected);
    }
}

/* ---- JUnit. ---------------------------------------------------------------------------------- */

TEST(test_junit_of_a_regression)
{
    struct comparison comparison = regressed_of_two();
    char *text = rendered(compare_junit_write, &comparison, FAIL_ON_REGRESSED);
    expect_part(text,
                "<testsuites name=\"twbench compare\" tests=\"2\" failures=\"1\" errors=\"0\" "
                "skipped=\"0\" time=\"0.000000000\">\n<testsuite name=\"twbench compare\" ");
    expect_part(text,
                "<property name=\"new\" value=\"build/new/twbench 0.3.1 (89abcde-dirty)\"/>\n");
    expect_part(text,
                "<testcase classname=\"hold\" name=\"list/hold/1000\" time=\"0.000000040\">\n"
                "<system-out>time +0.1 % (-0.4 .. 0.7)\nmargin 3 %\ncontrol -0.1 %\nwork same\n");
    expect_part(text, "<testcase classname=\"hold\" name=\"heap/hold/1000\" time=\"0.000000044\">\n"
                      "<failure type=\"regressed\" message=\"regressed: comparisons +33.3 %");
    free(text);
}

TEST(test_junit_escapes)
{
    struct comparison comparison = nasty_comparison();
    char *text = rendered(compare_junit_write, &comparison, FAIL_ON_REGRESSED);
    expect_part(text, "classname=\"a|b&lt;c&gt;&amp;&quot;d&apos;,&#10;\"");
    expect_part(text, "&quot;list|head&quot;&#13;&#10;&lt;b&gt; &amp; `x` ??\xc3\xa4\"");
    free(text);
}

/* Five cells: regressed by work, regressed by time, inconclusive, improved, same. */
static void expect_results(enum fail_on fail_on, const char *counts)
{
    struct comparison comparison = sample_comparison(5);
    sample_set_work(&comparison.cells[0], METRIC_moves, 9000);
    sample_set_time(&comparison.cells[1], VERDICT_REGRESSED, 1.2, 1.3, 1.4);
    sample_set_time(&comparison.cells[2], VERDICT_INCONCLUSIVE, 0.9, 1, 1.1);
    sample_set_time(&comparison.cells[3], VERDICT_IMPROVED, 0.7, 0.8, 0.9);
    sample_conclude(&comparison);
    char *text = rendered(compare_junit_write, &comparison, fail_on);
    expect_part(text, counts);
    assert_int_equal(count_parts(text, "<testcase "), 5);
    assert_int_equal(count_parts(text, "<failure ") + count_parts(text, "<skipped "), 3);
    free(text);
}

TEST(test_junit_fails_as_the_command_does)
{
    expect_results(FAIL_ON_WORK, "tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"2\"");
    expect_results(FAIL_ON_REGRESSED, "tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\"");
    expect_results(FAIL_ON_INCONCLUSIVE, "tests=\"5\" failures=\"3\" errors=\"0\" skipped=\"0\"");
}

TEST(test_junit_says_that_it_was_interrupted)
{
    struct comparison first = sample_comparison(1), second = sample_comparison(1);
    first.complete = second.complete = false;
    sample_conclude(&first);
    sample_conclude(&second);
    char *text = rendered(compare_junit_write, &first, FAIL_ON_REGRESSED);
    expect_part(text, "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"");
    expect_part(text, "<skipped message=\"inconclusive: it was interrupted\"/>");
    free(text);
    text = rendered(compare_junit_write, &second, FAIL_ON_INCONCLUSIVE);
    expect_part(text,
                "<failure type=\"inconclusive\" message=\"inconclusive: it was interrupted\"/>");
    free(text);
}

/* ---- For people, and for tests/exports.sh. --------------------------------------------------- */

/* Writes DIRECTORY/compare.txt, .md, .xml and .csv. */
static int write_all(const char *directory)
{
    static const struct {
        const char *name;
        write_fn *write;
    } formats[] = {{"txt", write_plain_table},
                   {"md", write_markdown},
                   {"xml", compare_junit_write},
                   {"csv", write_csv}};
    int failed = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char path[4096];
        struct comparison comparison = sample_mixed();
        char *text = rendered(formats[i].write, &comparison, FAIL_ON_REGRESSED);
        snprintf(path, sizeof path, "%s/compare.%s", directory, formats[i].name);
        FILE *out = fopen(path, "w");
        failed |= !out || fputs(text, out) < 0;
        failed |= !out || fclose(out) != 0;
        free(text);
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_all(argv[2]);
    return run_listed_tests(NULL, NULL);
}
