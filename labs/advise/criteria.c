/* criteria.c - reads the criteria (cost, memory, tail, wake-ups) from cells, and compares two candidates. */
#include "labs/advise/choice.h"

#include "harness/base/json.h"
#include "harness/tell/report/view.h"

#include <math.h>

#define CONFIDENCE 0.95
/* Where the harness's time was taken off, little or nothing may be left: of an interval that reaches so low no ratio is
 * known. */
#define COST_MIN_NS 0.01
/* A maximum that another pass had as well, within so much, is of the work and not of an interruption. */
#define TAIL_AGAIN 1.5

const char *criterion_name(enum criterion criterion, bool on_clock)
{
    static const char *const names[2][CRITERIA] = {
        {[CRITERION_COST] = "cost",
         [CRITERION_MEMORY] = "memory",
         [CRITERION_TAIL] = "tail",
         [CRITERION_PRECISION] = "precision",
         [CRITERION_WAKEUPS] = "wake-ups"},
        {[CRITERION_COST] = "processor time",
         [CRITERION_MEMORY] = "memory",
         [CRITERION_TAIL] = "caller's latency",
         [CRITERION_PRECISION] = "lateness",
         [CRITERION_WAKEUPS] = "idle wake-ups"},
    };
    return names[on_clock][criterion];
}

/* ---- One cell. ------------------------------------------------------------------------------- */

static bool is_ok(const cJSON *cell)
{
    return json_says(cell, "status", "ok");
}

static const cJSON *sample_in(const cJSON *phase, const char *path, int sample)
{
    const cJSON *item = cJSON_GetArrayItem(json_get(phase, path), sample);
    return cJSON_IsNumber(item) ? item : NULL;
}

/* Time of a phase in a sample, of the processor where the cell has it: beside other work wall time is the others', too.
 * Of a phase without operations from its advances.  Less the harness's time where that was taken off. */
static double phase_ns(const cJSON *phase, int sample)
{
    const cJSON *item = sample_in(phase, "corrected.ns_per_op.samples", sample);
    const char *per_advance =
        json_get(phase, "corrected") ? "corrected.ns_per_advance.median" : "ns_per_advance.median";
    if (!item)
        item = sample_in(phase, "cpu_ns_per_op_interval.samples", sample);
    if (!item)
        item = sample_in(phase, "ns_per_op.samples", sample);
    if (view_operations(phase) > 0)
        return item ? view_operations(phase) * item->valuedouble : NAN;
    double advances = json_get_number(phase, "operations.advance");
    return advances > 0 ? advances * json_get_number(phase, per_advance) : 0;
}

static bool is_on_clock(const cJSON *cell)
{
    return json_get(cell, "clock") != NULL;
}

static double samples_in(const cJSON *cell)
{
    return is_on_clock(cell) ? (double)cJSON_GetArraySize(json_get(cell, "clock.rounds"))
                             : json_get_number(cell, "sampling.samples");
}

/* What a run on the real clock says of the criterion; NaN when there is no such run, or nothing fired in it. */
static double sample_on_clock(const cJSON *cell, int sample, enum criterion criterion)
{
    const cJSON *round = cJSON_GetArrayItem(json_get(cell, "clock.rounds"), sample);
    if (!is_ok(cell) || !round)
        return NAN;
    if (criterion == CRITERION_COST)
        return json_get_number(round, "process_cpu_ns") / json_get_number(round, "operations");
    if (criterion == CRITERION_TAIL)
        return fmax(json_get_number(round, "times_ns.start.p99"),
                    json_get_number(round, "times_ns.stop.p99"));
    return criterion == CRITERION_PRECISION ? json_get_number(round, "times_ns.late.p99") : NAN;
}

/* ns per operation of the whole load in that sample; NaN when there is none. */
static double sample_cost(const cJSON *cell, int sample)
{
    double ns = 0, operations = 0;
    if (is_on_clock(cell))
        return sample_on_clock(cell, sample, CRITERION_COST);
    if (!is_ok(cell) || sample >= json_get_number(cell, "sampling.samples"))
        return NAN;
    json_each(phase, cell, "phases") {
        ns += phase_ns(phase, sample);
        operations += view_operations(phase);
    }
    return operations > 0 ? ns / operations : NAN;
}

static double sample_of(const cJSON *cell, int sample, enum criterion criterion)
{
    return criterion == CRITERION_COST ? sample_cost(cell, sample)
                                       : sample_on_clock(cell, sample, criterion);
}

