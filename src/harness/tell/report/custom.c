/* custom.c - writes a result as customSmallerIsBetter, for github-action-benchmark. */
#include "harness/tell/report/custom.h"

#include "harness/tell/report/emit.h"
#include "harness/tell/report/measures.h"
#include "harness/tell/result/json.h"

#include <math.h>

struct writer {
    FILE *out;
    const char *gap; /* before the next element: nothing, then a comma */
};

/* The settings as the design resolved them, and the operations that were run. */
static void describe(char *out, size_t size, const cJSON *cell)
{
    char params[256];
    json_format_params(params, sizeof params, json_get(cell, "params"));
    snprintf(out, size, "%s%sstream %s", params, params[0] ? "; " : "",
             json_get_text(cell, "stream.hash"));
}

static void write_element(struct writer *writer, const struct view_item *item,
                          const struct measure *measure)
{
    FILE *out = writer->out;
    char text[VIEW_NAME_SIZE + 64];
    fprintf(out, "%s\n{", writer->gap);
    writer->gap = ",";
    snprintf(text, sizeof text, "%.511s %.47s", item->name, measure->name);
    emit_text_of(out, "name", text);
    fputc(',', out);
    emit_text_of(out, "unit", measure->unit);
    fputc(',', out);
    emit_number_of(out, "value", measure->value);
    if (isfinite(measure->low) && isfinite(measure->high)) {
        snprintf(text, sizeof text, "%.6g to %.6g", measure->low, measure->high);
        fputc(',', out);
        emit_text_of(out, "range", text);
    }
    describe(text, sizeof text, item->cell);
    fputc(',', out);
    emit_text_of(out, "extra", text);
    fputc('}', out);
}

static void write_item(void *context, const struct view_item *item)
{
    struct measure measures[MEASURES_MAX];
    size_t count = measures_of(item, measures);
    for (size_t i = 0; i < count; i++)
        write_element(context, item, &measures[i]);
}

void custom_write(FILE *out, const struct result_document *document)
{
    struct writer writer = {out, ""};
    fputc('[', out);
    view_each(result_json(document), write_item, &writer);
    fputs("\n]\n", out);
}
