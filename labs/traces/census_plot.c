/* census_plot.c - writes the data of a trace's pictures. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"
#include "harness/tell/report/figure.h"

#include <math.h>

/* Delays of 0 or less stand to the left of all others, so far off that the label has room: at a
 * twelfth of the width of all others, and three bins. */
static double none_ns(const cJSON *histogram, double *least_ns)
{
    double least = INFINITY, most = 0;
    json_each(bin, histogram, "") {
        double from = json_get_number(bin, "from_ns"), to = json_get_number(bin, "to_ns");
        if (to > 0 && from < least)
            least = from;
        if (to > most)
            most = to;
    }
    *least_ns = most > 0 ? least : 0;
    return most > 0 ? least / pow(10, 0.3) / pow(most / least, 1.0 / 12) : 1;
}

static void write_bin(FILE *out, const cJSON *bin, double none)
{
    double from = json_get_number(bin, "from_ns"), to = json_get_number(bin, "to_ns"), sum = 0;
    json_each(end, bin, "ended")
        sum += end->valuedouble;
    if (!(to > 0)) {
        from = none / pow(10, 0.05);
        to = none * pow(10, 0.05);
    }
    fprintf(out, "%.6g\t%.6g\t%.0f", from / 1e9, to / 1e9, sum);
    for (int i = 0; i < CENSUS_ENDS; i++)
        fprintf(out, "\t%.6g", json_get_number(json_get(bin, "ended"), census_end_names[i]) / sum);
    fprintf(out, "\n");
}

static void write_trace(FILE *out, const cJSON *record, const struct picture *picture)
{
    (void)picture;
    const cJSON *histogram = json_get(record, "delays.histogram");
    const cJSON *mean = cJSON_GetArrayItem(json_get(record, "armed.over_time_mean"), 0);
    const cJSON *most = cJSON_GetArrayItem(json_get(record, "armed.over_time_max"), 0);
    char tick[32], span[32];
    double unit_ns = json_get_number(record, "unit_ns"), least, at = 0.5;
    double none = none_ns(histogram, &least);
    double end_ns = json_get_number(record, "end_ticks") * unit_ns;
    double count = cJSON_GetArraySize(json_get(record, "armed.over_time_mean"));
    bool any_none =
        json_get_number(cJSON_GetArrayItem(histogram, 0), "from_ns") < 1; /* bins ascend */
    figure_time(tick, unit_ns);
    figure_time(span, end_ns);
    fprintf(out, "title\t%s\nmachine\tticks of %s, %s, %.0f starts\nblocks\t2\nseries\t%d\n",
            json_get_text(record, "trace"), tick, span, json_get_number(record, "starts"),
            CENSUS_ENDS);
    if (any_none)
        fprintf(out, "none\t%.6g\n", none / 1e9);
    else
        fprintf(out, "none\t?\n");
    fprintf(out, "least\t%.6g\n\n\n", least / 1e9);
    for (; mean && most; mean = mean->next, most = most->next, at++)
        fprintf(out, "%.6g\t%.6g\t%.0f\n", at / count * end_ns / 1e9, mean->valuedouble,
                most->valuedouble);
    fprintf(out, "\n\n");
    json_each(bin, histogram, "")
        write_bin(out, bin, none);
}

void trace_pictures(const cJSON *document, struct pictures *out)
{
    struct picture picture = {.script = "trace", .write = write_trace};
    snprintf(picture.name, sizeof picture.name, "trace-%.200s", json_get_text(document, "trace"));
    pictures_add(out, &picture);
}
