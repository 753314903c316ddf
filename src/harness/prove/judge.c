/* judge.c - runs an operation list on a design and on the model, and compares all that can be seen.
 *
 * A design that breaks a rule inside advance or visit may be about to loop for ever, so the callback
 * that sees it leaves by longjmp instead of returning into the design.
 */
#include "harness/prove/judge.h"
#include "harness/measure/sched/answers.h"
#include "harness/prove/guard.h"
#include "harness/prove/model.h"
#include "harness/prove/settings.h"
#include "harness/prove/strides.h"
#include "harness/prove/watch.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#define NO_ACTION UINT32_MAX
#define NO_ID     UINT32_MAX

/* What a callback does: an OPERATION_ON_* that has expiries left. */
struct action {
    tw_tick ticks; /* as in struct operation; the next three too */
    tw_id target;
    tw_tick slack;
    uint32_t times;
    char base;
    bool starts;   /* the target, rather than stopping it */
    uint32_t next; /* of the same timer */
};

/* How a timer came to be idle. */
struct ending {
    enum { NEVER_STARTED, HAS_FIRED, WAS_STOPPED, WAS_STOPPED_INSIDE } how;
    tw_tick tick;
};

/* A ctx of advance and visit.  There are two of them, and two functions, that take turns, so that a
 * design that keeps what an earlier call was given is seen. */
struct turn {
    struct judge *judge;
};

#define TURNS 2u

struct judge {
    const struct tw_backend *backend;
    const struct tw_batch *batch; /* what starts and stops then; NULL: single calls */
    const struct tw_slack *slack; /* NULL: the design takes none, and is exact */
    const struct tw_exact *exact; /* NULL: it is not asked */
    const struct tw_spot *spot;   /* NULL: no list is checked alone */
    uint32_t spots;               /* starts and stops since one was */
    struct tw_timers *timers;
    struct batch *room;    /* of `batch`: what is collected for the next call */
    struct lent_page page; /* what open was given */
    struct turn turns[TURNS];
    unsigned function_turn, ctx_turn; /* of the call under way */
    uint64_t turned;
    struct tw_description description; /* right after open */
    struct tw_work work;               /* as last seen; counts_work: it is not NULL */
    bool counts_work;
    struct conform_report *report;
    enum judge_look look;
    struct watch *watch; /* of the report: each call of the design is noted there */
    struct model model;
    struct tw_footprint footprint; /* right after open */
    uint32_t action_count;
    struct action *actions;  /* room for every OPERATION_ON_* of the list */
    uint32_t *first_actions; /* by timer; NO_ACTION: none */
    uint32_t *last_link;     /* behind the action learnt last, for the timer */
    tw_id learnt;            /* NO_ID: its actions have been run since */
    bool *seen;              /* by timer, for visit; */
    uint64_t shown;          /* a sum over where it showed them, in whatever order */
    struct ending *endings;  /* by timer: the last one */
    bool is_inside;          /* a callback */
    const char *last;        /* function of the last call outside a callback, NULL: none; */
    tw_id last_id;           /* for this timer, or NO_ID: for none or many */
    bool is_looking;         /* at what that call has left */
    tw_tick now;             /* last tick processed by an advance that has returned */
    tw_tick to;              /* what the advance under way moves to */
    tw_tick fired;           /* tick of its last callback */
    tw_tick walk;            /* longest advance that is made; 0: any */
    uint32_t unlooked;       /* calls and callbacks since all timers were looked at */
    uint32_t changes;        /* starts and stops since the last inspection */
    uint64_t advances;       /* calls, in the life of the instance */
    uint64_t refused;        /* starts */
    bool has_fired;          /* any timer */
    uint32_t most_running;   /* at a time */
    tw_tick quiet_until;     /* next() has promised that nothing fires before */
    tw_id awaited;           /* is overdue: how late will it be?  The capacity: none */
    tw_tick missed;          /* the clock when it was overdue */
    uint64_t callbacks;      /* in the life of the instance */
    struct judge *guest;     /* another instance, inside the callbacks of this one; NULL: none */
    const struct operations *guest_list; /* NULL: there is none to come */
    size_t guest_next;                   /* operation of it */
    jmp_buf escape;                      /* out of an advance or a visit that broke a rule */
};

/* An inspection costs O(capacity).  Where there are more timers than this it follows each advance as ever, but
 * only one in so many starts and stops. */
#define CROWD_CAPACITY  1024u
#define CROWD_INSPECTED 64u
/* With more timers than this, check may take longer than a call may. */
#define CROWD_CHECKED (UINT32_C(2) << 20)

/* After an advance all timers are looked at, for one that is overdue.  Where there are more than this,
 * only when there were so many calls and callbacks since then that it costs no more than they did. */
#define CROWD_LOOKED_AT 4096u
#define LOOKS_PER_CALL  32u
#define SPOTS_PER_CALL  8u /* the same of timers that the check of one list may look at */

#define AWAITED_BITS 40 /* an overdue timer is waited for 2^40 ticks, in ever longer jumps */

/* What the design says of itself, where it does not hold. */
static const char *declared_lateness(const struct model *model, bool in_window)
{
    return model->traits.late_ticks == 0 && model->traits.late_shift == 0
               ? in_window ? "; its slack ends there" : "; its traits say that it is exact"
               : "; its traits allow no more";
}

