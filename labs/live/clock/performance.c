/* performance.c - starts, stops and runs tasks, and notes the outcome of each. */
#include "labs/live/clock/performance.h"

#include <math.h>

static void note(struct histogram *histogram, uint64_t from_ns, uint64_t to_ns)
{
    histogram_add(histogram, to_ns > from_ns ? (to_ns - from_ns) * 1000 : 0);
}

static void refuse(struct clock_ledger *ledger, int answer)
{
    ledger->refused++;
    ledger->refused_full += answer == TW_RUN_FULL;
    ledger->refused_closed += answer == TW_RUN_CLOSED;
    ledger->refused_range += answer == TW_RUN_RANGE;
    ledger->refused_memory += answer == TW_RUN_MEMORY;
}

static struct book *book_of(struct performance *performance, const struct tw_seat *seat)
{
    uint32_t number = seat->number;
    return &performance->books[number < PERFORMANCE_SEATS ? number : PERFORMANCE_SEATS - 1];
}

/* A wait is cut in pieces, so that each looks whether it was told to end. */
#define PIECE_NS UINT64_C(200000000)

void performance_wait(const struct performance *performance, struct tw_seat *seat, uint64_t until)
{
    uint64_t piece = 0;
    while (piece < until && !is_cut(performance)) {
        piece = moment_after(moment_now(), PIECE_NS);
        piece = piece < until ? piece : until;
        if (seat)
            performance->runner->wait(seat, piece);
        else
            moment_sleep(piece);
    }
}

/* ---- Tasks. ---------------------------------------------------------------------------------- */

/* How long the n-th task of the run sleeps. */
static uint64_t task_sleep_ns(const struct clock_request *request, uint64_t number)
{
    const struct clock_wishes *wishes = request->wishes;
    struct rng rng;
    if (number == 0 && wishes->slow_ns > 0)
        return wishes->slow_ns;
    if (wishes->work != CLOCK_EXPONENTIAL)
        return wishes->work == CLOCK_CONSTANT ? wishes->work_ns : 0;
    rng_seed(&rng, request->seed, number);
    return (uint64_t)(-log(rng_unit(&rng)) * (double)wishes->work_ns);
}

static int run_task(struct tw_seat *seat, void *argument, const struct tw_firing *firing);

/* In a phase of periodic tasks the runner repeats them itself, each at its period; whether it does. */
static bool set_period(const struct performance *performance, uint32_t id, struct tw_task *task)
{
    if (performance->request->wishes->load != CLOCK_PACED)
        return false;
    uint64_t since =
        task->due_ns > performance->origin_ns ? task->due_ns - performance->origin_ns : 0;
    uint64_t tick = (uint64_t)llround((double)since / performance->tick_ns);
    const struct stream_phase *phase = score_phase(&performance->score, tick);
    if (!phase->period)
        return false;
    bool fixed_delay = phase->restart != NULL; /* by which the stream says how long a run takes */
    task->repeat = fixed_delay ? TW_FIXED_DELAY : TW_FIXED_RATE;
    task->period_ns = (uint64_t)(stream_period(phase->period, id) * performance->tick_ns);
    task->period_ns += task->period_ns == 0;
    return true;
}

/* The phase's rule of restarts, from the moment that this run was meant for; of one with slack the tick that was
 * chosen. */
static void restart(struct performance *performance, struct tw_seat *seat, struct account *account,
                    const struct tw_firing *firing)
{
    bool chosen = performance->grants && firing->turn_ns > firing->due_ns;
    uint64_t since = (chosen ? firing->turn_ns : firing->due_ns) - performance->origin_ns;
    uint64_t tick = (uint64_t)llround((double)since / performance->tick_ns);
    const struct stream_phase *phase = score_phase(&performance->score, tick);
    if (!stream_restarts(phase))
        return;
    tw_id id = (tw_id)(account - performance->accounts);
    uint64_t delay = stream_next_delay(phase->restart, phase->period, id, stream_mix(id, tick));
    struct tw_task task = {.run = run_task,
                           .argument = account,
                           .due_ns = performance_moment(performance, tick + delay)};
    tw_timer timer;
    struct clock_ledger *ledger = &book_of(performance, seat)->ledger;
    int answer = performance->runner->start(seat, &task, &timer);
    if (answer != TW_RUN_OK) {
        refuse(ledger, answer);
        return;
    }
    ledger->accepted++;
    ledger_accept(account, timer);
}

