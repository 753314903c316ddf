/*
 * claims_plot.c - writes the data of a claim's pictures, for claim.gp.
 *
 * Everything is taken from "pictures" of the claim (schema/claims-1.json), whose points the document
 * has: nothing is looked up or run again.
 *
 *     block 0     title, machine (or that counts do not depend on it), number of panels, most series of a
 *                 panel; then claim: its id and verdict; statement; shape; x: label and scale
 *     a block per panel
 *         one line     title, label of y, scale of y, index of the block of its first series, how many
 *     two blocks per series, panel by panel
 *         first line   name for the legend, name of its line style ("#3": the third mark, "#0": a
 *                      reference)
 *         then         x, median, low, high; in shares, x is 1 / (1 - share of the calls)
 *         and          x and y of the line: the curve of the class of growth, else from point to point
 */
#include "labs/teach/teach.h"

#include "harness/tell/report/plot.h"

#include "harness/base/json.h"
#include "harness/measure/stats/growth.h"

#include <math.h>

/* Where the longest call stands, which no share leads to. */
#define MAXIMUM_AT   1e5
#define CURVE_POINTS 40

/* "T09" of T9, "T09-2" of its second picture; `index` counts from 0. */
static void name_picture(char *out, size_t size, const cJSON *claim, size_t index)
{
    const char *id = json_get_text(claim, "id");
    size_t head = strcspn(id, "0123456789");
    int length = snprintf(out, size, "%.*s%02ld", (int)(head < 20 ? head : 20), id,
                          strtol(id + head, NULL, 10));
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    if (index > 0 && length > 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, "-%zu", index + 1);
}

static void write_label(FILE *out, const cJSON *axis)
{
    const char *unit = json_get_text(axis, "unit");
    plotdata_write_field(out, json_get_text(axis, "label"));
    if (unit[0]) {
        fputs(" (", out);
        plotdata_write_field(out, unit);
        fputc(')', out);
    }
    fprintf(out, "\t%s", json_get_text(axis, "scale"));
}

/* ---- The head. ------------------------------------------------------------------------------- */

static size_t count_series(const cJSON *panel)
{
    return (size_t)cJSON_GetArraySize(json_get(panel, "series"));
}

static size_t most_series(const cJSON *picture)
{
    size_t most = 0;
    json_each(panel, picture, "panels")
        most = count_series(panel) > most ? count_series(panel) : most;
    return most;
}

static bool is_timed(const cJSON *picture)
{
    json_each(panel, picture, "panels")
        if (strcmp(json_get_text(panel, "basis"), "times") == 0)
            return true;
    return false;
}

/* The verdict would rest on them as well. */
static bool lacks_times(const cJSON *document, const cJSON *claim)
{
    return cJSON_IsTrue(json_get(document, "quick")) &&
           strcmp(json_get_text(claim, "basis"), "counts") != 0;
}

static void write_head(FILE *out, const cJSON *document, const cJSON *claim, const cJSON *picture)
{
    fputs("title\t", out);
    plotdata_write_field(out, json_get_text(picture, "title"));
    fputc('\n', out);
    if (is_timed(picture))
        plotdata_write_machine(out, document);
    else
        fprintf(out, "machine\tcounts, the same on every machine%s\n",
                lacks_times(document, claim) ? "; times were not taken" : "");
    fprintf(out, "blocks\t%d\nseries\t%zu\n", cJSON_GetArraySize(json_get(picture, "panels")),
            most_series(picture));
    fprintf(out, "claim\t%s\t%s\nstatement\t", json_get_text(claim, "id"),
            json_get_text(claim, "verdict"));
    plotdata_write_field(out, json_get_text(claim, "statement"));
    fprintf(out, "\nshape\t%s\nx\t", json_get_text(picture, "shape"));
    write_label(out, json_get(picture, "x"));
    fputc('\n', out);
}