/* Everything a design answers goes into the trace, in order. */
static void trace_add(struct conform_report *report, uint64_t value)
{
    report->trace = (report->trace ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    report->trace ^= report->trace >> 32;
}

static void overdue_is_lost(struct judge *judge, tw_id id, tw_tick seen)
{
    report_broken(judge->report, RULE_LOST,
                  "%" PRIu32 ", due %" PRIu64 ", has not fired at tick %" PRIu64 "%s", id,
                  judge->model.due[id], seen, judge->look == JUDGE_FIRING ? ", nor later" : "");
}

/* A timer is about to change that must have fired before: it will not be seen again. */
static bool judge_overlooked(struct judge *judge, tw_id id)
{
    bool overdue = model_runs(&judge->model, id) && judge->model.latest[id] <= judge->now;
    if (overdue)
        overdue_is_lost(judge, id, judge->now);
    return overdue;
}

/* ---- start and stop, outside and inside a callback ------------------------------------------- */

static void note_call(struct judge *judge, const char *function, tw_id id)
{
    if (judge->is_inside)
        return;
    judge->last = function;
    judge->last_id = id;
    judge->is_looking = false;
}

static int call_start(struct judge *judge, tw_id id, tw_tick deadline, tw_tick slack)
{
    bool within = judge->slack && (slack > 0 || id % 2 == 1); /* a window of one tick, too */
    const char *before = watch_enter(judge->watch, within ? "start_within" : "start");
    int answer = within ? judge->slack->start_within(judge->timers, id, deadline, slack)
                        : judge->backend->start(judge->timers, id, deadline);
    watch_leave(judge->watch, before);
    return answer;
}

static void note_running(struct judge *judge)
{
    if (judge->model.running > judge->most_running)
        judge->most_running = judge->model.running;
}

static void judge_start(struct judge *judge, tw_id id, tw_tick deadline, tw_tick slack, tw_tick now)
{
    if (!judge->slack)
        slack = 0;
    if (judge_overlooked(judge, id))
        return;
    note_call(judge, "start", id);
    const struct guard_counts before = guard_counts();
    int answer = call_start(judge, id, deadline, slack);
    bool may_allocate = judge->backend->traits.flags & TW_ALLOCATES;
    if (!may_allocate && guard_counts().allocations != before.allocations)
        report_broken(judge->report, RULE_TAKES, "start of %" PRIu32 " at tick %" PRIu64 " does",
                      id, now);
    bool is_short =
        may_allocate && guard_counts().refused != before.refused && answer == TW_REFUSED_MEMORY;
    int expected = is_short ? answer : model_start_within(&judge->model, id, deadline, slack, now);
    judge->report->operations_run++;
    judge->report->work++;
    judge->unlooked++;
    judge->quiet_until = 0;
    judge->refused += answer < 0;
    note_running(judge);
    trace_add(judge->report, (uint64_t)answer);
    if (answer != expected)
        report_broken(judge->report, RULE_START,
                      "start of %" PRIu32 " for tick %" PRIu64 " at tick %" PRIu64
                      "%s answered %d, expected %d",
                      id, deadline, now, judge->is_inside ? ", inside a callback," : "", answer,
                      expected);
}

static void judge_stop(struct judge *judge, tw_id id, tw_tick now)
{
    if (judge_overlooked(judge, id))
        return;
    note_call(judge, "stop", id);
    int expected = model_stop(&judge->model, id);
    const char *before = watch_enter(judge->watch, "stop");
    int answer = judge->backend->stop(judge->timers, id);
    watch_leave(judge->watch, before);
    if (expected == TW_OK)
        judge->endings[id] =
            (struct ending){judge->is_inside ? WAS_STOPPED_INSIDE : WAS_STOPPED, now};
    judge->report->operations_run++;
    judge->report->work++;
    judge->unlooked++;
    trace_add(judge->report, (uint64_t)answer);
    if (answer != expected)
        report_broken(judge->report, RULE_STOP,
                      "stop of %" PRIu32 " at tick %" PRIu64 "%s answered %d, expected %d", id, now,
                      judge->is_inside ? ", inside a callback," : "", answer, expected);
}

/* ---- The same for many at once, of a design that has batches --------------------------------- */

#define BATCH_MAX   (1u << 20) /* more than any of these lists has */
#define BATCH_BYTES ((size_t)BATCH_MAX * sizeof(tw_tick))

/* The arrays of a call end where a page begins that cannot be touched. */
struct batch {
    tw_id ids[BATCH_MAX];
    tw_tick deadlines[BATCH_MAX];
    char *map;
    size_t step; /* from the end of one array to that of the next */
    uint32_t count;
    bool starts;
};

static bool batch_open(struct judge *judge)
{
    struct batch *batch = judge->room = malloc(sizeof *batch);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!batch)
        return false;
    batch->step = BATCH_BYTES + page;
    batch->count = 0;
    batch->starts = true;
    batch->map = mmap(NULL, 3 * batch->step, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t i = 1; batch->map != MAP_FAILED && i <= 3; i++)
        mprotect(batch->map + i * batch->step - page, page, PROT_NONE);
    return batch->map != MAP_FAILED;
}

static void batch_close(struct batch *batch)
{
    if (batch && batch->map != MAP_FAILED)
        munmap(batch->map, 3 * batch->step);
    free(batch);
}

