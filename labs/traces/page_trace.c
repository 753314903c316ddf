/* page_trace.c - builds the page of a census: what a trace does, how its timers end, which delays it has. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"
#include "harness/tell/report/builders.h"
#include "harness/tell/report/figure.h"

#include <math.h>

enum { CURVE_COLUMNS = 40, COMMONEST = 10, BAR_COLUMNS = 20 };

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

/* ---- Operations. ----------------------------------------------------------------------------- */

struct row {
    const char *name, *path;
};

static void add_rows(struct page *page, const struct place *root, const struct row *rows,
                     size_t count)
{
    double whole = place_number(root, rows[0].path);
    for (size_t i = 0; i < count; i++) {
        struct place number = place_get(root, rows[i].path);
        page_row(page);
        page_cell(page, "%s", rows[i].name);
        page_cell_say(page, &number, "{:count}");
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
    page_say(page, PAGE_TEXT, root,
             "{operations.per_second:count} operations per second, {operations.per_active_tick} "
             "per active tick, {operations.tick_max:count} at most. Starts are new ones and "
             "re-arms (refreshes).");
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
    const cJSON *means = json_get(root->json, "armed.over_time_mean");
    double most = place_number(root, "armed.max"), sum = 0;
    int per_column = cJSON_GetArraySize(means) / CURVE_COLUMNS, taken = 0;
    page_heading(page, 2, "armed", "Armed over time");
    page_say(page, PAGE_TEXT, root,
             "{armed.mean:count} timers on average, {armed.max:count} at most.");
    figure_time(end, place_number(root, "end_ticks") * place_number(root, "unit_ns"));
    page_open(page, PAGE_CODE_BLOCK);
    json_each(mean, means, "") {
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
    page_heading(page, 2, "delays", "Delays: ");
    page_add(page, root, "{delays.distinct:count} distinct ones");
    page_table(page, NULL, "Percentiles of delays");
    page_column(page, "", "", PAGE_LEFT | PAGE_NAMES, 0);
    page_column(page, "time", "", 0, 0);
    page_column(page, "ticks", "", 0, 0);
    json_each(value, ticks.json, "") {
        if (!value->string)
            continue;
        struct place time = place_get(&ns, value->string), count = place_get(&ticks, value->string);
        page_row(page);
        page_cell(page, "%s", value->string);
        page_cell_say(page, &time, "{:time}");
        page_cell_say(page, &count, "{:count}");
    }
}

static void add_delay(struct page *page, const struct place *root, const struct place *delay)
{
    char time[FIGURE_SIZE];
    double starts = place_number(delay, "starts"), all = place_number(root, "starts");
    double percent = share(starts, all);
    int bar = percent > 0 ? (int)lround(fmin(percent, 100) / 100 * BAR_COLUMNS) : 0;
    figure_time(time, place_number(delay, "ticks") * place_number(root, "unit_ns"));
    page_row(page);
    page_cell(page, "%s", "");
    page_put_as(page, delay, "ticks", "%s", time);
    page_cell_say(page, delay, "{ticks:count}");
    page_cell_say(page, delay, "{starts:count}");
    cell_share(page, starts, all);
    cell_share(page, place_number(delay, "ended.expired"), starts);
    page_cell(page, "%s", "");
    for (int i = 0; i < bar; i++)
        page_span(page, "█");
}

static void add_commonest(struct page *page, const struct place *root)
{
    struct place list = place_get(root, "delays.commonest");
    int left = COMMONEST;
    page_heading(page, 3, NULL, "Most common");
    page_table(page, "commonest", "Most common delays");
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
    static const struct page_field fields[] = {
        {.title = "from", .cell = "{from_ns:time}", .flags = PAGE_NAMES},
        {.title = "below", .cell = "{to_ns:time}"},
        {.title = "re-armed", .cell = "{ended.rearmed:count}"},
        {.title = "cancelled", .cell = "{ended.cancelled:count}"},
        {.title = "expired", .cell = "{ended.expired:count}"},
        {.title = "left armed", .cell = "{ended.left:count}"}};
    struct place bins = place_get(root, "delays.histogram");
    page_fold(page, "Histogram of delays, by how the starts ended");
    page_table(page, "histogram", "Histogram of delays");
    page_fields_each(page, fields, sizeof fields / sizeof *fields, &bins);
    page_open(page, PAGE_FOLD_END);
}

/* ---- The page. ------------------------------------------------------------------------------- */

void page_trace(struct page *page, const cJSON *document)
{
    char span[FIGURE_SIZE];
    struct place root = place_root(document);
    figure_time(span, place_number(&root, "end_ticks") * place_number(&root, "unit_ns"));
    page_heading(page, 1, NULL, "Trace ");
    page_put(page, &root, "trace");
    page_say(page, PAGE_TEXT, &root, "{source}");
    page_say(page, PAGE_TEXT, &root, "Ticks of {unit_ns:time}; ");
    page_span(page, "%s", span);
    page_add(page, &root,
             " or {end_ticks:count} ticks, {operations.active_ticks:count} of them active; ids "
             "below {ids:count}.");
    add_operations(page, &root);
    add_curve(page, &root);
    add_percentiles(page, &root);
    add_commonest(page, &root);
    page_pictures(page, "");
    add_histogram(page, &root);
    page_all_figures(page, &root);
}
