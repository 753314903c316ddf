/* test_table.c - the table on the terminal, and the numbers, widths and marks it is made of. */
#include "harness/tell/report/figure.h"
#include "sample.h"
#include "sample_page.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct report_style plain = {.columns = 100};

/* The caller frees it. */
static char *table_text(const struct result_document *document, struct report_style style)
{
    return sample_page(page_run, result_json(document), SAMPLE_TERMINAL, style);
}

/* The line that begins with `start` in the block whose title begins with `title`. */
static const char *find_line(char *out, const char *text, const char *title, const char *start)
{
    const char *at = strstr(text, title);
    char needle[128];
    snprintf(needle, sizeof needle, "\n%s", start);
    at = at ? strstr(at, needle) : NULL;
    assert_non_null(at);
    snprintf(out, 256, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    return out;
}

/* ---- Numbers. -------------------------------------------------------------------------------- */

TEST(test_numbers_have_three_digits)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},         {0.5, "0.50"},     {1.234, "1.23"},   {9.994, "9.99"},
        {9.996, "10.0"},  {12.34, "12.3"},   {99.94, "99.9"},   {99.96, "100"},
        {123.4, "123"},   {99999, "99999"},  {99999.6, "100k"}, {1234567, "1.23M"},
        {999499, "999k"}, {999600, "1.00M"}, {2.5e9, "2.50G"},  {NAN, "-"},
        {INFINITY, "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FIGURE_SIZE];
        figure_number(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(test_interval_shows_the_farther_end)
{
    char median[FIGURE_SIZE], deviation[FIGURE_DEVIATION_SIZE];
    cJSON *interval = cJSON_Parse("{\"median\": 12.34, \"low\": 12.0, \"high\": 13.0}");
    figure_interval(median, deviation, interval);
    assert_string_equal(median, "12.3");
    assert_string_equal(deviation, "\u00b10.7");
    cJSON_AddNumberToObject(interval, "confidence", 0.9375);
    figure_interval(median, deviation, interval);
    assert_string_equal(median, "12.3");
    assert_string_equal(deviation, "");
    figure_interval(median, deviation, NULL);
    assert_string_equal(median, "-");
    assert_string_equal(deviation, "");
    cJSON_Delete(interval);
}

TEST(test_no_interval_goes_below_zero)
{
    char median[FIGURE_SIZE], deviation[FIGURE_DEVIATION_SIZE];
    cJSON *interval = cJSON_Parse("{\"median\": 12.34, \"low\": 11.0, \"high\": 30.1}");
    figure_interval(median, deviation, interval);
    assert_string_equal(median, "12.3");
    assert_string_equal(deviation, "11.0..30.1");
    cJSON_Delete(interval);
}

TEST(test_time_unit_suits_the_least)
{
    double divisor;
    assert_string_equal(figure_time_unit((double[]){99, 9999}, 2, &divisor), "ns");
    assert_string_equal(figure_time_unit((double[]){4850, 5.05e7, 0}, 3, &divisor), "us");
    assert_string_equal(figure_time_unit((double[]){999, 1e12}, 2, &divisor), "us");
    assert_string_equal(figure_time_unit((double[]){NAN, 10000, 0}, 3, &divisor), "us");
    assert_true(divisor == 1000);
    assert_string_equal(figure_time_unit((double[]){2e7}, 1, &divisor), "ms");
    assert_string_equal(figure_time_unit((double[]){NAN}, 1, &divisor), "ns");
}

/* ---- The comparison. ------------------------------------------------------------------------- */

TEST(test_rows_show_figures_and_status)
{
    char line[256];
    struct result_document *document = sample_document();
    char *text = table_text(document, plain);
    find_line(line, text, "hold: 10k timers, tick 1 ms", "heap");
    assert_non_null(strstr(line, "+-"));
    assert_non_null(strstr(line, " 24.4* "));
    assert_string_equal(line + strlen(line) - 2, "ok");
    find_line(line, text, "hold: 1M timers", "list");
    assert_non_null(strstr(line, "timeout: over its time budget of 10 s"));
    find_line(line, text, "hold: 10k timers", "settings");
    assert_non_null(
        strstr(line, "hashed slots=10000; round slots=10000; hier levels=256,64,64,64"));
    find_line(line, text, "hold: 10k timers", "harness");
    assert_non_null(strstr(line, "1.31 ns"));
    assert_non_null(strstr(text, "97.9 % confidence"));
    assert_non_null(strstr(text, "median of 10 samples"));
    free(text);
    result_free(document);
}

/* In the sample hashed is the cheapest in each phase; only the harness is cheaper. */
TEST(test_best_is_marked_and_the_harness_is_not)
{
    char line[256];
    struct result_document *document = sample_document();
    char *text = table_text(document, plain);
    size_t stars = 0;
    find_line(line, text, "hold: 1k timers", "hashed");
    for (const char *c = line; *c; c++)
        stars += *c == '*';
    assert_true(stars >= 3);
    assert_null(strchr(find_line(line, text, "hold: 1k timers", "null (harness)"), '*'));
    free(text);
    result_free(document);
}

/* heap takes fewer bytes in all than a wheel whose slots outweigh its timers, whatever one more task costs. */
TEST(test_best_memory_goes_by_the_whole)
{
    char line[256];
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[2], "hold", 1000, 0);
    sample_add(document, &sample_designs[3], "hold", 1000, 65536);
    char *text = table_text(document, (struct report_style){.columns = 200});
    assert_non_null(strstr(find_line(line, text, "hold: 1k timers", "heap"), " 28.1* "));
    find_line(line, text, "hold: 1k timers", "hashed");
    assert_non_null(strstr(line, " 544 "));
    assert_non_null(strstr(line, " 528k "));
    free(text);
    result_free(document);
}

/* Two designs, so many samples of each. */
static char *text_of_samples(size_t samples, bool colour)
{
    struct result_document *document = sample_empty();
    struct stream stream = sample_stream("hold", 1000);
    for (size_t i = 2; i < 4; i++) {
        struct outcome *outcome = sample_outcome(&sample_designs[i], &stream, 0);
        outcome->sample_count = samples;
        sample_put(document, &sample_designs[i], &stream, outcome);
    }
    char *text = table_text(document, (struct report_style){.columns = 200, .color = colour});
    result_free(document);
    return text;
}

TEST(test_few_samples_give_no_interval_and_no_best)
{
    for (size_t samples = 1; samples < 6; samples++) {
        char *text = text_of_samples(samples, false), line[256];
        assert_null(strstr(text, "confidence"));
        assert_non_null(strstr(text, "Fewer than 6 samples give no interval, and no best"));
        assert_null(strchr(text, '*'));
        find_line(line, text, "hold: 1k timers", "hashed");
        assert_null(strstr(line, "+-"));
        assert_null(strchr(line, '*'));
        free(text);
    }
    char *text = text_of_samples(6, false);
    assert_non_null(strstr(text, "exact 96.9 % confidence interval"));
    assert_non_null(strchr(text, '*'));
    free(text);
}

/* Behind a number, not in the legend. */
static size_t marks_of(const char *text)
{
    size_t count = 0;
    for (const char *c = text + 1; *c; c++)
        count += *c == '*' && !isspace((unsigned char)c[-1]);
    return count;
}

TEST(test_best_has_its_mark_beside_the_colour)
{
    char *plain_text = text_of_samples(6, false), *colour_text = text_of_samples(6, true);
    size_t colours = 0, marks = marks_of(colour_text), plain_marks = marks_of(plain_text);
    for (const char *c = colour_text; (c = strstr(c, "\033[1;32m")); c++)
        colours++;
    assert_true(plain_marks > 0);
    assert_int_equal(marks, plain_marks);
    assert_int_equal(colours, plain_marks);
    free(plain_text);
    free(colour_text);
}

TEST(test_designs_with_several_settings_are_told_apart)
{
    char line[256];
    struct result_document *document = sample_document();
    char *text = table_text(document, plain);
    find_line(line, text, "long-horizon: 10k timers", "hashed slots=64 ");
    find_line(line, text, "long-horizon: 10k timers", "round slots=65536");
    free(text);
    result_free(document);
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    for (const char *line = text; *line; line += line[strcspn(line, "\n")] == '\n') {
        size_t width = strcspn(line, "\n");
        bool is_row = strstr(line, "  ok\n") && strstr(line, "  ok\n") < line + width + 2;
        if (is_row && width > widest)
            widest = width;
        line += width;
    }
    return widest;
}

TEST(test_rows_fit_the_terminal)
{
    static const unsigned widths[] = {60, 72, 80, 100, 140};
    struct result_document *document = sample_document();
    size_t last = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char *text = table_text(document, (struct report_style){.columns = widths[i]});
        size_t widest = widest_line(text);
        assert_true(widest > 40 && widest <= widths[i] && widest >= last);
        assert_int_equal(strstr(text, "on a wider terminal") == NULL, widths[i] == 140);
        last = widest;
        free(text);
    }
    result_free(document);
}

