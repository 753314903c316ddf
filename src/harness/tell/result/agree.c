/* agree.c - holds a document to what its writer keeps: medians of their samples, ok with proof, each cell once. */
#include "harness/tell/result/document.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/units.h"
#include "harness/measure/stats/summary.h"

/* Numbers are written in six digits, so what is calculated again from them may differ by so much. */
#define ROUNDING 2e-5

/* Where it looks: "cells[3].phases[0].ns_per_op" */
struct place_in {
    const char *what;
    struct diag *diag;
    char trail[256];
};

static int refuse(const struct place_in *in, const char *key, const char *problem,
                  const char *expected)
{
    return diag_usage(in->diag, "%s: %s%s%s: %s; expected %s", in->what, in->trail,
                      in->trail[0] ? "." : "", key, problem, expected);
}

static bool is_near(double one, double other, double scale)
{
    return fabs(one - other) <= ROUNDING * fabs(scale);
}

/* ---- Any object of any document. --------------------------------------------------------------- */

/* No number of an object is above those behind it here, of which "1" is one; what is null or not there is passed over. */
static const char *const rising[][9] = {
    {"low", "median", "high"},
    {"min", "p1", "p10", "p50", "p90", "p99", "p99_9", "p99_99", "max"},
    {"mean", "max"},
    {"late_p50_ns", "late_p99_ns", "late_max_ns"},
    {"late_mean_ns", "late_max_ns"},
    {"late_mean_ticks", "late_max_ticks"},
    {"useful", "count"},
    {"useful_wakeups", "wakeups"},
    {"wakeups.useful", "operations.expire"},
    {"latency_ns.start.count", "operations.start"},
    {"latency_ns.stop.count", "operations.stop"},
    {"latency_ns.advance.count", "operations.advance"},
    {"latency_ns.next.count", "wakeups.next_calls"},
    {"times_ns.start.count", "operations"},
    {"times_ns.stop.count", "operations"},
    {"to_moment", "count"},
    {"allocated_bytes", "peak_bytes"},
    {"fixed_bytes", "peak_bytes"},
    {"running_max", "capacity"},
    {"samples", "runs"},
    {"false_alarms", "comparisons"},
    {"preset_false_alarms", "preset_comparisons"},
    {"false_alarm_rate", "false_alarm_high", "1"},
    {"inconclusive_rate", "1"},
    {"detection_low.2", "detection.2", "seen.2", "1"},
    {"detection_low.5", "detection.5", "seen.5", "1"},
    {"detection_low.10", "detection.10", "seen.10", "1"},
    {"late_runs", "runs"},
    {"confidence", "1"},
    {"useful_share", "1"},
    {"busy_share", "1"},
};

static int check_order(const struct place_in *in, const cJSON *object)
{
    for (size_t row = 0; row < sizeof rising / sizeof *rising; row++) {
        double least = NAN;
        const char *before = "";
        for (size_t i = 0; i < sizeof *rising / sizeof **rising && rising[row][i]; i++) {
            const char *key = rising[row][i];
            double value = strcmp(key, "1") == 0 ? 1 : json_get_number(object, key);
            if (value < least && !is_near(value, least, least)) {
                char most[48];
                snprintf(most, sizeof most, "at most %s", key);
                return refuse(in, before, "too high", most);
            }
            before = isnan(value) ? before : key;
            least = isnan(value) ? least : value;
        }
    }
    return DIAG_OK;
}

/* Published histograms have no bins. */
static int check_bins(const struct place_in *in, const cJSON *object)
{
    double sum = 0;
    json_each(bin, object, "bins")
        sum += cJSON_GetArraySize(bin) == 2 ? bin->child->next->valuedouble : NAN;
    bool holds = !json_first(object, "bins") || sum == json_get_number(object, "count");
    return holds ? DIAG_OK : refuse(in, "bins", "are not as many as count", "all or none of them");
}

