/* durable_advising.c - looks at every store with a small run, kills it, times its dispatch on the real clock, and spends the
 * rest of the budget on the number of messages that was asked for. */
#include "harness/ask/advise/durable_advising.h"

#include "harness/ask/advise/durable_advice.h"
#include "harness/ask/advise/durable_choice.h"
#include "harness/ask/stores/stores_cell.h"
#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/measure/designs/store_modules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_TASKS 100 /* of the first run of a store */
/* Of the run in which it is killed: what it puts within this share of its time, between these. */
#define KILLED_SHARE 0.3
#define KILLED_LEAST 50
#define KILLED_MOST  1000
#define STEP_FACTOR  10 /* to the next number of messages */
#define ROUNDS_MOST  12
#define DRAINED_MOST 100000 /* to hand out more takes longer than to put them: those stay pending */
#define GUESS_FACTOR 1.3    /* a run of ten times the messages takes ten times this much longer */

/* Shares of the budget at which a part of the work is over: it begins no further run. */
#define LOOK_SHARE  0.4
#define KILLS_SHARE 0.5
#define LATE_SHARE  0.65
#define STEPS_SHARE 0.9

/* A store that does not end a small run within so much is out. */
#define RUN_SHARE 0.1
#define RUN_LEAST UINT64_C(1500000000)
/* Of what is left, a run of the next size may take: so there is time for the others, and for more rounds. */
#define STEP_SHARE 0.3
#define LAST_SHARE 0.7 /* of the recommended one alone, when nothing else is to be run */

/* The run on the real clock: puts a second, that share of what the slowest store takes at most, and its length. */
#define LATE_RATE_MOST  500
#define LATE_RATE_LEAST 10
#define LATE_RATE_SHARE 0.3
#define LATE_MOST_S     4.0
#define LATE_LEAST_S    0.4
#define LATE_PUTTING    0.6
#define REAL_SPAN_MS    1000

#define SURVIVES_NOTHING ((unsigned)TW_STORE_IN_MEMORY | TW_STORE_KEEPS_NOTHING)

struct advising_stores {
    struct durable_evidence evidence;
    struct storing *storing;
    struct setup setup; /* of the run in hand: its budget */
    double
        late_rate; /* puts a second of the runs on the real clock, the same for all; 0: not set */
    uint64_t begin_ns;
    size_t runs;
    struct diag *diag;
};

/* ---- The clock. ------------------------------------------------------------------------------ */

static uint64_t used_ns(const struct advising_stores *advising)
{
    return clock_read_ns(CLOCK_MONOTONIC) - advising->begin_ns;
}

static bool is_past(const struct advising_stores *advising, double share)
{
    return (double)used_ns(advising) > share * (double)advising->evidence.budget_ns;
}

static double left_ns(const struct advising_stores *advising)
{
    double left = (double)advising->evidence.budget_ns - (double)used_ns(advising);
    return left > 0 ? left : 0;
}

/* ---- One run. -------------------------------------------------------------------------------- */

/* Puts a second of the first look. */
static double look_rate(const struct advising_stores *advising,
                        const struct durable_entrant *entrant)
{
    return durable_median(durable_cell(&advising->evidence, entrant->fills[0]), "puts_per_s");
}

/* What each of the stores can take. */
static double choose_late_rate(const struct advising_stores *advising)
{
    const struct durable_evidence *evidence = &advising->evidence;
    double rate = LATE_RATE_MOST;
    if (evidence->request->rate > 0)
        return evidence->request->rate;
    for (size_t i = 0; i < evidence->count; i++)
        if (!evidence->entrants[i].is_out)
            rate = fmin(rate, LATE_RATE_SHARE * look_rate(advising, &evidence->entrants[i]));
    return fmax(floor(rate), LATE_RATE_LEAST);
}

static double late_seconds(const struct advising_stores *advising)
{
    const struct durable_evidence *evidence = &advising->evidence;
    double seconds =
        (LATE_SHARE - KILLS_SHARE) * (double)evidence->budget_ns / 1e9 / (double)evidence->count;
    return fmin(fmax(seconds, LATE_LEAST_S), LATE_MOST_S);
}