static double sum_of(const cJSON *cell, const char *path)
{
    double sum = 0;
    json_each(phase, cell, "phases")
        sum += json_get_number(phase, path);
    return sum;
}

static double most_of(const cJSON *cell, const char *list, const char *path)
{
    double most = NAN;
    json_each(item, cell, list)
        most = fmax(most, json_get_number(item, path));
    return most;
}

/* ---- All cells of a candidate. --------------------------------------------------------------- */

/* Rounds of a single sample are a first look: they count while there is nothing better. */
static bool is_counted(const cJSON *cell, double most_samples)
{
    return is_ok(cell) &&
           (most_samples < CRITERIA_PAIRS_MIN || samples_in(cell) >= CRITERIA_PAIRS_MIN);
}

static double most_samples_of(const struct criteria_cells *cells)
{
    double most = 0;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++)
        if (is_ok(cells->cells[i]))
            most = fmax(most, samples_in(cells->cells[i]));
    return most;
}

static size_t gather_samples(const struct criteria_cells *cells, enum criterion criterion,
                             double *out)
{
    size_t count = 0;
    double most = most_samples_of(cells);
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        if (!is_counted(cells->cells[i], most))
            continue;
        for (int s = 0; count < CRITERIA_SAMPLES_MAX; s++) {
            double sample = sample_of(cells->cells[i], s, criterion);
            if (isnan(sample))
                break;
            out[count++] = sample;
        }
    }
    return count;
}

/* Few samples say little, and what disturbs a sample makes it longer. */
static struct summary interval_of(const double *samples, size_t count)
{
    struct summary summary = summary_at(samples, count, CONFIDENCE);
    struct summary interval = {
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
    double max = most_of(cell, "phases", "latency_ns.advance.max");
    if (isnan(max))
        return;
    double least = fmin(out->tail_max_ns, max), other = fmax(out->tail_max_ns, max);
    double sure = most_of(cell, "phases", "latency_ns.advance.p99_9");
    if (out->tail_passes > 0 && other <= TAIL_AGAIN * least)
        sure = least;
    out->tail_sure_ns = fmin(fmax(out->tail_sure_ns, sure), least);
    out->tail_max_ns = least;
    out->tail_p99_ns = fmin(out->tail_p99_ns, most_of(cell, "phases", "latency_ns.advance.p99"));
    out->tail_passes++;
}

/* Of all runs of the round. */
static double median_of_runs(const cJSON *cell, const char *path)
{
    double values[CRITERIA_SAMPLES_MAX];
    size_t count = 0;
    json_each(run, cell, "clock.rounds") {
        double value = json_get_number(run, path);
        if (count < CRITERIA_SAMPLES_MAX && !isnan(value))
            values[count++] = value;
    }
    return count > 0 ? summary_of(values, count).median : NAN;
}

static void take_clock(struct criteria *out, const cJSON *cell)
{
    out->known = out->on_clock = true;
    out->bytes_per_task = json_get_number(cell, "clock.bytes_per_timer");
    out->fixed_bytes = json_get_number(cell, "clock.stats.own_bytes");
    out->peak_bytes = out->fixed_bytes + json_get_number(cell, "clock.stats.design_bytes");
    out->late_mean_ns = median_of_runs(cell, "times_ns.late.mean");
    out->late_p50_ns = median_of_runs(cell, "times_ns.late.p50");
    out->late_max_ns = most_of(cell, "clock.rounds", "times_ns.late.max");
    out->start_p99_ns = median_of_runs(cell, "times_ns.start.p99");
    out->stop_p99_ns = median_of_runs(cell, "times_ns.stop.p99");
}

/* Everything but the times is the same in each of them. */
static void take_cell(struct criteria *out, const cJSON *cell)
{
    if (is_on_clock(cell)) {
        take_clock(out, cell);
        return;
    }
    out->known = true;
    take_memory(out, cell);
    take_wakeups(out, cell);
    take_tail(out, cell);
    out->late_mean_ns = json_get_number(cell, "precision.late_mean_ns");
    out->late_max_ns = json_get_number(cell, "precision.late_max_ns");
}

/* A few runs on the real clock scatter both ways: what disturbs one may have missed the others. */
static bool is_any_on_clock(const struct criteria_cells *cells)
{
    bool found = false;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++)
        found = found || (cells->cells[i] && is_on_clock(cells->cells[i]));
    return found;
}

