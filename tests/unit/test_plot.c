/* test_plot.c - which pictures a document gets, what their data files say, and gnuplot itself. */
#include "harness/tell/report/plot.h"
#include "sample.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Which pictures. ------------------------------------------------------------------------- */

static size_t group_of(const struct view *view, const char *workload, double tasks)
{
    for (size_t i = 0; i < view->group_count; i++)
        if (strcmp(view->groups[i].workload, workload) == 0 && view->groups[i].tasks == tasks)
            return i;
    fail_msg("no group %s", workload);
    return 0;
}

TEST(test_sweep_trace_and_slots_have_their_pictures)
{
    struct result_document *document = sample_document();
    struct view view = view_make(result_json(document));
    const struct {
        const char *workload;
        double tasks;
        const char *pictures; /* one letter each: cost, memory, latency, slots, bars */
    } expected[] = {
        {"hold", 1000, "cm"},   {"hold", 10000, ""},           {"hold", 1000000, "l"},
        {"nginx", 40213, "lb"}, {"long-horizon", 10000, "ls"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t group = group_of(&view, expected[i].workload, expected[i].tasks);
        for (int kind = 0; kind < PLOT_KINDS; kind++) {
            bool wanted = strchr(expected[i].pictures, "cmlsbtrai"[kind]) != NULL;
            assert_int_equal(plotdata_has(&view, group, (enum plot_kind)kind), wanted);
        }
    }
    view_free(&view);
    result_free(document);
}

/* ---- The data. ------------------------------------------------------------------------------- */

/* The caller frees it. */
static char *data_text_of(const cJSON *document, const char *workload, double tasks,
                          enum plot_kind kind)
{
    char *text = NULL;
    size_t size;
    struct view view = view_make(document);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    plotdata_write(out, document, &view, group_of(&view, workload, tasks), kind);
    fclose(out);
    view_free(&view);
    return text;
}

static char *data_text(const struct result_document *document, const char *workload, double tasks,
                       enum plot_kind kind)
{
    return data_text_of(result_json(document), workload, tasks, kind);
}

static size_t count_fields(const char *line)
{
    size_t fields = 1;
    for (; *line && *line != '\n'; line++)
        fields += *line == '\t';
    return fields;
}

TEST(test_cost_is_a_block_per_phase)
{
    struct result_document *document = sample_document();
    char *text = data_text(document, "hold", 1000, PLOT_COST);
    assert_non_null(strstr(text, "title\thold, tick 1 ms\n"));
    assert_non_null(strstr(text, "machine\tExample CPU @ 3.00GHz, 2 cores, 16 GiB; gcc 12.2.0\n"));
    assert_non_null(strstr(text, "blocks\t3\nseries\t6\n"));
    const char *names = "\tlist\theap\thashed\tround\thier\tnull (harness)\n1000\t";
    const char *block = strstr(text, "\n\n\nfill: ns per start");
    assert_non_null(block);
    assert_memory_equal(block + strlen("\n\n\nfill: ns per start"), names, strlen(names));
    assert_non_null(strstr(text, "\n\n\nsteady: ns per start + expire\t"));
    assert_non_null(strstr(text, "\n\n\ndrain: ns per stop + expire\t"));
    /* The list gave up at a million: its three values are missing, the others are there. */
    const char *last = strstr(block, "\n1000000\t?\t?\t?\t");
    assert_non_null(last);
    assert_int_equal(count_fields(last + 1), 1 + 3 * 6);
    free(text);
    result_free(document);
}

TEST(test_slots_are_in_order_with_a_block_per_tick)
{
    struct result_document *document = sample_document();
    char *text = data_text(document, "long-horizon", 10000, PLOT_SLOTS);
    assert_non_null(strstr(text, "blocks\t4\nseries\t2\n"));
    const char *at = strstr(text, "steady: ns per tick\thashed\tround\n64\t");
    assert_non_null(at);
    double last = 0;
    for (at = strchr(at, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        double slots = strtod(at + 1, NULL);
        assert_true(slots > last);
        last = slots;
    }
    assert_true(last == 65536);
    free(text);
    result_free(document);
}

/* Both coordinates of a curve rise, and the six marks are there. */
TEST(test_latency_curves_rise)
{
    struct result_document *document = sample_document();
    char *text = data_text(document, "nginx", 40213, PLOT_LATENCY);
    const char *at = strstr(text, "\n\n\nheap\n");
    assert_non_null(at);
    at += strlen("\n\n\nheap\n");
    double last_x = 1, last_ns = 0;
    size_t marks = 0;
    for (; strtod(at, NULL) >= last_x; at = strchr(at, '\n') + 1) {
        char *end;
        double x = strtod(at, &end), ns = strtod(end, &end);
        assert_true(x >= last_x && ns >= last_ns * (1 - 1.0 / 31));
        last_x = x, last_ns = ns;
        marks += end[1] != '?';
    }
    assert_int_equal(marks, 6);
    assert_true(last_x == 1e6 && strncmp(at, "100000\t?\t", 9) == 0); /* unpreempted */
    free(text);
    result_free(document);
}

/* What make reference publishes has no bins: the curve runs through the six marks. */
TEST(test_latency_curves_without_bins_have_the_percentiles)
{
    struct result_document *sample = sample_document();
    cJSON *document = cJSON_Duplicate(result_json(sample), true), *cell, *phase;
    cJSON_ArrayForEach(cell, cJSON_GetObjectItem(document, "cells"))
    {
        cJSON_ArrayForEach(phase, cJSON_GetObjectItem(cell, "phases"))
        {
            cJSON *advance =
                cJSON_GetObjectItem(cJSON_GetObjectItem(phase, "latency_ns"), "advance");
            if (cJSON_IsObject(advance))
                cJSON_ReplaceItemInObject(advance, "bins", cJSON_CreateArray());
        }
    }
    char *text = data_text_of(document, "nginx", 40213, PLOT_LATENCY);
    const char *at = strstr(text, "\n\n\nheap\n");
    assert_non_null(at);
    at += strlen("\n\n\nheap\n");
    size_t points = 0;
    double last_x = 1, last_ns = 0;
    for (; strtod(at, NULL) >= last_x; at = strchr(at, '\n') + 1, points++) {
        char *end;
        last_x = strtod(at, &end);
        double ns = strtod(end, &end);
        assert_true(ns >= last_ns);
        last_ns = ns;
        assert_true(end[1] != '?');
    }
    assert_int_equal(points, 6);
    free(text);
    cJSON_Delete(document);
    result_free(sample);
}

TEST(test_bars_have_time_and_memory)
{
    struct result_document *document = sample_document();
    char *text = data_text(document, "nginx", 40213, PLOT_BARS);
    assert_non_null(strstr(text, "blocks\t4\nseries\t6\n"));
    assert_non_null(
        strstr(text, "\n\n\npeak bytes per task, fixed part included\tbytes\nlist\t24."));
    free(text);
    result_free(document);
}

/* ---- gnuplot. -------------------------------------------------------------------------------- */

/* The beginning of the file, to know it by. */
static void read_start(const char *path, char start[16])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(start, 1, 15, file), 15);
    start[15] = '\0';
    fclose(file);
}

