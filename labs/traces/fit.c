/* fit.c - fits a workload's parameters to a census. */
#include "labs/traces/fit.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/workload/dist.h"
#include "harness/measure/workload/generate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_OWN = 48, CLASSES = 24, VALUES_MAX = 48, TEXT_SIZE = 1990 };

/* Where the shares begin that one value stands for: finer at both ends, where they differ most. */
static const double share_ends[] = {0.002, 0.01, 0.03, 0.06, 0.1};
enum { SHARE_ENDS = sizeof share_ends / sizeof *share_ends, SHARE_STEPS = 20 };

struct fit {
    const struct census *census;
    size_t *class_of;              /* per distinct delay */
    size_t own_count, class_count; /* the first have one delay each */
    uint64_t *values;              /* room for all stretches or passes */
};

/* ---- Distributions. -------------------------------------------------------------------------- */

struct listing {
    char text[TEXT_SIZE + 1]; /* "choice(3s:10, 20ms:7)" */
    double mean;              /* in units */
};

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Exact, in the largest unit that divides it; where it does not fit, bare ticks. */
static void format_ticks(char *out, size_t size, uint64_t ticks, uint64_t unit_ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    if (unit_ns == 0 || ticks > UINT64_MAX / unit_ns) {
        snprintf(out, size, "%llu", (unsigned long long)ticks);
        return;
    }
    size_t i = 0;
    while (ticks * unit_ns % units[i].ns != 0)
        i++;
    snprintf(out, size, "%llu%s", (unsigned long long)(ticks * unit_ns / units[i].ns),
             ticks ? units[i].name : "ns");
}

static void listing_add(struct listing *listing, double value, size_t weight, size_t all,
                        uint64_t unit_ns)
{
    char number[40];
    size_t length = strlen(listing->text);
    uint64_t ticks = (uint64_t)llround(value);
    format_ticks(number, sizeof number, ticks, unit_ns);
    listing->mean += (double)ticks * (double)weight / (double)all;
    snprintf(listing->text + length, sizeof listing->text - length, "%s%s:%zu",
             length ? ", " : "choice(", number, weight);
}

/* The end of the share that begins at that one. */
static double share_next(double share)
{
    double step = (1 - 2 * share_ends[SHARE_ENDS - 1]) / SHARE_STEPS;
    for (size_t i = 0; i < SHARE_ENDS; i++)
        if (share < share_ends[i] - 1e-9)
            return share_ends[i];
    if (share < 1 - share_ends[SHARE_ENDS - 1] - 1e-9)
        return share + step;
    for (size_t i = SHARE_ENDS - 1; i-- > 0;)
        if (share < 1 - share_ends[i] - 1e-9)
            return 1 - share_ends[i];
    return 1;
}

static size_t distinct_count(const uint64_t *values, size_t count)
{
    size_t distinct = count > 0;
    for (size_t i = 1; i < count && distinct <= VALUES_MAX; i++)
        distinct += values[i] != values[i - 1];
    return distinct;
}

/* `values` are sorted; unit_ns 0: they are no times. */
static struct listing listing_make(const uint64_t *values, size_t count, uint64_t unit_ns)
{
    struct listing listing = {.text = ""};
    bool exact = distinct_count(values, count) <= VALUES_MAX;
    double share = 0;
    for (size_t i = 0, next; i < count; i = next) {
        double sum = 0;
        next = i + 1;
        if (exact) {
            while (next < count && values[next] == values[i])
                next++;
        } else {
            share = share_next(share);
            size_t end = (size_t)llround(share * (double)count);
            next = end > i ? end : i + 1;
        }
        if (next > count)
            next = count;
        for (size_t j = i; j < next; j++)
            sum += (double)values[j];
        listing_add(&listing, sum / (double)(next - i), next - i, count, unit_ns);
    }
    size_t length = strlen(listing.text);
    snprintf(listing.text + length, sizeof listing.text - length, ")");
    return listing;
}