static void batch_call(struct judge *judge, tw_tick now)
{
    const struct tw_batch *functions = judge->batch;
    struct batch *batch = judge->room;
    bool starts = batch->starts, may_allocate = judge->backend->traits.flags & TW_ALLOCATES;
    uint32_t refused = 0, told = 0, count = batch->count;
    uint64_t shortages = guard_counts().refused;
    char *end = batch->map + BATCH_BYTES;
    tw_id *ids = (tw_id *)(void *)end - count;
    tw_tick *deadlines = (tw_tick *)(void *)(end + batch->step) - count;
    int8_t *statuses = (int8_t *)(end + 2 * batch->step) - count;
    memcpy(ids, batch->ids, count * sizeof *ids);
    memcpy(deadlines, batch->deadlines, count * sizeof *deadlines);
    memset(statuses, 0x55, count);
    batch->count = 0;
    note_call(judge, starts ? "start_many" : "stop_many", NO_ID);
    for (uint32_t i = 0; i < count; i++)
        if (judge_overlooked(judge, ids[i]))
            return;
    const char *before = watch_enter(judge->watch, starts ? "start_many" : "stop_many");
    if (starts)
        told = functions->start_many(judge->timers, ids, deadlines, count, statuses);
    else
        functions->stop_many(judge->timers, ids, count, statuses);
    watch_leave(judge->watch, before);
    if (memcmp(ids, batch->ids, count * sizeof *ids) != 0 ||
        memcmp(deadlines, batch->deadlines, count * sizeof *deadlines) != 0)
        report_broken(judge->report, RULE_BATCH, "%s writes to what it was given to read",
                      starts ? "start_many" : "stop_many");
    shortages = may_allocate ? guard_counts().refused - shortages : 0;
    judge->quiet_until = 0;
    judge->unlooked += count;
    judge->report->operations_run += count;
    for (uint32_t i = 0; i < count; i++) {
        tw_id id = batch->ids[i];
        bool is_short = starts && shortages > 0 && statuses[i] == TW_REFUSED_MEMORY;
        shortages -= is_short;
        int expected = is_short ? TW_REFUSED_MEMORY
                       : starts ? model_start(&judge->model, id, batch->deadlines[i], now)
                                : model_stop(&judge->model, id);
        if (!starts && expected == TW_OK)
            judge->endings[id] =
                (struct ending){judge->is_inside ? WAS_STOPPED_INSIDE : WAS_STOPPED, now};
        refused += expected < 0;
        if (statuses[i] != expected)
            report_broken(judge->report, RULE_BATCH,
                          "%s of %" PRIu32 ", number %" PRIu32 " of %" PRIu32
                          " in a batch at tick %" PRIu64 "%s, answered %d, expected %d",
                          starts ? "start" : "stop", id, i + 1, count, now,
                          judge->is_inside ? ", inside a callback" : "", statuses[i], expected);
    }
    if (told != refused)
        report_broken(judge->report, RULE_BATCH,
                      "start_many of %" PRIu32 " timers at tick %" PRIu64 " answered %" PRIu32
                      ", expected %" PRIu32 " refused",
                      count, now, told, refused);
    judge->refused += refused;
    note_running(judge);
}

static void batch_add(struct judge *judge, bool starts, tw_id id, tw_tick deadline, tw_tick now)
{
    struct batch *batch = judge->room;
    if (batch->count == BATCH_MAX || (batch->count > 0 && batch->starts != starts))
        batch_call(judge, now);
    batch->starts = starts;
    batch->ids[batch->count] = id;
    batch->deadlines[batch->count++] = deadline;
}

/* All starts and stops from that operation on, up to a start with slack or `end`, in batches as long as they can be.  How
 * many operations that were. */
static size_t judge_batches(struct judge *judge, const struct operations *operations, size_t index,
                            size_t end)
{
    size_t done = index;
    if (index == 0)
        batch_call(judge, judge->now); /* of none */
    for (; done < end && !judge->report->rule; done++) {
        const struct operation *operation = &operations->list[done];
        bool starts = operation->code == OPERATION_START;
        if (operation->slack > 0 || (!starts && operation->code != OPERATION_STOP))
            break;
        for (uint32_t i = 0; i < operation->times; i++)
            batch_add(judge, starts, operation_timer(operation, i),
                      operations_deadline(operation, i, judge->now), judge->now);
    }
    if (judge->room->count > 0 && !judge->report->rule)
        batch_call(judge, judge->now);
    return done - index;
}

/* ---- advance --------------------------------------------------------------------------------- */

static void idle_has_fired(struct judge *judge, tw_id id, tw_tick tick)
{
    static const char *const why[] = {
        [NEVER_STARTED] = "it had not been started, at",
        [HAS_FIRED] = "it had fired at",
        [WAS_STOPPED] = "it had been stopped at",
        [WAS_STOPPED_INSIDE] = "it had been stopped inside a callback, at",
    };
    const struct ending *ending = &judge->endings[id];
    report_broken(judge->report, RULE_IDLE,
                  "%" PRIu32 " fired at tick %" PRIu64 " and is idle: %s tick %" PRIu64, id, tick,
                  why[ending->how], ending->tick);
}

/* Was this expiry allowed?  The timer still runs in the model. */
static void judge_expiry(struct judge *judge, tw_id id, tw_tick tick)
{
    struct conform_report *report = judge->report;
    const struct model *model = &judge->model;
    if (id >= model->capacity) {
        report_broken(report, RULE_IDLE,
                      "%" PRIu32 " fired at tick %" PRIu64 "; ids are below %" PRIu32, id, tick,
                      model->capacity);
        return;
    }
    if (!model_runs(model, id)) {
        idle_has_fired(judge, id, tick);
        return;
    }
    tw_tick due = model->due[id];
    if (tick < due)
        report_broken(report, RULE_EARLY, "%" PRIu32 " fired at tick %" PRIu64 ", due %" PRIu64, id,
                      tick, due);
    if (tick > model->latest[id])
        report_broken(
            report, RULE_LATE,
            "%" PRIu32 " fired at tick %" PRIu64 ", due %" PRIu64 ", latest %" PRIu64 "%s", id,
            tick, due, model->latest[id], declared_lateness(model, due != model->latest[id]));
    if (tick <= judge->now || tick > judge->to)
        report_broken(report, RULE_TICK,
                      "%" PRIu32 " fired at tick %" PRIu64 " in an advance from %" PRIu64
                      " to %" PRIu64,
                      id, tick, judge->now, judge->to);
    if (tick < judge->quiet_until)
        report_broken(report, RULE_NEXT,
                      "%" PRIu32 " fired at tick %" PRIu64 ", next() had said %" PRIu64, id, tick,
                      judge->quiet_until);
    if ((model->traits.flags & TW_ORDERED) && tick < judge->fired)
        report_broken(report, RULE_ORDER,
                      "%" PRIu32 " fired at tick %" PRIu64 " after %" PRIu64
                      "; its traits say TW_ORDERED",
                      id, tick, judge->fired);
    if ((model->traits.flags & TW_FIFO) && model_first_in_turn(model, id) != id)
        report_broken(report, RULE_FIFO,
                      "%" PRIu32 " fired at tick %" PRIu64 " before %" PRIu32
                      ", which was started first; its traits say TW_FIFO",
                      id, tick, model_first_in_turn(model, id));
}