TEST(test_pictures_are_drawn)
{
    static const struct {
        enum plot_format format;
        const char *begins;
    } formats[] = {{PLOT_SVG, "<?xml"}, {PLOT_PNG, "\x89PNG"}, {PLOT_PDF, "%PDF-"}};
    static const char *const names[] = {"cost-hold",         "memory-hold", "latency-hold",
                                        "latency-nginx",     "bars-nginx",  "latency-long-horizon",
                                        "slots-long-horizon"};
    struct result_document *document = sample_document();
    for (size_t f = 0; f < 3; f++) {
        char directory[256], start[16];
        struct pictures files;
        struct diag diag = {""};
        snprintf(directory, sizeof directory, "%s/deep/%zu", (char *)*state, f);
        int status =
            plot_all(result_json(document), directory, "plots", formats[f].format, &files, &diag);
        assert_string_equal(diag.text, "");
        assert_int_equal(status, DIAG_OK);
        assert_int_equal(files.count, sizeof names / sizeof *names);
        for (size_t i = 0; i < files.count; i++) {
            assert_non_null(strstr(files.paths[i], names[i]));
            read_start(files.paths[i], start);
            assert_memory_equal(start, formats[f].begins, strlen(formats[f].begins));
        }
        pictures_free(&files);
    }
    result_free(document);
}

