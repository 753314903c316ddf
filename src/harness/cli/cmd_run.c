/*
 * cmd_run.c - run and replay: one plan, from the command line.
 */
#include "harness/base/json.h"
#include "harness/base/units.h"
#include "harness/bring/import/import.h"
#include "harness/cli/cli.h"

#include "harness/cli/outputs.h"
#include "harness/measure/session/session.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_WORKLOAD "standard"

static int run_plan(struct session *session, const struct options *options, struct diag *diag)
{
    static const char *const standard[] = {DEFAULT_WORKLOAD};
    bool is_replay = strcmp(options->command->name, "replay") == 0;
    if (is_replay && options->workload_count > 0)
        return diag_usage(diag, "--workload: replay takes its traces as operands");
    if (is_replay && options->task_count > 0)
        return diag_usage(diag, "--tasks: a trace has as many timers as were recorded");
    if (is_replay && options->operand_count == 0)
        return diag_usage(diag, "replay: no trace given; expected FILE.tt[.xz|.gz] or a name");
    if (!is_replay && options->operand_count > 0)
        return diag_usage(diag, "%s: run takes no operands; did you mean --workload=%s?",
                          options->operands[0], options->operands[0]);
    struct plan_selection selection = options_selection(options);
    if (is_replay) {
        selection.workloads = options->operands;
        selection.workload_count = options->operand_count;
    }
    const struct clock_wishes *clock = &options->setup.clock;
    const char *const load[] = {clock_load_name(clock->load)};
    bool is_made = clock->on && clock->load != CLOCK_PACED;
    if (is_made && is_replay)
        return diag_usage(diag, "--load=%s: replay plays traces at their pace", load[0]);
    if (is_made) {
        selection.workloads = load;
        selection.workload_count = 1;
    }
    if (selection.workload_count == 0) {
        selection.workloads = standard;
        selection.workload_count = 1;
    }
    for (size_t i = 0; i < selection.workload_count; i++)
        if (import_refuse_log(selection.workloads[i], diag) != DIAG_OK)
            return DIAG_USAGE;
    return session_plan(session, &options->setup, &selection, diag);
}

static void print_cell(const struct plan_group *group, const struct plan_cell *cell)
{
    char tasks[32] = "-";
    if (group->tasks > 0)
        units_format_count(tasks, sizeof tasks, group->tasks);
    printf("%-18s %6s  %s", group->workload, tasks, cell->design->timed->name);
    for (size_t i = 0; i < cell->setting_count; i++)
        for (size_t v = 0; v < cell->settings[i].count; v++)
            printf(v ? ",%s%" PRIu64 : " %s=%" PRIu64, v ? "" : cell->settings[i].name,
                   cell->settings[i].values[v]);
    if (cell->drive == PLAN_DRIVE_NEXT)
        printf(" drive=%s", plan_drive_name(cell->drive));
    if (plan_pages_name(cell->pages))
        printf(" huge-pages=%s", plan_pages_name(cell->pages));
    if (cell->batch > 0)
        printf(" batch=%" PRIu32, cell->batch);
    printf("\n");
}

/* What each part of the whole plan takes. */
static void print_shards(const struct shards *shards)
{
    uint64_t of = (uint64_t)json_get_number(shards->record, "of");
    printf("\nshard  groups  seconds\n");
    for (uint64_t shard = 1; shard <= of; shard++) {
        double seconds = 0;
        size_t groups = 0;
        for (size_t i = 0; i < shards->group_count; i++)
            if (shards->owner[i] == shard) {
                seconds += shards->seconds[i];
                groups++;
            }
        printf("%5" PRIu64 "  %6zu  %7.3g\n", shard, groups, seconds);
    }
}

/* Tasks "-": the workload's own number, or the trace's. */
static int show_plan(struct session *session, struct diag *diag)
{
    const struct plan *plan = &session->plan;
    double seconds;
    int status = session_estimate(session, &seconds, diag);
    if (status != DIAG_OK)
        return status;
    printf("%-18s %6s  design\n", "workload", "tasks");
    for (size_t g = 0; g < plan->group_count; g++)
        for (size_t c = 0; c < plan->cell_count; c++)
            print_cell(&plan->groups[g], &plan->cells[c]);
    if (session->shards.record)
        print_shards(&session->shards);
    size_t cells = plan->group_count * plan->cell_count;
    printf("\n%zu cell%s, about %.3g s at 10 ns per operation; nothing was run\n", cells,
           cells == 1 ? "" : "s", seconds);
    return DIAG_OK;
}

int cmd_run(const struct options *options)
{
    struct session session = {.setup = NULL};
    struct diag diag;
    int status = run_plan(&session, options, &diag);
    if (status == DIAG_OK)
        status = outputs_check(options, &diag);
    if (status == DIAG_OK && options->plan_only) {
        status = show_plan(&session, &diag);
        session_close(&session);
        return status == DIAG_OK ? EXIT_OK : cli_fail(status, &diag);
    }
    if (status == DIAG_OK)
        status = session_open(&session, &options->setup, &diag);
    if (status == DIAG_OK) {
        progress_begin(&session.progress, options->setup.progress, session_weight(&session));
        status = session_run(&session, &diag);
    }
    int exit_status = status == DIAG_OK || status == POOL_INTERRUPTED
                          ? cli_finish(options, session.document, status)
                          : cli_rescue(options, session.document, status, &diag);
    session_close(&session);
    return exit_status;
}
