/* workload.c - finds a workload or trace by name and makes its stream. */
#include "harness/measure/workload/workload.h"

#include "harness/base/memory.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "harness/measure/workload/generate.h"
#include "harness/measure/workload/oracle.h"
#include "harness/measure/workload/spec.h"
#include "harness/measure/workload/trace.h"

#include <dirent.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static bool is_trace_path(const char *path)
{
    return text_ends_with(path, ".tt") || text_ends_with(path, ".tt.xz") ||
           text_ends_with(path, ".tt.gz");
}

struct location {
    char path[PATH_SIZE];
    bool is_trace;
    bool exists;
};

static struct location workload_locate(const char *workload, const char *directory)
{
    struct location at = {.is_trace = is_trace_path(workload)};
    if (at.is_trace || strchr(workload, '/') || text_ends_with(workload, ".json")) {
        snprintf(at.path, sizeof at.path, "%s", workload);
        at.exists = access(at.path, F_OK) == 0;
        return at;
    }
    at.is_trace = trace_find(workload, directory, at.path, sizeof at.path);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.json", directory ? directory : ".", workload);
    bool is_file = access(path, F_OK) == 0;
    at.exists = is_file || at.is_trace;
    if (is_file || !at.is_trace) {
        at.is_trace = false;
        memcpy(at.path, path, sizeof path);
    }
    return at;
}

bool workload_is_trace(const char *workload, const char *directory)
{
    return workload_locate(workload, directory).is_trace;
}

/* Of a request for a trace: its slack, NULL if none.  DIAG_USAGE for another parameter. */
static int trace_settings(const struct workload_request *request, const char *path,
                          const char **slack, struct diag *diag)
{
    *slack = NULL;
    for (size_t i = 0; i < request->setting_count; i++) {
        const struct workload_setting *set = &request->settings[i];
        if (strcmp(set->name, WORKLOAD_SLACK) != 0)
            return diag_usage(diag, "--set %.60s=%.60s: %s is a trace, expected only slack",
                              set->name, set->value, path);
        *slack = set->value;
    }
    return DIAG_OK;
}

static int trace_make(const struct workload_request *request, const char *path, struct stream **out,
                      struct diag *diag)
{
    char name[STREAM_NAME_SIZE];
    const char *text;
    struct textfile *file;
    struct stream_slack slack;
    struct stream *stream;
    int status = trace_settings(request, path, &text, diag);
    if (status == DIAG_OK)
        status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    trace_name(path, name, sizeof name);
    status = trace_stream(file, name, request->tick_ns, request->until, &stream, diag);
    textfile_close(file);
    if (status != DIAG_OK)
        return status;
    if (text)
        status = workload_parse_slack(text, stream->tick_ns, "--set slack", &slack, diag);
    if (status != DIAG_OK) {
        stream_free(stream);
        return status;
    }
    if (text)
        stream_allow(stream, slack);
    *out = stream;
    return DIAG_OK;
}

static int spec_make(const struct workload_request *request, const char *path, struct stream **out,
                     struct diag *diag)
{
    struct spec *spec;
    int status = spec_load(path, request, &spec, diag);
    if (status != DIAG_OK)
        return status;
    status = generate_stream(spec, request->seed, (struct generate_limits){.until = request->until},
                             out, diag);
    if (status == DIAG_OK && !stream_slack_is_none(&spec->slack))
        stream_allow(*out, spec->slack);
    spec_free(spec);
    return status;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Of the seeds of further streams; those of a generator's sequences are below. */
#define SEQUENCE_PASSES 1000u

static uint64_t seed_of_pass(const struct workload_request *request, size_t index)
{
    struct rng rng;
    rng_seed(&rng, request->seed, SEQUENCE_PASSES + index);
    return rng_next(&rng);
}

/* The ids 0 .. count - 1 in another order. */
static tw_id *draw_names(uint32_t count, uint64_t seed)
{
    struct rng rng;
    tw_id *names = memory_take(count, sizeof *names);
    rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = (uint32_t)rng_below(&rng, i + 1);
        names[i] = names[j];
        names[j] = i;
    }
    return names;
}

