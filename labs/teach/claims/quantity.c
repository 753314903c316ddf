/* quantity.c - looks up the quantities that experiments name, and evaluates expressions over samples. */
#include "labs/teach/claims/quantity.h"

#include "harness/base/json.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/report/view.h"
#include "harness/tell/result/figures.h"
#include "impls/registry.h"

#include <math.h>

/* Of cells that labs run: a value for each round. */
#define CLOCK_PREFIX "clock."

enum place { IN_FIGURE, WORK, OP, TIME, CPU, IN_LAB };

/* Exact; a time that was measured once; a time that was sampled. */
enum basis { EXACT, ONCE, SAMPLED };

/* What a name stands for. */
struct figure_name {
    enum place place;
    enum basis basis;
    const struct figure *figure; /* IN_FIGURE: of the catalogue */
    const char *catch_up;        /* of a schedule: the way of catching up, "" with a fixed delay */
};

/* What is added up from several figures. */
static bool sum_find(const char *name, struct figure_name *out)
{
    static const struct {
        const char *name;
        enum place place;
        enum basis basis;
    } sums[] = {
        {"work", WORK, EXACT}, {"op", OP, EXACT}, {"ns", TIME, SAMPLED}, {"cpu_ns", CPU, SAMPLED}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(sums[i].name, name) == 0) {
            *out = (struct figure_name){.place = sums[i].place, .basis = sums[i].basis};
            return true;
        }
    return false;
}

/* "skip_runs" is the figure "runs" of the schedule that skips. */
static const char *schedule_find(const char *name, const char **catch_up)
{
    static const char *const ways[][2] = {{"skip_", "skip"}, {"burst_", "burst"}, {"delay_", ""}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(name, ways[i][0], strlen(ways[i][0])) == 0) {
            *catch_up = ways[i][1];
            return name + strlen(ways[i][0]);
        }
    return NULL;
}

/* A path in the cell of a lab.  On the real clock each run has its own value; bytes are as good as counted. */
static bool lab_find(const char *name, struct figure_name *out)
{
    bool of_store = strncmp(name, "figures.", 8) == 0, counted = strncmp(name, "ledger.", 7) == 0;
    bool on_clock = strncmp(name, CLOCK_PREFIX, strlen(CLOCK_PREFIX)) == 0;
    counted = counted || (of_store && strstr(name, "bytes"));
    *out = (struct figure_name){.place = IN_LAB, .basis = counted ? EXACT : SAMPLED};
    return of_store || counted || on_clock;
}

static bool is_named(const struct figure *figure, const char *name, const char *of_schedule)
{
    const char *wanted = figure->owner == FIGURE_OF_SCHEDULE ? of_schedule : name;
    return wanted && figure->claim && strcmp(figure->claim, wanted) == 0;
}

/* A latency is a time that was measured once. */
static bool name_find(const char *name, struct figure_name *out)
{
    const char *catch_up = "", *of_schedule = schedule_find(name, &catch_up);
    if (sum_find(name, out) || lab_find(name, out))
        return true;
    for (size_t i = 0; i < figure_count(); i++) {
        if (!is_named(figure_at(i), name, of_schedule))
            continue;
        enum basis basis = figure_at(i)->sheet == FIGURE_LATENCY ? ONCE : EXACT;
        *out = (struct figure_name){IN_FIGURE, basis, figure_at(i), catch_up};
        return true;
    }
    return false;
}

/* A setting is a name as well: of any design, since the file may name several. */
static bool is_setting(const char *name)
{
    for (size_t i = 0; i < registry_count; i++)
        if (param_find(registry[i].timed->params, name))
            return true;
    return false;
}

/* ---- Checking. ------------------------------------------------------------------------------- */

static bool note_name(void *ctx, const char *name, double *value)
{
    enum basis *basis = ctx;
    struct figure_name figure;
    bool found = name_find(name, &figure);
    if (found && figure.basis > *basis)
        *basis = figure.basis;
    *value = 1;
    return found || is_setting(name);
}