/* Runs the program of the timer that has fired and forgets the actions that are used up. */
static void judge_program(struct judge *judge, tw_id id, tw_tick tick)
{
    uint32_t *link = &judge->first_actions[id];
    judge->learnt = NO_ID;
    while (*link != NO_ACTION && !judge->report->rule) {
        struct action *action = &judge->actions[*link];
        bool is_batched = judge->batch && action->slack == 0;
        if (judge->batch && !is_batched && judge->room->count > 0)
            batch_call(judge, tick);
        if (is_batched)
            batch_add(judge, action->starts, action->target,
                      operations_resolve(action->base, action->ticks, tick), tick);
        else if (action->starts)
            judge_start(judge, action->target,
                        operations_resolve(action->base, action->ticks, tick), action->slack, tick);
        else
            judge_stop(judge, action->target, tick);
        if (--action->times == 0)
            *link = action->next;
        else
            link = &action->next;
    }
    if (judge->batch && judge->room->count > 0 && !judge->report->rule)
        batch_call(judge, tick);
}

/* Whatever else fires while an overdue timer is waited for is not judged any more. */
static void judge_awaited(struct judge *judge, tw_id id, tw_tick tick)
{
    const struct model *model = &judge->model;
    if (id != judge->awaited)
        return;
    if (tick <= model->latest[id])
        report_broken(judge->report, RULE_LATE,
                      "%" PRIu32 ", due %" PRIu64 ", fired in a later advance, to tick %" PRIu64
                      ", than in that to tick %" PRIu64 ", and told tick %" PRIu64,
                      id, model->due[id], judge->to, judge->missed, tick);
    else
        report_broken(judge->report, RULE_LATE,
                      "%" PRIu32 " fired at tick %" PRIu64 ", due %" PRIu64 ", latest %" PRIu64
                      "%s",
                      id, tick, model->due[id], model->latest[id],
                      declared_lateness(model, model->due[id] != model->latest[id]));
    longjmp(judge->escape, 1);
}

/* Functions and ctx change independently: over four calls each goes with each. */
static void turns_next(struct judge *judge)
{
    judge->function_turn = (unsigned)(judge->turned / TURNS % TURNS);
    judge->ctx_turn = (unsigned)((judge->turned + 1) / TURNS % TURNS);
    judge->turned++;
}

/* The judge of a callback, which does not return when it is another one than was asked for. */
static struct judge *turns_check(const struct turn *turn, unsigned function_turn, const char *of)
{
    struct judge *judge = turn->judge;
    if (function_turn == judge->function_turn && turn == &judge->turns[judge->ctx_turn])
        return judge;
    report_broken(judge->report, RULE_CALLBACK, "%s called %s an earlier call was given", of,
                  function_turn != judge->function_turn ? "the function that"
                                                        : "its function with the ctx that");
    longjmp(judge->escape, 1);
}

static void judge_describe_again(struct judge *judge);
static void inspect_work(struct judge *judge);
static struct tw_footprint ask_footprint(struct judge *judge, const char *where);

/* What else may be called inside a callback: footprint, describe and work, by the first callbacks of an instance and ever
 * more seldom after that. */
static void inspect_inside(struct judge *judge)
{
    uint64_t count = ++judge->callbacks;
    if (count > 4 && (count & (count - 1)) != 0)
        return;
    ask_footprint(judge, " inside a callback");
    judge_describe_again(judge);
    inspect_work(judge);
    guard_inspect_variables(NULL, judge->report);
}

static void end_guest(struct judge *judge)
{
    if (judge->guest)
        judge_close(judge->guest);
    judge->guest = NULL;
    judge->guest_list = NULL;
}

/* Opens, uses and closes the other instance, as its list says. */
static void judge_step_guest(struct judge *judge)
{
    const struct operations *list = judge->guest_list;
    if (!list)
        return;
    if (!judge->guest)
        judge->guest = judge_open(judge->backend, list, JUDGE_NOW_AND_THEN, judge->report);
    else if (judge->guest_next < list->count)
        judge_step(judge->guest, &list->list[judge->guest_next++]);
    else
        end_guest(judge);
}

void judge_meet(struct judge *judge, const struct operations *list)
{
    judge->guest_list = list;
}

static void judge_expire(struct judge *judge, tw_id id, tw_tick tick)
{
    if (judge->awaited < judge->model.capacity) {
        judge_awaited(judge, id, tick);
        return;
    }
    trace_add(judge->report, tick);
    trace_add(judge->report, id);
    judge_expiry(judge, id, tick);
    if (!judge->report->rule) {
        judge->fired = tick;
        judge->has_fired = true;
        judge->unlooked++;
        judge->endings[id] = (struct ending){HAS_FIRED, tick};
        model_stop(&judge->model, id);
        judge->is_inside = true;
        judge_program(judge, id, tick);
        inspect_inside(judge);
        judge_step_guest(judge);
        judge->is_inside = false;
    }
    if (judge->report->rule)
        longjmp(judge->escape, 1);
}

#define EXPIRE(turn)                                                                               \
    static void judge_expire_##turn(void *ctx, tw_id id, tw_tick tick)                             \
    {                                                                                              \
        struct judge *judge = turns_check(ctx, turn, "advance");                                   \
        const char *before = watch_enter(judge->watch, NULL); /* what is called is no design's */  \
        judge_expire(judge, id, tick);                                                             \
        watch_leave(judge->watch, before);                                                         \
    }
EXPIRE(0)
EXPIRE(1)

static void advance_or_escape(struct judge *judge, tw_tick to)
{
    static tw_expire_fn *const functions[TURNS] = {judge_expire_0, judge_expire_1};
    turns_next(judge);
    if (setjmp(judge->escape) == 0)
        judge->backend->advance(judge->timers, to, functions[judge->function_turn],
                                &judge->turns[judge->ctx_turn]);
}

static void call_advance(struct judge *judge, tw_tick to)
{
    const char *before = watch_enter(judge->watch, "advance");
    advance_or_escape(judge, to);
    watch_leave(judge->watch, before);
    if (to > judge->now)
        judge->now = to;
}

