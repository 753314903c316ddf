/* storing.c - runs each cell in a directory of its own, and keeps the document up to date. */
#include "labs/durable/durable.h"

#include "harness/base/file.h"
#include "harness/base/interrupt.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/progress.h"
#include "harness/measure/stats/summary.h"
#include "harness/tell/result/document.h"
#include "labs/durable/drive/durable_run.h"
#include "labs/durable/drive/footing.h"
#include "labs/durable/stores/store_modules.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL_SPAN_MS 4000u
#define REAL_TURNS   240 /* of the span, as of ten days: the puts come within one */
#define SYNC_SAMPLES 64

struct storing {
    const struct storing_request *request;
    cJSON *document;
    struct progress progress;
    struct interrupt interrupt;
    char root[PATH_MAX]; /* directory of this command */
    size_t done, total;
    uint64_t tasks;                                   /* where no number is asked for */
    struct tw_setting settings[DURABLE_SETTINGS_MAX]; /* those of the store in hand */
};

struct durable_load storing_default_load(void)
{
    return (struct durable_load){.span_ms = UINT64_C(864000000),
                                 .arrivals_ms = 3600000,
                                 .payload_min = 100,
                                 .payload_max = 100,
                                 .cancel_permille = 20,
                                 .hot_permille = 100,
                                 .burst_permille = 100,
                                 .past_permille = 2};
}

/* ---- The matrix. ------------------------------------------------------------------------------ */

static size_t matrix_size(const struct storing_request *request)
{
    return request->store_count * request->sync_count * request->task_count *
           request->producer_count * request->batch_count;
}

/* Stores change fastest, so that those under one policy and load run one after another. */
static const struct store_row *cell_request(struct storing *storing, size_t index,
                                            struct durable_request *out, struct diag *diag)
{
    const struct storing_request *request = storing->request;
    const struct store_row *row = request->stores[index % request->store_count];
    index /= request->store_count;
    const struct storing_sync *sync = &request->syncs[index % request->sync_count];
    index /= request->sync_count;
    uint64_t producers = request->producers[index % request->producer_count];
    index /= request->producer_count;
    uint64_t batch = request->batches[index % request->batch_count];
    index /= request->batch_count;
    *out = (struct durable_request){.store = store_modules_load(row, diag),
                                    .sync = sync->policy,
                                    .interval_ms = sync->interval_ms,
                                    .load = request->load,
                                    .producers = (uint32_t)producers,
                                    .batch = (uint32_t)batch,
                                    .rate = request->rate,
                                    .real_time = request->real_time,
                                    .no_drain = request->no_drain,
                                    .is_cold = request->is_cold,
                                    .kills = request->kills,
                                    .measures_recovery = request->kills == 0,
                                    .budget_ns = request->setup->budget_ns,
                                    .memory_bytes = request->setup->memory_limit_bytes,
                                    .group_memory_bytes = request->group_memory_bytes,
                                    .settings = storing->settings};
    out->load.tasks = request->tasks[index % request->task_count];
    out->load.tasks += out->load.tasks == 0 ? storing->tasks : 0;
    out->load.seed = request->setup->seed;
    if (out->real_time && !request->span_given)
        out->load.span_ms = REAL_SPAN_MS;
    /* On the real clock a due counts from the moment that its put is meant for: at full speed, the beginning. */
    if (out->real_time)
        out->load.arrivals_ms = out->rate > 0
                                    ? (uint64_t)((double)out->load.tasks * 1000 / out->rate)
                                    : out->load.span_ms / REAL_TURNS;
    if (out->store)
        out->setting_count = store_modules_settings(out->store, request->settings,
                                                    request->setting_count, storing->settings);
    return row;
}

static cJSON *cell_find(struct storing *storing, const char *store,
                        const struct durable_request *request)
{
    cJSON *cells = cJSON_GetObjectItemCaseSensitive(storing->document, "cells"), *cell;
    cJSON_ArrayForEach(cell, cells) if (stores_cell_is(cell, store, request)) return cell;
    cell = stores_cell_new(store, request);
    cJSON_AddItemToArray(cells, cell);
    return cell;
}

/* ---- The document. ---------------------------------------------------------------------------- */

/* Median time of an append of 4 KiB and its fdatasync, in microseconds: what the disk makes of any store. */
static double disk_sync_us(const char *directory)
{
    char path[PATH_MAX + 16], bytes[4096] = "";
    double samples[SYNC_SAMPLES];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/sync", directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    for (; fd >= 0 && count < SYNC_SAMPLES; count++) {
        uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
        if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes || fdatasync(fd) != 0)
            break;
        samples[count] = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin) / 1000;
    }
    close(fd);
    unlink(path);
    return count > 0 ? summary_quantile(samples, count, 0.5) : -1;
}

