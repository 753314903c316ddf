/* bencher.c - writes a result in the Bencher Metric Format. */
#include "harness/tell/report/bencher.h"

#include "harness/tell/report/emit.h"
#include "harness/tell/report/measures.h"

#include <math.h>

struct writer {
    FILE *out;
    const char *gap; /* before the next benchmark: nothing, then a comma */
};

static void write_measure(FILE *out, const struct measure *measure)
{
    emit_text(out, measure->name);
    fputs(":{", out);
    emit_number_of(out, "value", measure->value);
    if (isfinite(measure->low) && isfinite(measure->high)) {
        fputc(',', out);
        emit_number_of(out, "lower_value", measure->low);
        fputc(',', out);
        emit_number_of(out, "upper_value", measure->high);
    }
    fputc('}', out);
}

static void write_item(void *context, const struct view_item *item)
{
    struct writer *writer = context;
    struct measure measures[MEASURES_MAX];
    size_t count = measures_of(item, measures);
    if (count == 0)
        return;
    fprintf(writer->out, "%s\n", writer->gap);
    writer->gap = ",";
    emit_text(writer->out, item->name);
    fputs(":{", writer->out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", writer->out);
        write_measure(writer->out, &measures[i]);
    }
    fputc('}', writer->out);
}

void bencher_write(FILE *out, const struct result_document *document)
{
    struct writer writer = {out, ""};
    fputc('{', out);
    view_each(result_json(document), write_item, &writer);
    fputs("\n}\n", out);
}