static void assert_none_drawn(struct pictures *files)
{
    for (size_t i = 0; i < files->count; i++)
        assert_null(files->paths[i]);
    pictures_free(files);
}

/* Runs plot_all with stdout in a file, because gnuplot inherits it. */
TEST(test_text_goes_to_stdout)
{
    char path[256], *text = calloc(1, 1 << 20);
    struct pictures files;
    struct diag diag = {""};
    struct result_document *document = sample_document();
    snprintf(path, sizeof path, "%s/stdout", (char *)*state);
    int file = open(path, O_RDWR | O_CREAT, 0600), saved = dup(1);
    assert_true(text && file >= 0 && saved >= 0);
    fflush(stdout);
    dup2(file, 1);
    int status = plot_all(result_json(document), NULL, "plots", PLOT_DUMB, &files, &diag);
    dup2(saved, 1);
    close(saved);
    assert_int_equal(status, DIAG_OK);
    assert_none_drawn(&files);
    assert_true(pread(file, text, (1 << 20) - 1, 0) > 1000);
    assert_non_null(strstr(text, "fill: ns per start"));
    assert_non_null(strstr(text, "Latency of advance on nginx"));
    close(file);
    free(text);
    result_free(document);
}

TEST(test_failures_are_told)
{
    char directory[256], script[600];
    struct pictures files;
    struct diag diag = {""};
    struct result_document *document = sample_document(), *empty = sample_empty();
    assert_int_equal(plot_all(result_json(empty), *state, "plots", PLOT_SVG, &files, &diag),
                     DIAG_USAGE);
    assert_non_null(strstr(diag.text, "nothing to draw"));
    assert_int_equal(plot_all(result_json(document), *state, "/nowhere", PLOT_SVG, &files, &diag),
                     DIAG_RUN);
    assert_non_null(strstr(diag.text, "/nowhere/cost.gp"));
    assert_int_equal(
        plot_all(result_json(document), "/dev/null/x", "plots", PLOT_SVG, &files, &diag),
        DIAG_USAGE);
    assert_non_null(strstr(diag.text, "/dev/null/x"));
    /* A script that gnuplot refuses: its words are in the message. */
    snprintf(directory, sizeof directory, "%s/scripts", (char *)*state);
    snprintf(script, sizeof script, "mkdir '%s' && echo 'set nonsense' >'%s/cost.gp'", directory,
             directory);
    assert_int_equal(system(script), 0);
    assert_int_equal(plot_all(result_json(document), *state, directory, PLOT_SVG, &files, &diag),
                     DIAG_RUN);
    assert_non_null(strstr(diag.text, "nonsense"));
    assert_none_drawn(&files);
    result_free(document), result_free(empty);
}

TEST(test_missing_gnuplot_is_told)
{
    struct pictures files;
    struct diag diag = {""};
    struct result_document *document = sample_document();
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    setenv("PATH", *state, 1);
    int status = plot_all(result_json(document), *state, "plots", PLOT_SVG, &files, &diag);
    setenv("PATH", path, 1);
    assert_int_equal(status, DIAG_RUN);
    assert_non_null(strstr(diag.text, "gnuplot is not installed"));
    assert_non_null(strstr(diag.text, "cost-hold.tsv"));
    free(path);
    result_free(document);
}

TEST(test_format_names)
{
    enum plot_format format;
    struct diag diag;
    assert_int_equal(plot_parse_format("pdf", "--plot-format", &format, &diag), DIAG_OK);
    assert_int_equal(format, PLOT_PDF);
    assert_int_equal(plot_parse_format("gif", "--plot-format", &format, &diag), DIAG_USAGE);
    assert_non_null(strstr(diag.text, "--plot-format"));
    assert_non_null(strstr(diag.text, "gif"));
}

TEST_MAIN(temporary_made, temporary_removed)