static void make_killed(const struct advising_stores *advising,
                        const struct durable_entrant *entrant, struct storing_request *out)
{
    const struct durable_evidence *evidence = &advising->evidence;
    double seconds =
        (KILLS_SHARE - LOOK_SHARE) * (double)evidence->budget_ns / 1e9 / (double)evidence->count;
    const cJSON *look = durable_cell(evidence, entrant->fills[0]);
    double drained = durable_median(look, "dispatch_per_s"), rate = look_rate(advising, entrant);
    if (drained > 0) /* each is put and handed out */
        rate = 1 / (1 / rate + 1 / drained);
    double tasks = KILLED_SHARE * seconds * rate;
    tasks = fmin(fmax(tasks, KILLED_LEAST), KILLED_MOST);
    out->tasks[0] = (uint64_t)tasks;
    out->kills = evidence->request->kills;
}

static void make_late(const struct advising_stores *advising, struct storing_request *out)
{
    double seconds = late_seconds(advising);
    out->real_time = out->span_given = true;
    out->rate = advising->late_rate;
    out->tasks[0] = (uint64_t)(out->rate * LATE_PUTTING * seconds) + 1;
    out->load.span_ms = (uint64_t)(1000 * (1 - LATE_PUTTING) * seconds);
}

/* What is run of an entrant, in out. */
static void make_request(struct advising_stores *advising, const struct durable_entrant *entrant,
                         enum durable_trial trial, size_t step, struct storing_request *out)
{
    const struct durable_evidence *evidence = &advising->evidence;
    *out = *evidence->request;
    out->setup = &advising->setup;
    out->stores[0] = entrant->row;
    out->store_count = 1;
    out->tasks[0] = evidence->sizes[step];
    out->task_count = 1;
    out->rate = 0;
    out->kills = 0;
    out->no_drain = trial == DURABLE_FILL && evidence->sizes[step] > DRAINED_MOST;
    if (entrant->backend && entrant->backend->flags & TW_STORE_REAL_CLOCK && !out->span_given) {
        out->span_given = true;
        out->load.span_ms = REAL_SPAN_MS;
    }
    if (trial == DURABLE_KILLED)
        make_killed(advising, entrant, out);
    if (trial == DURABLE_LATE)
        make_late(advising, out);
}

static size_t *place_of_trial(struct durable_entrant *entrant, enum durable_trial trial,
                              size_t step)
{
    return trial == DURABLE_FILL     ? &entrant->fills[step]
           : trial == DURABLE_KILLED ? &entrant->killed
                                     : &entrant->late;
}

/* Runs it once more, for at most so long.  What it took is noted where it came to an end with figures. */
static int run_once(struct advising_stores *advising, struct durable_entrant *entrant,
                    enum durable_trial trial, size_t step, size_t round, double most_ns)
{
    struct storing_request request;
    size_t *place = place_of_trial(entrant, trial, step);
    double left = left_ns(advising);
    make_request(advising, entrant, trial, step, &request);
    advising->setup.budget_ns = (uint64_t)fmax(fmin(most_ns, left), 1e8);
    storing_expect(advising->storing, advising->runs + 2);
    uint64_t begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    int status = storing_round(advising->storing, &request, round, advising->diag);
    uint64_t took_ns = clock_read_ns(CLOCK_MONOTONIC) - begin_ns;
    *place = storing_cell(advising->storing, &request);
    advising->evidence.document = storing_document(advising->storing);
    advising->runs++;
    const cJSON *cell = durable_cell(&advising->evidence, *place);
    if (!cell || strcmp(json_get_text(cell, "status"), "ok") != 0) {
        entrant->is_out = entrant->is_out || (trial == DURABLE_FILL && step == 0) ||
                          (cell && stores_cell_failed(cell));
        return status;
    }
    if (trial == DURABLE_FILL && step + 1 >= entrant->reached) {
        entrant->reached = step + 1;
        entrant->took_ns = took_ns;
    }
    if (trial == DURABLE_LATE)
        entrant->late_took_ns = took_ns;
    return status;
}

/* ---- First looks. ---------------------------------------------------------------------------- */

/* Each store once, as long as that share of the budget is not over. */
static int run_each(struct advising_stores *advising, enum durable_trial trial, double share)
{
    struct durable_evidence *evidence = &advising->evidence;
    double most = fmax(RUN_SHARE * (double)evidence->budget_ns, (double)RUN_LEAST);
    if (trial == DURABLE_LATE) {
        advising->late_rate = choose_late_rate(advising);
        most = fmax(most, 2e9 * late_seconds(advising) + (double)RUN_LEAST);
    }
    int status = DIAG_OK;
    for (size_t i = 0; i < evidence->count && status == DIAG_OK; i++) {
        struct durable_entrant *entrant = &evidence->entrants[i];
        if (entrant->is_out || is_past(advising, share))
            continue;
        if (trial == DURABLE_KILLED && entrant->backend->flags & SURVIVES_NOTHING)
            continue;
        status = run_once(advising, entrant, trial, 0, 0, most);
    }
    return status;
}

