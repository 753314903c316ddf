/* measures.c - picks the catalogue's measures from a phase or a cell. */
#include "harness/tell/report/measures.h"

#include "harness/tell/result/json.h"

#include <math.h>

/* What has samples behind it is an object with the interval, everything else a number. */
static struct measure measure_of(const struct figure *row, const cJSON *source)
{
    const cJSON *figure = json_get(source, row->path);
    struct measure measure = {"", row->unit ? row->unit : "count", NAN, NAN, NAN};
    figure_measure(measure.name, row);
    if (cJSON_IsNumber(figure)) {
        measure.value = figure->valuedouble;
    } else if (figure) {
        measure.value = json_get_number(figure, "median");
        measure.low = json_get_number(figure, "low");
        measure.high = json_get_number(figure, "high");
    }
    return measure;
}

size_t measures_of(const struct view_item *item, struct measure *out)
{
    size_t count = 0;
    enum figure_owner owner = item->phase ? FIGURE_OF_PHASE : FIGURE_OF_CELL;
    for (size_t i = 0; i < figure_count && count < MEASURES_MAX; i++) {
        if (!figures[i].measure || figures[i].owner != owner)
            continue;
        struct measure measure = measure_of(&figures[i], item->phase ? item->phase : item->cell);
        if (isfinite(measure.value))
            out[count++] = measure;
    }
    return count;
}