/* A timer that should have fired is lost, or only late. */
static void judge_overdue(struct judge *judge, tw_id id)
{
    tw_tick seen = judge->now;
    if (judge->look == JUDGE_FIRING) {
        judge->awaited = id;
        judge->missed = seen;
        for (unsigned bits = 0; bits < AWAITED_BITS && !judge->report->rule; bits++) {
            judge->to = operations_resolve('+', UINT64_C(1) << bits, judge->now);
            call_advance(judge, judge->to);
        }
        judge->awaited = judge->model.capacity;
    }
    overdue_is_lost(judge, id, seen);
}

static bool judge_may_pass(const struct judge *judge)
{
    return judge->model.capacity > CROWD_LOOKED_AT &&
           judge->unlooked < judge->model.capacity / LOOKS_PER_CALL;
}

/* Looks at all timers for one that must have fired. */
static void judge_look_for_overdue(struct judge *judge)
{
    judge->unlooked = 0;
    judge->report->work += judge->model.capacity;
    tw_id overdue = model_overdue(&judge->model, judge->now);
    if (overdue < judge->model.capacity && !judge->report->rule)
        judge_overdue(judge, overdue);
}

static void judge_advance(struct judge *judge, tw_tick to)
{
    if (judge->walk > 0 && to > judge->now && to - judge->now > judge->walk) {
        coverage_remark(&judge->report->coverage,
                        "jumps of more than %" PRIu64 " ticks; it is not TW_TICKLESS", judge->walk);
        return;
    }
    note_call(judge, "advance", NO_ID);
    judge->to = to;
    judge->fired = 0;
    judge->advances++;
    judge->unlooked++;
    judge->report->operations_run++;
    judge->report->work++;
    call_advance(judge, to);
    if (!judge_may_pass(judge))
        judge_look_for_overdue(judge);
}

/* ---- next, visit, check, footprint ----------------------------------------------------------- */

static tw_tick judge_next(struct judge *judge)
{
    const char *before = watch_enter(judge->watch, "next");
    tw_tick next = judge->backend->next(judge->timers);
    watch_leave(judge->watch, before);
    return next;
}

static void inspect_next(struct judge *judge)
{
    tw_tick next = judge_next(judge);
    tw_tick due = model_first_due(&judge->model);
    tw_tick latest = model_first_latest(&judge->model);
    bool exact = judge->model.traits.flags & TW_NEXT_EXACT;
    bool right = due == TW_NEVER ? next == TW_NEVER
                                 : next > judge->now && next <= latest && (!exact || next >= due);
    trace_add(judge->report, next);
    judge->quiet_until = next;
    if (!right)
        report_broken(judge->report, RULE_NEXT,
                      "next answered %" PRIu64 " at tick %" PRIu64 ", the earliest due is %" PRIu64
                      "%s",
                      next, judge->now, due, exact ? "; its traits say TW_NEXT_EXACT" : "");
}

/* It may tidy up: asked before the others, who see what it leaves. */
static void inspect_exact(struct judge *judge)
{
    const char *before = watch_enter(judge->watch, "exact next");
    tw_tick next = judge->exact->next(judge->timers), due = model_first_due(&judge->model);
    watch_leave(judge->watch, before);
    trace_add(judge->report, next);
    if (next != due)
        report_broken(judge->report, RULE_EXACT,
                      "it answered %" PRIu64 " at tick %" PRIu64 ", the earliest due is %" PRIu64,
                      next, judge->now, due);
}

static void judge_view(struct judge *judge, const struct tw_view *view)
{
    const struct model *model = &judge->model;
    tw_id id = view->id;
    if (id >= model->capacity || !model_runs(model, id)) {
        report_broken(judge->report, RULE_VISIT, "visit shows %" PRIu32 ", which is idle", id);
        return;
    }
    if (judge->seen[id])
        report_broken(judge->report, RULE_VISIT, "visit shows %" PRIu32 " twice", id);
    if (view->deadline < model->due[id] || view->deadline > model->latest[id])
        report_broken(judge->report, RULE_VISIT,
                      "visit shows %" PRIu32 " with tick %" PRIu64 ", due %" PRIu64, id,
                      view->deadline, model->due[id]);
    judge->seen[id] = true;
    judge->shown += ((uint64_t)id << 32 ^ view->level ^ (uint64_t)view->slot << 8 ^ view->rounds) *
                    UINT64_C(0x9e3779b97f4a7c15);
}

static void judge_visit(struct judge *judge, const struct tw_view *view)
{
    watch_leave(judge->watch, watch_enter(judge->watch, "visit")); /* a sign of life */
    judge_view(judge, view);
    if (judge->report->rule)
        longjmp(judge->escape, 1);
}

static void judge_visit_0(void *ctx, const struct tw_view *view)
{
    judge_visit(turns_check(ctx, 0, "visit"), view);
}

static void judge_visit_1(void *ctx, const struct tw_view *view)
{
    judge_visit(turns_check(ctx, 1, "visit"), view);
}

static void visit_or_escape(struct judge *judge)
{
    static tw_visit_fn *const functions[TURNS] = {judge_visit_0, judge_visit_1};
    turns_next(judge);
    if (setjmp(judge->escape) == 0)
        judge->backend->visit(judge->timers, functions[judge->function_turn],
                              &judge->turns[judge->ctx_turn]);
}

static void inspect_visit(struct judge *judge)
{
    const struct model *model = &judge->model;
    memset(judge->seen, 0, model->capacity * sizeof *judge->seen);
    judge->shown = 0;
    const char *before = watch_enter(judge->watch, "visit");
    visit_or_escape(judge);
    watch_leave(judge->watch, before);
    trace_add(judge->report, judge->shown);
    for (tw_id id = 0; id < model->capacity; id++)
        if (model_runs(model, id) && !judge->seen[id])
            report_broken(judge->report, RULE_VISIT,
                          "visit does not show %" PRIu32 ", due %" PRIu64, id, model->due[id]);
}

static struct tw_footprint call_footprint(struct judge *judge)
{
    const char *before = watch_enter(judge->watch, "footprint");
    struct tw_footprint footprint;
    char reason[ANSWERS_REASON];
    if (!answers_footprint(judge->backend, judge->timers, &footprint, reason))
        report_broken(judge->report, RULE_FOOTPRINT, "%s", reason);
    watch_leave(judge->watch, before);
    return footprint;
}

