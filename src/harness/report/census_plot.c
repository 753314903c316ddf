/* census_plot.c - tenths of decades, counted. */
#include "harness/report/census_plot.h"

#include "harness/report/census_table.h"
#include "harness/report/gnuplot.h"
#include "harness/result/file.h"

#include <math.h>
#include <string.h>

/* Ticks and delays are from a nanosecond to 2^63 ns, and beyond that all in the last bin. */
enum { DECADE_BINS = 10, DECADE_FIRST = -9, BINS = 21 * DECADE_BINS };

struct bins {
    uint64_t count[BINS][CENSUS_ENDS];
    int first, last; /* that have any; first > last: none */
    uint64_t none[CENSUS_ENDS], none_count;
};

static double bin_edge(int bin)
{
    return pow(10, DECADE_FIRST + (double)bin / DECADE_BINS);
}

static int bin_of(const struct census_delay *delay, double unit_s)
{
    double exponent = log10((double)delay->ticks * unit_s) - DECADE_FIRST;
    /* 1 ms itself lies in the bin from 1 ms. */
    int bin = (int)floor(exponent * DECADE_BINS + 1e-9);
    return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

static void bins_fill(struct bins *bins, const struct census *census)
{
    *bins = (struct bins){.first = BINS, .last = -1};
    for (size_t i = 0; i < census->delay_count; i++) {
        const struct census_delay *delay = &census->delays[i];
        int bin = delay->ticks > 0 ? bin_of(delay, (double)census->unit_ns / 1e9) : -1;
        uint64_t *counts = bin < 0 ? bins->none : bins->count[bin];
        for (int end = 0; end < CENSUS_ENDS; end++)
            counts[end] += delay->ended[end];
        if (bin < 0) {
            bins->none_count += delay->count;
            continue;
        }
        bins->first = bin < bins->first ? bin : bins->first;
        bins->last = bin > bins->last ? bin : bins->last;
    }
}

static void write_bin(FILE *out, int bin, const uint64_t counts[CENSUS_ENDS])
{
    uint64_t sum = 0;
    for (int end = 0; end < CENSUS_ENDS; end++)
        sum += counts[end];
    if (sum == 0)
        return;
    fprintf(out, "%.6g\t%.6g\t%.0f", bin_edge(bin), bin_edge(bin + 1), (double)sum);
    for (int end = 0; end < CENSUS_ENDS; end++)
        fprintf(out, "\t%.6g", (double)counts[end] / (double)sum);
    fprintf(out, "\n");
}

/* Delays of 0 or less stand to the left of all others, so far off that the label has room. */
static int none_bin(const struct bins *bins)
{
    int distance = 3 + (bins->last - bins->first) / 12;
    return bins->last >= 0 && bins->first > distance ? bins->first - distance : 0;
}

void census_plot_write(FILE *out, const char *name, const struct census *census)
{
    struct bins bins;
    char tick[32], span[32];
    double end_s = (double)census->end * (double)census->unit_ns / 1e9;
    bins_fill(&bins, census);
    census_format_time(tick, sizeof tick, (double)census->unit_ns);
    census_format_time(span, sizeof span, end_s * 1e9);
    fprintf(out, "title\t%s\nmachine\tticks of %s, %s, %llu starts\nblocks\t2\nseries\t%d\n", name,
            tick, span, (unsigned long long)census_starts(census), CENSUS_ENDS);
    if (bins.none_count > 0)
        fprintf(out, "none\t%.6g\n\n\n",
                sqrt(bin_edge(none_bin(&bins)) * bin_edge(none_bin(&bins) + 1)));
    else
        fprintf(out, "none\t?\n\n\n");
    for (int i = 0; i < CENSUS_BINS; i++)
        fprintf(out, "%.6g\t%.6g\t%.0f\n", (i + 0.5) / CENSUS_BINS * end_s, census->bin_mean[i],
                (double)census->bin_max[i]);
    fprintf(out, "\n\n");
    write_bin(out, none_bin(&bins), bins.none);
    for (int bin = bins.first; bin <= bins.last; bin++)
        write_bin(out, bin, bins.count[bin]);
}

struct plotted {
    const char *name;
    const struct census *census;
};

static void write_plotted(FILE *out, const void *ctx)
{
    const struct plotted *plotted = ctx;
    census_plot_write(out, plotted->name, plotted->census);
}

int census_plot(const char *name, const struct census *census, const char *directory,
                const char *scripts_directory, const char *ending, char *path, size_t size,
                struct diag *diag)
{
    char data[4352], script[4352];
    struct plotted plotted = {name, census};
    snprintf(data, sizeof data, "%s/trace-%.200s.tsv", directory, name);
    snprintf(path, size, "%s/trace-%.200s.%s", directory, name, ending);
    snprintf(script, sizeof script, "%s/trace.gp", scripts_directory);
    int status = gnuplot_directory(directory, diag);
    if (status == DIAG_OK)
        status = file_replace(data, write_plotted, &plotted, diag);
    return status == DIAG_OK ? gnuplot_run(script, data, path, diag) : status;
}
