/* history_plot.c - writes the data of a history's picture. */
#include "labs/fleet/fleet.h"

#include "harness/base/json.h"
#include "harness/tell/report/plot.h"

#include <math.h>

/* How much a series changed: the largest of its steps, as a logarithm. */
static double restlessness(const cJSON *series)
{
    double most = 0;
    json_each(change, series, "changes") {
        double step = fabs(log(json_get_number(change, "ratio")));
        most = step > most ? step : most;
    }
    return most;
}

static bool is_timed(const cJSON *series)
{
    return cJSON_IsFalse(json_get(series, "exact"));
}

/* Fills the series to draw, those that changed most first. */
static size_t choose(const cJSON *document, const cJSON *chosen[HISTORY_PANELS])
{
    size_t count = 0;
    json_each(series, document, "series") {
        if (!is_timed(series))
            continue;
        size_t at = count < HISTORY_PANELS ? count++ : HISTORY_PANELS;
        while (at > 0 && restlessness(chosen[at - 1]) < restlessness(series)) {
            if (at < HISTORY_PANELS)
                chosen[at] = chosen[at - 1];
            at--;
        }
        if (at < HISTORY_PANELS)
            chosen[at] = series;
    }
    return count;
}

/* The mean of the logarithms of the values from one run up to another. */
static double level_of(const cJSON *values, double from, double to)
{
    double sum = 0, count = 0, run = 0;
    json_each(value, values, "") {
        bool is_within = run >= from && run < to;
        if (is_within && cJSON_IsNumber(value) && value->valuedouble > 0) {
            sum += log(value->valuedouble);
            count++;
        }
        run++;
    }
    return exp(sum / count);
}

static void write_stretch(FILE *out, const cJSON *values, double from, double to)
{
    double level = level_of(values, from, to), run = 0;
    json_each(value, values, "") {
        if (run >= from && run < to && cJSON_IsNumber(value))
            fprintf(out, "%.0f\t%.6g\t%.6g\n", run, value->valuedouble, level);
        run++;
    }
}

static void write_series(FILE *out, const cJSON *series)
{
    const cJSON *values = json_get(series, "values"), *changes = json_get(series, "changes");
    double from = 0;
    fputs("\n\n", out);
    plotdata_write_field(out, json_get_text(series, "cell"));
    fputc('\n', out);
    json_each(change, changes, "") {
        write_stretch(out, values, from, json_get_number(change, "run"));
        from = json_get_number(change, "run");
    }
    write_stretch(out, values, from, INFINITY);
    fprintf(out, "\n\n%d\n", cJSON_GetArraySize(changes));
    json_each(change, changes, "")
        fprintf(out, "%.0f\t%.7s %+.1f %%\n", json_get_number(change, "run"),
                json_get_text(change, "commit"), 100 * (json_get_number(change, "ratio") - 1));
}

static void write_history(FILE *out, const cJSON *document, const struct picture *picture)
{
    const cJSON *chosen[HISTORY_PANELS];
    size_t count = choose(document, chosen), timed = 0;
    (void)picture;
    json_each(series, document, "series")
        timed += is_timed(series) ? 1 : 0;
    fprintf(out, "title\tTimes over %d runs\n", cJSON_GetArraySize(json_get(document, "runs")));
    plotdata_write_machine(out, document);
    fprintf(out, "blocks\t%zu\nseries\t%zu\nanchor\t", 2 * count, count);
    plotdata_write_field(out, json_get_text(document, "anchor"));
    if (timed > count)
        fprintf(out, "\nnote\tThe %zu series that changed most, of %zu", count, timed);
    fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        write_series(out, chosen[i]);
}

void history_pictures(const cJSON *document, struct pictures *out)
{
    const cJSON *chosen[HISTORY_PANELS];
    if (choose(document, chosen) > 0)
        pictures_add(
            out, &(struct picture){.name = "history", .script = "history", .write = write_history});
}
