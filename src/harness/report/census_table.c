/* census_table.c - a head, a table of operations, a curve and two lists of delays. */
#include "harness/report/census_table.h"

#include "harness/report/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CURVE_COLUMNS = 60, COMMONEST = 10, BAR_COLUMNS = 20 };

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

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole * 100 : 0;
}

static double per(double value, double divisor)
{
    return divisor > 0 ? value / divisor : 0;
}

/* ---- Operations. ----------------------------------------------------------------------------- */

static void print_operations(FILE *out, const struct census *census)
{
    double span_s = (double)census->end * (double)census->unit_ns / 1e9;
    uint64_t all = census->operations;
    fprintf(out,
            "operations   %10" PRIu64 "   %.0f per second, %.2f per active tick, at most %" PRIu64
            " on one\n",
            all, per((double)all, span_s), per((double)all, (double)census->pass_count),
            census->operations_tick_max);
    fprintf(out, "  new starts %10" PRIu64 "  %5.1f %%\n", census->starts_new,
            share(census->starts_new, all));
    fprintf(out, "  re-arms    %10" PRIu64 "  %5.1f %%   (refreshes)\n",
            census->ended[CENSUS_REARMED], share(census->ended[CENSUS_REARMED], all));
    fprintf(out, "  cancels    %10" PRIu64 "  %5.1f %%\n", census->ended[CENSUS_CANCELLED],
            share(census->ended[CENSUS_CANCELLED], all));
}

static void print_ends(FILE *out, const struct census *census)
{
    static const char *const names[CENSUS_ENDS] = {"re-armed", "cancelled", "expired",
                                                   "left armed"};
    uint64_t starts = census_starts(census);
    fprintf(out, "\nstarts       %10" PRIu64 "   new ones and re-arms; each ends\n", starts);
    for (int i = 0; i < CENSUS_ENDS; i++)
        fprintf(out, "  %-10s %10" PRIu64 "  %5.1f %%\n", names[i], census->ended[i],
                share(census->ended[i], starts));
}

/* ---- Armed over time. ------------------------------------------------------------------------ */

static void print_curve(FILE *out, const struct census *census, const struct report_style *style)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const char *const *levels = style->utf8 ? blocks : letters;
    char end[32];
    double bins = (double)CENSUS_BINS / CURVE_COLUMNS;
    census_format_time(end, sizeof end, (double)census->end * (double)census->unit_ns);
    fprintf(out, "\narmed        %10.0f   in the mean, at most %" PRIu64 "\n  ", census->mean_armed,
            census->max_armed);
    for (int i = 0; i < CURVE_COLUMNS; i++) {
        double sum = 0;
        for (int j = (int)(i * bins); j < (int)((i + 1) * bins); j++)
            sum += census->bin_mean[j];
        double height = per(sum / bins, (double)census->max_armed) * 8;
        /* What is there shows, however little it is. */
        int level = sum > 0 && height < 1 ? 1 : (int)lround(height);
        fputs(levels[level > 8 ? 8 : level], out);
    }
    fprintf(out, "\n  0%*s\n", CURVE_COLUMNS - 1, end);
}

/* ---- Delays. --------------------------------------------------------------------------------- */

static void print_percentiles(FILE *out, const struct census *census)
{
    int64_t ticks[CENSUS_PERCENTILES];
    char time[CENSUS_PERCENTILES][32];
    size_t width[CENSUS_PERCENTILES];
    census_percentiles(census, ticks);
    for (int i = 0; i < CENSUS_PERCENTILES; i++) {
        char text[32];
        census_format_time(time[i], sizeof time[i], (double)ticks[i] * (double)census->unit_ns);
        size_t length = (size_t)snprintf(text, sizeof text, "%" PRId64, ticks[i]);
        width[i] = length > strlen(time[i]) ? length : strlen(time[i]);
    }
    fprintf(out, "\ndelays       %10zu   distinct ones\n       ", census->delay_count);
    for (int i = 0; i < CENSUS_PERCENTILES; i++)
        fprintf(out, "  %*s", (int)width[i], census_percentile_names[i]);
    fprintf(out, "\n  time ");
    for (int i = 0; i < CENSUS_PERCENTILES; i++)
        fprintf(out, "  %*s", (int)width[i], time[i]);
    fprintf(out, "\n  ticks");
    for (int i = 0; i < CENSUS_PERCENTILES; i++)
        fprintf(out, "  %*" PRId64, (int)width[i], ticks[i]);
    fprintf(out, "\n");
}

static void print_commonest(FILE *out, const struct census *census,
                            const struct report_style *style)
{
    size_t indexes[COMMONEST], count = census_commonest(census, indexes, COMMONEST);
    uint64_t starts = census_starts(census);
    fprintf(out, "\n  %-10s %14s %10s  %7s   %s\n", "commonest", "ticks", "starts", "",
            "of them expired");
    for (size_t i = 0; i < count; i++) {
        const struct census_delay *delay = &census->delays[indexes[i]];
        char time[32];
        census_format_time(time, sizeof time, (double)delay->ticks * (double)census->unit_ns);
        fprintf(out, "  %-10s %14" PRId64 " %10" PRIu64 "  %5.1f %%  %5.1f %%  ", time,
                delay->ticks, delay->count, share(delay->count, starts),
                share(delay->ended[CENSUS_EXPIRED], delay->count));
        int bar = (int)lround(per((double)delay->count, (double)starts) * BAR_COLUMNS);
        for (int j = 0; j < bar; j++)
            fputs(style->utf8 ? "\u2588" : "#", out);
        fprintf(out, "\n");
    }
}

void census_table(FILE *out, const char *name, const char *source, const struct census *census,
                  const struct report_style *style)
{
    char tick[32], span[32];
    struct report_style narrow = *style;
    if (narrow.columns > 80)
        narrow.columns = 80;
    census_format_time(tick, sizeof tick, (double)census->unit_ns);
    census_format_time(span, sizeof span, (double)census->end * (double)census->unit_ns);
    fprintf(out, "%s: ", name);
    wrap_write(out, source, (int)strlen(name) + 2, 0, 2, &narrow);
    fprintf(out,
            "ticks of %s, %s or %" PRIu64 " ticks, %zu of them active; ids 0 .. %" PRIu64 "\n\n",
            tick, span, census->end, census->pass_count, census->ids - 1);
    print_operations(out, census);
    print_ends(out, census);
    print_curve(out, census, style);
    print_percentiles(out, census);
    print_commonest(out, census, style);
}