int quantity_check(const char *expression, const char *what, bool *timed, struct diag *diag)
{
    double value;
    enum basis basis = EXACT;
    int status = expression_evaluate(expression, what, note_name, &basis, &value, diag);
    *timed = basis != EXACT;
    return status;
}

/* ---- One value. ------------------------------------------------------------------------------ */

/* Which time an expression is calculated for: a sample, or a point of the interval. */
enum { AT_MEDIAN = -3, AT_LOW = -2, AT_HIGH = -1 };

struct source {
    const cJSON *cell;
    const char *phase;
    int sample; /* from 0 on, or one of the above */
};

static double work_of(const cJSON *phase)
{
    return json_get_number(phase, "work.comparisons") + json_get_number(phase, "work.visits") +
           json_get_number(phase, "work.moves") + json_get_number(phase, "work.link_writes");
}

/* An interval times what it is per, for a sample or a point of it. */
static double interval_value(const cJSON *interval, double factor, int sample)
{
    static const char *const points[] = {"median", "low", "high"};
    if (sample < 0)
        return factor * json_get_number(interval, points[sample - AT_MEDIAN]);
    const cJSON *item = cJSON_GetArrayItem(json_get(interval, "samples"), sample);
    return cJSON_IsNumber(item) ? factor * item->valuedouble : NAN;
}

/* The time of the phase: from its operations, or where it has none from its advances. */
static double time_of(const cJSON *phase, int sample)
{
    double operations = view_operations(phase),
           advances = json_get_number(phase, "operations.advance");
    const cJSON *interval = json_get(phase, operations > 0 ? "ns_per_op" : "ns_per_advance");
    return interval_value(interval, operations > 0 ? operations : advances, sample);
}

/* The CPU time of the phase, of its operations: a phase that has none does not tell. */
static double cpu_time_of(const cJSON *phase, int sample)
{
    return interval_value(json_get(phase, "cpu_ns_per_op_interval"), view_operations(phase),
                          sample);
}

static double phase_value(const struct source *source, const struct figure_name *figure,
                          const cJSON *phase)
{
    if (figure->place == WORK)
        return work_of(phase);
    if (figure->place == OP)
        return view_operations(phase);
    if (figure->place == TIME)
        return time_of(phase, source->sample);
    if (figure->place == CPU)
        return cpu_time_of(phase, source->sample);
    return figure->figure ? json_get_number(phase, figure->figure->path) : NAN;
}

static double setting_value(const cJSON *cell, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json_get(cell, "params"), name);
    if (cJSON_IsArray(item))
        return cJSON_GetArraySize(item);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Of the periodic tasks: the schedule of a kind, and of a way of catching up. */
static double schedule_value(const cJSON *cell, const struct figure_name *figure)
{
    json_each(schedule, cell, "schedules")
        if (strcmp(json_get_text(schedule, "catch_up"), figure->catch_up) == 0)
            return json_get_number(schedule, figure->figure->path);
    return NAN;
}

static double phases_value(const struct source *source, const struct figure_name *figure)
{
    double value = NAN;
    bool most = figure->figure && (figure->figure->flags & FIGURE_MOST);
    json_each(phase, source->cell, "phases") {
        if (source->phase && strcmp(json_get_text(phase, "name"), source->phase) != 0)
            continue;
        double term = phase_value(source, figure, phase);
        if (most)
            value = fmax(value, term);
        else
            value = isnan(value) ? term : value + term;
    }
    return value;
}