/* Footprint and what the design has asked for may differ by this: allocators round, and so do designs. */
#define FOOTPRINT_SLACK(bytes) (256 + (bytes) / 8)

/* What is held, as far as it is this instance's alone. */
static void judge_held(struct judge *judge, const struct tw_footprint *footprint)
{
    struct held held;
    if (!judge->watch || judge->watch->open_instances != 1 || !guard_held(&held))
        return;
    uint64_t told = footprint->fixed_bytes + footprint->capacity_bytes + footprint->pending_bytes;
    uint64_t known = held.bytes;
    bool is_less = told + FOOTPRINT_SLACK(known) + held.padding < known;
    bool is_more = held.is_all && told > known + FOOTPRINT_SLACK(known);
    if (is_less || is_more)
        report_broken(judge->report, RULE_FOOTPRINT,
                      "it tells %" PRIu64 " bytes with %" PRIu32 " timers running of %" PRIu32
                      "; %" PRIu64 " bytes are held",
                      told, judge->model.running, judge->model.capacity, known);
}

/* What does not depend on the timers that run is as it was after open. */
static struct tw_footprint ask_footprint(struct judge *judge, const char *where)
{
    const struct tw_footprint *first = &judge->footprint;
    struct tw_footprint now = call_footprint(judge);
    if (now.fixed_bytes != first->fixed_bytes || now.capacity_bytes != first->capacity_bytes)
        report_broken(
            judge->report, RULE_FOOTPRINT,
            "fixed %" PRIu64 ", by capacity %" PRIu64 " bytes%s; after open %" PRIu64 ", %" PRIu64,
            now.fixed_bytes, now.capacity_bytes, where, first->fixed_bytes, first->capacity_bytes);
    return now;
}

/* What is allocated for timers that run goes by how many ran at a time, not by how often they were started. */
#define PENDING_BYTES UINT64_C(1024)

static void inspect_footprint(struct judge *judge)
{
    struct tw_footprint now = ask_footprint(judge, "");
    judge_held(judge, &now);
    bool may_pend = (judge->model.traits.flags & TW_ALLOCATES) && judge->model.running > 0;
    if (now.pending_bytes > (may_pend ? PENDING_BYTES * (64 + judge->most_running) : 0))
        report_broken(judge->report, RULE_FOOTPRINT, "%" PRIu64 " bytes for %" PRIu32 " timers",
                      now.pending_bytes, judge->model.running);
}

/* All counters of *work are at least those of *before. */
static bool work_grew(const struct tw_work *work, const struct tw_work *before)
{
    enum { COUNTERS = sizeof *work / sizeof(uint64_t) };
    uint64_t now[COUNTERS], then[COUNTERS];
    memcpy(now, work, sizeof now);
    memcpy(then, before, sizeof then);
    for (size_t i = 0; i < COUNTERS; i++)
        if (now[i] < then[i])
            return false;
    return true;
}

/* False: it is NULL. */
static bool call_work(struct judge *judge, struct tw_work *work)
{
    const char *before = watch_enter(judge->watch, "work");
    const struct tw_work *counters = judge->backend->work(judge->timers);
    if (counters)
        *work = *counters;
    watch_leave(judge->watch, before);
    return counters != NULL;
}

static void inspect_work(struct judge *judge)
{
    struct tw_work work = {0};
    if (call_work(judge, &work) != judge->counts_work)
        report_broken(judge->report, RULE_WORK, "work answered NULL %s",
                      judge->counts_work ? "at last, and counters before"
                                         : "at first, and counters later");
    else if (!work_grew(&work, &judge->work))
        report_broken(judge->report, RULE_WORK, "a counter went back at tick %" PRIu64, judge->now);
    judge->work = work;
}

static bool judge_check(struct judge *judge, tw_id spot)
{
    const char *before = watch_enter(judge->watch, "check");
    const char *broken = spot != NO_ID ? judge->spot->check(judge->timers, spot)
                                       : judge->backend->check(judge->timers);
    if (broken)
        report_broken(judge->report, RULE_CHECK, "check at tick %" PRIu64 ": %s", judge->now,
                      broken);
    watch_leave(judge->watch, before);
    return !broken;
}

/* Compares next, visit, check and footprint with the model; answers like judge_step.  Check comes first, because it alone
 * has to bear a broken structure: next or visit might never end. */
static bool judge_inspect(struct judge *judge)
{
    judge->changes = 0;
    judge_look_for_overdue(judge);
    judge->is_looking = true;
    if (judge->report->rule)
        return false;
    if (judge->model.capacity <= CROWD_CHECKED && !judge_check(judge, NO_ID))
        return false;
    inspect_visit(judge);
    if (judge->exact && !judge->report->rule)
        inspect_exact(judge);
    inspect_next(judge);
    inspect_footprint(judge);
    inspect_work(judge);
    return !judge->report->rule;
}

/* ---- Opening, stepping, closing -------------------------------------------------------------- */

static void judge_describe(struct judge *judge, struct tw_description *description)
{
    char reason[ANSWERS_REASON];
    const char *before = watch_enter(judge->watch, "describe");
    if (!answers_describe(judge->backend, judge->timers, description, reason))
        report_broken(judge->report, RULE_DESCRIBE, "%s", reason);
    watch_leave(judge->watch, before);
}

/* It is the same to the end. */
static void judge_describe_again(struct judge *judge)
{
    struct tw_description now = {0};
    judge_describe(judge, &now);
    settings_compare(&judge->description, &now, judge->report);
}

/* Counters begin with 0. */
static void judge_first_work(struct judge *judge)
{
    static const struct tw_work zero;
    judge->counts_work = call_work(judge, &judge->work);
    if (judge->counts_work && !work_grew(&zero, &judge->work))
        report_broken(judge->report, RULE_WORK, "a counter was not 0 right after open");
}