static cJSON *make_method(const struct storing *storing)
{
    const struct storing_request *request = storing->request;
    double sync_us = disk_sync_us(storing->root);
    cJSON *method = cJSON_CreateObject();
    json_put(method, request->setup, runs, budget_ns, memory_limit_bytes);
    json_add(method, "disk_sync_us", sync_us < 0 ? cJSON_CreateNull() : json_measure(sync_us));
    return method;
}

/* The syncs of one run take about two seconds. */
static uint64_t default_tasks(double sync_us)
{
    return sync_us < 100 ? 20000 : sync_us > 10000 ? 200 : (uint64_t)(2e6 / sync_us);
}

static void make_document(struct storing *storing)
{
    struct result_origin origin;
    origin_fill(&origin, storing->request->setup);
    cJSON *head = result_head(&origin), *document = result_begin(head, "stores");
    cJSON_Delete(head);
    json_add(document, "complete", cJSON_CreateFalse());
    json_add_measure(document, "duration_s", 0);
    json_add(document, "method", make_method(storing));
    storing->tasks = default_tasks(json_get_number(document, "method.disk_sync_us"));
    json_add(document, "cells", cJSON_CreateArray());
    storing->document = document;
}

/* After each run, so that an end by force costs one run. */
static int save(const struct storing *storing, struct diag *diag)
{
    const char *path = storing->request->setup->json;
    return path && file_is_replaced(path) ? json_save(path, storing->document, diag) : DIAG_OK;
}

/* What was begun by another build or on another machine is not gone on with. */
static int resume(struct storing *storing, struct diag *diag)
{
    static const char *const same[] = {"tool.version", "tool.commit", "tool.flags",
                                       "machine.cpu_model", "machine.kernel"};
    const char *path = storing->request->setup->json;
    cJSON *before = NULL;
    if (!storing->request->setup->resume || access(path, F_OK) != 0)
        return DIAG_OK;
    int status = json_load(path, "a document of 'twbench stores --json'", &before, diag);
    if (status == DIAG_OK)
        status = stores_check(before, path, diag);
    for (size_t i = 0; status == DIAG_OK && i < sizeof same / sizeof *same; i++)
        if (strcmp(json_get_text(before, same[i]), json_get_text(storing->document, same[i])) != 0)
            status = diag_usage(diag,
                                "%s: %s: '%s' there and '%s' now; --resume goes on with the "
                                "same build and machine",
                                path, same[i], json_get_text(before, same[i]),
                                json_get_text(storing->document, same[i]));
    if (status == DIAG_OK) {
        cJSON *cells = cJSON_DetachItemFromObjectCaseSensitive(before, "cells");
        cJSON_DeleteItemFromObjectCaseSensitive(storing->document, "cells");
        json_add(storing->document, "cells", cells);
        if (cJSON_GetArraySize(cells) > 0)
            storing->tasks = (uint64_t)json_get_number(cJSON_GetArrayItem(cells, 0), "load.tasks");
    }
    cJSON_Delete(before);
    return status;
}

/* ---- Runs. ------------------------------------------------------------------------------------ */

/* Loads that one cell with kills takes at most: a store on a fast disk ends its load between two kills. */
#define LOADS_MAX 1000u

/* One load.  *kills: those that came before it was over; UINT64_MAX: nothing is to follow. */
static int run_load(struct storing *storing, const struct store_row *row,
                    const struct durable_request *asked, bool is_next, cJSON *cell, uint64_t *kills,
                    struct diag *diag)
{
    char directory[PATH_MAX + 32];
    struct durable_request request = *asked;
    snprintf(directory, sizeof directory, "%s/%s", storing->root, row->file);
    if (mkdir(directory, 0700) != 0)
        return diag_run(diag, "%s: %s", directory, strerror(errno));
    struct durable_report *report = memory_take(1, sizeof *report);
    request.directory = directory;
    durable_run(&request, &storing->interrupt, report);
    bool interrupted = report->end == DURABLE_INTERRUPTED;
    if (!interrupted)
        stores_cell_add(cell, &request, report, is_next);
    *kills = report->end == DURABLE_OK ? durable_kills(report) : UINT64_MAX;
    free(report);
    if (!footing_remove(directory))
        return diag_run(diag, "%s: cannot be removed: %s", directory, strerror(errno));
    return interrupted ? STORING_INTERRUPTED : DIAG_OK;
}

