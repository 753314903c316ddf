/* gate_tail.c - decides the tail gate from the slowest calls of both sides. */
#include "harness/compare/gate_tail.h"

#include "harness/base/json.h"
#include "harness/measure/stats/histogram.h"

/* The own tail of a side's phase, slowest first. */
struct side_tail {
    size_t count;
    double ns[TAIL_SLOWEST];
    uint64_t calls[TAIL_SLOWEST];
    double p50_ns, pass_max_ns;
};

struct rule {
    double limit, floor_ns;
    bool ranks_only; /* not the longest call of every pass */
};

static struct side_tail read_side(const cJSON *own)
{
    struct side_tail side = {.p50_ns = json_get_number(own, "p50"),
                             .pass_max_ns = json_get_number(own, "pass_max")};
    json_each(pair, own, "slowest") {
        double call = cJSON_GetNumberValue(cJSON_GetArrayItem(pair, 0));
        double ns = cJSON_GetNumberValue(cJSON_GetArrayItem(pair, 1));
        if (side.count == TAIL_SLOWEST || !(call >= 0 && call < 0x1p63) || !(ns >= 0))
            break;
        side.calls[side.count] = (uint64_t)call;
        side.ns[side.count++] = ns;
    }
    return side;
}

/* False where the sides have nothing to compare: no tail, or one of other calls. */
static bool read_phase(const cJSON *before, const cJSON *after, size_t phase,
                       struct side_tail *old_side, struct side_tail *new_side)
{
    static const char *const keys[] = {"calls", "calls_per_block"};
    const cJSON *old_own = json_get(cJSON_GetArrayItem(json_get(before, "phases"), (int)phase),
                                    "latency_ns.advance.own");
    const cJSON *new_own = json_get(cJSON_GetArrayItem(json_get(after, "phases"), (int)phase),
                                    "latency_ns.advance.own");
    if (!old_own || !new_own)
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double old_value = json_get_number(old_own, keys[i]);
        double new_value = json_get_number(new_own, keys[i]);
        if (!(old_value > 0) || old_value < new_value || old_value > new_value)
            return false;
    }
    *old_side = read_side(old_own);
    *new_side = read_side(new_own);
    return old_side->count > 0 && new_side->count > 0;
}

/* A side whose median call is slower as well is slower altogether, which is not the tail's doing. */
static double shift_of(const struct side_tail *slower, const struct side_tail *faster)
{
    double shift = slower->p50_ns / faster->p50_ns;
    return isfinite(shift) && shift > 1 ? shift : 1;
}

static double at_rank(const struct side_tail *side, int rank)
{
    return rank == TAIL_WANDERS         ? side->pass_max_ns
           : (size_t)rank < side->count ? side->ns[rank]
                                        : NAN;
}

/* By how much the slower side's call is too slow, ns; 0 or less: it is not. */
static double excess_of(const struct side_tail *slower, const struct side_tail *faster, int rank,
                        const struct rule *rule)
{
    double more = at_rank(slower, rank), less = at_rank(faster, rank);
    double excess = more - less * shift_of(slower, faster) * (1 + rule->limit) - rule->floor_ns;
    return isfinite(excess) ? excess : 0;
}

static void consider(struct tail_finding *found, double *largest, size_t phase, int rank,
                     const struct side_tail *old_side, const struct side_tail *new_side,
                     bool is_worse, const struct rule *rule)
{
    const struct side_tail *slower = is_worse ? new_side : old_side;
    double excess = excess_of(slower, is_worse ? old_side : new_side, rank, rule);
    if (!(excess > *largest))
        return;
    *largest = excess;
    *found = (struct tail_finding){
        .known = true,
        .verdict = is_worse ? VERDICT_REGRESSED : VERDICT_IMPROVED,
        .phase = phase,
        .rank = rank,
        .call = rank == TAIL_WANDERS ? 0 : slower->calls[rank],
        .before_ns = at_rank(old_side, rank),
        .after_ns = at_rank(new_side, rank),
    };
}

/* Calls that are slow in each pass first; the longest of every pass where there are none. */
static struct tail_finding look_for(const cJSON *before, const cJSON *after, bool is_worse,
                                    const struct rule *rule)
{
    struct tail_finding found = {.verdict = VERDICT_SAME};
    int phases = cJSON_GetArraySize(json_get(before, "phases"));
    double largest = 0, largest_wandering = 0;
    struct tail_finding wandering = found;
    for (int i = 0; i < phases; i++) {
        struct side_tail old_side, new_side;
        if (!read_phase(before, after, (size_t)i, &old_side, &new_side))
            continue;
        found.known = wandering.known = true;
        for (int rank = 0; rank < TAIL_SLOWEST; rank++)
            consider(&found, &largest, (size_t)i, rank, &old_side, &new_side, is_worse, rule);
        if (!rule->ranks_only)
            consider(&wandering, &largest_wandering, (size_t)i, TAIL_WANDERS, &old_side, &new_side,
                     is_worse, rule);
    }
    return largest > 0 ? found : wandering;
}

