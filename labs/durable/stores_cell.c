/* stores_cell.c - makes cells of the stores document, and adds runs to them. */
#include "harness/base/json.h"
#include "harness/tell/result/document.h"
#include "harness/tell/result/interval.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/durable.h"

#include <math.h>

const struct store_figure store_figures[] = {
#define STORE_FIGURE(key, unit, meaning) {#key, unit, meaning},
#include "labs/durable/store_figures.def"
#undef STORE_FIGURE
};

const size_t store_figure_count = sizeof store_figures / sizeof *store_figures;

#define SAMPLES_MAX 100

/* ---- What a cell is of. ----------------------------------------------------------------------- */

static cJSON *make_load(const struct durable_request *request)
{
    const struct durable_load *load = &request->load;
    cJSON *object = cJSON_CreateObject(), *settings = cJSON_CreateObject();
    json_add_integer(object, "tasks", load->tasks);
    json_put(object, request, producers, batch, rate);
    json_put(object, load, payload_min, payload_max, span_ms, arrivals_ms, cancel_permille,
             hot_permille, burst_permille, past_permille);
    json_add_integer(object, "seed", load->seed);
    json_add_integer(object, "kills", request->kills);
    json_add(object, "drain", cJSON_CreateBool(!request->no_drain));
    json_add(object, "cold", cJSON_CreateBool(request->is_cold));
    json_put(object, request, group_memory_bytes);
    for (size_t i = 0; i < request->setting_count; i++)
        json_add_integer(settings, request->settings[i].name, request->settings[i].values[0]);
    json_add(object, "settings", settings);
    return object;
}

static const char *clock_name(const struct durable_request *request)
{
    return request->real_time ? "real" : "virtual";
}

cJSON *stores_cell_new(const char *store, const struct durable_request *request)
{
    cJSON *cell = cJSON_CreateObject(), *ledger = cJSON_CreateObject(),
          *figures = cJSON_CreateObject();
    json_add_text(cell, "store", store);
    json_add(cell, "version", cJSON_CreateNull());
    json_add(cell, "reach_ms", cJSON_CreateNull());
    json_add_text(cell, "sync", durable_sync_name(request->sync));
    json_add_integer(cell, "interval_ms",
                     request->sync == TW_SYNC_INTERVAL ? request->interval_ms : 0);
    json_add_text(cell, "clock", clock_name(request));
    json_add(cell, "load", make_load(request));
    json_add_text(cell, "status", "interrupted");
    json_add(cell, "reason", cJSON_CreateNull());
    json_add_integer(cell, "runs", 0);
#define ADD_COUNT(name, meaning) json_add_integer(ledger, #name, 0);
    DURABLE_LEDGER(ADD_COUNT)
#undef ADD_COUNT
    json_add(cell, "ledger", ledger);
    json_add(cell, "kills", cJSON_CreateObject());
    for (size_t i = 0; i < store_figure_count; i++)
        json_add(figures, store_figures[i].key, cJSON_CreateNull());
    json_add(cell, "figures", figures);
    return cell;
}

bool stores_cell_is(const cJSON *cell, const char *store, const struct durable_request *request)
{
    cJSON *load = make_load(request);
    uint64_t interval = request->sync == TW_SYNC_INTERVAL ? request->interval_ms : 0;
    bool same = strcmp(json_get_text(cell, "store"), store) == 0 &&
                strcmp(json_get_text(cell, "sync"), durable_sync_name(request->sync)) == 0 &&
                strcmp(json_get_text(cell, "clock"), clock_name(request)) == 0 &&
                json_get_number(cell, "interval_ms") == (double)interval &&
                cJSON_Compare(json_get(cell, "load"), load, true);
    cJSON_Delete(load);
    return same;
}

size_t stores_cell_runs(const cJSON *cell)
{
    double runs = json_get_number(cell, "runs");
    return runs > 0 ? (size_t)runs : 0;
}

bool stores_cell_is_final(const cJSON *cell)
{
    const char *status = json_get_text(cell, "status");
    return strcmp(status, "absent") == 0 || strcmp(status, "unsupported") == 0;
}

bool stores_cell_failed(const cJSON *cell)
{
    const char *status = json_get_text(cell, "status");
    return strcmp(status, "mismatch") == 0 || strcmp(status, "failed") == 0 ||
           strcmp(status, "crashed") == 0;
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

static void replace(cJSON *object, const char *key, cJSON *item)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    json_add(object, key, item);
}

static void sum(cJSON *object, const char *key, uint64_t more)
{
    double before = json_get_number(object, key);
    replace(object, key, json_integer((before > 0 ? (uint64_t)before : 0) + more));
}