/* The operations of a phase without a rule for expiries, as a trace has them. */
static void append_renamed(struct stream *to, const struct stream *from,
                           const struct stream_phase *phase, const tw_id *names)
{
    const uint32_t *word = from->words + phase->begin, *end = from->words + phase->end;
    stream_phase_begin(to, phase->name, NULL);
    while (word < end) {
        enum stream_code code = (enum stream_code)(*word >> STREAM_COUNT_BITS);
        uint32_t count = *word++ & STREAM_COUNT_MAX;
        if (code == STREAM_TICKS)
            stream_append_ticks(to, count);
        else if (code == STREAM_START)
            for (; count > 0; count--, word += 2)
                stream_append_start(to, names[word[0]], word[1]);
        else if (code == STREAM_START_FAR)
            for (; count > 0; count--, word += 3)
                stream_append_start(to, names[word[0]],
                                    (int64_t)((uint64_t)word[2] << 32 | word[1]));
        else if (code == STREAM_STOP)
            for (; count > 0; count--, word++)
                stream_append_stop(to, names[*word]);
        else
            for (; count > 0; count--, word += 2)
                stream_append_advance(to, (uint64_t)word[1] << 32 | word[0]);
    }
}

static struct stream *make_renamed(const struct stream *stream, uint64_t seed,
                                   struct deadline until)
{
    struct diag ignored;
    struct stream *renamed = stream_new(stream->workload);
    tw_id *names = draw_names(stream->capacity, seed);
    renamed->tasks = stream->tasks;
    renamed->tick_ns = stream->tick_ns;
    renamed->capacity = stream->capacity;
    renamed->until = until;
    for (size_t i = 0; i < stream->phase_count; i++)
        append_renamed(renamed, stream, &stream->phases[i], names);
    free(names);
    if (oracle_finish(renamed, &ignored) == DIAG_OK)
        return renamed;
    stream_free(renamed);
    return NULL;
}

/* `spec` NULL: of a trace. */
static struct stream *make_other(const struct workload_request *request, const struct spec *spec,
                                 const struct stream *stream, size_t index)
{
    struct diag ignored;
    struct stream *other = NULL;
    struct generate_limits limits = {.until = request->until};
    uint64_t seed = seed_of_pass(request, index);
    if (!spec)
        other = make_renamed(stream, seed, request->until);
    else if (generate_stream(spec, seed, limits, &other, &ignored) != DIAG_OK)
        return NULL;
    if (!other || stream->max_pending == 0 ||
        oracle_cap(other, stream->max_pending, &ignored) == DIAG_OK)
        return other;
    stream_free(other);
    return NULL;
}

void workload_add_passes(const struct workload_request *request, struct stream *stream,
                         uint64_t warmup, uint64_t passes)
{
    struct spec *spec = NULL;
    struct diag ignored;
    struct location at = workload_locate(request->workload, request->directory);
    stream->once =
        at.is_trace && !request->rename && stream_operations(stream) >= STREAM_FRESH_OPERATIONS;
    uint64_t wanted = warmup + (stream->once ? 1 : passes);
    if (!at.is_trace && spec_load(at.path, request, &spec, &ignored) != DIAG_OK)
        return;
    for (size_t count = stream->passes ? stream->passes->count : 1;
         count < wanted && (count + 1) * stream->word_count <= WORKLOAD_PASS_WORDS; count++) {
        struct stream *other = make_other(request, spec, stream, count);
        if (!other)
            break;
        stream_add_pass(stream, other);
        stream->passes->renamed = at.is_trace;
    }
    spec_free(spec);
}

/* ---- What there is --------------------------------------------------------------------------- */

/* Names of a directory's workloads or traces, sorted. */
struct names {
    struct dirent **items;
    int count;
};

static void names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
}

