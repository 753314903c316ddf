/*
 * claiming.c - puts each claim to the experiment of its file.
 *
 * All experiments run in one session and share its document, so that a cell that two of them ask for is
 * run once, and --resume goes on with what is missing.
 */
#include "labs/teach/claims/claiming.h"

#include "labs/teach/claims/verdicts.h"
#include "labs/durable/storing.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/session.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A store is as slow as its disk: what `twbench stores` gives it. */
#define STORE_BUDGET_NS UINT64_C(600000000000)

struct claiming {
    const struct claims_request *request;
    struct setup setup;  /* with the number of jobs settled */
    struct setup matrix; /* of the point at hand */
    struct session session;
    struct catalogue catalogue;
    struct verdicts_cells cells;
    const struct experiment_run *run; /* that runs */
    double x;
    double weight; /* of all points */
    bool out_of_memory;
};

/* ---- A point. -------------------------------------------------------------------------------- */

static void name_cell(void *ctx, const struct plan_group *group, const struct plan_cell *cell,
                      const char *identity)
{
    struct claiming *claiming = ctx;
    (void)group;
    if (!verdicts_add_cell(&claiming->cells, claiming->run, cell->design->timed->name, claiming->x,
                           identity))
        claiming->out_of_memory = true;
}

/* Everything about the streams and the sampling. */
static void matrix_of_point(struct claiming *claiming, const struct experiment_run *run,
                            const struct experiment_point *point)
{
    struct setup *matrix = &claiming->matrix;
    *matrix = claiming->setup;
    matrix->tick_ns = point->tick_ns;
    matrix->set_count = point->set_count;
    matrix->sets = point->sets;
    matrix->counts_only = !run->timed;
    if (!run->timed)
        matrix->runs = matrix->warmup = 0;
    matrix->clock = point->clock.wishes;
    matrix->clock.tick_ns = point->tick_ns;
    if (matrix->clock.on && matrix->runs > EXPERIMENT_CLOCK_RUNS)
        matrix->runs = EXPERIMENT_CLOCK_RUNS;
    claiming->run = run;
    claiming->x = point->x;
}

static int plan_point(struct claiming *claiming, const struct experiment_run *run,
                      const struct experiment_point *point, struct diag *diag)
{
    struct plan_sweep sweeps[PLAN_SETTINGS_MAX];
    for (size_t i = 0; i < point->setting_count; i++)
        sweeps[i] = (struct plan_sweep){&point->settings[i], 1, NULL};
    matrix_of_point(claiming, run, point);
    struct plan_selection selection = {
        .designs = run->designs,
        .design_count = run->impl_count,
        .workloads = &point->workload,
        .workload_count = 1,
        .workload_directory = claiming->setup.workload_directory,
        .tasks = &point->tasks,
        .task_count = point->tasks > 0,
        .sweeps = sweeps,
        .sweep_count = point->setting_count,
        .drives = &point->drive,
        .drive_count = !point->clock.runner,
        .runners = &point->clock.runner,
        .runner_count = point->clock.runner != NULL,
        .threads = &point->clock.threads,
        .thread_count = point->clock.runner != NULL,
    };
    return session_plan(&claiming->session, &claiming->matrix, &selection, diag);
}

/* ---- A point on stores. --------------------------------------------------------------------- */

static cJSON *find_stored(struct claiming *claiming, const char *identity)
{
    cJSON *cell;
    const cJSON *list = json_get(result_json(claiming->session.document), "stores");
    cJSON_ArrayForEach(cell, list)
    {
        if (strcmp(json_get_text(cell, "identity"), identity) == 0)
            return cell;
    }
    return NULL;
}

/* The cells so far and that one. */
static int keep_stored(struct claiming *claiming, cJSON *cell, struct diag *diag)
{
    const cJSON *before = json_get(result_json(claiming->session.document), "stores");
    cJSON *list = before ? cJSON_Duplicate(before, true) : cJSON_CreateArray();
    cJSON_AddItemToArray(list, cell);
    return result_attach(claiming->session.document, "stores", list, diag);
}

static int run_store(struct claiming *claiming, const struct experiment_run *run,
                     const struct experiment_point *point, size_t store, struct diag *diag)
{
    char identity[1000];
    struct text line = text_in(identity, sizeof identity);
    struct setup setup = claiming->setup;
    cJSON *document = NULL;
    experiment_store_command(&line, &point->store, run->impls[store], point->tasks, run->timed);
    if (!verdicts_add_cell(&claiming->cells, run, run->impls[store], point->x, identity))
        return diag_run(diag, "no memory for the list of cells");
    if (find_stored(claiming, identity))
        return DIAG_OK;
    if (setup.budget_ns && setup.budget_ns < STORE_BUDGET_NS)
        setup.budget_ns = STORE_BUDGET_NS;
    setup.json = NULL;
    setup.resume = false;
    setup.progress = PROGRESS_NEVER;
    setup.runs = run->timed ? EXPERIMENT_STORE_RUNS : 1;
    struct storing_request request =
        experiment_store_request(&point->store, run->stores[store], point->tasks, &setup);
    int status = storing_run(&request, &document, diag);
    cJSON *cells = cJSON_GetObjectItemCaseSensitive(document, "cells");
    cJSON *cell = status == DIAG_OK ? cJSON_DetachItemFromArray(cells, 0) : NULL;
    cJSON_Delete(document);
    if (!cell)
        return status == STORING_INTERRUPTED ? POOL_INTERRUPTED : status;
    json_add_text(cell, "identity", identity);
    return keep_stored(claiming, cell, diag);
}

