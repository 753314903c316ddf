/* on_clock.c - the stage: plays a session's cells on the real clock, round by round, and adds the rounds up. */
#include "labs/live/live.h"

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "labs/live/originals/original.h"

static int make_stream(void *ctx, const struct workload_request *request, struct stream **out,
                       struct diag *diag)
{
    enum clock_load load = ((const struct on_clock *)ctx)->wishes->load;
    if (load != CLOCK_PACED)
        return clock_stream(load, request->tasks, request->seed, out, diag);
    return workload_stream(request, out, diag);
}

static int open_cells(void *ctx, const struct setup *setup, const struct plan_cell *cells,
                      size_t count, struct diag *diag)
{
    struct on_clock *on_clock = ctx;
    (void)setup;
    (void)diag;
    on_clock->records = memory_take(count, sizeof *on_clock->records);
    on_clock->count = count;
    for (size_t i = 0; i < count; i++) {
        struct clock_record *record = &on_clock->records[i];
        record->way = cells[i].way->of;
        record->wishes = on_clock->wishes;
        record->extra = (struct cell_extra){record, clock_record_identity, clock_record_params,
                                            clock_record_add};
    }
    return DIAG_OK;
}

static void close_cells(void *ctx)
{
    struct on_clock *on_clock = ctx;
    for (size_t i = 0; i < on_clock->count; i++) {
        cJSON_Delete(on_clock->records[i].rounds);
        cJSON_Delete(on_clock->records[i].original);
    }
    free(on_clock->records);
    *on_clock = (struct on_clock){.wishes = on_clock->wishes};
}

static const struct cell_extra *extra_of(const void *ctx, size_t cell)
{
    return &((const struct on_clock *)ctx)->records[cell].extra;
}

static struct clock_request request_of_cell(const struct clock_record *record,
                                            const struct stage_request *request, size_t cell)
{
    const struct setup *setup = request->setup;
    const struct plan_cell *plan = &request->cells[cell];
    const struct tw_runner *runner = record->way->entry->timed;
    return (struct clock_request){
        .wishes = record->wishes,
        .entry = record->way->entry,
        .runner = runner,
        .design = runner->flags & TW_RUNNER_OWN_TIMERS ? NULL : plan->design->timed,
        .settings = plan->settings,
        .setting_count = plan->setting_count,
        .threads = record->way->threads,
        .max_pending = setup->max_pending,
        .seed = setup->seed,
        .stream = request->stream,
        .budget_ns = setup->budget_ns,
        .memory_bytes = setup->memory_limit_bytes,
        .interrupt = pool_interrupt(request->pool),
        .progress = request->progress,
    };
}

/* To open, to settle and to shut, and to start and end a timer. */
#define ABOUT_NS           100e6
#define ABOUT_NS_PER_TIMER 1e3

static double estimate(void *ctx, const struct setup *setup, const struct stream *stream,
                       size_t cells, char *words, size_t size)
{
    const struct clock_wishes *wishes = ((const struct on_clock *)ctx)->wishes;
    double run_ns = (double)clock_lasts_ns(wishes, stream) + ABOUT_NS +
                    (double)stream->tasks * ABOUT_NS_PER_TIMER;
    double delay_ns = (double)stream->horizon * (double)stream->tick_ns / wishes->speed;
    struct text text = text_in(words, size);
    char timers[32];
    units_format_count(timers, sizeof timers, stream->tasks);
    text_add(&text, "%s, %s timers%s", stream->workload, timers,
             wishes->load == CLOCK_CLOSED ? " of each thread" : "");
    if (wishes->load == CLOCK_PACED)
        text_add(&text, ", longest delay %.3f s", delay_ns / 1e9);
    return run_ns * (double)setup->runs * (double)cells / 1e9;
}

/* Before the first run of a group: nobody should wait for an hour unawares. */
static void say_span(struct on_clock *on_clock, const struct stage_request *request)
{
    char words[200];
    double seconds =
        estimate(on_clock, request->setup, request->stream, request->count, words, sizeof words);
    if (request->setup->progress != PROGRESS_NEVER)
        fprintf(stderr, "twbench: %s: %zu cell%s on the real clock, about %.0f s\n", words,
                request->count, request->count == 1 ? "" : "s", seconds);
}

