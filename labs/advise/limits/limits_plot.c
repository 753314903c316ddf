/* limits_plot.c - writes the data of the limits' picture. */
#include "labs/advise/advise.h"

#include "harness/base/json.h"
#include "labs/advise/limits/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the data of one core: level 1 to 3. */
static double cache_bytes(const cJSON *document, int level)
{
    json_each(cache, document, "machine.caches") {
        bool holds_data = strcmp(json_get_text(cache, "type"), "Instruction") != 0;
        if (holds_data && json_get_number(cache, "level") == level)
            return json_get_number(cache, "size_bytes");
    }
    return 0;
}

static bool is_drawn(const struct limits_view *view, size_t row)
{
    for (size_t i = 0; view->rows[row].node_bytes > 0 && i < view->task_count; i++)
        if (json_get(limits_view_point(view, row, i), "ns"))
            return true;
    return false;
}

static size_t count_series(const struct limits_view *view)
{
    size_t count = 0;
    for (size_t row = 0; row < view->row_count; row++)
        count += is_drawn(view, row);
    return count;
}

static void write_series(FILE *out, const struct limits_view *view, size_t row)
{
    fprintf(out, "\n\n%s\t%.0f\t%d\n", view->rows[row].limit, view->rows[row].node_bytes,
            view->rows[row].huge);
    for (size_t i = 0; i < view->task_count; i++) {
        const cJSON *point = limits_view_point(view, row, i), *ns = json_get(point, "ns");
        if (ns)
            fprintf(out, "%.0f\t%.6g\t%.6g\t%.6g\n", json_get_number(point, "footprint_bytes"),
                    json_get_number(ns, "median"), json_get_number(ns, "low"),
                    json_get_number(ns, "high"));
    }
}

static void write_limits(FILE *out, const cJSON *document, const struct picture *picture)
{
    (void)picture;
    struct limits_view view = limits_view_make(document);
    size_t series = count_series(&view);
    fprintf(out, "title\tWhat this machine can do at best\nmachine\t%s\nblocks\t%zu\nseries\t%zu\n",
            json_get_text(document, "machine.cpu_model"), series, series);
    for (int level = 1; level <= 3; level++)
        fprintf(out, "L%d\t%.0f\n", level, cache_bytes(document, level));
    for (size_t row = 0; row < view.row_count; row++)
        if (is_drawn(&view, row))
            write_series(out, &view, row);
}

void limits_pictures(const cJSON *document, struct pictures *out)
{
    struct limits_view view = limits_view_make(document);
    if (count_series(&view) > 0)
        pictures_add(
            out, &(struct picture){.name = "limits", .script = "limits", .write = write_limits});
}