static struct tail_finding look_both_ways(const cJSON *before, const cJSON *after,
                                          const struct rule *rule)
{
    struct tail_finding worse = look_for(before, after, true, rule);
    return worse.verdict != VERDICT_SAME ? worse : look_for(before, after, false, rule);
}

struct tail_finding gate_tail_look(const cJSON *before, const cJSON *after, double limit)
{
    const struct rule rule = {.limit = limit, .floor_ns = TAIL_FLOOR_NS};
    return look_both_ways(before, after, &rule);
}

/* Looks at one phase and rank only, and for a change in the direction of `like`; `known` as there. */
static struct tail_finding gate_tail_again(const cJSON *before, const cJSON *after,
                                           const struct tail_finding *like, double limit)
{
    const struct rule rule = {.limit = limit, .floor_ns = TAIL_FLOOR_NS};
    struct tail_finding found = {.verdict = VERDICT_SAME};
    struct side_tail old_side, new_side;
    double largest = 0;
    if (!read_phase(before, after, like->phase, &old_side, &new_side))
        return found;
    found.known = true;
    found.before_ns = at_rank(&old_side, like->rank);
    found.after_ns = at_rank(&new_side, like->rank);
    consider(&found, &largest, like->phase, like->rank, &old_side, &new_side,
             like->verdict == VERDICT_REGRESSED, &rule);
    return found;
}

/* ---- A cell. --------------------------------------------------------------------------------- */

static void fill_tail(struct compared_cell *cell, const struct tail_finding *finding)
{
    struct compared_tail *tail = &cell->tail;
    tail->known = true;
    tail->verdict = finding->verdict;
    if (finding->verdict == VERDICT_SAME)
        return;
    snprintf(tail->phase, sizeof tail->phase, "%s",
             finding->phase < cell->phase_count ? cell->phases[finding->phase].name : "");
    tail->wanders = finding->rank == TAIL_WANDERS;
    tail->call = finding->call;
    tail->before_ns = finding->before_ns;
    tail->after_ns = finding->after_ns;
}

void gate_tail(struct compared_cell *cell, const cJSON *before, const cJSON *after,
               const struct limits *limits, bool stored)
{
    double limit = limits_for(limits, cell).of[METRIC_TAIL],
           factor = stored ? TAIL_STORED_FACTOR : 1;
    cell->tail = (struct compared_tail){.before_ns = NAN, .after_ns = NAN};
    if (isnan(limit))
        return;
    const struct rule rule = {limit * factor, TAIL_FLOOR_NS * factor, .ranks_only = stored};
    struct tail_finding finding = look_both_ways(before, after, &rule);
    if (finding.known)
        fill_tail(cell, &finding);
}

/* ---- Repetitions. ---------------------------------------------------------------------------- */

struct tail_repeats gate_tail_begin(const struct tail_finding *finding)
{
    return (struct tail_repeats){
        .finding = *finding, .before_ns = finding->before_ns, .after_ns = finding->after_ns};
}

bool gate_tail_repeat(struct tail_repeats *repeats, const cJSON *before, const cJSON *after,
                      double limit)
{
    struct tail_finding again = gate_tail_again(before, after, &repeats->finding, limit);
    repeats->pairs++;
    if (again.known && again.verdict == repeats->finding.verdict) {
        repeats->agreed++;
        repeats->before_ns = fmin(repeats->before_ns, again.before_ns);
        repeats->after_ns = fmin(repeats->after_ns, again.after_ns);
    }
    return repeats->pairs < TAIL_PAIRS &&
           repeats->pairs - repeats->agreed <= TAIL_PAIRS - TAIL_AGREE;
}

void gate_tail_conclude(struct compared_cell *cell, const struct tail_repeats *repeats,
                        double limit)
{
    bool is_worse = repeats->finding.verdict == VERDICT_REGRESSED;
    double more = is_worse ? repeats->after_ns : repeats->before_ns;
    double less = is_worse ? repeats->before_ns : repeats->after_ns;
    cell->tail.pairs = repeats->pairs;
    cell->tail.agreed = repeats->agreed;
    cell->tail.before_ns = repeats->before_ns;
    cell->tail.after_ns = repeats->after_ns;
    if (repeats->agreed < TAIL_AGREE || !(more > less * (1 + limit) + TAIL_FLOOR_NS))
        cell->tail.verdict = VERDICT_SAME;
}
