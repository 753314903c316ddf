/* services.c - writes a result as JSON for services that follow benchmarks, and for Google Benchmark's tools. */
#include "harness/tell/report/services.h"

#include "harness/base/json.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/figures.h"

static void add_number(cJSON *object, const char *key, double value)
{
    json_add(object, key, cJSON_CreateNumber(value));
}

static void print(FILE *out, cJSON *document, int depth)
{
    json_print(out, document, depth);
    fputc('\n', out);
    cJSON_Delete(document);
}

/* ---- Measures. ------------------------------------------------------------------------------- */

struct measure {
    char name[FIGURE_NAME_SIZE]; /* "latency": lower case and dashes */
    double value;
    double low, high; /* NaN when there is no interval */
};

/* What has samples behind it is an object with the interval, everything else a number. */
static struct measure measure_of(const struct figure *row, const cJSON *source)
{
    const cJSON *figure = json_get(source, row->path);
    struct measure measure = {"", NAN, NAN, NAN};
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

/* The next measure of the item from figure *at on, which is known; false behind the last.  Those of the whole cell
 * are only in the item without a phase. */
static bool next_measure(const struct view_item *item, size_t *at, struct measure *measure)
{
    enum figure_owner owner = item->phase ? FIGURE_OF_PHASE : FIGURE_OF_CELL;
    while (*at < figure_count()) {
        const struct figure *figure = figure_at((*at)++);
        if (!figure->measure || figure->owner != owner)
            continue;
        *measure = measure_of(figure, item->phase ? item->phase : item->cell);
        if (isfinite(measure->value))
            return true;
    }
    return false;
}

/* ---- Bencher. -------------------------------------------------------------------------------- */

static void add_benchmark(void *list, const struct view_item *item)
{
    cJSON *benchmark = cJSON_CreateObject();
    struct measure measure;
    for (size_t at = 0; next_measure(item, &at, &measure);) {
        cJSON *value = cJSON_CreateObject();
        add_number(value, "value", measure.value);
        if (isfinite(measure.low) && isfinite(measure.high)) {
            add_number(value, "lower_value", measure.low);
            add_number(value, "upper_value", measure.high);
        }
        json_add(benchmark, measure.name, value);
    }
    if (benchmark && benchmark->child)
        json_add(list, item->name, benchmark);
    else
        cJSON_Delete(benchmark);
}

void bencher_write(FILE *out, const struct result_document *document)
{
    cJSON *benchmarks = cJSON_CreateObject();
    view_each(result_json(document), add_benchmark, benchmarks);
    print(out, benchmarks, 1);
}

/* ---- Google Benchmark: the context.  What the document does not know has the value that says least. - */

/* The format has two words for how something was built. */
static const char *build_type(const char *flags)
{
    return strstr(flags, "-O2") || strstr(flags, "-O3") ? "release" : "debug";
}

static cJSON *make_context(const cJSON *document)
{
    const cJSON *machine = json_get(document, "machine");
    const cJSON *program = cJSON_GetArrayItem(json_get(document, "command"), 0);
    const char *governor = json_get_text(machine, "governor");
    double cores = json_get_number(machine, "cores");
    cJSON *context = cJSON_CreateObject();
    jsontext_add(context, "date", json_get_text(document, "tool.date_utc"));
    jsontext_add(context, "host_name", "");
    jsontext_add(context, "executable", cJSON_IsString(program) ? program->valuestring : "twbench");
    add_number(context, "num_cpus", isfinite(cores) ? cores : 0);
    add_number(context, "mhz_per_cpu", 0);
    json_add(context, "cpu_scaling_enabled",
             cJSON_CreateBool(governor[0] && strcmp(governor, "performance") != 0));
    json_add(context, "caches", cJSON_CreateArray());
    json_add(context, "load_avg", cJSON_CreateArray());
    jsontext_add(context, "library_build_type", build_type(json_get_text(document, "tool.flags")));
    return context;
}

/* ---- Google Benchmark: the rows. ------------------------------------------------------------- */

/* Operations behind one sample: what ns_per_op was divided by, and how often the phase was run. */
static double iterations_of(const struct view_item *item)
{
    return view_operations(item->phase) * json_get_number(item->cell, "sampling.passes_per_sample");
}

/* CPU time over wall time in the medians.  The document has no CPU time of single samples, and the
 * median repeated in every row would let a U test take any two runs for different; so each row has
 * the share of its own time. */
static double cpu_share(const cJSON *phase)
{
    double share =
        json_get_number(phase, "cpu_ns_per_op") / json_get_number(phase, "ns_per_op.median");
    return isfinite(share) ? share : 1;
}

static cJSON *make_row(const struct view_item *item, double family, double real_ns, int repetition,
                       int repetitions)
{
    char label[64];
    cJSON *row = cJSON_CreateObject();
    snprintf(label, sizeof label, "stream %s", json_get_text(item->cell, "stream.hash"));
    jsontext_add(row, "name", item->name);
    add_number(row, "family_index", family);
    add_number(row, "per_family_instance_index", 0);
    jsontext_add(row, "run_name", item->name);
    jsontext_add(row, "run_type", "iteration");
    add_number(row, "repetitions", repetitions);
    add_number(row, "repetition_index", repetition);
    add_number(row, "threads", 1);
    add_number(row, "iterations", iterations_of(item));
    add_number(row, "real_time", real_ns);
    add_number(row, "cpu_time", real_ns * cpu_share(item->phase));
    jsontext_add(row, "time_unit", "ns");
    jsontext_add(row, "label", label);
    return row;
}

/* A phase of a cell is a family. */
static void add_rows(void *list, const struct view_item *item)
{
    const cJSON *samples = json_get(item->phase, "ns_per_op.samples");
    const cJSON *rows = list, *last = rows->child ? rows->child->prev : NULL;
    double family = last ? json_get_number(last, "family_index") + 1 : 0;
    int count = cJSON_GetArraySize(samples), index = 0;
    json_each(sample, samples, "")
        cJSON_AddItemToArray(list, make_row(item, family, sample->valuedouble, index++, count));
}

void gbench_write(FILE *out, const struct result_document *document)
{
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_CreateArray();
    json_add(root, "context", make_context(result_json(document)));
    json_add(root, "benchmarks", rows);
    view_each(result_json(document), add_rows, rows);
    print(out, root, 2);
}
