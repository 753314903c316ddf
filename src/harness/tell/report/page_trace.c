/* page_trace.c - builds the page of a census: what a trace does, how its timers end, which delays it has. */
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"
#include "harness/tell/report/page_tree.h"
#include "harness/tell/result/json.h"

#include <math.h>
#include <string.h>

enum { CURVE_COLUMNS = 60, COMMONEST = 10, BAR_COLUMNS = 20 };

static double share(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

static void cell_share(struct page *page, double part, double whole)
{
    double percent = share(part, whole);
    if (isfinite(percent))
        page_cell(page, "%.1f %%", percent);
    else
        page_cell(page, "-");
}

/* A count is shown in all its digits. */
static void put_count(struct page *page, const struct place *from, const char *dotted)
{
    page_put_digits(page, from, dotted, 1, 0);
}

static void cell_count(struct page *page, const struct place *from, const char *dotted)
{
    page_cell(page, "%s", "");
    put_count(page, from, dotted);
}

/* That number, in nanoseconds or units of so many, as a time. */
static void cell_time(struct page *page, const struct place *from, const char *dotted,
                      double unit_ns)
{
    char time[FIGURE_SIZE];
    figure_time(time, place_number(from, dotted) * unit_ns);
    page_cell(page, "%s", "");
    page_put_as(page, from, dotted, "%s", time);
}

/* ---- Operations. ----------------------------------------------------------------------------- */

struct row {
    const char *name, *path;
};

static void add_rows(struct page *page, const struct place *root, const struct row *rows,
                     size_t count)
{
    double whole = place_number(root, rows[0].path);
    for (size_t i = 0; i < count; i++) {
        page_row(page);
        page_cell(page, "%s", rows[i].name);
        cell_count(page, root, rows[i].path);
        cell_share(page, place_number(root, rows[i].path), whole);
    }
}

static void add_operations(struct page *page, const struct place *root)
{
    static const struct row kinds[] = {{"operations", "operations.all"},
                                       {"new starts", "operations.new"},
                                       {"re-arms", "operations.rearms"},
                                       {"cancels", "operations.cancels"}};
    static const struct row ends[] = {{"starts", "starts"},
                                      {"re-armed", "ended.rearmed"},
                                      {"cancelled", "ended.cancelled"},
                                      {"expired", "ended.expired"},
                                      {"left armed", "ended.left"}};
    page_heading(page, 2, "operations", "Operations, and how starts end");
    page_table(page, NULL, "Operations, and how starts end");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "number", "", 0, 0);
    page_column(page, "share", "", 0, 0);
    add_rows(page, root, kinds, sizeof kinds / sizeof *kinds);
    add_rows(page, root, ends, sizeof ends / sizeof *ends);
    page_text(page, "%s", "");
    put_count(page, root, "operations.per_second");
    page_span(page, " operations per second, ");
    page_put(page, root, "operations.per_active_tick");
    page_span(page, " per active tick, ");
    put_count(page, root, "operations.tick_max");
    page_span(page, " at most. Starts are new ones and re-arms (refreshes).");
}

/* ---- Armed over time. ------------------------------------------------------------------------ */

/* Of `height` eighths; what is there shows, however little it is. */
static const char *curve_glyph(double height)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int level = height > 0 && height < 1 ? 1 : height > 0 ? (int)lround(fmin(height, 8)) : 0;
    return blocks[level];
}

static void add_curve(struct page *page, const struct place *root)
{
    char end[FIGURE_SIZE];
    const cJSON *means = json_get(root->json, "armed.over_time_mean"), *mean;
    double most = place_number(root, "armed.max"), sum = 0;
    int per_column = cJSON_GetArraySize(means) / CURVE_COLUMNS, taken = 0;
    page_heading(page, 2, "armed", "Armed over time");
    page_text(page, "%s", "");
    put_count(page, root, "armed.mean");
    page_span(page, " timers in the mean, ");
    put_count(page, root, "armed.max");
    page_span(page, " at most.");
    figure_time(end, place_number(root, "end_ticks") * place_number(root, "unit_ns"));
    page_code(page, "%s", "");
    cJSON_ArrayForEach(mean, means)
    {
        sum += cJSON_IsNumber(mean) ? mean->valuedouble : 0;
        if (++taken < per_column)
            continue;
        page_span(page, "%s", curve_glyph(most > 0 ? sum / taken / most * 8 : 0));
        sum = taken = 0;
    }
    page_span(page, "\n0%*s", CURVE_COLUMNS - 1, end);
}

/* ---- Delays. --------------------------------------------------------------------------------- */

static void add_percentiles(struct page *page, const struct place *root)
{
    struct place ns = place_get(root, "delays.ns"), ticks = place_get(root, "delays.ticks");
    const cJSON *value;
    page_heading(page, 2, "delays", "Delays: ");
    put_count(page, root, "delays.distinct");
    page_span(page, " distinct ones");
    page_table(page, NULL, "Percentiles of delays");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "time", "", 0, 0);
    page_column(page, "ticks", "", 0, 0);
    cJSON_ArrayForEach(value, ticks.json)
    {
        if (!value->string)
            continue;
        page_row(page);
        page_cell(page, "%s", value->string);
        cell_time(page, &ns, value->string, 1);
        cell_count(page, &ticks, value->string);
    }
}