static int run_stores(struct claiming *claiming, const struct experiment_run *run,
                      const struct experiment_point *point, struct diag *diag)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < run->impl_count && status == DIAG_OK; i++)
        status = run_store(claiming, run, point, i, diag);
    return status;
}

/* ---- All points. ----------------------------------------------------------------------------- */

typedef int point_fn(struct claiming *claiming, const struct experiment_run *run,
                     const struct experiment_point *point, void *ctx, struct diag *diag);

/* Those that this run takes, claim by claim, until one fails. */
static int each_point(struct claiming *claiming, point_fn *visit, void *ctx, struct diag *diag)
{
    for (size_t i = 0; i < claiming->catalogue.count; i++) {
        const struct experiment *experiment = claiming->catalogue.items[i];
        for (size_t r = 0; r < experiment->run_count; r++) {
            const struct experiment_run *run = &experiment->runs[r];
            bool skipped = claiming->request->quick && run->timed;
            for (size_t p = 0; p < run->point_count && !skipped; p++) {
                int status = visit(claiming, run, &run->points[p], ctx, diag);
                if (status == DIAG_USAGE) {
                    struct diag inner = *diag;
                    return diag_usage(diag, "%.200s: runs.%.40s: %.700s", experiment->path,
                                      run->name, inner.text);
                }
                if (status != DIAG_OK)
                    return status;
            }
        }
    }
    return DIAG_OK;
}

/* A mistake in the last file should not cost the time of the others. */
static int weigh_point(struct claiming *claiming, const struct experiment_run *run,
                       const struct experiment_point *point, void *ctx, struct diag *diag)
{
    double *weight = ctx;
    if (run->on_stores)
        return DIAG_OK;
    int status = plan_point(claiming, run, point, diag);
    if (status == DIAG_OK)
        *weight += session_weight(&claiming->session);
    return status;
}

static int run_point(struct claiming *claiming, const struct experiment_run *run,
                     const struct experiment_point *point, void *ctx, struct diag *diag)
{
    (void)ctx;
    if (run->on_stores)
        return run_stores(claiming, run, point, diag);
    int status = plan_point(claiming, run, point, diag);
    if (status == DIAG_OK)
        status = session_run(&claiming->session, diag);
    if (status == DIAG_OK && claiming->out_of_memory)
        status = diag_run(diag, "no memory for the list of cells");
    return status;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static int judge(struct claiming *claiming, struct diag *diag)
{
    return verdicts_attach(&claiming->catalogue, &claiming->cells, claiming->request->quick,
                           claiming->session.document, diag);
}

int claiming_run(struct claiming *claiming, struct diag *diag)
{
    struct session *session = &claiming->session;
    /* From now on what is on the disk is a document of claims, whatever happens. */
    int status = judge(claiming, diag);
    progress_begin(&session->progress, claiming->setup.progress, claiming->weight);
    session->named = name_cell;
    session->named_ctx = claiming;
    if (status == DIAG_OK)
        status = each_point(claiming, run_point, NULL, diag);
    if (status != DIAG_OK && status != POOL_INTERRUPTED)
        return status;
    int judged = judge(claiming, diag);
    return judged == DIAG_OK ? status : judged;
}

/* Counts are the same whatever else runs; times want the machine for themselves. */
static void settle(struct claiming *claiming)
{
    int cpus[CPU_SETSIZE];
    bool quick = claiming->request->quick;
    claiming->setup = *claiming->request->setup;
    claiming->setup.no_system_check = claiming->setup.no_system_check || quick;
    if (claiming->setup.jobs == 0)
        claiming->setup.jobs = quick ? origin_cores(&claiming->setup, cpus, CPU_SETSIZE) : 1;
}

int claiming_open(const struct claims_request *request, struct claiming **out, struct diag *diag)
{
    struct claiming *claiming = *out = calloc(1, sizeof *claiming);
    if (!claiming)
        return diag_run(diag, "no memory for the claims");
    claiming->request = request;
    settle(claiming);
    int status = catalogue_load(request->directory, request->names, request->name_count,
                                &claiming->catalogue, diag);
    if (status == DIAG_OK)
        status = each_point(claiming, weigh_point, &claiming->weight, diag);
    if (status == DIAG_OK)
        status = session_open(&claiming->session, &claiming->setup, diag);
    return status;
}

struct result_document *claiming_document(struct claiming *claiming)
{
    return claiming->session.document;
}

void claiming_close(struct claiming *claiming)
{
    if (!claiming)
        return;
    session_close(&claiming->session);
    catalogue_free(&claiming->catalogue);
    verdicts_free_cells(&claiming->cells);
    free(claiming);
}