static struct listing values_list(struct fit *fit, size_t count, uint64_t unit_ns)
{
    qsort(fit->values, count, sizeof *fit->values, compare);
    return listing_make(fit->values, count, unit_ns);
}

/* ---- Classes of delays. ---------------------------------------------------------------------- */

static uint64_t ended_count(const struct census_delay *delay)
{
    return delay->count - delay->ended[CENSUS_LEFT];
}

static void classes_make(struct fit *fit)
{
    const struct census *census = fit->census;
    size_t own[ROWS_OWN], own_count = census_commonest(census, own, ROWS_OWN);
    uint64_t others = 0, taken = 0; /* of the class that is being filled */
    for (size_t i = 0; i < census->delay_count; i++) {
        fit->class_of[i] = SIZE_MAX;
        others += ended_count(&census->delays[i]);
    }
    for (size_t i = 0; i < own_count; i++) {
        fit->class_of[own[i]] = i;
        others -= ended_count(&census->delays[own[i]]);
    }
    size_t class = own_count;
    double first = 0;
    for (size_t i = 0; i < census->delay_count; i++) {
        if (fit->class_of[i] != SIZE_MAX)
            continue;
        double ticks = (double)census->delays[i].ticks;
        if ((double)taken * CLASSES > (double)others || ticks > 2 * first) {
            first = ticks > 1 ? ticks : 1;
            taken = 0;
            class ++;
        }
        fit->class_of[i] = class;
        taken += ended_count(&census->delays[i]);
    }
    fit->own_count = own_count;
    fit->class_count = class + 1;
}

enum measure { DELAY, LENGTH };

/* Into fit->values: of all stretches of the class that end so (CENSUS_ENDS: in any way seen). */
static size_t class_collect(struct fit *fit, size_t class, unsigned end, enum measure measure)
{
    const struct census *census = fit->census;
    const struct census_stretch *stretch = census->stretches;
    size_t count = 0;
    for (size_t i = 0; i < census->delay_count; stretch += census->delays[i++].count) {
        if (fit->class_of[i] != class)
            continue;
        for (size_t j = 0; j < census->delays[i].count; j++) {
            if (end == CENSUS_ENDS ? stretch[j].end == CENSUS_LEFT : stretch[j].end != end)
                continue;
            uint64_t delay = stretch[j].delay > 0 ? (uint64_t)stretch[j].delay : 1;
            if (delay > DIST_DELAY_MAX)
                delay = DIST_DELAY_MAX;
            fit->values[count++] = measure == DELAY ? delay : stretch[j].length;
        }
    }
    return count;
}

static void ticks_add(struct fit *fit, cJSON *row, const char *key, size_t count)
{
    jsontext_add(row, key, values_list(fit, count, fit->census->unit_ns).text);
}

/* Of `all` stretches of the class those that end so. */
static void end_add(struct fit *fit, cJSON *row, size_t class, unsigned end, size_t all)
{
    static const char *const shares[] = {"rearm", "cancel"};
    static const char *const times[] = {"rearm_after", "cancel_after"};
    size_t count = end <= CENSUS_CANCELLED ? class_collect(fit, class, end, LENGTH) : 0;
    if (count == 0)
        return;
    cJSON_AddNumberToObject(row, shares[end], (double)count / (double)all);
    ticks_add(fit, row, times[end], count);
}

/* A row for all ends of a class, or for one of them. */
static void row_add(struct fit *fit, cJSON *mix, size_t class, unsigned end)
{
    size_t count = class_collect(fit, class, end, DELAY);
    if (count == 0)
        return;
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "weight", (double)count);
    ticks_add(fit, row, "delay", count);
    for (unsigned i = 0; i <= CENSUS_CANCELLED; i++)
        if (end == CENSUS_ENDS || end == i)
            end_add(fit, row, class, i, count);
    cJSON_AddItemToArray(mix, row);
}

