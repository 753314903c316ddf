/* answer_of_driver.c - takes ledger, histograms and usage out of a driver's document. */
#include "labs/live/originals/answer_of_driver.h"

#include "harness/base/jsontext.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT "twbench-original 1"
/* Up to here a double tells one whole number from the next. */
#define WHOLE_MAX 9007199254740992.0

struct reading {
    const cJSON *document;
    struct clock_report *report;
    bool failed; /* the first reason is kept */
};

static void fail(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct reading *reading, const char *format, ...)
{
    if (reading->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(reading->report->reason, sizeof reading->report->reason, format, args);
    va_end(args);
    reading->report->end = CLOCK_CRASHED;
    reading->failed = true;
}

/* A whole number of 0 or more; fails when it is missing. */
static uint64_t whole(struct reading *reading, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (value >= 0 && value <= WHOLE_MAX && floor(value) == value)
        return (uint64_t)value;
    fail(reading, "its document has no whole number '%s'", key);
    return 0;
}

static const cJSON *part(struct reading *reading, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(reading->document, key);
    if (!item)
        fail(reading, "its document has no '%s'", key);
    return item;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* ---- Histograms. ----------------------------------------------------------------------------- */

/* Bins are pairs of a lowest value in ns and a count, rising; each has to be a bin of ours. */
static bool read_bins(const cJSON *bins, struct histogram *histogram)
{
    uint32_t bin = 0;
    const cJSON *pair;
    cJSON_ArrayForEach(pair, bins)
    {
        const cJSON *low = cJSON_GetArrayItem(pair, 0), *count = cJSON_GetArrayItem(pair, 1);
        if (!cJSON_IsNumber(low) || !cJSON_IsNumber(count) || !(low->valuedouble >= 0) ||
            !(count->valuedouble >= 1 && count->valuedouble < UINT32_MAX))
            return false;
        double low_ps = round(low->valuedouble * 1000);
        while (bin < HISTOGRAM_BINS && (double)histogram_bin_low_ps(bin) < low_ps)
            bin++;
        if (bin == HISTOGRAM_BINS || (double)histogram_bin_low_ps(bin) != low_ps ||
            histogram->bins[bin] > 0)
            return false;
        histogram->bins[bin] = (uint32_t)count->valuedouble;
        histogram->count += histogram->bins[bin];
    }
    return true;
}

static bool quantiles_agree(const cJSON *json, const struct histogram *histogram)
{
    static const struct {
        const char *key;
        double share;
    } quantiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999},
    };
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        const cJSON *said = cJSON_GetObjectItemCaseSensitive(json, quantiles[i].key);
        double ns = (double)histogram_quantile_ps(histogram, quantiles[i].share) / 1000;
        if (!cJSON_IsNumber(said) || !(fabs(said->valuedouble - ns) < 0.01))
            return false;
    }
    return true;
}

/* null is an empty one. */
static void read_histogram(struct reading *reading, const char *key, struct histogram *histogram)
{
    const cJSON *json = part(reading, key);
    if (!json || cJSON_IsNull(json))
        return;
    uint64_t count = whole(reading, json, "count"), max_ns = whole(reading, json, "max");
    const cJSON *mean = cJSON_GetObjectItemCaseSensitive(json, "mean");
    if (reading->failed)
        return;
    if (!read_bins(cJSON_GetObjectItemCaseSensitive(json, "bins"), histogram) || count == 0 ||
        histogram->count != count || !cJSON_IsNumber(mean) ||
        !(mean->valuedouble >= 0 && mean->valuedouble <= (double)max_ns)) {
        fail(reading, "'%s' of its document is no histogram", key);
        return;
    }
    histogram->max_ps = max_ns > UINT64_MAX / 1000 ? UINT64_MAX : max_ns * 1000;
    histogram->sum_ps = (uint64_t)fmin(mean->valuedouble * 1000 * (double)count, 1e19);
    if (!quantiles_agree(json, histogram))
        fail(reading, "percentiles of '%s' do not follow from its bins", key);
}

static void expect_count(struct reading *reading, const char *key,
                         const struct histogram *histogram, uint64_t count)
{
    if (histogram->count != count)
        fail(reading, "'%s' has %" PRIu64 " values, expected %" PRIu64, key, histogram->count,
             count);
}

/* ---- The rest. ------------------------------------------------------------------------------- */

static void read_ledger(struct reading *reading, const cJSON *json)
{
    struct clock_ledger *ledger = &reading->report->ledger;
    ledger->accepted = whole(reading, json, "accepted");
    ledger->refused = whole(reading, json, "refused");
    ledger->ran = whole(reading, json, "ran");
    ledger->stopped = whole(reading, json, "stopped");
    ledger->returned = whole(reading, json, "returned");
    ledger->early = whole(reading, json, "early");
    ledger->too_late = whole(reading, reading->document, "stops_too_late");
    ledger->idle = whole(reading, reading->document, "stops_idle");
}

