/* clock_record.c - writes runner, ledger and clock figures into a cell. */
#include "labs/live/live.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/result/interval.h"

#include <math.h>

static const char *const work_names[] = {"none", "constant", "exponential"};

void clock_record_identity(char *out, size_t size, const void *ctx)
{
    const struct clock_record *record = ctx;
    const struct clock_wishes *wishes = record->wishes;
    struct text text = text_in(out, size);
    text_add(&text,
             "runner=%s threads=%" PRIu32 " load=%s speed=%g duration_ns=%" PRIu64
             " runner_tick_ns=%" PRIu64 " work=%s,%" PRIu64 " slow_ns=%" PRIu64 " failing=%" PRIu64,
             record->way->entry->timed->name, record->way->threads, clock_load_names[wishes->load],
             wishes->speed, wishes->duration_ns, wishes->tick_ns, work_names[wishes->work],
             wishes->work_ns, wishes->slow_ns, wishes->failing_every);
    for (size_t i = 0; i < wishes->setting_count; i++)
        text_add(&text, " %s=%" PRIu64, wishes->settings[i].name, wishes->settings[i].values[0]);
}

void clock_record_params(cJSON *params, const void *ctx)
{
    const struct clock_record *record = ctx;
    const struct clock_wishes *wishes = record->wishes;
    json_add_text(params, "runner", record->way->entry->timed->name);
    json_add_integer(params, "threads", record->way->threads);
    if (wishes->tick_ns > 0)
        json_add_integer(params, "runner_tick_ns", wishes->tick_ns);
    for (size_t i = 0; i < wishes->setting_count; i++)
        json_add_integer(params, wishes->settings[i].name, wishes->settings[i].values[0]);
}

/* An object of a list of members. */
#define MAKE(name, type, list, ADD)                                                                \
    static cJSON *make_##name(const struct type *name)                                             \
    {                                                                                              \
        cJSON *object = cJSON_CreateObject();                                                      \
        list(ADD) return object;                                                                   \
    }
#define ADD_COUNT(row)         json_add_integer(object, #row, ledger->row);
#define ADD_TIMES(row)         json_add(object, #row, latency_make(&times->row));
#define ADD_STAT(row, meaning) json_add_integer(object, #row, stats->row);
MAKE(ledger, clock_ledger, CLOCK_LEDGER, ADD_COUNT)
MAKE(times, clock_times, CLOCK_TIMES, ADD_TIMES)
MAKE(stats, tw_runner_stats, TW_RUNNER_STATS, ADD_STAT)

/* What was asked for. */
static void add_load(cJSON *object, const struct clock_record *record)
{
    const struct clock_wishes *wishes = record->wishes;
    bool lasts =
        wishes->duration_ns > 0 && wishes->load != CLOCK_BURST && wishes->load != CLOCK_STORM;
    json_add_text(object, "load", clock_load_names[wishes->load]);
    json_add_integer(object, "threads", record->way->threads);
    json_add_measure(object, "speed", wishes->load == CLOCK_PACED ? wishes->speed : NAN);
    json_add_measure(object, "duration_ns", lasts ? (double)wishes->duration_ns : NAN);
    json_add_text(object, "work", work_names[wishes->work]);
    json_add_integer(object, "work_ns", wishes->work == CLOCK_NO_WORK ? 0 : wishes->work_ns);
    json_put(object, wishes, slow_ns, failing_every);
}

/* What one run and several together have alike. */
static cJSON *make_figures(const struct clock_record *record, const struct clock_report *report)
{
    const struct tw_runner_stats *stats = &report->stats;
    double seconds = (double)report->window_ns / 1e9, watched = (double)report->watched_ns / 1e9;
    double bytes = (double)(stats->own_bytes + stats->design_bytes);
    cJSON *object = cJSON_CreateObject();
    json_put(object, report, window_ns, watched_ns, operations);
    json_add_measure(object, "process_cpu_ns",
                     record->original ? NAN : (double)report->process_cpu_ns);
    json_add_measure(object, "operations_per_s", (double)report->operations / seconds);
    json_add_measure(object, "wakeups_per_s", (double)stats->wakeups / watched);
    json_add_measure(object, "useful_share",
                     record->original ? NAN
                                      : (double)stats->useful_wakeups / (double)stats->wakeups);
    json_add_measure(object, "cpu_share", (double)stats->cpu_ns / (double)report->watched_ns);
    json_add_measure(object, "bytes_per_timer", bytes / (double)report->capacity);
    json_add(object, "stats", make_stats(stats));
    json_add(object, "times_ns", make_times(&report->times));
    return object;
}

cJSON *clock_record_round(const struct clock_record *record, const struct clock_report *report)
{
    cJSON *round = make_figures(record, report), *times;
    cJSON_ArrayForEach(times, json_get(round, "times_ns"))
    {
        cJSON_DeleteItemFromObjectCaseSensitive(times, "bins");
    }
    return round;
}

/* The median of a statistic over the runs; NaN without any, and for an original, which does not say. */
static double stats_median(const struct clock_record *record, const char *path)
{
    int count = record->rounds ? cJSON_GetArraySize(record->rounds) : 0, i = 0;
    if (count == 0 || record->original)
        return NAN;
    double *values = memory_take((size_t)count, sizeof *values);
    json_each(round, record->rounds, "")
        values[i++] = json_get_number(round, path);
    double median = summary_of(values, (size_t)count).median;
    free(values);
    return median;
}

static cJSON *make_clock(const struct clock_record *record)
{
    const struct clock_report *report = &record->report;
    cJSON *object = cJSON_CreateObject(), *figures = make_figures(record, report), *figure;
    add_load(object, record);
    json_put(object, report, tick_ns, runner_threads, shards, max_pending, capacity);
    while ((figure = cJSON_DetachItemFromArray(figures, 0)))
        json_add(object, figure->string, figure);
    cJSON_Delete(figures);
    json_add_measure(object, "pause_ns", stats_median(record, "stats.longest_pause_ns"));
    json_add_measure(object, "pause_work_ns", stats_median(record, "stats.longest_work_ns"));
    json_add(object, "rounds",
             record->rounds ? cJSON_Duplicate(record->rounds, true) : cJSON_CreateArray());
    return object;
}

/* The timer of another runtime: what it is and how it was set. */
static cJSON *make_original(const cJSON *document)
{
    static const char *const keys[] = {"library", "runtime"};
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_add_text(object, keys[i], json_get_text(document, keys[i]));
    json_add(object, "settings", cJSON_Duplicate(json_get(document, "settings"), true));
    return object;
}

void clock_record_add(cJSON *cell, const void *ctx)
{
    const struct clock_record *record = ctx;
    const struct clock_report *report = &record->report;
    bool ran = report->is_told || report->end == CLOCK_OK || report->end == CLOCK_MISMATCH;
    json_add_text(cell, "runner", record->way->entry->timed->name);
    json_add(cell, "original",
             ran && record->original ? make_original(record->original) : cJSON_CreateNull());
    json_add(cell, "ledger", ran ? make_ledger(&report->ledger) : cJSON_CreateNull());
    json_add(cell, "clock", ran ? make_clock(record) : cJSON_CreateNull());
}
