/* racing.c - decides which candidates are measured next: look, race, final. */
#include "labs/advise/advising.h"

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "labs/advise/choice.h"
#include "labs/advise/evidence.h"

#include <math.h>

/* Up to which share of the budget a step may go. */
#define LOOK_UNTIL   0.62
#define AROUND_UNTIL 0.70
#define RACE_UNTIL   0.85
#define IDLE_UNTIL   0.50 /* on the real clock */
#define FINAL_UNTIL  0.97

enum round { ROUND_LOOK, ROUND_RACE, ROUND_FINAL };

#define FINALS        (CRITERIA_ROUNDS - ROUND_FINAL)
#define RACE_RUNS     6
#define TRIED_AT_SIZE 2 /* where none of so many ends in its share, the load is too large */
#define RACERS        12
#define RACE_NEAR     1.6 /* times the best, by a look, that are raced beyond the first few */
#define FINALISTS     5
#define RIVALS        3    /* the answer among them, until they are separated */
#define SEPARATED     0.05 /* an answer that is worse than another by at most so much is good enough */
#define NEAR          3.0 /* times the best that settings around a design are tried at */
#define FAR_TICKS     (UINT64_C(1) << 24)

struct race {
    struct measuring *measuring;
    struct field *field;
};

/* A stage as well. */
static int publish(struct race *race, struct diag *diag)
{
    struct measuring *measuring = race->measuring;
    measuring->evidence.used_ns = measuring_now_ns(measuring) - measuring->begin_ns;
    (void)diag;
    advice_attach(&measuring->evidence, measuring->session.document);
    return DIAG_OK;
}

static void fill_own(struct race *race)
{
    field_fill(race->field, &race->measuring->evidence);
}

/* ---- Orders. --------------------------------------------------------------------------------- */

/* Does it declare an operation that is O(n) on average?  Those are tried last. */
static bool is_slow(const struct candidate *candidate)
{
    const struct tw_traits *traits = &candidate->design->timed->traits;
    const struct tw_cost costs[] = {traits->start, traits->stop, traits->expire, traits->tick};
    bool slow = false;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        slow = slow || costs[i].average >= TW_O_N;
    return slow;
}

/* Does it step through every tick where a delay is tens of millions of them?  One look at such a design may take
 * longer than one at all others together: those are tried last of all. */
static bool steps_far(const struct candidate *candidate, const struct load *load)
{
    return load->horizon > FAR_TICKS && !(candidate->design->timed->traits.flags & TW_TICKLESS);
}