/* In a class of several delays the longer ones may well end in another way than the shorter. */
static cJSON *mix_make(struct fit *fit)
{
    cJSON *mix = cJSON_CreateArray();
    for (size_t class = 0; class < fit->class_count; class ++) {
        if (class < fit->own_count)
            row_add(fit, mix, class, CENSUS_ENDS);
        for (unsigned end = 0; class >= fit->own_count && end < CENSUS_LEFT; end++)
            row_add(fit, mix, class, end);
    }
    return mix;
}

/* ---- Passes. --------------------------------------------------------------------------------- */

/* With two operations on an active tick and more, the program works in passes. */
static bool works_in_passes(const struct census *census)
{
    return census->operations >= 2 * (uint64_t)census->pass_count;
}

static void passes_add(struct fit *fit, cJSON *flow)
{
    const struct census *census = fit->census;
    bool in_passes = works_in_passes(census);
    size_t gaps = 0, starts = 0;
    tw_tick last = 0;
    for (size_t i = 0; i < census->pass_count; i++) {
        const struct census_pass *pass = &census->passes[i];
        if (!in_passes && pass->starts_new == 0)
            continue;
        if (starts++ > 0)
            fit->values[gaps++] = pass->now - last;
        last = pass->now;
    }
    if (gaps == 0)
        fit->values[gaps++] = census->end;
    struct listing listing = values_list(fit, gaps, census->unit_ns);
    double passes = (double)census->end / listing.mean;
    jsontext_add(flow, "passes", listing.text);
    starts = 0;
    for (size_t i = 0; i < census->pass_count; i++)
        if (in_passes || census->passes[i].starts_new > 0)
            fit->values[starts++] = census->passes[i].starts_new;
    listing = values_list(fit, starts, 0);
    double wanted = (double)(census->starts_new - census->ended[CENSUS_LEFT]);
    jsontext_add(flow, "starts", listing.text);
    cJSON_AddNumberToObject(flow, "starts_scale",
                            wanted > 0 ? wanted / (passes * listing.mean) : 1e-9);
    jsontext_add(flow, "changes", in_passes ? "in-passes" : "at-once");
}

/* ---- The file. ------------------------------------------------------------------------------- */

static double length_sum(const struct census *census, bool left)
{
    double sum = 0;
    for (size_t i = 0; i < census->stretch_count; i++)
        if ((census->stretches[i].end == CENSUS_LEFT) == left)
            sum += (double)census->stretches[i].length;
    return sum;
}

/* Those left armed go on to where they would have expired, which is after the end. */
static cJSON *standing_make(struct fit *fit)
{
    const struct census *census = fit->census;
    double share = length_sum(census, true) / (double)census->end / (double)census->ids;
    size_t count = 0;
    if (share * (double)census->ids < 0.5)
        return NULL;
    for (size_t i = 0; i < census->stretch_count; i++) {
        const struct census_stretch *stretch = &census->stretches[i];
        if (stretch->end == CENSUS_LEFT)
            fit->values[count++] =
                (uint64_t)(stretch->delay > 0 ? stretch->delay : 1) - stretch->length + census->end;
    }
    cJSON *phase = cJSON_CreateObject();
    jsontext_add(phase, "name", "standing");
    jsontext_add(phase, "do", "start");
    jsontext_add(phase, "order", "random");
    cJSON_AddNumberToObject(phase, "share", share < 1 ? share : 1);
    jsontext_add(phase, "delay", values_list(fit, count, census->unit_ns).text);
    return phase;
}

