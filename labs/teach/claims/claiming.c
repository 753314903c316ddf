/*
 * claiming.c - puts each claim to the experiment of its file.
 *
 * All experiments run in one session and share its document, so that a cell that two of them ask for is
 * run once, and --resume goes on with what is missing.
 */
#include "labs/teach/claims/claims.h"

#include "harness/base/interrupt.h"
#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/command/labs.h"
#include "harness/measure/run/job_pool.h"
#include "harness/measure/session/origin.h"
#include "harness/measure/session/session.h"

#include <sched.h>

struct claiming {
    const struct claims_request *request;
    struct setup setup;  /* with the number of jobs settled */
    struct setup matrix; /* of the point at hand */
    struct session session;
    struct catalogue catalogue;
    struct verdicts_cells cells;
    const struct experiment_run *run; /* that runs */
    double x;
    double weight;              /* of all points */
    struct interrupt interrupt; /* while it plans */
    bool is_over;               /* one came meanwhile */
};

/* ---- A point. -------------------------------------------------------------------------------- */

static void name_cell(void *ctx, const struct plan_group *group, const struct plan_cell *cell,
                      const char *identity)
{
    struct claiming *claiming = ctx;
    (void)group;
    verdicts_add_cell(&claiming->cells, claiming->run, cell->design->timed->name, claiming->x,
                      identity);
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
    claiming->run = run;
    claiming->x = point->x;
}

/* Those of libraries may not be built. */
static bool has_design(const struct experiment_run *run)
{
    size_t i = 0;
    while (i < run->impl_count && !run->designs[i])
        i++;
    return i < run->impl_count;
}

static int plan_point(struct claiming *claiming, const struct experiment_run *run,
                      const struct experiment_point *point, struct diag *diag)
{
    struct plan_sweep sweeps[PLAN_SETTINGS_MAX];
    const struct tw_design *designs[EXPERIMENT_DESIGNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < run->impl_count; i++)
        if (run->designs[i])
            designs[count++] = run->designs[i];
    for (size_t i = 0; i < point->setting_count; i++)
        sweeps[i] = (struct plan_sweep){&point->settings[i], 1, NULL};
    matrix_of_point(claiming, run, point);
    struct plan_selection selection = {
        .designs = designs,
        .design_count = count,
        .workloads = &point->workload,
        .workload_count = 1,
        .workload_directory = claiming->setup.workload_directory,
        .tasks = &point->tasks,
        .task_count = point->tasks > 0,
        .sweeps = sweeps,
        .sweep_count = point->setting_count,
        .drives = &point->drive,
        .drive_count = 1,
    };
    return session_plan(&claiming->session, &claiming->matrix, &selection, diag);
}

/* ---- A point of a lab's. --------------------------------------------------------------------- */

/* The cells so far and that one. */
static void keep_cell(struct claiming *claiming, cJSON *cell, const char *identity)
{
    const cJSON *before = json_get(result_json(claiming->session.document), "lab_cells");
    cJSON *list = before ? cJSON_Duplicate(before, true) : cJSON_CreateArray();
    cJSON_DeleteItemFromObjectCaseSensitive(cell, "identity");
    json_add_text(cell, "identity", identity);
    cJSON_AddItemToArray(list, cell);
    result_attach(claiming->session.document, "lab_cells", list);
}

/* One cell, run by the lab's program.  Where it is not built, or ends without a document, there is none, and the verdict
 * says so. */
static int run_cell(struct claiming *claiming, const struct experiment_run *run, size_t point,
                    size_t impl)
{
    char identity[2000], *text = NULL;
    struct command_words words;
    command_make(&words, run, point, impl);
    command_print(identity, sizeof identity, &words);
    verdicts_add_cell(&claiming->cells, run, run->impls[impl], run->points[point].x, identity);
    if (verdicts_cell_of(result_json(claiming->session.document), identity))
        return DIAG_OK;
    command_add(&words, "--seed=%llu", (unsigned long long)claiming->setup.seed);
    command_add(&words, "--progress=never");
    command_add(&words, "--json=-");
    (void)lab_run(run->lab, words.words, &text);
    cJSON *document = text ? cJSON_Parse(text) : NULL;
    cJSON *cells = cJSON_GetObjectItemCaseSensitive(document, "cells");
    cJSON *cell = cJSON_DetachItemFromArray(cells, 0);
    cJSON_Delete(document);
    free(text);
    bool is_over = interrupt_is_pending(pool_interrupt(claiming->session.pool));
    if (cell && !is_over)
        keep_cell(claiming, cell, identity);
    else
        cJSON_Delete(cell);
    return is_over ? POOL_INTERRUPTED : DIAG_OK;
}

static int run_lab(struct claiming *claiming, const struct experiment_run *run,
                   const struct experiment_point *point)
{
    int status = DIAG_OK;
    for (size_t i = 0; i < run->impl_count && status == DIAG_OK; i++)
        status = run_cell(claiming, run, (size_t)(point - run->points), i);
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
    if (interrupt_is_pending(&claiming->interrupt))
        return POOL_INTERRUPTED;
    if (run->lab || !has_design(run))
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
    if (run->lab)
        return run_lab(claiming, run, point);
    if (!has_design(run))
        return DIAG_OK;
    int status = plan_point(claiming, run, point, diag);
    if (status == DIAG_OK)
        status = session_run(&claiming->session, diag);
    return status;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static void judge(struct claiming *claiming)
{
    verdicts_attach(&claiming->catalogue, &claiming->cells, claiming->request->quick,
                    claiming->session.document);
}

int claiming_run(struct claiming *claiming, struct diag *diag)
{
    struct session *session = &claiming->session;
    /* From now on what is on the disk is a document of claims, whatever happens. */
    judge(claiming);
    progress_begin(&session->progress, claiming->setup.progress, claiming->weight);
    session->named = name_cell;
    session->named_ctx = claiming;
    int status = claiming->is_over ? POOL_INTERRUPTED : each_point(claiming, run_point, NULL, diag);
    if (status != DIAG_OK && status != POOL_INTERRUPTED)
        return status;
    judge(claiming);
    return status;
}

static int weigh(struct claiming *claiming, struct diag *diag)
{
    int status = interrupt_open(&claiming->interrupt, diag);
    if (status != DIAG_OK)
        return status;
    status = each_point(claiming, weigh_point, &claiming->weight, diag);
    claiming->is_over = status == POOL_INTERRUPTED;
    interrupt_close(&claiming->interrupt);
    return claiming->is_over ? DIAG_OK : status;
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
    struct claiming *claiming = *out = memory_take(1, sizeof *claiming);
    claiming->request = request;
    settle(claiming);
    int status = catalogue_load(request->directory, request->names, request->name_count,
                                &claiming->catalogue, diag);
    if (status == DIAG_OK)
        status = weigh(claiming, diag);
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