/* Insertion sort of indices by a key; stable. */
static void sort_by(size_t *items, size_t count, const double *key)
{
    for (size_t i = 1; i < count; i++) {
        size_t item = items[i], at = i;
        for (; at > 0 && key[items[at - 1]] > key[item]; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static double goal_of(const struct race *race, size_t candidate)
{
    return criteria_promise(&race->field->contenders[candidate].of,
                            race->measuring->evidence.wishes.goal);
}

/* The least that is known of those, which are in order. */
static double best_of(const struct race *race, const size_t *ranked, size_t count)
{
    double best = 0;
    for (size_t i = 0; i < count && !(best > 0); i++)
        best = goal_of(race, ranked[i]);
    return best;
}

/* Those that may be recommended, by the goal; `front`: of the front only.  Answers how many. */
static size_t rank(const struct race *race, bool front, size_t *out)
{
    double key[CANDIDATES_MAX];
    const struct field *field = race->field;
    size_t count = 0;
    for (size_t i = 0; i < field->count; i++) {
        key[i] = goal_of(race, i);
        if (field->entries[i].allowed && !isnan(key[i]) && (!front || field->by[i] == FRONT_ITSELF))
            out[count++] = i;
    }
    sort_by(out, count, key);
    return count;
}

/* ---- Look. ----------------------------------------------------------------------------------- */

/* A coarser tick has to leave the load what it is. */
static int check_tick(struct race *race, size_t index, struct diag *diag)
{
    struct candidate *candidate = &race->measuring->evidence.candidates[index];
    bool same = true;
    int status = DIAG_OK;
    if (candidate->tick_ns > 0 && !candidate->runner)
        status = measuring_same_load(race->measuring, candidate->tick_ns, &same, diag);
    if (!same)
        snprintf(candidate->left_out, sizeof candidate->left_out,
                 "its delays are counted in ticks: at another tick it is another load");
    return status;
}

/* One by one, so that what each takes is known, until the share is used up.  Where the cost decides a look has no need of
 * how long single calls take, which is most of its time. */
static int look(struct race *race, const size_t *order, size_t count, double until,
                struct diag *diag)
{
    struct measuring *measuring = race->measuring;
    const struct wishes *wishes = &measuring->evidence.wishes;
    bool by_cost = wishes->goal == CRITERION_COST && wishes->tail_ns == 0;
    int status = DIAG_OK;
    for (size_t i = 0; i < count && status == DIAG_OK && measuring_used(measuring) < until; i++) {
        struct measuring_step step = {&order[i], 1, ROUND_LOOK, 1, .no_latency = by_cost};
        status = check_tick(race, order[i], diag);
        if (status == DIAG_OK && !measuring->evidence.candidates[order[i]].left_out[0])
            status = measuring_run(measuring, &step, diag);
    }
    return status;
}

size_t racing_order(const struct advice_evidence *evidence, size_t *order, size_t *first)
{
    size_t count = 0;
    double key[CANDIDATES_MAX];
    *first = 0;
    for (size_t i = 0; i < evidence->candidate_count; i++) {
        const struct candidate *candidate = &evidence->candidates[i];
        if (candidate->left_out[0])
            continue;
        key[i] = candidate->runner ? CANDIDATES_USUAL : candidate_usual(candidate->design);
        if (!candidate->runner && key[i] >= CANDIDATES_USUAL)
            key[i] += is_slow(candidate) + 2 * steps_far(candidate, &evidence->load);
        *first += candidate->runner ? candidate->design == evidence->candidates[0].design
                                    : key[i] < CANDIDATES_USUAL;
        order[count++] = i;
    }
    sort_by(order, count, key);
    return count;
}

/* From them there is an answer even where the budget ends with it: nothing is kept back for later. */
static int look_at_first(struct race *race, struct diag *diag)
{
    size_t order[CANDIDATES_MAX], first;
    racing_order(&race->measuring->evidence, order, &first);
    const struct advice_evidence *evidence = &race->measuring->evidence;
    bool can_be_smaller = first == CANDIDATES_USUAL && !evidence->load.is_trace;
    size_t try = can_be_smaller ? TRIED_AT_SIZE : first;
    int status = look(race, order, try, FINAL_UNTIL, diag);
    if (status == DIAG_OK && can_be_smaller && !evidence_knows(evidence))
        return DEADLINE_OVER; /* advising goes on with fewer tasks */
    if (status == DIAG_OK)
        status = look(race, order + try, first - try, FINAL_UNTIL, diag);
    return status == DIAG_OK ? publish(race, diag) : status;
}

static int look_at_designs(struct race *race, struct diag *diag)
{
    size_t order[CANDIDATES_MAX], first;
    size_t count = racing_order(&race->measuring->evidence, order, &first);
    return look(race, order + first, count - first, LOOK_UNTIL, diag);
}

/* ---- Around. --------------------------------------------------------------------------------- */

/* What the design chose by itself; 0: it has no such setting. */
static uint64_t slots_of(const struct contender *contender)
{
    double slots = json_get_number(contender->cells.cells[ROUND_LOOK], "params.slots");
    return slots > 0 ? (uint64_t)slots : 0;
}

/* Those are worth a look whose parents are not far from the best. */
static size_t add_around(struct race *race, const size_t *ranked, size_t count, size_t *out)
{
    struct advice_evidence *evidence = &race->measuring->evidence;
    const struct field *field = race->field;
    size_t added = 0;
    double best = best_of(race, ranked, count);
    for (size_t i = 0; i < count; i++) {
        struct candidate around[16];
        const struct candidate of = evidence->candidates[ranked[i]];
        if (goal_of(race, ranked[i]) > NEAR * best)
            break;
        size_t found = candidates_coarser(&of, &evidence->load, &evidence->wishes, around, 16);
        found += candidates_around(&of, &evidence->load, slots_of(&field->contenders[ranked[i]]),
                                   around + found, 16 - found);
        for (size_t j = 0; j < found; j++) {
            size_t before = evidence->candidate_count;
            size_t index = evidence_add_candidate(evidence, &around[j]);
            if (index == before)
                out[added++] = index;
        }
    }
    return added;
}

static int look_around(struct race *race, struct diag *diag)
{
    size_t ranked[CANDIDATES_MAX], around[CANDIDATES_MAX];
    double key[CANDIDATES_MAX];
    fill_own(race);
    size_t count = rank(race, false, ranked);
    if (count == 0)
        return DIAG_OK;
    size_t added = add_around(race, ranked, count, around);
    /* Those of one tick together, for the sake of their stream. */
    for (size_t i = 0; i < added; i++)
        key[around[i]] = (double)race->measuring->evidence.candidates[around[i]].tick_ns;
    sort_by(around, added, key);
    return look(race, around, added, AROUND_UNTIL, diag);
}

/* ---- Race. ----------------------------------------------------------------------------------- */

static bool is_among(const size_t *items, size_t count, size_t item)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] == item)
            return true;
    return false;
}