static int check_samples(const struct place_in *in, const cJSON *object)
{
    const cJSON *samples = json_get(object, "samples");
    if (!cJSON_IsArray(samples) || !json_get(object, "median"))
        return DIAG_OK;
    if (!samples->child)
        return refuse(in, "median", "of no samples", "null in the place of the object");
    size_t count = (size_t)cJSON_GetArraySize(samples), filled = 0;
    double *values = memory_take(count, sizeof *values);
    json_each(sample, samples, "")
        values[filled++] = sample->valuedouble;
    struct summary again = summary_of(values, count);
    free(values);
    double scale = fmax(fabs(again.low), fabs(again.high)); /* the median may be of -1 and 1 */
    bool agrees = is_near(json_get_number(object, "median"), again.median, scale) &&
                  is_near(json_get_number(object, "low"), again.low, scale) &&
                  is_near(json_get_number(object, "high"), again.high, scale) &&
                  is_near(json_get_number(object, "confidence"), again.confidence, 1);
    return agrees ? DIAG_OK
                  : refuse(in, "median", "it or its interval is not that of the samples",
                           "what the samples give");
}

/* Goes through a document.  A workload's own parameters, in `spec`, may have any name. */
static int check_below(struct place_in *in, const cJSON *parent)
{
    static int (*const checks[])(const struct place_in *in,
                                 const cJSON *object) = {check_samples, check_order, check_bins};
    size_t length = strlen(in->trail), index = 0;
    int status = DIAG_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && cJSON_IsObject(parent); i++)
        status = status == DIAG_OK ? checks[i](in, parent) : status;
    json_each(item, parent, "") {
        char *end = in->trail + length;
        if (item->string)
            snprintf(end, sizeof in->trail - length, "%s%.60s", length ? "." : "", item->string);
        else
            snprintf(end, sizeof in->trail - length, "[%zu]", index++);
        if (status == DIAG_OK && (!item->string || strcmp(item->string, "spec") != 0))
            status = check_below(in, item);
        *end = '\0';
    }
    return status;
}

int agree_check_figures(const cJSON *root, const char *what, struct diag *diag)
{
    return check_below(&(struct place_in){.what = what, .diag = diag}, root);
}

/* ---- Times of a phase. -------------------------------------------------------------------------- */

/* Each is over so many operations, and null without any. */
static const struct {
    const char *key, *over; /* NULL: start, stop and expire */
    bool always;            /* never null where something was timed */
} times[] = {
    {"ns_per_op", NULL, true},
    {"cpu_ns_per_op", NULL, true},
    {"cpu_ns_per_op_interval", NULL, false},
    {"corrected.ns_per_op", NULL, false},
    {"ns_per_advance", "operations.advance", true},
    {"corrected.ns_per_advance", "operations.advance", false},
    {"latency_ns.start", "operations.start", false},
    {"latency_ns.stop", "operations.stop", false},
    {"latency_ns.advance", "operations.advance", false},
    {"latency_ns.next", "wakeups.next_calls", false},
};

static int check_time(const struct place_in *in, const cJSON *cell, const cJSON *phase, size_t row)
{
    const char *key = times[row].key, *over = times[row].over;
    const cJSON *time = json_get(phase, key), *list = json_get(time, "samples");
    double samples = json_get_number(cell, "sampling.samples");
    double count = over ? json_get_number(phase, over)
                        : json_get_number(phase, "operations.start") +
                              json_get_number(phase, "operations.stop") +
                              json_get_number(phase, "operations.expire");
    bool timed = samples > 0 && count > 0;
    if (time && !timed)
        return refuse(in, key, "is the time of nothing", "null");
    if (!time && timed && times[row].always)
        return refuse(in, key, "null", "the time of what was timed");
    if (list && cJSON_GetArraySize(list) != samples)
        return refuse(in, key, "has another number of samples", "that of sampling.samples");
    return DIAG_OK;
}

static int check_phase(const struct place_in *in, const cJSON *cell, const cJSON *phase)
{
    int status = DIAG_OK;
    double median = json_get_number(phase, "cpu_ns_per_op_interval.median");
    for (size_t i = 0; i < sizeof times / sizeof *times && status == DIAG_OK; i++)
        status = check_time(in, cell, phase, i);
    if (status == DIAG_OK && !isnan(median) &&
        !is_near(json_get_number(phase, "cpu_ns_per_op"), median, median))
        return refuse(in, "cpu_ns_per_op", "is not that of its interval",
                      "cpu_ns_per_op_interval.median");
    return status;
}

/* ---- Status and proof. -------------------------------------------------------------------------- */

bool result_is_exact(const cJSON *cell)
{
    return json_get_number(cell, "traits.late_ticks") == 0 &&
           json_get_number(cell, "traits.late_shift") == 0 &&
           !cJSON_IsTrue(json_get(cell, "traits.keeps_nothing"));
}

