/* on_clock.c - runs a session's cells that have a runner, round by round, and adds the rounds up. */
#include "labs/live/on_clock.h"

#include "labs/live/clock/clock_run.h"
#include "labs/live/originals/original.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int on_clock_open(struct on_clock *on_clock, const struct setup *setup,
                  const struct plan_cell *cells, size_t count, struct diag *diag)
{
    *on_clock = (struct on_clock){.wishes = calloc(count, sizeof *on_clock->wishes),
                                  .reports = calloc(count, sizeof *on_clock->reports),
                                  .records = calloc(count, sizeof *on_clock->records),
                                  .documents = calloc(count, sizeof(cJSON *)),
                                  .rounds = calloc(count, sizeof(cJSON *)),
                                  .count = count};
    if (!on_clock->wishes || !on_clock->reports || !on_clock->records || !on_clock->documents ||
        !on_clock->rounds)
        return diag_run(diag, "no memory for %zu cells", count);
    for (size_t i = 0; i < count; i++) {
        on_clock->wishes[i] = setup->clock;
        if (cells[i].runner_tick_ns > 0)
            on_clock->wishes[i].tick_ns = cells[i].runner_tick_ns;
        on_clock->records[i] = (struct clock_record){.runner = cells[i].runner->timed,
                                                     .threads = cells[i].threads,
                                                     .wishes = &on_clock->wishes[i],
                                                     .report = &on_clock->reports[i]};
    }
    return DIAG_OK;
}

void on_clock_free(struct on_clock *on_clock)
{
    for (size_t i = 0; on_clock->documents && i < on_clock->count; i++)
        cJSON_Delete(on_clock->documents[i]);
    for (size_t i = 0; on_clock->rounds && i < on_clock->count; i++)
        cJSON_Delete(on_clock->rounds[i]);
    free(on_clock->rounds);
    free(on_clock->documents);
    free(on_clock->reports);
    free(on_clock->records);
    free(on_clock->wishes);
    *on_clock = (struct on_clock){.records = NULL};
}

static struct clock_request request_of_cell(const struct on_clock *on_clock,
                                            const struct on_clock_request *request, size_t cell)
{
    const struct setup *setup = request->setup;
    const struct plan_cell *plan = &request->cells[cell];
    const struct tw_runner *runner = plan->runner->timed;
    return (struct clock_request){
        .wishes = &on_clock->wishes[cell],
        .entry = plan->runner,
        .runner = runner,
        .design = runner->flags & TW_RUNNER_OWN_TIMERS ? NULL : plan->design->timed,
        .settings = plan->settings,
        .setting_count = plan->setting_count,
        .threads = plan->threads,
        .max_pending = setup->max_pending,
        .seed = setup->seed,
        .stream = request->stream,
        .budget_ns = setup->budget_ns,
        .memory_bytes = setup->memory_limit_bytes,
    };
}

static void set_outcome(const struct clock_report *report, struct outcome *outcome)
{
    static const enum outcome_status statuses[] = {
        [CLOCK_OK] = OUTCOME_OK,
        [CLOCK_MISMATCH] = OUTCOME_MISMATCH,
        [CLOCK_UNSUPPORTED] = OUTCOME_UNSUPPORTED,
        [CLOCK_TIMEOUT] = OUTCOME_TIMEOUT,
        [CLOCK_CRASHED] = OUTCOME_CRASHED,
    };
    outcome->status = statuses[report->end];
    memcpy(outcome->reason, report->reason, sizeof outcome->reason);
}

/* Runs the cell once, by clock/ or in the runtime of an original. */
static void run_once(struct on_clock *on_clock, const struct on_clock_request *request, size_t cell,
                     struct clock_report *report)
{
    struct clock_request of_cell = request_of_cell(on_clock, request, cell);
    const struct original *original = original_of(of_cell.runner);
    char driver[ORIGINAL_PATH];
    struct diag diag;
    if (!original) {
        clock_run(&of_cell, report);
    } else if (original_driver(original, driver, sizeof driver, &diag) != DIAG_OK) {
        *report = (struct clock_report){.end = CLOCK_UNSUPPORTED};
        snprintf(report->reason, sizeof report->reason, "%.380s", diag.text);
    } else {
        cJSON_Delete(on_clock->documents[cell]);
        original_run(original, driver, &of_cell, pool_interrupt(request->pool), report,
                     &on_clock->documents[cell]);
        on_clock->records[cell].original = on_clock->documents[cell];
    }
}

/* A run that went wrong has no figures that others could be compared with. */
static void keep_round(struct on_clock *on_clock, size_t cell, const struct clock_report *report)
{
    struct clock_record record = on_clock->records[cell];
    record.report = report;
    if (!on_clock->rounds[cell])
        on_clock->rounds[cell] = cJSON_CreateArray();
    on_clock->records[cell].rounds = on_clock->rounds[cell];
    if (report->end == CLOCK_OK)
        cJSON_AddItemToArray(on_clock->rounds[cell], clock_record_round(&record));
}

static void run_cell(struct on_clock *on_clock, const struct on_clock_request *request,
                     uint64_t round, size_t cell, struct clock_report *scratch)
{
    struct clock_report *report = &on_clock->reports[cell];
    if (round > 0 && report->end != CLOCK_OK)
        return;
    run_once(on_clock, request, cell, scratch);
    if (round == 0) {
        cJSON_Delete(on_clock->rounds[cell]);
        on_clock->rounds[cell] = NULL;
    }
    keep_round(on_clock, cell, scratch);
    if (round == 0)
        *report = *scratch;
    else
        clock_merge(report, scratch);
}

int on_clock_run(struct on_clock *on_clock, const struct on_clock_request *request,
                 struct outcome *outcomes)
{
    struct clock_report *scratch = malloc(sizeof *scratch);
    bool interrupted = false;
    for (uint64_t round = 0; scratch && round < request->setup->runs; round++)
        for (size_t i = 0; i < request->count && !interrupted; i++) {
            size_t cell = request->chosen[i];
            run_cell(on_clock, request, round, cell, scratch);
            set_outcome(&on_clock->reports[cell], &outcomes[cell]);
            interrupted = pool_is_interrupted(request->pool);
        }
    for (size_t i = 0; !scratch && i < request->count; i++) {
        outcomes[request->chosen[i]].status = OUTCOME_OUT_OF_MEMORY;
        snprintf(outcomes[request->chosen[i]].reason, 64, "no memory for a report");
    }
    free(scratch);
    return interrupted ? POOL_INTERRUPTED : DIAG_OK;
}