static void add_delay(struct page *page, const struct place *root, const struct place *delay)
{
    double starts = place_number(delay, "starts");
    double percent = share(starts, place_number(root, "starts"));
    int bar = percent > 0 ? (int)lround(fmin(percent, 100) / 100 * BAR_COLUMNS) : 0;
    page_row(page);
    cell_time(page, delay, "ticks", place_number(root, "unit_ns"));
    cell_count(page, delay, "ticks");
    cell_count(page, delay, "starts");
    cell_share(page, starts, place_number(root, "starts"));
    cell_share(page, place_number(delay, "ended.expired"), starts);
    page_cell(page, "%s", "");
    for (int i = 0; i < bar; i++)
        page_span(page, "█");
}

static void add_commonest(struct page *page, const struct place *root)
{
    struct place list = place_get(root, "delays.commonest");
    int left = COMMONEST;
    page_heading(page, 3, NULL, "Commonest");
    page_table(page, "commonest", "Commonest delays");
    page_column(page, "delay", "", PAGE_NAMES, 0);
    page_column(page, "ticks", "", 0, 0);
    page_column(page, "starts", "", 0, 0);
    page_column(page, "share", "", 0, 0);
    page_column(page, "expired", "", 0, 0);
    page_column(page, "", "", PAGE_LEFT, 1);
    for (struct place at = place_item(&list, 0); at.json && left > 0; place_next(&at), left--)
        add_delay(page, root, &at);
}

static void add_histogram(struct page *page, const struct place *root)
{
    static const struct row ends[] = {{"re-armed", "ended.rearmed"},
                                      {"cancelled", "ended.cancelled"},
                                      {"expired", "ended.expired"},
                                      {"left armed", "ended.left"}};
    struct place bins = place_get(root, "delays.histogram");
    page_fold(page, "Histogram of delays, by how the starts ended");
    page_table(page, "histogram", "Histogram of delays");
    page_column(page, "from", "", PAGE_NAMES, 0);
    page_column(page, "below", "", 0, 0);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        page_column(page, ends[i].name, "", 0, 0);
    for (struct place bin = place_item(&bins, 0); bin.json; place_next(&bin)) {
        page_row(page);
        cell_time(page, &bin, "from_ns", 1);
        cell_time(page, &bin, "to_ns", 1);
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            cell_count(page, &bin, ends[i].path);
    }
    page_fold_end(page);
}

/* ---- A fit. ---------------------------------------------------------------------------------- */

enum form { COUNT, SHARE, TIME };

struct line {
    const char *name, *path;
    enum form form;
};

static void add_fitted(struct page *page, const struct place *record, const struct line *line)
{
    double value = place_number(record, line->path);
    if (line->form == TIME) {
        cell_time(page, record, line->path, 1);
        return;
    }
    if (line->form == SHARE) {
        cell_share(page, value, place_number(record, "starts"));
        return;
    }
    page_cell(page, "%s", "");
    if (value < 1000)
        page_put_as(page, record, line->path, "%.4g", value);
    else
        put_count(page, record, line->path);
}

static void add_fit(struct page *page, const struct place *root)
{
    static const struct line lines[] = {
        {"operations", "operations.all", COUNT},
        {"per active tick", "operations.per_active_tick", COUNT},
        {"starts re-armed", "ended.rearmed", SHARE},
        {"starts cancelled", "ended.cancelled", SHARE},
        {"starts expired", "ended.expired", SHARE},
        {"starts left armed", "ended.left", SHARE},
        {"armed, mean", "armed.mean", COUNT},
        {"armed, max", "armed.max", COUNT},
        {"delays p1", "delays.ns.p1", TIME},
        {"delays p10", "delays.ns.p10", TIME},
        {"delays p50", "delays.ns.p50", TIME},
        {"delays p90", "delays.ns.p90", TIME},
        {"delays p99", "delays.ns.p99", TIME},
        {"delays, distinct", "delays.distinct", COUNT},
    };
    struct place fit = place_get(root, "fit");
    if (!fit.json)
        return;
    page_heading(page, 2, "fit", "A workload fitted to it");
    page_table(page, NULL, "The trace and the workload fitted to it");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "trace", "", 0, 0);
    page_column(page, "workload", "", 0, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        page_row(page);
        page_cell(page, "%s", lines[i].name);
        add_fitted(page, root, &lines[i]);
        add_fitted(page, &fit, &lines[i]);
    }
}

/* ---- The page. ------------------------------------------------------------------------------- */

static void add_head(struct page *page, const struct place *root)
{
    char tick[FIGURE_SIZE], span[FIGURE_SIZE];
    double unit_ns = place_number(root, "unit_ns");
    figure_time(tick, unit_ns);
    figure_time(span, place_number(root, "end_ticks") * unit_ns);
    page_heading(page, 1, NULL, "Trace ");
    page_put(page, root, "trace");
    page_text(page, "%s", "");
    page_put(page, root, "source");
    page_text(page, "Ticks of ");
    page_put_as(page, root, "unit_ns", "%s", tick);
    page_span(page, "; %s or ", span);
    put_count(page, root, "end_ticks");
    page_span(page, " ticks, ");
    put_count(page, root, "operations.active_ticks");
    page_span(page, " of them active; ids below ");
    put_count(page, root, "ids");
    page_span(page, ".");
}

void page_trace(struct page *page, const cJSON *document)
{
    struct place root = place_root(document);
    add_head(page, &root);
    add_operations(page, &root);
    add_curve(page, &root);
    add_percentiles(page, &root);
    add_commonest(page, &root);
    add_fit(page, &root);
    page_pictures(page, "");
    add_histogram(page, &root);
    page_all_figures(page, &root);
}