/* ---- More messages. -------------------------------------------------------------------------- */

/* Of those that came to the step before and were not passed over, the one with the best figure. */
static struct durable_entrant *next_to_try(struct advising_stores *advising, size_t step,
                                           const bool *passed)
{
    struct durable_evidence *evidence = &advising->evidence;
    const struct durable_measure *goal = durable_goal(evidence->wishes.goal);
    struct durable_entrant *best = NULL;
    double best_value = 0;
    for (size_t i = 0; i < evidence->count; i++) {
        struct durable_entrant *entrant = &evidence->entrants[i];
        if (entrant->is_out || passed[i] || entrant->reached != step)
            continue;
        double value = durable_value(evidence, entrant, goal);
        if (!goal->more_is_better)
            value = 1 / value;
        if (!best || value > best_value) {
            best = entrant;
            best_value = value;
        }
    }
    return best;
}

static double guess_ns(const struct advising_stores *advising,
                       const struct durable_entrant *entrant, size_t step)
{
    const uint64_t *sizes = advising->evidence.sizes;
    return GUESS_FACTOR * (double)entrant->took_ns * (double)sizes[step] / (double)sizes[step - 1];
}

/* Whoever is not expected to end within that share of what is left stays where it is.  `only`: nobody else, or CHOICE_NONE. */
static int climb(struct advising_stores *advising, double share, size_t only)
{
    struct durable_evidence *evidence = &advising->evidence;
    int status = DIAG_OK;
    for (size_t step = 1; step < evidence->size_count && status == DIAG_OK; step++) {
        struct durable_entrant *entrant;
        bool passed[STORING_LIST_MAX];
        for (size_t i = 0; i < evidence->count; i++)
            passed[i] = only != CHOICE_NONE && i != only;
        while (status == DIAG_OK && (entrant = next_to_try(advising, step, passed))) {
            double left = left_ns(advising);
            passed[entrant - evidence->entrants] = true;
            if (guess_ns(advising, entrant, step) < share * left && !is_past(advising, STEPS_SHARE))
                status = run_once(advising, entrant, DURABLE_FILL, step, 0, 2 * share * left);
        }
    }
    return status;
}

/* ---- More rounds. ---------------------------------------------------------------------------- */

static size_t runs_at(const struct advising_stores *advising, struct durable_entrant *entrant,
                      enum durable_trial trial, size_t step)
{
    const cJSON *cell = durable_cell(&advising->evidence, *place_of_trial(entrant, trial, step));
    bool is_ok = cell && strcmp(json_get_text(cell, "status"), "ok") == 0;
    return is_ok ? stores_cell_runs(cell) : 0;
}

/* The largest step that both came to; DURABLE_SIZES without one. */
static size_t common_step(const struct durable_evidence *evidence, size_t left, size_t right)
{
    size_t l = evidence->entrants[left].reached, r = evidence->entrants[right].reached;
    size_t common = l < r ? l : r;
    return common > 0 ? common - 1 : DURABLE_SIZES;
}

/* The chosen one, and beside it those not clearly different and the next, for whom this is the size they are compared at; as
 * far as they were in each round before.  Answers what a round takes. */
static double gather(struct advising_stores *advising, enum durable_trial trial, size_t step,
                     size_t round, bool *joins, size_t *count)
{
    struct durable_evidence *evidence = &advising->evidence;
    struct durable_choice choice = durable_choose(evidence);
    double takes = 0;
    *count = 0;
    for (size_t i = 0; i < evidence->count; i++) {
        struct durable_entrant *entrant = &evidence->entrants[i];
        bool is_rival = (i == choice.next && round < CRITERIA_PAIRS_MIN) || choice.equal[i];
        bool is_here = trial == DURABLE_LATE || (choice.chosen != CHOICE_NONE &&
                                                 common_step(evidence, choice.chosen, i) == step);
        joins[i] = (i == choice.chosen || (is_rival && is_here)) &&
                   runs_at(advising, entrant, trial, step) == round;
        if (!joins[i])
            continue;
        ++*count;
        double each =
            trial == DURABLE_LATE ? (double)entrant->late_took_ns : (double)entrant->took_ns;
        if (trial == DURABLE_FILL && entrant->reached > step + 1)
            each *= (double)evidence->sizes[step] / (double)evidence->sizes[entrant->reached - 1];
        takes += each;
    }
    return takes;
}

