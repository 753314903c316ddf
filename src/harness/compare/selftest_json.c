/* selftest_json.c - writes the selftest as JSON. */
#include "harness/compare/gate_time.h"
#include "harness/compare/selftest.h"

#include "harness/base/json.h"
#include "harness/measure/stats/summary.h"

/* Of the bounds below. */
#define CONFIDENCE 0.95

static double rate_of(size_t hits, size_t trials)
{
    return trials > 0 ? (double)hits / (double)trials : NAN;
}

/* Objects whose keys are the sizes injected. */
static void add_sizes(cJSON *document, const struct selftest *selftest)
{
    enum { FOUND, FOUND_LOW, TRIALS, SEEN, MEASURED, RATES };
    static const char *const keys[RATES] = {"detection", "detection_low", "detection_trials",
                                            "seen", "injected_measured_percent"};
    for (size_t rate = 0; rate < RATES; rate++) {
        cJSON *rates = cJSON_CreateObject();
        for (size_t i = 0; i < SELFTEST_SIZES; i++) {
            char percent[16];
            const struct selftest_size *size = &selftest->sizes[i];
            size_t trials = size->found.trials, hits = size->found.hits;
            const double values[RATES] = {
                [FOUND] = rate_of(hits, trials),
                [FOUND_LOW] = trials > 0 ? binomial_low(hits, trials, CONFIDENCE) : NAN,
                [TRIALS] = (double)trials,
                [SEEN] = rate_of(size->seen, trials),
                [MEASURED] = size->measured_percent,
            };
            snprintf(percent, sizeof percent, "%.0f", size->percent);
            json_add_measure(rates, percent, values[rate]);
        }
        json_add(document, keys[rate], rates);
    }
}

static void add_false_alarms(cJSON *document, const struct selftest *selftest)
{
    const struct selftest_rate *alarms = &selftest->false_alarms;
    bool any = alarms->trials > 0;
    json_add_measure(document, "false_alarm_rate", rate_of(alarms->hits, alarms->trials));
    json_add_measure(document, "false_alarm_high",
                     any ? binomial_high(alarms->hits, alarms->trials, CONFIDENCE) : NAN);
    json_add_integer(document, "false_alarms", alarms->hits);
    json_add_integer(document, "comparisons", alarms->trials);
    json_add_measure(document, "inconclusive_rate", rate_of(alarms->inconclusive, alarms->trials));
    json_add_integer(document, "preset_comparisons", selftest->presets);
    json_add_integer(document, "preset_false_alarms", selftest->presets_alarmed);
}

static void add_method(cJSON *document, const struct selftest *selftest,
                       const struct binaries_request *request)
{
    cJSON *method = cJSON_CreateObject();
    json_add_integer(method, "cells", selftest->cell_count);
    json_add_integer(method, "pairs", request->pairs);
    json_add_integer(method, "pairs_max", request->max_pairs);
    json_add_integer(method, "samples_per_process", request->matrix.samples);
    json_add_integer(method, "min_work_ns", request->matrix.min_time_ns);
    json_add_measure(method, "margin", request->limits->of[METRIC_TIME]);
    json_add_measure(method, "alpha", GATE_ALPHA);
    json_add_measure(method, "bounds_confidence", CONFIDENCE);
    json_add_integer(method, "seed", request->matrix.seed);
    json_add(method, "pin_cpu",
             request->cpu < 0 ? cJSON_CreateNull() : cJSON_CreateNumber((double)request->cpu));
    json_add(document, "method", method);
}

static void add_disturbance(cJSON *document, const struct selftest *selftest)
{
    cJSON *disturbance = cJSON_CreateObject();
    json_put(disturbance, selftest, steal_share, busy_share, load_1min, slow_share);
    json_add(document, "disturbance", disturbance);
}

static void add_left_out(cJSON *document, const struct selftest *selftest)
{
    cJSON *left_out = cJSON_CreateArray();
    for (size_t i = 0; i < selftest->left_out_count; i++)
        cJSON_AddItemToArray(left_out, json_text(selftest->left_out[i]));
    json_add(document, "left_out", left_out);
}

static void add_calibration(cJSON *document, const struct selftest *selftest)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < CALIBRATIONS; i++) {
        const struct calibration *from = &selftest->calibration[i];
        if (from->additions == 0)
            continue;
        cJSON *item = cJSON_CreateObject(), *ratio = cJSON_CreateObject();
        json_put(item, from, additions, expected_ns, told_ns);
        json_add_measure(item, "tolerance", CALIBRATION_TOLERANCE);
        json_add_measure(ratio, "median", from->ratio);
        json_add_measure(ratio, "low", from->ratio_low);
        json_add_measure(ratio, "high", from->ratio_high);
        json_add(item, "ratio", ratio);
        json_add_text(item, "status", from->status);
        cJSON_AddItemToArray(list, item);
    }
    json_add(document, "calibration", list);
}

cJSON *selftest_json(const struct selftest *selftest, const struct binaries_request *request,
                     const cJSON *head)
{
    cJSON *document = result_begin(head, "selftest");
    json_add(document, "complete", cJSON_CreateBool(selftest->complete));
    add_false_alarms(document, selftest);
    add_sizes(document, selftest);
    json_put(document, selftest, timer_overhead_ns, harness_ns_per_op);
    json_add_measure(document, "smallest_reliable_slowdown", selftest->smallest_percent / 100);
    json_add_measure(document, "pair_spread_percent", selftest->pair_spread_percent);
    json_add_measure(document, "duration_s", selftest->seconds);
    json_add_measure(document, "budget_s", selftest->budget_seconds);
    add_calibration(document, selftest);
    add_left_out(document, selftest);
    add_method(document, selftest, request);
    add_disturbance(document, selftest);
    return document;
}

cJSON *selftest_document(struct selftest *selftest, struct pairing *pairing)
{
    cJSON *head = result_head(&pairing->origin);
    struct origin_disturbance disturbance = origin_watch_end(&pairing->watch);
    struct cycles cycles = cycles_calibrate();
    selftest->timer_overhead_ns = (double)cycles.overhead_cycles * cycles.ps_per_cycle / 1e3;
    selftest->steal_share = disturbance.steal_share;
    selftest->busy_share = disturbance.busy_share;
    selftest->load_1min = disturbance.load_1min;
    cJSON *document = selftest_json(selftest, &pairing->request, head);
    cJSON_Delete(head);
    return document;
}
