/* pictures.c - selects the points of a claim's pictures. */
#include "labs/teach/claims/claims.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/stats/growth.h"
#include "harness/tell/report/view.h"
#include "labs/teach/claims/quantity.h"

#include <math.h>

static const char *const shape_words[] = {"lines", "bars", "shares", NULL};
static const char *const scale_words[] = {"log", "linear", NULL};

/* ---- Reading. -------------------------------------------------------------------------------- */

struct reading {
    struct reader *reader;
    const struct experiment *experiment;
};

static const cJSON *member_of(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool read_flag(struct reader *reader, const struct reader_place *outer, const cJSON *object,
                      const char *key)
{
    const cJSON *item = member_of(object, key);
    struct reader_place place = reader_member(outer, key);
    if (item && !cJSON_IsBool(item))
        reader_refuse(reader, &place, "expected true or false");
    return cJSON_IsTrue(item);
}

static void read_axis(struct reader *reader, const struct reader_place *outer, const cJSON *object,
                      const char *key, struct picture_axis *out)
{
    static const char *const keys[] = {"label", "unit", "scale", NULL};
    struct reader_place place = reader_member(outer, key);
    const cJSON *axis = member_of(object, key);
    reader_check_keys(reader, &place, axis, keys);
    out->label = reader_text(reader, &place, axis, "label", true);
    out->unit = reader_text(reader, &place, axis, "unit", false);
    out->is_linear = reader_word(reader, &place, axis, "scale", scale_words, false) == 1;
}

/* Of the calls of one cell for each design; which figure is known. */
static void read_distribution(struct reading *reading, const struct reader_place *place,
                              const cJSON *object, struct picture_series *out)
{
    struct reader_place of = reader_member(place, "of");
    if (member_of(object, "figure"))
        reader_refuse(reading->reader, &of, "expected no figure where the shape is shares");
    out->of.figure = "advance_max_ns";
    experiment_read_selector(reading->reader, reading->experiment, &of, object, &out->of);
    if (!out->of.phase || isnan(out->of.at))
        reader_refuse(reading->reader, &of,
                      "expected \"phase\" and \"at\" where the shape is shares");
}

static void read_series(struct reading *reading, const struct reader_place *place,
                        const cJSON *object, enum picture_shape shape, struct picture_series *out)
{
    static const char *const keys[] = {"of", "name", "mark", "reference", "fit", NULL};
    struct reader *reader = reading->reader;
    struct reader_place of = reader_member(place, "of"), mark = reader_member(place, "mark");
    reader_check_keys(reader, place, object, keys);
    out->of.at = NAN;
    if (shape == PICTURE_SHARES)
        read_distribution(reading, place, member_of(object, "of"), out);
    else
        experiment_read_selector(reader, reading->experiment, &of, member_of(object, "of"),
                                 &out->of);
    out->name = reader_text(reader, place, object, "name", false);
    out->fit = read_flag(reader, place, object, "fit");
    out->is_reference = read_flag(reader, place, object, "reference");
    if (member_of(object, "mark"))
        out->mark = (unsigned)reader_count(reader, &mark, member_of(object, "mark"));
    if (member_of(object, "mark") && (out->mark < 1 || out->mark > PICTURE_MARKS))
        reader_refuse(reader, &mark, "expected 1 to %d", PICTURE_MARKS);
    if ((out->mark > 0 || out->is_reference) && !out->name)
        reader_refuse(reader, place, "expected \"name\" with \"mark\" and \"reference\"");
    if (out->fit &&
        (shape != PICTURE_LINES || (out->of.run && out->of.run->point_count < GROWTH_SIZES_MIN)))
        reader_refuse(reader, place, "expected a run of at least %d sizes, in lines, to fit",
                      GROWTH_SIZES_MIN);
}

static void read_panel(struct reading *reading, const struct reader_place *place,
                       const cJSON *object, enum picture_shape shape, struct picture_panel *out)
{
    static const char *const keys[] = {"title", "y", "series", NULL};
    struct reader_place series = reader_member(place, "series");
    const cJSON *array = member_of(object, "series");
    reader_check_keys(reading->reader, place, object, keys);
    out->title = reader_text(reading->reader, place, object, "title", true);
    read_axis(reading->reader, place, object, "y", &out->y);
    out->series_count = reader_array(reading->reader, &series, array, PICTURE_SERIES_MAX);
    for (size_t i = 0; i < out->series_count; i++) {
        struct reader_place element = reader_element(&series, i);
        read_series(reading, &element, cJSON_GetArrayItem(array, (int)i), shape, &out->series[i]);
    }
}

static void read_picture(struct reading *reading, const struct reader_place *place,
                         const cJSON *object, struct claim_picture *out)
{
    static const char *const keys[] = {"title", "shape", "x", "panels", NULL};
    struct reader_place panels = reader_member(place, "panels");
    const cJSON *array = member_of(object, "panels");
    reader_check_keys(reading->reader, place, object, keys);
    out->title = reader_text(reading->reader, place, object, "title", true);
    out->shape = (enum picture_shape)reader_word(reading->reader, place, object, "shape",
                                                 shape_words, false);
    read_axis(reading->reader, place, object, "x", &out->x);
    out->panel_count = reader_array(reading->reader, &panels, array, PICTURE_PANELS_MAX);
    for (size_t i = 0; i < out->panel_count; i++) {
        struct reader_place element = reader_element(&panels, i);
        read_panel(reading, &element, cJSON_GetArrayItem(array, (int)i), out->shape,
                   &out->panels[i]);
    }
}

struct claim_pictures *pictures_read(struct reader *reader, const struct experiment *experiment,
                                     const cJSON *array)
{
    struct reader_place top = {""}, place = reader_member(&top, "pictures");
    struct reading reading = {reader, experiment};
    if (!array)
        return NULL;
    struct claim_pictures *out = memory_take(1, sizeof *out);
    out->count = reader_array(reader, &place, array, PICTURES_MAX);
    for (size_t i = 0; i < out->count; i++) {
        struct reader_place element = reader_element(&place, i);
        read_picture(&reading, &element, cJSON_GetArrayItem(array, (int)i), &out->items[i]);
    }
    if (reader->status == DIAG_OK)
        return out;
    free(out);
    return NULL;
}

/* ---- Points. --------------------------------------------------------------------------------- */

static cJSON *make_point(const char *key, double x, double median, double low, double high)
{
    cJSON *point = cJSON_CreateObject();
    json_add_measure(point, key, x);
    json_add_measure(point, "median", median);
    json_add_measure(point, "low", low);
    json_add_measure(point, "high", high);
    return point;
}

static void add_curve(cJSON *series, const struct growth_point *points, size_t count)
{
    struct growth_fit fit = growth_fit(points, count);
    struct growth_curve curve;
    char classes[80];
    if (fit.status != GROWTH_FITTED && fit.status != GROWTH_ZERO)
        return;
    growth_name_classes(classes, sizeof classes, &fit);
    cJSON *object = cJSON_AddObjectToObject(series, "fit");
    json_add_text(object, "classes", classes);
    json_add_measure(object, "exponent", fit.exponent);
    /* What falls does not grow, but no curve of a class falls: its points are joined. */
    if (fit.classes == 0 || fit.exponent_high < 0 ||
        !growth_curve_fit(points, count, growth_lowest(&fit), &curve))
        return;
    json_add_text(object, "class", growth_class_name(curve.class));
    json_put(object, &curve, a, b);
}

static void add_points(cJSON *series, const struct picture_series *wanted,
                       const struct evidence *evidence, const char *impl)
{
    struct growth_point fitted[EXPERIMENT_POINTS_MAX];
    size_t count = 0;
    cJSON *points = cJSON_AddArrayToObject(series, "points");
    for (size_t i = 0; i < wanted->of.run->point_count; i++) {
        double x = wanted->of.run->points[i].x;
        const cJSON *cell = evidence_find(evidence, wanted->of.run, impl, x);
        bool is_asked = isnan(wanted->of.at) || (wanted->of.at >= x && wanted->of.at <= x);
        const char *status = json_get_text(cell, "status");
        bool has_ledger = wanted->of.run->on_stores && strcmp(status, "mismatch") == 0;
        if (!is_asked || (strcmp(status, "ok") != 0 && !has_ledger))
            continue;
        struct quantity value = quantity_of(cell, wanted->of.phase, wanted->of.figure);
        if (isnan(value.median))
            continue;
        cJSON_AddItemToArray(points, make_point("x", x, value.median, value.low, value.high));
        fitted[count++] = (struct growth_point){x, value.median, value.low, value.high};
    }
    if (wanted->fit)
        add_curve(series, fitted, count);
}

/* How long at most that share of the calls took: where the bins of the histogram begin, and the longest call. */
static void add_shares(cJSON *series, const struct picture_series *wanted,
                       const struct evidence *evidence, const char *impl)
{
    const cJSON *cell = evidence_find(evidence, wanted->of.run, impl, wanted->of.at);
    const cJSON *advance = json_get(view_phase(&(struct view_row){.cell = cell}, wanted->of.phase),
                                    "latency_ns.advance");
    cJSON *points = cJSON_AddArrayToObject(series, "points");
    double count = json_get_number(advance, "count"), below = 0;
    double most = json_get_number(advance, "max");
    json_each(bin, advance, "bins") {
        double ns = cJSON_GetNumberValue(cJSON_GetArrayItem(bin, 0));
        if (below > 0)
            cJSON_AddItemToArray(points, make_point("share", below / count, ns, ns, ns));
        below += cJSON_GetNumberValue(cJSON_GetArrayItem(bin, 1));
    }
    if (below > 0)
        cJSON_AddItemToArray(points, make_point("share", 1, most, most, most));
}

/* ---- Pictures. ------------------------------------------------------------------------------- */

static void add_names(cJSON *series, const struct picture_series *wanted, const char *impl)
{
    char name[120];
    bool is_of_design = wanted->mark == 0 && !wanted->is_reference;
    snprintf(name, sizeof name, "%s%s%.80s", is_of_design ? impl : "",
             is_of_design && wanted->name ? ", " : "", wanted->name ? wanted->name : "");
    json_add_text(series, "name", name);
    json_add_text(series, "impl", impl);
    if (wanted->mark > 0)
        json_add_integer(series, "mark", wanted->mark);
    if (wanted->is_reference)
        cJSON_AddBoolToObject(series, "reference", true);
}

static void add_series(cJSON *array, const struct picture_series *wanted, enum picture_shape shape,
                       const struct evidence *evidence)
{
    size_t count;
    const char *const *impls = experiment_impls(&wanted->of, &count);
    for (size_t i = 0; i < count; i++) {
        cJSON *series = cJSON_CreateObject();
        add_names(series, wanted, impls[i]);
        if (shape == PICTURE_SHARES)
            add_shares(series, wanted, evidence, impls[i]);
        else
            add_points(series, wanted, evidence, impls[i]);
        if (cJSON_GetArraySize(json_get(series, "points")) > 0)
            cJSON_AddItemToArray(array, series);
        else
            cJSON_Delete(series);
    }
}

static cJSON *make_axis(const struct picture_axis *axis)
{
    cJSON *object = cJSON_CreateObject();
    json_put(object, axis, label, unit);
    json_add_text(object, "scale", scale_words[axis->is_linear]);
    return object;
}

/* Whether something in it rests on time, or as on stores on the machine in another way. */
static bool is_timed(const struct picture_panel *panel)
{
    bool timed = false;
    for (size_t i = 0; i < panel->series_count; i++)
        timed = timed || panel->series[i].of.timed || panel->series[i].of.run->on_stores;
    return timed;
}

static void add_panel(cJSON *array, const struct picture_panel *panel, enum picture_shape shape,
                      const struct evidence *evidence)
{
    cJSON *object = cJSON_CreateObject(), *series = cJSON_CreateArray();
    for (size_t i = 0; i < panel->series_count; i++)
        add_series(series, &panel->series[i], shape, evidence);
    json_add_text(object, "title", panel->title);
    json_add_text(object, "basis", is_timed(panel) ? "times" : "counts");
    json_add(object, "y", make_axis(&panel->y));
    json_add(object, "series", series);
    if (series && series->child)
        cJSON_AddItemToArray(array, object);
    else
        cJSON_Delete(object);
}

cJSON *pictures_make(const struct claim_pictures *pictures, const struct evidence *evidence)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; pictures && i < pictures->count; i++) {
        const struct claim_picture *picture = &pictures->items[i];
        cJSON *object = cJSON_CreateObject(), *panels = cJSON_CreateArray();
        for (size_t p = 0; p < picture->panel_count; p++)
            add_panel(panels, &picture->panels[p], picture->shape, evidence);
        json_add_text(object, "title", picture->title);
        json_add_text(object, "shape", shape_words[picture->shape]);
        json_add(object, "x", make_axis(&picture->x));
        json_add(object, "panels", panels);
        if (panels && panels->child)
            cJSON_AddItemToArray(array, object);
        else
            cJSON_Delete(object);
    }
    return array;
}