static int run_task(struct tw_seat *seat, void *argument, const struct tw_firing *firing)
{
    uint64_t begun = moment_now();
    struct account *account = argument;
    struct performance *performance = account->performance;
    const struct clock_wishes *wishes = performance->request->wishes;
    struct book *book = book_of(performance, seat);
    uint64_t number = 0;
    bool numbered = wishes->work != CLOCK_NO_WORK || wishes->slow_ns || wishes->failing_every;
    if (numbered)
        number = atomic_fetch_add_explicit(&performance->tasks_begun, 1, memory_order_relaxed);
    if (!account->is_periodic) {
        ledger_end(account, firing->timer);
        book->ledger.ran++;
    }
    book->ledger.early += begun < firing->due_ns;
    book->last_ran_ns = begun;
    note(&book->times.late, firing->due_ns, begun);
    note(&book->times.tick, firing->due_ns, firing->tick_ns);
    note(&book->times.queue, firing->tick_ns, firing->turn_ns);
    note(&book->times.dispatch, firing->turn_ns, begun);
    if (!account->is_periodic && performance->end_ns > 0 && firing->due_ns < performance->end_ns)
        restart(performance, seat, account, firing);
    uint64_t sleep_ns = numbered ? task_sleep_ns(performance->request, number) : 0;
    if (sleep_ns > 0)
        performance_wait(performance, NULL, moment_now() + sleep_ns);
    note(&book->times.run, begun, moment_now());
    return wishes->failing_every > 0 && number % wishes->failing_every == wishes->failing_every - 1;
}

/* ---- Producers. ------------------------------------------------------------------------------ */

static void note_call(const struct producer *producer, struct histogram *histogram, uint64_t begun)
{
    note(histogram, begun + producer->performance->clock_cost_ns, moment_now());
}

void performance_start(struct producer *producer, uint32_t id, uint64_t due_ns, bool timed)
{
    struct performance *performance = producer->performance;
    struct account *account = &performance->accounts[id];
    struct tw_task task = {.run = run_task, .argument = account, .due_ns = due_ns};
    account->is_periodic = set_period(performance, id, &task);
    tw_timer timer;
    uint64_t begun = timed ? moment_now() : 0;
    int answer = performance->runner->start(producer->seat, &task, &timer);
    if (timed)
        note_call(producer, &producer->book->times.start, begun);
    producer->book->operations++;
    if (answer != TW_RUN_OK) {
        refuse(&producer->book->ledger, answer);
        return;
    }
    producer->book->ledger.accepted++;
    ledger_accept(account, timer);
}

void performance_stop(struct producer *producer, uint32_t id, bool timed)
{
    struct performance *performance = producer->performance;
    struct account *account = &performance->accounts[id];
    tw_timer timer = atomic_load_explicit(&account->timer, memory_order_relaxed);
    if (timer == 0)
        return;
    uint64_t begun = timed ? moment_now() : 0;
    int answer = performance->runner->stop(producer->seat, timer);
    if (timed)
        note_call(producer, &producer->book->times.stop, begun);
    producer->book->operations++;
    if (answer == TW_RUN_STOPPED) {
        producer->book->ledger.stopped++;
        ledger_end(account, timer);
    }
    producer->book->ledger.too_late += answer == TW_RUN_TOO_LATE;
    producer->book->ledger.idle += answer == TW_RUN_IDLE;
    /* Unless a task has put another one there meanwhile. */
    atomic_compare_exchange_strong(&account->timer, &timer, 0);
}
