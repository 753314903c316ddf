/* import_json.c - the trace's figures first, then what was dropped and observed, then the log's. */
#include "labs/traces/traces.h"

#include "harness/base/json.h"

#include <math.h>

enum { COMMONEST = 8 };

/* ---- Numbers ------------------------------------------------------------------------------------- */

/* Delays can be below 0, and beyond the 15 digits that cJSON prints. */
static cJSON *ticks_json(int64_t ticks)
{
    if (ticks >= 0)
        return json_integer((uint64_t)ticks);
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, ticks);
    return cJSON_CreateRaw(digits);
}

/* With so many digits behind the point; null unless finite. */
static void add_rounded(cJSON *object, const char *key, double value, int places)
{
    char digits[400];
    if (!isfinite(value)) {
        json_add(object, key, cJSON_CreateNull());
        return;
    }
    snprintf(digits, sizeof digits, "%.*f", places, value);
    json_add(object, key, cJSON_CreateNumber(strtod(digits, NULL)));
}

/* Only what occurred. */
static void add_count(cJSON *object, const char *key, uint64_t count)
{
    if (count > 0)
        json_add_integer(object, key, count);
}

static cJSON *pair_json(cJSON *first, uint64_t count)
{
    cJSON *pair = cJSON_CreateArray();
    cJSON_AddItemToArray(pair, first);
    cJSON_AddItemToArray(pair, json_integer(count));
    return pair;
}

/* ---- The trace ----------------------------------------------------------------------------------- */

static void add_operations(cJSON *object, const struct trace_header *header,
                           const struct builder *builder)
{
    const struct builder_counts *counts = &builder->counts;
    json_put(object, header, source, unit_ns, ops);
    json_put(object, counts, starts_new, starts_rearm, cancels, expired);
    json_add_integer(object, "left_armed", builder->armed);
    json_add_integer(object, "ids", header->ids);
    json_add_integer(object, "timer_objects", builder->names.count);
    json_add_integer(object, "max_armed", header->max_armed);
}

static void add_rates(cJSON *object, const struct trace_header *header,
                      const struct builder *builder)
{
    const struct builder_counts *counts = &builder->counts;
    double ops = (double)header->ops, end = (double)header->end;
    double span_s = end * (double)header->unit_ns / 1e9;
    double starts = (double)(counts->starts_new + counts->starts_rearm);
    add_rounded(object, "mean_armed", counts->armed_ticks / end, 1);
    add_rounded(object, "span_s", span_s, 3);
    add_rounded(object, "ops_per_s", ops / span_s, 0);
    add_rounded(object, "frac_end_cancel", (double)counts->cancels / starts, 4);
    add_rounded(object, "frac_end_expire", (double)counts->expired / starts, 4);
    add_rounded(object, "frac_end_rearm", (double)counts->starts_rearm / starts, 4);
}

static void add_percentiles(cJSON *object, const char *key, const struct distribution *values,
                            const unsigned *percents, const char *const *names, size_t count)
{
    cJSON *figures = cJSON_CreateObject();
    json_add(object, key, figures);
    for (size_t i = 0; i < count && values->total > 0; i++)
        json_add(figures, names[i], ticks_json(distribution_percentile(values, percents[i])));
}

static void add_delays(cJSON *object, const struct distribution *delays)
{
    static const unsigned percents[] = {0, 1, 10, 50, 90, 99, 100};
    static const char *const names[] = {"min", "p1", "p10", "p50", "p90", "p99", "max"};
    struct distribution_value commonest[COMMONEST];
    uint64_t distinct;
    size_t count = distribution_commonest(delays, commonest, COMMONEST, &distinct);
    cJSON *top = cJSON_CreateArray();
    add_percentiles(object, "delay", delays, percents, names, 7);
    json_add_integer(object, "distinct_delays", distinct);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(top, pair_json(ticks_json(commonest[i].value), commonest[i].count));
    json_add(object, "top_delays", top);
}

static void add_ticks(cJSON *object, const struct trace_header *header,
                      const struct builder_counts *counts)
{
    json_add_integer(object, "ticks_with_ops", counts->ticks_with_ops);
    add_rounded(object, "ops_per_active_tick", (double)header->ops / (double)counts->ticks_with_ops,
                2);
    json_add_integer(object, "max_ops_in_tick", counts->max_ops_in_tick);
}

