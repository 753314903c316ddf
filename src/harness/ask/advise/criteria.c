/* criteria.c - reads the criteria (cost, memory, tail, wake-ups) from cells, and compares two candidates. */
#include "harness/ask/advise/criteria.h"

#include "harness/base/json.h"
#include "harness/measure/stats/summary.h"

#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95
/* A maximum that another pass had as well, within so much, is of the work and not of an interruption. */
#define TAIL_AGAIN 1.5

const char *criterion_name(enum criterion criterion)
{
    static const char *const names[CRITERIA] = {
        [CRITERION_COST] = "cost",        [CRITERION_MEMORY] = "memory",
        [CRITERION_TAIL] = "tail",        [CRITERION_PRECISION] = "precision",
        [CRITERION_WAKEUPS] = "wake-ups",
    };
    return names[criterion];
}

/* ---- One cell. ------------------------------------------------------------------------------- */

static bool is_ok(const cJSON *cell)
{
    return cell && strcmp(json_get_text(cell, "status"), "ok") == 0;
}

static double operations_of(const cJSON *phase)
{
    return json_get_number(phase, "operations.start") + json_get_number(phase, "operations.stop") +
           json_get_number(phase, "operations.expire");
}

/* Wall time of a phase in a sample: from its operations, or where it has none from its advances. */
static double phase_ns(const cJSON *phase, int sample)
{
    const cJSON *interval = json_get(phase, "ns_per_op");
    const cJSON *item = cJSON_GetArrayItem(json_get(interval, "samples"), sample);
    if (operations_of(phase) > 0)
        return cJSON_IsNumber(item) ? operations_of(phase) * item->valuedouble : NAN;
    double advances = json_get_number(phase, "operations.advance");
    return advances > 0 ? advances * json_get_number(phase, "ns_per_advance.median") : 0;
}

/* ns per operation of the whole load in that sample; NaN when there is none. */
static double sample_cost(const cJSON *cell, int sample)
{
    double ns = 0, operations = 0;
    const cJSON *phase;
    if (!is_ok(cell) || sample >= json_get_number(cell, "sampling.samples"))
        return NAN;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        ns += phase_ns(phase, sample);
        operations += operations_of(phase);
    }
    return operations > 0 ? ns / operations : NAN;
}

static double sum_of(const cJSON *cell, const char *path)
{
    double sum = 0;
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        sum += json_get_number(phase, path);
    }
    return sum;
}

static double most_of(const cJSON *cell, const char *path)
{
    double most = NAN;
    const cJSON *phase;
    cJSON_ArrayForEach(phase, json_get(cell, "phases"))
    {
        most = fmax(most, json_get_number(phase, path));
    }
    return most;
}

/* ---- All cells of a candidate. --------------------------------------------------------------- */

/* Rounds of a single sample are a first look: they count while there is nothing better. */
static bool is_counted(const cJSON *cell, double most_samples)
{
    return is_ok(cell) && (most_samples < CRITERIA_PAIRS_MIN ||
                           json_get_number(cell, "sampling.samples") >= CRITERIA_PAIRS_MIN);
}

static double most_samples_of(const struct criteria_cells *cells)
{
    double most = 0;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++)
        if (is_ok(cells->cells[i]))
            most = fmax(most, json_get_number(cells->cells[i], "sampling.samples"));
    return most;
}

static size_t gather_samples(const struct criteria_cells *cells, double *out)
{
    size_t count = 0;
    double most = most_samples_of(cells);
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        if (!is_counted(cells->cells[i], most))
            continue;
        for (int s = 0; count < CRITERIA_SAMPLES_MAX; s++) {
            double cost = sample_cost(cells->cells[i], s);
            if (isnan(cost))
                break;
            out[count++] = cost;
        }
    }
    return count;
}

/* Few samples say little, and what disturbs a sample makes it longer. */
static struct criteria_interval interval_of(const double *samples, size_t count)
{
    struct summary summary = summary_at(samples, count, CONFIDENCE);
    struct criteria_interval interval = {
        .median = summary.median,
        .low = summary.low,
        .high = summary.high,
        .confidence = summary.confidence,
        .count = count,
    };
    if (count < CRITERIA_PAIRS_MIN)
        interval.low /= 2;
    return interval;
}