/* Of one run, or of all together. */
static double lab_value(const struct source *source, const char *path)
{
    const cJSON *item = json_get(source->cell, path);
    if (cJSON_IsObject(item))
        return interval_value(item, 1, source->sample);
    if (source->sample < 0 || strncmp(path, CLOCK_PREFIX, strlen(CLOCK_PREFIX)) != 0)
        return json_get_number(source->cell, path);
    const cJSON *run = cJSON_GetArrayItem(json_get(source->cell, "clock.rounds"), source->sample);
    return run ? json_get_number(run, path + strlen(CLOCK_PREFIX)) : NAN;
}

static bool value_of(void *ctx, const char *name, double *value)
{
    const struct source *source = ctx;
    struct figure_name found;
    if (!name_find(name, &found))
        *value = setting_value(source->cell, name);
    else if (found.place == IN_LAB)
        *value = lab_value(source, name);
    else if (!found.figure || found.figure->owner == FIGURE_OF_PHASE)
        *value = phases_value(source, &found);
    else if (found.figure->owner == FIGURE_OF_CELL)
        *value = json_get_number(source->cell, found.figure->path);
    else
        *value = schedule_value(source->cell, &found);
    return true;
}

/* ---- From values to a quantity. -------------------------------------------------------------- */

static double evaluate(struct source *source, int sample, const char *expression)
{
    double value = NAN;
    struct diag diag;
    source->sample = sample;
    expression_evaluate(expression, "", value_of, source, &value, &diag);
    return value;
}

static void take_samples(struct quantity *out, struct source *source, const char *expression)
{
    double value = evaluate(source, 0, expression);
    while (!isnan(value) && out->count < QUANTITY_SAMPLES_MAX) {
        out->samples[out->count++] = value;
        value = evaluate(source, (int)out->count, expression);
    }
}

static void summarize(struct quantity *out)
{
    struct summary summary = summary_of(out->samples, out->count);
    out->median = summary.median;
    out->low = summary.low;
    out->high = summary.high;
    out->confidence = summary.confidence;
}

/* The confidence that the phases' own intervals have: the least of them. */
static double confidence_of(const cJSON *cell, const char *name)
{
    double least = 1;
    json_each(phase, cell, "phases") {
        double confidence = json_get_number(phase, "ns_per_advance.confidence");
        if ((!name || strcmp(json_get_text(phase, "name"), name) == 0) && confidence < least)
            least = confidence;
    }
    return least;
}

struct quantity quantity_of(const cJSON *cell, const char *phase, const char *expression)
{
    struct quantity out = {.confidence = 1};
    struct source source = {.cell = cell, .phase = phase};
    struct diag diag;
    double value;
    enum basis basis = EXACT;
    expression_evaluate(expression, "", note_name, &basis, &value, &diag);
    out.timed = basis != EXACT;
    if (basis == SAMPLED)
        take_samples(&out, &source, expression);
    if (out.count > 0) {
        summarize(&out);
        return out;
    }
    out.median = out.low = out.high = evaluate(&source, AT_MEDIAN, expression);
    if (basis != SAMPLED)
        return out;
    double low = evaluate(&source, AT_LOW, expression);
    double high = evaluate(&source, AT_HIGH, expression);
    out.low = fmin(low, high);
    out.high = fmax(low, high);
    out.confidence = confidence_of(cell, phase);
    return out;
}

static double divide(double left, double right)
{
    return right > 0 ? left / right : NAN;
}

struct quantity quantity_ratio(const struct quantity *left, const struct quantity *right,
                               bool same_rounds)
{
    struct quantity out = {.timed = left->timed || right->timed,
                           .confidence = fmin(left->confidence, right->confidence)};
    bool exact = !right->timed; /* one value for every round */
    if (same_rounds && left->count > 0 && (exact || left->count == right->count)) {
        out.count = left->count;
        for (size_t i = 0; i < out.count; i++)
            out.samples[i] = divide(left->samples[i], exact ? right->median : right->samples[i]);
        summarize(&out);
        return out;
    }
    out.median = divide(left->median, right->median);
    out.low = divide(left->low, right->high);
    out.high = divide(left->high, right->low);
    return out;
}