/* ---- The log against the trace ------------------------------------------------------------------- */

static void add_checks(cJSON *object, const struct builder *builder)
{
    static const unsigned percents[] = {50, 99, 100};
    static const char *const names[] = {"p50", "p99", "max"};
    const struct builder_counts *counts = &builder->counts;
    cJSON *drops = cJSON_CreateObject(), *observed = cJSON_CreateObject();
    add_count(drops, "drop_cancel_late", counts->drop_cancel_late);
    add_count(drops, "drop_cancel_unknown", counts->drop_cancel_unknown);
    add_count(observed, "obs_ok", counts->obs_ok);
    add_count(observed, "obs_early", counts->obs_early);
    add_count(observed, "obs_same_tick", counts->obs_same_tick);
    add_count(observed, "obs_unknown", counts->obs_unknown);
    json_add(object, "drops", drops);
    json_add(object, "observed", observed);
    add_percentiles(object, "fire_lateness", &builder->lateness, percents, names, 3);
}

static void name_add(void *ctx, const char *name, uint64_t count)
{
    json_add_integer(ctx, name, count);
}

static void name_append(void *ctx, const char *name, uint64_t count)
{
    cJSON_AddItemToArray(ctx, pair_json(json_text(name), count));
}

static void add_tallies(cJSON *object, const struct import *import)
{
    cJSON *converter = cJSON_CreateObject();
    tally_visit(&import->converter, name_add, converter);
    json_add(object, "converter", converter);
    if (import->functions.entries) {
        cJSON *functions = cJSON_CreateArray();
        tally_visit(&import->functions, name_append, functions);
        json_add(object, "functions", functions);
    }
    if (import->flags.entries) {
        cJSON *flags = cJSON_CreateObject();
        tally_visit(&import->flags, name_add, flags);
        json_add(object, "flags", flags);
    }
}

/* As the list of tracks has it. */
static cJSON *track_json(const struct import *import, const struct import_track *track)
{
    char name[40];
    import_track_name(import, track, name, sizeof name);
    return import->options->kind->keys & IMPORT_LOOP ? json_text(name) : json_integer(track->key);
}

/* The tracks there were, the busiest first: "loops", "pids"; and which of them is the trace. */
static void add_tracks(cJSON *object, const struct import *import)
{
    const struct import_kind *kind = import->options->kind;
    char key[40];
    uint32_t count = import->track_keys.count;
    if (!kind->track)
        return;
    struct import_track **tracks = import_tracks_sorted(import);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, pair_json(track_json(import, tracks[i]), tracks[i]->lines));
    free(tracks);
    snprintf(key, sizeof key, "%ss", kind->track);
    json_add(object, key, list);
    json_add_text(object, "track", kind->track);
    json_add(object, "chosen", track_json(import, import->chosen));
}

/* What the kind has to say, a sentence each. */
static void add_notes(cJSON *object, const char *notes)
{
    cJSON *list = cJSON_CreateArray();
    char note[sizeof((struct import *)NULL)->notes];
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        snprintf(note, sizeof note, "%.*s", (int)length, notes);
        cJSON_AddItemToArray(list, json_text(note));
        notes += length + (notes[length] == '\n');
    }
    json_add(object, "notes", list);
}

cJSON *import_json(const struct import *import)
{
    const struct builder *builder = &import->chosen->builder;
    struct trace_header header;
    cJSON *object = cJSON_CreateObject();
    import_header(import, &header);
    json_add_text(object, "kind", import->options->kind->name);
    add_operations(object, &header, builder);
    add_rates(object, &header, builder);
    add_delays(object, &import->delays);
    add_ticks(object, &header, &builder->counts);
    add_checks(object, builder);
    add_tallies(object, import);
    add_tracks(object, import);
    json_add_text(object, "log", import->name);
    json_add_integer(object, "log_lines", import->lines);
    add_count(object, "broken_lines", import->broken_lines);
    if (import->broken_lines)
        json_add_text(object, "first_broken", import->first_broken);
    add_count(object, "torn_lines", import->torn);
    add_count(object, "lost_events", import->lost);
    add_count(object, "clock_back", builder->counts.clock_back);
    add_notes(object, import->notes);
    return object;
}
