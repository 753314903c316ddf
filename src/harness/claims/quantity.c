/* quantity.c - looks up the quantities that experiments name, and evaluates expressions over samples. */
#include "harness/claims/quantity.h"

#include "harness/claims/expression.h"
#include "harness/result/json.h"
#include "harness/stats/summary.h"
#include "impls/registry.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum place { IN_PHASE, MOST_IN_PHASE, IN_CELL, IN_SKIP, IN_BURST, IN_DELAY, WORK, OP, TIME, CPU };

/* Exact; a time that was measured once; a time that was sampled. */
enum basis { EXACT, ONCE, SAMPLED };

#define WORK_FIGURE(counter) {#counter, "work." #counter, IN_PHASE, EXACT},

static const struct figure_name {
    const char *name, *path;
    enum place place;
    enum basis basis;
} names[] = {
    {"work", NULL, WORK, EXACT},
    {"op", NULL, OP, EXACT},
    {"ns", NULL, TIME, SAMPLED},
    {"cpu_ns", NULL, CPU, SAMPLED},
    TW_WORK_COUNTERS(WORK_FIGURE){"start", "operations.start", IN_PHASE, EXACT},
    {"stop", "operations.stop", IN_PHASE, EXACT},
    {"advance", "operations.advance", IN_PHASE, EXACT},
    {"expire", "operations.expire", IN_PHASE, EXACT},
    {"ticks", "operations.ticks", IN_PHASE, EXACT},
    {"refused", "operations.refused", IN_PHASE, EXACT},
    {"wakeups", "wakeups.count", IN_PHASE, EXACT},
    {"useful_wakeups", "wakeups.useful", IN_PHASE, EXACT},
    {"next_calls", "wakeups.next_calls", IN_PHASE, EXACT},
    {"advance_work_max", "advance_work.max", MOST_IN_PHASE, EXACT},
    {"advance_work_p99", "advance_work.p99", MOST_IN_PHASE, EXACT},
    {"advance_p50_ns", "latency_ns.advance.p50", IN_PHASE, ONCE},
    {"advance_p99_ns", "latency_ns.advance.p99", IN_PHASE, ONCE},
    {"advance_max_ns", "latency_ns.advance.max", IN_PHASE, ONCE},
    {"skip_runs", "runs", IN_SKIP, EXACT},
    {"skip_missed", "missed", IN_SKIP, EXACT},
    {"skip_late_mean_ticks", "late_mean_ticks", IN_SKIP, EXACT},
    {"skip_late_max_ticks", "late_max_ticks", IN_SKIP, EXACT},
    {"burst_runs", "runs", IN_BURST, EXACT},
    {"burst_missed", "missed", IN_BURST, EXACT},
    {"burst_late_mean_ticks", "late_mean_ticks", IN_BURST, EXACT},
    {"burst_late_max_ticks", "late_max_ticks", IN_BURST, EXACT},
    {"delay_runs", "runs", IN_DELAY, EXACT},
    {"delay_missed", "missed", IN_DELAY, EXACT},
    {"delay_late_mean_ticks", "late_mean_ticks", IN_DELAY, EXACT},
    {"delay_late_max_ticks", "late_max_ticks", IN_DELAY, EXACT},
    {"tasks", "tasks", IN_CELL, EXACT},
    {"tick_ns", "tick_ns", IN_CELL, EXACT},
    {"capacity", "stream.capacity", IN_CELL, EXACT},
    {"horizon_ticks", "stream.horizon_ticks", IN_CELL, EXACT},
    {"fired", "fired", IN_CELL, EXACT},
    {"early", "early", IN_CELL, EXACT},
    {"late_max_ticks", "late_max_ticks", IN_CELL, EXACT},
    {"late_mean_ticks", "late_mean_ticks", IN_CELL, EXACT},
    {"late_mean_ns", "precision.late_mean_ns", IN_CELL, EXACT},
    {"late_max_ns", "precision.late_max_ns", IN_CELL, EXACT},
    {"below_tick", "precision.below_tick", IN_CELL, EXACT},
    {"bytes_per_task", "memory.bytes_per_task", IN_CELL, EXACT},
    {"fixed_bytes", "memory.fixed_bytes", IN_CELL, EXACT},
    {"peak_bytes", "memory.peak_bytes", IN_CELL, EXACT},
    {"retained_bytes", "memory.retained_bytes", IN_CELL, EXACT},
};
#define NAME_COUNT (sizeof names / sizeof *names)