/* The best of the front in each criterion, of equals the better by the goal. */
static size_t add_specialists(const struct race *race, const size_t *ranked, size_t count,
                              size_t *out, size_t used)
{
    for (int c = 0; c < CRITERIA; c++) {
        size_t best = ranked[0];
        for (size_t i = 1; i < count; i++)
            if (criteria_compare(&race->field->contenders[ranked[i]],
                                 &race->field->contenders[best], (enum criterion)c) < 0)
                best = ranked[i];
        if (!is_among(out, used, best))
            out[used++] = best;
    }
    return used;
}

/* As many of the chosen, from the front of the list, as fit; answers how many. */
static size_t fit(const struct race *race, struct measuring_step step, double until)
{
    while (step.count > 0 &&
           measuring_used(race->measuring) + measuring_predict(race->measuring, &step) > until)
        step.count--;
    return step.count;
}

/* The best by the goal, whether or not others dominate them: after a look a small difference is chance, and memory that
 * is exact would send them away.  Beside them the best of the front in each criterion. */
static size_t find_racers(const struct race *race, size_t *out)
{
    size_t ranked[CANDIDATES_MAX], front[CANDIDATES_MAX];
    size_t count = rank(race, false, ranked), in_front = rank(race, true, front);
    size_t used = count < RACERS - CRITERIA ? count : RACERS - CRITERIA;
    memcpy(out, ranked, used * sizeof *out);
    if (in_front > 0)
        used = add_specialists(race, front, in_front, out, used);
    for (size_t i = 0; i < count && used < RACERS &&
                       goal_of(race, ranked[i]) <= RACE_NEAR * best_of(race, ranked, count);
         i++)
        if (!is_among(out, used, ranked[i]))
            out[used++] = ranked[i];
    return used;
}

static int run_race(struct race *race, struct diag *diag)
{
    size_t racers[CANDIDATES_MAX];
    fill_own(race);
    size_t used = find_racers(race, racers);
    if (used == 0)
        return DIAG_OK;
    struct measuring_step step = {racers, used, ROUND_RACE, RACE_RUNS, 1, false};
    step.count = fit(race, step, RACE_UNTIL);
    if (step.count < 2 && used > 1) {
        step.count = used; /* two at least, from what would be that of the final */
        step.count = fit(race, step, FINAL_UNTIL);
    }
    return step.count > 0 ? measuring_run(race->measuring, &step, diag) : DIAG_OK;
}

/* By what those that were only looked at may be better. */
static enum criterion may_goal(const struct race *race)
{
    const struct wishes *wishes = &race->measuring->evidence.wishes;
    return wishes->on_clock ? wishes->goal : CRITERION_COST;
}