static int entry_compare(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static bool is_workload_path(const char *path)
{
    return text_ends_with(path, ".json");
}

static int is_workload_entry(const struct dirent *entry)
{
    return is_workload_path(entry->d_name);
}

static int is_trace_entry(const struct dirent *entry)
{
    return is_trace_path(entry->d_name);
}

static int names_read(const char *directory, int (*is_wanted)(const struct dirent *entry),
                      struct names *names, struct diag *diag)
{
    *names = (struct names){0};
    int count = scandir(directory, &names->items, is_wanted, entry_compare);
    if (count < 0)
        return diag_usage(diag, "%s: cannot be listed: %s", directory, strerror(errno));
    names->count = count;
    return DIAG_OK;
}

/* A directory without traces is fine. */
static int traces_read(const char *directory, char *path, size_t size, struct names *names,
                       struct diag *diag)
{
    *names = (struct names){0};
    snprintf(path, size, "%s/traces", directory);
    return access(path, F_OK) == 0 ? names_read(path, is_trace_entry, names, diag) : DIAG_OK;
}

/* Cuts the endings off. */
static void names_tell(const struct names *names, struct text *known, struct nearest *nearest)
{
    for (int i = 0; i < names->count; i++) {
        char *name = names->items[i]->d_name;
        name[strcspn(name, ".")] = '\0';
        text_add_item(known, ", ", "%s", name);
        nearest_offer(nearest, name);
    }
}

static int workload_missing(const struct workload_request *request, const char *path,
                            struct diag *diag)
{
    struct names files, traces;
    struct diag ignored;
    char known[600], hint[80], traces_path[PATH_SIZE];
    const char *directory = request->directory ? request->directory : ".";
    struct text list = text_in(known, sizeof known);
    struct nearest nearest = nearest_to(request->workload);
    if (strchr(request->workload, '/') || is_trace_path(request->workload) ||
        is_workload_path(request->workload))
        return diag_usage(diag, "%.600s: there is no such file", path);
    if (names_read(directory, is_workload_entry, &files, &ignored) == DIAG_OK) {
        names_tell(&files, &list, &nearest);
        names_free(&files);
    }
    if (traces_read(directory, traces_path, sizeof traces_path, &traces, &ignored) == DIAG_OK) {
        names_tell(&traces, &list, &nearest);
        names_free(&traces);
    }
    bool is_file = request->workload[0] && access(request->workload, F_OK) == 0;
    return diag_usage(
        diag, "workload '%.80s': not in %.200s, expected one of: %s%s%s%.80s", request->workload,
        directory, *known ? known : "(none there)", nearest_hint(&nearest, hint, sizeof hint),
        is_file ? "; the file of this name is ./" : "", is_file ? request->workload : "");
}

int workload_stream(const struct workload_request *request, struct stream **out, struct diag *diag)
{
    struct location at = workload_locate(request->workload, request->directory);
    if (!at.exists)
        return workload_missing(request, at.path, diag);
    if (textfile_refuse_pipe(at.path, diag) != DIAG_OK)
        return DIAG_USAGE;
    if (at.is_trace)
        return trace_make(request, at.path, out, diag);
    return spec_make(request, at.path, out, diag);
}

/* ---- Listing --------------------------------------------------------------------------------- */

static int file_visit(const char *directory, const char *name, workload_visit_fn *visit, void *ctx,
                      struct diag *diag)
{
    char path[PATH_SIZE];
    struct spec *spec;
    struct workload_request request = {.directory = directory};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int status = spec_load(path, &request, &spec, diag);
    if (status != DIAG_OK)
        return status;
    /* It is asked for by the name of its file. */
    char base[PATH_SIZE];
    snprintf(base, sizeof base, "%.*s", (int)(strlen(name) - strlen(".json")), name);
    visit(ctx, &(struct workload_info){.name = base,
                                       .summary = spec->summary,
                                       .parameters = spec->parameters,
                                       .tick_ns = spec->tick_ns,
                                       .is_trace = false});
    spec_free(spec);
    return DIAG_OK;
}

static int trace_visit(const char *directory, const char *name, workload_visit_fn *visit, void *ctx,
                       struct diag *diag)
{
    char path[PATH_SIZE], base[PATH_SIZE];
    struct textfile *file;
    struct trace_header header;
    snprintf(path, sizeof path, "%.3000s/%.255s", directory, name);
    int status = textfile_open(&file, path, diag);
    if (status != DIAG_OK)
        return status;
    status = trace_header_read(file, &header, diag);
    textfile_close(file);
    if (status != DIAG_OK)
        return status;
    trace_name(name, base, sizeof base);
    visit(ctx, &(struct workload_info){.name = base,
                                       .summary = header.source,
                                       .parameters = "",
                                       .tick_ns = header.unit_ns,
                                       .is_trace = true});
    return DIAG_OK;
}

int workload_list(const char *directory, workload_visit_fn *visit, void *ctx, struct diag *diag)
{
    char traces[PATH_SIZE];
    struct names names;
    int status = names_read(directory, is_workload_entry, &names, diag);
    if (status != DIAG_OK)
        return status;
    for (int i = 0; status == DIAG_OK && i < names.count; i++)
        status = file_visit(directory, names.items[i]->d_name, visit, ctx, diag);
    names_free(&names);
    if (status == DIAG_OK)
        status = traces_read(directory, traces, sizeof traces, &names, diag);
    if (status != DIAG_OK)
        return status;
    for (int i = 0; status == DIAG_OK && i < names.count; i++)
        status = trace_visit(traces, names.items[i]->d_name, visit, ctx, diag);
    names_free(&names);
    return status;
}