static struct summary unclear(size_t count)
{
    return (struct summary){NAN, NAN, NAN, 0, count};
}

static bool is_unclear(const struct summary *summary)
{
    return !(summary->low > COST_MIN_NS);
}

static struct summary sampled(const struct criteria_cells *cells, enum criterion criterion)
{
    double samples[CRITERIA_SAMPLES_MAX];
    size_t count = gather_samples(cells, criterion, samples);
    if (count == 0)
        return unclear(0);
    struct summary interval = interval_of(samples, count);
    if (count < CRITERIA_PAIRS_MIN && is_any_on_clock(cells))
        interval.high *= 2;
    return interval;
}

/* What the samples say of a candidate on the real clock. */
static void take_runs(struct criteria *out, const struct criteria_cells *cells)
{
    out->caller_ns = sampled(cells, CRITERION_TAIL);
    out->late_ns = sampled(cells, CRITERION_PRECISION);
    out->tail_max_ns = out->tail_p99_ns = out->tail_sure_ns = out->caller_ns.median;
    if (cells->idle && is_ok(cells->idle))
        out->wakeups = json_get_number(cells->idle, "clock.wakeups_per_s");
}

struct criteria criteria_of(const struct criteria_cells *cells)
{
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
    }
    struct summary cost = sampled(cells, CRITERION_COST);
    if (cost.count > 0)
        out.cost_ns = is_unclear(&cost) ? unclear(cost.count) : cost;
    if (out.on_clock)
        take_runs(&out, cells);
    return out;
}

/* ---- Two candidates. ------------------------------------------------------------------------- */

static bool same_stream(const cJSON *left, const cJSON *right)
{
    return strcmp(json_get_text(left, "stream.hash"), json_get_text(right, "stream.hash")) == 0;
}

/* Samples of rounds in which both were, over the same operations. */
static size_t gather_pairs(const struct criteria_cells *left, const struct criteria_cells *right,
                           enum criterion criterion, double *of_left, double *of_right)
{
    size_t count = 0;
    for (size_t i = 0; i < CRITERIA_ROUNDS; i++) {
        const cJSON *l = left->cells[i], *r = right->cells[i];
        if (!is_counted(l, CRITERIA_PAIRS_MIN) || !is_counted(r, CRITERIA_PAIRS_MIN) ||
            !same_stream(l, r))
            continue;
        for (int s = 0; count < CRITERIA_SAMPLES_MAX; s++) {
            of_left[count] = sample_of(l, s, criterion);
            of_right[count] = sample_of(r, s, criterion);
            if (isnan(of_left[count] + of_right[count]))
                break;
            count++;
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
        double samples = fmin(samples_in(left->cells[i]), samples_in(right->cells[i]));
        if (samples > most) {
            most = samples;
            found = i;
        }
    }
    return found;
}

/* Times of different rounds lie minutes apart, and the machine may have become another one. */
static struct summary sampled_in(const struct criteria_cells *cells, size_t round,
                                 enum criterion criterion)
{
    struct criteria_cells one = {.cells = {NULL}};
    one.cells[0] = round < CRITERIA_ROUNDS ? cells->cells[round] : NULL;
    return sampled(round < CRITERIA_ROUNDS ? &one : cells, criterion);
}

/* How far the runs of one that was raced lie apart, largest over least: a single run of another may be as far from what
 * it would be, too.  1 off the real clock, and of few runs. */
static double scatter_of(const struct criteria_cells *cells, enum criterion criterion)
{
    double samples[CRITERIA_SAMPLES_MAX], least = INFINITY, most = 0;
    size_t count = is_any_on_clock(cells) ? gather_samples(cells, criterion, samples) : 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, samples[i]);
        most = fmax(most, samples[i]);
    }
    return count >= CRITERIA_PAIRS_MIN && least > 0 ? most / least : 1;
}

/* An interval leaves out as many samples at an end as both of these do, so none of what is below nothing is in it. */
static struct summary ratio_of_pairs(double *left, const double *right, size_t count)
{
    struct summary l = interval_of(left, count), r = interval_of(right, count);
    if (is_unclear(&l) || is_unclear(&r))
        return unclear(0);
    for (size_t i = 0; i < count; i++)
        left[i] /= fmax(right[i], COST_MIN_NS);
    return interval_of(left, count);
}