TEST(test_no_line_ends_in_blanks)
{
    struct result_document *document = sample_document();
    char *text = table_text(document, plain);
    assert_null(strstr(text, " \n"));
    free(text);
    result_free(document);
}

TEST(test_bytes_beyond_ascii_and_escapes_only_when_asked)
{
    struct result_document *document = sample_document();
    char *text = table_text(document, plain);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f));
    free(text);
    text = table_text(document, (struct report_style){.color = true, .utf8 = true, .columns = 100});
    assert_non_null(strstr(text, "\xc2\xb1"));
    assert_non_null(strstr(text, "\033[1;32m"));
    assert_non_null(strstr(text, "\033[1;31mtimeout\033[0m"));
    free(text);
    result_free(document);
}

TEST(test_one_design_gets_a_card)
{
    struct result_document *document = sample_empty();
    sample_add(document, &sample_designs[3], "hold", 1000, 512);
    sample_add(document, &sample_designs[0], "hold", 1000, 0);
    char *text = table_text(document, plain);
    assert_non_null(strstr(text, "hashed on hold: 1k timers, tick 1 ms"));
    assert_non_null(strstr(text, "settings  slots=512"));
    assert_non_null(strstr(text, "fired     5000 of 5000 expected, 0 early, at most 0 ticks late"));
    assert_non_null(strstr(text, "digest    fedcba9876543210, as the oracle's"));
    assert_non_null(strstr(text, "memory    24.2 bytes per task, slots and all, 8.0 KiB fixed"));
    assert_non_null(strstr(text, "The run was not finished: 2 cells are here."));
    assert_null(strstr(text, "The best of its column"));
    free(text);
    result_free(document);
}