/* A load that is over before there were as many kills as were asked for is followed by another one, with the next seed. */
static int run_once(struct storing *storing, const struct store_row *row,
                    const struct durable_request *asked, cJSON *cell, struct diag *diag)
{
    struct durable_request request = *asked;
    int status = DIAG_OK;
    uint64_t kills = 0;
    for (unsigned load = 0; status == DIAG_OK && load < LOADS_MAX; load++) {
        status = run_load(storing, row, &request, load > 0, cell, &kills, diag);
        if (kills >= request.kills)
            break;
        request.kills -= kills;
        request.load.seed++;
    }
    return status == DIAG_OK ? save(storing, diag) : status;
}

static int run_cell(struct storing *storing, size_t index, size_t round, struct diag *diag)
{
    struct durable_request request;
    struct diag absent = {.text = ""};
    char key[64];
    const struct store_row *row = cell_request(storing, index, &request, &absent);
    cJSON *cell = cell_find(storing, store_registry_key(row, key, sizeof key), &request);
    progress_step(&storing->progress, key, storing->done++, storing->total);
    if (stores_cell_is_final(cell) || stores_cell_runs(cell) > round)
        return DIAG_OK;
    if (!request.store) {
        stores_cell_leave_out(cell, absent.text);
        return DIAG_OK;
    }
    return run_once(storing, row, &request, cell, diag);
}

/* Each store once, so that what the machine does meanwhile meets all of them. */
static int run_round(struct storing *storing, size_t round, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < matrix_size(storing->request) && status == DIAG_OK; i++) {
        status = run_cell(storing, i, round, diag);
        if (status == DIAG_OK && interrupt_is_pending(&storing->interrupt))
            status = STORING_INTERRUPTED;
    }
    return status;
}

int storing_make_root(const char *where, char root[PATH_MAX], struct diag *diag)
{
    char directory[PATH_MAX - 32];
    if (!realpath(where, directory))
        return diag_usage(diag, "--directory: %s: %s", where, strerror(errno));
    snprintf(root, PATH_MAX, "%s/twbench-stores.XXXXXX", directory);
    if (!mkdtemp(root))
        return diag_usage(diag, "--directory: %s: no directory can be made there: %s", where,
                          strerror(errno));
    return DIAG_OK;
}

static int run_all(struct storing *storing, struct diag *diag)
{
    const struct storing_request *request = storing->request;
    int status = interrupt_open(&storing->interrupt, diag);
    if (status != DIAG_OK)
        return status;
    progress_begin(&storing->progress, request->setup->progress, 1);
    storing->total = matrix_size(request) * request->setup->runs;
    for (size_t round = 0; round < request->setup->runs && status == DIAG_OK; round++)
        status = run_round(storing, round, diag);
    progress_clear(&storing->progress);
    interrupt_close(&storing->interrupt);
    return status;
}

/* Whoever waits on the real clock is told for how long. */
static void tell_span(struct storing *storing)
{
    struct durable_request run;
    struct diag unused;
    char key[64];
    const struct store_row *row = cell_request(storing, 0, &run, &unused);
    double seconds = (double)(run.load.span_ms + run.load.arrivals_ms) / 1000;
    if (run.real_time)
        fprintf(stderr,
                "twbench: %s runs on the real clock: each run takes %.*f s or more (--span)\n",
                store_registry_key(row, key, sizeof key), seconds < 10 ? 3 : 0, seconds);
}

int storing_run(const struct storing_request *request, cJSON **document, struct diag *diag)
{
    struct storing storing = {.request = request};
    char group[PATH_MAX] = "";
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int status = storing_make_root(request->directory, storing.root, diag);
    if (status != DIAG_OK)
        return status;
    make_document(&storing);
    status = resume(&storing, diag);
    if (status == DIAG_OK && request->group_memory_bytes > 0 &&
        !footing_join_group(request->group_memory_bytes, group)) {
        status = diag_run(diag, "--group-memory: %s: %s; expected root and the memory controller",
                          group, strerror(errno));
        group[0] = '\0';
    }
    if (status == DIAG_OK) {
        tell_span(&storing);
        status = run_all(&storing, diag);
    }
    footing_remove(storing.root);
    if (group[0])
        footing_leave_group(group);
    if (status != DIAG_OK && status != STORING_INTERRUPTED) {
        cJSON_Delete(storing.document);
        return status;
    }
    double seconds = (double)(clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
    cJSON_ReplaceItemInObjectCaseSensitive(storing.document, "complete",
                                           cJSON_CreateBool(status == DIAG_OK));
    cJSON_ReplaceItemInObjectCaseSensitive(storing.document, "duration_s", json_measure(seconds));
    *document = storing.document;
    return status;
}