/* Those that do not differ significantly from the answer, those that were only looked at and may be better,
 * and the next. */
static size_t find_finalists(const struct race *race, size_t *out)
{
    size_t ranked[CANDIDATES_MAX], used = 0;
    const struct field *field = race->field;
    size_t count = rank(race, false, ranked);
    if (field->choice.chosen == CHOICE_NONE)
        return 0;
    out[used++] = field->choice.chosen;
    for (size_t i = 0; i < count && used < FINALISTS - 1; i++)
        if (field->equal[ranked[i]] && ranked[i] != field->choice.chosen)
            out[used++] = ranked[i];
    for (size_t i = 0; i < count && used < FINALISTS; i++)
        if (!is_among(out, used, ranked[i]) &&
            criteria_may_be_near(&field->contenders[ranked[i]],
                                 &field->contenders[field->choice.chosen], may_goal(race)))
            out[used++] = ranked[i];
    for (size_t i = 0; i < count; i++)
        if (!is_among(out, used, ranked[i]) && field->by[ranked[i]] == FRONT_ITSELF) {
            out[used++] = ranked[i];
            break;
        }
    return used;
}

/* ---- The finals. ------------------------------------------------------------------------------ */

static bool is_looked_at(const struct measuring *measuring, size_t candidate)
{
    const struct advice_evidence *evidence = &measuring->evidence;
    return evidence->candidates[candidate].left_out[0] != '\0' ||
           evidence_has(evidence, candidate, ROUND_LOOK);
}

/* Was each candidate looked at, and were the answer and those that may be better sampled often enough?  fill_own
 * comes before. */
static bool is_settled(const struct race *race)
{
    const struct field *field = race->field;
    const size_t chosen = field->choice.chosen;
    if (chosen == CHOICE_NONE || !criteria_is_raced(&field->contenders[chosen]))
        return false;
    for (size_t i = 0; i < field->count; i++) {
        if (!is_looked_at(race->measuring, i))
            return false;
        if (i != chosen && field->entries[i].allowed && !criteria_is_raced(&field->contenders[i]) &&
            criteria_may_be_near(&field->contenders[i], &field->contenders[chosen],
                                 race->measuring->evidence.wishes.goal))
            return false;
    }
    return true;
}

/* The candidates that were not looked at yet, in the order of the list. */
static int look_at_rest(struct race *race, struct diag *diag)
{
    size_t rest[CANDIDATES_MAX], count = 0;
    for (size_t i = 0; i < race->measuring->evidence.candidate_count; i++)
        if (!is_looked_at(race->measuring, i))
            rest[count++] = i;
    return look(race, rest, count, FINAL_UNTIL, diag);
}

/* May none of those that do not differ from the answer be better than it by more than SEPARATED?  fill_own comes before. */
static bool is_separated(const struct race *race)
{
    const struct field *field = race->field;
    const size_t chosen = field->choice.chosen;
    const enum criterion goal = race->measuring->evidence.wishes.goal;
    if (chosen == CHOICE_NONE || !criteria_is_sampled(&field->contenders[chosen], goal))
        return true;
    for (size_t i = 0; i < field->count; i++) {
        if (i == chosen || !field->equal[i])
            continue;
        struct summary ratio =
            criteria_ratio(&field->contenders[i].cells, &field->contenders[chosen].cells, goal);
        if (!(ratio.low >= 1 / (1 + SEPARATED)))
            return false;
    }
    return true;
}

/* Rounds of the finalists until the answer is settled, and of it and its rivals until they are separated, or the time is
 * up. */