static bool judge_allocate(struct judge *judge, const struct operations *operations,
                           const struct tw_description *description)
{
    size_t actions = 0;
    for (size_t i = 0; i < operations->count; i++) {
        enum operation_code code = operations->list[i].code;
        if (code == OPERATION_ON_START || code == OPERATION_ON_STOP)
            actions += UINT64_C(1) + operations->list[i].further;
    }
    uint32_t capacity = operations->capacity;
    if (!model_open(&judge->model, &judge->backend->traits, description, capacity))
        return false;
    judge->actions = calloc(actions + 1, sizeof *judge->actions);
    judge->first_actions = malloc(capacity * sizeof *judge->first_actions);
    judge->seen = calloc(capacity, sizeof *judge->seen);
    if (judge->batch && !batch_open(judge))
        return false;
    judge->endings = calloc(capacity, sizeof *judge->endings);
    if (!judge->actions || !judge->first_actions || !judge->seen || !judge->endings)
        return false;
    for (tw_id id = 0; id < capacity; id++)
        judge->first_actions[id] = NO_ACTION;
    return true;
}

static bool open_design(struct judge *judge, const struct operations *operations)
{
    watch_list(judge->watch, operations);
    if (!lent_make(&judge->page, operations, judge->watch)) {
        report_broken(judge->report, RULE_MEMORY, "for a config");
        return false;
    }
    struct lent *lent = judge->page.lent, given = *lent;
    const char *before = watch_enter(judge->watch, "open");
    int status = judge->backend->open(&lent->timers, &lent->config, &lent->error);
    watch_leave(judge->watch, before);
    judge->timers = lent->timers;
    if (memcmp(&given.config, &lent->config, sizeof given.config) != 0 ||
        memcmp(given.settings, lent->settings, sizeof given.settings) != 0)
        report_broken(judge->report, RULE_LENT, "open writes to config, or to what it points to");
    if (status != TW_OK)
        report_broken(judge->report, RULE_OPEN, "open answered %d: %.*s", status,
                      (int)sizeof lent->error.text, lent->error.text);
    if (status != TW_OK || !lent_revoke(&judge->page)) {
        lent_end(&judge->page);
        return false;
    }
    if (judge->watch)
        judge->watch->open_instances++;
    return true;
}

struct judge *judge_open(const struct tw_backend *backend, const struct operations *operations,
                         enum judge_look look, struct conform_report *report)
{
    struct judge *judge = calloc(1, sizeof *judge);
    if (!judge || operations->out_of_memory) {
        report_broken(report, RULE_MEMORY, "%zu operations", operations->count);
        free(judge);
        return NULL;
    }
    judge->backend = backend;
    judge->report = report;
    judge->watch = report->watch;
    judge->look = look;
    judge->now = operations->now;
    judge->walk = operations->walk;
    judge->batch = operations->batch;
    judge->exact = operations->exact;
    if (look != JUDGE_FIRING && operations->capacity <= CROWD_CHECKED &&
        (look != JUDGE_ALWAYS || operations->capacity > CROWD_CAPACITY))
        judge->spot = guard_part(backend, "spot");
    judge->slack = guard_part(backend, "slack");
    if (judge->watch)
        judge->watch->look = (int)look;
    judge->awaited = operations->capacity;
    judge->learnt = NO_ID;
    for (unsigned i = 0; i < TURNS; i++)
        judge->turns[i].judge = judge;
    if (!open_design(judge, operations)) {
        free(judge);
        return NULL;
    }
    judge_describe(judge, &judge->description);
    const char *before = watch_enter(judge->watch, "describe"); /* whose pointers are looked at */
    settings_judge(backend, operations, &judge->description, report);
    watch_leave(judge->watch, before);
    judge->footprint = call_footprint(judge);
    judge_first_work(judge);
    if (!judge_allocate(judge, operations, &judge->description))
        report_broken(report, RULE_MEMORY, "%" PRIu32 " timers", operations->capacity);
    if (report->rule) {
        judge_close(judge);
        return NULL;
    }
    return judge;
}

static void judge_learn_of(struct judge *judge, tw_id id, const struct action *action)
{
    uint32_t *link = id == judge->learnt ? judge->last_link : &judge->first_actions[id];
    while (*link != NO_ACTION)
        link = &judge->actions[*link].next;
    *link = judge->action_count;
    judge->last_link = &judge->actions[judge->action_count].next;
    judge->learnt = id;
    judge->actions[judge->action_count++] = *action;
}

static void judge_learn(struct judge *judge, const struct operation *operation)
{
    for (uint32_t i = 0; i <= operation->further; i++)
        judge_learn_of(
            judge, operation->id + i,
            &(struct action){
                .ticks = operation->ticks,
                .slack = operation->slack,
                .target = (tw_id)((operation->target + (uint64_t)i) % judge->model.capacity),
                .times = operation->times,
                .base = operation->base,
                .starts = operation->code == OPERATION_ON_START,
                .next = NO_ACTION,
            });
}

static void judge_advance_times(struct judge *judge, const struct operation *operation)
{
    for (uint32_t i = 0; i < operation->times && !judge->report->rule; i++) {
        judge_advance(judge, operations_resolve(operation->base, operation->ticks, judge->now));
        if (judge->look == JUDGE_ALWAYS && i + 1 < operation->times)
            judge_inspect(judge);
    }
}

/* The list of the timer that has changed, as often as that costs no more than the calls did. */
static void judge_spot(struct judge *judge)
{
    if (!judge->spot || judge->report->rule ||
        ++judge->spots * SPOTS_PER_CALL < judge->model.running)
        return;
    judge->spots = 0;
    judge->is_looking = true;
    judge_check(judge, judge->last_id);
}

/* Many timers are inspected once, after the last of them. */
static void judge_many(struct judge *judge, const struct operation *operation)
{
    for (uint32_t i = 0; i < operation->times && !judge->report->rule; i++) {
        if (operation->code == OPERATION_START)
            judge_start(judge, operation_timer(operation, i),
                        operations_deadline(operation, i, judge->now), operation->slack,
                        judge->now);
        else
            judge_stop(judge, operation_timer(operation, i), judge->now);
        judge_spot(judge);
    }
}