static void take_memory(struct criteria *out, const cJSON *cell)
{
    double capacity = json_get_number(cell, "stream.capacity");
    out->fixed_bytes = json_get_number(cell, "memory.fixed_bytes");
    out->peak_bytes = json_get_number(cell, "memory.peak_bytes");
    if (isnan(out->peak_bytes))
        out->peak_bytes = out->fixed_bytes + json_get_number(cell, "memory.capacity_bytes");
    out->bytes_per_task = out->peak_bytes / capacity;
}

/* By ticks a driver wakes up at each of them; by next it does so for the timers alone where the load
 * itself does nothing. */
static void take_wakeups(struct criteria *out, const cJSON *cell)
{
    bool by_next = strcmp(json_get_text(cell, "params.drive"), "next") == 0;
    out->useful_wakeups = sum_of(cell, "wakeups.useful");
    out->wakeups = by_next ? sum_of(cell, "wakeups.count") - sum_of(cell, "wakeups.to_moment")
                           : sum_of(cell, "operations.ticks");
}

/* Of all passes: the least of the maxima, and what of it came twice. */
static void take_tail(struct criteria *out, const cJSON *cell)
{
    double max = most_of(cell, "latency_ns.advance.max");
    if (isnan(max))
        return;
    double least = fmin(out->tail_max_ns, max), other = fmax(out->tail_max_ns, max);
    double sure = most_of(cell, "latency_ns.advance.p99_9");
    if (out->tail_passes > 0 && other <= TAIL_AGAIN * least)
        sure = least;
    out->tail_sure_ns = fmin(fmax(out->tail_sure_ns, sure), least);
    out->tail_max_ns = least;
    out->tail_p99_ns = fmin(out->tail_p99_ns, most_of(cell, "latency_ns.advance.p99"));
    out->tail_passes++;
}

/* Everything but the times is the same in each of them. */
static void take_cell(struct criteria *out, const cJSON *cell)
{
    out->known = true;
    take_memory(out, cell);
    take_wakeups(out, cell);
    take_tail(out, cell);
    out->late_mean_ns = json_get_number(cell, "precision.late_mean_ns");
    out->late_max_ns = json_get_number(cell, "precision.late_max_ns");
}

struct criteria criteria_of(const struct criteria_cells *cells)
{
    double samples[CRITERIA_SAMPLES_MAX];
    struct criteria out = {.status = "",
                           .reason = "",
                           .tail_p99_ns = NAN,
                           .tail_max_ns = NAN,
                           .tail_sure_ns = NAN,
                           .wakeups = NAN};
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        const cJSON *cell = cells->cells[i];
        if (!cell)
            continue;
        out.status = json_get_text(cell, "status");
        out.reason = json_get_text(cell, "reason");
        if (is_ok(cell) && !isnan(sample_cost(cell, 0)))
            take_cell(&out, cell);
        else
            out.failed++;
    }
    size_t count = gather_samples(cells, samples);
    if (count > 0)
        out.cost_ns = interval_of(samples, count);
    return out;
}

/* ---- Two candidates. ------------------------------------------------------------------------- */

static bool same_stream(const cJSON *left, const cJSON *right)
{
    return strcmp(json_get_text(left, "stream.hash"), json_get_text(right, "stream.hash")) == 0;
}

/* Samples of rounds in which both were, over the same operations. */
static size_t gather_ratios(const struct criteria_cells *left, const struct criteria_cells *right,
                            double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        const cJSON *l = left->cells[i], *r = right->cells[i];
        if (!is_counted(l, CRITERIA_PAIRS_MIN) || !is_counted(r, CRITERIA_PAIRS_MIN) ||
            !same_stream(l, r))
            continue;
        for (int s = 0; count < CRITERIA_SAMPLES_MAX; s++) {
            double ratio = sample_cost(l, s) / sample_cost(r, s);
            if (isnan(ratio))
                break;
            out[count++] = ratio;
        }
    }
    return count;
}