static int run_finals(struct race *race, struct diag *diag)
{
    /* Runs of their own: a round's cells are told from another's by them. */
    static const uint64_t runs[FINALS] = {12, 9, 16, 24, 36, 40};
    int status = DIAG_OK;
    for (size_t i = 0; i < FINALS && status == DIAG_OK; i++) {
        size_t finalists[CANDIDATES_MAX];
        fill_own(race);
        if (i == 1 && !is_settled(race))
            status = look_at_rest(race, diag);
        if (status != DIAG_OK)
            break;
        fill_own(race);
        bool settled = is_settled(race);
        if (i > 0 && settled && is_separated(race))
            break;
        struct measuring_step step = {
            finalists, find_finalists(race, finalists), ROUND_FINAL + i, runs[i], 1, false};
        if (i > 0 && settled && step.count > RIVALS)
            step.count = RIVALS;
        step.count = fit(race, step, FINAL_UNTIL);
        if (step.count > 1)
            status = measuring_run(race->measuring, &step, diag);
        if (step.count > 1 && status == DIAG_OK)
            publish(race, diag);
    }
    return status;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

static size_t count_untried(const struct measuring *measuring)
{
    size_t count = 0;
    for (size_t i = 0; i < measuring->evidence.candidate_count; i++)
        count += !is_looked_at(measuring, i);
    return count;
}

/* Where nothing fires in what is played, lateness is not known of anybody, and the caller's latency decides, unless
 * lateness was asked for. */
static void choose_goal(struct race *race)
{
    struct wishes *wishes = &race->measuring->evidence.wishes;
    const struct field *field = race->field;
    bool is_known = false;
    fill_own(race);
    for (size_t i = 0; i < field->count; i++)
        is_known = is_known || !isnan(criteria_value(&field->contenders[i].of, wishes->goal));
    if (!is_known && !wishes->goal_given && wishes->goal == CRITERION_PRECISION)
        wishes->goal = CRITERION_TAIL;
}

/* How often the racers wake up when nothing happens, side by side. */
static int look_idle(struct race *race, struct diag *diag)
{
    size_t ranked[CANDIDATES_MAX];
    choose_goal(race);
    size_t count = rank(race, true, ranked);
    struct measuring_step step = {.chosen = ranked,
                                  .count = count < RACERS ? count : RACERS,
                                  .round = EVIDENCE_IDLE,
                                  .runs = 1};
    step.count = fit(race, step, IDLE_UNTIL);
    return step.count > 0 ? measuring_run(race->measuring, &step, diag) : DIAG_OK;
}

static int count_slack(struct race *race, struct diag *diag)
{
    return measuring_slack(race->measuring, diag);
}

/* The stages in turn, as progress names them, until one ends otherwise than well. */
static int run_stages(struct race *race, struct diag *diag)
{
    static const struct {
        const char *name;
        int (*run)(struct race *race, struct diag *diag);
        int clock; /* 0: only virtual, 1: only real */
    } stages[] = {{"first", look_at_first, -1}, {"look", look_at_designs, -1},
                  {"settings", look_around, 0}, {"idle", look_idle, 1},
                  {"slack", count_slack, -1},   {"race", run_race, -1},
                  {"race", publish, -1},        {"final", run_finals, -1}};
    int status = race->measuring->is_made ? DIAG_OK : DEADLINE_OVER;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && status == DIAG_OK; i++) {
        if (stages[i].clock == !race->measuring->evidence.wishes.on_clock)
            continue;
        race->measuring->stage = stages[i].name;
        status = stages[i].run(race, diag);
    }
    return status;
}

int racing_run(struct measuring *measuring, struct diag *diag)
{
    struct race race = {measuring, memory_take(1, sizeof *race.field)};
    struct advice_evidence *evidence = &measuring->evidence;
    if (evidence->wishes.on_clock)
        evidence->candidate_count =
            candidates_on_clock(measuring->live.runners, measuring->live.count, measuring->designs,
                                measuring->design_count, evidence->candidates, CANDIDATES_MAX);
    else
        evidence->candidate_count =
            candidates_default(&evidence->wishes, measuring->designs, measuring->design_count,
                               evidence->candidates, CANDIDATES_MAX);
    publish(&race, diag);
    int status = run_stages(&race, diag);
    evidence->cut = status == DEADLINE_OVER;
    if (evidence->cut)
        status = DIAG_OK;
    if (status == DIAG_OK || status == POOL_INTERRUPTED) {
        evidence->interrupted = status == POOL_INTERRUPTED;
        evidence->untried = count_untried(measuring);
        publish(&race, diag);
    }
    free(race.field);
    return status;
}