static int check_status(const struct place_in *in, const cJSON *cell)
{
    char place[300];
    const char *known[OUTCOME_CRASHED + 2] = {NULL};
    for (int status = OUTCOME_OK; status <= OUTCOME_CRASHED; status++)
        known[status] = outcome_status_name((enum outcome_status)status);
    snprintf(place, sizeof place, "%s: %s.status", in->what, in->trail);
    return lists_choose(place, json_get_text(cell, "status"), known, &(unsigned){0}, in->diag);
}

/* The latest that the design's traits allow. */
static double latest(const cJSON *cell)
{
    double shift = json_get_number(cell, "traits.late_shift");
    double longest = json_get_number(cell, "stream.horizon_ticks");
    return json_get_number(cell, "traits.late_ticks") + (shift > 0 ? longest / exp2(shift) : 0);
}

/* A cell on a runner has a ledger for its proof; designs that may be late, or keep nothing, have another digest. */
static int check_proof(const struct place_in *in, const cJSON *cell)
{
    bool runs = json_get(cell, "runner") || json_get(cell, "clock"), plays = !runs;
    bool exact = plays && result_is_exact(cell);
    const char *identity = json_get_text(cell, "identity"), *impl = json_get_text(cell, "impl");
    double per_task = json_get_number(cell, "memory.peak_bytes_per_task"),
           peak = json_get_number(cell, "memory.peak_bytes"),
           tasks = json_get_number(cell, "stream.capacity");
    double ended = json_get_number(cell, "ledger.ran") + json_get_number(cell, "ledger.stopped") +
                   json_get_number(cell, "ledger.returned");
    double fired = json_get_number(cell, "fired"), expired = 0;
    double tick_ns = json_get_number(cell, "tick_ns");
    double over_ns = json_get_number(cell, "precision.late_max_ns") -
                     json_get_number(cell, "late_max_ticks") * tick_ns;
    json_each(phase, cell, "phases")
        expired += json_get_number(phase, "operations.expire");
    const struct {
        const char *key;
        bool holds;
        const char *expected;
    } rules[] = {
        {"ledger.accepted", plays || json_get_number(cell, "ledger.accepted") == ended,
         "ran + stopped + returned"},
        {"ledger.early", plays || json_get_number(cell, "ledger.early") == 0, "0"},
        {"phases", runs || json_first(cell, "phases"), "one or more"},
        {"early", runs || json_get_number(cell, "early") == 0, "0"},
        {"late_max_ticks", runs || json_get_number(cell, "late_max_ticks") <= latest(cell),
         "what the traits allow"},
        {"precision.late_max_ns", !(over_ns < -ROUNDING * tick_ns || over_ns > tick_ns),
         "late_max_ticks, and at most a tick on top"},
        {"fired", runs || fired == expired, "the sum of operations.expire"},
        {"reason", !json_get(cell, "reason"), "null"},
        {"identity",
         (runs || strncmp(identity, impl, strlen(impl)) == 0) &&
             strstr(identity, json_get_text(cell, "workload")),
         "impl and workload in it"},
        {"memory.peak_bytes_per_task",
         runs || isnan(per_task) || is_near(per_task * tasks, peak, peak), "peak_bytes / capacity"},
        {"fired", !exact || fired == json_get_number(cell, "stream.expected_fired"),
         "stream.expected_fired"},
        {"digest", !exact || json_says(cell, "digest", json_get_text(cell, "expected_digest")),
         "expected_digest"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (json_says(cell, "status", "ok") && !rules[i].holds)
            return refuse(in, rules[i].key, "does not go with the status ok", rules[i].expected);
    return DIAG_OK;
}

int agree_check_cell(const cJSON *cell, size_t index, const char *what, struct diag *diag)
{
    struct place_in in = {.what = what, .diag = diag};
    int length = snprintf(in.trail, sizeof in.trail, "cells[%zu]", index);
    int status = check_status(&in, cell);
    status = status == DIAG_OK ? check_proof(&in, cell) : status;
    json_each(phase, cell, "phases") {
        snprintf(in.trail + length, sizeof in.trail - (size_t)length, ", phase %.60s",
                 json_get_text(phase, "name"));
        status = status == DIAG_OK ? check_phase(&in, cell, phase) : status;
        for (const cJSON *other = phase->next; other && status == DIAG_OK; other = other->next)
            if (json_says(other, "name", json_get_text(phase, "name")))
                status = refuse(&in, "name", "is there twice", "each phase once");
    }
    return status;
}

/* ---- The document. ----------------------------------------------------------------------------- */

static int by_identity(const void *left, const void *right)
{
    const cJSON *const *a = left, *const *b = right;
    return strcmp(json_get_text(*a, "identity"), json_get_text(*b, "identity"));
}

static int check_once(const cJSON *root, const char *what, struct diag *diag)
{
    size_t count = (size_t)cJSON_GetArraySize(json_get(root, "cells")), filled = 0;
    const cJSON **cells = memory_take(count, sizeof *cells), *twice = NULL;
    json_each(cell, root, "cells")
        cells[filled++] = cell;
    qsort(cells, count, sizeof *cells, by_identity);
    for (size_t i = 1; i < count && !twice; i++)
        if (by_identity(&cells[i - 1], &cells[i]) == 0)
            twice = cells[i];
    free(cells);
    return twice ? diag_usage(diag, "%s: cells: \"%.300s\" is there twice; expected each once",
                              what, json_get_text(twice, "identity"))
                 : DIAG_OK;
}

/* A shard is one of its plan's; a merged result has each once, and all unless something was left out. */
static int check_shards(const cJSON *root, const char *what, struct diag *diag)
{
    double index = json_get_number(root, "shard.index"), last = 0;
    if (index < 1 || index > json_get_number(root, "shard.of"))
        return diag_usage(diag, "%s: shard.index: %g of %g; expected 1 .. of", what, index,
                          json_get_number(root, "shard.of"));
    json_each(shard, root, "shards") {
        index = json_get_number(shard, "index");
        if (!(index > last) || (index > last + 1 && !json_get(root, "left_out")))
            return diag_usage(diag, "%s: shards: %g behind %g; expected 1, 2, .. once each", what,
                              index, last);
        last = index;
    }
    return DIAG_OK;
}

/* A label is runner and design, with settings behind a blank. */
static bool has_design(const cJSON *root, const char *workload, const char *label)
{
    json_each(cell, root, "cells") {
        char name[64];
        const char *runner = json_get_text(cell, "runner"), *gap = runner[0] ? "/" : "";
        int length =
            snprintf(name, sizeof name, "%.16s%s%.30s", runner, gap, json_get_text(cell, "impl"));
        if (strncmp(label, name, (size_t)length) == 0 && strchr(" ", label[length]) &&
            json_says(cell, "workload", workload) && json_says(cell, "status", "ok"))
            return true;
    }
    return false;
}

/* All texts of a phase but its name are labels.  NULL: each is there. */
static const cJSON *find_stranger(const cJSON *root, const char *workload, const cJSON *item)
{
    const cJSON *found = NULL;
    if (cJSON_IsString(item) && (!item->string || strcmp(item->string, "phase") != 0))
        return has_design(root, workload, item->valuestring) ? NULL : item;
    json_each(below, item, "")
        found = found ? found : find_stranger(root, workload, below);
    return found;
}

static int check_standing(const cJSON *root, const char *what, struct diag *diag)
{
    json_each(group, root, "standing") {
        struct place_in in = {what, diag, "standing"};
        const char *workload = json_get_text(group, "workload");
        if (!json_first(group, "phases"))
            return refuse(&in, workload, "no phase", "one or more");
        json_each(phase, group, "phases") {
            const cJSON *stranger = find_stranger(root, workload, phase);
            if (stranger)
                return refuse(&in, workload, stranger->valuestring,
                              "designs with an ok cell there");
            if (!json_get(phase, "fastest") &&
                (json_first(phase, "behind") || json_first(phase, "not_different")))
                return refuse(&in, workload, "others stand behind nobody", "a fastest");
        }
    }
    return DIAG_OK;
}

int agree_check_document(const cJSON *root, const char *what, struct diag *diag)
{
    int status = check_once(root, what, diag);
    status = status == DIAG_OK ? check_shards(root, what, diag) : status;
    status = status == DIAG_OK ? check_standing(root, what, diag) : status;
    return status == DIAG_OK ? agree_check_figures(root, what, diag) : status;
}