/* The round with the most samples of both; CRITERIA_ROUNDS when they were never in one. */
static size_t common_round(const struct criteria_cells *left, const struct criteria_cells *right)
{
    size_t found = CRITERIA_ROUNDS;
    double most = 0;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        if (!is_ok(left->cells[i]) || !is_ok(right->cells[i]))
            continue;
        double samples = fmin(json_get_number(left->cells[i], "sampling.samples"),
                              json_get_number(right->cells[i], "sampling.samples"));
        if (samples > most) {
            most = samples;
            found = i;
        }
    }
    return found;
}

/* Times of different rounds lie minutes apart, and the machine may have become another one. */
static struct criteria_interval cost_in(const struct criteria_cells *cells, size_t round)
{
    struct criteria_cells one = {{NULL}};
    one.cells[0] = round < CRITERIA_ROUNDS ? cells->cells[round] : NULL;
    return criteria_of(round < CRITERIA_ROUNDS ? &one : cells).cost_ns;
}

struct criteria_interval criteria_ratio(const struct criteria_cells *left,
                                        const struct criteria_cells *right)
{
    double ratios[CRITERIA_SAMPLES_MAX];
    size_t count = gather_ratios(left, right, ratios);
    if (count >= CRITERIA_PAIRS_MIN)
        return interval_of(ratios, count);
    size_t round = common_round(left, right);
    struct criteria_interval l = cost_in(left, round), r = cost_in(right, round);
    if (l.count == 0 || r.count == 0)
        return (struct criteria_interval){NAN, NAN, NAN, 0, 0};
    return (struct criteria_interval){
        .median = l.median / r.median,
        .low = l.low / r.high,
        .high = l.high / r.low,
        .confidence = fmin(l.confidence, r.confidence),
    };
}

int criteria_ratio_sign(const struct criteria_interval *ratio)
{
    return ratio->high < 1 / (1 + CRITERIA_MARGIN) ? -1 : ratio->low > 1 + CRITERIA_MARGIN ? 1 : 0;
}

double criteria_value(const struct criteria *criteria, enum criterion criterion)
{
    if (!criteria->known)
        return NAN;
    return criterion == CRITERION_COST        ? criteria->cost_ns.median
           : criterion == CRITERION_MEMORY    ? criteria->bytes_per_task
           : criterion == CRITERION_TAIL      ? criteria->tail_max_ns
           : criterion == CRITERION_PRECISION ? criteria->late_max_ns
                                              : criteria->wakeups;
}

static bool is_longer(double sure_ns, const struct criteria *than)
{
    return sure_ns > than->tail_max_ns * CRITERIA_TAIL_FACTOR &&
           sure_ns > than->tail_max_ns + than->interruption_ns;
}

int criteria_compare(const struct contender *left, const struct contender *right,
                     enum criterion criterion)
{
    if (criterion == CRITERION_COST) {
        struct criteria_interval ratio = criteria_ratio(&left->cells, &right->cells);
        return criteria_ratio_sign(&ratio);
    }
    if (criterion == CRITERION_TAIL)
        return is_longer(right->of.tail_sure_ns, &left->of)   ? -1
               : is_longer(left->of.tail_sure_ns, &right->of) ? 1
                                                              : 0;
    double l = criteria_value(&left->of, criterion), r = criteria_value(&right->of, criterion);
    return l * (1 + CRITERIA_EXACT) < r ? -1 : r * (1 + CRITERIA_EXACT) < l ? 1 : 0;
}

bool criteria_may_be_better(const struct contender *left, const struct contender *right,
                            enum criterion criterion)
{
    if (criterion == CRITERION_TAIL)
        return is_longer(right->of.tail_max_ns, &left->of);
    if (criterion != CRITERION_COST || (left->of.cost_ns.count >= CRITERIA_PAIRS_MIN &&
                                        right->of.cost_ns.count >= CRITERIA_PAIRS_MIN))
        return false;
    return criteria_ratio(&left->cells, &right->cells).median < 1;
}
