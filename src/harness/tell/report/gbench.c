/* gbench.c - writes a result as Google Benchmark's JSON. */
#include "harness/tell/report/gbench.h"

#include "harness/tell/report/emit.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Context.  What the document does not know has the value that says least. ---------------- */

/* Of "Example CPU @ 2.50GHz", 2500; 0 when the name of the processor does not tell. */
static double nominal_mhz(const char *cpu_model)
{
    const char *at = strrchr(cpu_model, '@');
    double ghz = at && strstr(at, "GHz") ? strtod(at + 1, NULL) : 0;
    return isfinite(ghz) && ghz > 0 ? round(ghz * 1000) : 0;
}

/* The format has two words for how something was built. */
static const char *build_type(const char *flags)
{
    return strstr(flags, "-O2") || strstr(flags, "-O3") ? "release" : "debug";
}

/* How many cores share a cache is in no document. */
static void write_caches(FILE *out, const cJSON *caches)
{
    const cJSON *cache;
    fputs("\"caches\":[", out);
    cJSON_ArrayForEach(cache, caches)
    {
        fputs(cache == caches->child ? "{" : ",{", out);
        emit_text_of(out, "type", json_get_text(cache, "type"));
        fputc(',', out);
        emit_number_of(out, "level", json_get_number(cache, "level"));
        fputc(',', out);
        emit_number_of(out, "size", json_get_number(cache, "size_bytes"));
        fputs(",\"num_sharing\":0}", out);
    }
    fputs("],\n", out);
}

static void write_context(FILE *out, const cJSON *document)
{
    const cJSON *machine = json_get(document, "machine");
    const cJSON *program = cJSON_GetArrayItem(json_get(document, "command"), 0);
    const char *governor = json_get_text(machine, "governor");
    double cores = json_get_number(machine, "cores");
    fputs("\"context\":{\n", out);
    emit_text_of(out, "date", json_get_text(document, "tool.date_utc"));
    fputs(",\n\"host_name\":\"\",\n", out);
    emit_text_of(out, "executable", cJSON_IsString(program) ? program->valuestring : "twbench");
    fputs(",\n", out);
    emit_number_of(out, "num_cpus", isfinite(cores) ? cores : 0);
    fputs(",\n", out);
    emit_number_of(out, "mhz_per_cpu", nominal_mhz(json_get_text(machine, "cpu_model")));
    fprintf(out, ",\n\"cpu_scaling_enabled\":%s,\n",
            governor[0] && strcmp(governor, "performance") != 0 ? "true" : "false");
    write_caches(out, json_get(machine, "caches"));
    fputs("\"load_avg\":[],\n", out);
    emit_text_of(out, "library_build_type", build_type(json_get_text(document, "tool.flags")));
    fputs("\n}", out);
}

/* ---- Rows. ----------------------------------------------------------------------------------- */

struct writer {
    FILE *out;
    size_t family; /* of the next phase */
    const char *gap;
};

/* Operations behind one sample: what ns_per_op was divided by, and how often the phase was run. */
static double iterations_of(const struct view_item *item)
{
    return (json_get_number(item->phase, "operations.start") +
            json_get_number(item->phase, "operations.stop") +
            json_get_number(item->phase, "operations.expire")) *
           json_get_number(item->cell, "sampling.passes_per_sample");
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

static void write_row(struct writer *writer, const struct view_item *item, double real_ns,
                      int repetition, int repetitions)
{
    FILE *out = writer->out;
    char label[64];
    snprintf(label, sizeof label, "stream %s", json_get_text(item->cell, "stream.hash"));
    fprintf(out, "%s\n{", writer->gap);
    writer->gap = ",";
    emit_text_of(out, "name", item->name);
    fprintf(out, ",\"family_index\":%zu,\"per_family_instance_index\":0,", writer->family);
    emit_text_of(out, "run_name", item->name);
    fprintf(out,
            ",\"run_type\":\"iteration\",\"repetitions\":%d,\"repetition_index\":%d,\"threads\":1,",
            repetitions, repetition);
    emit_number_of(out, "iterations", iterations_of(item));
    fputc(',', out);
    emit_number_of(out, "real_time", real_ns);
    fputc(',', out);
    emit_number_of(out, "cpu_time", real_ns * cpu_share(item->phase));
    fputs(",\"time_unit\":\"ns\",", out);
    emit_text_of(out, "label", label);
    fputc('}', out);
}

static void write_item(void *context, const struct view_item *item)
{
    struct writer *writer = context;
    const cJSON *samples = json_get(item->phase, "ns_per_op.samples"), *sample;
    int count = cJSON_GetArraySize(samples), index = 0;
    cJSON_ArrayForEach(sample, samples)
    {
        write_row(writer, item, sample->valuedouble, index++, count);
    }
    writer->family += count > 0;
}

void gbench_write(FILE *out, const struct result_document *document)
{
    struct writer writer = {out, 0, ""};
    fputs("{\n", out);
    write_context(out, result_json(document));
    fputs(",\n\"benchmarks\":[", out);
    view_each(result_json(document), write_item, &writer);
    fputs("\n]\n}\n", out);
}
