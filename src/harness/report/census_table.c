/* census_table.c - a head, a table of operations, a curve and two lists of delays. */
#include "harness/report/census_table.h"

#include "harness/report/wrap.h"
#include "harness/result/json.h"

#include <math.h>
#include <string.h>

enum { CURVE_COLUMNS = 60, COMMONEST = 10, BAR_COLUMNS = 20, TEXT_SIZE = 32 };

void census_format_time(char *out, size_t size, double ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"h", 3.6e12}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    size_t i = 0, last = sizeof units / sizeof *units - 1;
    double magnitude = fabs(ns);
    /* Hours only where seconds would need more than four digits. */
    if (magnitude < 1e13)
        i = 1;
    while (i < last && magnitude < units[i].ns)
        i++;
    if (magnitude > 0)
        snprintf(out, size, "%.4g %s", ns / units[i].ns, units[i].name);
    else
        snprintf(out, size, "0 ns");
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

/* ---- Operations. ----------------------------------------------------------------------------- */

struct row {
    const char *name, *path;
};

static void print_rows(FILE *out, const cJSON *record, const struct row *rows, size_t count,
                       double whole)
{
    for (size_t i = 0; i < count; i++) {
        double value = json_get_number(record, rows[i].path);
        fprintf(out, "  %-10s %10.0f  %5.1f %%\n", rows[i].name, value, share(value, whole));
    }
}

static void print_operations(FILE *out, const cJSON *record)
{
    static const struct row kinds[] = {{"new starts", "operations.new"},
                                       {"re-arms", "operations.rearms"},
                                       {"cancels", "operations.cancels"}};
    static const struct row ends[] = {{"re-armed", "ended.rearmed"},
                                      {"cancelled", "ended.cancelled"},
                                      {"expired", "ended.expired"},
                                      {"left armed", "ended.left"}};
    double all = json_get_number(record, "operations.all");
    double starts = json_get_number(record, "starts");
    fprintf(out, "operations   %10.0f   %.0f per second, %.2f per active tick (max %.0f)\n", all,
            json_get_number(record, "operations.per_second"),
            json_get_number(record, "operations.per_active_tick"),
            json_get_number(record, "operations.tick_max"));
    print_rows(out, record, kinds, sizeof kinds / sizeof *kinds, all);
    fprintf(out, "\nstarts       %10.0f   new ones and re-arms (refreshes); of them\n", starts);
    print_rows(out, record, ends, sizeof ends / sizeof *ends, starts);
}

/* ---- Armed over time. ------------------------------------------------------------------------ */

/* Of `height` eighths; what is there shows, however little it is. */
static const char *curve_glyph(double height, bool utf8)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    int level = height > 0 && height < 1 ? 1 : (int)lround(height);
    return (utf8 ? blocks : letters)[level > 8 ? 8 : level];
}

static void print_curve(FILE *out, const cJSON *record, const struct report_style *style)
{
    char end[TEXT_SIZE];
    const cJSON *means = json_get(record, "armed.over_time_mean"), *mean;
    double most = json_get_number(record, "armed.max"), sum = 0;
    int per_column = cJSON_GetArraySize(means) / CURVE_COLUMNS, taken = 0;
    census_format_time(end, sizeof end,
                       json_get_number(record, "end_ticks") * json_get_number(record, "unit_ns"));
    fprintf(out, "\narmed        %10.0f   in the mean, %.0f at most\n  ",
            json_get_number(record, "armed.mean"), most);
    cJSON_ArrayForEach(mean, means)
    {
        sum += mean->valuedouble;
        if (++taken < per_column)
            continue;
        fputs(curve_glyph(most > 0 ? sum / per_column / most * 8 : 0, style->utf8), out);
        sum = taken = 0;
    }
    fprintf(out, "\n  0%*s\n", CURVE_COLUMNS - 1, end);
}

/* ---- Delays. --------------------------------------------------------------------------------- */

static void print_percentiles(FILE *out, const cJSON *record)
{
    const cJSON *value;
    fprintf(out, "\ndelays       %10.0f   distinct ones %15s\n",
            json_get_number(record, "delays.distinct"), "ticks");
    cJSON_ArrayForEach(value, json_get(record, "delays.ticks"))
    {
        char time[TEXT_SIZE];
        census_format_time(time, sizeof time,
                           json_get_number(json_get(record, "delays.ns"), value->string));
        fprintf(out, "  %-10s %10s  %17.0f\n", value->string, time, value->valuedouble);
    }
}

static void print_commonest(FILE *out, const cJSON *record, const struct report_style *style)
{
    double starts = json_get_number(record, "starts"), unit = json_get_number(record, "unit_ns");
    const cJSON *delay;
    int left = COMMONEST;
    fprintf(out, "\n  %-21s  %17s %10s %9s %9s\n", "commonest", "ticks", "starts", "", "expired");
    cJSON_ArrayForEach(delay, json_get(record, "delays.commonest"))
    {
        char time[TEXT_SIZE];
        double ticks = json_get_number(delay, "ticks"), count = json_get_number(delay, "starts");
        if (left-- == 0)
            break;
        census_format_time(time, sizeof time, ticks * unit);
        fprintf(out, "  %-10s %10s  %17.0f %10.0f  %5.1f %%  %5.1f %%", "", time, ticks, count,
                share(count, starts), share(json_get_number(delay, "ended.expired"), count));
        int bar = (int)lround(share(count, starts) / 100 * BAR_COLUMNS);
        for (int i = 0; i < bar; i++)
            fprintf(out, "%s%s", i ? "" : "  ", style->utf8 ? "█" : "#");
        fprintf(out, "\n");
    }
}

void census_table(FILE *out, const cJSON *record, const struct report_style *style)
{
    char tick[TEXT_SIZE], span[TEXT_SIZE];
    const char *name = json_get_text(record, "trace");
    double unit_ns = json_get_number(record, "unit_ns");
    double end = json_get_number(record, "end_ticks");
    struct report_style narrow = *style;
    if (narrow.columns > 80)
        narrow.columns = 80;
    census_format_time(tick, sizeof tick, unit_ns);
    census_format_time(span, sizeof span, end * unit_ns);
    fprintf(out, "%s: ", name);
    wrap_write(out, json_get_text(record, "source"), (int)strlen(name) + 2, 0, 2, &narrow);
    fprintf(out, "ticks of %s, %s or %.0f ticks, %.0f of them active; ids 0 .. %.0f\n\n", tick,
            span, end, json_get_number(record, "operations.active_ticks"),
            json_get_number(record, "ids") - 1);
    print_operations(out, record);
    print_curve(out, record, style);
    print_percentiles(out, record);
    print_commonest(out, record, style);
}