static const struct figure_name *name_find(const char *name)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

/* A setting is a name as well: of any design, since the file may name several. */
static bool is_setting(const char *name)
{
    for (size_t i = 0; i < registry_count; i++)
        for (const struct tw_param *param = registry[i].timed->params; param->name; param++)
            if (strcmp(param->name, name) == 0)
                return true;
    return false;
}

/* ---- Checking. ------------------------------------------------------------------------------- */

static bool note_name(void *ctx, const char *name, double *value)
{
    enum basis *basis = ctx;
    const struct figure_name *figure = name_find(name);
    if (figure && figure->basis > *basis)
        *basis = figure->basis;
    *value = 1;
    return figure || is_setting(name);
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

static double operations_of(const cJSON *phase)
{
    return json_get_number(phase, "operations.start") + json_get_number(phase, "operations.stop") +
           json_get_number(phase, "operations.expire");
}

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
    double operations = operations_of(phase),
           advances = json_get_number(phase, "operations.advance");
    const cJSON *interval = json_get(phase, operations > 0 ? "ns_per_op" : "ns_per_advance");
    return interval_value(interval, operations > 0 ? operations : advances, sample);
}

/* The CPU time of the phase, of its operations: a phase that has none does not tell. */
static double cpu_time_of(const cJSON *phase, int sample)
{
    return interval_value(json_get(phase, "cpu_ns_per_op_interval"), operations_of(phase), sample);
}

static double phase_value(const struct source *source, const struct figure_name *figure,
                          const cJSON *phase)
{
    if (figure->place == WORK)
        return work_of(phase);
    if (figure->place == OP)
        return operations_of(phase);
    if (figure->place == TIME)
        return time_of(phase, source->sample);
    if (figure->place == CPU)
        return cpu_time_of(phase, source->sample);
    return json_get_number(phase, figure->path);
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
    const char *wanted = figure->place == IN_SKIP    ? "skip"
                         : figure->place == IN_BURST ? "burst"
                                                     : "";
    const cJSON *schedule;
    cJSON_ArrayForEach(schedule, json_get(cell, "schedules"))
    {
        if (strcmp(json_get_text(schedule, "catch_up"), wanted) == 0)
            return json_get_number(schedule, figure->path);
    }
    return NAN;
}

static double phases_value(const struct source *source, const struct figure_name *figure)
{
    double value = NAN;
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(source->cell, "phases"))
    {
        if (source->phase && strcmp(json_get_text(phase, "name"), source->phase) != 0)
            continue;
        double term = phase_value(source, figure, phase);
        if (figure->place == MOST_IN_PHASE)
            value = fmax(value, term);
        else
            value = isnan(value) ? term : value + term;
    }
    return value;
}

static bool value_of(void *ctx, const char *name, double *value)
{
    const struct source *source = ctx;
    const struct figure_name *figure = name_find(name);
    if (!figure)
        *value = setting_value(source->cell, name);
    else if (figure->place == IN_CELL)
        *value = json_get_number(source->cell, figure->path);
    else if (figure->place >= IN_SKIP && figure->place <= IN_DELAY)
        *value = schedule_value(source->cell, figure);
    else
        *value = phases_value(source, figure);
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
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
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
    if (same_rounds && left->count > 0 && left->count == right->count) {
        out.count = left->count;
        for (size_t i = 0; i < out.count; i++)
            out.samples[i] = divide(left->samples[i], right->samples[i]);
        summarize(&out);
        return out;
    }
    out.median = divide(left->median, right->median);
    out.low = divide(left->low, right->high);
    out.high = divide(left->high, right->low);
    return out;
}