struct summary criteria_ratio(const struct criteria_cells *left, const struct criteria_cells *right,
                              enum criterion criterion)
{
    double of_left[CRITERIA_SAMPLES_MAX], of_right[CRITERIA_SAMPLES_MAX];
    size_t count = gather_pairs(left, right, criterion, of_left, of_right);
    if (count >= CRITERIA_PAIRS_MIN)
        return ratio_of_pairs(of_left, of_right, count);
    size_t round = common_round(left, right);
    struct summary l = sampled_in(left, round, criterion);
    struct summary r = sampled_in(right, round, criterion);
    double scatter = fmax(scatter_of(left, criterion), scatter_of(right, criterion));
    if (is_unclear(&l) || is_unclear(&r))
        return unclear(0);
    return (struct summary){
        .median = l.median / r.median,
        .low = l.low / r.high / scatter,
        .high = l.high / r.low * scatter,
        .confidence = fmin(l.confidence, r.confidence),
    };
}

int criteria_ratio_sign(const struct summary *ratio)
{
    return ratio->high < 1 / (1 + CRITERIA_MARGIN) ? -1 : ratio->low > 1 + CRITERIA_MARGIN ? 1 : 0;
}

double criteria_value(const struct criteria *criteria, enum criterion criterion)
{
    if (!criteria->known)
        return NAN;
    return criterion == CRITERION_COST     ? criteria->cost_ns.median
           : criterion == CRITERION_MEMORY ? criteria->bytes_per_task
           : criterion == CRITERION_TAIL   ? criteria->tail_max_ns
           : criterion == CRITERION_PRECISION
               ? (criteria->on_clock ? criteria->late_ns.median : criteria->late_max_ns)
               : criteria->wakeups;
}

double criteria_promise(const struct criteria *criteria, enum criterion criterion)
{
    double value = criteria_value(criteria, criterion);
    return criterion == CRITERION_COST && criteria->known && isnan(value) ? 0 : value;
}

static bool is_longer(double sure_ns, const struct criteria *than)
{
    return sure_ns > than->tail_max_ns * CRITERIA_TAIL_FACTOR &&
           sure_ns > than->tail_max_ns + than->interruption_ns;
}

bool criteria_is_raced(const struct contender *contender)
{
    return contender->of.cost_ns.count >= CRITERIA_PAIRS_MIN;
}

bool criteria_is_sampled(const struct contender *contender, enum criterion criterion)
{
    return criterion == CRITERION_COST ||
           (contender->of.on_clock &&
            (criterion == CRITERION_TAIL || criterion == CRITERION_PRECISION));
}

int criteria_compare(const struct contender *left, const struct contender *right,
                     enum criterion criterion)
{
    if (criteria_is_sampled(left, criterion)) {
        struct summary ratio = criteria_ratio(&left->cells, &right->cells, criterion);
        return criteria_ratio_sign(&ratio);
    }
    if (criterion == CRITERION_TAIL)
        return is_longer(right->of.tail_sure_ns, &left->of)   ? -1
               : is_longer(left->of.tail_sure_ns, &right->of) ? 1
                                                              : 0;
    double l = criteria_value(&left->of, criterion), r = criteria_value(&right->of, criterion);
    return l * (1 + CRITERIA_EXACT) < r ? -1 : r * (1 + CRITERIA_EXACT) < l ? 1 : 0;
}

/* By figures of few samples: is left below so many times right?  What is unclear may be. */
static bool is_few_below(const struct contender *left, const struct contender *right,
                         enum criterion criterion, double times)
{
    bool is_sampled = criteria_is_sampled(left, criterion);
    if (!is_sampled)
        return criterion == CRITERION_TAIL && is_longer(right->of.tail_max_ns, &left->of);
    struct summary ratio = criteria_ratio(&left->cells, &right->cells, criterion);
    bool is_few = !criteria_is_raced(left) || !criteria_is_raced(right);
    return isnan(ratio.median) || (is_few && ratio.median < times);
}

bool criteria_may_be_better(const struct contender *left, const struct contender *right,
                            enum criterion criterion)
{
    return is_few_below(left, right, criterion, 1);
}

bool criteria_may_be_near(const struct contender *left, const struct contender *right,
                          enum criterion criterion)
{
    return is_few_below(left, right, criterion, 1 + CRITERIA_NEAR);
}