static cJSON *flow_make(struct fit *fit)
{
    const struct census *census = fit->census;
    char span[40];
    double armed = length_sum(census, false) / (double)census->end / (double)census->ids;
    cJSON *phase = cJSON_CreateObject();
    format_ticks(span, sizeof span, census->end, census->unit_ns);
    jsontext_add(phase, "name", "traffic");
    jsontext_add(phase, "do", "flow");
    jsontext_add(phase, "ticks", span);
    cJSON_AddNumberToObject(phase, "of", (double)census->ids);
    cJSON_AddNumberToObject(phase, "armed", armed < 1 ? armed : 1);
    passes_add(fit, phase);
    cJSON_AddItemToObject(phase, "mix", mix_make(fit));
    return phase;
}

static cJSON *file_make(struct fit *fit, const char *name, const char *source)
{
    char text[1000], tick[40];
    cJSON *root = cJSON_CreateObject(), *phases = cJSON_CreateArray(), *standing;
    size_t length = (size_t)snprintf(text, STREAM_NAME_SIZE - 4, "%s", name);
    if (length > STREAM_NAME_SIZE - 5)
        length = STREAM_NAME_SIZE - 5;
    for (char *c = text; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : *c == '_' ? '_' : '-';
    snprintf(text + length, sizeof text - length, "-fit");
    jsontext_add(root, "name", text);
    snprintf(text, sizeof text,
             "The mix of the trace %.60s (%.300s), fitted: starts, ends, delays and passes as "
             "measured, drawn independently.",
             name, source);
    jsontext_add(root, "summary", text);
    format_ticks(tick, sizeof tick, 1, fit->census->unit_ns);
    jsontext_add(root, "tick", tick);
    cJSON_AddNumberToObject(root, "tasks", (double)fit->census->ids);
    standing = standing_make(fit);
    if (standing)
        cJSON_AddItemToArray(phases, standing);
    cJSON_AddItemToArray(phases, flow_make(fit));
    cJSON_AddItemToObject(root, "phases", phases);
    return root;
}

/* Not every mix makes a workload: where all are re-armed to the end, nothing would ever end. */
static int file_check(const cJSON *root, const char *name, struct diag *diag)
{
    struct workload_request request = {.directory = "."};
    struct spec *spec = NULL;
    struct diag inner;
    char *text = cJSON_PrintUnformatted(root);
    int status = spec_parse(text, strlen(text), "mix", &request, &spec, &inner);
    cJSON_free(text);
    if (status == DIAG_OK)
        spec_free(spec);
    else if (status == DIAG_USAGE)
        diag_usage(diag, "%s: no workload repeats its %s", name, inner.text);
    else
        *diag = inner;
    return status;
}

int fit_workload(const struct census *census, const char *name, const char *source, cJSON **out,
                 struct diag *diag)
{
    if (census->end == 0 || census_starts(census) == census->ended[CENSUS_LEFT])
        return diag_usage(diag, "%s: no stretch of a timer ends in it, expected a longer trace",
                          name);
    size_t room =
        census->stretch_count > census->pass_count ? census->stretch_count : census->pass_count;
    struct fit fit = {
        .census = census,
        .class_of = memory_take(census->delay_count, sizeof *fit.class_of),
        .values = memory_take(room + 1, sizeof *fit.values),
    };
    classes_make(&fit);
    cJSON *root = file_make(&fit, name, source);
    free(fit.class_of);
    free(fit.values);
    int status = file_check(root, name, diag);
    if (status == DIAG_OK)
        *out = root;
    else
        cJSON_Delete(root);
    return status;
}

int fit_census(const cJSON *workload, struct census *census, struct diag *diag)
{
    struct workload_request request = {.directory = "."};
    struct spec *spec;
    struct stream *stream;
    char *text = cJSON_PrintUnformatted(workload);
    int status = spec_parse(text, strlen(text), "the fitted workload", &request, &spec, diag);
    cJSON_free(text);
    if (status != DIAG_OK)
        return status;
    status = generate_stream(spec, 1, (struct generate_limits){.work_max = 0}, &stream, diag);
    spec_free(spec);
    if (status != DIAG_OK)
        return status;
    status = census_of_stream(stream, census, diag);
    stream_free(stream);
    return status;
}