static bool judge_passes_over(struct judge *judge, const struct operation *operation)
{
    return judge->model.capacity > CROWD_CAPACITY && operation->code != OPERATION_ADVANCE &&
           ++judge->changes < CROWD_INSPECTED;
}

/* Which call it was that broke the rule, or after which call it was seen. */
static void judge_tell_call(struct judge *judge)
{
    struct conform_report *report = judge->report;
    size_t used = strlen(report->detail);
    const char *when = judge->is_looking ? "after" : "in", *last = judge->last;
    if (!last || strstr(report->detail, " of the instance"))
        return;
    if (strcmp(last, "advance") == 0)
        snprintf(report->detail + used, sizeof report->detail - used,
                 "; %s advance number %" PRIu64 " of the instance, to tick %" PRIu64, when,
                 judge->advances, judge->to);
    else if (judge->last_id != NO_ID)
        snprintf(report->detail + used, sizeof report->detail - used,
                 "; %s %s of %" PRIu32 " with %" PRIu64 " starts and %" PRIu64
                 " advances of the instance done",
                 when, last, judge->last_id, judge->model.starts, judge->advances);
    else
        snprintf(report->detail + used, sizeof report->detail - used,
                 "; %s a %s with %" PRIu64 " starts and %" PRIu64 " advances of the instance done",
                 when, last, judge->model.starts, judge->advances);
}

static bool step(struct judge *judge, const struct operation *operation)
{
    switch (operation->code) {
    case OPERATION_START:
    case OPERATION_STOP:
        judge_many(judge, operation);
        break;
    case OPERATION_ADVANCE:
        judge_advance_times(judge, operation);
        break;
    case OPERATION_ON_START:
    case OPERATION_ON_STOP:
        if (operation->times > 0)
            judge_learn(judge, operation);
        return true;
    case OPERATION_INSPECT:
        if (judge->look == JUDGE_NOW_AND_THEN)
            judge_inspect(judge);
        break;
    case OPERATION_NEXT:
        judge->is_looking = true;
        if (judge->look != JUDGE_FIRING)
            inspect_next(judge);
        return !judge->report->rule;
    case OPERATION_AGAIN: /* by judge_replay, which has the list */
        return true;
    }
    if (judge->look == JUDGE_ALWAYS && !judge->report->rule && !judge_passes_over(judge, operation))
        judge_inspect(judge);
    return !judge->report->rule;
}

bool judge_step(struct judge *judge, const struct operation *operation)
{
    if (judge->report->rule)
        return false;
    if (!step(judge, operation))
        judge_tell_call(judge);
    return !judge->report->rule;
}

static void judge_tell_coverage(const struct judge *judge)
{
    coverage_add(&judge->report->coverage,
                 &(struct conform_coverage){
                     .fired_capacity = judge->has_fired ? judge->model.capacity : 0,
                     .most_running = judge->most_running,
                     .starts_accepted = judge->model.starts,
                     .starts_refused = judge->refused,
                     .longest_starts = judge->model.starts,
                     .longest_advances = judge->advances,
                 });
}

/* A design that broke a rule may hold anything by now.  One that allocates per timer is not closed
 * then: freeing what a lost timer leads to could crash before the rule is told. */
void judge_close(struct judge *judge)
{
    end_guest(judge);
    if (!judge->report->rule)
        judge_describe_again(judge);
    bool is_closed = !judge->report->rule || !(judge->backend->traits.flags & TW_ALLOCATES);
    if (is_closed) {
        const char *before = watch_enter(judge->watch, "close");
        judge->backend->close(judge->timers);
        watch_leave(judge->watch, before);
    }
    if (judge->watch)
        guard_inspect(is_closed && --judge->watch->open_instances == 0, judge->report);
    judge_tell_coverage(judge);
    lent_end(&judge->page);
    model_close(&judge->model);
    free(judge->actions);
    free(judge->first_actions);
    free(judge->seen);
    free(judge->endings);
    batch_close(judge->room);
    free(judge);
}

/* That operation, or where there are batches all starts and stops from it on; how many. */
static size_t judge_some(struct judge *judge, const struct operations *operations, size_t index,
                         size_t end)
{
    size_t batched = judge->batch ? judge_batches(judge, operations, index, end) : 0;
    if (batched == 0)
        judge_step(judge, &operations->list[index]);
    return batched > 0 ? batched : 1;
}

/* The operations before `index` that an OPERATION_AGAIN repeats. */
static void judge_again(struct judge *judge, const struct operations *operations, size_t index)
{
    const struct operation *again = &operations->list[index];
    size_t first = again->id < index ? index - again->id : 0;
    for (uint32_t run = 0; run < again->times && !judge->report->rule; run++)
        for (size_t i = first; i < index && !judge->report->rule;)
            i += operation_repeats(&operations->list[i]) ? judge_some(judge, operations, i, index)
                                                         : 1;
}

size_t judge_play(struct judge *judge, const struct operations *operations, size_t first,
                  size_t end)
{
    size_t done = first;
    while (done < end && !judge->report->rule) {
        size_t some = 1;
        if (operations->list[done].code == OPERATION_AGAIN)
            judge_again(judge, operations, done);
        else
            some = judge_some(judge, operations, done, end);
        if (!judge->report->rule || some > 1)
            watch_step(judge->watch, done += some);
    }
    return done;
}

bool judge_replay(const struct tw_backend *backend, const struct operations *operations,
                  enum judge_look look, struct conform_report *report, size_t *steps)
{
    struct judge *judge = judge_open(backend, operations, look, report);
    size_t done = 0;
    if (judge) {
        done = judge_play(judge, operations, 0, operations->count);
        if (!report->rule && look != JUDGE_FIRING)
            judge_inspect(judge);
        else if (!report->rule)
            judge_look_for_overdue(judge);
        if (report->rule)
            judge_tell_call(judge);
        judge_close(judge);
    }
    if (steps)
        *steps = done < operations->count ? done + 1 : done;
    return !report->rule;
}