/* What became of the timers of a run that was interrupted, and how to go on. */
static void say_interrupted(const struct setup *setup, const struct clock_record *record,
                            const struct clock_report *report)
{
    const struct clock_ledger *ledger = &report->ledger;
    const char *name = record->way->entry->timed->name;
    if (report->end == CLOCK_OK)
        fprintf(stderr,
                "twbench: %s was interrupted after %.1f s: %" PRIu64 " timers accepted = %" PRIu64
                " ran + %" PRIu64 " stopped + %" PRIu64 " returned\n",
                name, (double)report->watched_ns / 1e9, ledger->accepted, ledger->ran,
                ledger->stopped, ledger->returned);
    else
        fprintf(stderr, "twbench: %s was interrupted: %s\n", name, report->reason);
    fprintf(stderr, "twbench: next: the same command with %s%s\n",
            setup->json ? "--resume" : "--json=FILE --resume, which keeps what is finished",
            record->wishes->load == CLOCK_PACED ? "; or with --duration=10s for the first part, "
                                                  "--speed=100 for all of it faster"
                                                : "");
}

static void set_outcome(const struct clock_report *report, struct outcome *outcome)
{
    _Static_assert((int)CLOCK_MISMATCH == OUTCOME_MISMATCH && (int)CLOCK_TIMEOUT == OUTCOME_TIMEOUT,
                   "one order, up to here");
    bool crashed = report->end == CLOCK_CRASHED;
    outcome->status = crashed ? OUTCOME_CRASHED : (enum outcome_status)report->end;
    memcpy(outcome->reason, report->reason, sizeof outcome->reason);
}

/* Runs the cell once, by clock/ or in the runtime of an original. */
static void run_once(struct clock_record *record, const struct stage_request *request, size_t cell,
                     struct clock_report *report)
{
    struct clock_request of_cell = request_of_cell(record, request, cell);
    const struct original *original = original_of(of_cell.runner);
    char driver[ORIGINAL_PATH];
    struct diag diag;
    if (!original) {
        clock_run(&of_cell, report);
    } else if (original_driver(original, driver, sizeof driver, &diag) != DIAG_OK) {
        *report = (struct clock_report){.end = CLOCK_UNSUPPORTED};
        snprintf(report->reason, sizeof report->reason, "%.380s", diag.text);
    } else {
        cJSON_Delete(record->original);
        original_run(original, driver, &of_cell, pool_interrupt(request->pool), report,
                     &record->original);
    }
}

/* A run that went wrong has no figures that others could be compared with. */
static void run_cell(struct clock_record *record, const struct stage_request *request,
                     uint64_t round, size_t cell, struct clock_report *scratch)
{
    if (round > 0 && record->report.end != CLOCK_OK)
        return;
    run_once(record, request, cell, scratch);
    if (round == 0) {
        cJSON_Delete(record->rounds);
        record->rounds = cJSON_CreateArray();
        record->report = *scratch;
    } else {
        clock_merge(&record->report, scratch);
    }
    if (scratch->end == CLOCK_OK)
        cJSON_AddItemToArray(record->rounds, clock_record_round(record, scratch));
}

static int run_cells(void *ctx, const struct stage_request *request, struct outcome *outcomes,
                     size_t *finished)
{
    struct on_clock *on_clock = ctx;
    struct clock_report *scratch = memory_take(1, sizeof *scratch);
    bool interrupted = false;
    say_span(on_clock, request);
    for (uint64_t round = 0; round < request->setup->runs; round++) {
        *finished = 0;
        for (size_t i = 0; i < request->count && !interrupted; i++) {
            size_t cell = request->chosen[i];
            scratch->is_cut = 0;
            run_cell(&on_clock->records[cell], request, round, cell, scratch);
            set_outcome(&on_clock->records[cell].report, &outcomes[cell]);
            interrupted = interrupt_is_pending(pool_interrupt(request->pool));
            if (scratch->is_cut || (interrupted && scratch->end == CLOCK_TIMEOUT))
                say_interrupted(request->setup, &on_clock->records[cell], scratch);
            else
                *finished += round + 1 == request->setup->runs;
        }
    }
    free(scratch);
    return interrupted ? POOL_INTERRUPTED : DIAG_OK;
}

struct stage on_clock_stage(struct on_clock *on_clock)
{
    return (struct stage){.ctx = on_clock,
                          .stream = make_stream,
                          .open = open_cells,
                          .close = close_cells,
                          .estimate = estimate,
                          .run = run_cells,
                          .extra = extra_of};
}