/* A cell of hashed that asked for the pages, added to the document. */
static void add_paged(struct result_document *document, enum plan_pages pages, uint64_t huge_bytes)
{
    const struct sample_design *design = &sample_designs[3];
    struct stream stream = sample_stream("hold", 1000);
    struct cell_identity identity = sample_identity(design, NULL);
    struct outcome *outcome = sample_outcome(design, &stream, 512);
    struct diag diag;
    identity.pages = pages;
    outcome->memory.pages.told = true;
    outcome->memory.pages.asked = pages != PLAN_PAGES_ANY;
    outcome->memory.pages.huge_bytes = huge_bytes;
    if (huge_bytes == 0)
        strcpy(outcome->memory.pages.reason, "the system says never");
    assert_int_equal(result_add_cell(document, &identity, &stream, outcome, 1, &diag), DIAG_OK);
    free(outcome);
}

/* Both ways stand side by side, and what the kernel gave below them; and who has some without the wish. */
TEST(test_huge_pages_are_told)
{
    for (int given = 0; given < 2; given++) {
        struct result_document *document = sample_empty();
        add_paged(document, PLAN_PAGES_SMALL, 0);
        add_paged(document, PLAN_PAGES_HUGE, given ? 4 << 20 : 0);
        char *text = table_text(document, plain);
        assert_non_null(strstr(text, "\nhashed huge_pages=off "));
        assert_non_null(strstr(text, "\nhashed huge_pages=on "));
        assert_non_null(
            strstr(text, given ? "\npages     of 2 MiB: hashed huge_pages=on 4.0 MiB of 6.0 MiB\n"
                               : "\npages     of 2 MiB: hashed huge_pages=on none: the system "
                                 "says never\n"));
        free(text);
        result_free(document);
    }
    struct result_document *document = sample_empty();
    add_paged(document, PLAN_PAGES_ANY, 4 << 20);
    char *text = table_text(document, plain);
    assert_non_null(strstr(text, "\npages     of 2 MiB: hashed 4.0 MiB, unasked\n"));
    free(text);
    result_free(document);
}