static void judge_ledger(struct reading *reading)
{
    const struct clock_ledger *ledger = &reading->report->ledger;
    uint64_t ended = ledger->ran + ledger->stopped + ledger->returned;
    uint64_t lost = whole(reading, reading->document, "lost");
    uint64_t twice = whole(reading, reading->document, "twice");
    if (reading->failed || (ledger->accepted == ended && lost == 0 && twice == 0))
        return;
    fail(reading,
         "accepted %" PRIu64 " timers, but %" PRIu64 " ran, %" PRIu64 " were stopped and %" PRIu64
         " returned: %" PRIu64 " never ended, %" PRIu64 " more than once",
         ledger->accepted, ledger->ran, ledger->stopped, ledger->returned, lost, twice);
    reading->report->end = CLOCK_MISMATCH;
}

static void read_times(struct reading *reading)
{
    struct clock_report *report = reading->report;
    const struct clock_ledger *ledger = &report->ledger;
    uint64_t both = whole(reading, reading->document, "stopped_yet_ran");
    read_histogram(reading, "lateness_ns", &report->times.late);
    read_histogram(reading, "lag_ns", &report->times.behind);
    read_histogram(reading, "start_ns", &report->times.start);
    read_histogram(reading, "stop_ns", &report->times.stop);
    expect_count(reading, "lateness_ns", &report->times.late, ledger->ran);
    expect_count(reading, "start_ns", &report->times.start, ledger->accepted + ledger->refused);
    expect_count(reading, "stop_ns", &report->times.stop,
                 ledger->stopped + both + ledger->too_late);
}

/* Of the timer's threads where they are known, else of the whole process. */
static uint64_t usage(struct reading *reading, const char *key)
{
    const cJSON *both = part(reading, key);
    bool known = cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(both, "timer_threads"));
    return whole(reading, both, known ? "timer_threads" : "process");
}

static uint32_t setting(struct reading *reading, const char *key, uint32_t otherwise)
{
    const cJSON *settings = part(reading, "settings");
    if (!cJSON_GetObjectItemCaseSensitive(settings, key))
        return otherwise;
    uint64_t value = whole(reading, settings, key);
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void read_usage(struct reading *reading)
{
    struct clock_report *report = reading->report;
    const cJSON *settings = part(reading, "settings");
    uint64_t last_call_ns = whole(reading, reading->document, "last_call_ns");
    uint64_t last_run_ns =
        report->ledger.ran > 0 ? whole(reading, reading->document, "last_run_ns") : 0;
    report->window_ns = last_call_ns > last_run_ns ? last_call_ns : last_run_ns;
    report->watched_ns = whole(reading, reading->document, "elapsed_ns");
    report->operations = report->times.start.count + report->times.stop.count + report->ledger.idle;
    report->stats.wakeups = usage(reading, "wakeups");
    report->stats.cpu_ns = usage(reading, "cpu_ns");
    report->stats.runs = report->ledger.ran;
    report->stats.failed = whole(reading, reading->document, "failed");
    if (cJSON_GetObjectItemCaseSensitive(settings, "tick_ns"))
        report->tick_ns = whole(reading, settings, "tick_ns");
    const cJSON *bytes =
        cJSON_GetObjectItemCaseSensitive(reading->document, "heap_bytes_per_timer");
    if (cJSON_IsNumber(bytes) && bytes->valuedouble > 0 && bytes->valuedouble < 1e6)
        report->stats.own_bytes = (uint64_t)llround(bytes->valuedouble);
    report->runner_threads = setting(reading, "threads", 1);
    report->max_pending = setting(reading, "cap", 0);
}

static void read_all(struct reading *reading, const char *name)
{
    const char *died = text_of(reading->document, "died");
    if (strcmp(text_of(reading->document, "format"), FORMAT) != 0 ||
        strcmp(text_of(reading->document, "original"), name) != 0) {
        fail(reading, "its document is not '%s' of %s", FORMAT, name);
        return;
    }
    const cJSON *ledger = part(reading, "ledger");
    if (cJSON_IsNull(ledger) && died[0]) {
        fail(reading, "it died: %.300s", died);
        return;
    }
    read_ledger(reading, ledger);
    judge_ledger(reading);
    read_times(reading);
    read_usage(reading);
    reading->report->is_told = !reading->failed || reading->report->end == CLOCK_MISMATCH;
    if (died[0])
        fail(reading, "it died: %.300s", died);
}

void answer_of_driver_read(const char *name, const char *text, struct clock_report *report,
                           cJSON **document)
{
    struct diag diag;
    *report = (struct clock_report){.end = CLOCK_OK};
    *document = NULL;
    if (jsontext_read(name, text, strlen(text), "a driver's document", document, &diag) !=
        DIAG_OK) {
        *document = NULL;
        report->end = CLOCK_CRASHED;
        snprintf(report->reason, sizeof report->reason, "no document: %.300s", diag.text);
        return;
    }
    struct reading reading = {.document = *document, .report = report};
    read_all(&reading, name);
}