/* Round by round those that matter for the answer, one after another, as long as there is time. */
static int race_at(struct advising_stores *advising, enum durable_trial trial, size_t step)
{
    struct durable_evidence *evidence = &advising->evidence;
    bool joins[STORING_LIST_MAX] = {false};
    size_t count;
    int status = DIAG_OK;
    for (size_t round = 1; round < ROUNDS_MOST && status == DIAG_OK; round++) {
        double takes = gather(advising, trial, step, round, joins, &count);
        if (count < 2 || takes * GUESS_FACTOR > left_ns(advising))
            return DIAG_OK;
        for (size_t i = 0; i < evidence->count && status == DIAG_OK; i++)
            if (joins[i])
                status = run_once(advising, &evidence->entrants[i], trial, step, round,
                                  left_ns(advising));
    }
    return status;
}

/* Those that came furthest first; what is left of the time goes to those that stayed behind. */
static int race(struct advising_stores *advising)
{
    const struct durable_evidence *evidence = &advising->evidence;
    int status = DIAG_OK;
    if (evidence->wishes.goal == CRITERION_PRECISION)
        return race_at(advising, DURABLE_LATE, 0);
    for (size_t step = evidence->size_count; step-- > 0 && status == DIAG_OK;)
        status = race_at(advising, DURABLE_FILL, step);
    return status;
}

/* ---- All of it. ------------------------------------------------------------------------------ */

static void begin(struct advising_stores *advising, const struct durable_advising *asked)
{
    struct durable_evidence *evidence = &advising->evidence;
    uint64_t most = asked->request->tasks[0], size = LOOK_TASKS;
    struct diag unused;
    advising->setup = *asked->request->setup;
    advising->begin_ns = clock_read_ns(CLOCK_MONOTONIC);
    evidence->request = asked->request;
    evidence->wishes = asked->wishes;
    evidence->budget_ns = asked->request->setup->budget_ns;
    for (; size < most && evidence->size_count + 1 < DURABLE_SIZES; size *= STEP_FACTOR)
        evidence->sizes[evidence->size_count++] = size;
    evidence->sizes[evidence->size_count++] = most;
    for (size_t i = 0; i < asked->request->store_count; i++) {
        struct durable_entrant *entrant = &evidence->entrants[evidence->count++];
        entrant->row = asked->request->stores[i];
        entrant->backend = store_modules_load(entrant->row, &unused);
        store_registry_key(entrant->row, entrant->key, sizeof entrant->key);
        entrant->killed = entrant->late = STORING_NO_CELL;
        for (size_t s = 0; s < DURABLE_SIZES; s++)
            entrant->fills[s] = STORING_NO_CELL;
    }
}

int durable_advise(const struct durable_advising *asked, cJSON **document, struct diag *diag)
{
    struct advising_stores *advising = calloc(1, sizeof *advising);
    if (!advising)
        return diag_run(diag, "no memory for the advice");
    begin(advising, asked);
    advising->diag = diag;
    int status = storing_open(asked->request, &advising->storing, diag);
    if (status != DIAG_OK) {
        free(advising);
        return status;
    }
    status = run_each(advising, DURABLE_FILL, LOOK_SHARE);
    if (status == DIAG_OK && asked->request->kills > 0)
        status = run_each(advising, DURABLE_KILLED, KILLS_SHARE);
    if (status == DIAG_OK)
        status = run_each(advising, DURABLE_LATE, LATE_SHARE);
    if (status == DIAG_OK)
        status = climb(advising, STEP_SHARE, CHOICE_NONE);
    if (status == DIAG_OK)
        status = race(advising);
    size_t chosen = durable_choose(&advising->evidence).chosen;
    if (status == DIAG_OK && chosen != CHOICE_NONE)
        status = climb(advising, LAST_SHARE, chosen);
    cJSON *made = storing_close(advising->storing, status == DIAG_OK);
    if (status == DIAG_OK || status == STORING_INTERRUPTED) {
        advising->evidence.document = made;
        advising->evidence.used_ns = used_ns(advising);
        advising->evidence.interrupted = status == STORING_INTERRUPTED;
        json_add(made, "advice", durable_advice_make(&advising->evidence));
        *document = made;
    } else {
        cJSON_Delete(made);
    }
    free(advising);
    return status;
}