static void write_panels(FILE *out, const cJSON *picture)
{
    const cJSON *panels = json_get(picture, "panels");
    size_t next = 1 + (size_t)cJSON_GetArraySize(panels);
    json_each(panel, panels, "") {
        fputs("\n\n", out);
        plotdata_write_field(out, json_get_text(panel, "title"));
        fputc('\t', out);
        write_label(out, json_get(panel, "y"));
        fprintf(out, "\t%zu\t%zu\n", next, count_series(panel));
        next += 2 * count_series(panel);
    }
}

/* ---- A series. ------------------------------------------------------------------------------- */

/* The class by its name; false when there is no curve. */
static bool read_curve(const cJSON *series, struct growth_curve *out)
{
    const char *name = json_get_text(series, "fit.class");
    *out = (struct growth_curve){.a = json_get_number(series, "fit.a"),
                                 .b = json_get_number(series, "fit.b")};
    for (int class = 0; class < GROWTH_CLASSES; class ++)
        if (strcmp(growth_class_name((enum tw_growth) class), name) == 0) {
            out->class = (enum tw_growth) class;
            return isfinite(out->a) && isfinite(out->b);
        }
    return false;
}

static void write_names(FILE *out, const cJSON *series)
{
    const char *classes = json_get_text(series, "fit.classes");
    double mark = json_get_number(series, "mark");
    plotdata_write_field(out, json_get_text(series, "name"));
    if (classes[0])
        fprintf(out, ": %s", classes);
    if (cJSON_IsTrue(json_get(series, "reference")))
        fputs("\t#0\n", out);
    else if (mark > 0)
        fprintf(out, "\t#%.0f\n", mark);
    else
        fprintf(out, "\t%s\n", json_get_text(series, "impl"));
}

static double where_of(const cJSON *point)
{
    double share = json_get_number(point, "share");
    if (isnan(share))
        return json_get_number(point, "x");
    return share < 1 ? fmin(1 / (1 - share), MAXIMUM_AT / 3) : MAXIMUM_AT;
}

static void write_points(FILE *out, const cJSON *series)
{
    json_each(point, series, "points")
        fprintf(out, "%.15g\t%.6g\t%.6g\t%.6g\n", where_of(point), json_get_number(point, "median"),
                json_get_number(point, "low"), json_get_number(point, "high"));
}

static void write_joined(FILE *out, const cJSON *series)
{
    json_each(point, series, "points")
        fprintf(out, "%.15g\t%.6g\n", where_of(point), json_get_number(point, "median"));
}

/* Between the first x and the last, in steps of one factor. */
static void write_curve(FILE *out, const cJSON *series, const struct growth_curve *curve)
{
    const cJSON *points = json_get(series, "points");
    double first = where_of(cJSON_GetArrayItem(points, 0));
    double last = where_of(cJSON_GetArrayItem(points, cJSON_GetArraySize(points) - 1));
    for (int i = 0; i <= CURVE_POINTS; i++) {
        double x = first * pow(last / first, (double)i / CURVE_POINTS);
        fprintf(out, "%.6g\t%.6g\n", x, growth_curve_at(curve, x));
    }
}

static void write_series(FILE *out, const cJSON *series)
{
    struct growth_curve curve;
    fputs("\n\n", out);
    write_names(out, series);
    write_points(out, series);
    fputs("\n\n", out);
    if (read_curve(series, &curve))
        write_curve(out, series, &curve);
    else
        write_joined(out, series);
}

static void write_picture(FILE *out, const cJSON *document, const struct picture *picture)
{
    write_head(out, document, picture->of, picture->part);
    write_panels(out, picture->part);
    json_each(panel, picture->part, "panels") {
        json_each(series, panel, "series")
            write_series(out, series);
    }
}

void claims_pictures(const cJSON *document, struct pictures *out)
{
    json_each(claim, document, "claims") {
        size_t index = 0;
        json_each(part, claim, "pictures") {
            struct picture picture = {.script = "claim",
                                      .anchor = json_get_text(claim, "id"),
                                      .write = write_picture,
                                      .of = claim,
                                      .part = part};
            name_picture(picture.name, sizeof picture.name, claim, index++);
            pictures_add(out, &picture);
        }
    }
}