/* The samples so far and this one, and what they say; null as long as none is known. */
static void add_sample(cJSON *figures, const char *key, double value)
{
    double samples[SAMPLES_MAX];
    size_t count = 0;
    if (!isfinite(value))
        return;
    json_each(sample, json_get(figures, key), "samples")
        if (count < SAMPLES_MAX - 1)
            samples[count++] = sample->valuedouble;
    samples[count++] = value;
    replace(figures, key, interval_of_samples(samples, count, 1, true));
}

static double ratio(uint64_t a, uint64_t b)
{
    return a == DURABLE_UNKNOWN || b == 0 ? NAN : (double)a / (double)b;
}

static double quantile(const struct histogram *histogram, double q, double unit_ps)
{
    return histogram->count == 0 ? NAN : (double)histogram_quantile_ps(histogram, q) / unit_ps;
}

/* In whole milliseconds, which due times are counted in: what is less is 0. */
static double late_ms(const struct durable_figures *figures, double q)
{
    double late = quantile(&figures->late, q, 1e9);
    return late < 0.5 ? 0 : late;
}

/* Of the process and its server. */
static uint64_t together(uint64_t process, uint64_t server)
{
    return process == DURABLE_UNKNOWN || server == DURABLE_UNKNOWN ? DURABLE_UNKNOWN
                                                                   : process + server;
}

/* The value of a figure in a run; NaN: not known. */
static void add_samples(cJSON *into, const struct durable_report *report)
{
    const struct durable_figures *figures = &report->figures;
    uint64_t memory = together(figures->memory_bytes, figures->server_memory_bytes);
    uint64_t resident = together(figures->resident_bytes, figures->server_resident_bytes);
    bool filled = figures->pending > 0;
    add_sample(into, "puts_per_s", 1e9 * ratio(figures->put_count, figures->put_ns));
    add_sample(into, "ack_p50_us", quantile(&figures->ack, 0.5, 1e6));
    add_sample(into, "ack_p99_us", quantile(&figures->ack, 0.99, 1e6));
    add_sample(into, "ack_p999_us", quantile(&figures->ack, 0.999, 1e6));
    add_sample(into, "ack_max_us", quantile(&figures->ack, 1, 1e6));
    add_sample(into, "dispatch_per_s",
               figures->dispatch_count > 0
                   ? 1e9 * ratio(figures->dispatch_count, figures->dispatch_ns)
                   : NAN);
    add_sample(into, "late_p50_ms", late_ms(figures, 0.5));
    add_sample(into, "late_p99_ms", late_ms(figures, 0.99));
    add_sample(into, "late_max_ms", late_ms(figures, 1));
    add_sample(into, "poll_max_ms", quantile(&figures->poll, 1, 1e9));
    add_sample(into, "tend_max_ms", quantile(&figures->tend, 1, 1e9));
    add_sample(into, "memory_bytes_per_pending", filled ? ratio(memory, figures->pending) : NAN);
    add_sample(into, "memory_bytes", filled ? ratio(memory, 1) : NAN);
    add_sample(into, "resident_bytes", filled ? ratio(resident, 1) : NAN);
    add_sample(into, "disk_bytes_per_pending",
               filled && figures->disk_bytes ? ratio(figures->disk_bytes, figures->pending) : NAN);
    add_sample(into, "written_bytes_per_message",
               ratio(figures->written_bytes, figures->put_count));
    add_sample(into, "storage_bytes_per_message",
               ratio(figures->storage_bytes, figures->put_count));
    add_sample(into, "syncs_per_message", ratio(report->stats.syncs, figures->put_count));
    add_sample(into, "checkpoints", ratio(report->stats.checkpoints, 1));
    add_sample(into, "write_amplification",
               ratio(figures->written_bytes, figures->payload_bytes + 30 * figures->put_count));
    add_sample(into, "recovery_s",
               figures->recovery_ns > 0 ? (double)figures->recovery_ns / 1e9 : NAN);
    add_sample(into, "served_s", figures->served_ns > 0 ? (double)figures->served_ns / 1e9 : NAN);
    add_sample(into, "cold_recovery_s",
               figures->cold_recovery_ns > 0 ? (double)figures->cold_recovery_ns / 1e9 : NAN);
    add_sample(into, "cold_served_s",
               figures->cold_served_ns > 0 ? (double)figures->cold_served_ns / 1e9 : NAN);
    add_sample(into, "slowest_open_s", (double)figures->slowest_recovery_ns / 1e9);
}