/* Designs agree on one line; one that is late gets its own, and a cell without any says nothing. */
TEST(test_schedules_are_lines)
{
    static const char skip[] =
        "1 thread  fixed-rate, skip: 900 runs, 100 missed, late by 500 us on "
        "average, 30 ms at most, thread 75 % busy";
    static const char burst[] = "1 thread  fixed-rate, burst: 1k runs, 0 missed, late by 25 ms on "
                                "average, 2 s at most, thread 80 % busy";
    struct result_document *document = sample_document();
    char *text = table_text(document, (struct report_style){.columns = 200}), line[256];
    find_line(line, text, "hold: 1k", "1 thread  fixed-rate, skip");
    assert_string_equal(line, skip);
    find_line(line, text, "hold: 1k", "1 thread  fixed-rate, burst");
    assert_string_equal(line, burst);
    assert_null(strstr(text, "\n          hier:"));
    free(text);
    cJSON *cell;
    cJSON_ArrayForEach(cell,
                       cJSON_GetObjectItem((cJSON *)(uintptr_t)result_json(document), "cells"))
    {
        if (strcmp(cJSON_GetObjectItem(cell, "impl")->valuestring, "hier") != 0)
            continue;
        cJSON *schedules = cJSON_GetObjectItem(cell, "schedules");
        cJSON *first = schedules ? schedules->child : NULL;
        if (first)
            cJSON_SetNumberValue(cJSON_GetObjectItem(first, "late_max_ticks"), 31);
    }
    text = table_text(document, (struct report_style){.columns = 200});
    find_line(line, text, "hold: 1k", "          hier: 900 runs");
    assert_non_null(strstr(line, "31 ms at most"));
    free(text);
    result_free(document);
}

TEST(test_empty_document)
{
    struct result_document *document = sample_empty();
    result_set_complete(document, true);
    char *text = table_text(document, plain);
    assert_string_equal(text, "");
    free(text);
    result_free(document);
}

/* ---- The terminal. --------------------------------------------------------------------------- */

static FILE *open_terminal(int *master)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0);
    FILE *terminal = fopen(ptsname(*master), "w");
    assert_non_null(terminal);
    struct winsize size = {.ws_col = 77, .ws_row = 20};
    assert_int_equal(ioctl(*master, TIOCSWINSZ, &size), 0);
    return terminal;
}

TEST(test_style_follows_the_terminal)
{
    int master;
    FILE *terminal = open_terminal(&master);
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    assert_true(style_for(terminal, STYLE_COLOR_AUTO).color);
    assert_int_equal(style_for(terminal, STYLE_COLOR_AUTO).columns, 77);
    assert_false(style_for(terminal, STYLE_COLOR_NEVER).color);
    setenv("TERM", "dumb", 1);
    assert_false(style_for(terminal, STYLE_COLOR_AUTO).color);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    assert_false(style_for(terminal, STYLE_COLOR_AUTO).color);
    assert_true(style_for(terminal, STYLE_COLOR_ALWAYS).color);
    setenv("NO_COLOR", "", 1);
    assert_true(style_for(terminal, STYLE_COLOR_AUTO).color);
    fclose(terminal);
    close(master);
}

TEST(test_style_of_a_file)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C", 1);
    assert_false(style_for(file, STYLE_COLOR_AUTO).color);
    assert_false(style_for(file, STYLE_COLOR_AUTO).utf8);
    assert_int_equal(style_for(file, STYLE_COLOR_AUTO).columns, 100);
    setenv("LC_ALL", "C.UTF-8", 1);
    assert_true(style_for(file, STYLE_COLOR_AUTO).utf8);
    fclose(file);
}

TEST_MAIN(NULL, NULL)
