/* residue.c - looks after each function of a design whether it has left something in its process. */

#include "harness/base/process_state.h"
#include "harness/prove/cases.h"
#include "harness/prove/guard.h"
#include "harness/prove/judge.h"
#include "harness/prove/watch.h"

#include <stdlib.h>
#include <string.h>

/* For whom the functions of the table work; guard_residue() has it. */
struct residue {
    const struct tw_backend *backend;
    struct conform_report *report;
    struct tw_backend table;
    uint32_t calls;
    const char *story;
    uint64_t seed;
};

/* Is the search where it is to be looked at? */
static bool is_there(const struct residue *residue)
{
    const struct watch *watch = residue->report->watch;
    if (!residue->story)
        return residue->seed == 0 || (watch && !watch->story && watch->seed == residue->seed);
    return watch && watch->story && strcmp(watch->story, residue->story) == 0;
}

/* The process before a call.  False when this one is not looked at. */
static bool look_before(struct residue *residue, struct process_state *before)
{
    bool looks = !residue->report->rule && residue->calls < RESIDUE_CALLS && is_there(residue);
    residue->calls += looks;
    if (looks)
        process_state_read(before);
    return looks;
}

static void look_after(struct residue *residue, const struct process_state *before,
                       const char *function)
{
    unsigned parts = process_state_changed_since(before, guard_exempt(true));
    if (parts)
        report_broken(residue->report, RULE_PROCESS, "%s %s", function, process_part_words(parts));
}

/* Runs the call of `backend` between two looks. */
#define LOOK(function, call)                                                                       \
    struct residue *residue = guard_residue();                                                     \
    const struct tw_backend *backend = residue->backend;                                           \
    struct process_state before;                                                                   \
    bool looks = look_before(residue, &before);                                                    \
    call;                                                                                          \
    if (looks)                                                                                     \
    look_after(residue, &before, function)

static int residue_open(struct tw_timers **out, const struct tw_config *config,
                        struct tw_error *error)
{
    LOOK("open", int answer = backend->open(out, config, error));
    return answer;
}

static void residue_close(struct tw_timers *timers)
{
    LOOK("close", backend->close(timers));
}

static int residue_start(struct tw_timers *timers, tw_id id, tw_tick deadline)
{
    LOOK("start", int answer = backend->start(timers, id, deadline));
    return answer;
}

static int residue_stop(struct tw_timers *timers, tw_id id)
{
    LOOK("stop", int answer = backend->stop(timers, id));
    return answer;
}

static void residue_advance(struct tw_timers *timers, tw_tick to, tw_expire_fn *expire, void *ctx)
{
    LOOK("advance", backend->advance(timers, to, expire, ctx));
}

static tw_tick residue_next(const struct tw_timers *timers)
{
    LOOK("next", tw_tick answer = backend->next(timers));
    return answer;
}

static void residue_visit(const struct tw_timers *timers, tw_visit_fn *visit, void *ctx)
{
    LOOK("visit", backend->visit(timers, visit, ctx));
}

static const char *residue_check(const struct tw_timers *timers)
{
    LOOK("check", const char *answer = backend->check(timers));
    return answer;
}

static struct tw_footprint residue_footprint(const struct tw_timers *timers)
{
    LOOK("footprint", struct tw_footprint answer = backend->footprint(timers));
    return answer;
}

static void residue_describe(const struct tw_timers *timers, struct tw_description *out)
{
    LOOK("describe", backend->describe(timers, out));
}

static const struct tw_work *residue_work(const struct tw_timers *timers)
{
    LOOK("work", const struct tw_work *answer = backend->work(timers));
    return answer;
}

const struct tw_backend *residue_table(const struct tw_backend *backend,
                                       struct conform_report *report, const char *story,
                                       uint64_t seed)
{
    struct residue *residue = calloc(1, sizeof *residue);
    if (!residue || !guard_set_residue(residue)) {
        free(residue);
        return backend;
    }
    *residue = (struct residue){backend, report, *backend, 0, story, seed};
    residue->table.open = residue_open;
    residue->table.close = residue_close;
    residue->table.start = residue_start;
    residue->table.stop = residue_stop;
    residue->table.advance = residue_advance;
    residue->table.next = residue_next;
    residue->table.visit = residue_visit;
    residue->table.check = residue_check;
    residue->table.footprint = residue_footprint;
    residue->table.describe = residue_describe;
    residue->table.work = residue_work;
    return &residue->table;
}

/* ---- The written case ------------------------------------------------------------------------ */

static void build_everything(struct operations *list)
{
    for (tw_id id = 0; id < list->capacity; id++)
        operations_start(list, id, '+', 1 + id * id);
    operations_on_start(list, 3, 3, '+', 4, 1);
    operations_start(list, 5, '+', 2);
    operations_stop(list, 7);
    operations_stop(list, 7);
    operations_tick(list, 4);
    operations_advance(list, '+', 60);
    operations_inspect(list);
    operations_advance(list, '+', 1000);
}

/* An open that refuses. */
static void open_wrongly(const struct case_plan *plan, const struct tw_backend *table,
                         struct conform_report *report)
{
    struct loan loan;
    struct operations none;
    operations_init(&none, plan->operations->capacity);
    none.setting_count = 1;
    none.settings[0] = (struct tw_setting){.name = "no-such-setting", .count = 1};
    if (!loan_make(&loan, &none, report->watch))
        return;
    watch_enter(report->watch, "open");
    int status = table->open(&loan.lent->timers, &loan.lent->config, &loan.lent->error);
    watch_enter(report->watch, "close");
    if (status == TW_OK) /* which another case judges */
        table->close(loan.lent->timers);
    watch_leave(report->watch, NULL);
    loan_end(&loan);
}

void run_residue(struct case_plan *plan, struct conform_report *report)
{
    if (!report->watch)
        return; /* the process may have threads that are not the design's */
    const struct tw_backend *table = residue_table(plan->backend, report, NULL, 0);
    build_everything(plan->operations);
    judge_replay(table, plan->operations, JUDGE_ALWAYS, report, NULL);
    if (!report->rule)
        open_wrongly(plan, table, report);
}