static void add_kills(cJSON *kills, const struct durable_figures *figures)
{
    static const char *const victims[] = {"client", "server", "both"};
    static const char *const moments[] = {"working", "opening", "checkpoint"};
    for (size_t v = 0; v < DURABLE_VICTIMS; v++)
        for (size_t m = 0; m < DURABLE_MOMENTS; m++) {
            sum(kills, victims[v], figures->kills[v][m]);
            sum(kills, moments[m], figures->kills[v][m]);
        }
    sum(kills, "opens", figures->opens);
    sum(kills, "checkpoints", figures->checkpoints);
    sum(kills, "damaged", figures->damaged);
}

/* Without kills: a run with kills is one of a store that is stopped again and again. */
void stores_cell_add(cJSON *cell, const struct durable_request *request,
                     const struct durable_report *report, bool is_next)
{
    cJSON *ledger = cJSON_GetObjectItemCaseSensitive(cell, "ledger");
    cJSON *figures = cJSON_GetObjectItemCaseSensitive(cell, "figures");
    cJSON *kills = cJSON_GetObjectItemCaseSensitive(cell, "kills");
    if (stores_cell_runs(cell) == 0)
        replace(cell, "status", json_text("ok"));
    sum(cell, "runs", !is_next);
    if (report->description.version[0])
        replace(cell, "version", json_text(report->description.version));
    if (report->description.reach_ms > 0 && report->description.reach_ms != TW_STORE_NEVER)
        replace(cell, "reach_ms", json_integer(report->description.reach_ms));
    if (report->end != DURABLE_OK && strcmp(json_get_text(cell, "status"), "mismatch") != 0) {
        replace(cell, "status", json_text(durable_end_name(report->end)));
        replace(cell, "reason", json_text(report->reason));
    }
#define SUM_COUNT(name, meaning) sum(ledger, #name, report->ledger.name);
    DURABLE_LEDGER(SUM_COUNT)
#undef SUM_COUNT
    add_kills(kills, &report->figures);
    if (request->kills == 0 && report->end == DURABLE_OK)
        add_samples(figures, report);
}

void stores_cell_leave_out(cJSON *cell, const char *reason)
{
    replace(cell, "status", json_text("absent"));
    replace(cell, "reason", json_text(reason));
}

/* ---- What a document of stores must have. ---- */

static const struct shape_rule stores_rules[] = {
    {"complete", SHAPE_BOOL},
    {"duration_s", SHAPE_NUMBER},
    {"method", SHAPE_OBJECT},
    {"method.runs", SHAPE_NUMBER},
    {"method.disk_sync_us", SHAPE_NUMBER | SHAPE_OR_NULL},
    {"cells", SHAPE_ARRAY},
    {"cells[]", SHAPE_OBJECT},
    {"cells[].store", SHAPE_TEXT},
    {"cells[].version", SHAPE_TEXT | SHAPE_OR_NULL},
    {"cells[].sync", SHAPE_TEXT},
    {"cells[].interval_ms", SHAPE_NUMBER},
    {"cells[].clock", SHAPE_TEXT},
    {"cells[].load", SHAPE_OBJECT},
    {"cells[].load.tasks", SHAPE_NUMBER},
    {"cells[].load.producers", SHAPE_NUMBER},
    {"cells[].load.batch", SHAPE_NUMBER},
    {"cells[].load.settings", SHAPE_OBJECT},
    {"cells[].status", SHAPE_TEXT},
    {"cells[].reason", SHAPE_TEXT | SHAPE_OR_NULL},
    {"cells[].runs", SHAPE_NUMBER},
    {"cells[].ledger", SHAPE_OBJECT},
#define LEDGER_RULE(name, meaning) {"cells[].ledger." #name, SHAPE_NUMBER},
    DURABLE_LEDGER(LEDGER_RULE)
#undef LEDGER_RULE
        {"cells[].ledger{}", SHAPE_NUMBER},
    {"cells[].kills", SHAPE_OBJECT},
    {"cells[].kills{}", SHAPE_NUMBER},
    {"cells[].figures", SHAPE_OBJECT},
    {"cells[].figures{}", SHAPE_OBJECT | SHAPE_OR_NULL},
    {"cells[].figures{}.median", SHAPE_NUMBER},
    {"cells[].figures{}.low", SHAPE_NUMBER},
    {"cells[].figures{}.high", SHAPE_NUMBER},
    {"cells[].figures{}.confidence", SHAPE_NUMBER},
    {"cells[].figures{}.samples", SHAPE_ARRAY},
    {"cells[].figures{}.samples[]", SHAPE_NUMBER},
};

int stores_check(const cJSON *root, const char *what, struct diag *diag)
{
    return shape_check_kind(root, "stores", stores_rules,
                            sizeof stores_rules / sizeof *stores_rules, what, diag);
}
